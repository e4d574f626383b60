#include "flopcast/core/call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

#include "flopcast/core/sample.hpp"

namespace flopcast {
namespace {

constexpr std::array<std::string_view, 9> argument_names = {"uplo", "diag", "m", "n", "kl", "ku", "A", "lda", "storev"};

Argument plain(std::string name, Kind kind) {
  Argument argument;
  argument.name = std::move(name);
  argument.kind = kind;
  return argument;
}

/// Returns an artificial routine with one matrix operand of the given form, m x n with kl and ku off-diagonals.
Routine routine_with(Form form) {
  Routine routine;
  routine.name = "test";
  routine.precision = Precision::s;
  routine.arguments = {plain("uplo", Kind::flag),  plain("diag", Kind::flag), plain("m", Kind::size), plain("n", Kind::size),
                       plain("kl", Kind::size),    plain("ku", Kind::size),   plain("A", Kind::data), plain("lda", Kind::leading_dimension),
                       plain("storev", Kind::flag)};
  Argument& a = routine.arguments[6];
  a.form = form;
  a.rows = ArgumentFormula("m", argument_names);
  a.columns = ArgumentFormula("n", argument_names);
  a.lower = ArgumentFormula("kl", argument_names);
  a.upper = ArgumentFormula("ku", argument_names);
  a.uplo = 0;
  a.diag = 1;
  a.stride = 7;
  a.storev = 8;
  return routine;
}

struct Sizes {
  std::int64_t m, n, kl, ku, ld;
};

Call call_of(const Routine& routine, char uplo, char diag, const Sizes& s, char storev = 'C') {
  Call call;
  call.routine = &routine;
  call.arguments = {uplo, diag, s.m, s.n, s.kl, s.ku, 1 << 20, s.ld, storev};
  return call;
}

/// Returns the touched elements as offsets from the operand's address; fails if one is counted twice.
std::set<std::int64_t> touched(const Call& call) {
  std::set<std::int64_t> elements;
  const Operands all = operands(call);
  for (const Region& part : all[0].parts) {
    for (std::int64_t j = 0; j < part.columns; ++j) {
      const auto from = static_cast<std::int64_t>(part.address) - (1 << 20) + j * part.stride_bytes;
      for (std::int64_t at = from; at < from + part.column_bytes + j * part.growth_bytes; at += 4) {
        EXPECT_TRUE(elements.insert(at / 4).second) << "twice: " << at / 4;
      }
    }
  }
  return elements;
}

TEST(Operands, BandsAreExact) {
  const Routine routine = routine_with(Form::band);
  for (std::int64_t m = 0; m <= 7; ++m) {
    for (std::int64_t n = 0; n <= 7; ++n) {
      for (std::int64_t kl = 0; kl <= 8; ++kl) {
        for (std::int64_t ku = 0; ku <= 8; ++ku) {
          const std::int64_t ld = kl + ku + 1 + (m + n) % 3;
          std::set<std::int64_t> expected;
          for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = 0; i < m; ++i) {
              if (i - j <= kl && j - i <= ku) {
                expected.insert(ku + i - j + j * ld);
              }
            }
          }
          ASSERT_EQ(touched(call_of(routine, 'L', 'N', {m, n, kl, ku, ld})), expected) << m << " " << n << " " << kl << " " << ku;
        }
      }
    }
  }
}

TEST(Operands, BandedTrianglesAreExact) {
  const Routine routine = routine_with(Form::band_triangle);
  for (std::int64_t n = 0; n <= 7; ++n) {
    for (std::int64_t k = 0; k <= 8; ++k) {
      for (const bool lower : {true, false}) {
        for (const bool unit : {true, false}) {
          std::set<std::int64_t> expected;
          for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = 0; i < n; ++i) {
              const std::int64_t below = lower ? i - j : j - i;
              if (below >= (unit ? 1 : 0) && below <= k) {
                expected.insert((lower ? 0 : k) + i - j + j * (k + 2));
              }
            }
          }
          const Call call = call_of(routine, lower ? 'L' : 'U', unit ? 'U' : 'N', {n, 0, 0, k, k + 2});
          ASSERT_EQ(touched(call), expected) << n << " " << k << " " << lower << unit;
        }
      }
    }
  }
}

