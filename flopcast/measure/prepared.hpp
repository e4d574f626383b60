#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/address_map.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/measure/session_services.hpp"

namespace flopcast::measure {

/// Returns the bytes of real memory that `experiment` needs. Throws bad_input if the experiment contradicts itself.
std::int64_t memory_bytes(const Experiment& experiment);

/// An experiment at real addresses whose calls are prepared, so that each repetition does as little as possible.
class Prepared {
 public:
  /// Requires memory_bytes(experiment) bytes at `base`. Throws environment_error if no library has a routine, and bad_input if a call
  /// leaves its memory.
  Prepared(const Experiment& experiment, std::uintptr_t base, const SessionServices& services, std::uint64_t seed);

  /// Executes the setup in order. With a batch on copies, each action is done on all copies before the next one. Every fill writes other
  /// values: a CPU that has just seen the same values predicts the branches that depend on them, which made dgeqr2 of BLIS up to 30 %
  /// faster than in programs.
  void set_up(Sweeper& sweeper);
  /// Executes the timed calls. The readings of `timer` before the first call, between calls and after the last one are written to `ticks`,
  /// which must have room for intervals() + 1. A batch is one interval.
  void run(const Timer& timer, std::int64_t* ticks);

  [[nodiscard]] std::size_t intervals() const noexcept { return batch_ > 1 ? 1 : timed_calls_.size(); }
  [[nodiscard]] std::int64_t batch() const noexcept { return batch_; }
  [[nodiscard]] int threads() const noexcept { return timed_calls_.front().threads; }
  /// Returns the timed calls at real addresses.
  [[nodiscard]] const std::vector<Call>& timed_calls() const noexcept { return timed_calls_; }
  /// Returns LAPACK's return code of timed call `i` in the last run.
  [[nodiscard]] int info(std::size_t i) const { return perform_ ? infos_[i] : timed_[i].outcome().info; }
  /// Returns every library function that a repetition calls, as far as known.
  [[nodiscard]] const std::vector<kernel::Function>& functions() const noexcept { return functions_; }

 private:
  struct SetupStep {
    Action::What what = Action::What::execute;
    int level = 0;
    Region region;
    std::size_t index = 0;  ///< index into fills_, executions_, performances_ or hooks_
  };

  void add(const Action& action, const AddressMap& map, const SessionServices& services);
  kernel::Invocation invocation(const Call& call, const SessionServices& services);
  std::uint64_t next_seed() noexcept;
  /// Executes every timed call once, on each copy of the memory, and calls `after` after each.
  template <class After>
  void run_once(After after);

  std::uint64_t seed_;
  std::int64_t batch_, repeats_ = 1;
  std::vector<SetupStep> steps_;
  std::vector<Call> fills_;
  std::vector<kernel::Invocation> executions_;
  std::vector<std::function<void()>> hooks_;
  std::vector<kernel::Invocation> timed_;  ///< each timed call, or the only one on each copy; empty with perform_
  std::function<std::int32_t(const Call&)> perform_;
  std::vector<Call> performed_;      ///< used instead of timed_
  std::vector<std::int32_t> infos_;  ///< results of performed_
  std::vector<Call> performances_;
  std::vector<Call> timed_calls_;
  std::vector<kernel::Function> functions_;
};

}  // namespace flopcast::measure
