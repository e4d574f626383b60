#include "flopcast/roofline/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "fake_roofline.hpp"
#include "flopcast/roofline/roofline_schemas.hpp"
#include "flopcast/support/error.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::roofline {
namespace {

/// Returns the first difference of a kind and name.
const Difference& find(const Comparison& comparison, const std::string& kind, const std::string& name) {
  for (const Difference& one : comparison.differences) {
    if (one.kind == kind && one.name == name) {
      return one;
    }
  }
  throw std::out_of_range(kind + ' ' + name);
}

std::vector<std::string> names(const Comparison& comparison, const std::string& kind) {
  std::vector<std::string> names;
  for (const Difference& one : comparison.differences) {
    if (one.kind == kind) {
      names.push_back(one.name);
    }
  }
  return names;
}

std::vector<std::string> texts(const std::vector<RoofName>& roofs) {
  std::vector<std::string> texts;
  for (const RoofName& roof : roofs) {
    texts.push_back(to_string(roof));
  }
  return texts;
}

/// Returns fake_roofline with a dgemm of `library` at one thread only.
Roofline with_library(const std::string& library, double rate) {
  Roofline roofline = fake_roofline();
  roofline.gemm[0].library.name = library;
  roofline.gemm[0].flops.samples = {rate, rate, rate};
  return roofline;
}

TEST(Compare, OfTheSameRooflineFindsNothing) {
  const Comparison comparison = compare(fake_roofline(), fake_roofline());
  EXPECT_THAT(comparison.settings, testing::IsEmpty());
  EXPECT_THAT(comparison.only_before, testing::IsEmpty());
  EXPECT_THAT(comparison.only_after, testing::IsEmpty());
  EXPECT_EQ(comparison.differences.size(), 4U + 5U + 2U + 1U + 2U);  // compute, bandwidth with a length, clocks, gemm, points
  for (const Difference& difference : comparison.differences) {
    EXPECT_EQ(difference.ratio, 1) << difference.name;
    EXPECT_FALSE(difference.beyond_noise()) << difference.name;
  }
}

TEST(Compare, TellsDifferencesFromNoise) {
  Roofline before = fake_roofline();
  Roofline after = before;
  for (double& rate : after.bandwidth[1].bytes.samples) {
    rate *= 1.01;  // the samples spread by 1.25 % to either side
  }
  for (double& rate : after.bandwidth[0].bytes.samples) {
    rate *= 0.9;
  }
  const Comparison comparison = compare(before, after);
  const std::vector<Difference>& differences = comparison.differences;
  const Difference &lower = differences[4], &noise = differences[5];
  EXPECT_EQ(lower.name, "L1 triad");
  EXPECT_NEAR(lower.ratio, 0.9, 1e-12);
  EXPECT_TRUE(lower.beyond_noise());
  EXPECT_EQ(noise.name, "memory triad");
  EXPECT_FALSE(noise.beyond_noise());
  EXPECT_NEAR(noise.interval.low, 1.01 * 7.9 / 8.1 / (1 + comparison.drift.of("bandwidth")), 1e-12);
}

/// Rates that change from one half of a run to the other don't differ beyond noise by the same amount.
TEST(Compare, KnowsHowRatesWanderWithinARun) {
  Roofline before = fake_roofline(), after = fake_roofline();
  for (Roofline* roofline : {&before, &after}) {
    for (BandwidthRoof& roof : roofline->bandwidth) {
      roof.bytes.samples = {8e9, 8e9, 8e9, 9e9, 9e9, 9e9};
    }
  }
  after.bandwidth[0].bytes.samples = {7.9e9, 7.9e9, 7.9e9, 7.9e9, 7.9e9, 7.9e9};
  after.bandwidth[1].bytes.samples = {6e9, 6e9, 6e9, 6e9, 6e9, 6e9};
  const Comparison comparison = compare(before, after);
  EXPECT_NEAR(comparison.drift.of("bandwidth"), 9.0 / 8 - 1, 1e-12);
  EXPECT_FALSE(comparison.differences[4].beyond_noise());
  EXPECT_TRUE(comparison.differences[5].beyond_noise());
}

TEST(Compare, NamesDifferencesAndMissingRoofs) {
  Roofline after = fake_roofline();
  after.cpu = "Other CPU";
  after.gemm[0].library.version = "2.0";
  after.compute.pop_back();
  after.points[0].name = "dger m=8";
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_THAT(comparison.settings,
              testing::ElementsAre("CPU: Fake CPU; Other CPU", "libraries: fakeblas serial 1.0 Fake; fakeblas serial 2.0 Fake"));
  EXPECT_THAT(texts(comparison.only_before),
              testing::ElementsAre("compute AVX2 double FMA, 2 threads", "clock widest FMA loop, 2 threads", "point dgemv m=8, 1 thread"));
  EXPECT_THAT(texts(comparison.only_after), testing::ElementsAre("point dger m=8, 1 thread"));
}

/// Unsteady bandwidths widen the intervals of neither loops nor clocks. gemm has no halves and gets the bound of both kinds of roofs
/// together.
TEST(Compare, EachKindWandersForItself) {
  Roofline before = fake_roofline(), after = fake_roofline();
  for (Roofline* roofline : {&before, &after}) {
    for (BandwidthRoof& roof : roofline->bandwidth) {
      roof.bytes.samples = {8e9, 8e9, 4e9, 4e9};
    }
    for (ComputeRoof& roof : roofline->compute) {
      roof.flops.samples = {16e9, 16e9};
    }
  }
  after.compute[1].flops.samples = {15e9, 15e9};
  after.gemm[0].flops.samples = {14e9, 14e9};
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.drift.of("compute"), 0);
  EXPECT_EQ(comparison.drift.of("clock"), 0);
  EXPECT_NEAR(comparison.drift.of("bandwidth"), 1, 1e-12);
  EXPECT_NEAR(comparison.drift.of("dgemm"), 1, 1e-12);
  EXPECT_TRUE(find(comparison, "compute", "AVX2 double FMA").beyond_noise());
  EXPECT_FALSE(find(comparison, "dgemm", "fakeblas serial").beyond_noise());
}

