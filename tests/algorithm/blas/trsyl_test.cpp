#include "flopcast/algorithm/variants.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "tests/algorithm/blas/variants.hpp"

namespace flopcast::algorithm {
namespace {

TEST_P(Variants, Trsyl) {
  std::int64_t isgn = 1;
  for (const std::int64_t m : orders) {
    for (const std::int64_t n : {m, std::int64_t{1}, std::int64_t{33}}) {
      for (const char trana : {'N', adjoint()}) {
        for (const char tranb : {'N', adjoint()}) {
          isgn = -isgn;
          ASSERT_NO_FATAL_FAILURE(check(routine("trsyl"), {{"trana", trana}, {"tranb", tranb}, {"isgn", isgn}, {"m", m}, {"n", n}}));
        }
      }
    }
  }
}

/// A solution that overflows: LAPACK scales the right side, and the blocks around the overflowing block must be scaled, too.
TEST(Trsyl, ScalesTheRestWithABlockThatWouldOverflow) {
  const Routine& trsyl = kernel::require("dtrsyl");
  const Arguments arguments = {{"trana", 'N'}, {"tranb", 'N'}, {"isgn", 1}, {"m", 20}, {"n", 20}};
  const auto make_large = [](Problem& problem) {
    for (const auto& [argument, factor] : {std::pair<std::size_t, double>{5, 1e-160}, {7, 1e-160}, {9, 1e200}}) {
      for (std::int64_t k = 0; k < problem.elements(argument); ++k) {
        problem.set(argument, k, factor * problem.get(argument, k));
      }
    }
  };
  Problem expected(trsyl, arguments);
  make_large(expected);
  expected.by_lapack();
  const double expected_scale = expected.get(11, 0).real();
  ASSERT_LT(expected_scale, 1e-100);
  for (const Algorithm* algorithm : variants(trsyl)) {
    Problem found(trsyl, arguments);
    make_large(found);
    ASSERT_EQ(execute(found.call(), {.nb = 6}, lookup, *algorithm), 0);
    const double scale = found.get(11, 0).real();
    for (std::int64_t j = 0; j < 20; ++j) {
      for (std::int64_t i = 0; i < 20; ++i) {
        const double x = found.get(9, i + j * 23).real() / 1e150 * (expected_scale / scale);
        const double correct = expected.get(9, i + j * 23).real() / 1e150;
        ASSERT_NEAR(x, correct, 1e-10 * std::max(1.0, std::abs(correct))) << algorithm->variant << " " << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::algorithm
