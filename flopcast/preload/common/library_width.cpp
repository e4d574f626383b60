#include "flopcast/preload/common/library_width.hpp"

#include <dlfcn.h>

#include "flopcast/core/integer_width.hpp"
#include "flopcast/preload/common/next_symbol.hpp"

namespace flopcast::preload {

int integer_bytes_at(const void* definition, const RoutineSymbol& name) noexcept {
  const link_map* object = object_of(definition);
  void* library = object != nullptr ? dlopen(object->l_name[0] != '\0' ? object->l_name : nullptr, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  const link_map* own = object_of(reinterpret_cast<const void*>(&integer_bytes_at));
  const auto find = [library, own](const char* symbol) {
    void* found = library != nullptr ? dlsym(library, symbol) : nullptr;
    return found != nullptr && object_of(found) != own ? found : nullptr;
  };
  // CBLAS's suffix 64_ is _64_ in Fortran.
  const SymbolName suffix(is_c_routine(name.routine) && !name.suffix.starts_with('_') ? "_" : "", "", name.suffix);
  const int bytes = integer_bytes(find, name.prefix, suffix.c_str());
  if (library != nullptr) {
    dlclose(library);
  }
  return bytes != 0 ? bytes : name.suffix.find("64") != std::string_view::npos ? 8 : 4;
}

}  // namespace flopcast::preload
