#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace flopcast {

/// A program with parameters, as 'flopcast mpi tune --help' shows it.
struct MpiSpace {
  std::string name;
  std::vector<std::string> launcher, command;
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
};

/// A value for each parameter.
using MpiSetting = std::vector<std::pair<std::string, std::string>>;

/// Throws bad_input that names the file and what is wrong with it.
MpiSpace read_mpi_space(const std::string& file);
/// Every combination, the last parameter changing fastest.
std::vector<MpiSetting> settings_of(const MpiSpace& space);
/// The numbers of settings_of(), those with the largest and smallest values first: kernels' times at sizes between them follow from theirs, while
/// what lies beyond all that has been seen has to be executed. By parameters whose values are numbers; otherwise as they come.
std::vector<std::size_t> extremes_first(const MpiSpace& space);
/// Throws environment_error if a setting's program isn't there. Paths are looked for from the current folder, where the launcher starts them;
/// `file` is the space's, for the message. Launchers that change the folder are believed.
void require_programs(const MpiSpace& space, const std::string& file);
std::vector<std::string> command_of(const MpiSpace& space, const MpiSetting& setting);
/// `nb=64 depth=1`.
std::string text_of(const MpiSetting& setting);

}  // namespace flopcast
