#pragma once

#include <link.h>

#include <functional>
#include <string_view>

namespace flopcast {

/// One function that a loaded library calls through the dynamic linker.
struct Binding {
  std::string_view name;  ///< of the symbol, e.g. "dgemm_"
  bool own = false;       ///< the library defines it itself as well
  void** slot = nullptr;  ///< holds the address that is called
};

/// Visits every function and data address that the loaded library `map` takes from the dynamic linker.
void for_each_binding(const link_map& map, const std::function<void(const Binding&)>& visit);

/// Makes the calls behind `binding` reach `address`.
void rebind(const Binding& binding, void* address);

}  // namespace flopcast
