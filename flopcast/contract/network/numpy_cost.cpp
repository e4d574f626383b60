#include "flopcast/contract/network/numpy_cost.hpp"

#include <algorithm>

namespace flopcast::contract {
namespace {

/// Returns rates of NumPy's BLAS, whose own threads share the work of a call.
TileRates with_threads_inside(TileRates rates) {
  rates.gemm_takes_turns = false;
  return rates;
}

}  // namespace

NumpyCost::NumpyCost(const Environment& environment, const TileRates& rates, Precision precision, int threads)
    : planner_(environment, with_threads_inside(rates), precision, threads),
      // Loads and stores bound einsum's loops, not the multiplication. So a product takes about as long as moving an element.
      per_loop_product_((is_complex(precision) ? 4 : 1) * rates.packed_along),
      per_copied_element_(rates.packed_across),
      per_gemm_product_(planner_.per_gemm_product()) {}

Seconds NumpyCost::by_loops(const PairStep& step, double products) const {
  return products * per_loop_product_ + planner_.moving(step.elements_of_a() + step.elements_of_b() + 2 * step.elements_of_c());
}

Seconds NumpyCost::copying(const Access& access, double elements, int sum_labels) const {
  const double copies = !access.is_free && !access.is_matrix ? 1 : sum_labels > 1 ? 0.5 : 0;
  return copies == 0 ? 0 : copies * (elements * per_copied_element_ + planner_.moving(2 * elements));
}

Seconds NumpyCost::seconds(const PairStep& step) const {
  if (step.products() == 0) {
    return 0;
  }
  const bool is_inner = step.rows == 1 && step.columns == 1;
  if (step.batch > 1 || step.sums == 1 || is_inner) {
    return by_loops(step, step.products());
  }
  return copying(step.a, step.elements_of_a(), step.sum_labels) + copying(step.b, step.elements_of_b(), step.sum_labels) +
         planner_.gemm_in_place(step);
}

Seconds NumpyCost::at_least(const PairStep& step) const { return step.products() * std::min(per_gemm_product_, per_loop_product_); }

}  // namespace flopcast::contract
