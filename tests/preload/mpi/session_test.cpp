#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/preload/mpi/mpi_run.hpp"

namespace flopcast::preload {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using tests::contents;
using tests::launcher;

TEST_P(MpiRun, AProgramThatMakesDoWithFewerThreadsIsFollowed) {
  const Result plain = run(2, program("work_program") + " 5 multiple");
  const Result result = traced(2, "--no-thread-multiple --output profile.json", program("work_program") + " 5 multiple");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, plain.out);
  EXPECT_GT(profile().at("path").at("seconds"), 0);
}

/// One thread of a process at a time sends and receives, but not the one that called MPI_Init.
TEST_P(MpiRun, CommunicationInAnotherThreadIsFollowed) {
  const Result plain = run(2, program("work_program") + " 10 serialized");
  const Result result = traced(2, "--output profile.json", program("work_program") + " 10 serialized");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, plain.out);
  const json found = profile();
  EXPECT_EQ(kernel(found, "MPI_Recv(800 bytes")->at("executed").at("count"), 10);
  EXPECT_EQ(kernel(found, "dgemm(NT, 100, 100, 100)")->at("executed").at("count"), 10 * (1 + 2));
  // A path from the process that starts first to the one that ends last exceeds either time by the difference of their starts. If a
  // thread's time were counted twice, the path would be twice as long.
  EXPECT_LT(found.at("path").at("seconds").get<double>(), 1.5 * found.at("elapsed_seconds").get<double>());
}

/// The hash of a process's calls is the same in every run of the same work.
TEST_P(MpiRun, EqualRunsHaveEqualHashesOfCalls) {
  const auto calls = [&](const std::string& options, const std::string& command) {
    EXPECT_EQ(traced(2, "--output profile.json " + options, command).exit_code, 0);
    return profile().at("calls");
  };
  const json full = calls("", program("work_program") + " 10");
  ASSERT_EQ(full.size(), 2U);
  EXPECT_EQ(full.at(0).at(0), 2 * 10);
  EXPECT_EQ(calls("--policy conditional --time-precision 1000", program("work_program") + " 10"), full);
  EXPECT_NE(calls("", program("work_program") + " 11"), full);
}

TEST_P(MpiModes, PcontrolSelectsTheMeasuredPart) {
  const json found = same_as_plain(2, "control");
  EXPECT_EQ(products_on_path(found, 222), 5);
  EXPECT_EQ(kernel(found, "dgemm(NN, 111, 111, 111)"), nullptr);
  EXPECT_EQ(kernel(found, "dgemm(NN, 112, 112, 112)"), nullptr);
}

TEST_P(MpiModes, SaysThatSessionsAreNotFollowed) {
  if (!has_mpi_4()) {
    GTEST_SKIP() << "sessions came with MPI-4";
  }
  const Result plain = run(2, mode("sessions"));
  const Result with = traced(2, "", mode("sessions"));
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(sorted_lines(with.out), sorted_lines(plain.out));
  EXPECT_THAT(with.err, HasSubstr("the program uses sessions (MPI_Session_init) in place of MPI_Init. Sessions aren't traced"));
  const Result asked = traced(2, "--output profile.json", mode("sessions"));
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_THAT(asked.err, HasSubstr("no profile: the program uses sessions"));
  EXPECT_FALSE(fs::exists(folder_ / "profile.json"));
  EXPECT_TRUE(same_as_plain(2, "both").at("sessions"));
  EXPECT_THAT(show("profile.json").exit_code, 0);
}

TEST_P(MpiModes, SpawningKeepsTheProfileOfTheSpawningProcess) {
  if (GetParam() != "openmpi") {
    GTEST_SKIP() << "Debian's MPICH doesn't spawn processes";
  }
  for (const char* how : {"spawn", "join"}) {
    const json found = same_as_plain(1, how);
    EXPECT_EQ(found.at("ranks"), 1) << how;
    EXPECT_EQ(found.at("spawned_processes"), 2) << how;
    EXPECT_EQ(products_on_path(found, 100), 3) << how;
  }
  EXPECT_THAT(traced(1, "", mode("spawn")).err, HasSubstr("the program spawned 2 processes. Spawned processes aren't traced"));
}

/// One launch starts several programs.
TEST_P(MpiModes, SeveralProgramsAreFollowedTogetherOrNotAtAll) {
  const std::string with = FLOPCAST_PROGRAM " mpi run --output profile.json -- ";
  const std::string turns = mode("turns");
  const Result both = run(1, with + turns + " : -n 1 " + with + turns);
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(profile().at("ranks"), 2);
  for (const std::string& command : {with + turns + " : -n 1 " + turns, turns + " : -n 1 " + with + turns}) {
    const Result result = run(1, command);
    EXPECT_EQ(result.exit_code, 4) << command << result.err;
    EXPECT_THAT(result.err, HasSubstr("without flopcast")) << command;
  }
  std::ofstream(folder_ / "first.sh") << "#!/bin/sh\ncase ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 0) exec " << with << turns << ";; *) exec "
                                      << turns << ";; esac\n";
  EXPECT_EQ(run(2, "sh ./first.sh").exit_code, 4);
  const Result different = run(1, with + turns + " : -n 1 " FLOPCAST_PROGRAM " mpi run --policy online -- " + turns);
  EXPECT_NE(different.exit_code, 0);
  EXPECT_NE(different.exit_code, 124);
  EXPECT_THAT(different.err, HasSubstr("traced with different options"));
}

}  // namespace
}  // namespace flopcast::preload
