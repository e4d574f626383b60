#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/tasks/programs/fake_run_world.hpp"

namespace flopcast::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* blis = "/lib/blis/libblis.so";

/// Runs "program" with the profile of a fake world.
class Runs : public ::testing::Test {
 protected:
  Runs() {
    request_.command = {"program", "argument"};
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    fake_.write(FakeRunWorld::profile(blis, 4, 48));
  }

  RunSettings settings() {
    notes_.clear();
    return run_settings(request_, fake_.world(), context_);
  }
  RunOutcome run() {
    notes_.clear();
    return run_program(request_, fake_.world(), context_);
  }
  /// Returns the block size returned to the program for dgeqrf of order 200; 0 for none.
  std::int64_t returned() {
    const auto blocks = tuned_block_size(settings().profile, "dgeqrf", 200, 200);
    return blocks ? blocks->nb : 0;
  }
  std::string refusal() {
    try {
      settings();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THROW(run(), Error);
      EXPECT_THAT(fake_.started, IsEmpty());
      return error.what();
    }
    return "nothing thrown";
  }

  FakeRunWorld fake_;
  RunRequest request_;
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(Runs, AProgramGetsTheProfilesBlockSizesAndItsOwnLibraries) {
  const RunSettings found = settings();
  EXPECT_THAT(found.variables, ElementsAre(Pair("FLOPCAST_BLOCKS", program::block_table_text(found.profile))));
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
  EXPECT_EQ(fake_.profiles.at(0), settings().profile);
}

TEST_F(Runs, TheProfilesKernelsAreSetUnlessTheUserChoseSome) {
  program::Profile profile = FakeRunWorld::profile(blis, 4, 48);
  profile.settings = {{"BLIS_ARCH_TYPE", "haswell"}};
  fake_.write(profile);
  fake_.known = {{"openblas-pthread", "Haswell"}, {"blis", "of the profile's own library"}};
  EXPECT_THAT(settings().variables, AllOf(Contains(Pair("BLIS_ARCH_TYPE", "haswell")), Contains(Pair("openblas-pthread", "Haswell")),
                                          Not(Contains(Key("blis")))));
  fake_.variables["BLIS_ARCH_TYPE"] = "zen";
  EXPECT_THAT(settings().variables, Not(Contains(Key("BLIS_ARCH_TYPE"))));
  fake_.variables.clear();
  request_.kernels = "library";
  EXPECT_THAT(settings().variables, ElementsAre(Pair("FLOPCAST_BLOCKS", ::testing::_)));
  EXPECT_THAT(fake_.tried, IsEmpty());
}

TEST_F(Runs, AProfileOfAnotherMachineHasNoEffectUnlessItIsWanted) {
  program::Profile profile = FakeRunWorld::profile(blis, 4, 48);
  profile.environment.cpu = "another CPU";
  fake_.write(profile);
  for (const std::string& named : {std::string(), fake_.file()}) {
    request_.profile = named;
    request_.other_machine = false;
    EXPECT_EQ(returned(), 0);
    EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("LAPACK's own block sizes"), HasSubstr(fake_.file()), HasSubstr("'another CPU'"),
                                          HasSubstr("'a CPU'"), HasSubstr("--other-machine"))));
    run();
    request_.other_machine = true;
    EXPECT_EQ(returned(), 48);
    EXPECT_THAT(notes_, IsEmpty());
  }
  EXPECT_EQ(fake_.started.size(), 2U);
}

TEST_F(Runs, TheSystemsWisdomOfAnotherMachineHasNoEffect) {
  std::filesystem::remove(fake_.file());
  fake_.system_misfit = "the system's wisdom /etc/flopcast/wisdom doesn't hold here: it is for the CPU 'another CPU'";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre("the program runs with LAPACK's own block sizes, as " + fake_.system_misfit));
  fake_.known = {{"openblas-pthread", "Haswell"}};
  EXPECT_THAT(settings().variables, Contains(Pair("openblas-pthread", "Haswell")));
}

