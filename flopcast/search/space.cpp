#include "flopcast/search/space.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

#include <nlohmann/json.hpp>

#include "flopcast/core/routine.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::search {
namespace {

using nlohmann::json;

const json& member(const json& document, const char* name, const std::string& file, const char* expected) {
  const auto found = document.find(name);
  if (found == document.end()) {
    throw bad_input("{}: there is no '{}'; expected {}", file, name, expected);
  }
  return *found;
}

std::string name_of(const json& document, const std::string& file) {
  constexpr const char* expected = "a name for the space, as in \"name\": \"tile-cholesky-4\"";
  const json& name = member(document, "name", file, expected);
  if (!name.is_string() || name.get<std::string>().empty()) {
    throw bad_input("{}: 'name' is {}; expected {}", file, shown(name), expected);
  }
  return name.get<std::string>();
}

std::vector<std::string> words_of(const json& document, const char* name, const std::string& file) {
  const std::string expected =
      fmt::format("a list of words, as in \"{}\": {}", name,
                  std::string_view(name) == "launcher" ? R"(["mpirun", "-n", "4"])" : R"(["./app", "--nb", "{nb}"])");
  const json& words = member(document, name, file, expected.c_str());
  const auto is_word = [](const json& word) { return word.is_string(); };
  if (!words.is_array() || words.empty() || !std::all_of(words.begin(), words.end(), is_word)) {
    throw bad_input("{}: '{}' is {}; expected {}", file, name, shown(words), expected);
  }
  return words.get<std::vector<std::string>>();
}

/// Returns a parameter's values as texts. Throws bad_input if one occurs twice.
std::vector<std::string> values_of(const std::string& name, const json& values, const std::string& file) {
  if (!values.is_array() || values.empty()) {
    throw bad_input("{}: parameter '{}' is {}; expected a list of its values, such as [64, 96, 128]", file, name, shown(values));
  }
  std::vector<std::string> texts;
  for (const json& value : values) {
    if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
      throw bad_input("{}: parameter '{}' has the value {}; expected texts, numbers, true or false", file, name, value.dump());
    }
    texts.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    if (std::count(texts.begin(), texts.end(), texts.back()) > 1) {
      throw bad_input("{}: parameter '{}' has the value {} twice", file, name, texts.back());
    }
  }
  return texts;
}

std::string place_of(const std::string& name) { return '{' + name + '}'; }

/// Returns the names of the parameters in `word`, such as nb for `{nb}`. Braces that shells and programs use otherwise don't count.
std::vector<std::string> places_in(const std::string& word) {
  const auto begins_name = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; };
  std::vector<std::string> names;
  for (std::size_t open = word.find('{'); open != std::string::npos; open = word.find('{', open + 1)) {
    const std::size_t close = word.find('}', open);
    const std::string name = close == std::string::npos ? "" : word.substr(open + 1, close - open - 1);
    const bool bound_by_shell = open > 0 && word[open - 1] == '$';
    if (!name.empty() && begins_name(name.front()) && !bound_by_shell && std::all_of(name.begin(), name.end(), is_of_name)) {
      names.push_back(name);
    }
  }
  return names;
}

/// Returns the distance of each value from the middle of the sorted values, from 0 to 1; 0 for all if they aren't numbers.
std::vector<double> distances_from_middle(const std::vector<std::string>& values) {
  std::vector<double> numbers;
  for (const std::string& text : values) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (values.size() < 2 || error != std::errc() || end != text.data() + text.size()) {
      return std::vector<double>(values.size(), 0);
    }
    numbers.push_back(number);
  }
  const double last = static_cast<double>(values.size() - 1);
  std::vector<double> distances;
  for (const double number : numbers) {
    const auto before = std::count_if(numbers.begin(), numbers.end(), [&](double other) { return other < number; });
    distances.push_back(std::abs(2 * static_cast<double>(before) - last) / last);
  }
  return distances;
}

