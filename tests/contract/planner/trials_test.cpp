#include "flopcast/contract/planner/trials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// Candidates with fake times: candidate i has tiles of i + 1 rows, takes times[i] by the fake clock, and adds 1 to C.
class FakeCandidates {
 public:
  explicit FakeCandidates(std::vector<Seconds> its_times) : times(std::move(its_times)), runs(times.size()) {}

  [[nodiscard]] std::vector<Candidate> list() const {
    std::vector<Candidate> candidates(times.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      candidates[i].tiling.m = static_cast<std::int64_t>(i) + 1;
      candidates[i].tiling.n = static_cast<std::int64_t>(i) + 1;  // so that none are neighbours
      candidates[i].seconds = 1;
    }
    return candidates;
  }
  TrialServices services() {
    TrialServices services;
    services.prepare = [this](const Candidate& candidate) -> CandidateCall {
      const auto i = static_cast<std::size_t>(candidate.tiling.m - 1);
      if (unpreparable[i]) {
        throw environment_error("no gemm");
      }
      ++prepared[i];
      return [this, i](const void*, const void*, void* c, std::complex<double>, std::complex<double>) {
        during(i);
        ++runs[i];
        now += times[i];
        ++*static_cast<std::atomic<int>*>(c);
      };
    };
    services.now = [this] { return now; };
    services.keep = [this](const Candidate& chosen) {
      kept.push_back(chosen);
      return reason;
    };
    return services;
  }

  std::vector<Seconds> times;
  std::vector<int> runs;
  std::map<std::size_t, int> prepared;
  std::map<std::size_t, bool> unpreparable;
  std::vector<Candidate> kept;
  std::string reason;
  Seconds now = 0;
  std::function<void(std::size_t)> during = [](std::size_t) {};  ///< called in an execution
};

bool run(Trials& trials, std::atomic<int>& c) { return trials.run(nullptr, nullptr, &c, 1.0, 0.0); }

