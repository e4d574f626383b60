#include "flopcast/kernel/parse_call.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::kernel {
namespace {

constexpr std::int64_t largest_size = 1'000'000;

/// Returns whether a user sets arguments of this kind; addresses and the return code belong to the program.
bool is_named(Kind kind) { return kind != Kind::data && kind != Kind::work && kind != Kind::pivots && kind != Kind::info; }

std::string label(const Routine& routine, const Argument& argument) { return fmt::format("{} of {}", argument.name, routine.name); }

std::int64_t parse_flag(const Routine& routine, const Argument& argument, const std::string& text) {
  const char letter = text.empty() ? '\0' : static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (text.size() != 1 || argument.values.find(letter) == std::string::npos) {
    throw bad_input("{}: '{}' is not a legal flag; expected one of {}", label(routine, argument), text, fmt::join(argument.values, ", "));
  }
  return letter;
}

std::int64_t parse_sign(const Routine& routine, const Argument& argument, const std::string& text) {
  if (argument.values == "+-") {
    if (text == "+" || text == "1" || text == "+1") {
      return 1;
    }
    if (text == "-" || text == "-1") {
      return -1;
    }
    throw bad_input("{}: '{}' is not a sign; expected 1 or -1", label(routine, argument), text);
  }
  if (text.size() != 1 || argument.values.find(text[0]) == std::string::npos) {
    throw bad_input("{}: '{}' is not a legal value; expected one of {}", label(routine, argument), text, fmt::join(argument.values, ", "));
  }
  return text[0] - '0';
}

std::complex<double> parse_scalar(const Routine& routine, const Argument& argument, const std::string& text) {
  const auto number = [&](std::string_view part) {
    double value = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || rest != part.data() + part.size() || !std::isfinite(value)) {
      throw bad_input("{}: '{}' is not a finite number{}", label(routine, argument), text,
                      is_complex(routine.precision) ? " or pair (re,im)" : "");
    }
    return value;
  };
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || text.size() < 5 || text.front() != '(' || text.back() != ')') {
    return number(text);
  }
  const std::complex<double> value = {number(std::string_view(text).substr(1, comma - 1)),
                                      number(std::string_view(text).substr(comma + 1, text.size() - comma - 2))};
  if (value.imag() != 0 && (argument.kind == Kind::real_scalar || !is_complex(routine.precision))) {
    throw bad_input("{} is real; it can't be {}", label(routine, argument), text);
  }
  return value;
}

std::int64_t usual_leading_dimension(std::int64_t rows) {
  const std::int64_t rounded = std::max<std::int64_t>(8, (rows + 7) / 8 * 8);
  return rounded % 256 == 0 ? rounded + 8 : rounded;
}

/// Sets argument i if its value doesn't depend on other arguments.
void set_independent(Call& call, std::size_t i, const std::string* text) {
  const Routine& routine = *call.routine;
  const Argument& argument = routine.arguments[i];
  switch (argument.kind) {
    case Kind::flag: call.arguments[i] = text != nullptr ? parse_flag(routine, argument, *text) : argument.values[0]; break;
    case Kind::sign: call.arguments[i] = parse_sign(routine, argument, text != nullptr ? *text : argument.values.substr(0, 1)); break;
    case Kind::size:
      if (text == nullptr && !argument.rows.empty()) {
        break;  // the usual value depends on other sizes
      }
      if (text == nullptr) {
        throw bad_input("{} needs a value of '{}'", routine.name, argument.name);
      }
      call.arguments[i] = parse_integer(*text, label(routine, argument), 0, largest_size);
      break;
    case Kind::increment:
      call.arguments[i] = text != nullptr ? parse_integer(*text, label(routine, argument), -largest_size, largest_size) : 1;
      if (call.arguments[i] == 0) {
        throw bad_input("{}: an increment can't be 0", label(routine, argument));
      }
      break;
    default: break;
  }
}

/// Sets argument i, a size, to its usual value if there is one.
void set_usual(Call& call, std::size_t i, const std::string* text) {
  const Argument& argument = call.routine->arguments[i];
  if (argument.kind == Kind::size && text == nullptr && !argument.rows.empty()) {
    call.arguments[i] = argument.rows.integer(call.values());
  }
}

