#include "flopcast/tasks/programs/thread_models.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
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
        const std::int32_t chosen = protocol::best_threads(*table, table->routines[0], sizes.data(), 8);
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

}  // namespace
}  // namespace flopcast
