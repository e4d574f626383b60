#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "flopcast/tasks/comparison/quantities.hpp"
#include "tests/roofline/fake_roofline.hpp"

namespace flopcast {
namespace {

using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::fake_roofline;
using roofline::Roofline;
using search::Verdict;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ComparedDocument document(const Roofline& roofline) { return read_compared(to_json(roofline), "roofline.json"); }

Comparison compare(const Roofline& before, const Roofline& after) { return compared(document(before), document(after), {}); }

const ComparedQuantity& find(const Comparison& comparison, const std::string& what) {
  const auto found = std::find_if(comparison.quantities.begin(), comparison.quantities.end(),
                                  [&what](const ComparedQuantity& one) { return one.what == what; });
  return found != comparison.quantities.end() ? *found : throw std::out_of_range(what);
}

double drift(const Roofline& roofline, const std::string& what) {
  for (const Quantity& one : document(roofline).quantities) {
    if (one.what == what) {
      return one.drift;
    }
  }
  throw std::out_of_range(what);
}

/// Returns fake_roofline with a dgemm of `library` at one thread only.
Roofline with_library(const std::string& library, double rate) {
  Roofline roofline = fake_roofline();
  roofline.gemm[0].library.name = library;
  roofline.gemm[0].flops.samples = {0.99 * rate, rate, 1.01 * rate};
  return roofline;
}

TEST(RooflineQuantities, OfTheSameRooflineDontDiffer) {
  const Comparison comparison = compare(fake_roofline(), fake_roofline());
  EXPECT_THAT(comparison.settings, IsEmpty());
  EXPECT_THAT(comparison.only_before, IsEmpty());
  EXPECT_THAT(comparison.only_after, IsEmpty());
  EXPECT_EQ(comparison.quantities.size(),
            4U + 5U + 2U + 1U + 1U + 2U);  // compute, bandwidth with a length, clocks, gemm, best gemm, points
  EXPECT_EQ(comparison.count(Verdict::slower) + comparison.count(Verdict::faster), 0);
  for (const ComparedQuantity& one : comparison.quantities) {
    EXPECT_EQ(one.ratio, 1) << one.what;
  }
}

TEST(RooflineQuantities, DifferBeyondNoiseOrNot) {
  Roofline after = fake_roofline();
  for (double& rate : after.bandwidth[1].bytes.samples) {
    rate *= 1.01;  // the samples spread by 1.25 % to either side
  }
  for (double& rate : after.bandwidth[0].bytes.samples) {
    rate *= 0.9;
  }
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_EQ(find(comparison, "bandwidth L1 triad, 1 thread").verdict, Verdict::slower);
  EXPECT_NEAR(find(comparison, "bandwidth L1 triad, 1 thread").ratio, 0.9, 1e-12);
  EXPECT_EQ(find(comparison, "bandwidth L1 triad, 1 thread").unit, "B/s");
  EXPECT_EQ(find(comparison, "bandwidth memory triad, 1 thread").verdict, Verdict::unsure);
}

/// Rates that change from one half of a run to the other don't differ beyond noise by the same amount.
TEST(RooflineQuantities, KnowHowRatesDriftWithinARun) {
  Roofline before = fake_roofline();
  for (BandwidthRoof& roof : before.bandwidth) {
    roof.bytes.samples = {8e9, 8e9, 8e9, 9e9, 9e9, 9e9};
  }
  Roofline after = before;
  after.bandwidth[0].bytes.samples = {7.9e9, 7.9e9, 7.9e9, 7.91e9, 7.91e9, 7.91e9};
  after.bandwidth[1].bytes.samples = {5e9, 5e9, 5e9, 5.01e9, 5.01e9, 5.01e9};
  EXPECT_NEAR(drift(before, "bandwidth L1 triad, 1 thread"), 9.0 / 8 - 1, 1e-12);
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(find(comparison, "bandwidth L1 triad, 1 thread").verdict, Verdict::unsure);
  EXPECT_EQ(find(comparison, "bandwidth memory triad, 1 thread").verdict, Verdict::slower);
}

/// Unsteady bandwidths widen the intervals of neither loops nor clocks. gemm has no halves and gets the bound of both kinds of roofs
/// together.
TEST(RooflineQuantities, OfEachKindDriftForThemselves) {
  Roofline roofline = fake_roofline();
  for (BandwidthRoof& roof : roofline.bandwidth) {
    roof.bytes.samples = {8e9, 8e9, 4e9, 4e9};
  }
  for (ComputeRoof& roof : roofline.compute) {
    roof.flops.samples = {16e9, 16e9};
  }
  EXPECT_EQ(drift(roofline, "compute AVX2 double FMA, 1 thread"), 0);
  EXPECT_EQ(drift(roofline, "clock widest FMA loop, 1 thread"), 0);
  EXPECT_NEAR(drift(roofline, "bandwidth L1 triad, 1 thread"), 1, 1e-12);
  EXPECT_NEAR(drift(roofline, "dgemm fakeblas serial, 1 thread"), 1, 1e-12);
}

TEST(RooflineQuantities, OfOneRunAndSettingsThatDifferAreNamed) {
  Roofline after = fake_roofline();
  after.cpu = "Other CPU";
  after.gemm[0].library.version = "2.0";
  after.compute.pop_back();
  after.points[0].name = "dger m=8";
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_THAT(comparison.settings,
              ElementsAre("CPU: Fake CPU; Other CPU", "libraries: fakeblas serial 1.0 Fake; fakeblas serial 2.0 Fake"));
  EXPECT_THAT(comparison.only_before,
              ElementsAre("compute AVX2 double FMA, 2 threads", "clock widest FMA loop, 2 threads", "point dgemv m=8, 1 thread"));
  EXPECT_THAT(comparison.only_after, ElementsAre("point dger m=8, 1 thread"));
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
    roofline.compute.back().clocks = {3e9};
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
    all += static_cast<int>(comparison.quantities.size());
    different += static_cast<int>(comparison.count(Verdict::faster) + comparison.count(Verdict::slower));
  }
  return 100.0 * different / all;
}

TEST(RooflineQuantities, CallsFewRoofsOfEqualMachinesDifferent) {
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

TEST(RooflineQuantities, OfOneNameArePairedInTheirOrder) {
  Roofline before = fake_roofline();
  before.gemm.push_back(before.gemm[0]);
  before.gemm[1].flops.samples = {20e9};
  before.points.push_back(before.points[0]);
  const Comparison same = compare(before, before);
  EXPECT_EQ(find(same, "dgemm fakeblas serial, 1 thread (2)").ratio, 1);
  EXPECT_THAT(same.only_before, IsEmpty());
  EXPECT_THAT(compare(before, fake_roofline()).only_before,
              ElementsAre("dgemm fakeblas serial, 1 thread (2)", "point dgemv m=8, 1 thread (2)"));
}

TEST(RooflineQuantities, HaveTheBestLibrary) {
  const Roofline before = with_library("slowblas", 10e9);
  Roofline after = with_library("fastblas", 30e9);
  after.gemm.push_back(before.gemm[0]);
  const Comparison comparison = compare(before, after);
  const ComparedQuantity& best = find(comparison, "best dgemm, 1 thread");
  EXPECT_EQ(best.before, 10e9);
  EXPECT_EQ(best.after, 30e9);
  EXPECT_EQ(best.verdict, Verdict::faster);
  EXPECT_EQ(find(comparison, "dgemm slowblas serial, 1 thread").ratio, 1);
  EXPECT_THAT(comparison.only_after, ElementsAre("dgemm fastblas serial, 1 thread"));
  after.gemm[0].routine = "sgemm";
  after.gemm[1].threads = 2;
  EXPECT_THAT(compare(before, after).only_after, Contains("best sgemm, 1 thread"));
  EXPECT_THAT(compare(before, after).only_after, Contains("best dgemm, 2 threads"));
}

TEST(RooflineQuantities, HaveTriadLengthsAndTheClockOfTheWidestLoop) {
  Roofline after = fake_roofline();
  after.triad_lengths[0].bytes.samples = {40e9, 40.5e9};
  after.compute[0].clocks = {9e9};  // a clock beside another loop than one of multiplications and additions
  after.compute[1].clocks = {1.2e9, 1.2e9, 1.2e9};
  after.triad_lengths.push_back(after.triad_lengths[0]);
  after.triad_lengths[1].working_set_bytes = 6144;
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_EQ(find(comparison, "bandwidth triad of 3 KiB, 1 thread").ratio, 0.5);
  EXPECT_EQ(find(comparison, "bandwidth triad of 3 KiB, 1 thread").verdict, Verdict::slower);
  EXPECT_NEAR(find(comparison, "clock widest FMA loop, 1 thread").ratio, 1.2, 1e-12);
  EXPECT_EQ(find(comparison, "clock widest FMA loop, 1 thread").verdict, Verdict::faster);
  EXPECT_THAT(comparison.only_after, ElementsAre("bandwidth triad of 6 KiB, 1 thread"));
}

TEST(RooflineQuantities, OfOneSampleHaveNoInterval) {
  Roofline after = fake_roofline();
  after.bandwidth[0].bytes.samples = {95e9};
  const Comparison comparison = compare(fake_roofline(), after);
  EXPECT_FALSE(find(comparison, "bandwidth L1 triad, 1 thread").after_interval.has_value());
  EXPECT_EQ(find(comparison, "bandwidth L1 triad, 1 thread").verdict, Verdict::unsure);
}

TEST(RooflineQuantities, DifferentOptionsAreNamed) {
  Roofline before = fake_roofline(), after = fake_roofline();
  before.options = {.threads = 2, .affinity = "close", .gemm = {"dgemm"}, .space = "brief", .tolerance = 0.02, .seed = 1, .quick = false};
  after.options = {.gemm = {"dgemm", "sgemm"}, .space = "full", .tolerance = 0.05, .seed = 2, .quick = true, .huge_pages = "never"};
  EXPECT_THAT(compare(before, after).settings, ElementsAre("gemm: dgemm; dgemm, sgemm", "huge pages: not set; never", "quick: no; yes",
                                                           "space: brief; full", "tolerance: 0.02; 0.05"));
}

TEST(RooflineQuantities, EveryLibraryIsNamedOnce) {
  Roofline after = fake_roofline();
  after.gemm.push_back(after.gemm[0]);
  after.gemm[1].routine = "sgemm";
  EXPECT_THAT(compare(fake_roofline(), after).settings, IsEmpty());
  after.gemm.clear();
  EXPECT_THAT(compare(fake_roofline(), after).settings, ElementsAre("libraries: fakeblas serial 1.0 Fake; none"));
}

}  // namespace
}  // namespace flopcast