/// Sets argument i if its value depends on sizes and flags, which are already set.
void set_dependent(Call& call, std::size_t i, const std::string* text) {
  const Argument& argument = call.routine->arguments[i];
  if (argument.kind == Kind::leading_dimension) {
    const std::int64_t least = min_leading_dimension(call, i - 1);
    call.arguments[i] =
        text != nullptr ? parse_integer(*text, label(*call.routine, argument), least, 2 * largest_size) : usual_leading_dimension(least);
  } else if (argument.kind == Kind::work_size) {
    call.arguments[i] = text != nullptr ? parse_integer(*text, label(*call.routine, argument), 1, std::int64_t{1} << 30)
                                        : argument.rows.integer(call.values());
  }
}

void check_constraints(const Call& call) {
  for (const Constraint& constraint : call.routine->constraints) {
    if (constraint.slack.value(call.values()) < 0) {
      throw bad_input("{} needs {}, which {} doesn't meet", call.routine->name, constraint.text, format_call(call));
    }
  }
}

std::string format_scalar(std::complex<double> value) {
  return value.imag() == 0 ? fmt::format("{}", value.real()) : fmt::format("({},{})", value.real(), value.imag());
}

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

void refuse_unknown_names(const Routine& routine, const std::map<std::string, std::string>& arguments) {
  std::vector<std::string> known;
  for (const Argument& argument : routine.arguments) {
    if (is_named(argument.kind)) {
      known.push_back(argument.name);
    }
  }
  for (const auto& [name, value] : arguments) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string> nearest = nearest_names(name, known);
      throw bad_input(
          "{} has no argument '{}' to set; {}", routine.name, name,
          nearest.empty() ? fmt::format("it takes {}", fmt::join(known, ", ")) : fmt::format("did you mean {}?", fmt::join(nearest, ", ")));
    }
  }
}

std::pair<std::string, std::string> split_argument(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw bad_input("'{}' is not of the form name=value, such as n=1000", word);
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::int64_t min_leading_dimension(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  const auto extent = [&](const ArgumentFormula& expression) { return expression.empty() ? 0 : expression.integer(call.values()); };
  std::int64_t rows = extent(argument.offset) + extent(argument.rows);
  if (const Argument& stride = call.routine->arguments[i + 1]; !stride.rows.empty()) {
    rows = extent(stride.rows);
  } else if (argument.form == Form::band || argument.form == Form::band_triangle) {
    rows = extent(argument.lower) + extent(argument.upper) + 1;
  } else if (argument.form == Form::reflectors && argument.storev >= 0 && call.flag(static_cast<std::size_t>(argument.storev)) == 'R') {
    rows = extent(argument.columns);
  }
  return std::max<std::int64_t>(1, rows);
}

Call parse_call(const Routine& routine, const std::map<std::string, std::string>& arguments) {
  refuse_unknown_names(routine, arguments);
  Call call;
  call.routine = &routine;
  std::int64_t scalars = 0;
  const auto given = [&](std::size_t i) {
    const auto found = arguments.find(routine.arguments[i].name);
    return found == arguments.end() ? nullptr : &found->second;
  };
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    if (argument.kind == Kind::scalar || argument.kind == Kind::real_scalar) {
      call.arguments[i] = scalars;
      const double usual = argument.rows.empty() ? 1 : static_cast<double>(argument.rows.integer(call.values()));
      call.scalars.at(static_cast<std::size_t>(scalars++)) = given(i) != nullptr ? parse_scalar(routine, argument, *given(i)) : usual;
    } else {
      set_independent(call, i, given(i));
    }
  }
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    set_usual(call, i, given(i));
  }
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    set_dependent(call, i, given(i));
  }
  check_constraints(call);
  return call;
}

std::vector<std::int64_t> distinguishing_sizes(const Call& call) {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> without_usual;
  bool usual = true;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind != Kind::size) {
      continue;
    }
    all.push_back(call.arguments[i]);
    if (argument.rows.empty()) {
      without_usual.push_back(call.arguments[i]);
    } else {
      usual = usual && call.arguments[i] == argument.rows.integer(call.values());
    }
  }
  return usual ? without_usual : all;
}

std::string format_call(const Call& call) {
  std::string text = call.routine->name;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (!is_named(argument.kind)) {
      continue;
    }
    text += fmt::format(" {}=", argument.name);
    if (argument.kind == Kind::flag) {
      text += call.flag(i);
    } else if (argument.kind == Kind::scalar || argument.kind == Kind::real_scalar) {
      text += format_scalar(call.scalars[static_cast<std::size_t>(call.arguments[i])]);
    } else {
      text += fmt::format("{}", call.arguments[i]);
    }
  }
  return text;
}

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
