#include <gmock/gmock.h>

#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/tasks/programs/fake_run_services.hpp"
#include "tests/tasks/programs/runs.hpp"

namespace flopcast::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST_F(Runs, AProgramGetsTheTuningFilesBlockSizesAndItsOwnLibraries) {
  const RunSettings found = settings();
  EXPECT_THAT(found.variables, ElementsAre(Pair("FLOPCAST_BLOCKS", program::block_table_text(found.tuning))));
  EXPECT_THAT(found.variables.at("FLOPCAST_BLOCKS"), HasSubstr("dgeqrf"));
  EXPECT_EQ(found.blas + found.lapack, "");
  EXPECT_EQ(found.preload, "/libexec/libflopcast-tuned.so");
  EXPECT_EQ(returned(), 48);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Runs, AProgramGetsTheChosenLibrariesAndThreads) {
  fake_.chosen = {"/lib/blis/libblis.so", "/lib/lapack/liblapack.so"};
  request_.threads = 4;
  const RunSettings found = settings();
  EXPECT_EQ(found.blas, "/lib/blis/libblis.so");
  EXPECT_EQ(found.lapack, "/lib/lapack/liblapack.so");
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    EXPECT_THAT(found.variables, Contains(Pair(name, "4")));
  }
}

TEST_F(Runs, WhatTheSettingsSayIsWhatTheProgramIsStartedWith) {
  fake_.chosen = {"/lib/blis/libblis.so", "/lib/lapack/liblapack.so"};
  request_.threads = 4;
  run();
  ASSERT_EQ(fake_.started.size(), 1U);
  EXPECT_EQ(fake_.started[0].command, request_.command);
  EXPECT_EQ(fake_.started[0].libraries, fake_.chosen);
  EXPECT_EQ(fake_.started[0].threads, 4);
  EXPECT_EQ(fake_.tunings.at(0), settings().tuning);
}

TEST_F(Runs, LibrariesThatAreRefusedStartNothing) {
  RunServices services = fake_.services();
  services.libraries = [](const RunRequest&) -> program::LibraryFiles { throw environment_error("64-bit integers"); };
  EXPECT_THROW(run_settings(request_, services, context_), Error);
  EXPECT_THROW(run_program(request_, services, context_), Error);
  EXPECT_THAT(fake_.started, IsEmpty());
}

/// A program that ran, and the queries of its LAPACK.
class Outcomes : public Runs {
 protected:
  Outcomes() {
    fake_.result.processes = 1;
    fake_.result.concluded = 1;
    fake_.result.blas = fake_blis;
  }
  program::RoutineUse& add(const std::string& routine, const std::string& flags = "") {
    program::RoutineUse& use = fake_.result.routines.emplace_back();
    use.routine = routine;
    use.flags = flags;
    use.lapack = "/lib/lapack/liblapack.so";
    return use;
  }
  program::RoutineUse& add_queried(const std::string& routine, std::uint64_t queries) {
    program::RoutineUse& use = add(routine);
    use.queries = queries;
    use.smallest = 100;
    use.largest = 200;
    use.returned = 64;
    return use;
  }
};

TEST_F(Outcomes, HoldWhatTheProgramDid) {
  fake_.result.exit_code = 42;
  fake_.result.settings = {{"BLIS_ARCH_TYPE", "haswell"}};
  add_queried("dgeqrf", 2).lapack = "/lib/other/liblapack.so";
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 42);
  EXPECT_EQ(outcome.blas, fake_blis);
  EXPECT_EQ(outcome.settings, fake_.result.settings);
  EXPECT_TRUE(outcome.counted);
  ASSERT_EQ(outcome.routines.size(), 1U);
  EXPECT_EQ(outcome.routines[0].lapack, "/lib/other/liblapack.so");
  EXPECT_EQ(outcome.routines[0].returned, 64);
  EXPECT_EQ(outcome.routines[0].what_happened, "") << "no explanation was requested";
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Outcomes, ExplainEveryRoutineOnRequest) {
  add_queried("dgeqrf", 2);
  add_queried("dpotrf", 1).smallest = 200;
  request_.explain = true;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.routines.at(0).what_happened, "queried 2 times for orders 100 to 200");
  EXPECT_EQ(outcome.routines.at(1).what_happened, "queried once for order 200");
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Outcomes, HoldSizesAndRoutinesThatTheTuningLacksOnRequest) {
  add_queried("dgeqrf", 2);
  fake_.result.sizes = {{"dgeqrf", "", 100, 100, 1, 64, "tuned", 0},
                        {"dormqr", "LT", 300, 50, 1, 32, program::lacking_reason, 0},
                        {"dpotrf", "L", 200, 200, 3, 64, program::lacking_reason, 0},
                        {"dpotrf", "L", 500, 500, 1, 64, program::lacking_reason, 2},
                        {"nothing", "", 10, 10, 1, 1, program::lacking_reason, 0}};
  fake_.result.unlisted = 7;
  EXPECT_THAT(run().sizes, IsEmpty());
  EXPECT_EQ(run().routines.size(), 1U);
  request_.explain = true;
  request_.threads = 2;
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.sizes, fake_.result.sizes);
  EXPECT_EQ(outcome.unlisted, 7U);
  ASSERT_EQ(outcome.routines.size(), 4U);
  EXPECT_THAT(outcome.routines[1].what_happened, HasSubstr("'flopcast tune dormqr side=L trans=T --n 50 --threads 2 --save' tunes it"));
  EXPECT_EQ(outcome.routines[2].queries, 4U);
  EXPECT_THAT(outcome.routines[2].what_happened, HasSubstr("'flopcast tune dpotrf uplo=L --n 200:500 --threads 2 --save'"));
  EXPECT_EQ(outcome.routines[3].what_happened, "the tuning file lacks it, and LAPACK used its own block size");
  EXPECT_EQ(run_outcome_from_json(to_json(outcome)), outcome);
}

