#pragma once

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/time_formula.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::contract {

/// Predicts steps by the planner's formula of time, from sizes and contiguity alone. A prediction takes less than a
/// microsecond, because no table of offsets is filled and no list of tilings is tried. The time is that of the best of four ways: gemm,
/// panels with usual tiles, the batch kernel for small products, and the streaming kernel for short sums. Each way is tried on one thread
/// and on all.
class PlannerCost final : public StepCost {
 public:
  /// Keeps copies. `threads` is at least 1.
  PlannerCost(const Environment& environment, const TileRates& rates, Precision precision, int threads);
  PlannerCost(const PlannerCost&) = delete;  // the formula refers to the rates, memory times to the environment
  PlannerCost& operator=(const PlannerCost&) = delete;

  [[nodiscard]] Seconds seconds(const PairStep& step) const override;
  [[nodiscard]] Seconds seconds(const SumStep& step) const override;
  [[nodiscard]] Seconds at_least(const PairStep& step) const override;

  /// Returns the time of one call of the library's gemm, or gemv, on all threads for matrices that aren't packed.
  [[nodiscard]] Seconds gemm_in_place(const PairStep& step) const;
  /// Returns the least time of a product by gemm on all threads.
  [[nodiscard]] Seconds per_gemm_product() const { return rates_.of(TileKernel::gemm).per_product * factor_ / all_.threads; }
  /// Returns the time in which one thread moves elements from or to the level of the memory that holds so many.
  [[nodiscard]] Seconds moving(double elements) const {
    return elements * element_bytes_ * alone_.memory.per_byte(elements * element_bytes_);
  }

 private:
  /// Threads, and the times of the memory for each of them.
  struct Team {
    int threads;
    MemoryTimes memory;
  };
  /// A step with C contiguous along the rows if C is contiguous at all, as the planner folds contractions.
  struct Oriented {
    double m, n, k, batch;
    ElementAccess a, b, c;
    bool a_along = true, b_along = true, c_along = true;  ///< contiguous along the rows of the tensor: M, K, and M
  };
  [[nodiscard]] Seconds seconds(const PairStep& step, const Team& team) const;
  [[nodiscard]] Seconds gemm(const Oriented& step, TiledWork work, const Team& team) const;
  [[nodiscard]] Seconds panels(const Oriented& step, TiledWork work, const Team& team) const;
  [[nodiscard]] Seconds streaming(const Oriented& step, TiledWork work, const Team& team) const;
  [[nodiscard]] Seconds along_batch(const Oriented& step, TiledWork work, const Team& team) const;
  /// Returns the larger of the numbers of panels along the rows and along the columns.
  [[nodiscard]] double panels_across(double m, double n) const;
  /// Returns contract::products_in_full_panels() of a matrix in a single tile.
  [[nodiscard]] double products_in_full_panels(double m, double n) const;
  /// Returns the step's work in one tile, without packing, for any kernel.
  [[nodiscard]] TiledWork in_one_tile(const Oriented& step, const Team& team) const;
  void set_tiles(TiledWork& work, double rows, double columns, double sums) const;
  [[nodiscard]] Seconds time(const TiledWork& work, const Team& team) const;
  [[nodiscard]] Seconds packing(bool along) const { return along ? rates_.packed_along : rates_.packed_across; }
  [[nodiscard]] double fetching(const ElementAccess& access, double elements) const;

  Environment environment_;
  TileRates rates_;
  TimeFormula formula_;
  Team alone_, all_;
  Precision precision_;
  double element_bytes_, factor_;  ///< `factor_`: time of a product, relative to double precision
  PanelSize panel_;
  bool is_complex_, is_double_, can_stream_;
  Seconds fastest_product_;  ///< the fastest of all kernels, on one thread
};

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
  [[nodiscard]] Seconds copying(const ElementAccess& access, double elements, int sum_labels) const;

  PlannerCost planner_;
  Seconds per_loop_product_, per_copied_element_, per_gemm_product_;  ///< in the caches
};

}  // namespace flopcast::contract
