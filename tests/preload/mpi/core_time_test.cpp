#include "flopcast/preload/mpi/core_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "flopcast/preload/mpi/waits.hpp"
#include "tests/preload/mpi/traced_programs.hpp"

/// Time in which processes had no core or wanted none, and the processes for which others wait.
namespace flopcast::preload {
namespace {

using mpi::CoreReading;
using mpi::CoreTime;
using mpi::Wait;
using mpi::Waits;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(CoreTime, DistinguishesComputingHavingNoCoreAndBeingBlocked) {
  CoreReading now;
  CoreTime time([&now] { return now; });
  time.start();
  now = {1, 0.5, 0.25};
  EXPECT_TRUE(time.enter_mpi(now.wall));
  EXPECT_DOUBLE_EQ(time.lost().blocked, 0.25);
  EXPECT_DOUBLE_EQ(time.lost().program_without_core, 0.25);
  now = {2, 0.75, 0.5};
  EXPECT_TRUE(time.leave_mpi(now.wall));
  EXPECT_DOUBLE_EQ(time.lost().blocked, 0.25) << "waiting for a message isn't blocking";
  EXPECT_DOUBLE_EQ(time.lost().without_core, 0.5);
  EXPECT_DOUBLE_EQ(time.lost().program_without_core, 0.25);
  now = {3, 3.75, 0.5};
  time.stop();
  EXPECT_DOUBLE_EQ(time.lost().blocked, 0.25) << "several threads compute";
  EXPECT_DOUBLE_EQ(time.lost().cpu, 3.75);
  EXPECT_DOUBLE_EQ(time.lost().measured, 3);
}

TEST(CoreTime, ReadsRarelyAndChargesWhatTookLonger) {
  CoreReading now;
  int readings = 0;
  CoreTime time([&] { return ++readings, now; });
  time.start();
  for (int i = 1; i <= 100; ++i) {
    now.wall = 1e-5 * i;
    i % 2 == 0 ? time.leave_mpi(now.wall) : time.enter_mpi(now.wall);
  }
  EXPECT_LE(readings, 2);
  now.wall = 0.5;  // the program sleeps after a short call of MPI
  EXPECT_TRUE(time.enter_mpi(now.wall));
  EXPECT_NEAR(time.lost().blocked, 0.5, 1e-3);
  const double before = time.lost().blocked;
  EXPECT_FALSE(time.leave_mpi(now.wall + 1e-6));
  EXPECT_FALSE(time.enter_mpi(now.wall + 2e-6));
  now.wall = 1;  // a long call
  EXPECT_TRUE(time.leave_mpi(now.wall));
  EXPECT_EQ(time.lost().blocked, before);
}

TEST(CoreTime, StopsAndForgets) {
  CoreReading now;
  CoreTime time([&now] { return now; });
  EXPECT_FALSE(time.enter_mpi(5));
  time.start();
  now = {1, 1, 0};
  time.stop();
  now = {9, 1, 0};
  EXPECT_FALSE(time.enter_mpi(now.wall));
  time.stop();
  EXPECT_EQ(time.lost().measured, 1);
  EXPECT_EQ(time.lost().blocked, 0);
  time.restart();
  EXPECT_EQ(time.lost().measured, 0);
}

TEST(CoreTime, ReadsTheSystem) {
  const CoreReading first = CoreTime::read_system();
  const CoreReading second = CoreTime::read_system();
  EXPECT_GE(second.wall, first.wall);
  EXPECT_GE(second.cpu, first.cpu);
  EXPECT_GE(second.waiting, first.waiting);
}

TEST(Waits, BelongToTheRoutineAndTheProcess) {
  constexpr std::uint32_t recv = 1;
  constexpr std::uint32_t bcast = 2;
  Waits waits;
  EXPECT_EQ(waits.longest().routine, Wait::no_routine);
  waits.enter(0);
  waits.add_until(1);  // not known yet
  waits.await(recv, 3);
  waits.add_until(2);
  waits.await(recv, 4);
  waits.add_until(5);
  EXPECT_EQ(waits.longest().awaited, 4);
  EXPECT_EQ(waits.longest().seconds, 3);
  waits.enter(5);
  waits.await(recv, 3);
  waits.add_until(7);
  EXPECT_EQ(waits.longest().awaited, 3);
  EXPECT_EQ(waits.longest().seconds, 4);
  waits.await(bcast);
  waits.add(0.5);
  waits.add(1e-6);
  EXPECT_EQ(waits.together(bcast), 0.5);
  waits.forget();
  EXPECT_EQ(waits.longest().routine, Wait::no_routine);
}

class LostTime : public FollowedPrograms {};

TEST_P(LostTime, SleepIsSaidWithThoseWhoWait) {
  for (const char* clock : {"cpu", "wall"}) {
    const Result result = traced(3, std::string("--clock ") + clock, built("sleeping_program"));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json found = profile();
    const json& processes = found.at("processes");
    EXPECT_GE(processes[0].at("blocked_seconds"), 0.29) << clock;
    EXPECT_LT(processes[1].at("blocked_seconds"), 0.2) << clock;
    EXPECT_EQ(processes[1].at("longest_wait").at("routine"), "MPI_Recv") << clock;
    EXPECT_EQ(processes[1].at("longest_wait").at("awaited_rank"), 0) << clock;
    EXPECT_THAT(result.err, AllOf(HasSubstr("process 0 didn't compute for"), HasSubstr("for it in MPI_Recv"), HasSubstr("| blocked")));
    EXPECT_THAT(result.err, HasSubstr(std::string(clock) == "cpu" ? "--clock wall measures it" : "Such time counts as computation"));
    const Result shown = MpiPrograms::run(FLOPCAST_PROGRAM " mpi show profile.json");
    EXPECT_THAT(shown.out, HasSubstr("process 0 didn't compute for"));
  }
}

/// In a collective all wait for the process that comes last.
TEST_P(LostTime, TheLastProcessOfACollectiveIsNamed) {
  ASSERT_EQ(traced(3, "--clock cpu", built("sleeping_program") + " twice").exit_code, 0);
  const json wait = profile().at("processes")[0].at("longest_wait");
  EXPECT_EQ(wait.at("routine"), "MPI_Barrier");
  EXPECT_EQ(wait.at("awaited_rank"), 1);
}

/// Two processes on one core can't get more than that core.
TEST_P(LostTime, LackOfCoresIsSaid) {
  ASSERT_EQ(run(1, "taskset -c 0 sleep 0.2").exit_code, 0);  // MPICH's launcher may die of SIGPIPE where a program ends at once
  const Result result = run(2, "taskset -c 0 " FLOPCAST_PROGRAM " mpi run --kernels library --clock wall --output profile.json -- " +
                                   built("work_program") + " 100");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = profile();
  const double lost =
      found.at("processes")[0].at("without_core_seconds").get<double>() + found.at("processes")[1].at("without_core_seconds").get<double>();
  EXPECT_GE(lost, 0.5 * found.at("elapsed_seconds").get<double>());
  EXPECT_THAT(result.err, AllOf(HasSubstr("the machine was noisy: 2 processes got"), HasSubstr("of 2 cores")));
}

INSTANTIATE_TEST_SUITE_P(Mpi, LostTime, testing::Values("openmpi", "mpich"));

}  // namespace
}  // namespace flopcast::preload
