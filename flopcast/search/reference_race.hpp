#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flopcast/search/evaluator.hpp"
#include "flopcast/search/ledger.hpp"
#include "flopcast/search/verdict.hpp"

namespace flopcast::search {

struct ReferenceRaceOptions {
  double tolerance = 0.02;          ///< ratios from 1 / (1 + tolerance) to 1 + tolerance are the same
  double error_probability = 0.05;  ///< probability that an interval of any candidate misses its median
  std::int64_t min_rounds = 8;      ///< the sign test tells nothing earlier
  std::int64_t max_rounds = 1000;
  std::optional<double> limit;  ///< a candidate is decided once its interval lies on one side of this ratio, too
  std::uint64_t seed = 1;
  Limits limits;
};

/// Compares candidates with a reference, candidate 0, in interleaved rounds until each has a verdict. One more candidate, the control, is
/// the reference once more (A/A): a verdict on the control other than `same` or `unsure` shows that rounds weren't independent.
///
/// The interval of a ratio is that of the sign test on paired differences, the rule of Race without A/A differences. Those would help only
/// if all candidates had the noise of the reference, which programs don't. Looks are corrected as those of Race: with probability 1 -
/// error_probability no interval of the candidates at any look misses its median. Assumption: rounds are independent. Equal candidates then
/// have exactly equal chances in each round, however heavy the tails of the noise are, because the order within rounds is random.
class ReferenceRace {
 public:
  /// Takes the number of candidates with the reference. With the reference alone the race goes on until the control has a verdict.
  explicit ReferenceRace(std::size_t candidates, ReferenceRaceOptions options = {});

  /// Runs until the race stops. The evaluator gets numbers of candidates, and control() for the control. If the evaluator throws, all
  /// complete rounds are kept.
  void run(const Evaluator& evaluator);
  [[nodiscard]] std::size_t control() const noexcept { return decided_.size() - 1; }
  [[nodiscard]] Ending ending() const noexcept { return ending_; }
  [[nodiscard]] std::int64_t rounds() const noexcept { return ledger_.rounds(); }
  /// Returns the comparison of a candidate or the control with the reference: the one that decided, or one of all rounds.
  [[nodiscard]] ReferenceRatio ratio(std::size_t candidate) const { return decided_[candidate].value_or(look(candidate)); }

 private:
  [[nodiscard]] ReferenceRatio look(std::size_t candidate) const;
  [[nodiscard]] double next_alpha() const;
  [[nodiscard]] bool all_decided() const;
  void take_look();

  ReferenceRaceOptions options_;
  Ledger ledger_;
  Meter meter_;
  std::vector<std::optional<ReferenceRatio>> decided_;  ///< one for each candidate and the control
  std::int64_t looks_ = 0, last_look_ = -1;
  Ending ending_ = Ending::budget;
};

}  // namespace flopcast::search
