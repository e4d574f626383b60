#include <gmock/gmock.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/variants.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/program/recorder.hpp"
#include "tests/algorithm/blas/variants.hpp"

namespace flopcast::algorithm {
namespace {

INSTANTIATE_TEST_SUITE_P(Precision, Variants, testing::Values(Precision::s, Precision::d, Precision::c, Precision::z),
                         [](const auto& instance) { return std::string(1, static_cast<char>(instance.param)); });

TEST_P(Variants, Potrf) {
  for (const std::int64_t n : orders) {
    for (const char uplo : {'L', 'U'}) {
      ASSERT_NO_FATAL_FAILURE(check(routine("potrf"), {{"uplo", uplo}, {"n", n}}));
    }
  }
}

TEST_P(Variants, Trtri) {
  for (const std::int64_t n : orders) {
    for (const char uplo : {'L', 'U'}) {
      for (const char diag : {'N', 'U'}) {
        ASSERT_NO_FATAL_FAILURE(check(routine("trtri"), {{"uplo", uplo}, {"diag", diag}, {"n", n}}));
      }
    }
  }
}

TEST_P(Variants, Lauum) {
  for (const std::int64_t n : orders) {
    for (const char uplo : {'L', 'U'}) {
      ASSERT_NO_FATAL_FAILURE(check(routine("lauum"), {{"uplo", uplo}, {"n", n}}));
    }
  }
}

TEST_P(Variants, Sygst) {
  for (const std::int64_t n : orders) {
    for (const char uplo : {'L', 'U'}) {
      ASSERT_NO_FATAL_FAILURE(check(routine(is_complex(GetParam()) ? "hegst" : "sygst"), {{"itype", 1}, {"uplo", uplo}, {"n", n}}));
    }
  }
}

TEST_P(Variants, SygstOfProducts) {
  const Routine& sygst = routine(is_complex(GetParam()) ? "hegst" : "sygst");
  for (const std::int64_t n : orders) {
    for (const char uplo : {'L', 'U'}) {
      for (const std::int64_t itype : {2, 3}) {
        const Arguments arguments = {{"itype", itype}, {"uplo", uplo}, {"n", n}};
        Problem expected(sygst, arguments);
        expected.by_lapack();
        for (const std::int64_t nb : block_sizes) {
          Problem found(sygst, arguments);
          ASSERT_EQ(execute(found.call(), {.nb = nb}, lookup), 0);
          ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected, text(found.call(), require(sygst), nb)));
        }
      }
    }
  }
}

TEST_P(Variants, Geqrf) {
  for (const std::int64_t n : orders) {
    for (const std::int64_t m : {n, n / 2, n + 13, 4 * n + 50}) {
      ASSERT_NO_FATAL_FAILURE(check(routine("geqrf"), {{"m", m}, {"n", n}}));
    }
  }
}

TEST_P(Variants, InversesAndSolvers) {
  for (const std::int64_t n : orders) {
    ASSERT_NO_FATAL_FAILURE(check(routine("getri"), {{"n", n}}));
    for (const char uplo : {'L', 'U'}) {
      ASSERT_NO_FATAL_FAILURE(check(routine("potri"), {{"uplo", uplo}, {"n", n}}));
      for (const std::int64_t nrhs : {0, 1, 9}) {
        ASSERT_NO_FATAL_FAILURE(check(routine("potrs"), {{"uplo", uplo}, {"n", n}, {"nrhs", nrhs}}));
        ASSERT_NO_FATAL_FAILURE(check(routine("posv"), {{"uplo", uplo}, {"n", n}, {"nrhs", nrhs}}));
      }
    }
    for (const std::int64_t nrhs : {0, 1, 9}) {
      ASSERT_NO_FATAL_FAILURE(check(routine("gesv"), {{"n", n}, {"nrhs", nrhs}}));
      for (const char trans : {'N', 'T', 'C'}) {
        ASSERT_NO_FATAL_FAILURE(check(routine("getrs"), {{"trans", trans}, {"n", n}, {"nrhs", nrhs}}));
      }
    }
  }
}

