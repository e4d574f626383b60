#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/program/peak.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"

/// Predictions of a recorded program's calls under other circumstances.
namespace flopcast {

/// A question, as `--what-if` puts it.
struct WhatIf {
  std::string text;            ///< as the user put it
  std::string blas, lapack;    ///< empty: as recorded
  std::optional<int> threads;  ///< nothing: as recorded
  std::string kernels;         ///< auto or library; empty: as --kernels says
  bool tuned_blocks = false;   ///< nb: LAPACK gets the best block sizes
  bool told_by_asker = false;  ///< why it can't be answered is told by who asks

  /// The recorded libraries and threads, nothing else.
  [[nodiscard]] bool is_same() const { return !predicts_other_calls() && !tuned_blocks; }
  /// Whether BLAS and LAPACK are predicted at all; otherwise only block sizes change what was measured.
  [[nodiscard]] bool predicts_calls() const { return !tuned_blocks || predicts_other_calls(); }

 private:
  [[nodiscard]] bool predicts_other_calls() const { return !blas.empty() || !lapack.empty() || threads || !kernels.empty(); }
};

/// Reads `same`, or a list with commas of `blas=NAME`, `lapack=NAME`, `threads=N`, `kernels=auto|library` and `nb`. Throws usage_error saying what is wrong.
WhatIf parse_what_if(const std::string& text);

/// A block size chosen for the calls of one shape.
struct BlockChoice {
  std::size_t shape = 0;  ///< index into the breakdown's shapes
  std::string routine;    ///< that asks: the shape's own or, as dgetrf in dgesv, one below it
  std::int64_t standard = 0, chosen = 0;
  std::int64_t chosen_crossover = 0;
  Seconds standard_seconds = 0, chosen_seconds = 0;  ///< predicted, of that routine in the shape's longest call
  double regret = 0;
  bool undecided = false;             ///< the standard is kept
  std::int64_t workspace_allows = 0;  ///< the largest block size that the program's workspace has room for; 0: any
};

/// What is predicted of one thread's calls.
struct ThreadAnswer {
  std::size_t thread = 0;  ///< index into ProgramSummary::threads
  Trace trace;             ///< as called, with what was recorded
  Seconds by_models = 0;
  prediction::Prediction prediction;  ///< call by call; the interval is the thread's share of the whole one
};

/// The answer, or why there is none.
struct Answer {
  WhatIf question;
  std::string failure;                         ///< why it can't be answered, and what can be asked; empty: it is
  ExitCode failure_code = ExitCode::done;      ///< of what went wrong
  std::string place;                           ///< "blis 0.9.0 with 2 threads, LAPACK reference 3.11.0"
  std::optional<Environment> environment;      ///< where it was predicted
  std::vector<std::optional<Seconds>> shapes;  ///< of every shape of the breakdown; nothing where no prediction can be made
  Seconds recorded = 0;                        ///< what the calls that are predicted took
  Seconds by_models = 0;                       ///< what the models alone expect of them
  /// by_models, where the recorded time can't be compared with; else what the models expect to change in it (predict/transferred_time): nothing
  /// where it was recorded.
  Seconds predicted = 0;
  Interval interval;  ///< 95 %
  double extrapolated_share = 0;
  std::vector<ThreadAnswer> threads;  ///< where calls are predicted
  Seconds by_numbers = 0;  ///< recorded in calls that stay as they are: their numbers (NaN, denormals), not the library, made them slow
  std::vector<BlockChoice> blocks;  ///< nb: what was chosen
  std::size_t untuned = 0;          ///< nb: shapes that ask for a block size, but are too light to be looked at
};

/// Answers all questions; kernels are sampled where the store lacks samples, for `budget` seconds in all. `place` is where the program was
/// recorded. What can't be answered is said before anything is measured, and has an answer with a failure.
std::vector<Answer> answer(const std::vector<WhatIf>& questions, const interpose::ProgramTraceFile& file,
                           const interpose::ProgramBreakdown& breakdown, const interpose::RecordedPlace& place, const std::string& kernels,
                           Seconds budget, const RunContext& context);

}  // namespace flopcast
