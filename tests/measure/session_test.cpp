#include "flopcast/measure/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/support/error.hpp"
#include "tests/measure/fake_services.hpp"

namespace flopcast::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Call call_of(const std::string& routine, const std::string& n = "4") {
  return with_addresses(kernel::parse_call(kernel::require(routine), {{"n", n}}));
}

/// Returns an experiment with the call only, without setup, so that nothing else takes time.
Experiment bare(const Call& call) {
  Experiment experiment;
  experiment.timed = {call};
  experiment.memory = memory_of(experiment.timed, {});
  return experiment;
}

SessionOptions three_times() {
  SessionOptions options;
  options.stop.min_repetitions = options.stop.max_repetitions = 3;
  return options;
}

class Sessions : public ::testing::Test {
 protected:
  void SetUp() override { reset_fake_world(); }
};

TEST_F(Sessions, SubtractsTheTimersOverhead) {
  Session session(fake_backend(), {}, three_times());
  fake_services().durations["daxpy"] = {5000, 100, 200, 300};  // the first is the warm-up
  const std::vector<Timings> timings = session.run(std::vector{bare(call_of("daxpy"))});
  ASSERT_EQ(timings.size(), 1);
  ASSERT_EQ(timings[0].calls.size(), 1);
  ASSERT_EQ(timings[0].calls[0].size(), 3);
  EXPECT_NEAR(timings[0].calls[0][0].seconds, 100e-9, 1e-15);
  EXPECT_NEAR(timings[0].calls[0][1].seconds, 200e-9, 1e-15);
  EXPECT_NEAR(timings[0].calls[0][2].seconds, 300e-9, 1e-15);
  EXPECT_LT(timings[0].calls[0][0].at, timings[0].calls[0][1].at);
}

TEST_F(Sessions, WarmsUpEachFunctionOncePerSession) {
  Session session(fake_backend(), {}, three_times());
  const std::vector<Experiment> experiments = {bare(call_of("daxpy")), bare(call_of("daxpy", "8"))};
  (void)session.run(experiments);
  const auto count = [] { return std::count(fake_services().log.begin(), fake_services().log.end(), "daxpy"); };
  EXPECT_EQ(count(), 7);
  (void)session.run(experiments);
  EXPECT_EQ(count(), 13);
}

TEST_F(Sessions, WakesTheVectorUnitsForSomeMicrosecondsRightBeforeTheCall) {
  SessionOptions options = three_times();
  options.normalise = false;  // the reference kernel is a dgemm, too
  Session session(fake_backend(), {}, options);
  Experiment experiment = bare(call_of("daxpy"));
  experiment.wake = true;
  fake_services().duration["dgemm"] = 1000;
  const std::vector<Timings> timings = session.run(std::vector{experiment});
  const std::vector<std::string>& log = fake_services().log;
  EXPECT_EQ(std::count(log.begin(), log.end(), "daxpy"), 4);
  const auto products = std::count(log.begin(), log.end(), "dgemm");
  EXPECT_GE(products, 4 * 20);
  EXPECT_LE(products, 4 * 30);
  const auto of = [&](const char* name) { return std::find(log.begin(), log.end(), name); };
  EXPECT_LT(of("dgemm"), of("daxpy"));
  EXPECT_NEAR(timings[0].calls[0][0].seconds, 100e-9, 1e-15) << "waking is not timed";
  const auto asleep = session.run(std::vector{bare(call_of("daxpy"))});
  EXPECT_EQ(std::count(log.begin(), log.end(), "dgemm"), products);
}

TEST_F(Sessions, TimesEachOfSeveralCalls) {
  SessionOptions options = three_times();
  options.stop.min_repetitions = options.stop.max_repetitions = 1;
  Session session(fake_backend(), {}, options);
  Experiment experiment = bare(call_of("daxpy"));
  experiment.timed.push_back(call_of("ddot"));
  fake_services().duration["daxpy"] = 50;
  fake_services().duration["ddot"] = 70;
  const std::vector<Timings> timings = session.run(std::vector{experiment});
  ASSERT_EQ(timings[0].calls.size(), 2);
  EXPECT_NEAR(timings[0].calls[0][0].seconds, 50e-9, 1e-15);
  EXPECT_NEAR(timings[0].calls[1][0].seconds, 70e-9, 1e-15);
}

