#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "flopcast/core/routine.hpp"
#include "flopcast/core/work_size.hpp"
#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/protocol/run_report.hpp"

/// Determines the block size that a program's workspace allows. LAPACK reduces a block size for which the workspace is too short, and then
/// queries the least useful one. Only the routine's caller knows the workspace's length. Therefore calls of tuned routines enter stubs, one
/// per catalogue routine with a workspace (generate_workspace_stubs.cpp).
namespace flopcast::preload {

/// State of the innermost call of this thread that entered a stub.
struct StubCall {
  const char* routine = nullptr;                 ///< "dgeqrf"; nullptr: no such call
  protocol::RoutineReport* short_for = nullptr;  ///< counts of the entry whose block size didn't fit; nullptr: it fitted
  std::int32_t returned = 0;                     ///< the block size that was returned
  std::int32_t probe = 0;                        ///< ilaenv's answer during the search; 0: the tuning file's answer
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local StubCall workspace;

/// Returns the symbol of the stub for `routine` ("dgeqrf"); nullptr if there is none.
const char* workspace_stub(std::string_view routine) noexcept;
/// Symbols of all stubs, such as "flopcast_workspace_dgeqrf", written by the generator.
extern const char* const workspace_stubs[];
extern const std::size_t workspace_stub_count;

/// Calls a routine behind a stub, with arguments that are all passed as pointers.
template <class... Pointers, std::size_t... places>
void call_routine(void* routine, void* const* arguments, std::index_sequence<places...> /*places*/) {
  reinterpret_cast<void (*)(Pointers...)>(routine)(static_cast<Pointers>(arguments[places])...);
}

/// Keeps the least block size that workspaces have allowed.
inline void note_allowed(protocol::RoutineReport& counts, std::int32_t allowed) noexcept {
  const auto value = static_cast<std::uint32_t>(allowed);
  std::uint32_t known = counts.allowed.load(std::memory_order_relaxed);
  while ((known == 0 || value < known) && !counts.allowed.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

/// The body of the stub for the routine called `name` behind `trampoline`. It calls the routine and, if the workspace was too short for the returned block
/// size, searches the largest block size that fits, by workspace queries. `work`, `size` and `info` are the positions of these arguments;
/// Real is the type of the workspace's numbers.
template <std::size_t work, std::size_t size, std::size_t info, class Real, class... Pointers>
void with_workspace(const Redirected* trampoline, const char* name, Pointers... pointers) {
  if (trampoline == nullptr) {
    return;  // stubs are not called by name
  }
  void* all[] = {pointers...};
  constexpr auto places = std::index_sequence_for<Pointers...>();
  const StubCall outer = std::exchange(workspace, StubCall{name, nullptr, 0, 0});
  call_routine<Pointers...>(trampoline->definition, all, places);
  const StubCall own = workspace;
  if (own.short_for != nullptr) {
    const std::int32_t room = *static_cast<const std::int32_t*>(all[size]);
    Real needed[2] = {0, 0};
    FortranInteger query = -1, result = 0;
    all[work] = needed;
    all[size] = &query;
    all[info] = &result;
    std::int32_t low = 1, high = own.returned;  // `low` fits the workspace, and `high` doesn't
    while (high - low > 1) {
      workspace.probe = low + (high - low) / 2;
      call_routine<Pointers...>(trampoline->definition, all, places);
      (answered_elements(needed[0]) <= room ? low : high) = workspace.probe;
    }
    note_allowed(*own.short_for, low);
  }
  workspace = outer;
}

}  // namespace flopcast::preload
