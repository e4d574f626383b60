#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/library.hpp"
#include "flopcast/measure/backend.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

enum class Clock : std::uint8_t { wall, cpu };

struct SessionOptions {
  StopRule stop;
  Clock clock = Clock::wall;
  std::uint64_t seed = 1;             ///< of the shuffling and of operands' values
  Seconds reference_interval = 0.03;  ///< the reference kernels run about this often
  bool normalise = true;              ///< fill in Repetition::drift; otherwise it stays 1
  /// Time of the reference kernel that counts as a drift of 1; 0: the first run's median. An earlier session's reference_time() makes both
  /// comparable.
  Seconds reference_time = 0;
  /// Reference solve over reference product while nothing else ran on the core, an earlier session's calm_solve(): then moments in which
  /// something does are told from the first one on. 0: unknown.
  double calm_solve = 0;
};

/// Progress of a run: repetitions done and expected. Return false to stop early; what was measured is kept.
using Progress = std::function<bool(std::int64_t done, std::int64_t expected)>;

/// Executes experiments on real memory and times them: repetitions of all experiments of one run() shuffled over the whole run, interleaved
/// with a reference kernel as drift guard; repetitions that were preempted, or slowed down by what else runs on their core (Drift), are
/// marked discarded and made again, in all twice as many at most as the stop rule wants.
class Session {
 public:
  Session(const machine::LibrarySet& libraries, Environment environment, SessionOptions options);
  /// The same on clocks and routines of the caller's own.
  Session(Backend backend, Environment environment, SessionOptions options);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs all experiments; result i belongs to experiment i. Throws environment_error if a routine is in no library or memory is short,
  /// bad_input if an experiment leaves its memory. When `progress` says so it returns early with what was measured, which may be nothing
  /// for some experiments.
  std::vector<Timings> run(std::span<const Experiment> experiments, const Progress& progress = {});

  /// Time of the reference kernel that counts as a drift of 1 in all runs of this session: its median in the first one, slow ones left out,
  /// unless the options say it; 0 before the first run.
  [[nodiscard]] Seconds reference_time() const;
  /// The median over all of this session, whatever counts as a drift of 1; 0 before anything was measured.
  [[nodiscard]] Seconds own_reference_time() const;
  /// Lower quartile of reference solve over reference product; 0 before a few were measured, or if there is no dtrsm.
  [[nodiscard]] double calm_solve() const;
  [[nodiscard]] const Environment& environment() const;
  [[nodiscard]] const SessionOptions& options() const;
  SessionOptions& options();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::measure
