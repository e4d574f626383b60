#pragma once

#include <string>
#include <vector>

#include "flopcast/program/saved_tuning.hpp"

namespace flopcast::program {

/// Returns the file to which `tune --save` writes and from which `run` reads: $FLOPCAST_HOME/tuning.json, else
/// $XDG_DATA_HOME/flopcast/tuning.json, else ~/.local/share/flopcast/tuning.json. Throws environment_error if none of the variables is set.
std::string default_tuning_file();

/// Reads a tuning file. Throws bad_input, which names the file, if there is none or it holds no tuning file.
SavedTuning read_tuning(const std::string& file);

/// Makes missing folders. Throws environment_error if save_tuning() can't write to `file`, so that no work is lost later.
void require_tuning_writable(const std::string& file);

/// Adds the decisions of `tuning file` to those in `file` for the same libraries and number of threads (SavedTuning::merge). Decisions for others
/// stay. The file is replaced as a whole; missing folders are made. A file of another machine, or of libraries that have changed since, is
/// first copied to FILE.previous. Returns a note for the user about the copy and about entries that stayed, or "". Throws environment_error.
std::string save_tuning(const std::string& file, const SavedTuning& tuning);

/// Does the same for several tuning files, none of which has `others`. The file is written once.
std::string save_tunings(const std::string& file, const std::vector<SavedTuning>& newer);

}  // namespace flopcast::program
