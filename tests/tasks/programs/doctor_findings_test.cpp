#include "flopcast/tasks/programs/doctor_findings.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/tasks/programs/recorded_in_memory.hpp"

namespace flopcast::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DoctorFindings : public RecordedInMemory {
 protected:
  std::vector<FindingCause> recorded_causes() {
    std::vector<FindingCause> causes;
    for (const Finding& finding : recorded_findings(facts())) {
      causes.push_back(finding.cause);
    }
    return causes;
  }

  /// Returns the suggested changes without that of block sizes, which always is one: "cause: change".
  std::vector<std::string> changes() {
    std::vector<std::string> all;
    for (const ExaminedChange& one : suggested_changes(facts())) {
      if (one.finding.cause != FindingCause::block_sizes) {
        all.push_back(to_string(one.change));
      }
    }
    return all;
  }
};

TEST_F(DoctorFindings, OneThreadOnSeveralCpusSuggestsMore) {
  add(20, 500, 0.01);
  EXPECT_THAT(changes(), ElementsAre("threads=2"));
  cpus_ = 1;
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(DoctorFindings, MoreThreadsThanCpusSuggestAsManyAsThereAreAndOne) {
  add(20, 500, 0.01);
  place_.threads = 8;
  EXPECT_THAT(changes(), ElementsAre("threads=2", "threads=1"));
  EXPECT_EQ(suggested_changes(*facts_)[0].finding.cause, FindingCause::too_many_threads);
  EXPECT_THAT(suggested_changes(*facts_)[0].finding.what, HasSubstr("8 threads, and the program has 2 CPUs"));
  place_.threads = 2;
  EXPECT_THAT(changes(), ElementsAre("threads=1"));
  EXPECT_EQ(suggested_changes(*facts_)[0].finding.cause, FindingCause::threads_slow);
}

TEST_F(DoctorFindings, ThreadsThatCallAtOnceShareTheCpus) {
  add(20, 500, 0.01);
  add_thread();
  add(20, 500, 0.01);
  EXPECT_DOUBLE_EQ(facts().callers, 2);
  place_.threads = 2;
  const std::vector<ExaminedChange> suggested = suggested_changes(facts());
  EXPECT_EQ(suggested.front().finding.cause, FindingCause::nested_threads);
  EXPECT_EQ(to_string(suggested.front().change), "threads=1");
  place_.threads = 1;
  EXPECT_THAT(changes(), IsEmpty()) << "each CPU has its thread";
}

TEST_F(DoctorFindings, ThreadsThatCallOneAfterTheOtherAreOneCaller) {
  add(10, 500, 0.01);
  add_thread();
  add(1, 500, 0.01).start = 5;
  EXPECT_NEAR(concurrent_callers(program::ProgramInMemory(trace_)), 1, 1e-9);
}

TEST_F(DoctorFindings, ASerialLibraryIsReplacedWhereThreadsArePredicted) {
  add(20, 500, 0.01);
  place_.blas = "openblas-serial";
  EXPECT_THAT(changes(), ElementsAre("blas=openblas-pthread,threads=2"));
}

TEST_F(DoctorFindings, TheReferenceIsReplacedByWhatIsInstalled) {
  add(20, 500, 0.01);
  cpus_ = 1;
  place_.blas = "reference";
  EXPECT_THAT(changes(), ElementsAre("blas=openblas-pthread"));
  facts_->fast_blas = "";
  EXPECT_THAT(suggested_changes(*facts_), SizeIs(1)) << "block sizes only";
}

TEST_F(DoctorFindings, KernelsForAnotherCpuAreReplaced) {
  add(20, 500, 0.01);
  cpus_ = 1;
  EXPECT_THAT(changes(), IsEmpty());
  facts_->misread_kernels = true;
  EXPECT_EQ(suggested_changes(*facts_).front().finding.cause, FindingCause::misread_kernels);
  EXPECT_EQ(suggested_changes(*facts_).front().finding.remedy, "flopcast run -- ./solve 'big case'");
  facts_->kernel_variable = "OPENBLAS_CORETYPE";
  EXPECT_THAT(suggested_changes(*facts_).front().finding.what, HasSubstr("OPENBLAS_CORETYPE selects slow kernels"));
  EXPECT_EQ(suggested_changes(*facts_).front().finding.remedy, "env -u OPENBLAS_CORETYPE flopcast run -- ./solve 'big case'");
}

TEST_F(DoctorFindings, SeveralLibrariesAreEachTried) {
  add(20, 500, 0.01);
  add(5, 400, 0.01).name = 1;
  cpus_ = 1;
  trace_.summary.names = {"dgemm (blis)", "dgemm (openblas)"};
  trace_.summary.name_libraries = {"/lib/libblis.so.4", "/lib/libopenblas.so.0"};
  EXPECT_THAT(changes(), ElementsAre("blas=/lib/libblis.so.4", "blas=/lib/libopenblas.so.0"));
}

TEST_F(DoctorFindings, CertainGainsAreFindingsAndOthersAreSaid) {
  add(20, 500, 0.01);
  const ExaminedChange change = suggested_changes(facts()).front();
  WhatIfResult answer;
  answer.question = change.change;
  answer.recorded = 0.2;
  answer.predicted = 0.12;
  answer.interval = {0.1, 0.14};
  std::vector<std::string> examined;
  const std::optional<Finding> finding = judged(change, answer, *facts_, examined);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain.low, 0.06, 1e-12);
  EXPECT_NEAR(finding->gain.high, 0.1, 1e-12);
  EXPECT_EQ(finding->remedy, "flopcast run --threads 2 -- ./solve 'big case'");
  EXPECT_THAT(examined, IsEmpty());
  answer.interval = {0.1, 0.21};
  EXPECT_FALSE(judged(change, answer, *facts_, examined));
  EXPECT_THAT(examined, ElementsAre(HasSubstr("no certain gain")));
  answer.interval = {0.1985, 0.1995};
  EXPECT_FALSE(judged(change, answer, *facts_, examined)) << "less than a hundredth of the program's time";
  answer.failure = "no such library";
  EXPECT_FALSE(judged(change, answer, *facts_, examined));
  EXPECT_THAT(examined.back(), HasSubstr("no such library"));
}

