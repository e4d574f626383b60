#pragma once

#include <link.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "flopcast/core/routine.hpp"
#include "flopcast/support/bindings.hpp"

/// Redirects calls that don't reach a preloaded library by themselves. The dynamic linker hands out a preloaded function only for its exact
/// name, and only to callers that look into the whole program's libraries first. Other callers use other names (scipy_dgemm_64_), look into
/// their own libraries first (RTLD_DEEPBIND), or take an address from one library (dlsym). Where a loaded object holds the address of such
/// a routine, the address is replaced by a trampoline: a few instructions that note the original destination and enter the preloaded
/// library's function. Objects that are loaded later are searched after loading, or at the next dlopen or dlsym, whichever comes first.
namespace flopcast::preload {

/// A routine behind a trampoline.
struct alignas(64) Redirected {
  void* stub;                         ///< the preloaded library's function, which the trampoline enters
  void* definition;                   ///< original destination of the call
  std::string_view prefix, suffix;    ///< parts around the routine's name in the library that defines it
  bool c;                             ///< the routine belongs to CBLAS
  std::atomic<std::uint8_t> width;    ///< bytes of its integers; 0: not determined yet
  std::atomic<std::uint8_t> library;  ///< number that the preloaded library has given to its library; 0: none
};

/// Returns the symbol of the preloaded library's function for a routine whose name is in lower case; nullptr if it has none.
using OwnSymbol = const char* (*)(const RoutineSymbol& routine);

/// Other functions to replace, beside routines. A null pointer replaces none.
struct Replacements {
  /// Returns the function that replaces function `name` in objects that look into their own libraries first; nullptr: none does.
  void* (*deep)(std::string_view name) noexcept;
  /// Returns the function that replaces `function`, called `name`, in objects of other namespaces. Called where `deep` replaces it
  /// elsewhere.
  void* (*apart)(std::string_view name, void* function) noexcept;
  /// Returns the function that `binding` of `object` is to lead to, whatever it leads to now; nullptr: it stays.
  void* (*always)(const link_map& object, const Binding& binding) noexcept = nullptr;
  /// Returns the function that dlsym is to return in place of `function`, called `name`; nullptr: `function` stays.
  void* (*asked_for)(const char* name, void* function) noexcept = nullptr;
};

/// Redirects, from now on, calls of the routines that `own_symbol` knows. The library's constructor calls it. Calls in other namespaces of
/// the dynamic linker (dlmopen) stay as they are: they may come from threads of another C library, and functions that keep data per thread
/// must not be called from these. Does nothing on machines for which trampolines aren't implemented.
void redirect_calls(OwnSymbol own_symbol, const Replacements& replacements) noexcept;

/// Redirects the calls of objects that were loaded since the last look, as dlopen() and dlsym() do at their next call. Takes milliseconds where
/// there are many.
void redirect_new_objects() noexcept;

/// Redirects the calls of one loaded object that looks into its own libraries first. `own_symbol` is always the same function.
void redirect_calls_of(const link_map& object, OwnSymbol own_symbol) noexcept;

extern "C" {
/// The trampoline through which this thread entered, until a function has taken it.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Redirected* flopcast_entered;
}

/// Returns the trampoline through which the calling function of this library was entered; nullptr if it was called by its own name. A
/// second call returns nullptr.
inline Redirected* entered() noexcept {
  Redirected* trampoline = flopcast_entered;
  if (trampoline != nullptr) [[unlikely]] {
    flopcast_entered = nullptr;
  }
  return trampoline;
}

/// Returns the bytes of the integers that the routine behind a trampoline takes. They are determined once, by calling functions of its
/// library.
int integer_bytes_of(Redirected& trampoline) noexcept;

}  // namespace flopcast::preload
