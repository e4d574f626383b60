#include "command_line.hpp"

#include <algorithm>
#include <charconv>

#include "flopcast/regions.h"

namespace subject {
namespace {

int parse(std::string_view text, std::string_view option, std::string_view whole, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    throw UsageError(std::string(option) + " needs " + (text == whole ? "an integer" : "integers joined by x, each") + " of at least " +
                     std::to_string(least) + ", not '" + std::string(whole) + "'");
  }
  return value;
}

/// Returns the parameter's name of an option: `base_case` for --base-case.
std::string parameter_of(std::string_view option) {
  std::string name(option.substr(option.find_first_not_of('-')));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

bool CommandLine::flag(std::string_view option) {
  known_.emplace_back(option);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == option && !taken_[i]) {
      taken_[i] = true;
      return true;
    }
  }
  return false;
}

std::optional<std::string> CommandLine::value(std::string_view option) {
  known_.emplace_back(option);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == option && !taken_[i]) {
      if (i + 1 == words_.size() || words_[i + 1].rfind("--", 0) == 0) {
        throw UsageError(std::string(option) + " lacks its value");
      }
      taken_[i] = taken_[i + 1] = true;
      return flopcast_parameter(parameter_of(option).c_str(), words_[i + 1].c_str());
    }
  }
  return std::nullopt;
}

int CommandLine::integer(std::string_view option, int otherwise, int least) {
  const std::optional<std::string> text = value(option);
  return text ? parse(*text, option, *text, least) : otherwise;
}

std::string CommandLine::choice(std::string_view option, const std::vector<std::string>& choices) {
  const std::optional<std::string> text = value(option);
  if (!text) {
    return choices.front();
  }
  if (std::find(choices.begin(), choices.end(), *text) == choices.end()) {
    std::string all;
    for (const std::string& each : choices) {
      all += (all.empty() ? "" : ", ") + each;
    }
    throw UsageError(std::string(option) + " is one of " + all + ", not '" + *text + "'");
  }
  return *text;
}

std::optional<std::vector<int>> CommandLine::extents(std::string_view option, std::size_t dimensions) {
  const std::optional<std::string> text = value(option);
  if (!text) {
    return std::nullopt;
  }
  std::vector<int> all;
  std::string_view rest = *text;
  for (std::size_t end = 0; end != std::string_view::npos; rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1)) {
    end = rest.find('x');
    all.push_back(parse(rest.substr(0, end), option, *text, 1));
  }
  if (all.size() != dimensions) {
    throw UsageError(std::string(option) + " needs " + std::to_string(dimensions) + " integers joined by x, not '" + *text + "'");
  }
  return all;
}

void CommandLine::finish() const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!taken_[i]) {
      const bool known = std::find(known_.begin(), known_.end(), words_[i]) != known_.end();
      throw UsageError(known ? words_[i] + " is given twice" : "'" + words_[i] + "' is no option");
    }
  }
}

}  // namespace subject
