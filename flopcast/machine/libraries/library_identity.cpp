#include "flopcast/machine/libraries/library_identity.hpp"

#include <dlfcn.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "flopcast/core/routine.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

/// Calls symbol `name` as `Signature`; nothing if the library hasn't got it.
template <class Signature, class... Arguments>
auto ask(const SymbolLookup& symbol, const char* name, Arguments... arguments) {
  using Result = decltype(std::declval<Signature*>()(arguments...));
  auto* function = reinterpret_cast<Signature*>(symbol(name));
  return function == nullptr ? std::optional<Result>() : std::optional<Result>(function(arguments...));
}

std::string text_or_empty(const std::optional<const char*>& text) { return text && *text != nullptr ? *text : ""; }

/// First word of `text` that starts with a digit.
std::string first_number(const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      return word;
    }
  }
  return "";
}

LibraryIdentity ask_openblas(const SymbolLookup& symbol) {
  static constexpr std::array<const char*, 3> threading = {"serial", "pthread", "openmp"};
  LibraryIdentity identity;
  identity.name = "openblas";
  identity.version = first_number(text_or_empty(ask<const char*()>(symbol, "openblas_get_config")));
  identity.kernels = text_or_empty(ask<const char*()>(symbol, "openblas_get_corename"));
  const int parallel = ask<int()>(symbol, "openblas_get_parallel").value_or(-1);
  if (parallel >= 0 && static_cast<std::size_t>(parallel) < threading.size()) {
    identity.threading = threading[static_cast<std::size_t>(parallel)];
  }
  return identity;
}

LibraryIdentity ask_blis(const SymbolLookup& symbol) {
  LibraryIdentity identity;
  identity.name = "blis";
  identity.version = text_or_empty(ask<const char*()>(symbol, "bli_info_get_version_str"));
  if (auto* initialise = reinterpret_cast<void (*)()>(symbol("bli_init"))) {
    initialise();  // a query before it aborts the process where BLIS_ARCH_TYPE is set
  }
  if (const auto architecture = ask<int()>(symbol, "bli_arch_query_id")) {
    identity.kernels = text_or_empty(ask<const char*(int)>(symbol, "bli_arch_string", *architecture));
  }
  // gint_t is 64 bits wide in every packaged BLIS.
  const bool openmp = ask<std::int64_t()>(symbol, "bli_info_get_enable_openmp").value_or(0) != 0;
  const bool pthreads = ask<std::int64_t()>(symbol, "bli_info_get_enable_pthreads").value_or(0) != 0;
  identity.threading = openmp ? "openmp" : pthreads ? "pthread" : "serial";
  return identity;
}

LibraryIdentity ask_mkl(const SymbolLookup& symbol) {
  // "Intel(R) oneAPI Math Kernel Library Version 2023.1-Product Build 20230303 for Intel(R) 64 architecture applications"
  std::array<char, 256> text{};
  if (auto* version = reinterpret_cast<void (*)(char*, int)>(symbol("MKL_Get_Version_String"))) {
    version(text.data(), static_cast<int>(text.size()) - 1);
  }
  LibraryIdentity identity;
  identity.name = "mkl";
  identity.version = first_number(text.data());
  return identity;
}

LibraryIdentity ask_lapack(void* ilaver) {
  LibraryIdentity identity;
  identity.name = "reference";
  identity.threading = "serial";
  if (auto* version = reinterpret_cast<void (*)(FortranInteger*, FortranInteger*, FortranInteger*)>(ilaver)) {
    FortranInteger major = 0, minor = 0, patch = 0;
    version(&major, &minor, &patch);
    identity.version = fmt::format("{}.{}.{}", major, minor, patch);
  }
  return identity;
}

/// Finds the library's own functions also where the build gave prefix and suffix to all names: scipy_openblas_get_config64_.
SymbolLookup named(const SymbolLookup& symbol, const Naming& naming) {
  return [&symbol, prefix = naming.prefix](const std::string& name) -> void* {
    for (const std::string_view suffix : c_suffixes) {
      if (void* found = symbol(prefix + name + std::string(suffix))) {
        return found;
      }
    }
    return symbol(name);
  };
}

LibraryIdentity ask_name(const SymbolLookup& symbol, void* ilaver) {
  if (symbol("openblas_get_config") != nullptr) {
    return ask_openblas(symbol);
  }
  if (symbol("bli_info_get_version_str") != nullptr) {
    return ask_blis(symbol);
  }
  if (symbol("MKL_Get_Version_String") != nullptr) {
    return ask_mkl(symbol);
  }
  if (symbol("ATL_buildinfo") != nullptr) {
    LibraryIdentity identity;  // its version is only printed to standard output, which isn't ours to use
    identity.name = "atlas";
    identity.threading = symbol("ATL_ptGetNumThreads") != nullptr || symbol("ATL_thread_start") != nullptr ? "pthread" : "serial";
    return identity;
  }
  return ilaver != nullptr ? ask_lapack(ilaver) : LibraryIdentity();
}

int integer_bytes_of(const SymbolLookup& symbol, const Naming& naming) {
  return flopcast::integer_bytes([&symbol](const char* name) { return symbol(name); }, naming.prefix, naming.suffix);
}

