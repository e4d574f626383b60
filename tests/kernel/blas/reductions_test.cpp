#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernel/blas/execution.hpp"

// Tests that the factors of factorizations and reductions multiply to the given matrix, whatever pivots and signs a library chooses.
namespace flopcast::kernel {
namespace {

using namespace reference;

class Reductions : public testing::TestWithParam<Precise> {
 protected:
  [[nodiscard]] Execution execution(const std::string& routine, const std::map<std::string, std::string>& arguments) const {
    return {*GetParam().library, routine, arguments};
  }
};

INSTANTIATE_TEST_SUITE_P(Library, Reductions, testing::ValuesIn(every_precision()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Reductions);

const std::vector<std::int64_t> orders = {0, 1, 2, 3, 17, 33, 150};
std::string text(std::int64_t n) { return std::to_string(n); }

TEST_P(Reductions, SymmetricFactorsReconstructTheMatrix) {
  for (const bool hermitian : {false, true}) {
    const std::string routine = GetParam().precision + std::string(hermitian ? "hetrf" : "sytrf");
    for (const std::int64_t n : find(routine) != nullptr ? orders : std::vector<std::int64_t>()) {
      for (const bool lower : {true, false}) {
        Execution factored = execution(routine, {{"n", text(n)}, {"uplo", lower ? "L" : "U"}});
        const Dense a = factored.symmetric("A", n, lower, hermitian);
        factored.run();
        // A = P1 L1 P2 L2 ... D ..., from the last column on for an upper triangle.
        Dense x(n, n);
        Dense l = identity(n);
        const auto pivot = [&](std::int64_t k) { return static_cast<std::int64_t>(factored.element("ipiv", k).real()); };
        for (std::int64_t step = 0; step < n;) {
          const std::int64_t k = lower ? step : n - 1 - step;
          const std::int64_t width = pivot(k) < 0 ? 2 : 1, other = lower ? k + width - 1 : k - width + 1;
          const std::int64_t swapped = std::abs(pivot(k)) - 1;
          for (std::int64_t i = 0; i < n; ++i) {
            std::swap(l(i, other), l(i, swapped));
          }
          for (const std::int64_t column : width == 2 ? std::vector{k, other} : std::vector{k}) {
            x(column, column) = factored.element("A", column, column);
            for (std::int64_t r = lower ? std::max(k, other) + 1 : 0; r < (lower ? n : std::min(k, other)); ++r) {
              for (std::int64_t i = 0; i < n; ++i) {
                l(i, column) += l(i, r) * factored.element("A", r, column);
              }
            }
          }
          if (width == 2) {
            const std::int64_t row = lower ? other : std::min(k, other), column = lower ? k : std::max(k, other);
            x(row, column) = factored.element("A", row, column);
            x(column, row) = hermitian ? std::conj(x(row, column)) : x(row, column);
          }
          step += width;
        }
        ASSERT_NO_FATAL_FAILURE(expect_equal(product(product(l, x), transposed(l, hermitian)), a, factored));
      }
    }
  }
}

TEST_P(Reductions, HessenbergFormHasTheMatrixsSimilarity) {
  for (const std::int64_t n : orders) {
    const std::map<std::string, std::string> sizes = {{"n", text(n)}, {"lda", text(n + 3)}};
    Execution reduced = execution(GetParam().name("gehrd", "gehrd"), sizes);
    Dense a = reduced.matrix("A", n, n);
    if (n > 0) {
      a(0, 0) = 0.25;  // this element isn't touched, so that fill leaves it out
    }
    reduced.run();
    Execution q = execution(GetParam().name("orghr", "unghr"), sizes);
    if (n > 1) {
      q.take("A", reduced, "A");
      q.take("tau", reduced, "tau");
    }
    q.run();
    Dense h(n, n);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i <= std::min(j + 1, n - 1); ++i) {
        h(i, j) = i == 0 && j == 0 ? 0.25 : reduced.element("A", i, j);
      }
    }
    const Dense unitary = n == 1 ? identity(1) : q.matrix("A", n, n);
    ASSERT_NO_FATAL_FAILURE(expect_equal(product(adjoint(unitary), unitary), identity(n), q));
    ASSERT_NO_FATAL_FAILURE(expect_equal(product(product(unitary, h), adjoint(unitary)), a, reduced));
  }
}

TEST_P(Reductions, TridiagonalFormHasTheMatrixsSimilarity) {
  for (const std::int64_t n : orders) {
    for (const bool lower : {true, false}) {
      const std::map<std::string, std::string> arguments = {{"n", text(n)}, {"uplo", lower ? "L" : "U"}, {"lda", text(n + 3)}};
      Execution reduced = execution(GetParam().name("sytrd", "hetrd"), arguments);
      const Dense a = reduced.symmetric("A", n, lower, true);
      reduced.run();
      Execution q = execution(GetParam().name("orgtr", "ungtr"), arguments);
      q.take("A", reduced, "A");
      q.take("tau", reduced, "tau");
      q.run();
      Dense t(n, n);
      for (std::int64_t i = 0; i < n; ++i) {
        t(i, i) = reduced.element("d", i);
        if (i + 1 < n) {
          t(i + 1, i) = t(i, i + 1) = reduced.element("e", i);
        }
      }
      const Dense unitary = q.matrix("A", n, n);
      ASSERT_NO_FATAL_FAILURE(expect_equal(product(product(unitary, t), adjoint(unitary)), a, reduced));
    }
  }
}

/// Q and P^H as matrices equal the identity multiplied by them.
TEST_P(Reductions, BidiagonalFactorsAreGeneratedAsTheyAreMultipliedBy) {
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {9, 9}, {17, 9}, {9, 17}, {60, 45}, {45, 60}}) {
    Execution reduced = execution(GetParam().name("gebrd", "gebrd"), {{"m", text(m)}, {"n", text(n)}, {"lda", text(m + 1)}});
    reduced.run();
    for (const bool left : {true, false}) {
      const char* const vect = left ? "Q" : "P";
      const char* const tau = left ? "tauq" : "taup";
      const std::int64_t order = left ? m : n, other = left ? n : m, shown = std::min(m, n);
      Execution generated = execution(
          GetParam().name("orgbr", "ungbr"),
          {{"vect", vect}, {"m", text(left ? order : shown)}, {"n", text(left ? shown : order)}, {"k", text(other)}, {"lda", text(m + 1)}});
      generated.take("A", reduced, "A");
      generated.take("tau", reduced, tau);
      generated.run();
      Execution multiplied = execution(GetParam().name("ormbr", "unmbr"), {{"vect", vect},
                                                                           {"side", "L"},
                                                                           {"trans", "N"},
                                                                           {"m", text(order)},
                                                                           {"n", text(order)},
                                                                           {"k", text(other)},
                                                                           {"lda", text(m + 1)},
                                                                           {"ldc", text(order + 1)}});
      multiplied.take("A", reduced, "A");
      multiplied.take("tau", reduced, tau);
      multiplied.set("C", identity(order));
      multiplied.run();
      const Dense vectors = left ? generated.matrix("A", order, shown) : adjoint(generated.matrix("A", shown, order));
      ASSERT_NO_FATAL_FAILURE(expect_equal(vectors, multiplied.matrix("C", order, shown), generated));
    }
  }
}

