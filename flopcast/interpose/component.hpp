#pragma once

#include <filesystem>
#include <string_view>

namespace flopcast::interpose {

/// The preloaded library or helper program called `name`: in $FLOPCAST_LIBEXEC, else in libexec/flopcast beside or above the folder of the
/// running program, else where it was installed. Throws environment_error naming the places where it isn't.
std::filesystem::path find_component(std::string_view name);

}  // namespace flopcast::interpose