std::size_t index_of(const std::vector<std::string>& values, const std::string& value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

std::optional<std::int64_t> integer_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// A relation of two formulae over the parameters that are whole numbers, or of a parameter and a text.
class SettingCondition {
 public:
  explicit SettingCondition(const std::string& text) : text_(text) {
    for (const char* relation : {"<=", ">=", "!=", "<", ">", "="}) {
      if (const std::size_t at = text.find(relation); at != std::string::npos) {
        relation_ = relation;
        left_ = trimmed(text.substr(0, at));
        right_ = trimmed(text.substr(at + relation_.size() + (text.compare(at, 2, "==") == 0 ? 1 : 0)));
        break;
      }
    }
    if (left_.empty() || right_.empty()) {
      throw bad_input("condition '{}' is no relation; expected two sides with <=, <, >=, >, = or != between them, as in 'ib <= nb'", text);
    }
  }

  [[nodiscard]] bool holds(const Setting& setting) const {
    const auto named = setting.find(left_);
    if (named != setting.end() && !integer_of(named->second) && (relation_ == "=" || relation_ == "!=")) {
      return (named->second == right_) == (relation_ == "=");
    }
    const double difference = value(left_, setting) - value(right_, setting);
    return relation_ == "<="   ? difference <= 0
           : relation_ == ">=" ? difference >= 0
           : relation_ == "<"  ? difference < 0
           : relation_ == ">"  ? difference > 0
                               : (difference == 0) == (relation_ == "=");
  }

 private:
  static std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  }

  [[nodiscard]] double value(const std::string& side, const Setting& setting) const {
    if (side.find_first_of("<>=!") != std::string::npos) {
      throw bad_input("condition '{}' has more than one relation. Write two conditions, as in '8 <= nb' and 'nb <= 64'", text_);
    }
    std::vector<std::string_view> names;
    std::vector<std::int64_t> numbers;
    for (const auto& [name, text] : setting) {
      if (const std::optional<std::int64_t> number = integer_of(text)) {
        names.emplace_back(name);
        numbers.push_back(*number);
      }
    }
    try {
      return ArgumentFormula(side, names).value(numbers);
    } catch (const Error& error) {
      throw bad_input(
          "condition '{}': {}. A side consists of whole numbers, + - * / % ( ), min(a, b), max(a, b) and parameters "
          "with whole numbers as values: {}",
          text_, error.what(), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    }
  }

  std::string text_, relation_, left_, right_;
};

}  // namespace

std::vector<std::string> parse_values(const std::string& text, const std::string& what) {
  std::vector<std::string> values;
  if (text.find(':') != std::string::npos && text.find_first_not_of("0123456789:,") == std::string::npos) {
    constexpr std::int64_t max_value = 1'000'000'000;
    for (const std::int64_t value : parse_sizes(text, what, 0, max_value)) {
      values.push_back(std::to_string(value));
    }
    return values;
  }
  for (const std::string_view value : split(text, ',')) {
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      throw bad_input("{}: the value '{}' is given twice", what, value);
    }
    values.emplace_back(value);
  }
  return values;
}

ParameterSpace read_space(const std::string& file, const char* schema, bool has_launcher) {
  const json document = read_document(file, schema, WrittenBy::hand);
  std::vector<const char*> members = {"schema", "name", "command", "parameters", "conditions"};
  if (has_launcher) {
    members.insert(members.begin() + 2, "launcher");
  }
  for (const auto& [name, value] : document.items()) {
    if (std::find(members.begin(), members.end(), name) == members.end()) {
      throw bad_input("{}: there is no member '{}'; there are {}", file, name, fmt::join(members, ", "));
    }
  }
  ParameterSpace space;
  space.name = name_of(document, file);
  space.launcher = has_launcher ? words_of(document, "launcher", file) : std::vector<std::string>();
  space.command = words_of(document, "command", file);
  space.file = file;
  if (document.contains("conditions")) {
    space.conditions = words_of(document, "conditions", file);
  }
  constexpr const char* expected = "the values of each, as in \"parameters\": {\"nb\": [64, 96, 128]}";
  const json& parameters = member(document, "parameters", file, expected);
  if (!parameters.is_object()) {
    throw bad_input("{}: 'parameters' is {}; expected {}", file, parameters.dump(), expected);
  }
  for (const auto& [name, values] : parameters.items()) {
    space.parameters.emplace_back(name, values_of(name, values, file));
  }
  require_named_places(space);
  for (const auto& [name, values] : space.parameters) {
    if (has_launcher && !is_in_command(space, name)) {
      throw bad_input("{}: parameter '{}' occurs nowhere in the command; expected {} in one of its words", file, name, place_of(name));
    }
  }
  return space;
}