TEST(Operands, TrianglesAndTrapezoidsAreExact) {
  const Routine triangle = routine_with(Form::triangle), trapezoid = routine_with(Form::trapezoid);
  for (std::int64_t m = 0; m <= 6; ++m) {
    for (std::int64_t n = 0; n <= 6; ++n) {
      for (const char uplo : {'L', 'U', 'A'}) {
        const std::int64_t ld = m + 2;
        std::set<std::int64_t> expected;
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < m; ++i) {
            if (uplo == 'A' || (uplo == 'L' ? i >= j : i <= j)) {
              expected.insert(i + j * ld);
            }
          }
        }
        ASSERT_EQ(touched(call_of(trapezoid, uplo, 'N', {m, n, 0, 0, ld})), expected) << m << " " << n << " " << uplo;
        if (m == n && uplo != 'A') {
          ASSERT_EQ(touched(call_of(triangle, uplo, 'N', {m, n, 0, 0, ld})), expected) << m << " " << uplo;
          for (std::int64_t i = 0; i < n; ++i) {
            expected.erase(i * (ld + 1));
          }
          ASSERT_EQ(touched(call_of(triangle, uplo, 'U', {m, n, 0, 0, ld})), expected) << m << " " << uplo << " unit";
        }
      }
    }
  }
}

TEST(Operands, TrapezoidsMayEndInTheLastCorner) {
  const Routine routine = routine_with(Form::end_trapezoid);
  for (std::int64_t m = 0; m <= 6; ++m) {
    for (std::int64_t n = 0; n <= 6; ++n) {
      for (const char uplo : {'L', 'U'}) {
        const std::int64_t ld = m + 2;
        std::set<std::int64_t> expected;
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < m; ++i) {
            if (uplo == 'L' ? m - i <= n - j : m - i >= n - j) {
              expected.insert(i + j * ld);
            }
          }
        }
        if (uplo == 'L' ? n >= m : m >= n) {  // LAPACK uses only these shapes
          ASSERT_EQ(touched(call_of(routine, uplo, 'N', {m, n, 0, 0, ld})), expected) << m << " " << n << " " << uplo;
        }
      }
    }
  }
}

/// kl is the first row of the outer columns, ku the number of complete ones.
TEST(Operands, HessenbergFormIsExact) {
  const Routine routine = routine_with(Form::hessenberg);
  for (std::int64_t m = 0; m <= 5; ++m) {
    for (std::int64_t n = 1; n <= 6; ++n) {
      for (std::int64_t first = 0; first <= m; ++first) {
        for (std::int64_t complete = 0; complete < n; ++complete) {
          const std::int64_t ld = m + 1;
          std::set<std::int64_t> expected;
          for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = j >= 1 && j <= complete ? 0 : first; i < m; ++i) {
              expected.insert(i + j * ld);
            }
          }
          ASSERT_EQ(touched(call_of(routine, 'L', 'N', {m, n, first, complete, ld})), expected)
              << m << " " << n << " " << first << complete;
        }
      }
    }
  }
}

TEST(Operands, BeginAfterTheirOffsets) {
  Routine routine = routine_with(Form::full);
  routine.arguments[6].offset = ArgumentFormula("2", argument_names);
  routine.arguments[6].column_offset = ArgumentFormula("kl", argument_names);
  const Call call = call_of(routine, 'L', 'N', {2, 2, 3, 0, 5});
  EXPECT_EQ(touched(call), (std::set<std::int64_t>{17, 18, 22, 23}));
  EXPECT_EQ(span_elements(call, 6), 25);
}

TEST(Operands, ReflectorsLeaveTheUnitTriangleAlone) {
  const Routine routine = routine_with(Form::reflectors);
  for (std::int64_t length = 0; length <= 6; ++length) {
    for (std::int64_t count = 0; count <= length; ++count) {
      for (const char storev : {'C', 'R'}) {
        const std::int64_t ld = length + 1;
        std::set<std::int64_t> expected;
        for (std::int64_t c = 0; c < count; ++c) {
          for (std::int64_t r = c + 1; r < length; ++r) {
            expected.insert(storev == 'C' ? r + c * ld : c + r * ld);
          }
        }
        ASSERT_EQ(touched(call_of(routine, 'L', 'N', {length, count, 0, 0, ld}, storev)), expected) << length << " " << count << storev;
      }
    }
  }
}

TEST(Operands, LieWithinTheirSpan) {
  for (const Form form : {Form::full, Form::triangle, Form::trapezoid, Form::band, Form::band_triangle, Form::reflectors, Form::packed,
                          Form::end_trapezoid}) {
    const Routine routine = routine_with(form);
    const Call call = call_of(routine, 'U', 'N', {6, 5, 2, 3, 9});
    EXPECT_LT(*touched(call).rbegin(), span_elements(call, 6)) << static_cast<int>(form);
  }
}