/// Another process asks all the time; repetitions take 60 ms by this clock.
TEST_F(Sessions, LetsAnotherProcessMeasureAfterATenthOfASecond) {
  fake_services().duration["daxpy"] = 60'000'000;
  SessionServices services = fake_backend();
  const auto log = [](const char* what) { fake_services().log.emplace_back(what); };
  services.turns = {[log](const std::function<bool()>&) { log("take"); }, [log] { log("end"); }, [] { return true; }};
  SessionOptions options = three_times();
  options.normalise = false;
  Session session(services, {}, options);
  (void)session.run(std::vector{bare(call_of("daxpy"))});
  std::vector<std::string> order = fake_services().log;
  std::erase_if(order, [](const std::string& entry) { return entry.rfind("threads", 0) == 0; });
  // The first repetition is preceded by a warm-up.
  EXPECT_THAT(order, ElementsAre("take", "daxpy", "daxpy", "end", "take", "daxpy", "daxpy", "end"));
}

TEST_F(Sessions, StopsWaitingForItsTurnWhenAskedTo) {
  SessionServices services = fake_backend();
  int asked = 0;
  services.turns.take = [&asked](const std::function<bool()>& go_on) {
    while (go_on()) {
      ++asked;
    }
  };
  Session session(services, {}, three_times());
  int left = 5;
  const std::vector<Timings> timings =
      session.run(std::vector{bare(call_of("daxpy"))}, [&left](std::int64_t, std::int64_t) { return --left > 0; });
  EXPECT_EQ(asked, 4);
  ASSERT_EQ(timings.size(), 1U);
  EXPECT_EQ(std::count(fake_services().log.begin(), fake_services().log.end(), "daxpy"), 0)
      << "a kernel was executed after the request to stop";
}

TEST_F(Sessions, DividesABatchByItsCalls) {
  Session session(fake_backend(), {}, three_times());
  Experiment experiment = bare(call_of("ddot"));
  experiment.batch = 10;
  const std::vector<Timings> timings = session.run(std::vector{experiment});
  EXPECT_NEAR(timings[0].calls[0][0].seconds, 100e-9, 1e-15);
  EXPECT_EQ(std::count(fake_services().log.begin(), fake_services().log.end(), "ddot"), 40);
}

TEST_F(Sessions, UsesTheCpuClockIfAsked) {
  SessionOptions options = three_times();
  options.clock = Clock::cpu;
  fake_services().duration["ddot"] = 700;
  Session session(fake_backend(), {}, options);
  const std::vector<Timings> timings = session.run(std::vector{bare(call_of("ddot"))});
  EXPECT_NEAR(timings[0].calls[0][0].seconds, 700e-9, 1e-15);
}

/// Returns the order in which ten experiments, distinguished by their threads, are visited.
std::vector<std::string> order_of_visits(std::uint64_t seed) {
  reset_fake_world();
  SessionOptions options = three_times();
  options.seed = seed;
  options.normalise = false;
  Session session(fake_backend(), {}, options);
  std::vector<Experiment> experiments;
  for (int threads = 1; threads <= 10; ++threads) {
    Call call = call_of("ddot");
    call.threads = threads;
    experiments.push_back(bare(call));
  }
  (void)session.run(experiments);
  return fake_services().calls_without("ddot");
}

TEST_F(Sessions, ShufflesEachRoundByItsSeed) {
  const std::vector<std::string> visits = order_of_visits(1);
  EXPECT_EQ(visits, order_of_visits(1));
  EXPECT_NE(visits, order_of_visits(2));
  const std::vector<std::string> first(visits.begin(), visits.begin() + 10);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), 10);  // a round visits every experiment once
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST_F(Sessions, InterleavesTheReferenceKernel) {
  SessionOptions options = three_times();
  options.reference_interval = 1e-3;
  Session session(fake_backend(), {}, options);
  fake_services().duration["ddot"] = 1'500'000;
  fake_services().duration["dgemm"] = 1000;
  (void)session.run(std::vector{bare(call_of("ddot")), bare(call_of("ddot"))});
  // References: the first call, three at the beginning, one before each repetition but the first, one to judge the last repetition, and
  // three at the end; two calls each.
  EXPECT_EQ(std::count(fake_services().log.begin(), fake_services().log.end(), "dgemm"), 2 * (1 + 3 + 5 + 1 + 3));
}

TEST_F(Sessions, NormalisesByTheReferencesNearby) {
  SessionOptions options = three_times();
  options.stop.min_repetitions = options.stop.max_repetitions = 1;
  Session session(fake_backend(), {}, options);
  const std::vector<Experiment> experiments = {bare(call_of("ddot"))};
  const std::vector<Timings> early = session.run(experiments);
  EXPECT_NEAR(early[0].calls[0][0].drift, 1, 1e-12);
  EXPECT_NEAR(session.reference_time(), 1000e-9, 1e-15);
  fake_services().duration["dgemm"] = 1150;  // the clock frequency falls
  (void)session.run(experiments);
  const std::vector<Timings> late = session.run(experiments);
  EXPECT_NEAR(session.reference_time(), 1000e-9, 1e-15) << "all runs are comparable";
  EXPECT_NEAR(late[0].calls[0][0].drift, 1.15, 1e-12);
  EXPECT_NEAR(late[0].state.reference, 1000e-9, 1e-15);
  EXPECT_EQ(late[0].state.session, early[0].state.session);
  EXPECT_GT(late[0].state.session, 0);
  session.options().normalise = false;
  EXPECT_EQ(session.run(experiments)[0].calls[0][0].drift, 1);
}