TEST(Trials, EveryExecutionComputesOnceUntilTheFastestIsKept) {
  FakeCandidates fake({2.0, 1.0, 1.5});
  Trials trials(fake.list(), fake.services());
  std::atomic<int> c = 0;
  int executions = 0;
  while (run(trials, c)) {
    EXPECT_EQ(c, ++executions) << "one candidate, once";
    ASSERT_LT(executions, 100);
  }
  EXPECT_TRUE(trials.is_decided());
  EXPECT_EQ(c, executions) << "nothing is computed behind the decision";
  ASSERT_EQ(fake.kept.size(), 1U);
  EXPECT_EQ(fake.kept.front().tiling.m, 2);
  EXPECT_EQ(fake.kept.front().seconds, 1.0);
  EXPECT_EQ(fake.kept.front().basis, Basis::execution);
  const std::vector<Candidate> considered = trials.considered();
  EXPECT_EQ(considered[0].tiling.m, 2);
  EXPECT_EQ(considered[1].tiling.m, 3);
  EXPECT_EQ(considered[2].tiling.m, 1);
  EXPECT_EQ(fake.prepared, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(trials.explain(), "3 candidates tried in " + std::to_string(executions) + " executions");
  const std::shared_ptr<const CandidateCall> decided = trials.take_decided();
  ASSERT_NE(decided, nullptr);
  fake.runs[1] = 0;
  (*decided)(nullptr, nullptr, &c, 1.0, 0.0);
  EXPECT_EQ(fake.runs[1], 1);
  EXPECT_EQ(trials.take_decided(), nullptr);
  EXPECT_FALSE(run(trials, c));
}

TEST(Trials, OneCandidateNeedsNoTrial) {
  FakeCandidates fake({1.0});
  Trials trials(fake.list(), fake.services());
  std::atomic<int> c = 0;
  EXPECT_TRUE(trials.is_decided());
  EXPECT_FALSE(run(trials, c));
  EXPECT_EQ(c, 0);
  EXPECT_NE(trials.take_decided(), nullptr);
}

TEST(Trials, TellsWhereItIs) {
  FakeCandidates fake({2.0, 1.0});
  fake.reason = "the store is read-only";
  Trials trials(fake.list(), fake.services());
  std::atomic<int> c = 0;
  EXPECT_EQ(trials.considered().front().basis, Basis::formula);
  run(trials, c);
  run(trials, c);
  run(trials, c);
  EXPECT_EQ(trials.explain(), "2 candidates tried in 3 executions, undecided: further executions try candidates");
  EXPECT_EQ(trials.considered().front().seconds, 2.0) << "the model's favourite, as it was measured";
  while (run(trials, c)) {
  }
  EXPECT_THAT(trials.explain(), testing::EndsWith("; the choice is not kept: the store is read-only"));
}

TEST(Trials, LeavesOutCandidatesThatCanNotBeUsed) {
  FakeCandidates fake({2.0, 1.0, 1.0});
  fake.unpreparable[1] = true;
  fake.during = [](std::size_t i) {
    if (i == 2) {
      throw environment_error("no memory");
    }
  };
  Trials trials(fake.list(), fake.services());
  std::atomic<int> c = 0;
  int executions = 0;
  while (run(trials, c)) {
    EXPECT_EQ(c, ++executions) << "the best so far took over";
  }
  EXPECT_TRUE(trials.is_decided());
  EXPECT_EQ(trials.considered().front().tiling.m, 1);
  EXPECT_EQ(fake.runs, (std::vector{executions, 0, 0}));
}

TEST(Trials, PassesErrorsOfTheBestCandidateOn) {
  FakeCandidates fake({2.0, 1.0});
  fake.unpreparable[0] = true;
  EXPECT_THROW(Trials(fake.list(), fake.services()), Error);
  fake.unpreparable.clear();
  Trials trials(fake.list(), fake.services());
  fake.during = [](std::size_t) { throw environment_error("no memory"); };
  std::atomic<int> c = 0;
  EXPECT_THROW(run(trials, c), Error);
  EXPECT_EQ(c, 0);
  fake.during = [](std::size_t) { throw std::runtime_error("something else"); };
  EXPECT_THROW(run(trials, c), std::runtime_error);
  fake.during = [](std::size_t) {};
  while (run(trials, c)) {
  }
  EXPECT_EQ(trials.considered().front().tiling.m, 2) << "an error changes nothing";
}

TEST(Trials, OneThreadTriesWhileOthersUseTheBestSoFar) {
  FakeCandidates fake({1.0, 2.0});
  Trials trials(fake.list(), fake.services());
  std::atomic<int> c = 0;
  run(trials, c);
  run(trials, c);
  EXPECT_EQ(fake.runs, (std::vector{2, 0}));
  fake.during = [&](std::size_t candidate) {
    if (candidate == 1) {  // the first one tries; meanwhile another thread executes
      std::thread([&] { EXPECT_TRUE(run(trials, c)); }).join();
    }
  };
  run(trials, c);
  EXPECT_EQ(fake.runs, (std::vector{3, 1}));
  EXPECT_EQ(c, 4);
}

TEST(Trials, ManyThreadsAtOnce) {
  std::atomic<int> kept = 0, now = 0;
  std::vector<Candidate> candidates = FakeCandidates({1, 1, 1, 1, 1, 1}).list();
  TrialServices services;
  services.prepare = [](const Candidate&) -> CandidateCall {
    return [](const void*, const void*, void* c, std::complex<double>, std::complex<double>) { ++*static_cast<std::atomic<int>*>(c); };
  };
  services.now = [&] { return static_cast<Seconds>(++now); };
  services.keep = [&](const Candidate&) {
    ++kept;
    return std::string();
  };
  Trials trials(candidates, services);
  std::atomic<int> c = 0;
  std::atomic<int> executed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (run(trials, c)) {
        ++executed;
        static_cast<void>(trials.explain());
        static_cast<void>(trials.considered());
      }
      static_cast<void>(trials.take_decided());
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(c, executed);
  EXPECT_EQ(kept, 1);
}

TEST(TrialMemory, FindsWhatWasBegun) {
  FakeCandidates fake({1.0, 2.0});
  TrialMemory memory;
  EXPECT_EQ(memory.find("one"), nullptr);
  const auto trials = std::make_shared<Trials>(fake.list(), fake.services());
  EXPECT_EQ(memory.add("one", trials), trials);
  EXPECT_EQ(memory.find("one"), trials);
  EXPECT_EQ(memory.add("one", std::make_shared<Trials>(fake.list(), fake.services())), trials) << "the first one stays";
  memory.forget("one");
  EXPECT_EQ(memory.find("one"), nullptr);
  for (int i = 0; i < 1100; ++i) {
    memory.add(std::to_string(i), trials);
    EXPECT_EQ(memory.find("0"), trials) << "asked for often";
  }
  EXPECT_EQ(memory.find("1"), nullptr) << "forgotten";
  EXPECT_EQ(memory.find("1099"), trials);
  const Seconds before = memory.now()();
  EXPECT_GE(memory.now()(), before);
}

TEST(ChoiceKeeper, TellsWhyAChoiceIsNotKept) {
  ChoiceKeeper keeper("/nowhere/at/all/store.db");
  EXPECT_THAT(keeper.keep("a name", {}, {}), testing::HasSubstr("/nowhere/at/all/store.db"));
}

}  // namespace
}  // namespace flopcast::contract
