#include "flopcast/machine/libraries/library_state.hpp"

#include <dlfcn.h>

#include "flopcast/support/error.hpp"

namespace flopcast::machine {

LoadedFile::LoadedFile(const std::string& path, Lmid_t name_space) : handle_(dlmopen(name_space, path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    throw environment_error("can't load library {}: {}", path, dlerror());
  }
}

LoadedFile::~LoadedFile() {
  const bool has_openmp = symbol("omp_get_max_threads") != nullptr;
  if (!has_openmp) {
    dlclose(handle_);
  }
}

bool LoadedFile::is_loaded(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) {
    dlclose(handle);
  }
  return handle != nullptr;
}

void* LoadedFile::symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }

void* LoadedFile::own_symbol(const std::string& name) const {
  void* address = symbol(name);
  Dl_info info{};
  const bool own = address != nullptr && dladdr(address, &info) != 0 && reinterpret_cast<std::uintptr_t>(info.dli_fbase) == map().l_addr;
  return own ? address : nullptr;
}

const link_map& LoadedFile::map() const {
  link_map* found = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &found) != 0) {
    throw internal_error("a loaded library has no link map: {}", dlerror());
  }
  return *found;
}

Lmid_t LoadedFile::name_space() const {
  Lmid_t id = LM_ID_BASE;
  if (dlinfo(handle_, RTLD_DI_LMID, &id) != 0) {
    throw internal_error("a loaded library has no namespace: {}", dlerror());
  }
  return id;
}

}  // namespace flopcast::machine
