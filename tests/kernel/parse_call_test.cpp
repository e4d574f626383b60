#include "flopcast/kernel/parse_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"
#include "tests/kernel/reference/cases.hpp"

namespace flopcast::kernel {
namespace {

using testing::HasSubstr;
using Values = std::map<std::string, std::string>;

/// Returns the message of the bad_input that parsing throws.
std::string message(const std::string& routine, const Values& values) {
  try {
    parse_call(require(routine), values);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(ParseCall, FillsInDefaults) {
  EXPECT_EQ(format_call(parse_call(require("dtrsm"), {{"m", "256"}, {"n", "100"}})),
            "dtrsm side=L uplo=L transa=N diag=N m=256 n=100 alpha=1 lda=264 ldb=264");
  EXPECT_EQ(format_call(parse_call(require("daxpy"), {{"n", "9"}})), "daxpy n=9 alpha=1 incx=1 incy=1");
}

/// Scaling by 1 has nothing to do, so that its time is no example of the routine's time.
TEST(ParseCall, ScalesByMinusOneUnlessTold) {
  EXPECT_EQ(format_call(parse_call(require("dscal"), {{"n", "9"}})), "dscal n=9 alpha=-1 incx=1");
  EXPECT_EQ(format_call(parse_call(require("zdscal"), {{"n", "9"}, {"alpha", "1"}})), "zdscal n=9 alpha=1 incx=1");
}

TEST(ParseCall, KnowsUsualSizesAndLeadingDimensionsOfWholeMatrices) {
  EXPECT_EQ(format_call(parse_call(require("dgehd2"), {{"n", "30"}})), "dgehd2 n=30 ilo=1 ihi=30 lda=32");
  EXPECT_EQ(format_call(parse_call(require("dgehd2"), {{"n", "30"}, {"ilo", "3"}, {"ihi", "9"}})), "dgehd2 n=30 ilo=3 ihi=9 lda=32");
  EXPECT_THAT(message("dgehd2", {{"n", "30"}, {"lda", "29"}}), HasSubstr("lda"));
  EXPECT_THAT(message("dgehd2", {{"n", "30"}, {"ilo", "31"}}), HasSubstr("needs max(1,n) >= ilo"));
}

TEST(DistinguishingSizes, LeaveOutSizesThatFollowFromOthers) {
  using testing::ElementsAre;
  EXPECT_THAT(distinguishing_sizes(parse_call(require("dgehrd"), {{"n", "300"}})), ElementsAre(300));
  EXPECT_THAT(distinguishing_sizes(parse_call(require("dgehrd"), {{"n", "300"}, {"ihi", "200"}})), ElementsAre(300, 1, 200));
  EXPECT_THAT(distinguishing_sizes(parse_call(require("dgemm"), {{"m", "3"}, {"n", "4"}, {"k", "5"}})), ElementsAre(3, 4, 5));
}

TEST(ParseCall, UsesGivenValues) {
  const Call call =
      parse_call(require("zgemm"), {{"m", "3"}, {"n", "4"}, {"k", "5"}, {"transa", "c"}, {"alpha", "(1.5,-2)"}, {"ldb", "77"}});
  EXPECT_EQ(call.flag(0), 'C');
  EXPECT_EQ(call.scalars[0], (std::complex<double>{1.5, -2}));
  EXPECT_EQ(call.arguments[9], 77);
  EXPECT_EQ(parse_call(require("dtrsyl"), {{"m", "3"}, {"n", "4"}, {"isgn", "-1"}}).arguments[2], -1);
  EXPECT_EQ(parse_call(require("dsygst"), {{"n", "4"}, {"itype", "2"}}).arguments[0], 2);
}

TEST(ParseCall, LeadingDimensionsAreMultiplesOf8ButNotOf256) {
  EXPECT_EQ(parse_call(require("dpotrf"), {{"n", "100"}}).arguments[3], 104);
  EXPECT_EQ(parse_call(require("dpotrf"), {{"n", "512"}}).arguments[3], 520);
  EXPECT_EQ(parse_call(require("dpotrf"), {{"n", "250"}}).arguments[3], 264);
  EXPECT_EQ(parse_call(require("dpotrf"), {{"n", "0"}}).arguments[3], 8);
}

TEST(ParseCall, ReadsWhatFormatCallWrites) {
  for (const Routine& routine : catalogue()) {
    for (const Call& call : reference::cases(routine, reference::Extent::medium)) {
      const std::string text = format_call(call);
      Values values;
      std::size_t at = text.find(' ');
      while (at != std::string::npos) {
        const std::size_t equals = text.find('=', at), next = text.find(' ', equals);
        values[text.substr(at + 1, equals - at - 1)] = text.substr(equals + 1, next - equals - 1);
        at = next;
      }
      EXPECT_EQ(parse_call(routine, values), call) << text;
    }
  }
}

TEST(ParseCall, ErrorsNameTheProblem) {
  EXPECT_THAT(message("dgemm", {{"m", "3"}, {"n", "4"}}), HasSubstr("dgemm needs a value of 'k'"));
  EXPECT_THAT(message("dgemm", {{"m", "3"}, {"n", "4"}, {"k", "5"}, {"transc", "N"}}), HasSubstr("did you mean transa"));
  EXPECT_THAT(message("dgemm", {{"m", "3"}, {"n", "4"}, {"k", "5"}, {"A", "1"}}), HasSubstr("no argument 'A'"));
  EXPECT_THAT(message("dgemm", {{"m", "3"}, {"n", "4"}, {"k", "-5"}}), HasSubstr("k of dgemm: -5"));
  EXPECT_THAT(message("dgemm", {{"m", "3"}, {"n", "4"}, {"k", "5000000"}}), HasSubstr("expected an integer from 0 to 1000000"));
  EXPECT_THAT(message("dgemm", {{"m", "3"}, {"n", "4"}, {"k", "five"}}), HasSubstr("'five' is not an integer"));
  EXPECT_THAT(message("dpotrf", {{"n", "10"}, {"lda", "9"}}), HasSubstr("lda of dpotrf: 9 is out of range; expected an integer from 10"));
  EXPECT_THAT(message("dpotrf", {{"n", "10"}, {"uplo", "X"}}), HasSubstr("expected one of L, U"));
  EXPECT_THAT(message("dpotrf", {{"n", "10"}, {"uplo", "lower"}}), HasSubstr("'lower' is not a legal flag"));
  EXPECT_THAT(message("dpotrf", {{"n", "10"}, {"uplo", ""}}), HasSubstr("'' is not a legal flag"));
  EXPECT_THAT(message("daxpy", {{"n", "10"}, {"alpha", "nan"}}), HasSubstr("'nan' is not a finite number"));
  EXPECT_THAT(message("daxpy", {{"n", "10"}, {"alpha", "(1,2)"}}), HasSubstr("alpha of daxpy is real"));
  EXPECT_THAT(message("zaxpy", {{"n", "10"}, {"alpha", "(1,x)"}}), HasSubstr("pair (re,im)"));
  EXPECT_THAT(message("daxpy", {{"n", "10"}, {"incx", "0"}}), HasSubstr("can't be 0"));
  EXPECT_THAT(message("dnrm2", {{"n", "10"}, {"incx", "-1"}}), HasSubstr("dnrm2 needs incx >= 1"));
  EXPECT_THAT(message("dorgqr", {{"m", "10"}, {"n", "20"}, {"k", "5"}}), HasSubstr("dorgqr needs m >= n"));
  EXPECT_THAT(message("dtrsyl", {{"m", "10"}, {"n", "20"}, {"isgn", "2"}}), HasSubstr("expected 1 or -1"));
}

/// Returns true if these sizes contradict one of the routine's relations.
bool breaks_a_constraint(const Routine& routine, const std::map<std::string, std::string>& arguments) {
  const std::string complaint = message(routine.name, arguments);
  return std::any_of(routine.constraints.begin(), routine.constraints.end(),
                     [&](const Constraint& constraint) { return complaint.find("needs " + constraint.text) != std::string::npos; });
}

TEST(Catalogue, AcceptsCallsWithTheLeastLeadingDimensions) {
  for (const Routine& routine : catalogue()) {
    for (const char* size : {"0", "1", "40"}) {
      std::map<std::string, std::string> arguments;
      for (const Argument& argument : routine.arguments) {
        if (argument.kind == Kind::size && argument.rows.empty()) {
          arguments[argument.name] = size;
        }
      }
      if (breaks_a_constraint(routine, arguments)) {  // such as a block that needs at least one column
        continue;
      }
      Call call = parse_call(routine, arguments);
      for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
        if (routine.arguments[i].kind == Kind::leading_dimension) {
          call.arguments[i] = min_leading_dimension(call, i - 1);
        }
      }
      EXPECT_EQ(fault_of(call), "") << format_call(call);
    }
    for (const Call& call : reference::cases(routine, reference::Extent::medium)) {
      EXPECT_EQ(fault_of(call), "") << format_call(call);
    }
  }
}

TEST(Catalogue, FindsRoutinesByName) {
  EXPECT_EQ(find("dgemm")->family, "gemm");
  EXPECT_EQ(find("DGEMM"), nullptr);
  EXPECT_EQ(&require("DGEMM_"), find("dgemm"));
}

TEST(Catalogue, SuggestsTheNearestNames) {
  try {
    require("dgem");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("unknown routine 'dgem'; did you mean dgemm"));
  }
  EXPECT_THROW(require(""), Error);
}

TEST(Catalogue, IsSortedAndHasEveryPrecision) {
  const auto& all = catalogue();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Routine& a, const Routine& b) { return a.name < b.name; }));
  for (const char* name :
       {"dzasum", "scnrm2", "icamax", "csrot", "zdscal", "sdsdot", "dsdot", "cdotc", "zgeru", "chpr2", "zher2k", "cunmqr"}) {
    EXPECT_NE(find(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace flopcast::kernel
