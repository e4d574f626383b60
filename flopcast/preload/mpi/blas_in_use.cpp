#include "flopcast/preload/mpi/blas_in_use.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/kernels/library_file.hpp"

namespace flopcast::preload::mpi {
namespace {

/// The library that defines `routine` for the program, and its dependencies.
class Blas {
 public:
  explicit Blas(const void* routine) : routine_(routine), handle_(dlopen(file_of(routine).c_str(), RTLD_LAZY | RTLD_NOLOAD)) {}
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas() {
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }

  /// Calls the library's function `name`; returns nothing if it has none.
  template <class Result, class... Arguments>
  std::optional<Result> ask(const char* name, Arguments... arguments) const {
    void* function = find(name);
    return function == nullptr ? std::nullopt : std::optional<Result>(reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...));
  }
  /// Calls the library's function `name`, which takes and returns nothing, if it exists.
  void call(const char* name) const {
    if (void* function = find(name)) {
      reinterpret_cast<void (*)()>(function)();
    }
  }
  /// Returns the library's file. Debian's libblas.so.3 has only OpenBLAS's interface, and libopenblas.so.0 has its kernels.
  [[nodiscard]] std::string file() const {
    const void* kernels = find("openblas_get_corename");
    return file_of(kernels != nullptr ? kernels : routine_);
  }

 private:
  /// Returns the library's function `name`, also with the prefix and suffix of builds with other names of routines; nullptr if it has none.
  [[nodiscard]] void* find(const char* name) const {
    for (const std::string_view prefix : symbol_prefixes) {
      for (const std::string_view suffix : c_suffixes) {
        if (void* found = dlsym(handle_ != nullptr ? handle_ : RTLD_DEFAULT, SymbolName(prefix, name, suffix).c_str())) {
          return found;
        }
      }
    }
    return nullptr;
  }

  const void* routine_;
  void* handle_;
};

std::string kernels_of(const Blas& blas) {
  std::optional<const char*> name = blas.ask<const char*>("openblas_get_corename");
  blas.call("bli_init");  // without it the next call ends the process where BLIS_ARCH_TYPE is set
  if (const std::optional<int> architecture = name ? std::nullopt : blas.ask<int>("bli_arch_query_id")) {
    name = blas.ask<const char*>("bli_arch_string", *architecture);
  }
  return name && *name != nullptr ? fmt::format(", {} kernels", *name) : "";
}

std::string threads_of(const Blas& blas) {
  std::optional<std::int64_t> count = blas.ask<int>("openblas_get_num_threads");
  if (!count) {
    count = blas.ask<std::int64_t>("bli_thread_get_num_threads");
  }
  if (!count) {
    count = blas.ask<int>("MKL_Get_Max_Threads");
  }
  return count ? fmt::format(", {} thread{}", *count, *count == 1 ? "" : "s") : "";
}

}  // namespace

std::string blas_in_use() {
  const void* routine = routine_of_program("dgemm");
  if (routine == nullptr) {
    return "no BLAS";
  }
  const Blas blas(routine);
  const std::string file = blas.file();
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(file, none);
  return fmt::format("{}{}{}{}", file, none ? "" : fmt::format(" ({} bytes)", bytes), kernels_of(blas), threads_of(blas));
}

}  // namespace flopcast::preload::mpi
