#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/text_number.hpp"
#include "flopcast/support/units.hpp"

/// Predictions of a recorded program's calls under other circumstances.
namespace flopcast {

/// A change of a recorded program's circumstances.
struct WhatIf {
  std::string blas, lapack;    ///< names or paths; empty: as recorded
  std::optional<int> threads;  ///< threads of BLAS; nothing: as recorded
  std::string kernels;         ///< "auto": the best kernels of BLAS for this CPU; "library": its own choice; empty: WhatIfOptions::kernels
  bool tuned_blocks = false;   ///< LAPACK gets the best block sizes
  friend bool operator==(const WhatIf&, const WhatIf&) = default;

  /// Returns whether nothing changes.
  [[nodiscard]] bool is_same() const { return !changes_calls() && !tuned_blocks; }
  /// Returns whether the time of BLAS and LAPACK calls is predicted. Otherwise only block sizes change the recorded times.
  [[nodiscard]] bool predicts_calls() const { return !tuned_blocks || changes_calls(); }

 private:
  [[nodiscard]] bool changes_calls() const { return !blas.empty() || !lapack.empty() || threads || !kernels.empty(); }
};

/// Reads `same`, or a list with commas of `blas=NAME`, `lapack=NAME`, `threads=N`, `kernels=auto|library` and `nb`. Throws usage_error that
/// names the wrong part.
WhatIf parse_what_if(const std::string& text);
/// Returns the text that parse_what_if reads: "same", "blas=blis,threads=2,nb".
std::string to_string(const WhatIf& question);

/// A block size chosen for the calls of one shape.
struct BlockChoice {
  std::size_t shape = 0;  ///< index into ProgramProfile::shapes
  std::string routine;    ///< routine that queries ilaenv: the shape's own or, as dgetrf in dgesv, one below it
  std::int64_t default_nb = 0, chosen_nb = 0;
  std::int64_t chosen_nx = 0;                       ///< crossover point
  Seconds default_seconds = 0, chosen_seconds = 0;  ///< predicted times of the routine in the shape's longest call
  double regret = 0;                                ///< greatest possible loss, as a fraction of the best time
  bool undecided = false;                           ///< the measurements show no best one, so that the default is kept
  std::int64_t workspace_allows = 0;                ///< largest block size that fits into the program's workspace; 0: any
  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};

/// The predicted time of a recorded program's calls after a change, or the reason why there is none.
struct WhatIfResult {
  WhatIf question;
  std::string failure;                         ///< reason why nothing is predicted, with a remedy; empty: there is a prediction
  int failure_code = 0;                        ///< exit code of that error
  std::string place;                           ///< "blis 0.9.0 with 2 threads, LAPACK reference 3.11.0"
  Environment environment;                     ///< environment of the prediction
  std::vector<std::optional<Seconds>> shapes;  ///< predicted time per shape of the profile; nothing where calls can't be predicted
  Seconds recorded = 0;                        ///< recorded time of the calls that are predicted
  Seconds by_models = 0;                       ///< time that the models alone expect
  /// Time that is predicted. This is the recorded time with the change that the models expect (predict/transferred_time), so that nothing
  /// changes where the program was recorded. Without comparable recorded times it equals by_models.
  Seconds predicted = 0;
  Interval interval;                ///< interval of `predicted`, confidence 95 %
  std::optional<double> gain;       ///< recorded / predicted - 1, so that larger is better; nothing for dry runs, which have no times
  double extrapolated_share = 0;    ///< share of the time outside of the sampled domain
  Seconds slow_by_numbers = 0;      ///< recorded time of calls that NaN or denormal numbers made slow; these calls stay as recorded
  std::vector<BlockChoice> blocks;  ///< chosen block sizes if the question asks for them
  std::size_t untuned_shapes = 0;   ///< shapes whose block sizes are not tuned because they take too little time
  friend bool operator==(const WhatIfResult&, const WhatIfResult&) = default;
};

/// Options of the predictions after changes.
struct WhatIfOptions {
  Duration time_budget = 30;        ///< for measuring kernels that the store lacks, all questions together
  std::string kernels = "library";  ///< "library": kernels as BLAS chooses them in a program; "auto": the best ones for this CPU
  std::optional<int> threads;       ///< threads of BLAS in the recorded run; nothing: as the recording says
};

}  // namespace flopcast
