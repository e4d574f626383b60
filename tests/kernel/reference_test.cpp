#include <gtest/gtest.h>

#include <cmath>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/reference/cases.hpp"
#include "tests/kernel/reference/dense.hpp"
#include "tests/kernel/reference/families.hpp"

// Tests of the plain algorithms against the relations that define their results.
namespace flopcast::kernel::reference {
namespace {

Dense read(Matrix A, std::int64_t m, std::int64_t n) {
  return dense(m, n, [&](std::int64_t i, std::int64_t j) { return static_cast<Number>(A(i, j)).value(); });
}
Dense lower(const Dense& a, bool unit = false) {
  return dense(a.rows, a.columns, [&](std::int64_t i, std::int64_t j) { return i > j ? a(i, j) : i == j ? (unit ? 1.0 : a(i, j)) : 0.0; });
}
Dense upper(const Dense& a) {
  return dense(a.rows, a.columns, [&](std::int64_t i, std::int64_t j) { return i <= j ? a(i, j) : 0.0; });
}
void expect_equal(const Dense& a, const Dense& b) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns, b.columns);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_LE(std::abs(a.values[i] - b.values[i]), 1e-12) << "element " << i;
  }
}

/// A call with filled operands, before and after its plain algorithm.
struct Execution {
  Call call;
  GuardedMemory memory;
  Arguments before, after;

  explicit Execution(const Call& given) : call(given), memory(filled(call)), before(call), after(call) {
    find(call.routine->family)(after);
  }
  Execution(const std::string& routine, const std::map<std::string, std::string>& arguments)
      : Execution(parse_call(require(routine), arguments)) {}

 private:
  static GuardedMemory filled(Call& call) {
    GuardedMemory memory(call);
    prepare(call, 3);
    return memory;
  }
};

TEST(Reference, QrReconstructsTheMatrixAndQIsUnitary) {
  Execution qr("zgeqr2", {{"m", "7"}, {"n", "4"}});
  const Dense a = read(qr.before.matrix("A"), 7, 4), factored = read(qr.after.matrix("A"), 7, 4);
  Dense q(7, 7);
  for (std::int64_t i = 0; i < 7; ++i) {
    q(i, i) = 1;
  }
  for (std::int64_t k = 0; k < 4; ++k) {
    const Complex tau = static_cast<Number>(qr.after.vector("tau")[k]).value();
    const Dense v = dense(7, 1, [&](std::int64_t i, std::int64_t) { return i < k ? 0.0 : i == k ? 1.0 : factored(i, k); });
    const Dense vv = product(v, adjoint(v));
    q = product(q, dense(7, 7, [&](std::int64_t i, std::int64_t j) { return (i == j ? 1.0 : 0.0) - tau * vv(i, j); }));
  }
  expect_equal(product(q, upper(factored)), a);
  expect_equal(product(adjoint(q), q), dense(7, 7, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; }));
}

TEST(Reference, CholeskyReconstructsTheMatrix) {
  for (const char* uplo : {"L", "U"}) {
    Execution cholesky("zpotf2", {{"n", "6"}, {"uplo", uplo}});
    const Dense a = read(cholesky.before.matrix("A"), 6, 6), factored = read(cholesky.after.matrix("A"), 6, 6);
    if (*uplo == 'L') {
      expect_equal(lower(product(lower(factored), adjoint(lower(factored)))), lower(a));
    } else {
      expect_equal(upper(product(adjoint(upper(factored)), upper(factored))), upper(a));
    }
  }
}

TEST(Reference, LuReconstructsThePermutedMatrix) {
  Execution lu("zgetf2", {{"m", "6"}, {"n", "6"}});
  Dense a = read(lu.before.matrix("A"), 6, 6);
  const Dense factored = read(lu.after.matrix("A"), 6, 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto p = static_cast<std::int64_t>(static_cast<Number>(lu.after.vector("ipiv")[i]).real()) - 1;
    for (std::int64_t j = 0; j < 6; ++j) {
      std::swap(a(i, j), a(p, j));
    }
  }
  expect_equal(product(lower(factored, true), upper(factored)), a);
}

TEST(Reference, BlockReflectorIsTheProductOfItsReflectors) {
  Execution block("zlarft", {{"n", "6"}, {"k", "3"}});
  const Dense stored = read(block.before.matrix("V"), 6, 3);
  const Dense v = dense(6, 3, [&](std::int64_t i, std::int64_t j) { return i < j ? 0.0 : i == j ? 1.0 : stored(i, j); });
  const Dense t = upper(read(block.after.matrix("T"), 3, 3));
  Dense expected = dense(6, 6, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; });
  for (std::int64_t k = 0; k < 3; ++k) {
    const Dense vk = dense(6, 1, [&](std::int64_t i, std::int64_t) { return v(i, k); });
    const Dense vv = product(vk, adjoint(vk));
    const Complex tau = static_cast<Number>(block.before.vector("tau")[k]).value();
    expected = product(expected, dense(6, 6, [&](std::int64_t i, std::int64_t j) { return (i == j ? 1.0 : 0.0) - tau * vv(i, j); }));
  }
  const Dense vtv = product(product(v, t), adjoint(v));
  expect_equal(dense(6, 6, [&](std::int64_t i, std::int64_t j) { return (i == j ? 1.0 : 0.0) - vtv(i, j); }), expected);
}

TEST(Reference, InverseTimesTriangleIsTheIdentity) {
  Execution inverse("ztrti2", {{"n", "5"}, {"uplo", "U"}});
  const Dense u = upper(read(inverse.before.matrix("A"), 5, 5)), x = upper(read(inverse.after.matrix("A"), 5, 5));
  expect_equal(product(u, x), dense(5, 5, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; }));
}

TEST(Reference, SylvesterSolutionSatisfiesItsEquation) {
  for (const char* sign : {"+", "-"}) {
    Execution sylvester("ztrsyl", {{"m", "5"}, {"n", "4"}, {"trana", "C"}, {"isgn", sign}});
    const Dense a = adjoint(read(sylvester.before.matrix("A"), 5, 5)), b = read(sylvester.before.matrix("B"), 4, 4);
    const Dense x = read(sylvester.after.matrix("C"), 5, 4), ax = product(a, x), xb = product(x, b);
    const double factor = *sign == '+' ? 1 : -1;
    expect_equal(dense(5, 4, [&](std::int64_t i, std::int64_t j) { return ax(i, j) + factor * xb(i, j); }),
                 read(sylvester.before.matrix("C"), 5, 4));
  }
}

TEST(Reference, StandardFormSatisfiesItsDefinition) {
  Execution reduction("zhegs2", {{"n", "5"}, {"itype", "1"}});
  const auto hermitian = [](const Dense& stored) {
    return dense(5, 5, [&](std::int64_t i, std::int64_t j) { return i >= j ? stored(i, j) : std::conj(stored(j, i)); });
  };
  const Dense a = hermitian(read(reduction.before.matrix("A"), 5, 5)), x = hermitian(read(reduction.after.matrix("A"), 5, 5));
  const Dense l = lower(read(reduction.before.matrix("B"), 5, 5));
  expect_equal(product(product(l, x), adjoint(l)), a);
}

}  // namespace
}  // namespace flopcast::kernel::reference
