#include "flopcast/preload/common/other_namespaces.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/next_symbol.hpp"

namespace flopcast::preload {

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
const r_debug_extended* second_namespace() noexcept {
  static constinit std::atomic<const r_debug*> first{&_r_debug};  // hides from the compiler that the linker's variable may be longer
  const r_debug* own = first.load(std::memory_order_relaxed);
  const bool has_more = own->r_version >= 2 && own->r_state == r_debug::RT_CONSISTENT;
  return has_more ? reinterpret_cast<const r_debug_extended*>(own)->r_next : nullptr;
}
#endif

ObjectHandle::ObjectHandle(const link_map* object) noexcept {
  if (object == nullptr) {
    return;
  }
  for_each_object_elsewhere([this, object](link_map& other, link_map& first) {
    if (&other == object) {
      handle_ = &first;
    }
  });
  if (handle_ == nullptr) {
    handle_ = dlopen(object->l_name[0] != '\0' ? object->l_name : nullptr, RTLD_LAZY | RTLD_NOLOAD);
    opened_ = handle_ != nullptr;
  }
}

ObjectHandle::~ObjectHandle() {
  if (opened_) {
    dlclose(handle_);
  }
}

const void* routine_behind(void* handle) noexcept {
  for (const std::string_view prefix : symbol_prefixes) {
    for (const std::string_view suffix : fortran_suffixes) {
      for (const std::string_view routine : {"dgemm", "dgetrf", "ddot"}) {
        if (const void* found = suffix.empty() ? nullptr : dlsym(handle, SymbolName(prefix, routine, suffix).c_str())) {
          return found;
        }
      }
    }
  }
  return nullptr;
}

const link_map* blas_in_other_namespace() noexcept {
  const link_map* found = nullptr;
  for_each_object_elsewhere([&found](link_map& object, link_map& /*first*/) {
    const void* routine = found == nullptr ? routine_behind(&object) : nullptr;
    found = routine != nullptr ? object_of(routine) : found;
  });
  return found;
}

}  // namespace flopcast::preload