TEST_F(Runs, BlockSizesOfAnotherBuildHaveNoEffect) {
  program::Profile profile = FakeRunWorld::profile(blis, 4, 48);
  profile.environment.blas.digest = "build-id:1";
  profile.environment.lapack = {.name = "reference", .path = "/lib/lapack/liblapack.so", .digest = "build-id:2"};
  fake_.write(profile);
  fake_.digests = {{blis, "build-id:1"}, {"/lib/lapack/liblapack.so", "build-id:2"}};
  EXPECT_EQ(returned(), 48);
  fake_.digests[blis] = "build-id:3";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("/lib/blis/libblis.so is another build now than when they were tuned"),
                                        HasSubstr("'flopcast tune ROUTINE --n 200:3200 --threads 4 --save'"))));
  fake_.digests = {{blis, "build-id:1"}};
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("they were tuned with /lib/lapack/liblapack.so, which isn't there any more")));
  fake_.system = {FakeRunWorld::profile(blis, 4, 80)};
  EXPECT_EQ(returned(), 80) << "the system's hold";
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Runs, ADamagedProfileIsRefused) {
  for (const char* text : {"", "{", "{}", "[1, 2]"}) {
    std::ofstream(fake_.file()) << text;
    EXPECT_THAT(refusal(), HasSubstr("profile.json")) << text;
  }
}

TEST_F(Runs, WithoutAProfileThereMustBeSomethingElseToSet) {
  std::filesystem::remove(fake_.file());
  EXPECT_THAT(refusal(), HasSubstr("make one with: flopcast tune dgeqrf --n 200:3200 --save"));
  request_.threads = 3;
  EXPECT_THAT(settings().variables, Contains(Pair("OPENBLAS_NUM_THREADS", "3")));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("the program runs with LAPACK's own block sizes")));
  EXPECT_EQ(returned(), 0);
}

TEST_F(Runs, WithoutAProfileTheChosenLibraryGetsItsBestKernels) {
  std::filesystem::remove(fake_.file());
  request_.blas = "openblas-pthread";
  fake_.chosen.blas = "/lib/openblas-pthread/libopenblas.so";
  EXPECT_THAT(settings().variables, Contains(Pair("BEST_OF", "openblas-pthread")));
  EXPECT_THAT(fake_.tried, ElementsAre("openblas-pthread"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("BEST_OF=openblas-pthread and LAPACK's own block sizes")));
  request_.kernels = "library";
  EXPECT_THAT(settings().variables, Not(Contains(Key("BEST_OF"))));
}

TEST_F(Runs, WithoutAProfileKernelsThatAreKnownAreSet) {
  std::filesystem::remove(fake_.file());
  fake_.known = {{"openblas-pthread", "Haswell"}};
  EXPECT_THAT(settings().variables, Contains(Pair("openblas-pthread", "Haswell")));
  EXPECT_THAT(fake_.tried, IsEmpty());
}

TEST_F(Runs, AProfileThatIsNamedMustBeThere) {
  request_.profile = "no/such.json";
  request_.threads = 3;
  fake_.known = {{"openblas-pthread", "Haswell"}};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("there is no profile no/such.json"), HasSubstr("--profile no/such.json")));
}

TEST_F(Runs, LibrariesThatAreRefusedStartNothing) {
  RunWorld world = fake_.world();
  world.libraries = [](const RunRequest&) -> program::LibraryFiles { throw environment_error("64-bit integers"); };
  EXPECT_THROW(run_settings(request_, world, context_), Error);
  EXPECT_THROW(run_program(request_, world, context_), Error);
  EXPECT_THAT(fake_.started, IsEmpty());
}

/// A profile for two libraries, one of them with two numbers of threads.
class Places : public Runs {
 protected:
  Places() {
    program::Profile profile = FakeRunWorld::profile(blis, 1, 11);
    profile.others = {FakeRunWorld::profile(blis, 4, 14), FakeRunWorld::profile("/lib/openblas-pthread/libopenblas.so", 2, 22),
                      FakeRunWorld::profile("/lib/blis-serial/libblis.so", 1, 31)};
    fake_.write(profile);
  }
};

TEST_F(Places, TheLoadersLibraryWithAThreadPerCore) { EXPECT_EQ(returned(), 14); }

TEST_F(Places, TheThreadsThatAreAskedFor) {
  request_.threads = 1;
  EXPECT_EQ(returned(), 11);
  request_.threads = 2;
  EXPECT_EQ(returned(), 11) << "the nearest";
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("hold for 1 thread of BLAS, and 2 are expected"), HasSubstr("--threads 2 --save"))));
}

TEST_F(Places, TheThreadsOfTheUsersVariables) {
  fake_.variables["OMP_NUM_THREADS"] = "1";
  EXPECT_EQ(returned(), 11);
  fake_.variables["OPENBLAS_NUM_THREADS"] = "4";
  EXPECT_EQ(returned(), 14);
  request_.threads = 1;
  EXPECT_EQ(returned(), 11);
}

TEST_F(Places, TheLibraryCountsBeforeTheThreads) {
  request_.blas = "openblas-pthread";
  fake_.chosen.blas = "/lib/openblas-pthread/libblas.so.3";
  request_.threads = 4;
  EXPECT_EQ(returned(), 22);
}

