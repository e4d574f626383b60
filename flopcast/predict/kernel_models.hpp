#pragma once

#include <optional>
#include <span>
#include <string>

#include "flopcast/core/call.hpp"
#include "flopcast/core/machine_state.hpp"
#include "flopcast/core/placement.hpp"
#include "flopcast/model/estimate.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::prediction {

using model::Estimate;

/// The cache state for which a call's time is requested, named as in ModelKey::cache.
struct Condition {
  /// "warm": operands just used by the same call; "L2", "L3", ...: all operands in that level; "cold": all operands in memory; "placed":
  /// operands as in `placement`.
  std::string cache = "warm";
  Placement placement;  ///< placement for "placed"; distances are rounded to four significant bits
};

/// Calls with equal times, as a term of a sum.
struct Term {
  Call call;  ///< one of the calls; the addresses of its operands are meaningless
  Condition condition;
  double weight = 0;  ///< number of calls that the term stands for; a fraction if conditions are blended
  Estimate estimate;  ///< estimate for one call

  [[nodiscard]] Seconds seconds() const noexcept { return weight * estimate.seconds; }
};

/// The source of kernel times for predictions.
class KernelModels {
 public:
  virtual ~KernelModels() = default;

  /// Returns the time of one call. Calls that differ only in addresses must get the same time, because results are kept. Throws if there is
  /// no model for the call.
  [[nodiscard]] virtual Estimate evaluate(const Call& call, const Condition& condition) const = 0;

  /// Returns the standard deviation of the sum over terms of weight x time, for models that know the joint distribution of their errors.
  /// Otherwise, errors of one model (one ModelKey) count as equal in sign and relative size, and errors of different models as independent.
  [[nodiscard]] virtual std::optional<Seconds> deviation(std::span<const Term> /*terms*/) const { return std::nullopt; }

  /// Returns how far single runs lie from the times of these models because of the machine's state; 0 as far as that isn't known.
  [[nodiscard]] virtual RunDeviation run_deviation() const { return {}; }
};

}  // namespace flopcast::prediction
