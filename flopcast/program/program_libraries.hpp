#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/recorder.hpp"

namespace flopcast::program {

/// Functions on library files and programs that decide which libraries a program may get. Tests have services of their own.
struct LibraryServices {
  std::function<std::filesystem::path(const std::string& name_or_path, machine::Role role)>
      locate;                                                                             ///< machine::locate_usable() or a replacement
  std::function<std::string(int integer_bytes)> default_lapack;                           ///< machine::default_lapack() or a replacement
  std::function<std::optional<int>(const std::filesystem::path& library)> integer_bytes;  ///< 4 or 8; nothing if the file doesn't show it
  std::function<std::optional<bool>(const std::filesystem::path& library)> may_be_called_by_several_threads;  ///< nothing: can't be loaded
  std::function<bool(const std::filesystem::path& library)> buffers_can_be_locked;
  std::function<std::vector<std::string>(const std::string& program)> asked_libraries;  ///< names that the program's loader looks for
};
LibraryServices this_library_services();

/// Returns the files that a program is to load instead of its own libraries. An empty file leaves the program its own library. If only a
/// BLAS is named, the LAPACK is the one that tuning takes by default, so that LAPACK's calls reach the named BLAS. Libraries with 64-bit
/// integers take the place of libblas64.so.3 and liblapack64.so.3 if the program asks for these. An empty command stands
/// for any program. Throws bad_input for an unknown name. Throws environment_error if a library can't be opened or takes 64-bit integers
/// that the program doesn't pass. Another reason is a library that gives wrong results when several threads of a program call it.
LibraryFiles program_libraries(const std::string& blas, const std::string& lapack, const std::vector<std::string>& command,
                               const LibraryServices& services = this_library_services());

/// Returns a sentence for the user that the program with this command line took its BLAS from the file `taken` instead of `chosen`, with the
/// reason if the program's files show it. Empty if the two are variants of one library, or nothing was chosen.
std::string other_blas_note(const std::vector<std::string>& command, const std::filesystem::path& taken, const LibraryFiles& chosen);

}  // namespace flopcast::program
