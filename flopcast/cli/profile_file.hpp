#pragma once

#include <string>

#include "flopcast/interpose/profile.hpp"

namespace flopcast::cli {

/// Where `tune --save` puts its profile and `run` looks for one: $FLOPCAST_HOME/profile.json, else $XDG_DATA_HOME/flopcast/profile.json,
/// else ~/.local/share/flopcast/profile.json.
std::string default_profile_file();

/// Reads a profile; throws bad_input naming the file if it doesn't exist or isn't one.
interpose::Profile read_profile(const std::string& file);

/// Throws environment_error now if save_profile could not write there, before work is spent on it; makes missing folders.
void require_profile_writable(const std::string& file);

/// Adds the routines of `profile` to what `file` holds for the same fingerprint (a file of another machine is replaced), in one step and
/// making missing folders. Throws environment_error if that can't be done.
void save_profile(const std::string& file, const interpose::Profile& profile);

}  // namespace flopcast::cli
