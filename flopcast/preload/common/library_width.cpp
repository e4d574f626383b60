#include "flopcast/preload/common/library_width.hpp"

#include <dlfcn.h>

#include "flopcast/core/integer_width.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"

namespace flopcast::preload {

int integer_bytes_at(const void* definition, const RoutineSymbol& name) noexcept {
  const ObjectHandle library(object_of(definition));
  const link_map* own = object_of(reinterpret_cast<const void*>(&integer_bytes_at));
  const auto find = [&library, own](const char* symbol) {
    void* found = library.get() != nullptr ? dlsym(library.get(), symbol) : nullptr;
    return found != nullptr && object_of(found) != own ? found : nullptr;
  };
  // CBLAS's suffix 64_ is _64_ in Fortran.
  const SymbolName suffix(is_c_routine(name.routine) && !name.suffix.starts_with('_') ? "_" : "", "", name.suffix);
  const int bytes = integer_bytes(find, name.prefix, suffix.c_str());
  return bytes != 0 ? bytes : name.suffix.find("64") != std::string_view::npos ? 8 : 4;
}

}  // namespace flopcast::preload