TEST_F(Places, ALibraryWithoutThreadsHasOne) {
  request_.blas = "blis-serial";
  fake_.chosen.blas = "/lib/blis-serial/libblis.so";
  request_.threads = 4;
  EXPECT_EQ(returned(), 31);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Places, ALibraryThatTheProfileLacksIsNamed) {
  request_.blas = "mkl";
  fake_.chosen.blas = "/opt/mkl/libmkl.so";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("they were tuned with /lib/blis/libblis.so, and the program loads /opt/mkl/libmkl.so"),
                                        HasSubstr("--blas mkl --threads 4 --save"))));
}

TEST_F(Runs, BlockSizesHoldForOtherBuildsOfTheLibrary) {
  program::Profile profile = FakeRunWorld::profile("/lib/openblas-serial/libopenblas.so", 1, 48);
  profile.environment.blas.name = "openblas";
  fake_.write(profile);
  fake_.programs_blas = "/lib/openblas-pthread/libblas.so.3";
  EXPECT_EQ(returned(), 48);
  fake_.programs_blas = "/lib/blis-serial/libblas.so.3";
  EXPECT_EQ(returned(), 0);
}

TEST_F(Places, TheLibraryThatTheProgramIsLinkedWith) {
  fake_.programs_blas = "/lib/openblas-pthread/libblas.so.3";
  EXPECT_EQ(returned(), 22);
  fake_.programs_blas = "/opt/own/libopenblas.so";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("and the program loads /opt/own/libopenblas.so")));
}

/// A program that ran, and the queries of its LAPACK.
class Outcomes : public Runs {
 protected:
  Outcomes() {
    fake_.result.processes = 1;
    fake_.result.concluded = 1;
    fake_.result.blas = blis;
  }
  program::RoutineUse& add(const std::string& routine, const std::string& flags = "") {
    program::RoutineUse& use = fake_.result.routines.emplace_back();
    use.routine = routine;
    use.flags = flags;
    use.definer = "/lib/lapack/liblapack.so";
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
  add_queried("dgeqrf", 2).queried_by = "/lib/other/liblapack.so";
  const RunOutcome outcome = run();
  EXPECT_EQ(outcome.exit_code, 42);
  EXPECT_EQ(outcome.blas, blis);
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

TEST_F(Outcomes, SayWhyARoutineWasNotAskedFor) {
  add("dgeqrf", "L").other_queries = 1;
  fake_.result.routines[0].other_options = "U";
  add("dpotrf").definer.clear();
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
  add("dgeqrf").definer.clear();
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
  fake_.result.routines[0].definer = "/lib/openblas64/libopenblas64.so";
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

TEST_F(Outcomes, SayNothingOfAVariantOfTheProfilesLibrary) {
  fake_.result.blas = "/lib/blis/libblas.so.3";
  run();
  EXPECT_THAT(notes_, IsEmpty());
}

/// Returns a place of the system's wisdom.
program::Profile systems(const std::string& blas, int threads, std::int64_t nb) { return FakeRunWorld::profile(blas, threads, nb); }

TEST_F(Runs, TheSystemsWisdomHoldsWhereTheUserHasNone) {
  fake_.system = {systems(blis, 4, 80)};
  EXPECT_EQ(returned(), 48) << "the user's own for the same library and threads";
  std::filesystem::remove(fake_.file());
  EXPECT_EQ(returned(), 80);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Runs, TheSystemsWisdomCountsWhereItFitsBetterAndFillsInRoutines) {
  fake_.system = {systems(blis, 2, 80)};
  request_.threads = 2;
  EXPECT_EQ(returned(), 80);
  program::Profile more = systems(blis, 4, 80);
  more.set({"dpotrf", "L", {{200, 200, {72, 2, 0}, {}, 0, false}}});
  fake_.system = {more};
  request_.threads = 4;
  EXPECT_EQ(returned(), 48);
  EXPECT_EQ(tuned_block_size(settings().profile, "dpotrf", 200, 200, "L")->nb, 72);
}

TEST_F(Runs, TheSystemsWisdomTakesThePlaceOfAProfileOfAnotherMachine) {
  program::Profile other = FakeRunWorld::profile(blis, 4, 48);
  other.environment.cpu = "another CPU";
  fake_.write(other);
  EXPECT_EQ(returned(), 0);
  fake_.system = {systems(blis, 4, 80)};
  EXPECT_EQ(returned(), 80);
  request_.profile = fake_.file();
  EXPECT_EQ(returned(), 0) << "a profile that the user names";
}

}  // namespace
}  // namespace flopcast::tests
