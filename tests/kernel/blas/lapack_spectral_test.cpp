#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "flopcast/kernel/spectrum.hpp"
#include "tests/kernel/blas/execution.hpp"
#include "tests/kernel/reference/spectral.hpp"

// Tests of eigenvalues, singular values and least squares. Values are compared with those of Jacobi's methods. Vectors, which are unique
// except for signs, are tested by their defining relations.
namespace flopcast::kernel {
namespace {

using namespace reference;

class Spectral : public testing::TestWithParam<Precise> {
 protected:
  [[nodiscard]] bool complex() const { return GetParam().complex(); }
  [[nodiscard]] Execution execution(const std::string& family, std::map<std::string, std::string> arguments) const {
    return {*GetParam().library, GetParam().precision + family, arguments};
  }
  [[nodiscard]] bool single() const { return GetParam().precision == 's' || GetParam().precision == 'c'; }
  /// Returns the tolerance for numbers of size 1 in problems of this order.
  [[nodiscard]] double tolerance(std::int64_t order) const {
    return 30 * static_cast<double>(std::max<std::int64_t>(order, 1)) *
           (single() ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon());
  }
  /// Expects the first values of a matrix of this order, 0 meaning the number of values.
  void expect_values(const Execution& made, const char* name, const std::vector<double>& expected, std::int64_t order = 0) const {
    const double scale =
        std::accumulate(expected.begin(), expected.end(), 1.0, [](double a, double b) { return std::max(a, std::abs(b)); });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(made.element(name, static_cast<std::int64_t>(i)).real(), expected[i],
                  tolerance(std::max(order, static_cast<std::int64_t>(expected.size()))) * scale)
          << format_call(made.call()) << ": value " << i;
    }
  }
  /// Expects equality except for rounding, relative to the size of the numbers.
  void expect_close(const Dense& found, const Dense& expected, const Execution& made, double factor = 1) const {
    double scale = 1;
    for (const Complex& value : expected.values) {
      scale = std::max(scale, std::abs(value));
    }
    ASSERT_EQ(found.rows, expected.rows);
    ASSERT_EQ(found.columns, expected.columns);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      ASSERT_LE(std::abs(found.values[i] - expected.values[i]), factor * tolerance(std::max(found.rows, found.columns)) * scale)
          << format_call(made.call()) << ": element " << i;
    }
  }
  void expect_orthonormal_columns(const Dense& vectors, const Execution& made) const {
    expect_close(product(adjoint(vectors), vectors), identity(vectors.columns), made);
  }
};

INSTANTIATE_TEST_SUITE_P(Library, Spectral, testing::ValuesIn(every_precision()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Spectral);

const std::vector<std::int64_t> orders = {0, 1, 2, 7, 40};
const std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {{1, 1}, {5, 1}, {1, 4}, {9, 9}, {17, 6}, {6, 17}, {60, 41}, {35, 90}};
std::string text(std::int64_t n) { return std::to_string(n); }

Dense scaled_columns(Dense a, const std::vector<double>& factors) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      a(i, j) *= factors[static_cast<std::size_t>(j)];
    }
  }
  return a;
}

Dense hermitian(Dense a) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = a(i, i).real();
  }
  return a;
}

TEST_P(Spectral, HermitianEigenvaluesAndVectors) {
  const std::vector<std::string> families =
      complex() ? std::vector<std::string>{"heev", "heevd", "heevr", "heevx"} : std::vector<std::string>{"syev", "syevd", "syevr", "syevx"};
  for (const std::string& family : families) {
    for (const std::int64_t n : orders) {
      for (const bool lower : {true, false}) {
        for (const char* job : {"N", "V"}) {
          std::map<std::string, std::string> arguments = {{"n", text(n)}, {"uplo", lower ? "L" : "U"}, {"jobz", job}, {"lda", text(n + 2)}};
          const bool in_z = family.back() == 'r' || family.back() == 'x';
          Execution made = execution(family, arguments);
          const Dense a = hermitian(made.symmetric("A", n, lower, true));
          ASSERT_NO_FATAL_FAILURE(made.run());
          const HermitianEigen expected = hermitian_eigen(a);
          ASSERT_NO_FATAL_FAILURE(expect_values(made, "w", expected.values));
          if (*job == 'V') {
            const Dense vectors = made.matrix(in_z ? "Z" : "A", n, n);
            ASSERT_NO_FATAL_FAILURE(expect_orthonormal_columns(vectors, made));
            ASSERT_NO_FATAL_FAILURE(expect_close(product(scaled_columns(vectors, expected.values), adjoint(vectors)), a, made));
          }
        }
      }
    }
  }
}

