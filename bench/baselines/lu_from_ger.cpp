#include "bench/baselines/lu_from_ger.hpp"

#include "flopcast/support/error.hpp"

namespace flopcast::bench {

model::Estimate lu_from_ger(const model::Model& ger, std::int64_t n) {
  if (n < 2 || ger.sizes.empty() || ger.sizes.size() > 2) {
    throw bad_input("LU of order {} from a model in {} sizes; expected order 2 or more, and a model of ger in one or two sizes", n,
                    ger.sizes.size());
  }
  model::Estimate sum;
  double error_seconds = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    const model::Estimate step = evaluate(ger, model::Sizes(ger.sizes.size(), i));
    sum.seconds += step.seconds;
    error_seconds += step.seconds * step.relative_error;
    sum.extrapolated = sum.extrapolated || step.extrapolated;
  }
  sum.relative_error = error_seconds / sum.seconds;
  return sum;
}

double ger_share(std::int64_t n) {
  const auto steps = static_cast<double>(n - 1);
  const double squares = steps * (steps + 1) * (2 * steps + 1) / 6;
  const double divisions = steps * (steps + 1) / 2;
  return n < 2 ? 0 : 2 * squares / (2 * squares + divisions);
}

}  // namespace flopcast::bench
