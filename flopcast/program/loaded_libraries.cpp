#include "flopcast/program/loaded_libraries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <sstream>
#include <utility>

#include "flopcast/program/launch.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// Reads a line such as "libm.so.6 => /lib/libm.so.6 (0x7f...)", "libx.so => not found" or "/lib/ld.so (0x7f...)".
LoadedLibrary library_of(const std::string& line) {
  constexpr std::string_view arrow = " => ";
  const std::string text = line.substr(line.find_first_not_of(" \t"), line.rfind(" (0x") - line.find_first_not_of(" \t"));
  const std::size_t at = text.find(arrow);
  if (at == std::string::npos) {
    return {text, text};
  }
  const std::string path = text.substr(at + arrow.size());
  return {text.substr(0, at), path.find('/') == std::string::npos ? fs::path() : fs::path(path)};
}

}  // namespace

std::vector<LoadedLibrary> loaded_libraries(const fs::path& program, std::vector<std::string> environment) {
  std::vector<LoadedLibrary> libraries;
  if (!interpreter_of(program).empty()) {
    return libraries;
  }
  process::set_variable(environment, "LD_TRACE_LOADED_OBJECTS", "1");
  std::istringstream lines(output_of(program, {program.string()}, std::move(environment)));
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") != std::string::npos) {
      libraries.push_back(library_of(line));
    }
  }
  return libraries;
}

std::string why_not_started(const std::string& command, int exit_code) {
  constexpr int not_started = 127;
  if (exit_code != not_started) {
    return "";
  }
  std::vector<std::string> missing;
  try {
    for (const LoadedLibrary& library : loaded_libraries(find_program(command), process::current_environment())) {
      if (library.path.empty()) {
        missing.push_back(library.name);
      }
    }
  } catch (const Error&) {  // the program isn't on this machine
    missing.clear();
  }
  return missing.empty() ? fmt::format("{} did not start: it ended with exit code {} before its first instruction", command, exit_code)
                         : fmt::format("{} did not start: the dynamic linker finds no {}. Add its folder to LD_LIBRARY_PATH", command,
                                       fmt::join(missing, ", "));
}

}  // namespace flopcast::program
