#pragma once

#include <string_view>

namespace flopcast::preload {

/// Returns the function that is to replace OpenBLAS's buffer function `name` for a library that looks into its own libraries first
/// (RTLD_DEEPBIND). The function holds the lock and calls that library's own function. Returns nullptr for other names.
void* locked_deep(std::string_view name) noexcept;

/// Returns the function that is to replace `function`, OpenBLAS's buffer function `name`, for a library in another namespace of the dynamic
/// linker. The function holds the lock and calls `function`. Returns nullptr for other names, or if very many libraries have such
/// functions.
void* locked_apart(std::string_view name, void* function) noexcept;

}  // namespace flopcast::preload
