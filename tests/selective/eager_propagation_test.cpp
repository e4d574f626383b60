#include "flopcast/selective/eager_propagation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace flopcast::selective {
namespace {

KernelKey key_number(std::uint32_t number) { return {KernelKind::computation, number, {}}; }

/// Processes on a grid, and the records that all have announced to each of them.
class Processes {
 public:
  Processes(int rows, int columns) : rows_(rows), columns_(columns), known_(static_cast<std::size_t>(rows * columns)) {
    for (int rank = 0; rank < rows * columns; ++rank) {
      each_.emplace_back(rank, rows * columns);
    }
  }

  EagerPropagation& operator[](int rank) { return each_[static_cast<std::size_t>(rank)]; }
  const std::map<std::uint32_t, KernelStatistics>& known(int rank) const { return known_[static_cast<std::size_t>(rank)]; }

  /// Performs a collective of a row, a column or all processes as the library does.
  void collective(const std::vector<int>& ranks) {
    const path::Aggregate channel = *path::Aggregate::of_ranks(ranks);
    const auto announcer =
        std::find_if(ranks.begin(), ranks.end(), [&](int rank) { return (*this)[rank].has_something_to_announce(channel); });
    if (announcer == ranks.end()) {
      return;
    }
    for (const EagerRecord& record : (*this)[*announcer].to_announce(channel, 2)) {
      for (const int rank : ranks) {
        if ((*this)[rank].receive_announcement(record.key.routine, record, channel)) {
          known_[static_cast<std::size_t>(rank)][record.key.routine] = record.times;
        }
      }
    }
  }
  std::vector<int> row(int i) const {
    std::vector<int> ranks;
    for (int j = 0; j < columns_; ++j) {
      ranks.push_back(i * columns_ + j);
    }
    return ranks;
  }
  std::vector<int> column(int j) const {
    std::vector<int> ranks;
    for (int i = 0; i < rows_; ++i) {
      ranks.push_back(i * columns_ + j);
    }
    return ranks;
  }
  void all_rows() {
    for (int i = 0; i < rows_; ++i) {
      collective(row(i));
    }
  }
  void all_columns() {
    for (int j = 0; j < columns_; ++j) {
      collective(column(j));
    }
  }

 private:
  int rows_, columns_;
  std::vector<EagerPropagation> each_;
  std::vector<std::map<std::uint32_t, KernelStatistics>> known_;
};

TEST(EagerPropagation, ARowAndThenColumnsReachEverybody) {
  Processes processes(2, 3);
  processes[4].offer(0, key_number(0), {3, 1.5, 0});
  processes.all_rows();
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_TRUE(processes.known(rank).empty()) << "a row is not all";
  }
  processes.all_columns();
  for (int rank = 0; rank < 6; ++rank) {
    ASSERT_EQ(processes.known(rank).count(0), 1U) << rank;
    EXPECT_EQ(processes.known(rank).at(0).mean, 1.5);
  }
}

TEST(EagerPropagation, ARepeatedChannelAddsNothing) {
  Processes processes(2, 3);
  processes[0].offer(0, key_number(0), {3, 1, 0});
  processes.all_rows();
  EXPECT_FALSE(processes[0].has_something_to_announce(*path::Aggregate::of_ranks(processes.row(0))));
  EXPECT_FALSE(processes[1].has_something_to_announce(*path::Aggregate::of_ranks(processes.row(0))));
  EXPECT_TRUE(processes[0].has_something_to_announce(*path::Aggregate::of_ranks(processes.column(0))));
}

TEST(EagerPropagation, AllProcessesAtOnce) {
  Processes processes(2, 3);
  processes[5].offer(0, key_number(0), {3, 1, 0});
  processes.collective({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(processes.known(0).count(0), 1U);
  EXPECT_EQ(processes.known(5).count(0), 1U);
}

/// The rows and columns of these programs communicate in turn. Whatever each process finds out by itself, in the end all use the same
/// times.
TEST(EagerPropagation, RandomOffersEndInAgreement) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const int rows = static_cast<int>(1 + random() % 4);
    const int columns = static_cast<int>(1 + random() % 4);
    Processes processes(rows, columns);
    for (int step = 0; step < 60; ++step) {
      for (int i = 0; i < 3 && step < 20; ++i) {
        const auto kernel = static_cast<std::uint32_t>(random() % 5);
        processes[static_cast<int>(random() % static_cast<unsigned>(rows * columns))].offer(
            kernel, key_number(kernel), {3, 1.0 + static_cast<double>(random() % 100), 0});
      }
      processes.all_rows();
      processes.all_columns();
    }
    EXPECT_GE(processes.known(0).size(), rows * columns > 1 ? 1U : 0U);
    for (int rank = 1; rank < rows * columns; ++rank) {
      EXPECT_EQ(processes.known(rank), processes.known(0)) << rows << 'x' << columns;
    }
  }
}

}  // namespace
}  // namespace flopcast::selective
