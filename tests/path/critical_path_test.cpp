#include "flopcast/path/critical_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace flopcast::path {
namespace {

Costs work(Seconds seconds) { return {.time = seconds, .computation = seconds}; }

TEST(CriticalPath, FollowsTheLongerOfTwoPaths) {
  CriticalPath first(0);
  CriticalPath second(1);
  first.add(work(3));
  second.add(work(1));
  second.follow(first.mark());
  second.add(work(2));
  first.follow(second.mark());
  EXPECT_DOUBLE_EQ(first.mark().along.time, 5);
  EXPECT_DOUBLE_EQ(second.own().time, 3);
}

TEST(CriticalPath, KeepsItsOwnPathIfThatIsLonger) {
  CriticalPath first(0);
  CriticalPath second(1);
  first.add(work(1));
  second.add(work(2));
  second.follow(first.mark());
  EXPECT_DOUBLE_EQ(second.mark().along.time, 2);
  EXPECT_EQ(second.log().position(), 0U);
}

TEST(CriticalPath, EachMetricHasItsOwnLongestPath) {
  CriticalPath first(0);
  CriticalPath second(1);
  first.add({.time = 5, .computation = 5, .words = 1});
  second.add({.time = 2, .communication = 2, .words = 100});
  second.follow(first.mark());
  EXPECT_DOUBLE_EQ(second.mark().along.words, 1);
  EXPECT_DOUBLE_EQ(second.mark().longest.words, 100);
  EXPECT_DOUBLE_EQ(second.mark().longest.time, 5);
}

TEST(CriticalPath, WaitingIsNotOnThePath) {
  CriticalPath path(0);
  path.wait(4);
  EXPECT_DOUBLE_EQ(path.own().idle, 4);
  EXPECT_DOUBLE_EQ(path.mark().along.time, 0);
}

TEST(CriticalPath, EquallyLongPathsGoToTheLowerRankWhateverTheOrder) {
  const PathMark low{work(1), work(1), {2, 0}};
  const PathMark high{work(1), work(1), {5, 0}};
  EXPECT_EQ(longer(low, high).place.rank, 2);
  EXPECT_EQ(longer(high, low).place.rank, 2);
}

TEST(EventLog, ReportsThatItIsFull) {
  EventLog log(1);
  log.add_kernel(7, 1);
  EXPECT_TRUE(log.complete());
  log.add_kernel(8, 1);
  EXPECT_FALSE(log.complete());
}

TEST(EventLog, NamesComputationThatIsOnThePath) {
  CriticalPath first(0);
  CriticalPath second(1);
  first.compute(3);
  first.name_part();
  first.compute(0.5);
  first.name_execution(7);
  second.compute(1);  // not on the longer path
  second.follow(first.mark(), 8);
  second.compute(2);
  second.name_part();
  std::vector<std::pair<std::uint32_t, Seconds>> steps;
  const auto visit = [&steps](const EventLog::Step& step) { steps.emplace_back(step.kernel, step.seconds); };
  const std::optional<EventLog::Jump> jump = second.log().walk(second.log().position(), visit);
  ASSERT_TRUE(jump.has_value());
  EXPECT_EQ(jump->place.rank, 0);
  EXPECT_EQ(jump->time, 8);
  EXPECT_FALSE(first.log().walk(jump->place.position, visit).has_value());
  using Step = std::pair<std::uint32_t, Seconds>;
  EXPECT_THAT(steps, testing::ElementsAre(Step(EventLog::own_code, 2), Step(7, 0.5), Step(EventLog::own_code, 3)));
}

/// A program's graph with all edges. Its longest path is found by trying all paths backwards.
class Graph {
 public:
  std::size_t add(double seconds, std::uint32_t kernel, std::vector<std::size_t> before) {
    nodes_.push_back({seconds, kernel, std::move(before)});
    return nodes_.size() - 1;
  }
  double longest(std::size_t node) const {
    double best = 0;
    for (const std::size_t before : nodes_[node].before) {
      best = std::max(best, longest(before));
    }
    return best + nodes_[node].seconds;
  }
  std::map<std::uint32_t, int> kernels_along(std::size_t node) const {
    std::map<std::uint32_t, int> counts;
    for (std::optional<std::size_t> at = node; at;) {
      ++counts[nodes_[*at].kernel];
      std::optional<std::size_t> next;
      for (const std::size_t before : nodes_[*at].before) {
        if (!next || longest(before) > longest(*next)) {
          next = before;
        }
      }
      at = next;
    }
    return counts;
  }

 private:
  struct Node {
    double seconds;
    std::uint32_t kernel;
    std::vector<std::size_t> before;
  };
  std::vector<Node> nodes_;
};

TEST(CriticalPath, AgreesWithBruteForceOnRandomPrograms) {
  std::mt19937 random(1);
  for (int program = 0; program < 200; ++program) {
    constexpr int ranks = 3;
    Graph graph;
    std::vector<CriticalPath> paths;
    std::vector<std::size_t> last;
    for (int rank = 0; rank < ranks; ++rank) {
      paths.emplace_back(rank);
      paths.back().add(work(1));
      paths.back().add_kernel(0, 1);
      last.push_back(graph.add(1, 0, {}));
    }
    for (int event = 0; event < 12; ++event) {
      const std::size_t to = random() % ranks;
      const std::size_t from = random() % ranks;
      const double seconds = 1 + static_cast<double>(random() % 1048576) / 1048576;  // exact in a float, and no two paths are equally long
      const std::uint32_t kernel = static_cast<std::uint32_t>(1 + random() % 3);
      std::vector<std::size_t> before = {last[to]};
      if (from != to) {
        paths[to].follow(paths[from].mark());
        before.push_back(last[from]);
      }
      paths[to].add(work(seconds));
      paths[to].add_kernel(kernel, seconds);
      last[to] = graph.add(seconds, kernel, before);
    }
    PathMark end = paths[0].mark();
    std::size_t node = last[0];
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      node = paths[rank].mark().along.time > end.along.time ? last[rank] : node;
      end = longer(end, paths[rank].mark());
    }
    ASSERT_DOUBLE_EQ(end.along.time, graph.longest(node));
    std::map<std::uint32_t, int> counts;
    double sum = 0;
    for (std::optional<LogCursor> place = end.place; place;) {
      const std::optional<EventLog::Jump> jump =
          paths[static_cast<std::size_t>(place->rank)].log().walk(place->position, [&](const EventLog::Step& step) {
            ++counts[step.kernel];
            sum += step.seconds;
          });
      place = jump ? std::optional(jump->place) : std::nullopt;
    }
    EXPECT_DOUBLE_EQ(sum, end.along.time);
    EXPECT_EQ(counts, graph.kernels_along(node));
  }
}

}  // namespace
}  // namespace flopcast::path
