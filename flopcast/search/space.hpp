#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"

namespace flopcast::search {

/// A tunable parameter and its possible values, in the order in which they are tried.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> values;
};

/// Predicate that returns whether a combination of values belongs to the space.
using Constraint = std::function<bool(const Configuration&)>;

/// All combinations of parameter values that a constraint admits, numbered. A search knows the numbers only.
class Space {
 public:
  /// Enumerates the combinations; the last parameter changes fastest. Throws bad_input for a parameter without name or values, for a name
  /// or value given twice, for more than `max_combinations` combinations, and if the constraint admits none.
  Space(std::string algorithm, std::span<const Parameter> parameters, const Constraint& admits = {});

  static constexpr std::size_t max_combinations = 10'000'000;

  [[nodiscard]] std::size_t size() const noexcept { return configurations_.size(); }
  [[nodiscard]] const Configuration& operator[](std::size_t i) const noexcept { return configurations_[i]; }
  [[nodiscard]] const std::vector<Configuration>& configurations() const noexcept { return configurations_; }

 private:
  std::vector<Configuration> configurations_;
};

}  // namespace flopcast::search
