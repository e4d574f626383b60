#include "flopcast/roofline/roof.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake_roofline.hpp"
#include "flopcast/roofline/bandwidth_roofs.hpp"
#include "flopcast/roofline/compute_roofs.hpp"
#include "flopcast/roofline/roofline_schemas.hpp"
#include "flopcast/support/error.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::roofline {
namespace {

TEST(Roofline, SurvivesJson) {
  Roofline before = fake_roofline();
  EXPECT_EQ(roofline_from_json(to_json(before)), before);
  EXPECT_EQ(tests::schema_violation(to_json(before), roofline_schemas()), "");
  EXPECT_EQ(nlohmann::json::parse(to_json(before)).at("schema"), schema);
  before.options = {};  // as an early version wrote them
  before.options.blas = {"blis"};
  EXPECT_EQ(roofline_from_json(to_json(before)), before);
  EXPECT_EQ(tests::schema_violation(to_json(before), roofline_schemas()), "");
}

/// Returns the message with which a document is refused.
std::string refusal(const nlohmann::json& document) {
  try {
    roofline_from_json(document.dump(), "roofs.json");
    return "nothing is wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
}

TEST(Roofline, NamesFileAndMembersThatAreWrong) {
  const auto document = nlohmann::json::parse(to_json(fake_roofline()));
  nlohmann::json lacking = document, silent = document, other = document;
  lacking.erase("bandwidth");
  silent["compute"][1]["flops_per_second"]["samples"] = {1e9, 0};
  other["options"]["seed"] = "one";
  EXPECT_THAT(refusal(lacking), testing::AllOf(testing::HasSubstr("roofs.json"), testing::HasSubstr("bandwidth")));
  EXPECT_THAT(refusal(silent), testing::HasSubstr("compute[1].flops_per_second.samples"));
  EXPECT_THAT(refusal(other), testing::HasSubstr("options.seed"));
}

TEST(Roofline, MayComeFromAVersionThatKnewOnlyDgemm) {
  auto document = nlohmann::json::parse(to_json(fake_roofline()));
  document.erase("triad_lengths");
  document.at("gemm").at(0).erase("routine");
  document["options"] = nlohmann::json::object();
  const Roofline read = roofline_from_json(document.dump());
  EXPECT_EQ(read.gemm.front().routine, "dgemm");
  EXPECT_TRUE(read.triad_lengths.empty());
  EXPECT_EQ(read.options, EffectiveOptions());
}

TEST(Roofline, FindsItsFastestDgemm) {
  Roofline roofline = fake_roofline();
  GemmRoof slower = roofline.gemm.front(), single = slower;
  slower.flops.samples = {13e9};
  single.routine = "sgemm";
  single.flops.samples = {30e9};
  roofline.gemm = {slower, roofline.gemm.front(), single};
  EXPECT_EQ(best_gemm(roofline, 1), &roofline.gemm[1]);
  EXPECT_EQ(best_gemm(roofline, 2), nullptr);
}

TEST(Roofline, FindsItsRoofs) {
  const Roofline roofline = fake_roofline();
  EXPECT_EQ(roofline.max_threads(), 2);
  EXPECT_EQ(best_compute(roofline, 1)->name, "AVX2 double FMA");
  EXPECT_EQ(best_compute(roofline, 3), nullptr);
  EXPECT_EQ(find_bandwidth(roofline, "memory", "triad", 1, true)->bytes.median(), 10e9);
  EXPECT_EQ(find_bandwidth(roofline, "L2", "triad", 1), nullptr);
}

TEST(Bound, IsTheLowerRoof) {
  const Roofline roofline = fake_roofline();
  const Bound memory = bound_of(roofline, roofline.points[0]);
  EXPECT_EQ(memory.name, "memory triad");
  EXPECT_DOUBLE_EQ(memory.flops, 0.25 * 8.05e9);
  const Bound compute = bound_of(roofline, roofline.points[1]);
  EXPECT_EQ(compute.name, "AVX2 double FMA");
  EXPECT_DOUBLE_EQ(compute.flops, 16.1e9);
}

/// Another program that takes half of a core's units for most of the time doesn't lower the ceiling.
TEST(Bound, IsTheRateOfUndisturbedSamples) {
  Roofline roofline = fake_roofline();
  roofline.compute = {roofline.compute.front()};
  roofline.compute.front().flops_per_lane = 2;
  roofline.compute.front().flops.samples = {8e9, 16e9, 8e9, 8.2e9, 16.2e9, 8e9, 15.8e9};
  const Bound bound = bound_of(roofline, roofline.points[1]);
  EXPECT_DOUBLE_EQ(bound.flops, 16.2e9);
}

/// Recently used operands lie in a cache, where streams are faster.
TEST(Bound, IsThatOfTheLevelWhichHoldsTheOperands) {
  Roofline roofline = fake_roofline();
  for (const auto& [stream, bytes] : {std::pair{"triad", 30e9}, {"load", 40e9}, {"store", 20e9}}) {
    roofline.bandwidth.push_back({.level = "L2", .stream = stream, .threads = 1, .bytes = {{bytes}}});
  }
  roofline.bandwidth.push_back({.level = "L2", .stream = "load", .nontemporal = true, .threads = 1, .bytes = {{90e9}}});
  Point point = roofline.points[0];
  point.level = "L2";
  EXPECT_EQ(bound_of(roofline, point).name, "L2 load");
  EXPECT_DOUBLE_EQ(bound_of(roofline, point).flops, 0.25 * 40e9);

  const std::vector<CacheLevel> levels = {{.name = "L1", .capacity_bytes = 1000}, {.name = "L2", .capacity_bytes = 5000}};
  EXPECT_EQ(level_of(levels, 1000), "L1");
  EXPECT_EQ(level_of(levels, 1001), "L2");
  EXPECT_EQ(level_of(levels, 5001), "memory");
}

TEST(Bound, IsThatOfThePrecision) {
  Roofline roofline = fake_roofline();
  ComputeRoof single = roofline.compute.front();
  single.name = "AVX2 single FMA";
  single.precision = "single";
  single.flops_per_lane = 2;
  single.flops.samples = {32e9};
  roofline.compute.push_back(single);
  Point point = roofline.points[1];
  point.precision = "single";
  EXPECT_EQ(bound_of(roofline, point).name, "AVX2 single FMA");
}

TEST(Ports, AreTheNearestNumberOfUnits) {
  EXPECT_EQ(ports(1.94), 2);
  EXPECT_EQ(ports(1.04), 1);
  EXPECT_EQ(ports(0.3), 1);
}

/// Equation 9 of Tørring et al. 2021: clock x cores x lanes x operations x units.
TEST(TheoreticalPeaks, MultiplyTheirFactors) {
  const std::vector<TheoreticalPeak> peaks = theoretical_peaks(fake_roofline(), 2e9, "given");
  ASSERT_EQ(peaks.size(), 4U);
  EXPECT_EQ(peaks[0].name, "nominal");
  EXPECT_DOUBLE_EQ(peaks[0].flops, 2e9 * 1 * 4 * 2 * 2);
  EXPECT_EQ(peaks[1].name, "sustained clock");
  EXPECT_DOUBLE_EQ(peaks[1].flops, 1e9 * 1 * 4 * 2 * 2);
  EXPECT_DOUBLE_EQ(peaks[2].flops, 2 * peaks[0].flops);
  EXPECT_EQ(peaks[0].factors[0].source, "given");
  EXPECT_EQ(theoretical_peaks(fake_roofline(), 0, "").size(), 2U) << "no nominal clock is known";
}

/// The widest vectors count even if their loop was slower than that of shorter vectors.
TEST(TheoreticalPeaks, AreOfTheWidestVectors) {
  Roofline roofline = fake_roofline();
  roofline.compute.push_back({"AVX-512 double FMA", "double", 8, 2, true, 2, {{20e9, 20e9, 20e9}}, {1e9, 1e9, 1e9}, 1});
  roofline.compute.push_back({"AVX-512 double FMA", "double", 8, 2, true, 1, {{32e9, 32e9, 32e9}}, {1e9, 1e9, 1e9}, 2});
  const std::vector<TheoreticalPeak> peaks = theoretical_peaks(roofline, 2e9, "given");
  ASSERT_EQ(peaks.size(), 4U);
  for (const TheoreticalPeak& peak : peaks) {
    EXPECT_DOUBLE_EQ(peak.flops, (peak.name == "nominal" ? 2e9 : 1e9) * peak.threads * 8 * 2 * 2) << peak.name << ' ' << peak.threads;
  }
}

TEST(Roofs, TakeSamplesOfALaterMeasurement) {
  Roofline roofline = fake_roofline();
  std::vector<ComputeRoof> later = {roofline.compute[1]};
  later[0].flops.samples = {17e9};
  later[0].clocks = {1.1e9};
  add_samples(roofline.compute, later);
  EXPECT_THAT(roofline.compute[1].flops.samples, testing::ElementsAre(15.9e9, 16e9, 16.1e9, 17e9));
  EXPECT_EQ(roofline.compute[1].clocks.size(), 4U);
  EXPECT_DOUBLE_EQ(roofline.compute[1].instructions_per_cycle, 17e9 / 8 / 1.1e9) << "from the best sample and the highest clock";
  EXPECT_EQ(roofline.compute[3], fake_roofline().compute[3]) << "other threads";

  std::vector<BandwidthRoof> bandwidths = {roofline.bandwidth[1], roofline.bandwidth[0]};
  bandwidths[0].working_set_bytes = 1000;
  bandwidths[1].stream = "load";
  add_samples(roofline.bandwidth, bandwidths);
  ASSERT_EQ(roofline.bandwidth.size(), 5U);
  EXPECT_EQ(roofline.bandwidth[1].bytes.samples.size(), 6U) << "a level is a level, whatever memory was free";
  EXPECT_EQ(roofline.bandwidth[4].stream, "load");
  std::vector<BandwidthRoof> lengths = {roofline.triad_lengths[0]};
  lengths[0].working_set_bytes = 6144;
  add_samples(roofline.triad_lengths, lengths);
  EXPECT_EQ(roofline.triad_lengths.size(), 2U);
}

TEST(TheoreticalPeaks, TakeTheUnitsFromTheLeastDisturbedTeam) {
  Roofline roofline = fake_roofline();
  for (ComputeRoof& roof : roofline.compute) {
    roof.instructions_per_cycle = roof.threads == 2 ? 1.2 : roof.instructions_per_cycle;
  }
  EXPECT_EQ(theoretical_peaks(roofline, 2e9, "given")[2].flops, 2 * theoretical_peaks(roofline, 2e9, "given")[0].flops);
}

TEST(TheoreticalPeaks, CountCoresAndNotHyperthreads) {
  const std::vector<TheoreticalPeak> peaks = theoretical_peaks(fake_roofline(), 2e9, "given", 0, 1);
  EXPECT_DOUBLE_EQ(peaks[2].flops, peaks[0].flops) << "two threads on one core";
}

TEST(TheoreticalPeaks, TakeUnitsThatAreGiven) {
  const std::vector<TheoreticalPeak> peaks = theoretical_peaks(fake_roofline(), 2e9, "given", 1);
  EXPECT_DOUBLE_EQ(peaks[0].flops, 2e9 * 1 * 4 * 2 * 1);
  EXPECT_EQ(peaks[0].factors.back().source, "given");
}

TEST(ImpossibleFigures, AreThoseAboveTheirLimits) {
  Roofline roofline = fake_roofline();
  EXPECT_THAT(impossible_figures(roofline), testing::IsEmpty());
  roofline.peaks.push_back({"sustained clock", 1, {}, 14e9});
  EXPECT_THAT(impossible_figures(roofline), testing::ElementsAre(testing::HasSubstr("the AVX2 double FMA loop makes 16.1 GFLOP/s"),
                                                                 testing::HasSubstr("dgemm of fakeblas makes 15")));
  roofline.peaks.back().flops = 16e9;
  EXPECT_THAT(impossible_figures(roofline), testing::IsEmpty()) << "measuring errs by as much";
  roofline.points[0].flops_rate.samples = {9e9, 9e9};  // memory's triad allows 2 GFLOP/s
  EXPECT_THAT(impossible_figures(roofline), testing::ElementsAre(testing::HasSubstr("dgemv m=8 makes 9.00 GFLOP/s")));
}

}  // namespace
}  // namespace flopcast::roofline