TEST_F(DoctorFindings, BlockSizesThatStayAsTheyAreAreNoFinding) {
  add(20, 500, 0.01);
  const ExaminedChange change = suggested_changes(facts()).back();
  ASSERT_EQ(change.finding.cause, FindingCause::block_sizes);
  WhatIfResult answer;
  answer.question = change.change;
  answer.recorded = 0.2;
  answer.interval = {0.1, 0.14};
  answer.blocks = {{.shape = 0, .routine = "dgeqrf", .default_nb = 32, .chosen_nb = 32, .default_seconds = 2, .chosen_seconds = 2}};
  std::vector<std::string> examined;
  EXPECT_FALSE(judged(change, answer, *facts_, examined));
  answer.blocks[0].chosen_nb = 96;
  const std::optional<Finding> finding = judged(change, answer, *facts_, examined);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence, HasSubstr("dgeqrf with 96 instead of 32"));
  EXPECT_THAT(finding->remedy, HasSubstr("flopcast tune dgeqrf m=500 n=500 k=500 --save && flopcast run -- ./solve 'big case'"));
}

TEST_F(DoctorFindings, AHealthyProgramHasNone) {
  add(20, 500, 0.01);
  EXPECT_THAT(recorded_causes(), IsEmpty());
}

TEST_F(DoctorFindings, OtherProgramsHadTheCores) {
  add(20, 500, 0.01);
  trace_.summary.cores_got = 0.5;
  EXPECT_THAT(recorded_causes(), IsEmpty()) << "nobody else was there: the program waited";
  trace_.summary.other_cores = 1.5;
  EXPECT_THAT(recorded_causes(), IsEmpty()) << "it slept";
  trace_.summary.waited_seconds = 0.04;
  const std::vector<Finding> findings = recorded_findings(facts());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].cause, FindingCause::other_programs);
  EXPECT_NEAR(findings[0].gain.high, 0.04, 1e-9) << "its threads waited so long";
  trace_.summary.waited_seconds = 1;
  EXPECT_NEAR(recorded_findings(facts()).front().gain.high, 0.1, 1e-9) << "half of the time";
  trace_.summary.cores_got = 0.99;
  EXPECT_THAT(recorded_causes(), IsEmpty());
}

TEST_F(DoctorFindings, DenormalAndInvalidNumbersAreToldApart) {
  add(20, 500, 0.01);
  add(5, 400, 0.01).met_denormals = true;
  EXPECT_THAT(recorded_causes(), ElementsAre(FindingCause::denormals));
  add(5, 300, 0.01).met_invalid = true;
  EXPECT_THAT(recorded_causes(), ElementsAre(FindingCause::denormals, FindingCause::invalid_numbers));
}

TEST_F(DoctorFindings, InvalidNumbersCountHoweverBrieflyTheyAreMet) {
  add(20, 500, 0.01);
  add(1, 10, 1e-5).met_denormals = true;
  add(1, 10, 1e-5).met_invalid = true;
  const std::vector<Finding> findings = recorded_findings(facts());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].cause, FindingCause::invalid_numbers);
  EXPECT_THAT(findings[0].evidence, HasSubstr("(under 1 % of the time in calls)"));
}

