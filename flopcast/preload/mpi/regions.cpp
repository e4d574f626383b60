#include "flopcast/regions.h"

#include <mpi.h>

#include <algorithm>
#include <cstdio>

#include "flopcast/preload/mpi/session.hpp"
#include "flopcast/preload/mpi/traffic.hpp"

/// Regions of the program's own code, as described in flopcast/regions.h.
namespace flopcast::preload::mpi {

bool Session::enter_region(const std::string& name, std::span<const std::int64_t> sizes, bool may_be_left_out) {
  if (region_.is_open() || !measures_) {
    region_.nest();
    return true;
  }
  leave_program();
  selective::KernelKey key{selective::KernelKind::region, regions_.number(name), {}, std::ssize(sizes)};
  std::copy(sizes.begin(), sizes.end(), key.words.begin());
  const std::uint32_t kernel = kernels_.number(key);
  if (may_be_left_out && !region_.is_known_to_communicate(key.routine) && !wants_execution(kernel)) {
    note_left_out();
    computed(kernel, estimate(kernel), false);
    return_to_program();
    return false;
  }
  region_.open(kernel, may_be_left_out ? cause() : selective::Cause::always);
  return_to_program();
  return true;
}

void Session::leave_region() {
  if (!region_.leave() || !measures_) {
    return;
  }
  leave_program();
  const Seconds seconds = region_.seconds();
  region_.remember(kernels_[region_.kernel()].key.routine);
  spent_.program -= seconds;
  spent_.add_computation(region_.cause(), seconds);
  note_time(region_.kernel(), seconds, true);
  note_on_path(region_.kernel(), {seconds, seconds, false});  // its computation is on the path already
  return_to_program();
}

void Session::measure(bool on) {
  if (on == measures_) {
    return;
  }
  leave_program();
  waited_on_path(settle_polling(0, 0));
  note_system_time();
  region_.drop();
  measures_ = on;
  on ? clock_.start() : clock_.stop();
  on ? core_time_.start() : core_time_.stop();
  return_to_program();
}

void Session::control(int level) {
  if (gate_.follows_program()) {
    const auto turn = gate_.turn();
    measure(level > 0);
  }
}

void Session::count_anew() {
  PMPI_Barrier(world_);
  for (std::uint32_t i = 0; i < kernels_.kernels().size(); ++i) {
    selective::Kernel& kernel = kernels_[i];
    kernel.executed = kernel.in_context = kernel.along = {};
    kernel.skipped = 0;
  }
  path_ = path::CriticalPath(rank_);
  path_.reserve_log();
  counts_ = {};
  spent_ = {};
  polling_.forget();
  clock_.note_system_time(nullptr);
  calls_ = {};
  forget_traffic();
  region_.drop();
  skipping_.begin_epoch();
  PMPI_Barrier(world_);
  clock_.restart();
  core_time_.restart();
  waits_.forget();
}

void Session::reset() {
  decisions_.begin_anew();
  count_anew();
  return_to_program();
}

namespace {

/// Returns the session if it follows this thread's actions now.
Session* followed() noexcept {
  Session* all = session();
  return all != nullptr && all->gate().follows_program() ? all : nullptr;
}

int enter(const char* name, int count, const std::int64_t* sizes, int may_be_left_out) {
  constexpr int max_sizes = 8;
  Session* all = followed();
  if (all == nullptr) {
    return 1;
  }
  const auto turn = all->gate().turn();
  if (name == nullptr || count < 0 || count > max_sizes || (count > 0 && sizes == nullptr)) {
    std::fprintf(stderr, "flopcast: region '%s' has %d sizes, expected a name and 0 to %d; it is executed, and counts without sizes\n",
                 name == nullptr ? "" : name, count, max_sizes);
    return all->enter_region(name == nullptr ? "?" : name, {}, false) ? 1 : 0;
  }
  return all->enter_region(name, {sizes, static_cast<std::size_t>(count)}, may_be_left_out != 0) ? 1 : 0;
}

void leave() {
  if (Session* all = followed()) {
    const auto turn = all->gate().turn();
    all->leave_region();
  }
}

void measure(int on) {
  if (Session* all = followed()) {
    const auto turn = all->gate().turn();
    all->measure(on != 0);
  }
}

void reset() {
  if (Session* all = followed()) {
    const auto turn = all->gate().turn();
    all->reset();
  }
}

/// Returns -1 if the launch has no list of executions. The program's only configuration is then its command line's.
int next_configuration() {
  Session* all = followed();
  return all == nullptr || all->executions().empty() ? -1 : all->next_configuration() ? 1 : 0;
}

const char* parameter(const char* name) {
  Session* all = followed();
  const std::string* value = all == nullptr || name == nullptr ? nullptr : all->executions().value(name);
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
