#pragma once

#include <string>

#include "flopcast/program/profile.hpp"

namespace flopcast::interpose {

/// Where `tune --save` puts its profile and `run` looks for one: $FLOPCAST_HOME/profile.json, else $XDG_DATA_HOME/flopcast/profile.json,
/// else ~/.local/share/flopcast/profile.json.
std::string default_profile_file();

/// Reads a profile; throws bad_input naming the file if it doesn't exist or isn't one.
Profile read_profile(const std::string& file);

/// Throws environment_error now if save_profile could not write there, before work is spent on it; makes missing folders.
void require_profile_writable(const std::string& file);

/// Adds the decisions of `profile` to what `file` holds for the same libraries and number of threads (Profile::merge), in one step
/// and making missing folders; what holds for others is kept beside it. A file of another machine, or in which these libraries have changed
/// since, is first copied to FILE.previous. Returns what to tell the user of that, or "".
/// Throws environment_error if it can't be done.
std::string save_profile(const std::string& file, const Profile& profile);

}  // namespace flopcast::interpose
