#include "flopcast/path/aggregate.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace flopcast::path {
namespace {

TEST(Aggregate, FindsTheGridOfRanks) {
  EXPECT_EQ(Aggregate::of_ranks({2, 0, 1, 3})->dimensions(), (std::vector<Dimension>{{1, 4}}));
  EXPECT_EQ(Aggregate::of_ranks({5, 8, 11})->dimensions(), (std::vector<Dimension>{{3, 3}}));
  EXPECT_EQ(Aggregate::of_ranks({0, 1, 8, 9, 16, 17})->dimensions(), (std::vector<Dimension>{{1, 2}, {8, 3}}));
  EXPECT_TRUE(Aggregate::of_ranks({7})->dimensions().empty());
}

TEST(Aggregate, RefusesRanksThatAreNoGrid) {
  EXPECT_FALSE(Aggregate::of_ranks({0, 1, 3}));
  EXPECT_FALSE(Aggregate::of_ranks({0, 2, 3, 5}));  // its dimensions reach into each other
  EXPECT_FALSE(Aggregate::of_ranks({0, 1, 4, 6}));
}

TEST(Aggregate, RowsAndColumnsCoverAllProcesses) {
  const std::optional<Aggregate> row = Aggregate::of_ranks({3, 4, 5});
  const std::optional<Aggregate> column = Aggregate::of_ranks({1, 4, 7, 10});
  EXPECT_FALSE(row->covers(12));
  EXPECT_TRUE(Aggregate::combined(*row, *column)->covers(12));
  EXPECT_FALSE(Aggregate::combined(*row, *row));
  EXPECT_TRUE(Aggregate().covers(1));
}

/// Returns all sums of the dimensions' multiples.
std::multiset<int> offsets(const std::vector<Dimension>& dimensions) {
  std::multiset<int> all = {0};
  for (const Dimension& dimension : dimensions) {
    std::multiset<int> more;
    for (const int offset : all) {
      for (int i = 0; i < dimension.size; ++i) {
        more.insert(offset + i * dimension.stride);
      }
    }
    all = more;
  }
  return all;
}

TEST(Aggregate, RandomGridsAreTheSetsOfTheirRanks) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Dimension> dimensions(1 + random() % 3);
    for (Dimension& dimension : dimensions) {
      dimension = {static_cast<int>(1 + random() % 12), static_cast<int>(1 + random() % 4)};
    }
    const std::optional<Aggregate> grid = Aggregate::of_dimensions(dimensions);
    if (!grid) {
      continue;
    }
    const std::multiset<int> ranks = offsets(dimensions);
    EXPECT_EQ(std::set<int>(ranks.begin(), ranks.end()).size(), ranks.size()) << "a rank comes twice";
    EXPECT_EQ(offsets(grid->dimensions()), ranks);
    EXPECT_EQ(static_cast<std::size_t>(grid->processes()), ranks.size());
    EXPECT_EQ(Aggregate::of_ranks({ranks.begin(), ranks.end()}), grid);
    EXPECT_EQ(grid->covers(static_cast<int>(ranks.size())), *ranks.rbegin() + 1 == static_cast<int>(ranks.size()));
  }
}

TEST(StrideOf, IsTheDistanceOfAllRanksOrZero) {
  EXPECT_EQ(stride_of(std::vector{3}), 1);
  EXPECT_EQ(stride_of(std::vector{0, 4, 8}), 4);
  EXPECT_EQ(stride_of(std::vector{5, 3, 1}), -2);
  EXPECT_EQ(stride_of(std::vector{0, 4, 9}), 0);
}

}  // namespace
}  // namespace flopcast::path
