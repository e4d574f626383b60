#include "flopcast/search/space.hpp"

#include <set>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::search {
namespace {

void check(const std::string& algorithm, std::span<const Parameter> parameters) {
  std::set<std::string> names;
  std::size_t combinations = 1;
  for (const Parameter& parameter : parameters) {
    if (parameter.name.empty() || !names.insert(parameter.name).second) {
      throw bad_input("space of {}: parameter name '{}' given, expected a name that no other parameter has", algorithm, parameter.name);
    }
    const std::set<std::int64_t> distinct(parameter.values.begin(), parameter.values.end());
    if (parameter.values.empty() || distinct.size() < parameter.values.size()) {
      throw bad_input("space of {}: parameter {} has the values [{}], expected at least one and none twice", algorithm, parameter.name,
                      fmt::join(parameter.values, ", "));
    }
    if (parameter.values.size() > Space::max_combinations / combinations) {
      throw bad_input("space of {}: more than {} combinations at parameter {}", algorithm, Space::max_combinations, parameter.name);
    }
    combinations *= parameter.values.size();
  }
}

/// Moves `digits` on to the next combination, like an odometer; false after the last.
bool advance(std::vector<std::size_t>& digits, std::span<const Parameter> parameters) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < parameters[i].values.size()) {
      return true;
    }
    digits[i] = 0;
  }
  return false;
}

}  // namespace

Space::Space(std::string algorithm, std::span<const Parameter> parameters, const Constraint& admits) {
  check(algorithm, parameters);
  std::vector<std::size_t> digits(parameters.size(), 0);
  Configuration configuration{std::move(algorithm), {}};
  do {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      configuration.parameters[parameters[i].name] = parameters[i].values[digits[i]];
    }
    if (!admits || admits(configuration)) {
      configurations_.push_back(configuration);
    }
  } while (advance(digits, parameters));
  if (configurations_.empty()) {
    throw bad_input("space of {}: its constraint admits no combination of its parameters' values", configuration.algorithm);
  }
}

}  // namespace flopcast::search
