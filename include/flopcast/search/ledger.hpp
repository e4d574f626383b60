#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "flopcast/search/evaluator.hpp"

namespace flopcast::search {

/// All costs of a search in interleaved rounds, one row per candidate. A candidate is identified by its index in the list that the
/// constructor was given.
class Ledger {
 public:
  struct Row {
    std::size_t configuration = 0;
    std::vector<Seconds> costs;  ///< one for each round; NaN in rounds without an evaluation
    Seconds duration = 0;        ///< duration of the latest evaluation, which may differ from its cost
    std::string fault;           ///< reason why the candidate was dropped: the evaluator returned an invalid cost
    bool active = true;          ///< the candidate takes part in the next round

    [[nodiscard]] bool dropped() const noexcept { return !fault.empty(); }
    /// Returns the costs of the rounds in which the candidate was evaluated.
    [[nodiscard]] std::vector<Seconds> evaluated() const;
  };

  /// Throws bad_input if there is no candidate or if one is given twice.
  Ledger(std::vector<std::size_t> candidates, std::uint64_t seed);

  [[nodiscard]] std::int64_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
  void set_active(std::size_t candidate, bool active) { rows_[candidate].active = active; }

  /// An active candidate that a round evaluates several times, for `pairs` comparisons with itself (2 pairs - 1 additional evaluations).
  struct AaPairs {
    std::size_t candidate = 0;
    std::int64_t pairs = 1;
  };
  static constexpr std::int64_t max_pairs = 64;  ///< maximum per round; larger numbers are cut to it

  /// Evaluates every active candidate once and the candidate of `aa` several times. The order is random, and on alternate rounds the reverse of the
  /// order before. Returns false if the limits cut the round short. If the evaluator throws, the round is discarded and the next call
  /// repeats it.
  bool round(const Evaluator& evaluator, Meter& meter, std::optional<AaPairs> aa = {});
  /// Returns the configurations that the next round() with these A/A pairs evaluates, in their order.
  [[nodiscard]] std::vector<std::size_t> next_round(std::optional<AaPairs> aa = {}) const;

  /// Returns log(cost of a / cost of b) for every round that has both costs.
  [[nodiscard]] std::vector<double> paired(std::size_t a, std::size_t b) const;
  /// Returns the A/A differences: log(cost / cost of the same configuration in the same round) for every A/A pair.
  [[nodiscard]] const std::vector<double>& aa_within_round() const noexcept { return aa_within_round_; }
  /// Returns A/A differences that need no additional evaluations: log(cost / cost of the same candidate in the round before) for those of
  /// `candidates` that have both costs. The median of these logarithms, which is the change of the machine's speed in between, is
  /// subtracted. Rounds with fewer than min_aa_candidates such candidates contribute nothing.
  [[nodiscard]] std::vector<double> aa_between_rounds(const std::vector<std::size_t>& candidates) const;
  static constexpr std::size_t min_aa_candidates = 8;
  /// Returns `candidates` sorted by the median of their paired differences to `incumbent`, best first; without an incumbent, by median
  /// cost. Candidates that were dropped or never evaluated are skipped.
  [[nodiscard]] std::vector<std::size_t> ranking(const std::vector<std::size_t>& candidates, std::optional<std::size_t> incumbent) const;

 private:
  struct Draw {
    std::mt19937_64 random;
    std::vector<std::size_t> order;  ///< indices of candidates; from rows_.size() on, those for A/A pairs
  };
  [[nodiscard]] Draw next_draw() const;
  [[nodiscard]] std::vector<std::size_t> slots_of(const Draw& draw, std::optional<AaPairs> aa) const;
  [[nodiscard]] std::vector<std::size_t> block_of(std::span<const std::size_t> slots, std::optional<AaPairs> aa) const;
  void record(std::span<const std::size_t> slots, std::span<const Evaluation> evaluations, std::optional<AaPairs> aa);

  std::vector<Row> rows_;
  std::vector<double> aa_within_round_;
  std::int64_t rounds_ = 0;
  Draw draw_;
};

/// Returns the numbers 0 ... count-1, which are all configurations of a space.
std::vector<std::size_t> all(std::size_t count);

/// Returns the candidate that seems best while no decision is certain: `reference`, or a candidate that costs less than `reference` in the
/// rounds that have both.
///
/// Candidates are compared by one of three statistics: the median of paired differences, the lower quartile of costs, or the smallest cost.
/// The statistic is chosen that changes least between even and odd rounds among the candidates of `alike`. Medians serve best if noise is
/// symmetric or all costs change together; smallest costs serve best if other programs slow down many evaluations. With few rounds the
/// smallest cost is compared, with few candidates the quartile.
std::size_t likely_best(const Ledger& ledger, const std::vector<std::size_t>& candidates, const std::vector<std::size_t>& alike,
                        std::size_t reference);

}  // namespace flopcast::search
