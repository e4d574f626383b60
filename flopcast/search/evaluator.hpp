#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "flopcast/core/units.hpp"

namespace flopcast::search {

/// What a search asks for costs, in seconds, lower is better; made of a function of one configuration's index, or of one that takes a block
/// of indices (an index may occur twice) and gives their costs in that order, or fewer if it was interrupted.
class Evaluator {
 public:
  using Block = std::span<const std::size_t>;

  template <class F>
  requires std::is_invocable_r_v<Seconds, F&, std::size_t> Evaluator(F one)
      : evaluate_([one = std::move(one)](Block block) mutable { return std::vector<Seconds>{one(block.front())}; }), most_(1) {}
  template <class F>
  requires std::is_invocable_r_v<std::vector<Seconds>, F&, Block> Evaluator(F block) : evaluate_(std::move(block)) {}

  /// So many configurations may be asked for at once.
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::vector<Seconds> operator()(Block block) const { return evaluate_(block); }

 private:
  std::function<std::vector<Seconds>(Block)> evaluate_;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
};

/// What a search may spend.
struct Limits {
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max();
  Seconds seconds = std::numeric_limits<Seconds>::infinity();
  std::function<Seconds()> clock;     ///< now, from any origin; without one the costs are added up
  std::function<bool()> interrupted;  ///< asked before every evaluation
};

/// Why a search came to its end.
enum class Ending : std::uint8_t {
  settled,      ///< its own rule is met
  good_enough,  ///< the leader is certainly as fast as was asked for
  budget,       ///< limits are used up
  interrupted,
  nothing_left,  ///< every configuration was dropped
};

/// What an evaluator gave, and how long it took for it; in blocks all take the same.
struct Evaluation {
  Seconds cost = 0, duration = 0;
};

/// Counts what a search spends against its limits.
class Meter {
 public:
  explicit Meter(Limits limits);

  [[nodiscard]] std::int64_t evaluations() const noexcept { return evaluations_; }
  /// Whether a limit is reached; ending() then says which.
  [[nodiscard]] bool exhausted();
  [[nodiscard]] Ending ending() const noexcept { return ending_; }
  /// Evaluates `block` within the limits: all of it, or its beginning. What the evaluator throws passes through.
  std::vector<Evaluation> evaluate(const Evaluator& evaluator, Evaluator::Block block);
  /// Seconds spent so far: by the clock, or without one the sum of the costs.
  [[nodiscard]] Seconds spent() const;
  /// Counts one evaluation made elsewhere.
  void count(Seconds cost);

 private:
  Limits limits_;
  Seconds begin_ = 0, costs_ = 0;
  std::int64_t evaluations_ = 0;
  Ending ending_ = Ending::budget;
};

/// Why `cost` can't be one, or nullptr: costs are finite and above 0.
const char* fault(Seconds cost) noexcept;

}  // namespace flopcast::search