TEST(Call, GivesSizesFlagsAndText) {
  const Routine routine = routine_with(Form::full);
  const Call call = call_of(routine, 'L', 'U', {6, 5, 2, 3, 9});
  const auto all = sizes(call);
  EXPECT_EQ((std::vector<std::int64_t>{all.begin(), all.end()}), (std::vector<std::int64_t>{6, 5, 2, 3}));
  EXPECT_EQ(flags(call), "LUC");
  EXPECT_EQ(to_string(call), "test(L, U, 6, 5, 2, 3, 0x100000, 9, C)");
  EXPECT_EQ(footprint_bytes(call), 6 * 5 * 4);
}

TEST(Call, ShowsSignsInItsFlags) {
  Routine routine;
  routine.arguments = {plain("isgn", Kind::sign), plain("itype", Kind::sign)};
  routine.arguments[0].values = "+-";
  routine.arguments[1].values = "123";
  Call call;
  call.routine = &routine;
  call.arguments = {-1, 2};
  EXPECT_EQ(flags(call), "-2");
  call.arguments = {1, 3};
  EXPECT_EQ(flags(call), "+3");
}

TEST(Call, CountsComplexOperationsAsRealOnes) {
  Routine routine = routine_with(Form::full);
  routine.multiplications = ArgumentFormula("m*n", argument_names);
  routine.additions = ArgumentFormula("n - 9", argument_names);
  const Call call = call_of(routine, 'L', 'N', {6, 5, 0, 0, 6});
  EXPECT_EQ(flops(call), 30) << "a negative count counts as 0";
  routine.precision = Precision::z;
  routine.additions = ArgumentFormula("n", argument_names);
  EXPECT_EQ(flops(call), 30 * 6 + 5 * 2);
}

TEST(Call, FaultsOfImpossibleCallsAreNamed) {
  for (const Form form : {Form::full, Form::triangle, Form::trapezoid, Form::end_trapezoid, Form::hessenberg, Form::band,
                          Form::band_triangle, Form::reflectors, Form::vector, Form::packed}) {
    const Routine routine = routine_with(form);
    EXPECT_EQ(fault_of(call_of(routine, 'L', 'N', {6, 5, 1, 2, 8})), "");
    EXPECT_EQ(fault_of(call_of(routine, 'U', 'U', {0, 0, 0, 0, 1})), "");
    EXPECT_EQ(fault_of(call_of(routine, 'L', 'N', {-1, 5, 1, 2, 8})), "m is -1");
    EXPECT_EQ(fault_of(call_of(routine, '\0', 'N', {6, 5, 1, 2, 8})), "uplo is no letter");
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    EXPECT_NE(fault_of(call_of(routine, 'L', 'N', {huge, huge, 1, 2, huge})), "");
    EXPECT_NE(fault_of(call_of(routine, 'L', 'N', {huge - 1, 5, 1, 2, INT64_MAX})), "");
    Call call = call_of(routine, 'L', 'N', {6, 5, 1, 2, 8});
    call.arguments[6] = -4096;
    EXPECT_EQ(fault_of(call), "A spans more than can be addressed");
  }
  EXPECT_EQ(fault_of(call_of(routine_with(Form::full), 'L', 'N', {6, 5, 0, 0, 5})), "columns of A overlap");
  EXPECT_EQ(fault_of(call_of(routine_with(Form::full), 'L', 'N', {6, 5, 0, 0, 0})), "columns of A overlap");
}

TEST(ModelKey, NamesClassesOfScalarsAndStrides) {
  Routine routine;
  routine.name = "test";
  routine.arguments = {plain("n", Kind::size),        plain("alpha", Kind::scalar), plain("beta", Kind::real_scalar),
                       plain("A", Kind::data),        plain("x", Kind::data),       plain("lda", Kind::leading_dimension),
                       plain("incx", Kind::increment)};
  Call call;
  call.routine = &routine;
  call.arguments = {5, 0, 1, 0, 0, 1024, 2};
  call.scalars = {-1.0, 0.5};
  const ModelKey key = model_key(call, "warm", "library");
  EXPECT_EQ(key.scalars, "-x");
  EXPECT_EQ(key.strides, "pi");
  call.arguments = {5, 0, 1, 0, 0, 1000, 1};
  call.scalars = {0.0, 1.0};
  EXPECT_EQ(model_key(call, "warm", "library").scalars, "01");
  EXPECT_EQ(model_key(call, "warm", "library").strides, ".1");
  EXPECT_EQ(to_string(key), "test scalars:-x strides:pi warm x1");
}

}  // namespace
}  // namespace flopcast
