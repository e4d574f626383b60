#include "flopcast/measure/precondition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using What = Action::What;
using State = Precondition::State;

constexpr std::int64_t kibibyte = 1024;

/// Returns a machine with caches of 32 KiB, 1 MiB and 32 MiB.
Environment machine() {
  Environment environment;
  environment.peak_flops = 50e9;
  environment.memory_bandwidth = 10e9;
  for (const auto& [name, bytes] :
       {std::pair{"L1", 32 * kibibyte}, std::pair{"L2", 1024 * kibibyte}, std::pair{"L3", 32 * 1024 * kibibyte}}) {
    CacheLevel level;
    level.name = name;
    level.capacity_bytes = bytes;
    level.associativity = 8;
    level.bandwidth = 100e9;
    environment.caches.push_back(level);
  }
  return environment;
}

Call gemm(const std::string& m, const std::string& n, const std::string& k) {
  return kernel::parse_call(kernel::require("dgemm"), {{"m", m}, {"n", n}, {"k", k}});
}

/// Returns actions as words such as `fill flush:A read:B evict:1`; operands are named by their virtual bases.
std::vector<std::string> in_words(const std::vector<Action>& actions) {
  static const std::vector<std::string> names = {"fill", "flush", "flush_all", "read", "write", "evict", "execute"};
  std::vector<std::string> words;
  for (const Action& action : actions) {
    std::string word = names.at(static_cast<std::size_t>(action.what));
    if (!action.region.empty()) {
      word += std::string(":") + "ABCDEF"[(action.region.address >> 40U) - 1];
    }
    words.push_back(action.what == What::evict ? word + ":" + std::to_string(action.level) : word);
  }
  return words;
}

std::vector<std::string> setup_of(const std::string& precondition, const Call& call) {
  return in_words(experiment(call, parse_precondition(precondition, call, machine()), machine()).setup);
}

