#include "flopcast/cli/shared/restless_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopcast::cli {
namespace {

TEST(RestlessLines, AreTheFirstOfTheNextResult) {
  RestlessLines lines;
  EXPECT_EQ(lines.take_before("| a table |\n"), "| a table |\n");
  lines.tell("the machine was restless: one");
  lines.tell("the machine was restless: two");
  EXPECT_EQ(lines.take_before("| a table |\n"), "the machine was restless: one\nthe machine was restless: two\n\n| a table |\n");
  EXPECT_EQ(lines.take_before("| a row |\n"), "| a row |\n");
}

TEST(RestlessLines, AreToldOnce) {
  RestlessLines lines;
  lines.tell("one");
  lines.tell("one");
  EXPECT_THAT(lines.take(), testing::ElementsAre("one"));
  lines.tell("one");
  lines.tell("two");
  EXPECT_THAT(lines.take(), testing::ElementsAre("two"));
}

}  // namespace
}  // namespace flopcast::cli
