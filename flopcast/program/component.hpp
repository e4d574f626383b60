#pragma once

#include <filesystem>
#include <string_view>

namespace flopcast::interpose {

/// Returns the path of the preloaded library or helper program called `name`. The search order is $FLOPCAST_LIBEXEC, libexec/flopcast
/// beside or above the folder of the running program, and the place of installation. Throws environment_error naming the places searched.
std::filesystem::path find_component(std::string_view name);

}  // namespace flopcast::interpose
