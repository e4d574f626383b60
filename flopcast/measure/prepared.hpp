#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/address_map.hpp"
#include "flopcast/measure/backend.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// Bytes of real memory that `experiment` needs; throws bad_input if the experiment contradicts itself.
std::int64_t memory_bytes(const Experiment& experiment);

/// An experiment at real addresses, its calls ready to be made: as little as possible is left to do at each repetition.
class Prepared {
 public:
  /// `base`: memory_bytes(experiment) bytes. Throws environment_error if a routine is in no library, bad_input if a call leaves its memory.
  Prepared(const Experiment& experiment, std::uintptr_t base, const Backend& backend, std::uint64_t seed);

  /// The setup, in order. Of a batch on copies each action is done to all copies before the next one.
  void set_up(Sweeper& sweeper);
  /// Makes the timed calls; writes what `timer` says before the first, between any two and after the last to `ticks`, which has room for
  /// intervals() + 1. A batch is one interval.
  void run(const Timer& timer, std::int64_t* ticks);

  [[nodiscard]] std::size_t intervals() const noexcept { return batch_ > 1 ? 1 : timed_calls_.size(); }
  [[nodiscard]] std::int64_t batch() const noexcept { return batch_; }
  [[nodiscard]] int threads() const noexcept { return timed_calls_.front().threads; }
  /// The timed calls at real addresses.
  [[nodiscard]] const std::vector<Call>& timed_calls() const noexcept { return timed_calls_; }
  /// LAPACK's return code of timed call `i` in the last run.
  [[nodiscard]] int info(std::size_t i) const { return perform_ ? infos_[i] : timed_[i].outcome().info; }
  /// Every function that a repetition calls, as far as it is known.
  [[nodiscard]] const std::vector<kernel::Function>& functions() const noexcept { return functions_; }

 private:
  struct Step {
    Action::What what = Action::What::execute;
    int level = 0;
    Region region;
    std::size_t index = 0;  ///< into fills_, executions_, performances_ or hooks_
  };

  void add(const Action& action, const AddressMap& map, const Backend& backend);
  kernel::Invocation invocation(const Call& call, const Backend& backend);
  /// Makes every timed call once, on each copy of the memory, and calls `after` behind each.
  template <class After>
  void run_once(After after);

  std::uint64_t seed_;
  std::int64_t batch_, repeats_ = 1;
  std::vector<Step> steps_;
  std::vector<Call> fills_;
  std::vector<kernel::Invocation> executions_;
  std::vector<std::function<void()>> hooks_;
  std::vector<kernel::Invocation> timed_;  ///< each timed call, or the only one on each copy; none with perform_
  std::function<std::int32_t(const Call&)> perform_;
  std::vector<Call> performed_;      ///< in place of timed_
  std::vector<std::int32_t> infos_;  ///< of performed_
  std::vector<Call> performances_;
  std::vector<Call> timed_calls_;
  std::vector<kernel::Function> functions_;
};

}  // namespace flopcast::measure
