#pragma once

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace flopcast::cli
