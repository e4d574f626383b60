#include "flopcast/tasks/roofline/diagnoses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/roofline/fake_roofline.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Facts of a quiet run without anything to tell.
class Diagnoses : public testing::Test {
 protected:
  Diagnoses() {
    topology_.places = {{0, 0, 0}, {1, 1, 0}};
    topology_.usable = {0, 1};
    topology_.hardware_threads = 2;
    found_.compute = {{"FMA", "double", 4, 2, true, 1, {{16e9, 16e9, 16e9}}, {1e9, 1e9, 1e9}, 2},
                      {"FMA", "double", 4, 2, true, 2, {{32e9, 32e9, 32e9}}, {1e9, 1e9, 1e9}, 2}};
    found_.gemm = {roofline::fake_roofline().gemm.front()};
    found_.bandwidth = roofline::fake_roofline().bandwidth;
    found_.levels = {{"L1", 32768, 32768, 32768}};
    found_.peaks = {{"nominal", 1, {}, 16e9}};
  }

  std::vector<std::string> at(Moment moment) {
    return diagnoses(moment, {request_, topology_, hierarchy_, &found_, others_, std::int64_t{1} << 30U});
  }

  RooflineRequest request_;
  machine::Topology topology_;
  machine::MemoryHierarchy hierarchy_;
  roofline::Roofline found_;
  std::optional<double> others_;
};

TEST_F(Diagnoses, AQuietRunHasNone) {
  for (const Moment moment : {Moment::begin, Moment::caches, Moment::roofs, Moment::points}) {
    EXPECT_THAT(at(moment), IsEmpty());
  }
}

TEST_F(Diagnoses, NameLimitsOfTheMachine) {
  topology_.hardware_threads = 4;
  EXPECT_THAT(at(Moment::begin), ElementsAre("this process may run on 2 of 4 hardware threads only"));
  topology_.cpu_quota = 1;
  EXPECT_THAT(at(Moment::begin), ElementsAre("the control group grants 1.0 CPUs' worth of time, so 1 of 2 cores were used",
                                             "this process may run on 2 of 4 hardware threads only"));
  topology_.kinds = {{"performance", {0, 1}, 2}};
  request_.threads = 4;
  EXPECT_THAT(at(Moment::begin), ElementsAre("roofs are those of the performance cores, CPU 0-1; --cores measures others",
                                             "4 threads share 2 cores: hyperthreads have no arithmetic units of their own"));
}

TEST_F(Diagnoses, NameElasticCaches) {
  hierarchy_.levels = {{"L2", 1048576, 1048576, 1048576}};
  hierarchy_.patterns.resize(1);
  hierarchy_.patterns[0].stream = 1048576;
  hierarchy_.patterns[0].serial_chase = 524288;
  EXPECT_THAT(at(Moment::caches), IsEmpty()) << "twice is usual";
  hierarchy_.patterns[0].serial_chase = 262144;
  EXPECT_THAT(at(Moment::caches), ElementsAre("L2 is elastic; it offers 1 MiB to a stream, 256 KiB to a serial chase"));
}

TEST_F(Diagnoses, TellNoiseFromTheSpreadOfLoops) {
  found_.compute[0].flops.samples = {14e9, 14e9, 16e9};
  EXPECT_THAT(at(Moment::roofs), ElementsAre(HasSubstr("half of the samples of FMA with 1 thread lost more than 12 %")));
}

TEST_F(Diagnoses, NameCeilingsBelowThoseOfFewerThreads) {
  found_.compute[1].flops.samples = {15e9, 15e9, 15e9};
  found_.gemm.clear();
  EXPECT_THAT(at(Moment::roofs), ElementsAre("slower than fewer threads, so all samples were disturbed: FMA with 2 threads"));
}

TEST_F(Diagnoses, NameTheLoadOfOthers) {
  others_ = 0.4;
  EXPECT_THAT(at(Moment::roofs), IsEmpty());
  others_ = 1.5;
  EXPECT_THAT(at(Moment::roofs), ElementsAre(HasSubstr("other programs kept 1.5 cores busy")));
}

TEST_F(Diagnoses, NameMemoryThatFitsIntoTheLastLevel) {
  found_.levels.push_back({"L3", 400'000'000, 400'000'000, 512 << 20});
  EXPECT_THAT(at(Moment::roofs), ElementsAre("memory was measured over 286 MiB, as 1 GiB are free; L3 may hold up to 512 MiB of them, so "
                                             "memory may be slower"));
}

TEST_F(Diagnoses, NameGuessedUnitsUnlessTheyAreGiven) {
  found_.compute[0].instructions_per_cycle = found_.compute[1].instructions_per_cycle = 1.5;
  EXPECT_THAT(at(Moment::roofs), ElementsAre(HasSubstr("the widest FMA loop made 1.50 instructions per cycle at best")));
  request_.fma_units = 2;
  EXPECT_THAT(at(Moment::roofs), IsEmpty());
}

TEST_F(Diagnoses, NameGemmsThatAreTooSlowOrTooFast) {
  found_.gemm[0].flops.samples = {8e9};
  EXPECT_THAT(at(Moment::roofs), ElementsAre("dgemm of fakeblas 1.0 with 1 thread reaches 50 % of the FMA ceiling only (kernels 'Fake')"));
  found_.gemm[0].flops.samples = {17e9};
  EXPECT_THAT(at(Moment::roofs), ElementsAre(HasSubstr("dgemm of fakeblas surpasses FMA with 1 thread")));
}

TEST_F(Diagnoses, NamePointsAboveARoofWhoseStreamWasLeftOut) {
  found_.points = {{"ddot", 1e9, 12e9, 1, {{5e9}}, "memory"}};
  EXPECT_THAT(at(Moment::points), ElementsAre(HasSubstr("the machine was noisy: ddot makes 5.00 GFLOP/s")));
  request_.streams = {machine::Stream::triad};
  EXPECT_THAT(at(Moment::points), ElementsAre("ddot surpasses memory triad: the stream that bounds it was skipped by --streams"));
}

}  // namespace
}  // namespace flopcast
