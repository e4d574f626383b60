#pragma once

#include <filesystem>
#include <string>

#include "flopcast/program/recorder.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/run_services.hpp"

namespace flopcast {

/// Returns the tuning file to run with: the part that suits the chosen libraries and the expected threads best. If none holds for this machine,
/// these builds of the libraries and the program's BLAS, or there is no file, returns one without decisions and notes why. Throws bad_input
/// if nothing is to be set at all, and for a file that is damaged, or missing though it was named.
program::SavedTuning tuning_for(const RunRequest& request, const program::LibraryFiles& chosen, const RunServices& services,
                                const RunContext& context);

/// Replaces threads "auto" by the largest number of threads that calls may get: what the user's variables say, else one for each core.
/// Returns the table by which each call gets a number of its own, and with blas "auto" a library. The text is empty for other requests, and
/// where there is nothing to choose, which is noted.
std::string choose_threads(RunRequest& request, const program::LibraryFiles& chosen, const RunServices& services,
                           const RunContext& context);

/// RunRequest::blas where each call of some routines gets the library with the least predicted time.
inline constexpr const char* automatic_blas = "auto";

/// Returns the BLAS that the request names; empty if the program's own stays.
inline std::string named_blas(const RunRequest& request) { return request.blas == automatic_blas ? "" : request.blas; }

/// Returns a message that the tuning file `file` doesn't exist, and the command that makes it. `requested` is the file that the user named; empty:
/// none, so that `file` is the default one.
std::string missing_tuning(const std::string& file, const std::string& requested);

/// Returns whether two files are variants of one library, which lie in a folder of their own.
inline bool in_same_folder(const std::filesystem::path& a, const std::filesystem::path& b) { return a.parent_path() == b.parent_path(); }

}  // namespace flopcast
