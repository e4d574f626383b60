#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"

namespace flopcast::search {

/// A tunable parameter and the values it may take, in the order in which they are tried.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> values;
};

/// Whether a combination of values belongs to the space.
using Constraint = std::function<bool(const Configuration&)>;

/// Every combination of parameter values that a constraint admits, numbered; a search knows the numbers only.
class Space {
 public:
  /// Enumerates with the last parameter changing fastest. Throws bad_input if a parameter has no name, no value or a name or value twice,
  /// if there are more than `most_combinations`, or if the constraint admits none.
  Space(std::string algorithm, std::span<const Parameter> parameters, const Constraint& admits = {});

  static constexpr std::size_t most_combinations = 10'000'000;

  [[nodiscard]] std::size_t size() const noexcept { return configurations_.size(); }
  [[nodiscard]] const Configuration& operator[](std::size_t i) const noexcept { return configurations_[i]; }
  [[nodiscard]] const std::vector<Configuration>& configurations() const noexcept { return configurations_; }

 private:
  std::vector<Configuration> configurations_;
};

}  // namespace flopcast::search