TEST_F(Sessions, TakesPreemptedReferencesAgain) {
  Session session(fake_backend(), {}, three_times());
  const auto count = [] { return std::count(fake_services().log.begin(), fake_services().log.end(), "dgemm"); };
  (void)session.run(std::vector{bare(call_of("ddot"))});
  const auto undisturbed = count();
  fake_services().disturb_reference = {false, true, false, true};  // each reference has a warming run first
  fake_services().durations["dgemm"] = {1000, 9000, 1000, 7000};
  (void)session.run(std::vector{bare(call_of("ddot"))});
  EXPECT_EQ(count() - undisturbed, 2 * 3 + 4 + 2 * 1 + 2 * 3) << "one reference judges the last repetition";
  EXPECT_NEAR(session.reference_time(), 1000e-9, 1e-15);
}

/// Returns for each repetition whether it was discarded.
std::vector<bool> discarded(const Timings& timings) {
  std::vector<bool> each;
  for (const Repetition& repetition : timings.calls[0]) {
    each.push_back(repetition.discarded);
  }
  return each;
}

/// Returns for each repetition of a daxpy of 1 ms whether it was discarded. A reference is taken before each repetition. After those at the
/// beginning, the references take `references` nanoseconds.
std::vector<bool> discarded_beside(const std::vector<std::int64_t>& references) {
  fake_services().duration["daxpy"] = 1'000'000;
  std::vector<std::int64_t>& queue = fake_services().durations["dgemm"];
  queue.assign(2 + 3 * 2, 1000);
  for (const std::int64_t reference : references) {
    queue.insert(queue.end(), 2, reference);  // each reference has a warming run first
  }
  SessionOptions options = three_times();
  options.reference_interval = 1e-3;
  Session session(fake_backend(), {}, options);
  const std::vector<Timings> timings = session.run(std::vector{bare(call_of("daxpy"))});
  return discarded(timings[0]);
}

TEST_F(Sessions, RepeatsSlowRepetitions) {
  EXPECT_THAT(discarded_beside({}), ElementsAre(false, false, false));
  reset_fake_world();
  EXPECT_THAT(discarded_beside({1000, 1100, 1100}), ElementsAre(false, false, false))
      << "small changes of the clock frequency are normalised";
  reset_fake_world();
  EXPECT_THAT(discarded_beside({1000, 1700, 1000, 1000}), ElementsAre(false, true, true, false, false));
  reset_fake_world();
  EXPECT_THAT(discarded_beside({1000, 1000, 1700}), ElementsAre(false, false, true, true, false)) << "the last repetition is judged, too";
}

TEST_F(Sessions, RepeatsWhereOnlyTheSolveWasSlowedDown) {
  fake_services().duration["dtrsm"] = 100;
  std::vector<std::int64_t>& queue = fake_services().durations["dtrsm"];
  queue.assign(5 * 4, 100);                         // five references, each with a warming run and three others
  queue.insert(queue.end(), {100, 170, 100, 170});  // some of the three runs are disturbed
  queue.insert(queue.end(), 4, 170);
  EXPECT_THAT(discarded_beside({}), ElementsAre(false, false, true, true, false));
}

TEST_F(Sessions, JudgesTheFirstRepetitionsByLaterKnowledge) {
  fake_services().duration["daxpy"] = 1'000'000;
  fake_services().durations["dgemm"].assign(2 * 5, 1700);  // the first call, three at the beginning, and one before the second repetition
  SessionOptions options = three_times();
  options.stop.min_repetitions = options.stop.max_repetitions = 8;
  options.reference_interval = 1e-3;
  Session session(fake_backend(), {}, options);
  const std::vector<Timings> timings = session.run(std::vector{bare(call_of("daxpy"))});
  EXPECT_THAT(discarded(timings[0]), ElementsAre(true, true, false, false, false, false, false, false, false, false));
}

TEST_F(Sessions, CountsRepetitionsThatWereSlowThroughout) {
  const std::vector<bool> discarded = discarded_beside(std::vector<std::int64_t>(8, 1700));
  EXPECT_EQ(discarded.size(), 6U);
  EXPECT_EQ(std::count(discarded.begin(), discarded.end(), false), 3);
}

