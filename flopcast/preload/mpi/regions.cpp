#include "flopcast/regions.h"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>

#include "flopcast/preload/mpi/session.hpp"

/// Regions of the program's own code, as described in flopcast/regions.h.
namespace flopcast::preload::mpi {

namespace {

/// Begins a region of the program's own code. Returns false if the region is to be skipped; the region has then ended, too. A region inside
/// another one belongs to the outer one.
bool enter_region(TracingSession& all, const std::string& name, std::span<const std::int64_t> sizes, bool may_be_skipped) {
  if (all.ledger.region().is_open() || !all.ledger.measures()) {
    all.ledger.region().nest();
    return true;
  }
  all.ledger.leave_program();
  selective::KernelKey key{selective::KernelKind::region, all.regions.number(name), {}, std::ssize(sizes)};
  std::copy(sizes.begin(), sizes.end(), key.words.begin());
  const bool executed = all.ledger.enter_region(all.kernels.table.number(key), may_be_skipped);
  all.clock.return_to_program();
  return executed;
}

/// Returns the session if it traces this thread's actions now.
TracingSession* traced() noexcept {
  TracingSession* all = session();
  return all != nullptr && all->gate.traces_program() ? all : nullptr;
}

int enter(const char* name, int count, const std::int64_t* sizes, int may_be_skipped) {
  constexpr int max_sizes = 8;
  TracingSession* all = traced();
  if (all == nullptr) {
    return 1;
  }
  const auto turn = all->gate.turn();
  if (name == nullptr || count < 0 || count > max_sizes || (count > 0 && sizes == nullptr)) {
    std::fprintf(stderr, "flopcast: region '%s' has %d sizes, expected a name and 0 to %d; it is executed, and counts without sizes\n",
                 name == nullptr ? "" : name, count, max_sizes);
    return enter_region(*all, name == nullptr ? "?" : name, {}, false) ? 1 : 0;
  }
  return enter_region(*all, name, {sizes, static_cast<std::size_t>(count)}, may_be_skipped != 0) ? 1 : 0;
}

/// Runs `action` on the session if this thread's actions are traced now.
template <class Action>
void act(Action action) {
  if (TracingSession* all = traced()) {
    const auto turn = all->gate.turn();
    action(*all);
  }
}

void leave() {
  act([](TracingSession& all) {
    if (all.ledger.region().leave() && all.ledger.measures()) {
      all.ledger.leave_program();
      all.ledger.leave_region();
      all.clock.return_to_program();
    }
  });
}

void measure(int on) {
  act([on](TracingSession& all) { all.measure(on != 0); });
}

void reset() {
  act([](TracingSession& all) { all.reset(); });
}

/// Returns -1 if the launch has no list of executions. The program's only configuration is then its command line's.
int next_configuration() {
  TracingSession* all = traced();
  return all == nullptr || all->executions.empty() ? -1 : all->next_configuration() ? 1 : 0;
}

const char* parameter(const char* name) {
  TracingSession* all = traced();
  const std::string* value = all == nullptr || name == nullptr ? nullptr : all->executions.value(name);
  return value != nullptr ? value->c_str() : nullptr;
}

}  // namespace
}  // namespace flopcast::preload::mpi

extern "C" {
#pragma GCC visibility push(default)

const flopcast_region_hooks* flopcast_region_hooks_2() {
  namespace mpi = flopcast::preload::mpi;
  static constexpr flopcast_region_hooks hooks = {mpi::enter,    mpi::leave, mpi::measure, mpi::reset, mpi::next_configuration,
                                                  mpi::parameter};
  return &hooks;
}

#pragma GCC visibility pop
}
