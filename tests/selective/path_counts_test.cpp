#include "flopcast/selective/path_counts.hpp"

#include <gtest/gtest.h>

namespace flopcast::selective {
namespace {

TEST(PathCounts, MessagesCarryTheMostFrequentCounts) {
  PathCounts mine;
  for (int i = 0; i < 3; ++i) {
    mine.add(7);
  }
  mine.add(5);
  mine.add(6);
  mine.add(6);
  const KernelCounts sent = mine.most_frequent(2);
  EXPECT_EQ(sent, (KernelCounts{{7, 3}, {6, 2}}));

  PathCounts other;
  other.add(9);
  other.replace(sent);
  EXPECT_EQ(other.count(7), 3);
  EXPECT_EQ(other.count(5), 0);
  EXPECT_EQ(other.count(9), 0);
}

}  // namespace
}  // namespace flopcast::selective
