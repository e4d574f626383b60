// The program that checks wrong calls, compiled and run with a real library, which is right.

#include "flopcast/program/checking_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/residual/cases.hpp"
#include "flopcast/residual/execution.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CheckedCall checked(Call call, std::uint64_t seed) {
  std::size_t k = 0;
  for (const Operand& operand : operands(call)) {
    call.arguments[operand.argument] = static_cast<std::int64_t>(virtual_base(k++) + 16);
  }
  return {call, seed, 1, "", "a test"};
}

class CheckingSource : public ::testing::Test {
 protected:
  /// Compiles the source without a warning, links it with the reference, and runs it.
  tests::Result run(const std::vector<CheckedCall>& calls) {
    std::ofstream(folder_.path() / "wrong.c") << checking_source(calls, {"A test"}, 4);
    std::string files, folders;
    for (const machine::Role role : {machine::Role::lapack, machine::Role::blas}) {
      const std::filesystem::path library = machine::locate("reference", role);
      files += ' ' + library.string();
      folders += library.parent_path().string() + ':';
    }
    return tests::run_in(folder_.path(), FLOPCAST_C_COMPILER
                                             " -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 wrong.c -o wrong -Wl,--allow-shlib-undefined" +
                                             files + " -lm && LD_LIBRARY_PATH=" + folders + " ./wrong");
  }

 private:
  tests::OwnFolder folder_;
};

TEST_F(CheckingSource, FindsEveryRoutineOfTheReferenceRight) {
  constexpr std::int64_t round_of_small_sizes = 3;
  std::vector<CheckedCall> calls;
  for (const Routine& routine : kernel::catalogue()) {
    for (const Call& call : residual::generated_calls(routine, round_of_small_sizes, 1)) {
      calls.push_back(checked(call, 5));
    }
  }
  const tests::Result result = run(calls);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("WRONG")));
  EXPECT_THAT(result.out, HasSubstr("C - (alpha op(A) op(B) + beta C), element"));
  EXPECT_THAT(result.out, HasSubstr("tau: sum of absolute values"));
}

TEST_F(CheckingSource, HasTheNumbersOfTheVerification) {
  const Call call = kernel::expand_calls("dasum n=9000").front();
  const residual::Execution execution(call, 3);
  const residual::Dense<double> x = execution.matrix<double>("x", residual::When::before);
  double sum = 0;
  for (std::int64_t i = 0; i < x.rows(); ++i) {
    sum += std::abs(x(i, 0));
  }
  const tests::Result result = run({checked(call, 3)});
  const std::string before = "returned value: ";
  ASSERT_THAT(result.out, HasSubstr(before)) << result.err;
  EXPECT_NEAR(std::stod(result.out.substr(result.out.find(before) + before.size())), sum, 1e-9);
}

}  // namespace
}  // namespace flopcast::program
