#include "flopcast/kernel/call_list.hpp"

#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::kernel {
namespace {

using Arguments = std::map<std::string, std::string>;

constexpr std::size_t max_calls = 1'000'000;

bool may_be_range(Kind kind) { return kind == Kind::size || kind == Kind::leading_dimension || kind == Kind::increment; }

bool is_list(const std::string& value) { return value.find_first_of(":,") != std::string::npos; }

Arguments split(const std::vector<std::string>& words) {
  Arguments arguments;
  for (const std::string& word : words) {
    if (const auto [at, is_new] = arguments.insert(split_argument(word)); !is_new) {
      throw bad_input("argument '{}' is given twice", at->first);
    }
  }
  return arguments;
}

}  // namespace

std::vector<Call> expand_calls(const std::string& routine_name, const std::vector<std::string>& words) {
  const Routine& routine = require(routine_name);
  Arguments arguments = split(words);
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> lists;
  for (const Argument& argument : routine.arguments) {
    const auto given = arguments.find(argument.name);
    if (given == arguments.end() || !may_be_range(argument.kind) || !is_list(given->second)) {
      continue;
    }
    const std::int64_t least = argument.kind == Kind::increment ? -1'000'000 : 0;
    names.push_back(argument.name);
    lists.push_back(parse_sizes(given->second, argument.name, least, 2'000'000));
  }
  if (combination_count(lists, max_calls + 1) > max_calls) {
    throw bad_input("the ranges given for {} are more than {} calls; give larger steps", routine.name, max_calls);
  }
  std::vector<Call> calls;
  for_each_combination(lists, [&](const std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      arguments[names[i]] = std::to_string(values[i]);
    }
    calls.push_back(parse_call(routine, arguments));
  });
  return calls;
}

std::vector<Call> expand_calls(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
  if (words.empty()) {
    throw bad_input("'{}' is no call such as 'dgemm m=100 n=100 k=64'", text);
  }
  const std::string routine = words.front();
  words.erase(words.begin());
  return expand_calls(routine, words);
}

std::vector<Call> read_calls(const std::string& path) {
  const nlohmann::json list = read_json(path);
  if (!list.is_array()) {
    throw bad_input("{}: expected a JSON array of calls such as [\"dgemm m=100 n=100 k=64\"]", path);
  }
  std::vector<Call> calls;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) {
      throw bad_input("{}: item {} is {}, expected a call such as \"dgemm m=100 n=100 k=64\"", path, i, shown(list[i]));
    }
    try {
      const std::vector<Call> some = expand_calls(list[i].get<std::string>());
      calls.insert(calls.end(), some.begin(), some.end());
    } catch (const Error& error) {
      throw bad_input("{}: item {}: {}", path, i, error.what());
    }
  }
  return calls;
}

}  // namespace flopcast::kernel
