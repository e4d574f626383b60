#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flopcast {

/// A program with parameters. Every combination of the parameters' values is a configuration.
struct MpiSpace {
  std::string name;
  std::vector<std::string> launcher;  ///< starts the processes: {"mpirun", "-n", "4"}
  std::vector<std::string> command;   ///< program and its arguments, in which "{nb}" stands for the value of parameter nb
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;  ///< names and values
  std::string file;                                                          ///< document of the space; empty if there is none
  friend bool operator==(const MpiSpace&, const MpiSpace&) = default;
};

/// One value for each parameter, by its name.
using MpiSetting = std::map<std::string, std::string>;

/// Reads a space from a document `flopcast-mpi-space-1`. Throws bad_input that names the file and the wrong member.
[[nodiscard]] MpiSpace read_mpi_space(const std::string& file);
/// Returns every combination, the last parameter changing fastest. Throws bad_input if there are more than 100000.
[[nodiscard]] std::vector<MpiSetting> settings_of(const MpiSpace& space);
/// Returns the numbers of settings_of(), those with the largest and smallest values first. Kernel times at sizes between them follow from
/// theirs, while a kernel of a size beyond all others has to be executed. Values that aren't numbers have no order.
[[nodiscard]] std::vector<std::size_t> extremes_first(const MpiSpace& space);
/// Returns the number of the setting that has the middle one of each parameter's values.
[[nodiscard]] std::size_t middle_of(const MpiSpace& space);
/// Throws environment_error if a setting's program is missing. Relative paths begin in the current folder, unless the launcher's options
/// change the folder: then nothing is checked.
void require_programs(const MpiSpace& space);
/// Returns the command line of a setting.
[[nodiscard]] std::vector<std::string> command_of(const MpiSpace& space, const MpiSetting& setting);
/// Returns "depth=1 nb=64".
[[nodiscard]] std::string to_string(const MpiSetting& setting);

}  // namespace flopcast