bool is_in_command(const ParameterSpace& space, const std::string& parameter) {
  return std::any_of(space.command.begin(), space.command.end(),
                     [place = place_of(parameter)](const std::string& word) { return word.find(place) != std::string::npos; });
}

void require_named_places(const ParameterSpace& space) {
  const std::string& file = space.file.empty() ? space.name : space.file;
  std::vector<std::string> known;
  for (const auto& [name, values] : space.parameters) {
    if (name.empty() || name.find_first_of("{}") != std::string::npos) {
      throw bad_input("{}: a parameter is called '{}'; expected a name without braces", file, name);
    }
    known.push_back(name);
  }
  for (const std::string& word : space.command) {
    for (const std::string& name : places_in(word)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw bad_input("{}: the command's word '{}' has {}, but there is no parameter '{}'; there {}", file, word, place_of(name), name,
                        known.empty() ? "is none" : fmt::format("{} {}", known.size() == 1 ? "is" : "are", fmt::join(known, ", ")));
      }
    }
  }
  for (const std::string& word : space.launcher) {
    for (const std::string& name : places_in(word)) {
      throw bad_input("{}: the launcher's word '{}' has {}; parameters stand in the command only", file, word, place_of(name));
    }
  }
}

std::vector<Setting> settings_of(const ParameterSpace& space) {
  constexpr double max_configurations = 100'000;
  double count = 1;
  std::vector<std::vector<std::string>> lists;
  for (const auto& [name, values] : space.parameters) {
    count *= static_cast<double>(values.size());
    lists.push_back(values);
  }
  if (count > max_configurations) {
    throw bad_input("space '{}' has {:.0f} configurations. At most {:.0f} can be tuned", space.name, count, max_configurations);
  }
  const std::vector<SettingCondition> conditions(space.conditions.begin(), space.conditions.end());
  std::vector<Setting> all;
  for_each_combination(lists, [&](const std::vector<std::string>& values) {
    Setting setting;
    for (std::size_t i = 0; i < values.size(); ++i) {
      setting[space.parameters[i].first] = values[i];
    }
    if (std::all_of(conditions.begin(), conditions.end(), [&](const SettingCondition& one) { return one.holds(setting); })) {
      all.push_back(std::move(setting));
    }
  });
  if (all.empty()) {
    throw bad_input("space '{}' has no configuration that meets {}. Correct a condition, or give more values", space.name,
                    counted(conditions.size(), "condition"));
  }
  return all;
}

std::vector<std::size_t> extremes_first(const ParameterSpace& space) {
  const std::vector<Setting> settings = settings_of(space);
  std::vector<double> distances(settings.size());
  for (const auto& [name, values] : space.parameters) {
    const std::vector<double> of_values = distances_from_middle(values);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      distances[i] += of_values[index_of(values, settings[i].at(name))];
    }
  }
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return distances[a] > distances[b]; });
  return order;
}

/// Values in the middle tell most: extreme configurations are often the slowest, and knowledge of sizes in the middle reaches farthest.
std::size_t middle_of(const ParameterSpace& space) {
  const std::vector<Setting> settings = settings_of(space);
  std::vector<double> distances(settings.size());
  for (const auto& [name, values] : space.parameters) {
    const auto middle = static_cast<double>(values.size() / 2);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      distances[i] += std::abs(static_cast<double>(index_of(values, settings[i].at(name))) - middle);
    }
  }
  return static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

std::vector<std::string> replace_places(std::vector<std::string> words, const Setting& setting) {
  for (std::string& word : words) {
    for (const auto& [name, value] : setting) {
      const std::string place = place_of(name);
      for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + value.size())) {
        word.replace(at, place.size(), value);
      }
    }
  }
  return words;
}

std::string to_string(const Setting& setting) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : setting) {
    parts.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace flopcast::search