TEST_P(Spectral, OneHermitianEigenvalueAndItsVector) {
  for (const std::string family : {complex() ? "heevr" : "syevr", complex() ? "heevx" : "syevx"}) {
    for (const bool lower : {true, false}) {
      Execution made = execution(family, {{"n", "40"}, {"uplo", lower ? "L" : "U"}, {"jobz", "V"}, {"range", "I"}});
      const Dense a = hermitian(made.symmetric("A", 40, lower, true));
      ASSERT_NO_FATAL_FAILURE(made.run());
      ASSERT_EQ(made.element("m", 0), 1.0);
      const std::vector<double> smallest = {hermitian_eigen(a).values.front()};
      ASSERT_NO_FATAL_FAILURE(expect_values(made, "w", smallest, 40));
      const Dense vector = made.matrix("Z", 40, 1);
      ASSERT_NO_FATAL_FAILURE(expect_orthonormal_columns(vector, made));
      ASSERT_NO_FATAL_FAILURE(expect_close(product(a, vector), scaled_columns(vector, smallest), made, 10));
    }
  }
}

TEST_P(Spectral, SingularValuesByJacobi) {
  for (const auto& [m, n] : shapes) {
    for (const std::string wish : {"N", "U", "F"}) {
      if (m < n) {
        continue;
      }
      Execution made = execution("gejsv", {{"m", text(m)}, {"n", text(n)}, {"jobu", wish}, {"jobv", wish == "N" ? "N" : "V"}});
      const Dense a = made.matrix("A", m, n);
      ASSERT_NO_FATAL_FAILURE(made.run());
      const std::vector<double> values = singular_values(a).values;
      ASSERT_NO_FATAL_FAILURE(expect_values(made, "sva", values));
      if (wish != "N") {
        const Dense u = made.matrix("U", m, wish == "F" ? m : n), v = made.matrix("V", n, n);
        ASSERT_NO_FATAL_FAILURE(expect_orthonormal_columns(u, made));
        ASSERT_NO_FATAL_FAILURE(expect_orthonormal_columns(v, made));
        const Dense first = dense(m, n, [&](std::int64_t i, std::int64_t j) { return u(i, j); });
        ASSERT_NO_FATAL_FAILURE(expect_close(product(scaled_columns(first, values), adjoint(v)), a, made));
      }
    }
  }
}

TEST_P(Spectral, IndefiniteSystems) {
  const std::vector<std::string> families = complex() ? std::vector<std::string>{"sysv", "hesv"} : std::vector<std::string>{"sysv"};
  for (const std::string& family : families) {
    for (const std::int64_t n : orders) {
      for (const bool lower : {true, false}) {
        Execution made = execution(family, {{"n", text(n)}, {"nrhs", "3"}, {"uplo", lower ? "L" : "U"}});
        const Dense given = made.symmetric("A", n, lower, family == "hesv");
        const Dense a = family == "hesv" ? hermitian(given) : given;
        const Dense b = made.matrix("B", n, 3);
        ASSERT_NO_FATAL_FAILURE(made.run());
        const Dense x = made.matrix("B", n, 3);
        double largest = 1;
        for (const Complex& value : x.values) {
          largest = std::max(largest, std::abs(value));
        }
        ASSERT_NO_FATAL_FAILURE(expect_close(product(a, x), b, made, largest * static_cast<double>(std::max<std::int64_t>(n, 1))));
      }
    }
  }
}

