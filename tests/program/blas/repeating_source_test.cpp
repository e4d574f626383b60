// The exported program that repeats calls, compiled and run with real libraries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/repeating_source.hpp"
#include "tests/kernel/reference/cases.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

using ::testing::HasSubstr;

/// Returns the call as a program makes it, with operands in memory of their own.
RepeatedCall repeated(Call call, int integer_bytes) {
  std::uintptr_t next = std::uintptr_t{1} << 40U;
  call.integer_bytes = integer_bytes;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      call.arguments[i] = static_cast<std::int64_t>(next + 16 * i);
      next += std::uintptr_t{1} << 32U;
    }
  }
  RepeatedCall all;
  all.event.call = call;
  all.calls = 2;
  all.seconds = 0.5;
  all.distances_bytes.resize(operands(call).size(), 1000);
  return all;
}

/// Returns calls of every routine with different flags and strides, of which none is empty.
std::vector<RepeatedCall> calls_of_all_routines(int integer_bytes) {
  std::vector<RepeatedCall> all;
  for (const Routine& routine : kernel::catalogue()) {
    const std::vector<Call> cases = kernel::reference::cases(routine, kernel::reference::Extent::medium);
    all.push_back(repeated(cases.front(), integer_bytes));
    all.push_back(repeated(cases[cases.size() / 2], integer_bytes));
    all.push_back(repeated(cases.back(), integer_bytes));
  }
  return all;
}

class RepeatingSource : public ::testing::Test {
 protected:
  /// Compiles the source without a warning, links it with `libraries`, and runs it with `arguments`.
  tests::Result run(const std::string& source, const std::vector<std::filesystem::path>& libraries, const std::string& arguments) {
    std::ofstream(folder_.path() / "calls.c") << source;
    std::string files, folders;
    for (const std::filesystem::path& library : libraries) {
      files += ' ' + library.string();
      folders += library.parent_path().string() + ':';
    }
    return tests::run_in(folder_.path(), FLOPCAST_C_COMPILER
                                             " -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 calls.c -o calls -Wl,--allow-shlib-undefined" +
                                             files + " && LD_LIBRARY_PATH=" + folders + " ./calls " + arguments);
  }

  static std::filesystem::path library(const std::string& name, machine::Role role) { return machine::locate(name, role); }
  static bool is_installed(const std::string& name) {
    const std::vector<machine::InstalledLibrary> all = machine::installed_libraries();
    return std::any_of(all.begin(), all.end(), [&](const machine::InstalledLibrary& one) { return one.name == name; });
  }

 private:
  tests::OwnFolder folder_;
};

TEST_F(RepeatingSource, CallsEveryRoutineSuccessfully) {
  const std::vector<RepeatedCall> calls = calls_of_all_routines(4);
  const std::string source = repeating_source(calls, {{"A test"}, 1, 4});
  const auto lapack = library("reference", machine::Role::lapack);
  for (const char* blas : {"reference", "openblas-serial"}) {
    if (!is_installed(blas)) {
      continue;
    }
    const tests::Result result = run(source, {lapack, library(blas, machine::Role::blas)}, "1");
    EXPECT_EQ(result.exit_code, 0) << blas << ": " << result.err;
    EXPECT_THAT(result.out, ::testing::Not(HasSubstr("FAILED"))) << blas;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), static_cast<std::ptrdiff_t>(calls.size()) + 2) << blas;
  }
}

TEST_F(RepeatingSource, CallsLibrariesWithIntegersOf64Bits) {
  if (!is_installed("reference64")) {
    GTEST_SKIP() << "no library with integers of 64 bits";
  }
  const std::string source = repeating_source(calls_of_all_routines(8), {{"A test"}, 1, 8});
  const tests::Result result =
      run(source, {library("reference64", machine::Role::lapack), library("reference64", machine::Role::blas)}, "1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("FAILED")));
}

TEST_F(RepeatingSource, TakesRepetitionsAndACase) {
  const Call gemm = kernel::expand_calls("dgemm m=8 n=9 k=10").front();
  const Call potrf = kernel::expand_calls("dpotrf n=8").front();
  const std::string source = repeating_source({repeated(gemm, 4), repeated(potrf, 4)}, {{"A test"}, 0, 4});
  const std::vector<std::filesystem::path> libraries = {library("reference", machine::Role::lapack),
                                                        library("reference", machine::Role::blas)};
  const tests::Result one = run(source, libraries, "3 2");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("dpotrf uplo=L n=8"), ::testing::Not(HasSubstr("dgemm"))));
  const tests::Result wrong = run(source, libraries, "3 3");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("case: 1 to 2"));
}

TEST_F(RepeatingSource, SaysThatACallFailed) {
  std::string source = repeating_source({repeated(kernel::expand_calls("dpotrf n=8").front(), 4)}, {{"A test"}, 0, 4});
  const std::string value = ".value = ";
  source.replace(source.find(value), value.size(), value + "-");  // a matrix that isn't definite
  const tests::Result result = run(source, {library("reference", machine::Role::lapack), library("reference", machine::Role::blas)}, "1");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("FAILED"));
}

TEST_F(RepeatingSource, KeepsOverlappingOperandsAndNullPointers) {
  RepeatedCall gemm = repeated(kernel::expand_calls("dgemm m=8 n=8 k=8 ldc=8").front(), 4);
  Call& call = gemm.event.call;
  const int a = call.routine->index("A"), b = call.routine->index("B");
  call.arguments[static_cast<std::size_t>(b)] = call.arguments[static_cast<std::size_t>(a)] + 8;
  RepeatedCall none = repeated(kernel::expand_calls("ddot n=0").front(), 4);
  none.event.call.arguments[1] = none.event.call.arguments[3] = 0;
  const std::string source = repeating_source({gemm, none}, {{"A test */ int main"}, 0, 4});
  EXPECT_THAT(source, AllOf(HasSubstr("at(0, 0)"), HasSubstr("at(0, 8)"), HasSubstr("NULL")));
  const tests::Result result = run(source, {library("reference", machine::Role::lapack), library("reference", machine::Role::blas)}, "1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace flopcast::program
