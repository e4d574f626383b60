#include "flopcast/protocol/thread_table.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace flopcast::protocol {
namespace {

class ThreadTables : public testing::Test {
 protected:
  bool read(const std::string& text) {
    text_ = text;
    return parse(text_.data(), *table_);
  }
  std::int32_t best(std::vector<std::int32_t> sizes, std::int32_t most = 64, std::size_t entry = 0) {
    sizes.resize(max_thread_sizes);
    return best_choice(*table_, table_->routines[entry], sizes.data(), most).threads;
  }

  std::string text_;
  std::unique_ptr<ThreadTable> table_ = std::make_unique<ThreadTable>();
};

TEST_F(ThreadTables, ReadsRoutines) {
  ASSERT_TRUE(read("1,4,6;12,999999999;dgemm,NT,222,012012012012012012012012;dpotrf,,3,012210_-z"));

  ASSERT_EQ(table_->counts, 3U);
  EXPECT_THAT(table_->threads, testing::Contains(6));
  EXPECT_EQ(table_->folders[0], 12);
  EXPECT_EQ(table_->folders[1], 999999999);
  ASSERT_EQ(table_->count, 2U);
  EXPECT_EQ(table_->routines[0].name, "dgemm");
  EXPECT_EQ(table_->routines[0].flags, packed_flags("NT"));
  EXPECT_EQ(table_->routines[1].flags, 0U);
  EXPECT_EQ(table_->routines[1].nodes[0], 3);
  EXPECT_EQ(table_->routines[1].steps[6], 63);
}

TEST_F(ThreadTables, RefusesEverythingElse) {
  const std::string good = "1,2;3,4;dpotrf,,2,0110";
  ASSERT_TRUE(read(good));
  for (const char* bad :
       {"", "1", "1;", "0,2;3,4", "2,1;3,4", "1,1;3,4", "1,x;3,4", "1,2;3", "1,2;3,1000000000", "1,2;3,4;", "1,2;3,4;dpotrf,,2,011",
        "1,2;3,4;dpotrf,,2,01101", "1,2;3,4;dpotrf,,2,01!0", "1,2;3,4;dpotrf,,1,01", "1,2;3,4;dpotrf,,,", "1,2;3,4;,,2,0110",
        "1,2;3,4;dgemm,NN,2222,0", "1,2;3,4;dpotrf,,2,0110;", "1,2,3,4,5,6,7,8,9,10,11,12,13;3,4"}) {
    EXPECT_FALSE(read(bad)) << bad;
    EXPECT_EQ(table_->count, 0U) << bad;
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string begin = good.substr(0, length);
    EXPECT_EQ(read(begin), begin == "1,2;3,4") << begin;
  }
}

TEST_F(ThreadTables, TakesTheLeastTimeAndAmongEqualsTheLeastThreads) {
  ASSERT_TRUE(read("1,2,8;0,0;dpotrf,,3,0AZA0AZA0"));
  EXPECT_EQ(best({1}), 1);
  EXPECT_EQ(best({8}), 1);
  EXPECT_EQ(best({11}), 1);
  EXPECT_EQ(best({12}), 2) << "beyond the geometric mean of 8 and 16";
  EXPECT_EQ(best({32}), 8);
  EXPECT_EQ(best({INT32_MAX}), 8);
  EXPECT_EQ(best({-1}), 1);
  EXPECT_EQ(best({32}, 7), 2);
  EXPECT_EQ(best({32}, 1), 1);
  EXPECT_EQ(best({32}, 0), 1);
}

/// Three other choices: a library with 1 and 4 threads, and one with 2.
TEST_F(ThreadTables, ReadsOtherLibraries) {
  ASSERT_TRUE(read("1,4;7,8,/lib/a b.so,1,4,/lib/c.so,2;dpotrf,,3,0A0A0A,z00210;dsyrk,N,22,00000000"));

  ASSERT_EQ(table_->library_count, 2U);
  EXPECT_EQ(table_->libraries[0], "/lib/a b.so");
  EXPECT_EQ(table_->libraries[1], "/lib/c.so");
  ASSERT_EQ(table_->other_count, 3U);
  EXPECT_EQ(table_->others[1].library, 0U);
  EXPECT_EQ(table_->others[1].threads, 4);
  EXPECT_EQ(table_->others[2].library, 1U);
  EXPECT_EQ(table_->others[2].threads, 2);
  ASSERT_EQ(table_->count, 2U);
  EXPECT_EQ(table_->routines[0].others[0], 61);
  EXPECT_EQ(table_->routines[0].others[3], 2);
  EXPECT_EQ(table_->routines[1].others, nullptr);
}

TEST_F(ThreadTables, RefusesOtherLibrariesThatItLacks) {
  ASSERT_TRUE(read("1;7,8,/a,1;dpotrf,,2,00,0000"));
  for (const char* bad :
       {"1;7,8,/a,1;dpotrf,,2,00,0001", "1;7,8;dpotrf,,2,00,0000", "1;7,8,/a,1;dpotrf,,2,00,000", "1;7,8,/a,1;dpotrf,,2,00,",
        "1;7,8,/a,1;dpotrf,,2,00,0000,", "1;7,8,/a;dpotrf,,2,00", "1;7,8,/a,;dpotrf,,2,00", "1;7,8,/a,0;dpotrf,,2,00",
        "1;7,8,a,1;dpotrf,,2,00", "1;7,8,1;dpotrf,,2,00", "1;7,8,/a,1,/b", "1;7,8,/1,1,/2,1,/3,1,/4,1,/5,1,/6,1,/7,1,/8,1,/9,1"}) {
    EXPECT_FALSE(read(bad)) << bad;
    EXPECT_EQ(table_->count, 0U) << bad;
  }
}

/// At size 16 the other library's times are 10 steps below the own ones, at 8 as many above, and equal at 32. The nearest size decides about
/// the number of threads.
TEST_F(ThreadTables, TakesAnotherLibraryWhereItsTimeIsLess) {
  ASSERT_TRUE(read("1,2;7,8,/a,1,2;dpotrf,,3,0AAK5A,A00051"));
  const auto other_threads = [this](std::int32_t size, std::int32_t most) {
    const std::int32_t sizes[max_thread_sizes] = {size, 0, 0};
    const OtherChoice* other = best_choice(*table_, table_->routines[0], sizes, most).other;
    return other != nullptr ? other->threads : 0;
  };
  EXPECT_EQ(other_threads(8, 2), 0);
  EXPECT_EQ(other_threads(10, 2), 0);
  EXPECT_EQ(other_threads(14, 2), 1);
  EXPECT_EQ(other_threads(16, 2), 1);
  EXPECT_EQ(other_threads(16, 1), 1);
  EXPECT_EQ(other_threads(24, 2), 2);
  EXPECT_EQ(other_threads(24, 1), 0) << "two threads are too many";
  EXPECT_EQ(other_threads(32, 2), 0) << "equal times";
}

/// Interpolates the steps of each count over all corners of the cell, in real numbers.
std::vector<double> naive_steps(const std::vector<std::size_t>& nodes, const std::string& steps, std::size_t counts,
                                const std::vector<std::int32_t>& sizes) {
  std::vector<double> sums(counts, 0.0);
  for (std::size_t corner = 0; corner < std::size_t{1} << nodes.size(); ++corner) {
    double weight = 1;
    std::size_t at = 0;
    for (std::size_t d = 0; d < nodes.size(); ++d) {
      const double largest = std::exp2(smallest_exponent + static_cast<double>(nodes[d]) - 1);
      const double size = std::clamp(static_cast<double>(sizes[d]), 8.0, largest);
      const double below = std::min(std::floor(std::log2(size)), std::log2(largest) - 1);
      const double share = std::log2(size) - below;
      const std::size_t upper = corner >> d & 1U;
      weight *= upper == 1 ? share : 1 - share;
      at = at * nodes[d] + static_cast<std::size_t>(below) - smallest_exponent + upper;
    }
    for (std::size_t c = 0; c < counts; ++c) {
      sums[c] += weight * static_cast<double>(step_letters.find(steps[at * counts + c]));
    }
  }
  return sums;
}

TEST_F(ThreadTables, InterpolatesAsANaiveTableDoes) {
  std::mt19937 random(1);
  const auto below = [&random](std::size_t count) { return random() % count; };
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t counts = 1 + below(4);
    std::vector<std::size_t> nodes(1 + below(3));
    std::string text = "1", shape, steps;
    for (std::size_t c = 1; c < counts; ++c) {
      text += ',' + std::to_string(1U << c);
    }
    std::size_t all = counts;
    for (std::size_t& count : nodes) {
      count = 2 + below(5);
      shape += step_letters[count];
      all *= count;
    }
    for (std::size_t i = 0; i < all; ++i) {
      steps += step_letters[below(step_letters.size())];
    }
    ASSERT_TRUE(read(text + ";0,0;dgemm,NN," + shape + ',' + steps));
    for (int call = 0; call < 20; ++call) {
      std::vector<std::int32_t> sizes;
      for (std::size_t d = 0; d < nodes.size(); ++d) {
        sizes.push_back(static_cast<std::int32_t>(below(600)));
      }
      const std::vector<double> expected = naive_steps(nodes, steps, counts, sizes);
      const std::int32_t chosen = best(sizes);
      const double rounding = 3.5;  // shares are right within 0.018, in three dimensions of up to 63 steps
      EXPECT_LE(expected[static_cast<std::size_t>(std::log2(chosen))], *std::min_element(expected.begin(), expected.end()) + rounding);
    }
  }
}

TEST(FolderNumbers, AreThoseOfFnv1a) {
  EXPECT_EQ(folder_number(""), 0xcbf29ce484222325U % 1000000000);
  EXPECT_EQ(folder_number("a"), 0xaf63dc4c8601ec8cU % 1000000000);
}

}  // namespace
}  // namespace flopcast::protocol
