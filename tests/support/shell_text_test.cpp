#include "flopcast/support/shell_text.hpp"

#include <gtest/gtest.h>

namespace flopcast {
namespace {

TEST(ShellText, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_text({"./solve", "-n=3", "big case", "", "it's", "$HOME"}), "./solve -n=3 'big case' '' 'it'\\''s' '$HOME'");
  EXPECT_EQ(shell_text({}), "");
}

TEST(ShellText, ShellsHaveTheirOwnMarks) { EXPECT_EQ(shell_quoted("it's", "\\'"), "'it\\'s'"); }

}  // namespace
}  // namespace flopcast