/// Q B P^H = A.
TEST_P(Reductions, BidiagonalFormReconstructsTheMatrix) {
  for (const auto& [m, n] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {1, 1}, {5, 1}, {1, 4}, {17, 9}, {9, 17}, {150, 141}, {137, 160}}) {
    Execution reduced = execution(GetParam().name("gebrd", "gebrd"), {{"m", text(m)}, {"n", text(n)}, {"lda", text(m + 1)}});
    const Dense a = reduced.matrix("A", m, n);
    reduced.run();
    Execution left = execution(GetParam().name("ormbr", "unmbr"), {{"vect", "Q"},
                                                                   {"side", "L"},
                                                                   {"trans", "N"},
                                                                   {"m", text(m)},
                                                                   {"n", text(n)},
                                                                   {"k", text(n)},
                                                                   {"lda", text(m + 1)},
                                                                   {"ldc", text(m + 1)}});
    Execution right = execution(GetParam().name("ormbr", "unmbr"), {{"vect", "P"},
                                                                    {"side", "R"},
                                                                    {"trans", GetParam().complex() ? "C" : "T"},
                                                                    {"m", text(m)},
                                                                    {"n", text(n)},
                                                                    {"k", text(m)},
                                                                    {"lda", text(m + 1)},
                                                                    {"ldc", text(m + 1)}});
    for (Execution* factor : {&left, &right}) {
      factor->take("A", reduced, "A");
      factor->take("tau", reduced, factor == &left ? "tauq" : "taup");
    }
    Dense b(m, n);
    for (std::int64_t i = 0; i < std::min(m, n); ++i) {
      b(i, i) = reduced.element("d", i);
      if (i + 1 < std::min(m, n)) {
        b(m >= n ? i : i + 1, m >= n ? i + 1 : i) = reduced.element("e", i);
      }
    }
    left.set("C", b);
    left.run();
    right.set("C", left.matrix("C", m, n));
    right.run();
    ASSERT_NO_FATAL_FAILURE(expect_equal(right.matrix("C", m, n), a, reduced));
  }
}

}  // namespace
}  // namespace flopcast::kernel
