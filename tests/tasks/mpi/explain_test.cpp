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

TEST(EndWithKernelsLeftOut, TellsAStandstillAFailureAndGarbage) {
  MpiRunRequest request;
  request.policy = selective::Policy::local;
  EXPECT_TRUE(leaves_kernels_out(request));
  MpiRun run;
  run.first = true;
  EXPECT_THAT(
      end_with_kernels_left_out(run, {}, request),
      AllOf(HasSubstr("results are garbage"), HasSubstr("times count as far as the program's course doesn't depend on its results")));
  run.first = false;
  EXPECT_EQ(end_with_kernels_left_out(run, {}, request), "") << "only the first process tells it";
  run.exit_code = 3;
  EXPECT_THAT(end_with_kernels_left_out(run, {}, request), HasSubstr("exit code 3"));
  run.exit_code = 128 + 15;
  EXPECT_EQ(end_with_kernels_left_out(run, {}, request), "") << "mpirun ended it";
  run.stood_still = true;
  EXPECT_THAT(end_with_kernels_left_out(run, {}, request), HasSubstr("no new kernel for 60.0 s (--patience)"));
}

TEST(EndWithKernelsLeftOut, DoesNotBlameThemIfThereAreNone) {
  MpiRunRequest request;
  request.policy = selective::Policy::local;
  MpiRun run;
  run.first = true;
  MpiProfile profile;
  profile.kernels.resize(2);
  EXPECT_THAT(end_with_kernels_left_out(run, profile, request),
              AllOf(HasSubstr("no kernel of the profile was left out"), Not(HasSubstr("garbage"))));
  run.exit_code = 3;
  EXPECT_THAT(end_with_kernels_left_out(run, profile, request), Not(HasSubstr("garbage"))) << "the program fails by itself";
  run.exit_code = 0;
  request.executions = "executions.json";
  EXPECT_EQ(end_with_kernels_left_out(run, profile, request), "") << "the profile is that of the last execution only";
  request.executions.clear();
  profile.kernels[1].skipped = 1;
  EXPECT_THAT(end_with_kernels_left_out(run, profile, request), HasSubstr("results are garbage, because kernels were left out"));
}

TEST(LeavesKernelsOut, WithExecutionsOfATuningToo) {
  MpiRunRequest request;
  EXPECT_FALSE(leaves_kernels_out(request));
  request.executions = "executions.json";
  EXPECT_TRUE(leaves_kernels_out(request));
}

}  // namespace
}  // namespace flopcast
