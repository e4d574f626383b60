#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "flopcast/support/error.hpp"
#include "tests/mutation/mutation.hpp"

namespace flopcast::testing {

/// Reads mutations of a document; each may only succeed or end with a bad_input that contains `name`.
inline void expect_errors_of_mutations(const std::string& document, const std::string& name,
                                       const std::function<void(const std::string&)>& read) {
  constexpr std::uint64_t count = 1000;
  ASSERT_NO_THROW(read(document));
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Random random(seed);
    try {
      read(mutate_document(document, random));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << "seed " << seed << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << "seed " << seed << ": " << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
  }
  EXPECT_GT(refused, count / 2) << "too few mutations were noticed";
}

}  // namespace flopcast::testing
