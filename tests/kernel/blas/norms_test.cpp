#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/kernel/blas/execution.hpp"
#include "tests/kernel/reference/spectral.hpp"

// Tests of condition numbers against explicit inverses, and of balancing and pivoted QR by their defining relations. Norms have a plain
// algorithm and are tested with every routine.
namespace flopcast::kernel {
namespace {

using namespace reference;

class Norms : public testing::TestWithParam<Precise> {
 protected:
  [[nodiscard]] Execution execution(const std::string& family, const std::map<std::string, std::string>& arguments) const {
    return {*GetParam().library, GetParam().precision + family, arguments};
  }
  [[nodiscard]] double epsilon() const {
    const bool single = GetParam().precision == 's' || GetParam().precision == 'c';
    return single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  }
};

INSTANTIATE_TEST_SUITE_P(Library, Norms, testing::ValuesIn(every_precision()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Norms);

const std::vector<std::int64_t> orders = {1, 2, 7, 40};
std::string text(std::int64_t n) { return std::to_string(n); }

/// Returns the largest sum of a column's absolute values, or of a row's for norm infinity.
double norm(const Dense& a, bool infinity) {
  double largest = 0;
  for (std::int64_t k = 0; k < (infinity ? a.rows : a.columns); ++k) {
    double sum = 0;
    for (std::int64_t l = 0; l < (infinity ? a.columns : a.rows); ++l) {
      sum += std::abs(infinity ? a(k, l) : a(l, k));
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

double reciprocal_condition(const Dense& a, bool infinity) {
  return 1 / (norm(a, infinity) * norm(least_norm_solution(a, identity(a.rows)), infinity));
}

Dense triangle_of(const Dense& a, bool lower, bool unit) {
  return dense(a.rows, a.columns, [&](std::int64_t i, std::int64_t j) {
    return i == j && unit ? Complex(1) : (lower ? i >= j : i <= j) ? a(i, j) : Complex(0);
  });
}

/// Expects an estimate that finds nearly all of the inverse's norm.
void expect_condition(const Execution& made, double expected) {
  const double found = made.element("rcond", 0).real();
  EXPECT_GE(found, 0.999 * expected) << format_call(made.call());
  EXPECT_LE(found, 3 * expected) << format_call(made.call());
}

TEST_P(Norms, ConditionOfFactoredMatrices) {
  for (const std::int64_t n : orders) {
    for (const char* kind : {"1", "I"}) {
      const bool infinity = *kind == 'I';
      const Dense factors = execution("gecon", {{"n", text(n)}}).matrix("A", n, n);
      const Dense a = product(triangle_of(factors, true, true), triangle_of(factors, false, false));
      Execution made = execution("gecon", {{"n", text(n)}, {"norm", kind}, {"anorm", fmt::format("{}", norm(a, infinity))}});
      ASSERT_NO_FATAL_FAILURE(made.run());
      expect_condition(made, reciprocal_condition(a, infinity));
    }
    for (const bool lower : {true, false}) {
      const std::map<std::string, std::string> flags = {{"n", text(n)}, {"uplo", lower ? "L" : "U"}};
      const Dense factor = triangle_of(execution("pocon", flags).matrix("A", n, n), lower, false);
      const Dense a = lower ? product(factor, adjoint(factor)) : product(adjoint(factor), factor);
      std::map<std::string, std::string> arguments = flags;
      arguments["anorm"] = fmt::format("{}", norm(a, false));
      Execution made = execution("pocon", arguments);
      ASSERT_NO_FATAL_FAILURE(made.run());
      expect_condition(made, reciprocal_condition(a, false));
    }
  }
}

TEST_P(Norms, ConditionOfTriangles) {
  for (const std::int64_t n : orders) {
    for (const char* kind : {"1", "I"}) {
      for (const bool lower : {true, false}) {
        for (const bool unit : {true, false}) {
          Execution made = execution("trcon", {{"n", text(n)}, {"norm", kind}, {"uplo", lower ? "L" : "U"}, {"diag", unit ? "U" : "N"}});
          const Dense a = triangle_of(made.matrix("A", n, n), lower, unit);
          ASSERT_NO_FATAL_FAILURE(made.run());
          expect_condition(made, reciprocal_condition(a, *kind == 'I'));
        }
      }
    }
  }
}

TEST_P(Norms, BalancingScalesByPowersOfTwo) {
  for (const std::int64_t n : orders) {
    Execution made = execution("gebal", {{"n", text(n)}, {"job", "S"}});
    const Dense given = made.matrix("A", n, n);
    const Dense skewed = dense(
        n, n, [&](std::int64_t i, std::int64_t j) { return given(i, j) * std::ldexp(1.0, static_cast<int>((i * 3) % 8 - (j * 3) % 8)); });
    made.set("A", skewed);
    ASSERT_NO_FATAL_FAILURE(made.run());
    EXPECT_EQ(made.element("ilo", 0), 1.0);
    EXPECT_EQ(made.element("ihi", 0), static_cast<double>(n));
    const Dense balanced = made.matrix("A", n, n);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(balanced(i, j), skewed(i, j) * made.element("scale", j).real() / made.element("scale", i).real())
            << format_call(made.call());
      }
    }
    if (n == 40) {
      EXPECT_LT(norm(balanced, false), norm(skewed, false) / 2);
    }
  }
}

TEST_P(Norms, PivotedQrReproducesTheMatrixWithItsColumnsInOrder) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {{1, 1}, {5, 1}, {1, 4}, {9, 9}, {60, 41}, {35, 90}};
  for (const auto& [m, n] : shapes) {
    Execution made = execution("geqp3", {{"m", text(m)}, {"n", text(n)}, {"lda", text(m + 1)}});
    const Dense a = made.matrix("A", m, n);
    ASSERT_NO_FATAL_FAILURE(made.run());
    std::vector<std::int64_t> order;
    for (std::int64_t j = 0; j < n; ++j) {
      order.push_back(static_cast<std::int64_t>(made.element("jpvt", j).real()) - 1);
    }
    const std::set<std::int64_t> distinct(order.begin(), order.end());
    ASSERT_EQ(distinct.size(), order.size());
    ASSERT_GE(*distinct.begin(), 0);
    ASSERT_LT(*distinct.rbegin(), n);
    const Dense permuted = dense(m, n, [&](std::int64_t i, std::int64_t j) { return a(i, order[static_cast<std::size_t>(j)]); });
    const Dense r = triangle_of(made.matrix("A", std::min(m, n), n), false, false);
    const Dense expected = product(adjoint(permuted), permuted);  // Q's columns are orthonormal
    const Dense found = product(adjoint(r), r);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      ASSERT_LE(std::abs(found.values[i] - expected.values[i]), 100 * epsilon() * static_cast<double>(m + n) * norm(expected, false))
          << format_call(made.call());
    }
    for (std::int64_t k = 1; k < std::min(m, n); ++k) {
      EXPECT_LE(std::abs(r(k, k)), std::abs(r(k - 1, k - 1)) * (1 + 100 * epsilon())) << "the longest remaining column comes next";
    }
  }
}

/// The condition number of an eigenvalue is the cosine of the angle between its left and right eigenvector.
TEST_P(Norms, ConditionsOfEigenvaluesAreThoseOfTheirVectors) {
  for (const std::int64_t n : orders) {
    for (const char* sense : {"E", "B"}) {
      Execution made = execution("geevx", {{"n", text(n)}, {"balanc", "N"}, {"jobvl", "V"}, {"jobvr", "V"}, {"sense", sense}});
      ASSERT_NO_FATAL_FAILURE(made.run());
      const auto vector = [&](const char* name, std::int64_t k, std::int64_t i) {  // vectors of a real matrix are stored as real and
                                                                                   // imaginary part
        const double imaginary = GetParam().complex() ? 0 : made.element("wi", k).real();
        const std::int64_t first = imaginary < 0 ? k - 1 : k;
        return imaginary == 0 ? made.element(name, i, k)
                              : Complex(made.element(name, i, first).real(), made.element(name, i, first + 1).real());
      };
      for (std::int64_t k = 0; k < n; ++k) {
        Complex product = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          product += std::conj(vector("VL", k, i)) * vector("VR", k, i);  // both of length 1
        }
        EXPECT_NEAR(made.element("rconde", k).real(), std::abs(product), 1000 * epsilon() * static_cast<double>(n))
            << format_call(made.call());
      }
    }
  }
}

/// For a diagonal matrix the separation is the distance to the nearest other eigenvalue.
TEST_P(Norms, ConditionsOfVectorsAreSeparations) {
  static constexpr std::int64_t n = 7;
  const Dense diagonal = dense(n, n, [](std::int64_t i, std::int64_t j) { return i == j ? std::ldexp(1.0, static_cast<int>(i)) : 0.0; });
  for (const auto& [sense, vectors] : {std::pair{"V", "N"}, std::pair{"V", "V"}, std::pair{"B", "V"}}) {
    Execution made = execution("geevx", {{"n", text(n)}, {"balanc", "N"}, {"jobvl", vectors}, {"jobvr", vectors}, {"sense", sense}});
    made.set("A", diagonal);
    ASSERT_NO_FATAL_FAILURE(made.run());
    for (std::int64_t k = 0; k < n; ++k) {
      const double value = made.element(GetParam().complex() ? "w" : "wr", k).real();
      EXPECT_NEAR(made.element("rcondv", k).real(), value == 1 ? 1 : value / 2, 1e-5) << format_call(made.call());
    }
  }
}

TEST_P(Norms, BalancedEigenvaluesAreThoseOfTheMatrix) {
  for (const std::int64_t n : orders) {
    for (const char* balance : {"N", "B"}) {
      Execution made = execution("geevx", {{"n", text(n)}, {"balanc", balance}, {"jobvl", "V"}, {"jobvr", "V"}});
      std::vector<Complex> expected = eigenvalues(made.matrix("A", n, n));
      ASSERT_NO_FATAL_FAILURE(made.run());
      for (std::int64_t k = 0; k < n; ++k) {
        const bool complex = GetParam().complex();
        const Complex value = complex ? made.element("w", k) : Complex(made.element("wr", k).real(), made.element("wi", k).real());
        const auto nearest = std::min_element(expected.begin(), expected.end(), [&](const Complex& x, const Complex& y) {
          return std::abs(x - value) < std::abs(y - value);
        });
        ASSERT_LE(std::abs(*nearest - value), 1000 * epsilon() * static_cast<double>(n * n)) << format_call(made.call());
        expected.erase(nearest);
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::kernel
