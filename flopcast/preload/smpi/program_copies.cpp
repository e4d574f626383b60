#include "flopcast/preload/smpi/simulation.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <exception>
#include <set>
#include <string>

#include "flopcast/preload/common/intercepted_calls.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/support/relink.hpp"

namespace flopcast::preload::smpi {
namespace {

const link_map* own_object() noexcept { return object_of(reinterpret_cast<const void*>(&intercept_copy)); }

/// Objects that need no redirection: those loaded before the first copy, which the loader has bound to preloaded libraries, and those
/// already redirected.
std::set<const link_map*>& bound_objects() {
  static std::set<const link_map*> all;
  return all;
}

template <class Visit>
void for_each_object(Visit visit) {
  const link_map* object = nullptr;
  if (dlinfo(dlopen(nullptr, RTLD_LAZY), RTLD_DI_LINKMAP, &object) != 0) {
    return;
  }
  for (; object != nullptr; object = object->l_next) {
    visit(*object);
  }
}

/// Notes the objects that are loaded before the simulator opens any copy.
[[gnu::constructor]] void note_first_objects() {
  for_each_object([](const link_map& object) { bound_objects().insert(&object); });
}

/// Returns this library's function with that name; nullptr if it has none.
void* own_function(void* own, const std::string& name) noexcept {
  void* found = dlsym(own, name.c_str());
  return found != nullptr && object_of(found) == own_object() ? found : nullptr;
}

void redirect(const link_map& object, void* own) {
  for_each_binding(object, [own](const Binding& binding) {
    void* function = binding.own ? nullptr : own_function(own, std::string(binding.name));
    if (function != nullptr) {
      rebind(binding, function);
    }
  });
}

}  // namespace

void intercept_copy(void* opened) noexcept {
  try {
    look_first_in(opened);
    void* own = dlopen(own_object()->l_name, RTLD_LAZY | RTLD_NOLOAD);
    for_each_object([own](const link_map& object) {
      if (bound_objects().insert(&object).second) {
        redirect(object, own);
        redirect_calls_of(object, intercepted_symbol);
      }
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: the program can't be traced: %s\n", error.what());
  }
}

}  // namespace flopcast::preload::smpi
