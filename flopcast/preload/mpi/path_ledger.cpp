#include "flopcast/preload/mpi/path_ledger.hpp"

#include <algorithm>

namespace flopcast::preload::mpi {

void PathLedger::begin(int rank) {
  rank_ = rank;
  path_ = path::CriticalPath(rank);
  path_.reserve_log();
  spent_ = {};
  polling_.forget();
  drop_region();
  region_loads_.clear();
  waits_.forget();
}

void PathLedger::count_until_now() noexcept {
  waited_on_path(end_polling(0, 0));
  static_cast<void>(path_to_send());
  clock_.note_system_time(measures_ ? &spent_ : nullptr);
}

void PathLedger::measure(bool on) noexcept {
  count_until_now();
  drop_region();
  measures_ = on;
  on ? clock_.start() : clock_.stop();
}

selective::TimeSpent PathLedger::spent() const noexcept {
  selective::TimeSpent all = spent_;
  all.waiting = path_.own().idle;
  return all;
}

void PathLedger::executed(std::uint32_t kernel, selective::Cause cause, Seconds started, Seconds seconds) {
  spent_.preparing += started - clock_.called();
  spent_.add_computation(cause, seconds);
  if (measures_) {
    show(Activity::computation, started, started + seconds);
    events_.add(clock_.wall_at(started) - origin_, seconds, kernel);
  }
  computed(kernel, seconds, true);
  return_to_program();
}

void PathLedger::skipped(std::uint32_t kernel) {
  kernels_.decisions.skipped();
  computed(kernel, kernels_.estimate(kernel), false);
  return_to_program();
  spent_.skipping += clock_.in_call();
}

void PathLedger::executed(const Communication& communication, Seconds measured, Seconds idle, const Communication& model) {
  const bool modelled = clock_.is_cpu_time();
  communicated(communication, modelled ? kernels_.modelled(model) : measured, true, modelled ? 0 : idle);
}

void PathLedger::skipped(const Communication& communication) { communicated(communication, kernels_.estimate(communication), false, 0); }

void PathLedger::computed(std::uint32_t kernel, Seconds seconds, bool executed) {
  if (!measures_) {
    return;
  }
  const selective::PathContribution counted = kernels_.note_time(kernel, seconds, executed);
  path_.add({.time = counted.seconds, .computation = counted.seconds, .flops = kernels_.table[kernel].flops});
  note_on_path(kernel, counted);
}

void PathLedger::communicated(const Communication& communication, Seconds seconds, bool executed, Seconds idle) {
  constexpr double bytes_per_word = 8;
  region_.note_communication();
  if (!measures_) {
    return;
  }
  spent_.messages += executed ? seconds : 0;
  waits_.add(idle);
  waited_in_call_ += idle;
  const std::uint32_t kernel = kernels_.number(communication);
  const selective::PathContribution counted = kernels_.note_time(kernel, seconds, executed);
  path_.add({.time = counted.seconds + idle,
             .communication = counted.seconds,
             .idle = idle,
             .supersteps = 1,
             .words = static_cast<double>(communication.bytes) / bytes_per_word});
  note_on_path(kernel, counted);
}

void PathLedger::note_on_path(std::uint32_t kernel, const selective::PathContribution& counted) {
  path_.add_kernel(kernel, counted.expected, counted.estimated);
  note_last(kernel);
}

void PathLedger::note_last(std::uint32_t kernel) {
  gaps_.note_kernel(kernel);
  kernels_.note_on_path(kernel);
}

void PathLedger::waited_on_path(Seconds seconds) noexcept {
  if (measures_ && !clock_.is_cpu_time()) {
    path_.add({.time = seconds, .idle = seconds});
    waits_.add(seconds);
    waited_in_call_ += seconds;
  }
}

Seconds PathLedger::end_polling(Seconds since, Seconds usual) noexcept {
  const Polling::Ended ended = polling_.end(since, usual);
  waited(ended.waited);
  return ended.under_way;
}

bool PathLedger::enter_region(std::uint32_t kernel, bool may_be_skipped) {
  if (may_be_skipped && !region_.is_known_to_communicate(kernels_.table[kernel].key.routine) && !wants_execution(kernel)) {
    kernels_.decisions.skipped();
    computed(kernel, kernels_.estimate(kernel), false);
    return false;
  }
  path_.name_part();
  before_region_ = path_.own();
  region_began_ = since_start();
  waits_.note_region(kernels_.table[kernel].key.routine);
  region_.open(kernel, may_be_skipped ? kernels_.decisions.cause() : selective::Cause::always);
  return true;
}

void PathLedger::drop_region() noexcept {
  region_.drop();
  waits_.note_region(0);
}

void PathLedger::leave_region() {
  waits_.note_region(0);
  const Seconds seconds = region_.seconds();
  region_.remember(kernels_.table[region_.kernel()].key.routine);
  events_.add(region_began_, since_start() - region_began_, region_.kernel());
  add_load(kernels_.table[region_.kernel()].key.routine);
  spent_.program -= seconds;
  spent_.add_computation(region_.cause(), seconds);
  kernels_.note_time(region_.kernel(), seconds, true);
  path_.name_execution(region_.kernel());  // its computation is on the path already
  note_last(region_.kernel());
}

void PathLedger::add_load(std::uint32_t region) {
  auto found = std::find_if(region_loads_.begin(), region_loads_.end(), [region](const RegionLoad& each) { return each.region == region; });
  if (found == region_loads_.end()) {
    found = region_loads_.insert(found, {.region = region});
  }
  found->time += path_.own().time - before_region_.time;
  found->useful += path_.own().computation - before_region_.computation;
}

}  // namespace flopcast::preload::mpi