/// Computes the results of LAPACK's potrf and sygst, one after the other.
void reduce_by_lapack(Problem& problem) {
  const Call& call = problem.call();
  const Script lapack = Script::executing(call.routine->precision, lookup);
  const char uplo = flag(call, "uplo");
  const std::int64_t n = value(call, "n");
  ASSERT_EQ(lapack("potrf", {uplo, n, matrix(call, "B")}), 0);
  lapack(lapack.complex() ? "hegst" : "sygst", {value(call, "itype"), uplo, n, matrix(call, "A"), matrix(call, "B")});
}

TEST_P(Variants, ReductionOfTheGeneralisedEigenproblem) {
  const Routine& reduction = potrf_sygst(GetParam());
  for (const std::int64_t n : orders) {
    for (const std::int64_t itype : {1, 2}) {
      for (const char uplo : {'L', 'U'}) {
        const Arguments arguments = {{"itype", itype}, {"uplo", uplo}, {"n", n}};
        Problem expected(reduction, arguments);
        ASSERT_NO_FATAL_FAILURE(reduce_by_lapack(expected));
        for (const std::int64_t nb : block_sizes) {
          Problem found(reduction, arguments);
          ASSERT_EQ(execute(found.call(), {.nb = nb}, lookup), 0);
          ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected, text(found.call(), require(reduction), nb)));
        }
      }
    }
  }
}

TEST(Info, IsTheMinorThatIsNotDefiniteInEveryVariant) {
  for (const Algorithm* algorithm : variants(kernel::require("dpotrf"))) {
    for (const char uplo : {'L', 'U'}) {
      Problem problem(kernel::require("dpotrf"), {{"uplo", uplo}, {"n", 50}});
      problem.set(2, 37 * (53 + 1), -100);
      EXPECT_EQ(execute(problem.call(), {.nb = 8}, lookup, *algorithm), 38) << algorithm->variant;
    }
  }
}

TEST(Info, IsTheZeroOnTheDiagonalInEveryVariant) {
  for (const Algorithm* algorithm : variants(kernel::require("ztrtri"))) {
    Problem problem(kernel::require("ztrtri"), {{"uplo", 'L'}, {"diag", 'N'}, {"n", 50}});
    problem.set(3, 21 * (53 + 1), 0);
    EXPECT_EQ(execute(problem.call(), {.nb = 8}, lookup, *algorithm), 22) << algorithm->variant;
  }
}

/// Returns the calls with a result; LAPACK also makes calls without any.
std::vector<Call> calls_with_result(const Trace& trace) {
  std::vector<Call> calls;
  for (const Call& call : trace.calls) {
    const auto all = operands(call);
    const bool writes = std::any_of(all.begin(), all.end(), [&](const Operand& operand) {
      const Argument& argument = call.routine->arguments[operand.argument];
      return argument.access != Access::read && argument.kind == Kind::data && operand.bytes() > 0;
    });
    if (writes) {
      calls.push_back(call);
    }
  }
  return calls;
}

TEST(Defaults, MakeLapacksCalls) {
  program::Recorder recorder(
      {machine::locate("openblas-serial", machine::Role::blas), machine::locate("reference", machine::Role::lapack)});
  for (const std::string family : {"potrf", "trtri", "lauum", "getrf", "sygst", "hegst", "geqrf"}) {
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
      const Routine* routine = kernel::find(static_cast<char>(precision) + family);
      for (const char uplo : {'L', 'U'}) {
        for (const std::int64_t itype : {1, 2}) {
          if (routine == nullptr || (itype == 2 && routine->index("itype") < 0)) {
            continue;
          }
          Call call;
          call.routine = routine;
          for (const auto& [name, given] :
               Arguments{{"m", 60}, {"n", 50}, {"uplo", uplo}, {"diag", 'N'}, {"itype", itype}, {"lda", 63}, {"ldb", 53}}) {
            if (const int i = routine->index(name); i >= 0) {
              call.arguments[static_cast<std::size_t>(i)] = given;
            }
          }
          const BlockParameters blocks{8, 2, 0};
          const std::vector<Call> calls = calls_with_result(record(call, blocks));
          EXPECT_GT(calls.size(), 5U);
          EXPECT_EQ(calls, calls_with_result(recorder.record(call, blocks))) << kernel::format_call(call);
        }
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::algorithm
