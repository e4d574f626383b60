#pragma once

#include <string>
#include <vector>

namespace flopcast::cli {

/// Kind of a value, for completion.
enum class ValueKind : unsigned char { text, file, folder, command, blas, lapack, routine, schema };

/// An option or an argument of a command, as it was declared.
struct OptionDescription {
  std::string name;        ///< long name without dashes, or an argument's name
  std::string short_name;  ///< one letter, or empty
  std::vector<std::string> other_names;
  std::string placeholder;  ///< stands for the value: "FILE"; empty for a flag
  std::string help, group;
  std::string default_value;         ///< empty: none is shown
  std::vector<std::string> choices;  ///< all values; empty: other values are possible
  std::string range;                 ///< "1 to 16", or empty
  std::string expected;              ///< "a whole number from 1 to 16"; empty: any text
  std::string in_force;              ///< value that a variable or the configuration file gives, with its origin; empty: the default
  std::string setting;               ///< key of the general setting that gives a value, or empty
  ValueKind kind = ValueKind::text;
  bool is_argument = false;
  bool required = false;
  bool takes_several = false;
  bool is_setting = false;  ///< the configuration file can give a value
  bool is_rare = false;     ///< --help leaves it to --help-all
};

/// A command with everything that can follow.
struct CommandDescription {
  std::vector<std::string> words;  ///< "flopcast", "mpi", "tune"
  std::string help, footer;
  std::string group;                       ///< heading under which the list of commands has it
  bool needs_command = false;              ///< one of `commands` must follow
  std::vector<OptionDescription> options;  ///< arguments come first; hidden options are left out
  std::vector<CommandDescription> commands;
};

}  // namespace flopcast::cli
