#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/residual/cases.hpp"
#include "flopcast/residual/check_call.hpp"
#include "tests/kernel/blas/real_libraries.hpp"

namespace flopcast::residual {
namespace {

/// Rounds of sizes up to 49, which take a moment for all routines.
constexpr std::int64_t small_rounds = 5;

Execute routine_of(kernel::Function function) {
  return [function](const Call& call) {
    kernel::Invocation invocation(function, call);
    invocation.run();
    return invocation.outcome();
  };
}

bool has_letter(const Call& call, const char* flag, char letter) {
  const int index = call.routine->index(flag);
  return index >= 0 && call.flag(static_cast<std::size_t>(index)) == letter;
}

/// Returns whether a call computes numbers that nothing is compared with: some eigenvalues without vectors, or those of a real matrix
/// without symmetry.
bool is_without_relation(const Call& call) {
  const bool selected = has_letter(call, "range", 'I') && has_letter(call, "jobz", 'N');
  return selected || (call.routine->index("wr") >= 0 && has_letter(call, "jobvl", 'N') && has_letter(call, "jobvr", 'N'));
}

/// Returns whether the matrix A of a driver holds no result that is compared: it is destroyed, or has factors that LAPACK leaves there.
bool destroys_a(const Call& call) {
  static const std::set<std::string> families = {"geev",  "geevx", "gejsv", "gels",  "gelsd", "gelsy",
                                                 "gesvd", "syevr", "heevr", "syevx", "heevx"};
  const std::string& family = call.routine->family;
  const bool may_have_vectors = family == "gesdd" || (call.routine->index("w") >= 0 && families.count(family) == 0);
  return families.count(family) > 0 || (may_have_vectors && !has_letter(call, "jobz", family == "gesdd" ? 'O' : 'V'));
}

/// Changes one number among the results of a call. Returns false if the call has none.
template <class Real>
bool spoil(const Call& call) {
  for (const Operand& operand : operands(call)) {
    const Argument& argument = call.routine->arguments[operand.argument];
    if (argument.kind == Kind::data && argument.access != Access::read && !argument.integer && operand.bytes() > 0 &&
        (argument.name != "A" || !destroys_a(call))) {
      auto* number = reinterpret_cast<Real*>(operand.parts[0].begin());
      if (argument.name == "rcond") {  // estimates have a wide bound
        *number *= Real(100);
      } else {
        *number += Real(0.01) * (*number < 0 ? std::min(*number, Real(-1)) : std::max(*number, Real(1)));
      }
      return true;
    }
  }
  return false;
}

class EveryRoutine : public ::testing::TestWithParam<const kernel::TestLibrary*> {};
INSTANTIATE_TEST_SUITE_P(Library, EveryRoutine, ::testing::ValuesIn([] {
                           std::vector<const kernel::TestLibrary*> all;
                           for (const kernel::TestLibrary& library : kernel::test_libraries()) {
                             all.push_back(&library);
                           }
                           return all;
                         }()),
                         [](const auto& parameter) { return parameter.param->name(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryRoutine);

/// OpenBLAS 0.3.21 with kernels for Cooper Lake leaves out elements in scasum. The reference BLAS 3.11 overwrites H where it scales d1 or d2
/// more than once in rotmg.
bool is_known_to_be_wrong(const kernel::TestLibrary& library, const Routine& routine) {
  return (routine.name == "scasum" && library.kernels() == "Cooperlake") || (routine.family == "rotmg" && library.name() == "reference");
}

TEST_P(EveryRoutine, OfARealLibraryIsRight) {
  for (const Routine& routine : kernel::catalogue()) {
    const kernel::Function function = GetParam()->find(routine.name);
    if (function == nullptr || is_known_to_be_wrong(*GetParam(), routine)) {
      continue;
    }
    for (std::int64_t round = 0; round < small_rounds; ++round) {
      for (const Call& call : generated_calls(routine, round, 1)) {
        const CallCheck check = check_call(call, routine_of(function), 5);
        EXPECT_EQ(check.fault, "") << kernel::format_call(call) << ": " << check.error << " above " << check.bound;
        EXPECT_EQ(check.has_relation, has_relation(routine));
      }
    }
  }
}

TEST(Relations, AWrongNumberAmongTheResultsIsFound) {
  const kernel::TestLibrary& library = kernel::test_libraries().front();
  for (const Routine& routine : kernel::catalogue()) {
    const kernel::Function function = library.find(routine.name);
    if (function == nullptr || !has_relation(routine)) {
      continue;
    }
    for (const Call& call : generated_calls(routine, 3, 2)) {
      bool is_spoiled = false;
      const auto spoiled = [&](const Call& made) {
        kernel::Outcome outcome = routine_of(function)(made);
        is_spoiled = real_bytes(routine.precision) == 4 ? spoil<float>(made) : spoil<double>(made);
        if (routine.returns != Returns::nothing) {
          outcome.value = outcome.value * 1.01 + 1.0;
          is_spoiled = true;
        }
        return outcome;
      };
      const CallCheck check = check_call(call, spoiled, 5);
      EXPECT_TRUE(check.fails() || !is_spoiled || is_without_relation(call))
          << kernel::format_call(call) << ": " << check.error << ", bound " << check.bound;
    }
  }
}

TEST(Relations, SumsOfColumnsShowAWrongElementOfALargeProduct) {
  const auto product = [](double error) {
    return [error](const Call& call) {
      const std::int64_t n = call.arguments[2];
      const auto* a = reinterpret_cast<const double*>(call.address(6));
      auto* c = reinterpret_cast<double*>(call.address(11));
      const auto* b = reinterpret_cast<const double*>(call.address(8));
      for (std::int64_t j = 0; j < n; ++j) {
        std::fill_n(c + j * n, n, 0.0);
        for (std::int64_t l = 0; l < n; ++l) {
          for (std::int64_t i = 0; i < n; ++i) {
            c[i + j * n] += a[i + l * n] * b[l + j * n];
          }
        }
      }
      c[17 + 301 * n] += error;
      return kernel::Outcome{};
    };
  };
  const Call call = kernel::expand_calls("dgemm m=512 n=512 k=512 beta=0 lda=512 ldb=512 ldc=512").front();
  EXPECT_EQ(check_call(call, product(0), 1).fault, "");
  EXPECT_TRUE(check_call(call, product(1e-6), 1).fails());
}

}  // namespace
}  // namespace flopcast::residual
