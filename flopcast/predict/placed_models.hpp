#pragma once

#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::predict {

/// Models on demand as the source of `placed` predictions: every operand in its own level, joint uncertainty of sums.
class PlacedModels : public KernelModels {
 public:
  /// `models` must outlive this.
  explicit PlacedModels(const model::OnDemandModels& models) : models_(models) {}

  /// Takes the condition "placed" only; a kernel without samples gets its roofline, marked as extrapolated.
  [[nodiscard]] Estimate evaluate(const Call& call, const Condition& condition) const override;
  [[nodiscard]] std::optional<Seconds> deviation(std::span<const Term> terms) const override;

 private:
  const model::OnDemandModels& models_;
};

}  // namespace flopcast::predict
