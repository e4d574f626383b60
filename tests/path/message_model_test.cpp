#include "flopcast/core/mpi_values.hpp"

#include <gtest/gtest.h>

namespace flopcast::path {
namespace {

constexpr MessageModel model = {1, 10};  // a second of latency, ten bytes a second

TEST(MessageModel, MessageIsLatencyPlusTransfer) { EXPECT_DOUBLE_EQ(model.seconds(Pattern::message, 100, 2), 11); }

TEST(MessageModel, CommunicationOfOneProcessTakesNoTime) {
  for (const Pattern pattern : {Pattern::barrier, Pattern::broadcast, Pattern::reduce, Pattern::allreduce, Pattern::gather,
                                Pattern::scatter, Pattern::allgather, Pattern::alltoall, Pattern::reduce_scatter, Pattern::scan}) {
    EXPECT_EQ(model.seconds(pattern, 1000, 1), 0) << static_cast<int>(pattern);
  }
}

TEST(MessageModel, BroadcastTakesTheBetterAlgorithm) {
  EXPECT_DOUBLE_EQ(model.seconds(Pattern::broadcast, 10, 4), 4);        // a tree: 2 rounds of 1 + 1
  EXPECT_DOUBLE_EQ(model.seconds(Pattern::broadcast, 10000, 4), 1505);  // scatter and allgather: 2 + 3 latencies, 2 x 3/4 of the data
}

TEST(MessageModel, AllgatherMovesTheDataOfOtherProcesses) { EXPECT_DOUBLE_EQ(model.seconds(Pattern::allgather, 400, 4), 2 + 30); }

TEST(MessageModel, BarrierHasLogarithmicRounds) { EXPECT_DOUBLE_EQ(model.seconds(Pattern::barrier, 0, 5), 3); }

}  // namespace
}  // namespace flopcast::path
