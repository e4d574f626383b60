#include "flopcast/contract/network/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/contract/network/network_cases.hpp"

namespace flopcast::contract {
namespace {

using testing::ElementsAre;

constexpr ActionKind step = ActionKind::step, begin_loop = ActionKind::begin, end_loop = ActionKind::end;

/// A chain of four matrices with labels a to e, numbered from 0, as ((AB)(CD)).
struct Chain {
  Network network = network_of("ab,bc,cd,de->ae", {}, 10);
  Terms terms = terms_of(completed(network));
  CountedCost cost;
  StepModel model{terms, cost};
  std::vector<Join> joins = {{0, 1}, {2, 3}, {4, 5}};
};

TEST(Schedules, MakeBothPartsBeforeTheirProduct) {
  const Chain chain;
  const JoinTree tree(chain.model, chain.joins);
  const Schedule schedule = make_schedule(tree, chain.model);
  EXPECT_THAT(schedule.actions, ElementsAre(ScheduleAction{step, 4}, ScheduleAction{step, 5}, ScheduleAction{step, 6}));
  EXPECT_THAT(schedule.executions, ElementsAre(0, 0, 0, 0, 1, 1, 1));
  // AB and CD have 100 elements of 16 bytes, and both exist when the output is made
  ASSERT_EQ(schedule.intermediates.size(), 2U);
  EXPECT_EQ(schedule.peak_bytes, 3200);
  EXPECT_EQ(schedule.peak, 1U);
  EXPECT_DOUBLE_EQ(schedule.seconds, 3 * (1000 + 0.1 * 300)) << "by CountedCost: products, and a tenth of three tensors";
}

TEST(Schedules, LoopsOverBlocksSurroundWhatHasTheLabel) {
  Chain chain;
  chain.model.set_block(1, 5);  // b in two blocks: AB is summed in a loop around its own step
  const JoinTree tree(chain.model, chain.joins);
  const Schedule schedule = make_schedule(tree, chain.model);
  EXPECT_THAT(schedule.actions, ElementsAre(ScheduleAction{begin_loop, 1}, ScheduleAction{step, 4}, ScheduleAction{end_loop, 1},
                                            ScheduleAction{step, 5}, ScheduleAction{step, 6}));
  EXPECT_THAT(schedule.executions, ElementsAre(0, 0, 0, 0, 2, 1, 1));
}

TEST(Schedules, ProductsWithoutTheLabelAreMadeBeforeTheLoop) {
  Chain chain;
  chain.model.set_block(0, 2);  // a in five blocks: AB and the output are made in the loop, CD isn't
  const JoinTree tree(chain.model, chain.joins);
  const Schedule schedule = make_schedule(tree, chain.model);
  EXPECT_THAT(schedule.actions, ElementsAre(ScheduleAction{step, 5}, ScheduleAction{begin_loop, 0}, ScheduleAction{step, 4},
                                            ScheduleAction{step, 6}, ScheduleAction{end_loop, 0}));
  EXPECT_THAT(schedule.executions, ElementsAre(0, 0, 0, 0, 5, 1, 5));
  EXPECT_EQ(schedule.peak_bytes, 1600 + 320) << "of AB there is a block of two rows";
}

TEST(Place, BuffersThatExistAtOnceLieApart) {
  std::vector<std::int64_t> offsets;
  // the second one is the largest and comes first; the third begins after it ended
  const std::vector<LifeTime> buffers = {{0, 0, 1, 100}, {1, 1, 2, 1000}, {2, 3, 4, 200}};
  EXPECT_EQ(place(buffers, offsets), 1024 + 128);
  EXPECT_THAT(offsets, ElementsAre(1024, 0, 0));
}

TEST(Place, NeverOverlapsAndKeepsToLines) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<LifeTime> buffers(1 + random() % 12);
    double largest_sum = 0;
    for (LifeTime& buffer : buffers) {
      buffer.begin = random() % 10;
      buffer.end = buffer.begin + random() % 5;
      buffer.bytes = 1 + static_cast<double>(random() % 1000);
    }
    for (std::size_t action = 0; action < 15; ++action) {
      double sum = 0;
      for (const LifeTime& buffer : buffers) {
        sum += buffer.begin <= action && action <= buffer.end ? buffer.bytes : 0;
      }
      largest_sum = std::max(largest_sum, sum);
    }
    std::vector<std::int64_t> offsets;
    const double bytes = place(buffers, offsets);
    EXPECT_GE(bytes, largest_sum);
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(offsets[a] % 64, 0);
      EXPECT_LE(static_cast<double>(offsets[a]) + buffers[a].bytes, bytes);
      for (std::size_t b = 0; b < a; ++b) {
        const bool at_once = buffers[a].begin <= buffers[b].end && buffers[b].begin <= buffers[a].end;
        const bool apart = static_cast<double>(offsets[a]) + buffers[a].bytes <= static_cast<double>(offsets[b]) ||
                           static_cast<double>(offsets[b]) + buffers[b].bytes <= static_cast<double>(offsets[a]);
        EXPECT_TRUE(apart || !at_once) << i;
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::contract
