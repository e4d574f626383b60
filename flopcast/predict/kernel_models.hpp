#pragma once

#include <optional>
#include <span>
#include <string>

#include "flopcast/core/call.hpp"
#include "flopcast/core/placement.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/model/estimate.hpp"

namespace flopcast::predict {

using model::Estimate;

/// The cache state in which a call's time is asked for, named as in ModelKey::cache.
struct Condition {
  /// "warm": operands just used by the same call; "L2", "L3", ...: all operands in that level; "cold": all in memory; "placed": as
  /// `placement` says.
  std::string cache = "warm";
  Placement placement;  ///< of "placed"; distances are rounded to four significant bits
};

/// Some calls whose times are equal, as part of a sum.
struct Term {
  Call call;  ///< one of them; the addresses of its operands mean nothing
  Condition condition;
  double weight = 0;  ///< how many calls it stands for; a fraction where conditions are blended
  Estimate estimate;  ///< of one call

  [[nodiscard]] Seconds seconds() const noexcept { return weight * estimate.seconds; }
};

/// Where predictions get the times of kernels from.
class KernelModels {
 public:
  virtual ~KernelModels() = default;

  /// Time of one call. It must be the same for calls that differ in addresses only: results are kept. Throws if there is no model for it.
  [[nodiscard]] virtual Estimate evaluate(const Call& call, const Condition& condition) const = 0;

  /// Standard deviation of the sum over terms of weight x time, for models that know how their errors go together. Without it errors of one
  /// model (one ModelKey) are taken as equal in sign and relative size, errors of different models as independent.
  [[nodiscard]] virtual std::optional<Seconds> deviation(std::span<const Term> terms) const;
};

}  // namespace flopcast::predict
