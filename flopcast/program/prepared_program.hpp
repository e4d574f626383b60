#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/program/library_links.hpp"
#include "flopcast/program/preloaded_component.hpp"
#include "flopcast/program/program_run.hpp"

namespace flopcast::program {

/// A program that is to be started with the user's choice of libraries and threads, and with one of flopcast's libraries preloaded. Its
/// files on disk live as long as this object.
class PreparedProgram {
 public:
  /// `component` names flopcast's library. Throws environment_error if the program doesn't exist or libraries can't be preloaded into it.
  PreparedProgram(const ProgramOptions& options, std::string_view component);

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  [[nodiscard]] std::vector<std::string>& environment() noexcept { return environment_; }

 private:
  /// Puts the chosen libraries before the others, also where LD_LIBRARY_PATH has no effect.
  void choose_libraries(const LibraryFiles& libraries);

  std::filesystem::path file_;
  std::vector<std::string> environment_;
  std::optional<LibraryLinks> links_;
  std::optional<PreloadedComponent> component_;
};

}  // namespace flopcast::program
