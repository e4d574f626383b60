#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/program_tables.hpp"
#include "flopcast/cli/recorded_place.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"

/// Predictions of a recorded program's calls under other circumstances.
namespace flopcast::cli {

/// A question, as `--what-if` puts it.
struct WhatIf {
  std::string text;            ///< as the user put it
  std::string blas, lapack;    ///< empty: as recorded
  std::optional<int> threads;  ///< nothing: as recorded
  bool tuned_blocks = false;   ///< nb: LAPACK gets the best block sizes

  /// The recorded libraries and threads, nothing else.
  [[nodiscard]] bool is_same() const { return blas.empty() && lapack.empty() && !threads && !tuned_blocks; }
  /// Whether BLAS and LAPACK are predicted at all; otherwise only block sizes change what was measured.
  [[nodiscard]] bool predicts_calls() const { return !tuned_blocks || !blas.empty() || !lapack.empty() || threads.has_value(); }
};

/// Reads `same`, or a list with commas of `blas=NAME`, `lapack=NAME`, `threads=N` and `nb`. Throws usage_error saying what is wrong.
WhatIf parse_what_if(const std::string& text);

/// A block size chosen for the calls of one shape.
struct BlockChoice {
  std::size_t shape = 0;  ///< index into the breakdown's shapes
  std::string routine;    ///< that asks: the shape's own or, as dgetrf in dgesv, one below it
  std::int64_t standard = 0, chosen = 0;
  std::int64_t chosen_crossover = 0;
  Seconds standard_seconds = 0, chosen_seconds = 0;  ///< predicted, of that routine in the shape's longest call
  double regret = 0;
  bool undecided = false;  ///< the standard is kept
};

/// The answer.
struct Answer {
  WhatIf question;
  std::string place;                           ///< "blis 0.9.0 with 2 threads, LAPACK reference 3.11.0"
  std::optional<Environment> environment;      ///< where it was predicted
  std::vector<std::optional<Seconds>> shapes;  ///< of every shape of the breakdown; nothing where no prediction can be made
  Seconds recorded = 0;                        ///< what the calls that are predicted took
  Seconds by_models = 0;                       ///< what the models alone expect of them
  /// by_models, where it is the recorded place or one that can't be compared; else what the models expect to change in the recorded time
  /// (predict/carried_over).
  Seconds predicted = 0;
  Interval interval;  ///< 95 %
  double extrapolated_share = 0;
  std::vector<BlockChoice> blocks;  ///< nb: what was chosen
  std::size_t untuned = 0;          ///< nb: shapes that ask for a block size, but are too light to be looked at
};

/// Answers all questions; kernels are sampled where the store lacks samples, for `budget` seconds in all. `place` is where the program was
/// recorded. Throws bad_input if a question needs to know a library that the recording doesn't name.
std::vector<Answer> answer(const std::vector<WhatIf>& questions, const interpose::ProgramTraceFile& file,
                           const interpose::ProgramBreakdown& breakdown, const RecordedPlace& place, const std::string& kernels,
                           Seconds budget, const CommonOptions& common);

}  // namespace flopcast::cli
