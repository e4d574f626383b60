#include "flopcast/tasks/mpi/tuning.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "flopcast/program/launch.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using program::find_program;

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

search::ParameterSpace read_mpi_space(const std::string& file) { return search::read_space(file, "flopcast-mpi-space-1", true); }

void require_programs(const search::ParameterSpace& space) {
  const std::string& file = space.file.empty() ? space.name : space.file;
  if (changes_folder(space.launcher)) {
    return;
  }
  std::set<std::string> found;
  for (const search::Setting& setting : settings_of(space)) {
    const std::string program = command_of(space, setting).front();
    if (found.insert(program).second) {
      require_program(program, file);
    }
  }
}

}  // namespace flopcast
