#include "flopcast/preload/common/next_symbol.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"

namespace flopcast::preload {

const link_map* object_of(const void* address) noexcept {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)  // dladdr goes through all symbols of the object: 0.2 ms in a BLAS, for every call site
  dl_find_object object;
  if (_dl_find_object(const_cast<void*>(address), &object) == 0) {
    return object.dlfo_link_map;
  }
#endif
  Dl_info info;
  void* map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map) : nullptr;
}

namespace {

constinit std::atomic<void*> opened_program{};

bool is_own(const void* function) noexcept { return object_of(function) == object_of(reinterpret_cast<const void*>(&next_symbol)); }

/// Returns the definition in the objects behind a handle of dlopen, unless it is this library's own.
void* definition_behind(void* handle, const char* name) noexcept {
  void* found = handle != nullptr ? dlsym(handle, name) : nullptr;
  return found != nullptr && !is_own(found) ? found : nullptr;
}

/// Returns the definition in `object` or its dependencies, unless it is this library's own. The handle is never closed, so that the
/// definition stays loaded.
void* definition_in(const link_map& object, const char* name) noexcept { return definition_behind(ObjectHandle(&object).keep(), name); }

}  // namespace

void look_first_in(void* opened) noexcept { opened_program.store(opened, std::memory_order_relaxed); }

NextSymbol next_symbol(const char* name, const void* caller) noexcept {
  return on_own_stack([name, caller]() -> NextSymbol {
    if (void* found = definition_behind(opened_program.load(std::memory_order_relaxed), name)) {
      return {found, true};
    }
    if (void* next = dlsym(RTLD_NEXT, name)) {
      return {next, true};
    }
    const link_map* object = object_of(caller);
    void* found = object != nullptr ? definition_in(*object, name) : nullptr;
    return {found != nullptr ? found : any_definition(name), false};
  });
}

NextSymbol required_symbol(const char* name, const void* caller) noexcept {
  const NextSymbol found = next_symbol(name, caller);
  if (found.address == nullptr) {
    on_own_stack([name] { std::fprintf(stderr, "flopcast: no library defines %s, which the program calls\n", name); });
    _exit(127);  // as the dynamic linker does for an undefined symbol
  }
  return found;
}

void* any_definition(const char* name) noexcept {
  void* program = dlopen(nullptr, RTLD_LAZY);
  const link_map* object = nullptr;
  if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) {
    return nullptr;
  }
  for (; object != nullptr; object = object->l_next) {
    if (void* found = definition_in(*object, name)) {
      return found;
    }
  }
  return nullptr;
}

void* any_routine(std::string_view routine) noexcept {
  for (const std::string_view prefix : symbol_prefixes) {
    for (const std::string_view suffix : fortran_suffixes) {
      void* found = suffix.empty() ? nullptr : any_definition(SymbolName(prefix, routine, suffix).c_str());
      if (found != nullptr) {
        return found;
      }
    }
  }
  return nullptr;
}

void* routine_of_program(std::string_view routine) noexcept {
  void* usual = next_symbol(SymbolName("", routine, "_").c_str(), reinterpret_cast<const void*>(&routine_of_program)).address;
  return usual != nullptr ? usual : any_routine(routine);
}

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
