#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "flopcast/core/integer_width.hpp"
#include "flopcast/interpose/preloaded/redirect.hpp"
#include "flopcast/interpose/run_report.hpp"

/// How large a block size a program's workspace allows. LAPACK reduces a block size for which the workspace is too short, and asks for the
/// least one then; only the routine's caller knows how long the workspace is. So calls of tuned routines enter stubs, one per routine of the
/// catalogue with a workspace (generate_workspace_stubs.cpp).
namespace flopcast::interpose {

/// Of the innermost call of this thread that entered a stub.
struct Workspace {
  const char* routine = nullptr;       ///< "dgeqrf"; nullptr: there is none
  RoutineReport* short_for = nullptr;  ///< counts of the entry whose block size didn't fit; nullptr: it did
  std::int32_t told = 0;               ///< that block size
  std::int32_t probe = 0;              ///< what ilaenv answers meanwhile; 0: what the profile says
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Workspace workspace;

/// The symbol of the stub for `routine` ("dgeqrf"); nullptr if there is none.
const char* workspace_stub(std::string_view routine) noexcept;
/// Symbols of all stubs, "flopcast_workspace_dgeqrf"; the generator writes them.
extern const char* const workspace_stubs[];
extern const std::size_t workspace_stub_count;

/// A routine behind a stub, with arguments that all travel as pointers.
template <class... Pointers, std::size_t... places>
void call_routine(void* routine, void* const* arguments, std::index_sequence<places...> /*places*/) {
  reinterpret_cast<void (*)(Pointers...)>(routine)(static_cast<Pointers>(arguments[places])...);
}

/// Keeps the least block size that workspaces have allowed.
inline void note_allowed(RoutineReport& counts, std::int32_t allowed) noexcept {
  const auto value = static_cast<std::uint32_t>(allowed);
  std::uint32_t known = counts.allowed.load(std::memory_order_relaxed);
  while ((known == 0 || value < known) && !counts.allowed.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

/// The body of the stub for the routine called `name`: calls it and, if its workspace was too short for the block size that it was told, asks it which block
/// size needs no more. `work`, `size` and `info` are the places of these arguments, Real the type of the workspace's numbers.
template <std::size_t work, std::size_t size, std::size_t info, class Real, class... Pointers>
void with_workspace(const char* name, Pointers... pointers) {
  const Redirected* door = entered();
  if (door == nullptr) {
    return;  // nobody calls a stub by its name
  }
  void* all[] = {pointers...};
  constexpr auto places = std::index_sequence_for<Pointers...>();
  const Workspace outer = std::exchange(workspace, Workspace{name, nullptr, 0, 0});
  call_routine<Pointers...>(door->definition, all, places);
  const Workspace own = workspace;
  if (own.short_for != nullptr) {
    const std::int32_t room = *static_cast<const std::int32_t*>(all[size]);
    Real needed[2] = {0, 0};
    FortranInteger query = -1, result = 0;
    all[work] = needed;
    all[size] = &query;
    all[info] = &result;
    std::int32_t low = 1, high = own.told;  // LAPACK works with low, and not with high
    while (high - low > 1) {
      workspace.probe = low + (high - low) / 2;
      call_routine<Pointers...>(door->definition, all, places);
      (needed[0] <= static_cast<Real>(room) ? low : high) = workspace.probe;
    }
    note_allowed(*own.short_for, low);
  }
  workspace = outer;
}

}  // namespace flopcast::interpose
