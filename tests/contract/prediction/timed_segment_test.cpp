#include "flopcast/contract/prediction/timed_segment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/contract/algorithms/algorithm.hpp"

namespace flopcast::contract {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// Caches of 48 KiB, 2 MiB and 64 MiB.
Environment machine() {
  Environment environment;
  for (const std::int64_t kibibytes : {48, 2048, 65536}) {
    CacheLevel level;
    level.capacity_bytes = kibibytes << 10;
    environment.caches.push_back(level);
  }
  return environment;
}

Contraction example(std::int64_t n) { return make_contraction(parse_notation("abc=ai,ibc"), {{'a', n}, {'b', n}, {'c', n}, {'i', 8}}); }

std::vector<LoopSegment> segments_of(const std::string& name, const Contraction& contraction) {
  return timed_segments(find_algorithm(name, generate(contraction)), contraction, machine());
}

const PlacedPart& part_of(const LoopSegment& segment, Operand operand) {
  return *std::find_if(segment.parts.begin(), segment.parts.end(), [&](const PlacedPart& part) { return part.slice.operand == operand; });
}

double timed_calls(const LoopSegment& segment, const Algorithm& algorithm, const Contraction& contraction) {
  double calls = static_cast<double>(segment.iterations);
  for (std::size_t l = segment.outer.size() + 1; l < algorithm.loops.size(); ++l) {
    calls *= static_cast<double>(contraction.extent(algorithm.loops[l]));
  }
  return calls;
}

TEST(Segments, AddUpToTheKernelCalls) {
  for (const Contraction& contraction :
       {example(400), example(30), make_contraction(parse_notation("abc=ai,ibc"), {{'a', 3}, {'b', 17}, {'c', 1}, {'i', 8}}),
        make_contraction(parse_notation("abc=ija,jbic"), {{'a', 60}, {'b', 50}, {'c', 40}, {'i', 8}, {'j', 9}})}) {
    for (const Algorithm& algorithm : generate(contraction)) {
      double calls = 0;
      for (const LoopSegment& segment : timed_segments(algorithm, contraction, machine())) {
        EXPECT_GT(segment.count, 0) << algorithm.name();
        calls += segment.count * timed_calls(segment, algorithm, contraction);
      }
      EXPECT_NEAR(calls, kernel_calls(algorithm, contraction), 1e-6 * calls) << algorithm.name();
    }
  }
}

TEST(Segments, StayWithinTheirLoops) {
  const Contraction contraction = example(60);
  for (const Algorithm& algorithm : generate(contraction)) {
    for (const LoopSegment& segment : timed_segments(algorithm, contraction, machine())) {
      const std::int64_t length = contraction.extent(algorithm.loops[segment.outer.size()]);
      EXPECT_LE(segment.end(), length) << algorithm.name();
      EXPECT_LE(segment.lead, segment.is_first() ? length : segment.begin) << algorithm.name();
      EXPECT_GE(segment.lead, 1) << algorithm.name();
      for (const PlacedPart& part : segment.parts) {
        const Tensor& tensor = contraction.tensor(part.slice.operand);
        for (std::size_t i = 0; i < part.ranges.size(); ++i) {
          EXPECT_GE(part.ranges[i].begin, 0);
          EXPECT_LE(part.ranges[i].end, contraction.extent(tensor.indices[i])) << algorithm.name() << tensor.indices[i];
        }
      }
    }
  }
}

TEST(Segments, TakeShortLoopsWhole) {
  // eight gemv calls with a matrix of 8 x 60 are too short for a segment, so that segments run along the next outer loop
  for (const LoopSegment& segment : segments_of("cia-axpy", example(60))) {
    EXPECT_LE(segment.outer.size(), 1U);
  }
  // a gemm call with 400 x 400 x 8 is nearly long enough for a segment
  const std::vector<LoopSegment> gemm = segments_of("c-gemm", example(400));
  EXPECT_LE(gemm.back().iterations, 4);
}

TEST(Segments, FollowOneAnotherWhereTheLoopIsLongAndTheyTouchLittle) {
  // iterations of c are gemv calls with a matrix of 30 x 8
  const Contraction contraction = make_contraction(parse_notation("abc=ai,ibc"), {{'a', 30}, {'b', 3}, {'c', 30000}, {'i', 8}});
  const LoopSegment gemv = segments_of("bc-gemv", contraction).back();
  EXPECT_GT(gemv.in_a_row, 4);
  const auto c =
      std::find_if(gemv.parts.begin(), gemv.parts.end(), [](const PlacedPart& part) { return part.slice.operand == Operand::c; });
  EXPECT_EQ(c->ranges[2].begin, gemv.begin - gemv.lead);
  EXPECT_EQ(std::prev(gemv.parts.end())->slice.operand == Operand::c ? std::prev(gemv.parts.end())->ranges[2].end : c->ranges[2].end,
            gemv.end())
      << "all consecutive segments are placed";
  EXPECT_EQ(segments_of("c-gemm", example(2000)).back().in_a_row, 1) << "each iteration touches 32 MB of C";
}

TEST(Segments, PlaceOperandsByLinesTouchedSince) {
  const Contraction contraction = example(400);
  // C[:,:,c] was last touched in the previous execution of the contraction, 512 MB ago; A[:,:] in the previous call
  const LoopSegment gemm = segments_of("c-gemm", contraction).back();
  EXPECT_EQ(part_of(gemm, Operand::c).distance_bytes, 8 * (400 * 8 + 8 * 400 * 400 + 400 * 400 * 400));
  EXPECT_EQ(part_of(gemm, Operand::c).level, 3);
  EXPECT_EQ(part_of(gemm, Operand::a).level, 1) << "touched: 25,600 bytes of A, 25,600 of B and 1,280,000 of C";
  // for one c, C[:,:,c] has 1,280,000 bytes, but for one a and one c every number of C[a,:,c] has its own line
  const LoopSegment gemv = segments_of("ac-gemv", contraction).back();
  EXPECT_EQ(part_of(gemv, Operand::c).ranges[0], (IndexRange{gemv.outer[0], gemv.outer[0] + 1}));
}

TEST(Segments, TellNewLinesOfLoopsAroundApart) {
  // in 7 of 8 iterations of a, C[a,b,:] shares its lines with the previous iteration
  const Contraction contraction = make_contraction(parse_notation("abc=ai,ibc"), {{'a', 800}, {'b', 800}, {'c', 200}, {'i', 8}});
  double near = 0, far = 0;
  for (const LoopSegment& segment : segments_of("ab-gemv", contraction)) {
    ASSERT_EQ(segment.outer.size(), 1U);
    (part_of(segment, Operand::c).level == 3 ? far : near) += segment.count * static_cast<double>(segment.iterations);
  }
  EXPECT_NEAR(far / (near + far), 1.0 / 8, 1e-3);
}

TEST(Segments, KnowHowManyCallsAgo) {
  const LoopSegment gemm = segments_of("c-gemm", example(400)).back();
  EXPECT_EQ(part_of(gemm, Operand::c).calls_since, 400) << "the calls of a whole execution";
  EXPECT_EQ(part_of(gemm, Operand::a).calls_since, 1);
}

TEST(Lifetime, IsKnownOfCachesThatKeepMoreTheFasterOnePulls) {
  Environment environment = machine();
  EXPECT_FALSE(lifetime_in_last_cache(environment).is_known());
  CacheLevel& last = environment.caches.back();
  last.capacity_bytes = 60'000'000;
  last.capacity_low_bytes = 6'400'000;
  last.bandwidth = 30e9;
  last.latency_seconds = 40e-9;
  EXPECT_DOUBLE_EQ(lifetime_in_last_cache(environment).surely, 2e-3) << "time of the streams";
  EXPECT_DOUBLE_EQ(lifetime_in_last_cache(environment).at_most, 4e-3) << "time of a chain of 100,000 lines";
  last.serial_chase_bytes = 8'000'000;
  last.parallel_chase_bytes = 20'000'000;
  EXPECT_TRUE(lifetime_in_last_cache(environment).is_known()) << "several chains keep more data than one, which is slower";
  last.parallel_chase_bytes = 9'000'000;
  EXPECT_FALSE(lifetime_in_last_cache(environment).is_known())
      << "several chains keep no more data than one, so that the cache has a capacity";
  last.parallel_chase_bytes = 0;
  last.capacity_low_bytes = 40'000'000;
  EXPECT_FALSE(lifetime_in_last_cache(environment).is_known()) << "similar capacities: the cache has a capacity";
  last.capacity_low_bytes = 20'000'000;
  last.bandwidth = 300e9;
  EXPECT_FALSE(lifetime_in_last_cache(environment).is_known()) << "the capacities differ by a factor of 3, the times by 62";
}

TEST(CapacityForPlacing, LiesBetweenWhatChasesAndWhatStreamsSee) {
  Environment environment = machine();
  const std::size_t outermost = environment.caches.size() - 1;
  CacheLevel& last = environment.caches[outermost];
  last.capacity_bytes = 72'000'000;
  last.reported_bytes = 0;
  EXPECT_EQ(capacity_for_placing(environment, outermost), 72'000'000) << "only the capacity for streams is known";
  last.serial_chase_bytes = 16'000'000;
  last.parallel_chase_bytes = 18'000'000;
  EXPECT_EQ(capacity_for_placing(environment, outermost), 36'000'000);
  last.reported_bytes = 32'000'000;
  EXPECT_EQ(capacity_for_placing(environment, outermost), 24'000'000) << "the reported capacity limits that for streams";
  last.reported_bytes = 8'000'000;
  EXPECT_EQ(capacity_for_placing(environment, outermost), 18'000'000) << "the chases' capacity exists whatever is reported";
  last.parallel_chase_bytes = 40'000'000;
  EXPECT_EQ(capacity_for_placing(environment, outermost), 72'000'000) << "the cache has no capacity, but a lifetime";
  EXPECT_EQ(capacity_for_placing(environment, 0), environment.caches[0].capacity_bytes);
}

TEST(Segments, PartsInTwoCachesAreCutAcrossTheirLongestRange) {
  PlacedPart part;
  part.ranges = {{2, 4}, {10, 26}};
  part.level = 1;
  std::vector<PlacedPart> parts;
  add_in_two(parts, part, 2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].ranges[1], (IndexRange{10, 22}));
  EXPECT_EQ(parts[0].level, 1);
  EXPECT_EQ(parts[1].ranges[1], (IndexRange{22, 26}));
  EXPECT_EQ(parts[1].level, 2);
  EXPECT_EQ(parts[1].ranges[0], (IndexRange{2, 4}));
}

TEST(LineFootprint, CountsLinesNotNumbers) {
  const Contraction contraction = example(100);
  const auto lines = [&](Operand operand, const std::string& whole) {
    return line_footprint_bytes({operand, false, whole}, contraction, 64) / 64;
  };
  EXPECT_EQ(lines(Operand::c, ""), 1);
  EXPECT_EQ(lines(Operand::c, "a"), 13) << "100 numbers";
  EXPECT_EQ(lines(Operand::c, "b"), 100);
  EXPECT_EQ(lines(Operand::c, "bc"), 100 * 100);
  EXPECT_EQ(lines(Operand::c, "abc"), 1'000'000 / 8);
  EXPECT_EQ(lines(Operand::b, "b"), 100) << "the stride is eight numbers";
  EXPECT_EQ(lines(Operand::b, "ib"), 100);
}

}  // namespace
}  // namespace flopcast::contract
