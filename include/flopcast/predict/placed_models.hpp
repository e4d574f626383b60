#pragma once

#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::prediction {

/// Models on demand as a source: every operand in its own level, or all operands in one level, with the joint uncertainty of sums.
class PlacedModels : public KernelModels {
 public:
  /// `models` must outlive this object.
  explicit PlacedModels(const model::OnDemandModels& models) : models_(models) {}

  /// Returns the estimate of a call. A kernel without samples gets its roofline time, marked as extrapolated. Throws bad_input for a level
  /// that the environment doesn't have.
  [[nodiscard]] Estimate evaluate(const Call& call, const Condition& condition) const override;
  [[nodiscard]] std::optional<Seconds> deviation(std::span<const Term> terms) const override;
  [[nodiscard]] RunDeviation run_deviation() const override { return models_.run_deviation(); }

 private:
  [[nodiscard]] Placement placement(const Call& call, const Condition& condition) const;

  const model::OnDemandModels& models_;
};

}  // namespace flopcast::prediction
