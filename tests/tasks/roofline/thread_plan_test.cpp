#include "flopcast/tasks/roofline/thread_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two sockets with two cores each.
machine::Topology two_sockets() {
  machine::Topology topology;
  topology.usable = {0, 1, 2, 3};
  topology.places = {{0, 0, 0}, {1, 1, 0}, {2, 2, 1}, {3, 3, 1}};
  return topology;
}

TEST(ThreadPlan, HasOneCoreASocketAndAllCores) {
  EXPECT_THAT(thread_counts({}, two_sockets()), ElementsAre(1, 2, 4));
  EXPECT_THAT(thread_counts({.threads = 3}, two_sockets()), ElementsAre(1, 3));
  EXPECT_THAT(thread_counts({.threads = 1}, two_sockets()), ElementsAre(1));
}

TEST(ThreadPlan, StaysWithinTheLimitOfTheControlGroup) {
  machine::Topology topology = two_sockets();
  topology.cpu_quota = 1.5;
  EXPECT_THAT(thread_counts({}, topology), ElementsAre(1));
}

TEST(ThreadPlan, OnlyTheLargestTeamIsSpread) {
  const RooflineRequest request{.affinity = machine::Affinity::spread};
  EXPECT_THAT(team_cpus(request, two_sockets()), ElementsAre(ElementsAre(0), ElementsAre(0, 1), ElementsAre(0, 2, 1, 3)));
}

TEST(ThreadPlan, TakesTheFastestKindOfCores) {
  machine::Topology topology = two_sockets();
  topology.kinds = {{"performance", {0, 1}, 2}, {"efficiency", {2, 3}, 2}};
  topology.places[2].kind = topology.places[3].kind = 1;
  EXPECT_THAT(requested_cores({}, topology).usable, ElementsAre(0, 1));
  EXPECT_THAT(requested_cores({.cores = "efficiency"}, topology).usable, ElementsAre(2, 3));
  EXPECT_THAT(requested_cores({.cores = "all"}, topology).usable, ElementsAre(0, 1, 2, 3));
  EXPECT_THROW(requested_cores({.cores = "other"}, topology), Error);
}

TEST(GemmCases, AreTheDefaultLibrariesOfOneAndOfSeveralThreads) {
  std::vector<std::string> findings;
  EXPECT_THAT(gemm_cases({}, {1, 2}, {"serial", "parallel"}, findings),
              ElementsAre(GemmCase{"dgemm", "serial", 1}, GemmCase{"dgemm", "parallel", 2}));
  EXPECT_THAT(findings, IsEmpty());
}

TEST(GemmCases, AreEveryRoutineOfEveryLibraryGiven) {
  std::vector<std::string> findings;
  const RooflineRequest request{.blas = {"a", "b"}, .gemm = {"dgemm", "sgemm"}};
  const std::vector<GemmCase> cases = gemm_cases(request, {1, 2}, {}, findings);
  ASSERT_EQ(cases.size(), 8U);
  EXPECT_EQ(cases[1], (GemmCase{"sgemm", "a", 1}));
  EXPECT_EQ(cases[6], (GemmCase{"dgemm", "b", 2}));
}

TEST(GemmCases, SayWhichLibraryLacks) {
  std::vector<std::string> findings;
  EXPECT_THAT(gemm_cases({}, {1, 2}, {"serial", ""}, findings), ElementsAre(GemmCase{"dgemm", "serial", 1}));
  EXPECT_THAT(findings, ElementsAre(HasSubstr("no BLAS library with threads is installed")));
  findings.clear();
  EXPECT_THAT(gemm_cases({}, {1, 2}, {}, findings), IsEmpty());
  EXPECT_THAT(findings, ElementsAre(HasSubstr("no BLAS library is installed")));
}

}  // namespace
}  // namespace flopcast
