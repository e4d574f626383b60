#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/library.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

enum class Clock : std::uint8_t { wall, cpu };

struct SessionOptions {
  StopRule stop;
  Clock clock = Clock::wall;
  std::uint64_t seed = 1;                 ///< of the shuffling and of operands' values
  Seconds reference_interval = 0.1;       ///< the reference kernel (dgemm 256^3) runs about this often; measured.md: halves errors
  bool normalise = true;                  ///< fill in Repetition::drift; otherwise it stays 1
};

/// Progress of a run: repetitions done and expected. Return false to stop early; what was measured is kept.
using Progress = std::function<bool(std::int64_t done, std::int64_t expected)>;

/// Executes experiments on real memory and times them: repetitions of all experiments of one run() shuffled over the whole run, interleaved with a
/// reference kernel as drift guard; repetitions that were preempted are marked discarded.
class Session {
 public:
  Session(machine::LibrarySet libraries, Environment environment, SessionOptions options);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Runs all experiments; result i belongs to experiment i. Throws environment_error if a routine is in no library or memory is short,
  /// and passes on interruption by returning early when `progress` says so.
  std::vector<Timings> run(std::span<const Experiment> experiments, const Progress& progress = {});

  /// Median time of the reference kernel over the session so far: the state to which normalised times refer.
  [[nodiscard]] Seconds reference_time() const;
  [[nodiscard]] const Environment& environment() const;
  [[nodiscard]] const SessionOptions& options() const;
  SessionOptions& options();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::measure
