#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace flopcast::preload::mpi {

/// Returns the file that defines the function at `address`, without symbolic links; empty if no loaded object does.
inline std::string file_of(const void* address) {
  Dl_info library{};
  if (address == nullptr || dladdr(address, &library) == 0) {
    return "";
  }
  const std::unique_ptr<char, void (*)(void*)> path(realpath(library.dli_fname, nullptr), std::free);
  return path ? path.get() : library.dli_fname;
}

}  // namespace flopcast::preload::mpi