TEST_F(DoctorFindings, FirstCallsThatTookLongAreOne) {
  add(1, 500, 1.0);
  add(20, 500, 0.01);
  EXPECT_THAT(recorded_causes(), ElementsAre(FindingCause::first_calls));
}

TEST_F(DoctorFindings, SmallCallsNeedThePeakAndAreSlow) {
  add(5000, 4, 2e-6);
  EXPECT_TRUE(has_small_calls(facts().breakdown));
  EXPECT_THAT(recorded_findings(*facts_), IsEmpty()) << "the peak isn't known";
  facts_->peak = program::PeakRate{1e10, "a dgemm"};
  const std::vector<Finding> findings = recorded_findings(*facts_);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].cause, FindingCause::small_calls);
  EXPECT_NEAR(findings[0].gain.high, 5000 * (2e-6 - 128 / 1e10), 1e-9);
  facts_->peak = program::PeakRate{1e8, "a dgemm"};
  EXPECT_THAT(recorded_findings(*facts_), IsEmpty()) << "the arithmetic itself takes so long";
}

TEST_F(DoctorFindings, FewOrLargeCallsAreNotSmall) {
  add(50, 4, 2e-6);
  EXPECT_FALSE(has_small_calls(facts().breakdown));
  add(2000, 100, 1e-4);
  EXPECT_FALSE(has_small_calls(facts().breakdown));
}

TEST_F(DoctorFindings, PlainOperandsAreNeighboursAndNotTransposed) {
  const Call strided = kernel::call("ddot", {100, 0x100000, 7, 0x200000000, -3});
  EXPECT_EQ(with_plain_operands(strided).arguments, kernel::call("ddot", {100, 0x100000, 1, 0x200000000, 1}).arguments);
  const Call transposed = kernel::call("dgemm", {'T', 'C', 30, 20, 10, 0x100000, 10, 0x200000000, 20, 0x300000000, 30});
  EXPECT_EQ(with_plain_operands(transposed).arguments,
            kernel::call("dgemm", {'N', 'N', 30, 20, 10, 0x100000, 30, 0x200000000, 10, 0x300000000, 30}).arguments);
  EXPECT_EQ(with_plain_operands(product(20)).arguments, product(20).arguments);
}

TEST_F(DoctorFindings, TransposedOperandsAreFoundWhereTheyCost) {
  add(20, 500, 0.01);
  EXPECT_EQ(unusual_layout(facts()), "");
  std::vector<program::ProgramEvent>& events = trace_.events.back();
  events.back().call = kernel::call("dgemm", {'T', 'N', 500, 500, 500, 0x100000, 500, 0x200000000, 500, 0x300000000, 500});
  EXPECT_THAT(unusual_layout(facts()), HasSubstr("1 call such as dgemm transa=T transb=N m=500"));
  EXPECT_THAT(routines_of_unusual_layout(*breakdown_), ElementsAre(0U));
  std::vector<std::string> examined;
  const std::optional<Finding> finding = judged_layout(*facts_, 0.2, {0.2, 0.005}, {0.1, 0.005}, examined);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain.low, 0.1 - 1.96 * std::sqrt(2) * 0.005, 1e-12);
  EXPECT_THAT(finding->remedy, HasSubstr("copy them once before many calls"));
  EXPECT_DOUBLE_EQ(judged_layout(*facts_, 0.2, {0.2, 0.05}, {0.01, 0.05}, examined)->gain.high, 0.2) << "no more than these calls took";
  EXPECT_FALSE(judged_layout(*facts_, 0.2, {0.2, 0.005}, {0.195, 0.005}, examined));
  EXPECT_THAT(examined, ElementsAre(HasSubstr("no certain gain")));
}

TEST_F(DoctorFindings, CopiesBetweenOrdersAreThoseOfNumPysLinalg) {
  add(20, 500, 0.01).call = kernel::call("dcopy", {500, 0x100000, 1, 0x200000000, 500});
  EXPECT_THAT(unusual_layout(facts()), HasSubstr("dcopy n=500 incx=1 incy=500"));
  std::vector<std::string> examined;
  const std::optional<Finding> finding = judged_layout(*facts_, 0.2, {0.2, 0.005}, {0.1, 0.005}, examined);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->remedy, HasSubstr("call scipy.linalg with arrays in Fortran's order"));
}

TEST_F(DoctorFindings, TwoCausesAtOnceAreTwoFindings) {
  add(1, 500, 1.0);
  add(20, 500, 0.01);
  trace_.summary.cores_got = 0.5;
  trace_.summary.other_cores = 1.5;
  trace_.summary.waited_seconds = 1;
  EXPECT_THAT(recorded_causes(), ElementsAre(FindingCause::other_programs, FindingCause::first_calls));
}

}  // namespace
}  // namespace flopcast::tests