TEST_F(Outcomes, SayWhyARoutineWasNotAskedFor) {
  add("dgeqrf", "L").other_queries = 1;
  fake_.result.routines[0].other_options = "U";
  add("dpotrf").lapack.clear();
  run();
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("dgeqrf:L: not queried: the program queried once with 'U'"),
                                        HasSubstr("as it was tuned with 'L' (/lib/lapack/liblapack.so)")),
                                  HasSubstr("dpotrf: not queried: no shared library with it was seen")));
  fake_.result.processes = 0;
  fake_.result.routines.erase(fake_.result.routines.begin());
  run();
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("dpotrf: not queried: the preloaded library was not loaded")));
}

TEST_F(Outcomes, SayThatASignalEndedTheProgram) {
  add("dgeqrf").lapack.clear();
  add_queried("dpotrf", 2);
  fake_.result.exit_code = 128 + 11;
  fake_.result.concluded = 0;
  fake_.result.blas.clear();
  RunOutcome outcome = run();
  EXPECT_EQ(outcome.ended_by, "signal 11 (Segmentation fault)");
  EXPECT_THAT(notes_,
              ElementsAre(HasSubstr("signal 11 (Segmentation fault) ended the program. Its queries for block sizes are counted up")));
  request_.explain = true;
  outcome = run();
  EXPECT_EQ(outcome.routines.at(0).what_happened, "not queried before signal 11 (Segmentation fault) ended the program");
  EXPECT_EQ(outcome.routines.at(1).what_happened, "queried 2 times for orders 100 to 200");
  request_.explain = false;
  fake_.result.concluded = 1;  // the exit code is the program's own
  outcome = run();
  EXPECT_EQ(outcome.ended_by, "");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("dgeqrf: not queried: no shared library with it was seen")));
  fake_.result.exit_code = 0;
  fake_.result.concluded = 0;
  run();
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("dgeqrf: not queried: the program ended in another way than by exit()")));
}

TEST_F(Outcomes, TellALapackThatNeverAsksFromAProgramThatNeverCalls) {
  add("dgeqrf", "L");
  run();
  EXPECT_THAT(notes_, ElementsAre("dgeqrf:L: not queried (/lib/lapack/liblapack.so)")) << "it can't be tried";
  fake_.would_query = true;
  run();
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("not queried: the program didn't call it with 'L'")));
  fake_.would_query = false;
  run();
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("never queried"), HasSubstr("--lapack reference has"))));
  fake_.result.routines[0].lapack = "/lib/openblas64/libopenblas64.so";
  run();
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("--lapack reference64 has")));
}

TEST_F(Outcomes, SayOnlyHowManyWereAskedForWhereManyWereNot) {
  add_queried("dgeqrf", 1);
  for (const char* routine : {"dpotrf", "dgetrf", "dsytrd", "dgebrd", "dgehrd"}) {
    add(routine);
  }
  run();
  EXPECT_THAT(notes_, ElementsAre("1 of 6 tuned routines were queried; --report says more"));
}

TEST_F(Outcomes, SayThatAWorkspaceWasTooShort) {
  program::RoutineUse& use = add_queried("dgeqrf", 2);
  use.short_workspaces = 1;
  use.allowed = 32;
  run();
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("dgeqrf: queried 2 times, 64 returned"), HasSubstr("workspace allows once 32 only"))));
  fake_.result.routines[0].allowed = 0;
  fake_.result.routines[0].short_workspaces = 2;
  run();
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("the program's workspace was too short for that")));
}

TEST_F(Outcomes, SayThatNothingCouldBeCounted) {
  fake_.result.lacking_report = "no memory";
  fake_.result.exit_code = 3;
  const RunOutcome outcome = run();
  EXPECT_FALSE(outcome.counted);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("could not be counted"), HasSubstr("no memory"))));
}

TEST_F(Outcomes, SayThatTheProgramDidNotStart) {
  fake_.result.processes = 0;
  fake_.result.blas.clear();
  fake_.result.exit_code = 127;
  add("dgeqrf");
  run();
  EXPECT_THAT(notes_, ElementsAre("program did not start"));
}

TEST_F(Outcomes, NameTheLibraryThatTheProgramTookInstead) {
  fake_.other_blas = "the program took its BLAS from elsewhere";
  run();
  EXPECT_THAT(notes_, ElementsAre(fake_.other_blas));
  fake_.other_blas.clear();
  fake_.result.blas = "/lib/atlas/libblas.so.3";
  run();
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("was tuned with /lib/blis/libblis.so"), HasSubstr("ran with /lib/atlas/libblas.so.3"))));
  fake_.result.blas = "/lib/blis64/libblas64.so.3";
  run();
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("whose integers have 32 bits"), HasSubstr("whose integers have 64"))));
}

TEST_F(Outcomes, SayNothingOfAVariantOfTheTuningFilesLibrary) {
  fake_.result.blas = "/lib/blis/libblas.so.3";
  run();
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace
}  // namespace flopcast::tests
