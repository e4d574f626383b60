#include "flopcast/tasks/mpi/space.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "flopcast/program/launch.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using program::find_program;

constexpr const char* space_schema = "flopcast-mpi-space-1";

constexpr std::array<const char*, 5> members = {"schema", "name", "launcher", "command", "parameters"};

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

void require_in_command(const MpiSpace& space, const std::string& name, const std::string& file) {
  const std::string place = place_of(name);
  const auto mentions = [&](const std::string& word) { return word.find(place) != std::string::npos; };
  if (name.empty() || name.find_first_of("{}") != std::string::npos) {
    throw bad_input("{}: a parameter is called '{}'; expected a name without braces", file, name);
  }
  if (std::none_of(space.command.begin(), space.command.end(), mentions)) {
    throw bad_input("{}: parameter '{}' occurs nowhere in the command; expected {} in one of its words", file, name, place);
  }
}

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

void require_known_places(const MpiSpace& space, const std::string& file) {
  std::vector<std::string> known;
  for (const auto& [name, values] : space.parameters) {
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

/// Returns whether programs start in another folder than the launcher.
bool changes_folder(const std::vector<std::string>& launcher) {
  constexpr std::array<std::string_view, 8> options = {"-wdir", "--wdir", "-wd", "-D", "--chdir", "-C", "ssh", "cd"};
  return std::any_of(launcher.begin(), launcher.end(), [&](const std::string& word) {
    const std::string_view option = std::string_view(word).substr(0, word.find('='));
    return std::find(options.begin(), options.end(), option) != options.end();
  });
}

void require_program(const std::string& program, const std::string& file) {
  try {
    static_cast<void>(find_program(program));
  } catch (const Error& missing) {
    const fs::path beside = (fs::path(file).parent_path() / program).lexically_normal();
    std::error_code none;
    const bool lies_beside = program.find('/') != std::string::npos && fs::path(program).is_relative() && fs::is_regular_file(beside, none);
    throw environment_error("{}: {} (looked for from the current folder, {}, where programs are started). {}", file, missing.what(),
                            fs::current_path(none).string(),
                            lies_beside ? fmt::format("There is {}: start flopcast in {}, or write the whole path", beside.string(),
                                                      fs::absolute(fs::path(file), none).parent_path().lexically_normal().string())
                                        : std::string("Build it first, or correct \"command\""));
  }
}

}  // namespace

MpiSpace read_mpi_space(const std::string& file) {
  const json document = read_document(file, space_schema, WrittenBy::hand);
  for (const auto& [name, value] : document.items()) {
    if (std::find(members.begin(), members.end(), name) == members.end()) {
      throw bad_input("{}: there is no member '{}'; there are {}", file, name, fmt::join(members, ", "));
    }
  }
  MpiSpace space{name_of(document, file), words_of(document, "launcher", file), words_of(document, "command", file), {}, file};
  constexpr const char* expected = "the values of each, as in \"parameters\": {\"nb\": [64, 96, 128]}";
  const json& parameters = member(document, "parameters", file, expected);
  if (!parameters.is_object()) {
    throw bad_input("{}: 'parameters' is {}; expected {}", file, parameters.dump(), expected);
  }
  for (const auto& [name, values] : parameters.items()) {
    space.parameters.emplace_back(name, values_of(name, values, file));
    require_in_command(space, name, file);
  }
  require_known_places(space, file);
  return space;
}

std::vector<MpiSetting> settings_of(const MpiSpace& space) {
  constexpr double max_configurations = 100'000;
  double count = 1;
  for (const auto& [name, values] : space.parameters) {
    count *= static_cast<double>(values.size());
  }
  if (count > max_configurations) {
    throw bad_input("space '{}' has {:.0f} configurations. At most {:.0f} can be tuned", space.name, count, max_configurations);
  }
  std::vector<std::vector<std::string>> lists;
  for (const auto& [name, values] : space.parameters) {
    lists.push_back(values);
  }
  std::vector<MpiSetting> all;
  for_each_combination(lists, [&](const std::vector<std::string>& values) {
    MpiSetting& setting = all.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      setting[space.parameters[i].first] = values[i];
    }
  });
  return all;
}

std::vector<std::size_t> extremes_first(const MpiSpace& space) {
  std::vector<double> distances = {0};
  for (const auto& [name, values] : space.parameters) {
    const std::vector<double> of_values = distances_from_middle(values);
    std::vector<double> sums;
    for (const double distance : distances) {
      for (const double more : of_values) {
        sums.push_back(distance + more);
      }
    }
    distances = std::move(sums);
  }
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return distances[a] > distances[b]; });
  return order;
}

/// Values in the middle tell most: extreme configurations are often the slowest, and knowledge of sizes in the middle reaches farthest.
std::size_t middle_of(const MpiSpace& space) {
  std::size_t number = 0;
  for (const auto& [name, values] : space.parameters) {
    number = number * values.size() + values.size() / 2;
  }
  return number;
}

void require_programs(const MpiSpace& space) {
  const std::string& file = space.file.empty() ? space.name : space.file;
  if (changes_folder(space.launcher)) {
    return;
  }
  std::set<std::string> found;
  for (const MpiSetting& setting : settings_of(space)) {
    const std::string program = command_of(space, setting).front();
    if (found.insert(program).second) {
      require_program(program, file);
    }
  }
}

std::vector<std::string> command_of(const MpiSpace& space, const MpiSetting& setting) {
  std::vector<std::string> words = space.command;
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

std::string to_string(const MpiSetting& setting) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : setting) {
    parts.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace flopcast