std::string message_of(const std::string& precondition) {
  try {
    const Call call = gemm("100", "100", "100");
    (void)parse_precondition(precondition, call, machine());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Precondition, WarmExecutesTheCallItself) {
  const Call call = gemm("300", "300", "300");
  EXPECT_THAT(setup_of("warm", call), ElementsAre("fill", "execute"));
  const Experiment warm = experiment(call, {}, machine());
  EXPECT_EQ(warm.setup[1].call, with_addresses(call));
  EXPECT_EQ(warm.timed, std::vector{with_addresses(call)});
  EXPECT_EQ(warm.batch, 1);
}

/// dgeev takes a quarter of the time for the Schur form that it leaves.
TEST(Precondition, WarmFillsDecidingOperandsAnew) {
  const Call eigenvalues = kernel::parse_call(kernel::require("dgeev"), {{"n", "100"}, {"jobvl", "N"}, {"jobvr", "N"}});
  EXPECT_THAT(setup_of("warm", eigenvalues), ElementsAre("fill", "execute", "fill"));
  const Call norm = kernel::parse_call(kernel::require("dlange"), {{"norm", "1"}, {"m", "100"}, {"n", "100"}});
  EXPECT_THAT(setup_of("warm", norm), ElementsAre("fill", "execute"));
}

TEST(Precondition, ColdFlushesByLineOrBySweep) {
  const Call call = gemm("300", "300", "300");
  EXPECT_THAT(setup_of("cold", call), ElementsAre("fill", "flush:A", "flush:B", "flush:C"));
  EXPECT_THAT(setup_of("cold:line", call), ElementsAre("fill", "flush:A", "flush:B", "flush:C"));
  EXPECT_THAT(setup_of("cold:sweep", call), ElementsAre("fill", "flush_all"));
}

TEST(Precondition, FreshMemoryIsMoreThanCachesHold) {
  const Call call = gemm("1000", "1000", "1000");  // 24 MB per copy; 8 x 32 MiB must be exceeded
  const Precondition fresh = parse_precondition("cold:fresh", call, machine());
  const Experiment large = experiment(call, fresh, machine());
  EXPECT_TRUE(large.separate);
  EXPECT_EQ(large.batch, 12);  // 11.2 copies, rounded up
  EXPECT_THAT(in_words(large.setup), ElementsAre("fill"));
  const Experiment tiny = experiment(gemm("4", "4", "4"), fresh, machine());
  EXPECT_EQ(tiny.batch, 1024);
  EXPECT_THAT(in_words(tiny.setup), ElementsAre("fill", "flush_all"));
  EXPECT_THAT(in_words(experiment(call, fresh, machine(), 1).setup), ElementsAre("fill", "flush_all"));
}

TEST(Precondition, PlacesFromTheOutermostCacheInwards) {
  const Call call = gemm("40", "40", "40");
  EXPECT_THAT(setup_of("A=L1,B=memory,C=L3:dirty", call), ElementsAre("fill", "flush:B", "write:C", "evict:1", "read:A"));
  EXPECT_THAT(setup_of("A=L2,B=L3,C=L2", call), ElementsAre("fill", "read:B", "evict:1", "read:A", "read:C", "evict:0"));
}

TEST(Precondition, PutsAllOperandsIntoOneCacheOrTheNextThatHoldsThem) {
  EXPECT_THAT(setup_of("L2", gemm("32", "32", "32")), ElementsAre("fill", "read:A", "read:B", "read:C", "evict:0"));
  const Precondition level = parse_precondition("l2", gemm("32", "32", "32"), machine());
  EXPECT_EQ(cache_name(level), "L2");
  const std::vector<std::string> large = in_words(experiment(gemm("1000", "32", "1000"), level, machine()).setup);
  EXPECT_THAT(large, ElementsAre("fill", "read:A", "evict:1", "read:B", "read:C", "evict:0")) << "the 8 MB of A fit only into L3";
}

TEST(Precondition, TouchesTheLongestUntouchedOfALevelFirst) {
  const Call call = gemm("40", "40", "40");
  Precondition precondition;
  precondition.state = State::placed;
  precondition.placement = {{300000, 1, false}, {400000, 1, false}, {350000, 1, true}};
  EXPECT_THAT(in_words(experiment(call, precondition, machine()).setup), ElementsAre("fill", "read:B", "write:C", "read:A", "evict:0"));
  precondition.placement = {{300000, 1, false}};
  EXPECT_THROW((void)experiment(call, precondition, machine()), Error);
}

TEST(Precondition, PutsUnnamedOperandsWhereTheyFit) {
  const Call call = gemm("40", "40", "400");  // A and B of 125 KiB, C of 12.5 KiB
  const Precondition precondition = parse_precondition("a=L3", call, machine());
  ASSERT_EQ(precondition.placement.size(), 3);
  EXPECT_EQ(precondition.placement[0].level, 2);
  EXPECT_EQ(precondition.placement[1].level, 1);
  EXPECT_EQ(precondition.placement[2].level, 0);
}

TEST(Precondition, ReplaysAListOfAccesses) {
  const Call call = gemm("40", "40", "40");
  EXPECT_THAT(setup_of("replay:C:dirty,64KiB,A,1KiB,B", call), ElementsAre("fill", "write:C", "read:D", "read:A", "read:D", "read:B"));
  const Experiment replayed = experiment(call, parse_precondition("replay:64KiB,A,1KiB", call, machine()), machine());
  EXPECT_EQ(replayed.memory.back().bytes, 65 * kibibyte);
  EXPECT_EQ(replayed.batch, 1);
}

TEST(Precondition, ErrorsNameTheExpectedForm) {
  EXPECT_THAT(message_of("hot"), HasSubstr("'hot' is not one of warm, cold"));
  EXPECT_THAT(message_of(""), HasSubstr("not one of"));
  EXPECT_THAT(message_of("D=L2"), HasSubstr("operands of dgemm are A, B, C"));
  EXPECT_THAT(message_of("A=L9"), HasSubstr("levels are L1, L2, L3, memory"));
  EXPECT_THAT(message_of("A=L1"), HasSubstr("doesn't fit into L1"));
  EXPECT_THAT(message_of("A=L2,,B=L2"), HasSubstr("'' is not OPERAND=LEVEL"));
  EXPECT_THAT(message_of("replay:Q"), HasSubstr("'Q' is neither an operand"));
  EXPECT_THAT(message_of("replay:"), HasSubstr("neither an operand"));
  EXPECT_THAT(message_of("replay:64XB"), HasSubstr("64XB"));
}

TEST(Batch, RepeatsWarmAndUnchangedOperands) {
  const Call call = kernel::parse_call(kernel::require("ddot"), {{"n", "10"}});
  const Experiment dot = experiment(call, {}, machine());
  EXPECT_GT(dot.batch, 100);
  EXPECT_FALSE(dot.separate);
  EXPECT_EQ(experiment(call, {}, machine(), 7).batch, 7);
}

TEST(Batch, OfUpdatesTakesCopiesThatStayInTheSameCache) {
  const Call call = gemm("8", "8", "8");  // 1.5 KiB; ten copies fill half of L1
  const Experiment warm = experiment(call, {}, machine());
  EXPECT_TRUE(warm.separate);
  EXPECT_EQ(warm.batch, 10);
  const Experiment large = experiment(gemm("40", "40", "2"), {}, machine());  // 14 KiB
  EXPECT_EQ(large.batch, 1);
  EXPECT_FALSE(large.separate);
}

TEST(Batch, OfPlacedOperandsLeavesEachInItsLevel) {
  const Call call = gemm("8", "8", "8");
  const Experiment placed = experiment(call, parse_precondition("A=L1,B=L2,C=memory", call, machine()), machine());
  EXPECT_TRUE(placed.separate);
  EXPECT_EQ(placed.batch, 32);  // copies of A, of 512 B each, in half of L1
}

TEST(Batch, OfColdCallsIsBounded) {
  const Call call = kernel::parse_call(kernel::require("ddot"), {{"n", "1"}});
  EXPECT_EQ(experiment(call, parse_precondition("cold", call, machine()), machine()).batch, 256);
}

TEST(Batch, WorksWithoutMeasuredCaches) {
  const Call call = gemm("8", "8", "8");
  EXPECT_EQ(experiment(call, {}, {}).batch, 1);
  EXPECT_GT(experiment(call, parse_precondition("cold", call, {}), {}).batch, 1);
  EXPECT_THROW((void)parse_precondition("A=L1", call, {}), Error);
}

}  // namespace
}  // namespace flopcast::measure
