#pragma once

#include <link.h>

namespace flopcast::preload {

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
/// Returns the dynamic linker's second namespace; nullptr if there is none, or while the linker changes its lists.
const r_debug_extended* second_namespace() noexcept;
#endif

/// Calls `visit` for every object that the program has loaded into another namespace of the dynamic linker (dlmopen), with the namespace's
/// first object, which usually is the one that was asked for. Both serve as handles of dlsym. Finds none before glibc 2.35.
template <typename Visit>
void for_each_object_elsewhere([[maybe_unused]] Visit visit) noexcept {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
  for (const r_debug_extended* other = second_namespace(); other != nullptr; other = other->r_next) {
    link_map* const first = other->base.r_map;
    for (link_map* object = first; object != nullptr; object = object->l_next) {
      visit(*object, *first);
    }
  }
#endif
}

/// A handle of dlsym for a loaded object and its dependencies, whatever namespace it lies in.
class ObjectHandle {
 public:
  /// nullptr has no handle.
  explicit ObjectHandle(const link_map* object) noexcept;
  ObjectHandle(const ObjectHandle&) = delete;
  ObjectHandle& operator=(const ObjectHandle&) = delete;
  ~ObjectHandle();
  [[nodiscard]] void* get() const noexcept { return handle_; }
  /// Returns the handle, which stays open, so that the object stays loaded.
  void* keep() noexcept {
    opened_ = false;
    return handle_;
  }

 private:
  void* handle_ = nullptr;
  bool opened_ = false;
};

/// Returns the first BLAS or LAPACK routine that is found behind a handle of dlopen, under any known Fortran name; nullptr if there is
/// none.
const void* routine_behind(void* handle) noexcept;

/// Returns a library with BLAS or LAPACK routines in another namespace of the dynamic linker; nullptr if there is none.
const link_map* blas_in_other_namespace() noexcept;

}  // namespace flopcast::preload
