#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"

namespace flopcast::kernel {

/// Returns a call from its flags, integers and addresses in order; all scalars are 1, info is left out.
inline Call call(const std::string& name, const std::vector<std::int64_t>& arguments) {
  Call call;
  call.routine = &kernel::require(name);
  call.scalars = {1, 1};
  std::size_t next = 0;
  std::int64_t scalar = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::scalar || kind == Kind::real_scalar) {
      call.arguments[i] = scalar++;
    } else if (kind != Kind::info) {
      call.arguments[i] = arguments.at(next++);
    }
  }
  EXPECT_EQ(next, arguments.size()) << name;
  return call;
}

}  // namespace flopcast::kernel
