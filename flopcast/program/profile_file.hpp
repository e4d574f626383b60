#pragma once

#include <string>
#include <vector>

#include "flopcast/program/profile.hpp"

namespace flopcast::program {

/// Returns the file to which `tune --save` writes and from which `run` reads: $FLOPCAST_HOME/profile.json, else
/// $XDG_DATA_HOME/flopcast/profile.json, else ~/.local/share/flopcast/profile.json. Throws environment_error if none of the variables is set.
std::string default_profile_file();

/// Reads a profile. Throws bad_input, which names the file, if there is none or it holds no profile.
Profile read_profile(const std::string& file);

/// Makes missing folders. Throws environment_error if save_profile() can't write to `file`, so that no work is lost later.
void require_profile_writable(const std::string& file);

/// Adds the decisions of `profile` to those in `file` for the same libraries and number of threads (Profile::merge). Decisions for others
/// stay. The file is replaced as a whole; missing folders are made. A file of another machine, or of libraries that have changed since, is
/// first copied to FILE.previous. Returns a note for the user about the copy and about entries that stayed, or "". Throws environment_error.
std::string save_profile(const std::string& file, const Profile& profile);

/// Does the same for several profiles, none of which has `others`. The file is written once.
std::string save_profiles(const std::string& file, const std::vector<Profile>& newer);

}  // namespace flopcast::program
