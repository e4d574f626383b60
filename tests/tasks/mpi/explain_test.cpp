#include "flopcast/tasks/mpi/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string reason(std::string_view stage, const MpiRunRequest& request) {
  MpiRun run;
  run.first = true;
  run.stage = stage;
  return why_no_profile(run, request);
}

TEST(WhyNoProfile, FollowsTheStage) {
  MpiRunRequest request;
  request.command = {"/bin/true"};
  EXPECT_THAT(reason(protocol::mpi_stage_loaded, request), HasSubstr("never called MPI_Init"));
  EXPECT_THAT(reason(protocol::mpi_stage_initialised, request), HasSubstr("not all processes reached MPI_Finalize"));
  EXPECT_THAT(reason(protocol::mpi_stage_sessions, request), HasSubstr("MPI_Session_init"));
  EXPECT_THAT(reason(protocol::mpi_stage_writing, request), HasSubstr("before all of it was written"));
  EXPECT_THAT(reason(protocol::mpi_stage_multiple, request), HasSubstr("--no-thread-multiple"));
  EXPECT_THAT(reason(std::string(protocol::mpi_stage_hidden) + "/lib/libstub.so", request),
              AllOf(HasSubstr("/lib/libstub.so defines MPI_Init"), Not(HasSubstr("never called"))));
  request.thread_multiple = false;
  EXPECT_THAT(reason(protocol::mpi_stage_multiple, request), HasSubstr("MPI gave it more than it asked for"));
}

TEST(WarningsAboutAProfile, NameWhatIsntFollowed) {
  MpiProfile profile;
  EXPECT_THAT(warnings_about(profile), IsEmpty());
  profile.spawned_processes = 2;
  profile.sessions = true;
  profile.path_complete = false;
  EXPECT_THAT(warnings_about(profile),
              ElementsAre(HasSubstr("more events than are kept"), HasSubstr("spawned 2 processes"), HasSubstr("MPI_Session_init")));
  profile = {};
  profile.bypassing_messages = 3;
  profile.prefixed_calls = true;
  profile.simultaneous_calls = 1;
  EXPECT_THAT(warnings_about(profile),
              ElementsAre(HasSubstr("some messages bypass flopcast: at least 3 were sent or received in ways that it doesn't see"),
                          HasSubstr("names with PMPI_ or addresses from dlsym"), HasSubstr("1 MPI call came while another thread")));
}

TEST(WarningsAboutAProfile, NameOtherTools) {
  MpiProfile profile;
  profile.other_tools = {{"/lib/libtool.so", {"MPI_A", "MPI_B", "MPI_C", "MPI_D", "MPI_E", "MPI_F"}, {}}, {"", {}, {"MPI_Pcontrol"}}};
  EXPECT_THAT(warnings_about(profile),
              ElementsAre(AllOf(HasSubstr("/lib/libtool.so defines MPI functions, too: MPI_A, MPI_B, MPI_C, MPI_D and 2 others."),
                                HasSubstr("before flopcast's")),
                          HasSubstr("the program itself takes calls that flopcast doesn't see: MPI_Pcontrol")));
}

MpiProfile two_processes(protocol::MpiClock clock) {
  MpiProfile profile;
  profile.ranks = 2;
  profile.clock = clock;
  profile.elapsed = 0.372;
  profile.processes.resize(2);
  profile.processes[1].rank = 1;
  for (MpiProcess& process : profile.processes) {
    process.cpu = process.own.computation = 0.02;
  }
  return profile;
}