/// The values that each spectrum promises, in falling order of their absolute values.
TEST_P(Spectral, GeneratedMatricesHaveTheirSpectrum) {
  const std::int64_t n = 24;
  for (const auto& [spectrum, name] : spectrum_names) {
    std::vector<double> sizes;
    for (std::int64_t i = 0; i < n; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(n);
      const double precision = single() ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
      sizes.push_back(spectrum == Spectrum::uniform     ? 1 - share
                      : spectrum == Spectrum::clustered ? 1 - std::floor(8 * share) / 8
                      : spectrum == Spectrum::geometric ? std::pow(precision, share)
                                                        : std::max(0.0, 1 - 2 * share));
    }
    const Execution general = execution("gesdd", {{"m", "31"}, {"n", text(n)}});
    fill_spectrum(general.call(), spectrum, 3);
    const Dense a = general.matrix("A", 31, n);
    const std::vector<double> found = singular_values(a).values;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ASSERT_NEAR(found[i], sizes[i], tolerance(n)) << name << ", value " << i;
    }
    std::vector<double> expected;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      expected.push_back(i % 2 == 1 ? -sizes[i] : sizes[i]);
    }
    std::sort(expected.begin(), expected.end());
    const Execution symmetric = execution(complex() ? "heevd" : "syevd", {{"n", text(n)}});
    fill_spectrum(symmetric.call(), spectrum, 3);
    const Dense b = symmetric.matrix("A", n, n);
    ASSERT_NO_FATAL_FAILURE(expect_close(b, adjoint(b), symmetric));
    const std::vector<double> values = hermitian_eigen(hermitian(b)).values;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(values[i], expected[i], tolerance(n)) << name << ", eigenvalue " << i;
    }
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(b(i, 0)));
    }
    EXPECT_LT(largest, 0.95) << name << ": the matrix is nearly diagonal";
  }
}

/// Returns the eigenvector x of eigenvalue k. A real matrix stores a complex vector as real and imaginary part.
Dense eigenvector_of(const Execution& made, const char* name, std::int64_t n, std::int64_t k, double imaginary) {
  return dense(n, 1, [&](std::int64_t i, std::int64_t) {
    if (imaginary == 0) {
      return made.element(name, i, k);
    }
    const std::int64_t first = imaginary > 0 ? k : k - 1;
    return made.element(name, i, first) + Complex(0, imaginary > 0 ? 1 : -1) * made.element(name, i, first + 1).real();
  });
}

TEST_P(Spectral, GeneralEigenvaluesAndVectors) {
  for (const std::int64_t n : orders) {
    for (const char* job : {"N", "V"}) {
      Execution made = execution("geev", {{"n", text(n)}, {"jobvl", job}, {"jobvr", job}});
      const Dense a = made.matrix("A", n, n);
      ASSERT_NO_FATAL_FAILURE(made.run());
      std::vector<Complex> expected = eigenvalues(a);
      for (std::int64_t k = 0; k < n; ++k) {
        const Complex value = complex() ? made.element("w", k) : Complex(made.element("wr", k).real(), made.element("wi", k).real());
        const auto nearest = std::min_element(expected.begin(), expected.end(), [&](const Complex& x, const Complex& y) {
          return std::abs(x - value) < std::abs(y - value);
        });
        // eigenvalues of general matrices are the more sensitive, the more skew their vectors are
        ASSERT_LE(std::abs(*nearest - value), 30 * tolerance(n) * static_cast<double>(n))
            << format_call(made.call()) << ": eigenvalue " << k;
        expected.erase(nearest);
        for (const char* name : *job == 'V' ? std::vector{"VL", "VR"} : std::vector<const char*>{}) {
          const bool left = std::string(name) == "VL";
          const Dense x = eigenvector_of(made, name, n, k, complex() ? 0 : value.imag());
          ASSERT_NEAR(std::abs(product(adjoint(x), x)(0, 0)), 1, tolerance(n));
          const Dense image = product(left ? adjoint(a) : a, x);
          const Complex factor = left ? std::conj(value) : value;
          ASSERT_NO_FATAL_FAILURE(
              expect_close(image, dense(n, 1, [&](std::int64_t i, std::int64_t) { return factor * x(i, 0); }), made, 10));
        }
      }
    }
  }
}

