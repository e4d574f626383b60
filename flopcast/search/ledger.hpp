#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "flopcast/search/evaluator.hpp"

namespace flopcast::search {

/// All costs of a search in interleaved rounds, one row per candidate; a candidate is named by its place in the list it was given in.
class Ledger {
 public:
  struct Row {
    std::size_t configuration = 0;
    std::vector<Seconds> costs;  ///< by round; NaN where it wasn't evaluated
    Seconds duration = 0;        ///< of its latest evaluation, which need not be its cost
    std::string fault;           ///< why it was dropped: the evaluator gave what is no cost
    bool active = true;          ///< takes part in the next round

    [[nodiscard]] bool dropped() const noexcept { return !fault.empty(); }
    /// The costs without gaps.
    [[nodiscard]] std::vector<Seconds> evaluated() const;
  };

  /// Throws bad_input if there is no candidate or one is given twice.
  Ledger(std::vector<std::size_t> candidates, std::uint64_t seed);

  [[nodiscard]] std::int64_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
  void set_active(std::size_t candidate, bool active) { rows_[candidate].active = active; }

  /// An active candidate that a round has more than once, for `pairs` comparisons with itself (2 pairs - 1 more evaluations).
  struct Twin {
    std::size_t candidate = 0;
    std::int64_t pairs = 1;
  };
  static constexpr std::int64_t most_pairs = 64;  ///< of a round; more count as so many

  /// Evaluates every active candidate once, in random order or, on alternate rounds, in the reverse of the order before; the twin more
  /// often. False if the limits cut the round short. If the evaluator throws, the round counts for nothing and the next one repeats it.
  bool round(const Evaluator& evaluator, Meter& meter, std::optional<Twin> twin = {});

  /// log(cost of a / cost of b) of every round that has both.
  [[nodiscard]] std::vector<double> paired(std::size_t a, std::size_t b) const;
  /// log(cost of a configuration / cost of the same one in the same round) of every pair: the A/A differences.
  [[nodiscard]] const std::vector<double>& twins() const noexcept { return twins_; }
  /// A/A differences for nothing: log(cost / cost of the same one in the round before) of those of `candidates` that were in both, less
  /// their median, which is how the machine's pace changed in between. None from rounds with fewer than least_echoes of them.
  [[nodiscard]] std::vector<double> echoes(const std::vector<std::size_t>& candidates) const;
  static constexpr std::size_t least_echoes = 8;
  /// `candidates` by median of paired differences to `incumbent`, best first; without one, by median cost. Those that can't be compared,
  /// for they were dropped or never evaluated, are left out.
  [[nodiscard]] std::vector<std::size_t> ranking(const std::vector<std::size_t>& candidates, std::optional<std::size_t> incumbent) const;

 private:
  struct Draw {
    std::mt19937_64 random;
    std::vector<std::size_t> order;  ///< all candidates, and from rows_.size() on the twin's further evaluations
  };
  [[nodiscard]] Draw next_draw() const;
  void record(std::span<const std::size_t> slots, std::span<const Evaluation> evaluations, std::optional<Twin> twin);

  std::vector<Row> rows_;
  std::vector<double> twins_;
  std::int64_t rounds_ = 0;
  Draw draw_;
};

/// The numbers 0 ... count-1: all configurations of a space.
std::vector<std::size_t> all(std::size_t count);

}  // namespace flopcast::search
