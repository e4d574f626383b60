#include "flopcast/interpose/preloaded/next_symbol.hpp"

#include <dlfcn.h>
#include <link.h>

namespace flopcast::interpose {
namespace {

const link_map* object_of(const void* address) noexcept {
  Dl_info info;
  void* map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map) : nullptr;
}

}  // namespace

void* next_symbol(const char* name, const void* caller) noexcept {
  if (void* next = dlsym(RTLD_NEXT, name)) {
    return next;
  }
  const link_map* object = object_of(caller);
  if (object == nullptr) {
    return nullptr;
  }
  // Never closed: what is found must stay.
  void* handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void* found = handle != nullptr ? dlsym(handle, name) : nullptr;
  return found != nullptr && object_of(found) != object_of(reinterpret_cast<const void*>(&next_symbol)) ? found : nullptr;
}

}  // namespace flopcast::interpose
