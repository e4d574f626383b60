#include "flopcast/cli/shared/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/support/user_folders.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;

void for_each_option(const OptionSet& command, const std::function<void(Option&)>& use) {
  for (Option& option : command.options()) {
    use(option);
  }
  for (const OptionSet& below : command.commands()) {
    for_each_option(below, use);
  }
}

/// The keys of general settings, sorted, each with its variable or nothing.
using GeneralKeys = std::map<std::string, std::string>;

GeneralKeys general_keys(const OptionSet& top) {
  GeneralKeys keys;
  for_each_option(top, [&](const Option& option) {
    if (const OptionDescription text = option.description(); !text.setting.empty()) {
      keys.emplace(text.setting, variable_of(text));
    }
  });
  return keys;
}

/// Throws bad_input if a flag's value isn't true or false, or another option's is.
void preset(Option& option, const Preset& values, bool is_boolean) {
  const bool is_flag = option.description().placeholder.empty();
  if (is_flag != is_boolean) {
    throw bad_input("{} is {}, expected {}", values.origin, fmt::join(values.values, ","),
                    is_flag ? "true or false" : "a text or a number");
  }
  option.preset(values);
}

/// The sections of a file, matched with the commands.
class FileReader {
 public:
  FileReader(std::string file, const OptionSet& top, std::map<std::string, Preset>& general)
      : file_(std::move(file)), top_(top), general_(general) {}

  /// The general settings come first, since sections replace them.
  void use(const std::vector<SettingsEntry>& entries) {
    std::vector<std::string> known;
    for (const auto& [key, variable] : general_keys(top_)) {
      known.push_back(key);
    }
    for (const SettingsEntry& entry : entries) {
      if (!entry.is_section) {
        use_general(entry, known);
      }
    }
    use_sections(entries, top_, "");
  }

 private:
  [[nodiscard]] std::string place(const SettingsEntry& entry) const { return fmt::format("{}:{}", file_, entry.line); }
  [[nodiscard]] Preset preset_of(const SettingsEntry& entry) const {
    return {entry.values, fmt::format("{}: {}", place(entry), entry.key)};
  }

  /// Throws bad_input for a key that isn't among `known`.
  [[noreturn]] void refuse(const SettingsEntry& entry, const std::string& what, const std::vector<std::string>& known) const {
    const std::vector<std::string> nearest = nearest_names(entry.key, known);
    throw bad_input("{}: unknown {} '{}'{}; expected one of {}", place(entry), what, entry.key,
                    nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", fmt::join(nearest, "' or '")), fmt::join(known, ", "));
  }

  void use_general(const SettingsEntry& entry, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      refuse(entry, "key", known);
    }
    for_each_option(top_, [&](Option& option) {
      if (option.description().setting == entry.key) {
        preset(option, preset_of(entry), entry.is_boolean);
      }
    });
    general_[entry.key] = preset_of(entry);
  }

  void use_sections(const std::vector<SettingsEntry>& entries, const OptionSet& command, const std::string& prefix) {
    const std::vector<OptionSet> commands = command.commands();
    for (const SettingsEntry& entry : entries) {
      if (!entry.is_section) {
        continue;
      }
      const auto below = std::find_if(commands.begin(), commands.end(), [&](const OptionSet& one) { return one.name() == entry.key; });
      if (below == commands.end()) {
        std::vector<std::string> names;
        std::transform(commands.begin(), commands.end(), std::back_inserter(names), [](const OptionSet& one) { return one.name(); });
        refuse(entry, prefix.empty() ? "section" : "section below " + prefix, names);
      }
      const std::string name = prefix.empty() ? entry.key : prefix + '.' + entry.key;
      use_options(entry.members, *below, name);
      use_sections(entry.members, *below, name);
    }
  }

  void use_options(const std::vector<SettingsEntry>& entries, const OptionSet& command, const std::string& section) const {
    std::vector<Option> options;
    std::vector<std::string> names;
    for (const Option& option : command.options()) {
      if (const OptionDescription text = option.description(); text.is_setting) {
        options.push_back(option);
        names.push_back(text.name);
      }
    }
    for (const SettingsEntry& entry : entries) {
      if (entry.is_section) {
        continue;
      }
      const auto found = std::find(names.begin(), names.end(), entry.key);
      if (found == names.end()) {
        refuse(entry, "key in section [" + section + "]", names);
      }
      preset(options[static_cast<std::size_t>(found - names.begin())], preset_of(entry), entry.is_boolean);
    }
  }

  std::string file_;
  const OptionSet& top_;
  std::map<std::string, Preset>& general_;
};

/// Reads the configuration file, if there is one. Returns its name, or why there is none.
std::string use_file(const OptionSet& top, std::map<std::string, Preset>& general) {
  const std::optional<fs::path> file = user_config_file();
  if (!file) {
    return std::getenv("FLOPCAST_CONFIG") != nullptr ? "none, because FLOPCAST_CONFIG is empty" : "none, because HOME isn't set";
  }
  std::error_code error;
  const bool exists = fs::exists(*file, error);
  if (!exists && !error) {
    if (std::getenv("FLOPCAST_CONFIG") != nullptr) {
      throw bad_input("FLOPCAST_CONFIG names {}, which doesn't exist; set it to a file, or to nothing to use none", file->string());
    }
    return file->string() + " (doesn't exist)";
  }
  FileReader(file->string(), top, general).use(parse_settings(read_file(file->string()), file->string()));
  return file->string();
}

/// Presets the options of the general settings whose variables are set and not empty.
void use_variables(const OptionSet& top, std::map<std::string, Preset>& general) {
  for (const auto& [key, variable] : general_keys(top)) {
    const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') {
      continue;
    }
    general[key] = {{value}, variable};
    for_each_option(top, [&, name = key](Option& option) {
      if (option.description().setting == name) {
        preset(option, general[name], false);
      }
    });
  }
}

}  // namespace

std::string variable_of(const OptionDescription& option) {
  if (option.setting.empty() || option.group == OptionSet::common_group) {
    return "";
  }
  std::string variable = "FLOPCAST_";
  for (const char c : option.setting) {
    variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return variable;
}

GeneralSettings use_settings(const OptionSet& top) {
  GeneralSettings settings;
  settings.file = use_file(top, settings.values);
  use_variables(top, settings.values);
  return settings;
}

std::string settings_help(const OptionSet& top, const GeneralSettings& settings) {
  static constexpr int column = 34;
  const auto line = [](const std::string& name, const std::string& text) { return fmt::format("\n  {:<{}}  {}", name, column, text); };
  std::string text = "Settings (an option, else the variable, else the file, else the default):";
  text += line("configuration file", settings.file);
  for (const auto& [key, variable] : general_keys(top)) {
    const auto set = settings.values.find(key);
    text += line(variable.empty() ? key : fmt::format("{}, {}", key, variable),
                 set == settings.values.end() ? "default" : fmt::format("{} ({})", fmt::join(set->second.values, ","), set->second.origin));
  }
  return text;
}

}  // namespace flopcast::cli
