#pragma once

/// Values that options have where the command line doesn't give them: from variables, else from the configuration file.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

/// A key of a configuration file with its value, or a section with its members.
struct SettingsEntry {
  std::string key;
  long line = 0;                    ///< 1 is the first one
  std::vector<std::string> values;  ///< several of a list; empty for a section
  bool is_boolean = false;          ///< the value is true or false
  bool is_section = false;
  std::vector<SettingsEntry> members;
};

/// Reads a configuration file: TOML (https://toml.io) with sections and keys whose values are texts of one line, decimal numbers, true, false,
/// or lists of texts and numbers. Entries come in the order of their lines. Throws bad_input with `file` and line for any other text.
std::vector<SettingsEntry> parse_settings(std::string_view text, const std::string& file);

/// The values that the environment and the top of the configuration file give.
struct GeneralSettings {
  std::string file;                      ///< the configuration file, or why there is none
  std::map<std::string, Preset> values;  ///< "threads" and so on
};

/// Returns the variable of an option's general setting, such as FLOPCAST_TIME_BUDGET. Options that every command has, and those without a
/// general setting, have none.
std::string variable_of(const OptionDescription& option);

/// Presets the options of `top` and of all its commands. The configuration file has general settings at its top, and options of a command,
/// without dashes, in the command's section: [tune], [mpi.tune]. An option of a general setting takes the variable, else the value in the
/// section, else that at the top. Throws bad_input that names file, line and key: for a file that can't be read or isn't TOML, and for keys
/// that aren't options.
GeneralSettings use_settings(const OptionSet& top);

/// Returns a paragraph of help: the file, each general setting with its variable, and the values in force.
std::string settings_help(const OptionSet& top, const GeneralSettings& settings);

}  // namespace flopcast::cli
