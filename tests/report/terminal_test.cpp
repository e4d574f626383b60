#include "flopcast/report/terminal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace flopcast::report {
namespace {

using testing::ElementsAre;

/// Sets or removes COLUMNS for one test.
class Columns {
 public:
  explicit Columns(const char* value) {
    const char* before = std::getenv("COLUMNS");
    had_ = before != nullptr;
    before_ = had_ ? before : "";
    value == nullptr ? ::unsetenv("COLUMNS") : ::setenv("COLUMNS", value, 1);
  }
  ~Columns() { had_ ? ::setenv("COLUMNS", before_.c_str(), 1) : ::unsetenv("COLUMNS"); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

 private:
  bool had_ = false;
  std::string before_;
};

/// The two ends of a pseudo-terminal.
class Terminal {
 public:
  explicit Terminal(unsigned short width) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    end_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);  // NOLINT(concurrency-mt-unsafe): one thread
    winsize size{};
    size.ws_col = width;
    EXPECT_EQ(::ioctl(end_, TIOCSWINSZ, &size), 0);
  }
  ~Terminal() {
    ::close(end_);
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  [[nodiscard]] int descriptor() const { return end_; }

 private:
  int master_, end_ = -1;
};

TEST(TerminalWidth, IsThatOfTheTerminal) {
  const Columns none(nullptr);
  EXPECT_EQ(terminal_width(Terminal(80).descriptor()), 80U);
  EXPECT_EQ(terminal_width(Terminal(0).descriptor()), std::nullopt);
}

TEST(TerminalWidth, FilesHaveNone) {
  const Columns none(nullptr);
  const int file = ::open("/dev/null", O_WRONLY);
  EXPECT_EQ(terminal_width(file), std::nullopt);
  ::close(file);
}

TEST(TerminalWidth, AnExportedNumberDecides) {
  {
    const Columns forty("40");
    EXPECT_EQ(terminal_width(Terminal(80).descriptor()), 40U);
    EXPECT_EQ(terminal_width(-1), 40U);
  }
  for (const char* unusable : {"", "0", "-3", "wide", "80x", "99999999999999999999"}) {
    const Columns columns(unusable);
    EXPECT_EQ(terminal_width(-1), std::nullopt) << unusable;
  }
}

TEST(Folded, BreaksAtBlanks) {
  EXPECT_THAT(folded("a block size", 80), ElementsAre("a block size"));
  EXPECT_THAT(folded("a block size", 7), ElementsAre("a block", "size"));
  EXPECT_THAT(folded("", 3), ElementsAre(""));
}

TEST(Folded, KeepsNumbersWithTheirUnitsAndSigns) {
  EXPECT_THAT(folded("2.56 ms .. 2.93 ms", 10), ElementsAre("2.56 ms ..", "2.93 ms"));
  EXPECT_THAT(folded("1.50 ms - 3.2 ms", 9), ElementsAre("1.50 ms -", "3.2 ms"));
  EXPECT_THAT(folded("default nb / nx", 8), ElementsAre("default", "nb / nx"));
  EXPECT_THAT(folded("40 48 56", 5), ElementsAre("40 48", "56"));
  EXPECT_EQ(unbroken_width("2.56 ms .. 2.93 ms"), 10U);
  EXPECT_EQ(unbroken_width("measured default"), 8U);
}

TEST(Folded, CutsLongWordsBehindSignsAndBetweenCharacters) {
  EXPECT_THAT(folded("/usr/lib/x86_64", 10), ElementsAre("/usr/lib/", "x86_64"));
  EXPECT_THAT(folded("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(folded("µµµµ", 3), ElementsAre("µµµ", "µ"));
  EXPECT_THAT(folded("1234 GB/s", 5), ElementsAre("1234", "GB/s"));
  EXPECT_THAT(folded("\u6642\u9593", 1), ElementsAre("\u6642", "\u9593"));
}

TEST(Wrapped, LongLinesGoOnBelowTheirText) {
  EXPECT_EQ(wrapped("one two three\nfour\n", 8), "one two\nthree\nfour\n");
  EXPECT_EQ(wrapped("- one two three", 9), "- one two\n  three");
  EXPECT_EQ(wrapped("  one two three", 9), "  one two\n  three");
  EXPECT_EQ(wrapped("CPU   one two three four", 15), "CPU   one two\n      three\n      four");
}

TEST(Wrapped, RowsOfTablesAndLongWordsStayWhole) {
  EXPECT_EQ(wrapped("| one | two |\n", 5), "| one | two |\n");
  EXPECT_EQ(wrapped("see /usr/lib/flopcast for more", 8), "see\n/usr/lib/flopcast\nfor more");
  EXPECT_EQ(wrapped("", 5), "");
}

}  // namespace
}  // namespace flopcast::report
