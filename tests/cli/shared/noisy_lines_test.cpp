#include "flopcast/cli/shared/noisy_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast::cli {
namespace {

TEST(NoisyLines, AreTheFirstOfTheNextResult) {
  NoisyLines lines;
  EXPECT_EQ(lines.take_before("| a table |\n"), "| a table |\n");
  lines.tell("the machine was noisy: one");
  lines.tell("the machine was noisy: two");
  EXPECT_EQ(lines.take_before("| a table |\n"), "the machine was noisy: one\nthe machine was noisy: two\n\n| a table |\n");
  EXPECT_EQ(lines.take_before("| a row |\n"), "| a row |\n");
}

TEST(NoisyLines, AreToldOnce) {
  NoisyLines lines;
  lines.tell("one");
  lines.tell("one");
  EXPECT_THAT(lines.take(), ::testing::ElementsAre("one"));
  lines.tell("one");
  lines.tell("two");
  EXPECT_THAT(lines.take(), ::testing::ElementsAre("two"));
}

}  // namespace
}  // namespace flopcast::cli
