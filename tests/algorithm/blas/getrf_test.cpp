#include "flopcast/algorithm/variants.hpp"

#include <gmock/gmock.h>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "tests/algorithm/blas/variants.hpp"

namespace flopcast::algorithm {
namespace {

TEST_P(Variants, Getrf) {
  for (const std::int64_t n : orders) {
    for (const std::int64_t m : {n, n / 2, n + 13}) {
      ASSERT_NO_FATAL_FAILURE(check(routine("getrf"), {{"m", m}, {"n", n}}));
    }
  }
}

TEST_P(Variants, GetrfWithoutPivoting) {
  for (const std::int64_t n : orders) {
    for (const std::int64_t m : {n, n / 2, n + 13}) {
      Problem expected(routine("getrf"), {{"m", m}, {"n", n}}, true);
      expected.by_lapack();
      for (const Algorithm* algorithm : variants(routine("getrf"))) {
        for (const std::int64_t nb : block_sizes) {
          Problem found(routine("getrf"), {{"m", m}, {"n", n}}, true);
          ASSERT_EQ(execute(found.call(), {.nb = nb}, lookup, *algorithm), 0);
          ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected, text(found.call(), *algorithm, nb)));
        }
      }
    }
  }
}

TEST(Info, IsTheFirstZeroPivotInEveryVariant) {
  for (const Algorithm* algorithm : variants(kernel::require("dgetrf"))) {
    Problem problem(kernel::require("dgetrf"), {{"m", 50}, {"n", 50}}, true);
    for (std::int64_t row = 0; row < 50; ++row) {
      problem.set(2, row + 29 * 53, 0);
    }
    EXPECT_EQ(execute(problem.call(), {.nb = 8}, lookup, *algorithm), 30) << algorithm->variant;
  }
}

}  // namespace
}  // namespace flopcast::algorithm