TEST(WarningsAboutAProfile, NameTheProcessThatSleepsAndTheOneThatWaits) {
  MpiProfile profile = two_processes(protocol::MpiClock::cpu);
  profile.processes[0].blocked = 0.01;
  EXPECT_THAT(warnings_about(profile), IsEmpty()) << "it matters little";
  profile.processes[0].blocked = 0.35;
  profile.processes[1].longest_wait = MpiWait{"MPI_Recv", 0, 0.345};
  EXPECT_THAT(warnings_about(profile), ElementsAre(AllOf(HasSubstr("process 0 didn't compute for 350 ms of 372 ms outside of MPI"),
                                                         HasSubstr("Process 1 waited 345 ms for it in MPI_Recv"),
                                                         HasSubstr("isn't on the critical path"), HasSubstr("--clock wall measures it"))));
  profile.clock = protocol::MpiClock::wall;
  EXPECT_THAT(warnings_about(profile), ElementsAre(HasSubstr("Such time counts as computation")));
  profile.processes[1].blocked = 0.2;
  EXPECT_THAT(warnings_about(profile), ElementsAre(HasSubstr("outside of MPI, and 1 other process for less, because")));
}

TEST(NoiseOfAProfile, SaysHowManyCoresTheProcessesGot) {
  MpiProfile profile = two_processes(protocol::MpiClock::wall);
  profile.elapsed = 1;
  EXPECT_EQ(noise_of(profile), "");
  profile.processes[0].without_core = 0.4;
  profile.processes[1].without_core = 0.5;
  EXPECT_THAT(noise_of(profile), AllOf(HasSubstr("2 processes got 1.1 of 2 cores"), HasSubstr("an imbalance isn't the program's")));
  profile.processes[1].own.computation = 0.04;
  EXPECT_THAT(noise_of(profile), Not(HasSubstr("imbalance")));
  profile.processes[1].own.computation = 0.52;
  profile.processes[1].program_without_core = 0.5;
  EXPECT_THAT(noise_of(profile), HasSubstr("an imbalance isn't the program's"));
  profile.clock = protocol::MpiClock::cpu;
  EXPECT_EQ(noise_of(profile), "") << "CPU time needs no core of its own";
}

TEST(EndWithKernelsLeftOut, TellsAStandstillAFailureAndGarbage) {
  MpiRunRequest request;
  request.policy = selective::Policy::local;
  EXPECT_TRUE(skips_kernels(request));
  MpiRun run;
  run.first = true;
  EXPECT_THAT(
      end_with_skipped_kernels(run, {}, request),
      AllOf(HasSubstr("results are garbage"), HasSubstr("times count as far as the program's course doesn't depend on its results")));
  run.first = false;
  EXPECT_EQ(end_with_skipped_kernels(run, {}, request), "") << "only the first process tells it";
  run.exit_code = 3;
  EXPECT_THAT(end_with_skipped_kernels(run, {}, request), HasSubstr("exit code 3"));
  run.exit_code = 128 + 15;
  EXPECT_EQ(end_with_skipped_kernels(run, {}, request), "") << "mpirun ended it";
  run.stalled = true;
  EXPECT_THAT(end_with_skipped_kernels(run, {}, request), HasSubstr("no new kernel for 60.0 s (--timeout)"));
}

TEST(EndWithKernelsLeftOut, DoesNotBlameThemIfThereAreNone) {
  MpiRunRequest request;
  request.policy = selective::Policy::local;
  MpiRun run;
  run.first = true;
  MpiProfile profile;
  profile.kernels.resize(2);
  EXPECT_THAT(end_with_skipped_kernels(run, profile, request),
              AllOf(HasSubstr("no kernel of the profile was skipped"), Not(HasSubstr("garbage"))));
  run.exit_code = 3;
  EXPECT_THAT(end_with_skipped_kernels(run, profile, request), Not(HasSubstr("garbage"))) << "the program fails by itself";
  run.exit_code = 0;
  request.executions = "executions.json";
  EXPECT_EQ(end_with_skipped_kernels(run, profile, request), "") << "the profile is that of the last execution only";
  request.executions.clear();
  profile.kernels[1].skipped = 1;
  EXPECT_THAT(end_with_skipped_kernels(run, profile, request), HasSubstr("results are garbage, because kernels were skipped"));
}

TEST(LeavesKernelsOut, WithExecutionsOfATuningToo) {
  MpiRunRequest request;
  EXPECT_FALSE(skips_kernels(request));
  request.executions = "executions.json";
  EXPECT_TRUE(skips_kernels(request));
}

}  // namespace
}  // namespace flopcast
