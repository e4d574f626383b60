#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace flopcast {

/// Returns the folder of data that are to be kept: $FLOPCAST_HOME, else $XDG_DATA_HOME/flopcast, else ~/.local/share/flopcast. The folder
/// needn't exist. Throws environment_error if none of the variables is set; `contents` names what the folder is for ("samples and models"),
/// `remedy` says what helps.
std::filesystem::path user_data_folder(std::string_view contents, std::string_view remedy = "Set FLOPCAST_HOME to a folder");

/// Returns the folder of data that can be measured again: $FLOPCAST_HOME, else $XDG_CACHE_HOME/flopcast, else ~/.cache/flopcast. Otherwise
/// like user_data_folder().
std::filesystem::path user_cache_folder(std::string_view contents, std::string_view remedy = "Set FLOPCAST_HOME to a folder");

/// Returns the user's configuration file: what FLOPCAST_CONFIG names, else $XDG_CONFIG_HOME/flopcast/config.toml, else
/// ~/.config/flopcast/config.toml. The file needn't exist. Returns nothing if FLOPCAST_CONFIG is set and empty, or if no variable is set.
std::optional<std::filesystem::path> user_config_file();

}  // namespace flopcast
