#pragma once

#include <string_view>

namespace flopcast::interpose {

/// The function that is to take the place of OpenBLAS's function `name` for buffers, where the library that calls it looks into its own
/// libraries first (RTLD_DEEPBIND): it holds the lock and calls that library's own. nullptr for other names.
void* locked_deep(std::string_view name) noexcept;

}  // namespace flopcast::interpose
