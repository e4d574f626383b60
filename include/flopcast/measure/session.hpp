#pragma once

#include <memory>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/measure/session_options.hpp"
#include "flopcast/measure/session_services.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast::measure {

/// Executes and times experiments on real memory. The repetitions of all experiments of one run() are shuffled over the whole run,
/// interleaved with reference kernels as drift guard.
///
/// Several processes measure in turns of a tenth of a second (SessionServices::turns), so that none slows another one down.
///
/// Repetitions that were preempted, or slowed down by other programs on their core (Drift), are marked as discarded and made again. At most
/// twice as many repetitions are made as the stop rule wants.
class Session {
 public:
  Session(const machine::LibrarySet& libraries, Environment environment, SessionOptions options);
  /// Uses the caller's clocks and routines.
  Session(SessionServices services, Environment environment, SessionOptions options);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs all experiments; result i belongs to experiment i. Throws environment_error if no library has a routine or memory is short, and
  /// bad_input if an experiment leaves its memory. If `progress` returns false, the results so far are returned, which may be empty for
  /// some experiments.
  std::vector<Timings> run(std::span<const Experiment> experiments, const Progress& progress = {});

  /// Returns the time of the reference kernel that counts as a drift of 1 in all runs of this session: the median of the first run without
  /// slow references. Returns 0 before the first run.
  [[nodiscard]] Seconds reference_time() const;
  /// Takes a few references if there are none yet, and returns the present state of the machine.
  MachineState observe();
  /// Returns the lower quartile of the ratio of reference solve to reference product; 0 with too few references or without dtrsm.
  [[nodiscard]] double quiet_solve() const;
  [[nodiscard]] const Environment& environment() const;
  [[nodiscard]] const SessionOptions& options() const;
  SessionOptions& options();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::measure