/// Loads the library file `path` in a process of its own and returns the result of `ask` there, from 1 to 255. Returns 0 if the file can't
/// be loaded, or crashes.
int asked_when_loaded(const std::filesystem::path& path, const std::function<int(const SymbolLookup&)>& ask) {
  const auto load_and_ask = [&] {
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    return library == nullptr ? 0 : ask([library](const std::string& name) { return dlsym(library, name.c_str()); });
  };
  try {
    const ExitStatus status = ChildProcess::fork(load_and_ask).wait();
    return status.signal() == 0 ? status.code() : 0;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

std::optional<Naming> naming(const std::function<bool(const std::string& symbol)>& defines) {
  for (const std::string_view prefix : symbol_prefixes) {
    for (const std::string_view suffix : fortran_suffixes) {
      const Naming candidate{std::string(prefix), std::string(suffix)};
      if (defines(candidate.symbol("dgemm")) || defines(candidate.symbol("dgeqrf"))) {
        return candidate;
      }
    }
  }
  return std::nullopt;
}

LibraryIdentity ask_identity(const SymbolLookup& symbol, const Naming& naming) {
  LibraryIdentity identity = ask_name(named(symbol, naming), symbol(naming.symbol("ilaver")));
  const int bytes = integer_bytes_of(symbol, naming);
  identity.integer_bytes = bytes != 0 ? bytes : 4;
  return identity;
}

std::optional<int> integer_bytes(const std::filesystem::path& path) {
  const int bytes = asked_when_loaded(path, [](const SymbolLookup& symbol) {
    const std::optional<Naming> names = naming([&symbol](const std::string& name) { return symbol(name) != nullptr; });
    return names ? integer_bytes_of(symbol, *names) : 0;
  });
  return bytes == 4 || bytes == 8 ? std::optional(bytes) : std::nullopt;
}

std::optional<bool> may_be_called_by_several_threads(const std::filesystem::path& path) {
  enum LibraryAnswer : int { nothing, may_not, may };
  const int answer = asked_when_loaded(path, [](const SymbolLookup& symbol) -> int {
    return may_be_called_by_several_threads(symbol) ? LibraryAnswer::may : LibraryAnswer::may_not;
  });
  return answer == LibraryAnswer::nothing ? std::nullopt : std::optional(answer == LibraryAnswer::may);
}

bool may_be_called_by_several_threads(const SymbolLookup& symbol) {
  for (const std::string_view prefix : symbol_prefixes) {
    const SymbolLookup own = named(symbol, {std::string(prefix), ""});
    if (const auto parallel = ask<int()>(own, "openblas_get_parallel")) {
      const std::string built = text_or_empty(ask<const char*()>(own, "openblas_get_config"));
      return *parallel != 0 || built.find("USE_LOCKING") != std::string::npos || built.find("USE_TLS") != std::string::npos;
    }
  }
  return symbol("blas_memory_alloc") == nullptr || symbol("blas_thread_init") != nullptr;  // GotoBLAS reports nothing
}

bool may_be_called_by_several_threads(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) {
    return true;
  }
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return true;
  }
  const bool safe = may_be_called_by_several_threads([&](const std::string& name) { return dlsym(library, name.c_str()); });
  dlclose(library);
  return safe;
}

std::string version_of_file_name(const std::string& path) {
  const std::size_t at = path.rfind(".so.");
  const std::string version = at == std::string::npos ? "" : path.substr(at + 4);
  return version.find('.') == std::string::npos ? "" : version;
}

std::optional<ThreadControl> ThreadControl::of(const SymbolLookup& lookup, const Naming& naming) {
  const SymbolLookup symbol = named(lookup, naming);
  struct Calls {
    const char* set;
    const char* get;
    bool wide;  ///< takes and returns 64-bit integers
  };
  static constexpr std::array<Calls, 4> known = {{{"openblas_set_num_threads", "openblas_get_num_threads", false},
                                                  {"bli_thread_set_num_threads", "bli_thread_get_num_threads", true},
                                                  {"MKL_Set_Num_Threads", "MKL_Get_Max_Threads", false},
                                                  {"omp_set_num_threads", "omp_get_max_threads", false}}};
  for (const Calls& calls : known) {
    void* set = symbol(calls.set);
    void* get = symbol(calls.get);
    if (set == nullptr || get == nullptr) {
      continue;
    }
    ThreadControl control;
    if (calls.wide) {
      control.set_ = [set](int threads) { reinterpret_cast<void (*)(std::int64_t)>(set)(threads); };
      control.get_ = [get] { return static_cast<int>(reinterpret_cast<std::int64_t (*)()>(get)()); };
    } else {
      control.set_ = reinterpret_cast<void (*)(int)>(set);
      control.get_ = reinterpret_cast<int (*)()>(get);
    }
    return control;
  }
  return std::nullopt;
}

std::string library_key(const LibraryIdentity& identity) {
  const std::string width = identity.integer_bytes == 4 ? "" : fmt::format(" {}-byte integers", identity.integer_bytes);
  return identity.digest + ' ' + identity.version + ' ' + identity.kernels + width;
}

}  // namespace flopcast::machine
