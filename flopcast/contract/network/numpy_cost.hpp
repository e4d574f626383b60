#pragma once

#include "flopcast/contract/network/planner_cost.hpp"
#include "flopcast/contract/network/step_cost.hpp"

namespace flopcast::contract {

/// Predicts steps that NumPy executes along a path, as numpy.einsum and opt_einsum do it. Products without batch labels go to tensordot,
/// which copies tensors into matrices and calls the threaded BLAS. All others are computed by the loops of einsum on one thread.
class NumpyCost final : public StepCost {
 public:
  /// Keeps copies. `threads`: those of NumPy's BLAS, at least 1.
  NumpyCost(const Environment& environment, const TileRates& rates, Precision precision, int threads);

  [[nodiscard]] Seconds seconds(const PairStep& step) const override;
  [[nodiscard]] Seconds seconds(const SumStep& step) const override { return planner_.seconds(step); }
  [[nodiscard]] Seconds at_least(const PairStep& step) const override;

 private:
  /// Returns the time of einsum's loops for a number of products.
  [[nodiscard]] Seconds by_loops(const PairStep& step, double products) const;
  /// Returns the time of copying a tensor into a matrix, 0 if it is one. If several labels are summed, only one of two tensors may have
  /// them in the order in which the other has them, so that half of a copy counts for a tensor of unknown layout.
  [[nodiscard]] Seconds copying(const Access& access, double elements, int sum_labels) const;

  PlannerCost planner_;
  Seconds per_loop_product_, per_copied_element_, per_gemm_product_;  ///< in the caches
};

}  // namespace flopcast::contract
