#include "tests/kernel/blas/real_libraries.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {
namespace {

/// Returns the folder of the system's libraries, which is that of the C library.
std::string library_folder() {
  Dl_info where{};
  dladdr(reinterpret_cast<void*>(&dlopen), &where);
  return std::filesystem::path(where.dli_fname).parent_path().string();
}

}  // namespace

TestLibrary::TestLibrary(std::string name, const std::vector<std::string>& files) : name_(std::move(name)) {
  for (const std::string& file : files) {
    void* handle = dlopen((library_folder() + "/" + file).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
      handles_.clear();
      return;
    }
    handles_.push_back(handle);
  }
}

Function TestLibrary::find(const std::string& routine) const {
  for (void* handle : handles_) {
    if (void* symbol = dlsym(handle, (routine + "_").c_str())) {
      return reinterpret_cast<Function>(symbol);
    }
  }
  return nullptr;
}

int TestLibrary::integer_bytes() const {
  return flopcast::integer_bytes(
      [this](const char* symbol) -> void* {
        for (void* handle : handles_) {
          if (void* found = dlsym(handle, symbol)) {
            return found;
          }
        }
        return nullptr;
      },
      "", "_");
}

std::string TestLibrary::kernels() const {
  for (void* handle : handles_) {
    if (void* symbol = dlsym(handle, "openblas_get_corename")) {
      return reinterpret_cast<const char* (*)()>(symbol)();
    }
  }
  return {};
}

const std::vector<TestLibrary>& test_libraries() {
  static const std::vector<TestLibrary> libraries = [] {
    std::vector<TestLibrary> found;
    for (const TestLibrary& library :
         {TestLibrary("reference", {"blas/libblas.so.3", "lapack/liblapack.so.3"}),
          TestLibrary("openblas", {"openblas-serial/libopenblas.so.0"}), TestLibrary("blis", {"blis-serial/libblis.so.4"})}) {
      if (!library.empty()) {
        found.push_back(library);
      }
    }
    return found;
  }();
  return libraries;
}

const std::vector<TestLibrary>& wide_libraries() {
  static const std::vector<TestLibrary> libraries = {TestLibrary("reference64", {"blas64/libblas64.so.3", "lapack64/liblapack64.so.3"}),
                                                     TestLibrary("openblas64", {"openblas64-serial/libopenblas64.so.0"})};
  return libraries;
}

}  // namespace flopcast::kernel
