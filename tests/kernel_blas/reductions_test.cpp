#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/reference/arguments.hpp"
#include "tests/kernel/reference/cases.hpp"
#include "tests/kernel/reference/dense.hpp"
#include "tests/kernel_blas/real_libraries.hpp"

// What factorizations and reductions give, put together again, is the matrix that they were given; whatever pivots and signs a library chooses.
namespace flopcast::kernel {
namespace {

using namespace reference;

/// One call on memory of its own, whose operands are read by name, before and after.
class Execution {
 public:
  Execution(const TestLibrary& library, const std::string& routine, const std::map<std::string, std::string>& arguments)
      : library_(library), call_(parse_call(require(routine), arguments)), memory_(call_) {
    reference::prepare(call_, 5);
  }
  void run() {
    Invocation invocation(library_.find(call_.routine->name), call_);
    invocation.run();
    ASSERT_EQ(invocation.outcome().info, 0) << format_call(call_);
  }
  [[nodiscard]] Complex element(const char* name, std::int64_t i, std::int64_t j = 0) const {
    const auto argument = static_cast<std::size_t>(call_.routine->index(name));
    const int stride = call_.routine->arguments[argument].stride;
    const std::int64_t ld = stride < 0 ? 0 : call_.arguments[static_cast<std::size_t>(stride)];
    return reference::element_in_memory(call_, argument, static_cast<std::size_t>(i + j * ld));
  }
  [[nodiscard]] Dense matrix(const char* name, std::int64_t m, std::int64_t n) const {
    return dense(m, n, [&](std::int64_t i, std::int64_t j) { return element(name, i, j); });
  }
  /// The whole of a symmetric or Hermitian matrix of which one triangle is stored.
  [[nodiscard]] Dense symmetric(const char* name, std::int64_t n, bool lower, bool hermitian) const {
    return dense(n, n, [&](std::int64_t i, std::int64_t j) {
      const bool stored = lower ? i >= j : i <= j;
      return stored ? element(name, i, j) : hermitian ? std::conj(element(name, j, i)) : element(name, j, i);
    });
  }
  /// Writes a matrix, with the precision of the routine.
  void set(const char* name, const Dense& values) const {
    const auto argument = static_cast<std::size_t>(call_.routine->index(name));
    const std::int64_t ld = call_.arguments[static_cast<std::size_t>(call_.routine->arguments[argument].stride)];
    for (std::int64_t j = 0; j < values.columns; ++j) {
      for (std::int64_t i = 0; i < values.rows; ++i) {
        const std::uintptr_t base = call_.address(argument);
        switch (call_.routine->precision) {
          case Precision::s: reinterpret_cast<float*>(base)[i + j * ld] = static_cast<float>(values(i, j).real()); break;
          case Precision::d: reinterpret_cast<double*>(base)[i + j * ld] = values(i, j).real(); break;
          case Precision::c: reinterpret_cast<std::complex<float>*>(base)[i + j * ld] = std::complex<float>(values(i, j)); break;
          case Precision::z: reinterpret_cast<Complex*>(base)[i + j * ld] = values(i, j); break;
        }
      }
    }
  }
  /// Copies operand `name` of another execution.
  void take(const char* name, const Execution& from, const char* other) {
    const auto here = static_cast<std::size_t>(call_.routine->index(name)),
               there = static_cast<std::size_t>(from.call_.routine->index(other));
    for (const Operand& operand : operands(call_)) {
      if (operand.argument == here) {
        for (const Region& part : operand.parts) {
          for (std::int64_t j = 0; j < part.columns; ++j) {
            const std::uintptr_t target = part.address + static_cast<std::uintptr_t>(j * part.stride_bytes);
            const auto* source = reinterpret_cast<const char*>(from.call_.address(there) + (target - call_.address(here)));
            std::copy_n(source, part.column_bytes + j * part.growth_bytes, reinterpret_cast<char*>(target));
          }
        }
      }
    }
  }
  [[nodiscard]] const Call& call() const { return call_; }

 private:
  const TestLibrary& library_;
  Call call_;
  reference::GuardedMemory memory_;
};

void expect_equal(const Dense& a, const Dense& b, const Execution& made) {
  const bool single = real_bytes(made.call().routine->precision) == 4;
  const double epsilon = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double tolerance = 30 * epsilon * static_cast<double>(std::max<std::int64_t>(1, std::max(a.rows, a.columns)));
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns, b.columns);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_LE(std::abs(a.values[i] - b.values[i]), tolerance) << format_call(made.call()) << ": element " << i;
  }
}

struct Precise {
  const TestLibrary* library;
  char precision;
  [[nodiscard]] bool complex() const { return precision == 'c' || precision == 'z'; }
  /// The precision's name of a routine: "dsytrd" and "zhetrd" of "sytrd", "hetrd".
  [[nodiscard]] std::string name(const char* real_family, const char* complex_family) const {
    return precision + std::string(complex() ? complex_family : real_family);
  }
};
void PrintTo(const Precise& subject, std::ostream* stream) { *stream << subject.library->name() << "_" << subject.precision; }

std::vector<Precise> all_subjects() {
  std::vector<Precise> all;
  for (const TestLibrary& library : test_libraries()) {
    for (const char precision : {'s', 'd', 'c', 'z'}) {
      if (library.find("dgehrd") != nullptr) {
        all.push_back({&library, precision});
      }
    }
  }
  return all;
}

class Reductions : public testing::TestWithParam<Precise> {
 protected:
  [[nodiscard]] Execution execution(const std::string& routine, const std::map<std::string, std::string>& arguments) const {
    return {*GetParam().library, routine, arguments};
  }
};

INSTANTIATE_TEST_SUITE_P(Library, Reductions, testing::ValuesIn(all_subjects()));
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
        // A = P1 L1 P2 L2 ... D ..., or from the last column on for an upper triangle.
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
      a(0, 0) = 0.25;  // isn't touched, so not filled
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
