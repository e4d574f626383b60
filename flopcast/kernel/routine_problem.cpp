#include "flopcast/kernel/routine_problem.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::kernel {
namespace {

constexpr std::int64_t largest_extent = 100000;
constexpr std::size_t max_problems = 10'000;

/// Leading dimensions as a program that allocates exactly what it needs has them, and work sizes to be asked for; but not those that are
/// `given`.
void complete_call(Call& call, const std::map<std::string, std::string>& given) {
  const std::vector<Argument>& arguments = call.routine->arguments;
  const auto is_free = [&](std::size_t i, Kind kind) { return arguments[i].kind == kind && given.count(arguments[i].name) == 0; };
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (is_free(i, Kind::leading_dimension)) {
      call.arguments[i] = min_leading_dimension(call, i - 1);
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_free(i, Kind::work_size)) {
      call.arguments[i] = 0;
    }
  }
}

}  // namespace

std::vector<Call> routine_calls(const Routine& routine, const NamedSizes& sizes, const std::map<std::string, std::string>& fixed) {
  std::vector<std::string> names;
  for (const Argument& argument : routine.arguments) {
    if (argument.kind == Kind::size && argument.rows.empty()) {
      names.push_back(argument.name);
    }
  }
  const auto n = sizes.find("n");
  const bool square = sizes.size() == 1 && n != sizes.end();
  std::vector<std::vector<std::int64_t>> lists;
  lists.reserve(sizes.size());
  for (const auto& [name, values] : sizes) {
    if (values.empty()) {
      throw bad_input("no sizes are given for {} of {}, expected at least one", name, routine.name);
    }
    lists.push_back(values);
  }
  if (combination_count(lists, max_problems + 1) > max_problems) {
    throw bad_input("the sizes given for {} make more than {} problems; give fewer sizes, or larger steps", routine.name, max_problems);
  }
  std::vector<Call> calls;
  for_each_combination(lists, [&](const std::vector<std::int64_t>& values) {
    std::map<std::string, std::string> arguments = fixed;
    if (square) {
      for (const std::string& name : names) {
        arguments[name] = std::to_string(values.front());
      }
    } else {
      for (auto [size, value] = std::pair(sizes.begin(), values.begin()); size != sizes.end(); ++size, ++value) {
        arguments[size->first] = std::to_string(*value);
      }
    }
    calls.push_back(parse_call(routine, arguments));
    complete_call(calls.back(), arguments);
  });
  return calls;
}

std::string size_text(const std::vector<std::int64_t>& sizes) {
  const bool square = std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == sizes.front(); });
  return sizes.empty() ? "-" : square ? fmt::format("{}", sizes.front()) : fmt::format("{}", fmt::join(sizes, "x"));
}

RoutineArguments parse_routine_arguments(const Routine& routine, const std::vector<std::string>& words) {
  RoutineArguments arguments;
  for (const std::string& word : words) {
    const auto [name, value] = split_argument(word);
    refuse_unknown_names(routine, {{name, value}});
    if (arguments.sizes.count(name) + arguments.fixed.count(name) > 0) {
      throw bad_input("argument '{}' is given twice", name);
    }
    const int index = routine.index(name);
    if (index >= 0 && routine.arguments[static_cast<std::size_t>(index)].kind == Kind::size) {
      arguments.sizes[name] = parse_sizes(value, name, 1, largest_extent);
    } else {
      arguments.fixed[name] = value;
    }
  }
  return arguments;
}

}  // namespace flopcast::kernel