/// Returns a machine whose rates have the noise of `sample`, a function of the half of the run (0 or 1) with random numbers of its own.
template <class Sample>
Roofline noisy_roofline(const Sample& sample) {
  Roofline roofline = fake_roofline();
  const auto samples = [&sample](double rate, int in_each_half) {
    std::vector<double> rates;
    for (int i = 0; i < 2 * in_each_half; ++i) {
      rates.push_back(rate * sample(i / in_each_half));
    }
    return rates;
  };
  roofline.compute.resize(1);
  roofline.bandwidth.resize(1);
  roofline.triad_lengths.clear();
  roofline.points.clear();
  roofline.gemm.clear();
  for (int i = 0; i < 18; ++i) {
    roofline.compute.push_back(roofline.compute[0]);
    roofline.compute.back().flops.samples = samples(16e9, 5);
    roofline.compute.back().clocks.clear();
  }
  for (int i = 0; i < 48; ++i) {
    roofline.bandwidth.push_back(roofline.bandwidth[0]);
    roofline.bandwidth.back().bytes.samples = samples(100e9, 3);
  }
  roofline.compute.erase(roofline.compute.begin());
  roofline.bandwidth.erase(roofline.bandwidth.begin());
  return roofline;
}

/// Returns the percentage of roofs that differ beyond noise between two runs on a machine with this noise, where the second run's rates are
/// multiplied by `faster`.
template <class Sample>
double called_different(const Sample& new_run, double faster = 1) {
  int different = 0, all = 0;
  for (int pair = 0; pair < 300; ++pair) {
    const Roofline before = noisy_roofline(new_run());
    const Comparison comparison = compare(before, noisy_roofline([faster, sample = new_run()](int half) { return faster * sample(half); }));
    all += static_cast<int>(comparison.differences.size());
    different += static_cast<int>(std::count_if(comparison.differences.begin(), comparison.differences.end(),
                                                [](const Difference& one) { return one.beyond_noise(); }));
  }
  return 100.0 * different / all;
}

