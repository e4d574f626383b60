#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::tests {

/// Runs contractions on a machine without a BLAS, by a clock that advances by `tick_` whenever somebody looks.
class PlanningFixture : public ::testing::Test {
 protected:
  PlanningFixture() {
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    services_.machine = [this] {
      ++machines_;
      return contract::Machine{[](std::string_view) { return kernel::Function(nullptr); }, {}};
    };
    services_.store = [] { return nullptr; };
    services_.now = [this] { return now_ += tick_; };
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string save(const std::string& name, std::vector<std::int64_t> shape, const std::vector<double>& values,
                   contract::Order order = contract::Order::row_major) {
    contract::Array array{Precision::d, order, std::move(shape), {}};
    array.elements.resize(values.size() * sizeof(double));
    std::memcpy(array.elements.data(), values.data(), array.elements.size());
    write_file(path(name), contract::format_npy(array));
    return path(name);
  }
  /// Returns the elements of a file, whose shape `shape_` becomes.
  std::vector<double> load(const std::string& name) {
    const contract::Array array = contract::parse_npy(read_file(path(name)), name);
    shape_ = array.shape;
    std::vector<double> values(array.elements.size() / sizeof(double));
    std::memcpy(values.data(), array.elements.data(), array.elements.size());
    return values;
  }

  OwnFolder folder_;
  PlanningServices services_;
  PlanRequest request_;
  RunContext context_;
  std::vector<std::int64_t> shape_;
  std::vector<std::string> notes_;
  int machines_ = 0;
  Seconds now_ = 0, tick_ = 0.1;
};

}  // namespace flopcast::tests
