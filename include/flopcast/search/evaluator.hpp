#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast::search {

/// The source of costs of a search, in seconds; lower is better. It wraps a function of one configuration's index, or a function that takes
/// a block of indices (an index may occur twice) and returns their costs in that order, fewer if it was interrupted.
class Evaluator {
 public:
  using Block = std::span<const std::size_t>;

  template <class F>
  requires std::is_invocable_r_v<Seconds, F&, std::size_t> Evaluator(F one)
      : evaluate_([one = std::move(one)](Block block) mutable { return std::vector<Seconds>{one(block.front())}; }), most_(1) {}
  template <class F>
  requires std::is_invocable_r_v<std::vector<Seconds>, F&, Block> Evaluator(F block) : evaluate_(std::move(block)) {}

  /// Returns the largest number of configurations in one block.
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::vector<Seconds> operator()(Block block) const { return evaluate_(block); }

 private:
  std::function<std::vector<Seconds>(Block)> evaluate_;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
};

/// The budget of a search.
struct Limits {
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max();
  Seconds seconds = std::numeric_limits<Seconds>::infinity();
  std::function<Seconds()> clock;     ///< current time from any origin; without a clock the costs are added up
  std::function<bool()> interrupted;  ///< polled before every evaluation
};

/// The reason why a search ended.
enum class Ending : std::uint8_t {
  decided,      ///< the stopping rule of the search is met
  good_enough,  ///< the leader is certainly as fast as requested
  budget,       ///< the limits are used up
  interrupted,
  nothing_left,  ///< every configuration was dropped
};

/// The cost that an evaluator returned and the duration of the evaluation. In a block every evaluation has the same duration.
struct Evaluation {
  Seconds cost = 0, duration = 0;
};

/// Counts what a search spends against its limits.
class Meter {
 public:
  explicit Meter(Limits limits);

  [[nodiscard]] std::int64_t evaluations() const noexcept { return evaluations_; }
  /// Returns whether a limit is reached; ending() then names it.
  [[nodiscard]] bool exhausted();
  [[nodiscard]] Ending ending() const noexcept { return ending_; }
  /// Evaluates `block`, or as much of its beginning as the limits allow. Exceptions of the evaluator pass through.
  std::vector<Evaluation> evaluate(const Evaluator& evaluator, Evaluator::Block block);
  /// Returns the seconds spent so far: by the clock, or without a clock the sum of the costs.
  [[nodiscard]] Seconds spent() const;
  /// Counts one evaluation that was made outside of this class.
  void count(Seconds cost);

 private:
  Limits limits_;
  Seconds begin_ = 0, costs_ = 0;
  std::int64_t evaluations_ = 0;
  Ending ending_ = Ending::budget;
};

/// Returns the reason why `cost` is invalid, or nullptr. A valid cost is finite and above 0.
const char* fault(Seconds cost) noexcept;

}  // namespace flopcast::search
