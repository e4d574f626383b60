#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "flopcast/core/routine_symbol.hpp"

/// Calls that don't come to a preloaded library by themselves. The dynamic linker gives a preloaded function to those who ask for its very
/// name and look into the whole program's libraries first. Others ask for other names (scipy_dgemm_64_), look into libraries of their own
/// first (RTLD_DEEPBIND), or take an address from one library (dlsym). Where a loaded object holds the address of a routine that the
/// preloaded library has a function for, a door is put in its place: a few instructions that note where the call was going and enter that
/// function. Objects that are loaded later are looked through when they have been loaded, or at the next dlopen or dlsym, whichever comes
/// first.
namespace flopcast::interpose {

/// A routine behind a door.
struct alignas(64) Redirected {
  void* stub;                       ///< the preloaded library's function, which the door enters
  void* definition;                 ///< where the call was going
  std::string_view prefix, suffix;  ///< around the routine's name in the library that defines it
  bool c;                           ///< whether it is a routine of CBLAS
  std::atomic<std::uint8_t> width;  ///< bytes of its integers; 0: not found out yet
};

/// The symbol of the preloaded library's function for a routine, whose name is in lower case; nullptr if it has none.
using OwnSymbol = const char* (*)(const RoutineSymbol& routine);

/// From now on calls of the routines that `own_symbol` knows are redirected. To be called by the library's constructor. Does nothing on
/// machines that it isn't written for.
void redirect_calls(OwnSymbol own_symbol) noexcept;

extern "C" {
/// The door that this thread came through and that no function has taken notice of yet.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Redirected* flopcast_entered;
}

/// The door through which the calling function of this library was entered; nullptr if it was called by its own name. To be asked once.
inline Redirected* entered() noexcept {
  Redirected* door = flopcast_entered;
  if (door != nullptr) [[unlikely]] {
    flopcast_entered = nullptr;
  }
  return door;
}

/// Bytes of the integers that the routine behind a door takes, found out once, by calling functions of its library.
int integer_bytes_of(Redirected& door) noexcept;

}  // namespace flopcast::interpose
