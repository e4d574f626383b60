#include "flopcast/tasks/programs/programs.hpp"

#include <gmock/gmock.h>

#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/error.hpp"
#include "tests/tasks/programs/fake_what_if.hpp"

namespace flopcast::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// One call of order 8 that took 10 s. The models expect 8 s of it where it was recorded.
program::ProgramInMemory one_call() { return ProgramBuilder().call(0, 8, 0, 10).build(); }

tuning::Decision decision(Seconds with_default, Seconds with_chosen, double regret) {
  tuning::Decision decision;
  decision.default_.seconds = with_default;
  decision.default_.blocks = {32, 2, 128};
  decision.chosen.seconds = with_chosen;
  decision.chosen.blocks = {64, 2, 0};
  decision.regret = regret;
  return decision;
}

TEST(ParseWhatIf, ReadsWhatToStringWrites) {
  for (const char* text : {"same", "nb", "blas=blis", "threads=auto", "blas=blis,lapack=reference,threads=2,kernels=auto,nb"}) {
    EXPECT_EQ(to_string(parse_what_if(text)), text);
  }
  EXPECT_EQ(parse_what_if("threads=2,blas=blis"), parse_what_if("blas=blis,threads=2"));
}

TEST(ParseWhatIf, NamesTheWrongPart) {
  for (const auto& [text, part] :
       {std::pair("blas=a,blas=b", "blas is given twice"), std::pair("nb=3", "'nb=3' is not understood"),
        std::pair("blas=", "'blas=' is not understood"), std::pair("kernels=best", "'kernels=best'"), std::pair("threads=0", "threads")}) {
    try {
      parse_what_if(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
}

TEST(WhatIf, NothingChangesWhereTheProgramWasRecorded) {
  const WhatIfResult same = FakeServices().ask("same", one_call());
  EXPECT_DOUBLE_EQ(same.predicted, 10);
  EXPECT_DOUBLE_EQ(same.recorded, 10);
  EXPECT_DOUBLE_EQ(same.by_models, 8);
  EXPECT_EQ(same.gain, 0.0);
  EXPECT_LT(same.interval.low, 10);
  EXPECT_GT(same.interval.high, 10);
}

TEST(WhatIf, TheExpectedChangeIsAppliedToTheRecordedTime) {
  const WhatIfResult fast = FakeServices().ask("blas=fast", one_call());
  EXPECT_DOUBLE_EQ(fast.by_models, 2);
  EXPECT_DOUBLE_EQ(fast.predicted, 4);  // the 2 s outside of the models stay
  EXPECT_DOUBLE_EQ(fast.gain.value(), 1.5);
  EXPECT_EQ(fast.shapes.size(), 1U);
}

TEST(WhatIf, ModelsAloneDecideOnAnotherMachine) {
  FakeServices services;
  services.is_here = false;
  EXPECT_DOUBLE_EQ(services.ask("blas=fast", one_call()).predicted, 2);
  EXPECT_THAT(services.log.opened, ElementsAre("fast 1 library"));
}

TEST(WhatIf, ADryRunHasNoGain) {
  const WhatIfResult same = FakeServices().ask("same", ProgramBuilder().call(0, 8, 0, 0).dry_run().build());
  EXPECT_DOUBLE_EQ(same.predicted, 8);
  EXPECT_FALSE(same.gain);
}

TEST(WhatIf, TheBudgetIsSharedByAllQuestionsAndTheComparison) {
  FakeServices services;
  services.options.time_budget = 30;
  services.ask_all({"blas=fast", "threads=2"}, one_call());
  EXPECT_THAT(services.log.opened, ElementsAre("slow 1 library", "fast 1 library", "slow 2 library"));
  EXPECT_THAT(services.log.budgets, ElementsAre(10, 10, 10));
}

/// The recorded library's threads are recorded; another library has those that its variables gave it in the recorded run.
TEST(WhatIf, AnotherLibraryHasTheThreadsOfTheRecordedEnvironment) {
  FakeServices services;
  services.place.threads = 2;
  const program::ProgramInMemory program =
      ProgramBuilder().call(0, 8, 0, 10).thread_variables({{"BLIS_NUM_THREADS", "5"}, {"OMP_NUM_THREADS", "3"}}).build();
  services.ask_all({"same", "blas=fast", "blas=fast,threads=4"}, program);
  EXPECT_THAT(services.log.opened, ElementsAre("slow 2 library", "fast 3 library", "fast 4 library"));
}

/// A call of order 10 takes 10 s with one thread, 25 s with two and 62.5 s with four; one of order 400 takes 400 s, 220 s and 160 s.
TEST(WhatIf, AutomaticThreadsAreTheBestOnesOfEachCall) {
  FakeServices services;
  services.cpus = 4;
  services.thread_cost = 20;
  const WhatIfResult chosen = services.ask("threads=auto", ProgramBuilder().call(0, 10, 0, 10).call(0, 400, 10, 400).build());
  EXPECT_DOUBLE_EQ(chosen.recorded, 410);
  EXPECT_DOUBLE_EQ(chosen.by_models, 170);
  EXPECT_DOUBLE_EQ(chosen.predicted, 170);
  EXPECT_GT(chosen.interval.high, 170);
  EXPECT_LT(chosen.interval.high, 410);
  EXPECT_THAT(services.log.opened, ElementsAre("slow 1 library", "slow 4 library", "slow 1 library", "slow 2 library"));
}

/// The number of threads holds for the whole process, so that nothing is chosen where several threads make calls.
TEST(WhatIf, AutomaticThreadsOfSeveralThreadsAreAllOfThem) {
  FakeServices services;
  services.cpus = 2;
  services.thread_cost = 20;
  const WhatIfResult chosen = services.ask("threads=auto", ProgramBuilder().call(0, 10, 0, 10).call(1, 10, 100, 10).build());
  EXPECT_DOUBLE_EQ(chosen.by_models, 50);
  services.log.opened.clear();
  services.ask("blas=one,threads=auto", one_call());
  EXPECT_THAT(services.log.opened, ElementsAre("slow 1 library", "one 1 library"));
}

TEST(WhatIf, SameIsPredictedOnce) {
  FakeServices services;
  services.ask_all({"same", "blas=fast"}, one_call());
  EXPECT_THAT(services.log.opened, ElementsAre("slow 1 library", "fast 1 library"));
}

TEST(WhatIf, TheWidthOfIntegersIsLookedAtBeforeThreads) {
  FakeServices services;
  services.place.threads = 2;
  services.speeds["wide"] = 1;
  const std::vector<WhatIfResult> results = services.ask_all({"blas=wide", "blas=wide,threads=1"}, one_call());
  EXPECT_THAT(results[0].failure, HasSubstr("can't run with wide: its integers have 32 bits, the library's 64"));
  EXPECT_EQ(results[1].failure, results[0].failure);
  EXPECT_THAT(services.log.opened, IsEmpty());
}

TEST(WhatIf, AQuestionThatCantBeAnsweredOpensNothing) {
  FakeServices services;
  services.place.threads = 2;
  const std::vector<WhatIfResult> results = services.ask_all({"blas=one", "blas=none"}, one_call());
  EXPECT_THAT(results[0].failure, HasSubstr("one has one thread only, and 2 were recorded. Ask threads=1"));
  EXPECT_THAT(results[1].failure, HasSubstr("there is no library none"));
  EXPECT_EQ(results[1].failure_code, static_cast<int>(ExitCode::bad_input));
  EXPECT_THAT(services.failures, ElementsAre(results[0].failure, results[1].failure));
  EXPECT_THAT(services.log.opened, IsEmpty());
}

TEST(WhatIf, ARecordingWithoutDescribedCallsIsNotPredicted) {
  EXPECT_THAT(FakeServices().ask("same", ProgramBuilder().build()).failure, HasSubstr("no call that the catalogue describes"));
}

TEST(WhatIf, CallsThatNumbersMadeSlowStayAsRecorded) {
  const program::ProgramInMemory program = ProgramBuilder().call(0, 8, 0, 100, true).build();
  const WhatIfResult fast = FakeServices().ask("blas=fast", program);
  EXPECT_DOUBLE_EQ(fast.predicted, 100);
  EXPECT_DOUBLE_EQ(fast.slow_by_numbers, 100);
}

TEST(WhatIf, ThreadsShareTheCores) {
  const program::ProgramInMemory program = ProgramBuilder().call(0, 8, 0, 10).call(1, 8, 0, 10).build();
  FakeServices services;
  services.cpus = 2;
  EXPECT_DOUBLE_EQ(services.ask("blas=fast", program).by_models, 4);
  services.cpus = 1;
  EXPECT_DOUBLE_EQ(services.ask("blas=fast", program).by_models, 8);
}

TEST(WhatIf, TellsWhichShareIsExtrapolated) {
  const program::ProgramInMemory program = ProgramBuilder().call(0, 50, 0, 50).call(0, 150, 50, 150).build();
  EXPECT_DOUBLE_EQ(FakeServices().ask("same", program).extrapolated_share, 0.75);
}

TEST(WhatIf, OtherIntegersAreRefused) {
  program::ProgramTrace trace;
  trace.summary.names = {"dpotrf"};
  trace.summary.threads = {{1, 1}};
  program::ProgramEvent event;
  event.seconds = 1;
  event.call = kernel::call("dpotrf", {'L', 8, 0x1000, 8});
  event.call.integer_bytes = 8;
  trace.events = {{event}};
  const program::ProgramInMemory program(trace);
  EXPECT_THAT(FakeServices().ask("same", program).failure, HasSubstr("its integers have 64 bits"));
}

TEST(WhatIfBlocks, ChangeTheTimeByTheirRatio) {
  FakeServices services;
  services.tuning.decisions = {decision(4, 3, 0.02)};
  const WhatIfResult tuned = services.ask("nb", one_call());
  EXPECT_DOUBLE_EQ(tuned.recorded, 10);
  EXPECT_DOUBLE_EQ(tuned.predicted, 7.5);
  const Seconds margin = prediction::margin(prediction::predicted_interval(10, prediction::error_of_repetition({0.02, 0})));
  EXPECT_DOUBLE_EQ(tuned.interval.low, 7.5 - margin);
  EXPECT_DOUBLE_EQ(tuned.interval.high, 7.5 + margin + 10 * 0.02 * 3 / 4);  // the regret is uncertain
  ASSERT_EQ(tuned.blocks.size(), 1U);
  EXPECT_EQ(tuned.blocks[0].default_nb, 32);
  EXPECT_EQ(tuned.blocks[0].chosen_nb, 64);
}

TEST(WhatIfBlocks, KeepTheDefaultWhereNothingIsDecided) {
  FakeServices services;
  services.tuning.decisions = {decision(4, 3, 0.5)};
  const WhatIfResult tuned = services.ask("nb", one_call());
  EXPECT_DOUBLE_EQ(tuned.predicted, 10);
  EXPECT_TRUE(tuned.blocks.at(0).undecided);
  EXPECT_EQ(tuned.blocks[0].chosen_nb, 32);
}

TEST(WhatIfBlocks, TakeHalfOfTheBudgetBesideOtherLibraries) {
  FakeServices services;
  services.is_here = false;
  services.options.time_budget = 20;
  services.tuning.decisions = {decision(4, 3, 0)};
  EXPECT_DOUBLE_EQ(services.ask("blas=fast,nb", one_call()).predicted, 1.5);
  EXPECT_THAT(services.log.budgets, ElementsAre(10, 10));
}

TEST(WhatIfBlocks, LightShapesAreCountedOnly) {
  FakeServices services;
  services.tuning.decisions = {decision(4, 3, 0)};
  const WhatIfResult tuned = services.ask("nb", ProgramBuilder().call(0, 500, 0, 1000).call(0, 8, 1000, 1).build());
  EXPECT_EQ(tuned.blocks.size(), 1U);
  EXPECT_EQ(tuned.untuned_shapes, 1U);
}

TEST(WhatIfBlocks, RoutinesThatCantBeRecordedAreLeftAlone) {
  FakeServices services;
  services.tuning.cant_record = true;
  const WhatIfResult tuned = services.ask("nb", one_call());
  EXPECT_THAT(tuned.failure, IsEmpty());
  EXPECT_THAT(tuned.blocks, IsEmpty());
  EXPECT_DOUBLE_EQ(tuned.predicted, 10);
}

}  // namespace
}  // namespace flopcast::tests