TEST_F(Sessions, RepeatsNoMoreThanTheExperimentAllows) {
  Session session(fake_backend(), {}, three_times());
  std::vector<Experiment> experiments(2, bare(call_of("daxpy")));
  experiments[0].max_repetitions = 2;
  experiments[1].max_repetitions = 5;
  const std::vector<Timings> timings = session.run(experiments);
  EXPECT_EQ(timings[0].calls[0].size(), 2U);
  EXPECT_EQ(timings[1].calls[0].size(), 3U) << "the number of the stop rule";
}

TEST_F(Sessions, RepeatsPreemptedRepetitions) {
  fake_services().disturb = {false, false, true, false, false};  // the first is the warm-up
  Session session(fake_backend(), {}, three_times());
  const std::vector<Timings> timings = session.run(std::vector{bare(call_of("daxpy"))});
  EXPECT_THAT(discarded(timings[0]), ElementsAre(false, true, false, false));
}

TEST_F(Sessions, WarnsIfEverythingWasPreempted) {
  fake_services().disturb = std::vector<bool>(100, true);
  Session session(fake_backend(), {}, three_times());
  const std::vector<Timings> timings = session.run(std::vector{bare(call_of("daxpy"))});
  EXPECT_EQ(timings[0].calls[0].size(), 6);
  EXPECT_EQ(std::count_if(timings[0].calls[0].begin(), timings[0].calls[0].end(), [](const Repetition& r) { return !r.discarded; }), 3);
  EXPECT_THAT(timings[0].warnings, ElementsAre(HasSubstr("the least disturbed count")));
}

TEST_F(Sessions, KeepsItsRepetitionsWhenStopped) {
  Session session(fake_backend(), {}, three_times());
  const std::vector<Experiment> experiments(4, bare(call_of("ddot")));
  std::int64_t expected_first = 0;
  const std::vector<Timings> timings = session.run(experiments, [&](std::int64_t done, std::int64_t expected) {
    expected_first = done == 1 ? expected : expected_first;
    return done < 2;
  });
  EXPECT_EQ(expected_first, 12);
  ASSERT_EQ(timings.size(), 4);
  std::size_t made = 0;
  for (const Timings& timing : timings) {
    made += timing.calls.at(0).size();
  }
  EXPECT_EQ(made, 2);
}

TEST_F(Sessions, ReportsProgressUpToTheEnd) {
  Session session(fake_backend(), {}, three_times());
  std::int64_t last_done = 0;
  std::int64_t last_expected = 0;
  (void)session.run(std::vector<Experiment>(4, bare(call_of("ddot"))), [&](std::int64_t done, std::int64_t expected) {
    last_done = done;
    last_expected = expected;
    return true;
  });
  EXPECT_EQ(last_done, 12);
  EXPECT_EQ(last_expected, 12);
}

TEST_F(Sessions, WarnsOfTimesNearTheTimersOwn) {
  fake_services().duration["ddot"] = 10;
  Session session(fake_backend(), {}, three_times());
  EXPECT_THAT(session.run(std::vector{bare(call_of("ddot"))})[0].warnings, ElementsAre(HasSubstr("use a larger batch")));
}

TEST_F(Sessions, WarnsOfValuesThatAreNoNumbers) {
  Experiment experiment = bare(with_addresses(kernel::parse_call(kernel::require("dscal"), {{"n", "1"}, {"alpha", "1e300"}})));
  experiment.setup = {{Action::What::fill, {}, 0, experiment.timed[0]},
                      {Action::What::execute, {}, 0, experiment.timed[0]}};  // 1e300 in the setup, infinity when timed
  Session session(fake_backend(), {}, three_times());
  EXPECT_THAT(session.run(std::vector{experiment})[0].warnings, ElementsAre(HasSubstr("infinities or NaN")));
}

TEST_F(Sessions, RefusesRoutinesThatAreInNoLibrary) {
  Session session(fake_backend(), {}, three_times());
  try {
    (void)session.run(std::vector{bare(call_of("dasum"))});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("dasum"));
    EXPECT_THAT(error.what(), HasSubstr("the fake ones"));
  }
}

TEST_F(Sessions, RefusesContradictions) {
  Session session(fake_backend(), {}, three_times());
  EXPECT_THROW((void)session.run(std::vector{Experiment{}}), Error);
  Experiment two_in_a_batch = bare(call_of("ddot"));
  two_in_a_batch.timed.push_back(call_of("ddot"));
  two_in_a_batch.batch = 2;
  EXPECT_THROW((void)session.run(std::vector{two_in_a_batch}), Error);
  Experiment outside = bare(call_of("ddot"));
  outside.memory[0].bytes -= 8;
  EXPECT_THROW((void)session.run(std::vector{outside}), Error);
}

TEST_F(Sessions, WithoutExperimentsGivesNothing) {
  Session session(fake_backend(), {}, three_times());
  EXPECT_TRUE(session.run({}).empty());
  EXPECT_EQ(session.reference_time(), 0);
}

}  // namespace
}  // namespace flopcast::measure