TEST(Compare, CallsFewRoofsOfEqualMachinesDifferent) {
  std::mt19937_64 dice(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto steady = [&] { return [&](int) { return std::exp(0.01 * normal(dice)); }; };
  const auto disturbed = [&] { return [&](int) { return (uniform(dice) < 0.3 ? 0.6 : 1) * std::exp(0.01 * normal(dice)); }; };
  const auto bimodal = [&] { return [&](int) { return (uniform(dice) < 0.5 ? 0.55 : 1) * std::exp(0.02 * normal(dice)); }; };
  // The clock changes by some percent between the halves of a run, and from run to run.
  const auto wandering = [&] {
    const std::array<double, 2> pace = {std::exp(0.03 * normal(dice)), std::exp(0.03 * normal(dice))};
    return [&dice, &normal, pace](int half) { return pace[static_cast<std::size_t>(half)] * std::exp(0.01 * normal(dice)); };
  };
  static constexpr double most = 5;  // percent, because the intervals are of 95 %
  EXPECT_LT(called_different(steady), most);
  EXPECT_LT(called_different(disturbed), most);
  EXPECT_LT(called_different(bimodal), most);
  EXPECT_LT(called_different(wandering), most);
  EXPECT_GT(called_different(steady, 1.1), 95);
  EXPECT_GT(called_different(steady, 1 / 1.1), 95);
}

TEST(Compare, PairsRoofsOfOneNameInTheirOrder) {
  Roofline before = fake_roofline();
  before.gemm.push_back(before.gemm[0]);
  before.gemm[1].flops.samples = {20e9};
  before.points.push_back(before.points[0]);
  const Comparison same = compare(before, before);
  EXPECT_THAT(names(same, "dgemm"), testing::ElementsAre("fakeblas serial", "fakeblas serial (2)"));
  EXPECT_THAT(same.only_before, testing::IsEmpty());
  EXPECT_THAT(same.only_after, testing::IsEmpty());
  for (const Difference& difference : same.differences) {
    EXPECT_EQ(difference.ratio, 1) << difference.name;
  }
  EXPECT_THAT(texts(compare(before, fake_roofline()).only_before),
              testing::ElementsAre("dgemm fakeblas serial (2), 1 thread", "point dgemv m=8 (2), 1 thread"));
}

TEST(Compare, ComparesTheBestLibrariesWhereTheyDiffer) {
  const Roofline before = with_library("slowblas", 10e9);
  Roofline after = with_library("fastblas", 30e9);
  after.gemm.push_back(with_library("slowblas", 10e9).gemm[0]);
  const Comparison comparison = compare(before, after);
  const Difference& best = find(comparison, "best dgemm", "slowblas serial; fastblas serial");
  EXPECT_EQ(best.threads, 1);
  EXPECT_EQ(best.before, 10e9);
  EXPECT_EQ(best.after, 30e9);
  EXPECT_TRUE(best.beyond_noise());
  EXPECT_THAT(names(comparison, "dgemm"), testing::ElementsAre("slowblas serial"));
  EXPECT_THAT(texts(comparison.only_after), testing::ElementsAre("dgemm fastblas serial, 1 thread"));
}

TEST(Compare, BestLibrariesAreOfOneRoutineAndNumberOfThreads) {
  Roofline after = with_library("fastblas", 30e9);
  after.gemm[0].threads = 2;
  EXPECT_THAT(names(compare(with_library("slowblas", 10e9), after), "best dgemm"), testing::IsEmpty());
  after.gemm[0].threads = 1;
  after.gemm[0].routine = "sgemm";
  EXPECT_THAT(names(compare(with_library("slowblas", 10e9), after), "best dgemm"), testing::IsEmpty());
  Roofline before = with_library("slowblas", 10e9);
  before.gemm[0].routine = "sgemm";
  EXPECT_EQ(find(compare(before, after), "best sgemm", "slowblas serial; fastblas serial").ratio, 3);
}

TEST(Compare, ComparesTriadLengthsAndTheClockOfTheWidestLoop) {
  Roofline after = fake_roofline();
  after.triad_lengths[0].bytes.samples = {40e9, 40.5e9};
  after.compute[0].clocks = {9e9};  // a clock beside another loop than one of multiplications and additions
  after.compute[1].clocks = {1.2e9, 1.2e9, 1.2e9};
  after.triad_lengths.push_back(after.triad_lengths[0]);
  after.triad_lengths[1].working_set_bytes = 6144;
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_EQ(find(comparison, "bandwidth", "triad of 3 KiB").ratio, 0.5);
  EXPECT_TRUE(find(comparison, "bandwidth", "triad of 3 KiB").beyond_noise());
  const Difference& clock = find(comparison, "clock", "widest FMA loop");
  EXPECT_NEAR(clock.ratio, 1.2, 1e-12);
  EXPECT_TRUE(clock.beyond_noise());
  EXPECT_THAT(texts(comparison.only_after), testing::ElementsAre("bandwidth triad of 6 KiB, 1 thread"));
}

TEST(Compare, CountsLowerAndHigherRoofs) {
  Roofline after = fake_roofline();
  for (double& sample : after.bandwidth[0].bytes.samples) {
    sample *= 0.7;
  }
  for (double& sample : after.bandwidth[3].bytes.samples) {
    sample *= 0.5;
  }
  after.gemm[0].flops.samples = {30e9, 30e9, 30e9};
  const Comparison comparison = compare(fake_roofline(), after);
  const Verdict found = verdict(comparison);
  EXPECT_EQ(found.roofs, comparison.differences.size());
  EXPECT_EQ(found.lower, 2U);
  EXPECT_EQ(found.higher, 1U);
  EXPECT_NEAR(found.lower_ratio, 0.6, 1e-9);
  EXPECT_NEAR(found.higher_ratio, 2, 1e-9);
  ASSERT_NE(found.lowest, nullptr);
  EXPECT_EQ(found.lowest->threads, 2);
  const Comparison nothing = compare(fake_roofline(), fake_roofline());
  EXPECT_EQ(verdict(nothing).lower + verdict(nothing).higher, 0U);
  EXPECT_EQ(verdict(nothing).lowest, nullptr);
}

TEST(Compare, OneSampleDecidesNothing) {
  Roofline after = fake_roofline();
  after.bandwidth[0].bytes.samples = {70e9};
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_FALSE(find(comparison, "bandwidth", "L1 triad").beyond_noise());
  EXPECT_EQ(verdict(comparison).undecided, 1U);
  EXPECT_EQ(verdict(comparison).lower, 0U);
}

TEST(Compare, NamesDifferentOptions) {
  Roofline before = fake_roofline(), after = fake_roofline();
  before.options = {.threads = 2,
                    .affinity = "close",
                    .gemm = {"dgemm"},
                    .space = "brief",
                    .tolerance = 0.02,
                    .time_budget = "60s",
                    .seed = 1,
                    .quick = false};
  after.options = {
      .gemm = {"dgemm", "sgemm"}, .space = "full", .tolerance = 0.05, .time_budget = "1s", .seed = 2, .quick = true, .huge_pages = "never"};
  EXPECT_THAT(compare(before, after).settings, testing::ElementsAre("gemm: dgemm; dgemm, sgemm", "huge pages: not set; never",
                                                                    "quick: no; yes", "space: brief; full", "tolerance: 0.02; 0.05"));
}

TEST(Compare, SurvivesJson) {
  Roofline after = fake_roofline();
  after.bandwidth[0].bytes.samples = {70e9};
  after.bandwidth.pop_back();
  after.gemm[0].library.name = "other, with a comma";
  after.points.pop_back();
  const Comparison comparison = compare(fake_roofline(), after);
  ASSERT_FALSE(comparison.only_before.empty());
  ASSERT_FALSE(comparison.only_after.empty());
  EXPECT_EQ(comparison_from_json(to_json(comparison)), comparison);
  EXPECT_EQ(tests::schema_violation(to_json(comparison), roofline_schemas()), "");
  EXPECT_THROW(comparison_from_json("{}"), Error);
}

TEST(Compare, NamesOfRoofsCanBeReadBack) {
  for (const RoofName& name : {RoofName{"dgemm", "openblas serial (2)", 1}, {"best dgemm", "a; b", 16}, {"point", "sort x, 1 thread", 2}}) {
    EXPECT_EQ(parse_roof_name(to_string(name)), name);
  }
  for (const char* text : {"", "dgemm", "dgemm a", "dgemm a, no threads", "luck a, 1 thread", "dgemm, 1 thread"}) {
    EXPECT_THROW(parse_roof_name(text), Error) << text;
  }
}

TEST(Compare, NamesEveryLibraryOnce) {
  Roofline after = fake_roofline();
  after.gemm.push_back(after.gemm[0]);
  after.gemm[1].routine = "sgemm";
  EXPECT_THAT(compare(fake_roofline(), after).settings, testing::IsEmpty());
  after.gemm.clear();
  EXPECT_THAT(compare(fake_roofline(), after).settings, testing::ElementsAre("libraries: fakeblas serial 1.0 Fake; none"));
}

}  // namespace
}  // namespace flopcast::roofline
