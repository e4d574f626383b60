#include "flopcast/tasks/programs/thread_models.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/protocol/thread_table.hpp"
#include "flopcast/protocol/threaded_routines.hpp"

namespace flopcast {
namespace {

using ::testing::ElementsAre;

TEST(ThreadCounts, DoubleUpToTheLargest) {
  EXPECT_THAT(thread_counts(1), ElementsAre(1));
  EXPECT_THAT(thread_counts(2), ElementsAre(1, 2));
  EXPECT_THAT(thread_counts(6), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(thread_counts(8), ElementsAre(1, 2, 4, 8));
  EXPECT_LE(thread_counts(1000000).size(), protocol::max_thread_counts);
  EXPECT_EQ(thread_counts(1000000).back(), 1000000);
}

TEST(ThreadFlags, LeaveOutTrianglesAndConjugation) {
  EXPECT_THAT(thread_flags(kernel::require("dgemm")), ElementsAre("NN", "NT", "TN", "TT"));
  EXPECT_THAT(thread_flags(kernel::require("zherk")), ElementsAre("N", "T"));
  EXPECT_THAT(thread_flags(kernel::require("dtrsm")), ElementsAre("LN", "LT", "RN", "RT"));
  EXPECT_THAT(thread_flags(kernel::require("dpotrf")), ElementsAre(""));
}

TEST(ThreadedRoutines, AllHaveSamplesOfEachSet) {
  const std::vector<const Routine*> routines = protocol::threaded_routines(kernel::catalogue());
  EXPECT_LE(routines.size(), protocol::max_threaded_routines);
  for (const Routine* routine : routines) {
    EXPECT_LE(protocol::size_places(*routine).size(), protocol::max_thread_sizes) << routine->name;
    for (const std::string& flags : thread_flags(*routine)) {
      EXPECT_GE(thread_samples(*routine, flags).size(), 7U) << routine->name << flags;
    }
  }
}

/// The time that a call takes with some threads: starting each costs as much as 1e5 flops.
Seconds time_of(const Call& call, std::size_t place) {
  const double threads = std::exp2(static_cast<double>(place));
  return (flops(call) / threads + 1e5 * (threads - 1)) / 1e10;
}

/// The table's choices lose little against the best one, also between and beyond the sizes that it holds. Near a crossover between two
/// sizes of the table, the wrong side may be taken.
TEST(ThreadEntries, ChooseNearlyAsWellAsTheTimesThemselves) {
  const std::vector<int> counts = thread_counts(8);
  for (const char* name : {"dgemm", "strsm", "zpotrf", "dgesdd"}) {
    double losses = 0, calls = 0;
    const Routine& routine = kernel::require(name);
    const std::string flags = thread_flags(routine).back();
    std::string text = "1,2,4,8;0,0;" + thread_entry(routine, flags, counts.size(), time_of);
    const auto table = std::make_unique<protocol::ThreadTable>();
    ASSERT_TRUE(protocol::parse(text.data(), *table)) << text;
    const std::vector<std::size_t> places = protocol::size_places(routine);
    for (const std::int32_t size : {4, 10, 23, 50, 70, 100, 150, 330, 700, 1500, 3000}) {
      for (const std::int32_t last : {size, 40}) {
        std::vector<std::int32_t> sizes(protocol::max_thread_sizes, size);
        sizes[places.size() - 1] = last;
        Call call = thread_samples(routine, flags).front();
        for (std::size_t i = 0; i < places.size(); ++i) {
          call.arguments[places[i]] = sizes[i];
        }
        std::vector<Seconds> times;
        for (std::size_t c = 0; c < counts.size(); ++c) {
          times.push_back(time_of(call, c));
        }
        const std::int32_t chosen = protocol::best_choice(*table, table->routines[0], sizes.data(), 8).threads;
        const auto place = static_cast<std::size_t>(std::find(counts.begin(), counts.end(), chosen) - counts.begin());
        const double loss = times[place] / *std::min_element(times.begin(), times.end()) - 1;
        EXPECT_LE(loss, 0.2) << name << ' ' << size << ' ' << last << ' ' << chosen;
        losses += loss;
        ++calls;
      }
    }
    EXPECT_LE(losses / calls, 0.01) << name;
  }
}

/// Returns the place of the other choice for a square call, from 0; -1 for the program's own library.
std::ptrdiff_t other_place(const Routine& routine, std::int32_t size, const ThreadSeconds& seconds, std::size_t others) {
  std::string text = "1,2;0,0,/a,1,2,/b,1;" + thread_entry(routine, thread_flags(routine).front(), 2, seconds, others);
  const auto table = std::make_unique<protocol::ThreadTable>();
  EXPECT_TRUE(protocol::parse(text.data(), *table)) << text;
  const std::int32_t sizes[protocol::max_thread_sizes] = {size, size, size};
  const protocol::OtherChoice* other = protocol::best_choice(*table, table->routines[0], sizes, 2).other;
  return other != nullptr ? other - table->others : -1;
}

/// Returns times of two numbers of threads of the own library, then those of the others: `factors` times the own library's best.
ThreadSeconds others_with(const std::vector<double>& factors) {
  return [factors](const Call& call, std::size_t place) {
    const Seconds best = std::min(time_of(call, 0), time_of(call, 1));
    return place < 2 ? time_of(call, place) : factors[place - 2] * best;
  };
}

TEST(OtherLibraries, AreChosenWhereTheyGainFivePercent) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const char* name : {"dgemm", "strsm", "zpotrf"}) {
    const Routine& routine = kernel::require(name);
    for (const std::int32_t size : {4, 16, 50, 1000, 9000}) {
      EXPECT_EQ(other_place(routine, size, others_with({0.97, 1.5, 0.96}), 3), -1) << name << size;
      EXPECT_EQ(other_place(routine, size, others_with({0.9, 1.5, 0.8}), 3), 2) << name << size;
      EXPECT_EQ(other_place(routine, size, others_with({infinity, 0.01, 0.8}), 3), 1) << name << size;
      EXPECT_EQ(other_place(routine, size, others_with({infinity, infinity, infinity}), 3), -1) << name << size;
    }
  }
}

TEST(OtherLibraries, AreChosenBySize) {
  const Routine& routine = kernel::require("dgemm");
  const ThreadSeconds seconds = [](const Call& call, std::size_t place) {  // the other library is quick for small calls only
    return place < 2 ? time_of(call, place) : flops(call) < 1e6 ? time_of(call, 0) / 2 : 2 * time_of(call, 0);
  };
  EXPECT_EQ(other_place(routine, 20, seconds, 1), 0);
  EXPECT_EQ(other_place(routine, 500, seconds, 1), -1);
}

TEST(OtherLibraries, HaveNoPartInEntriesWhereTheyAreNeverBetter) {
  const Routine& routine = kernel::require("dgemm");
  EXPECT_EQ(thread_entry(routine, "NN", 2, others_with({1, 2}), 2), thread_entry(routine, "NN", 2, time_of));
  EXPECT_NE(thread_entry(routine, "NN", 2, others_with({0.5, 2}), 2), thread_entry(routine, "NN", 2, time_of));
}

/// The number of threads of the program's own library stays known, because the program may make calls that no other library may compute.
TEST(OtherLibraries, LeaveTheOwnNumberOfThreadsVisible) {
  const Routine& routine = kernel::require("dgemm");
  std::string text = "1,2;0,0,/a,1;" + thread_entry(routine, "NN", 2, others_with({0.01}), 1);
  const auto table = std::make_unique<protocol::ThreadTable>();
  ASSERT_TRUE(protocol::parse(text.data(), *table));
  for (const std::int32_t size : {8, 512}) {
    const std::int32_t sizes[protocol::max_thread_sizes] = {size, size, size};
    EXPECT_EQ(protocol::best_choice(*table, table->routines[0], sizes, 2).threads, size == 8 ? 1 : 2);
  }
}

/// Linux limits an environment variable to 128 KiB.
TEST(OtherLibraries, FitIntoAnEnvironmentVariable) {
  constexpr std::size_t limit = 128 * 1024 - 1024;  // with room for the files of libraries
  const ThreadSeconds seconds = [](const Call&, std::size_t place) { return 1.0 / static_cast<double>(1 + place); };
  struct Case {
    int cores;
    bool has_others;
  };
  for (const auto& [cores, has_others] : {Case{2, true}, {32, true}, {64, false}, {64, true}, {128, false}, {256, true}}) {
    const std::size_t counts = thread_counts(cores).size(), others = has_others ? counts : 0;
    std::size_t bytes = 0;
    for (const Routine* routine : protocol::threaded_routines(kernel::catalogue())) {
      for (const std::string& flags : thread_flags(*routine)) {
        bytes += 1 + thread_entry(*routine, flags, counts, seconds, routine->index("lwork") < 0 ? others : 0).size();
      }
    }
    EXPECT_LE(bytes, limit) << cores << has_others;
  }
}

}  // namespace
}  // namespace flopcast
