#pragma once

/// Spaces of configurations: a program with parameters, each with its values.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flopcast::search {

/// A program with parameters. Every combination of the parameters' values that meets the conditions is a configuration.
struct ParameterSpace {
  std::string name;
  std::vector<std::string> launcher;  ///< starts the processes of an MPI program: {"mpirun", "-n", "4"}
  std::vector<std::string> command;   ///< program and its arguments, in which "{nb}" stands for the value of parameter nb
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters = {};  ///< names and values
  std::string file = {};                                                          ///< document of the space; empty if there is none
  std::vector<std::string> conditions = {};  ///< relations of parameters, such as "ib <= nb", "variant != left" or "p * q = 4"
  friend bool operator==(const ParameterSpace&, const ParameterSpace&) = default;
};

/// One value for each parameter, by its name.
using Setting = std::map<std::string, std::string>;

/// Returns the values of a parameter that "16:128:16" or "left,right" stands for. Throws bad_input for a value twice; messages begin with
/// `what`.
[[nodiscard]] std::vector<std::string> parse_values(const std::string& text, const std::string& what);
/// Reads a space from a document of this schema, by hand, with a launcher if it `has_launcher`. Throws bad_input that names the file and the
/// wrong member.
[[nodiscard]] ParameterSpace read_space(const std::string& file, const char* schema, bool has_launcher);
/// Throws bad_input for a name with braces, and for places in the command without a parameter.
void require_named_places(const ParameterSpace& space);
/// Returns whether the command has a place for this parameter.
[[nodiscard]] bool is_in_command(const ParameterSpace& space, const std::string& parameter);
/// Returns every combination that meets the conditions, the last parameter changing fastest. Throws bad_input for more than 100000
/// combinations, for none, and for a condition that isn't one.
[[nodiscard]] std::vector<Setting> settings_of(const ParameterSpace& space);
/// Returns the numbers of settings_of(), those with the largest and smallest values first. Kernel times at sizes between them follow from
/// theirs, while a kernel of a size beyond all others has to be executed. Values that aren't numbers have no order.
[[nodiscard]] std::vector<std::size_t> extremes_first(const ParameterSpace& space);
/// Returns the number of the setting nearest to the middle one of each parameter's values.
[[nodiscard]] std::size_t middle_of(const ParameterSpace& space);
/// Returns the words with each "{nb}" replaced by the value of nb.
[[nodiscard]] std::vector<std::string> replace_places(std::vector<std::string> words, const Setting& setting);
/// Returns the command line of a setting.
[[nodiscard]] inline std::vector<std::string> command_of(const ParameterSpace& space, const Setting& setting) {
  return replace_places(space.command, setting);
}
/// Returns "depth=1 nb=64".
[[nodiscard]] std::string to_string(const Setting& setting);

}  // namespace flopcast::search