TEST_P(Spectral, SingularValuesAndVectors) {
  for (const auto& [m, n] : shapes) {
    const std::int64_t least = std::min(m, n);
    const auto check = [&, m = m, n = n](const std::string& family, const std::map<std::string, std::string>& jobs, std::int64_t left,
                                         std::int64_t right) {
      std::map<std::string, std::string> arguments = jobs;
      arguments.insert({{"m", text(m)}, {"n", text(n)}, {"lda", text(m + 1)}});
      Execution made = execution(family, arguments);
      const Dense a = made.matrix("A", m, n);
      ASSERT_NO_FATAL_FAILURE(made.run());
      const SingularValues expected = singular_values(a);
      ASSERT_NO_FATAL_FAILURE(expect_values(made, "s", expected.values));
      if (left == 0) {
        return;
      }
      const Dense u = left < 0 ? made.matrix("A", m, least) : made.matrix("U", m, left);
      const Dense v = adjoint(right < 0 ? made.matrix("A", least, n) : made.matrix("VT", right, n));
      ASSERT_NO_FATAL_FAILURE(expect_orthonormal_columns(u, made));
      ASSERT_NO_FATAL_FAILURE(expect_orthonormal_columns(v, made));
      const Dense first_u = dense(m, least, [&](std::int64_t i, std::int64_t j) { return u(i, j); });
      const Dense first_v = dense(n, least, [&](std::int64_t i, std::int64_t j) { return v(i, j); });
      expect_close(product(scaled_columns(first_u, expected.values), adjoint(first_v)), a, made);
    };
    ASSERT_NO_FATAL_FAILURE(check("gesdd", {{"jobz", "N"}}, 0, 0));
    ASSERT_NO_FATAL_FAILURE(check("gesdd", {{"jobz", "S"}}, least, least));
    ASSERT_NO_FATAL_FAILURE(check("gesdd", {{"jobz", "A"}}, m, n));
    ASSERT_NO_FATAL_FAILURE(check("gesdd", {{"jobz", "O"}}, m >= n ? -1 : m, m >= n ? n : -1));
    ASSERT_NO_FATAL_FAILURE(check("gesvd", {{"jobu", "N"}, {"jobvt", "N"}}, 0, 0));
    ASSERT_NO_FATAL_FAILURE(check("gesvd", {{"jobu", "S"}, {"jobvt", "S"}}, least, least));
    ASSERT_NO_FATAL_FAILURE(check("gesvd", {{"jobu", "A"}, {"jobvt", "A"}}, m, n));
  }
}

TEST_P(Spectral, LeastSquares) {
  for (const auto& [m, n] : shapes) {
    for (const std::string family : {"gels", "gelsd", "gelsy"}) {
      for (const bool turned : family == "gels" ? std::vector{false, true} : std::vector{false}) {
        const std::int64_t rows = turned ? n : m, columns = turned ? m : n;
        std::map<std::string, std::string> arguments = {{"m", text(m)}, {"n", text(n)}, {"nrhs", "3"}, {"ldb", text(std::max(m, n) + 1)}};
        if (family == "gels") {
          arguments["trans"] = turned ? (complex() ? "C" : "T") : "N";
        } else {
          arguments["rcond"] = single() ? "0.000001" : "0.00000000000001";
        }
        Execution made = execution(family, arguments);
        const Dense a = turned ? adjoint(made.matrix("A", m, n)) : made.matrix("A", m, n);
        const Dense expected = least_norm_solution(a, made.matrix("B", rows, 3));
        ASSERT_NO_FATAL_FAILURE(made.run());
        const std::vector<double> values = singular_values(a).values;
        ASSERT_NO_FATAL_FAILURE(expect_close(made.matrix("B", columns, 3), expected, made, std::pow(values.front() / values.back(), 2)));
        if (family != "gels") {
          EXPECT_EQ(made.element("rank", 0), static_cast<double>(std::min(m, n)));
        }
        if (family == "gelsd") {
          ASSERT_NO_FATAL_FAILURE(expect_values(made, "s", values));
        }
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::kernel
