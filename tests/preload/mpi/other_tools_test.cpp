#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/preload/mpi/traced_programs.hpp"

/// Other tools that define MPI functions: the program's calls reach both.
namespace flopcast::preload {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class OtherTools : public FollowedPrograms {
 protected:
  static std::string library(const std::string& name) {
    return std::string(FLOPCAST_MPI_PROGRAMS) + "/lib" + name + '_' + GetParam() + ".so";
  }

  /// Expects that both tools have seen three messages, and two broadcasts in both processes.
  void expect_seen_by_both(const Result& result, const std::string& output = "tool: begun 1, 3 sends, 3 receives, 4 broadcasts\n") {
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, output);
    const json found = profile();
    EXPECT_EQ(executed(found, "MPI_Send(800 bytes"), 3);
    EXPECT_EQ(executed(found, "MPI_Recv(800 bytes"), 3);
    if (output.find("broadcasts") != std::string::npos) {
      EXPECT_EQ(executed(found, "MPI_Bcast(400 bytes"), 2 * 2);
    }
    ASSERT_EQ(found.at("other_tools").size(), 1) << found.at("other_tools");
    EXPECT_THAT(result.err, HasSubstr("defines MPI functions, too"));
  }
};

TEST_P(OtherTools, LinkedBeforeMpi) {
  const std::string program = built("linked_tool_program");
  EXPECT_EQ(run(2, program).out, "tool: begun 1, 3 sends, 3 receives, 4 broadcasts\n");
  expect_seen_by_both(traced(2, "", program));
  EXPECT_THAT(profile().at("other_tools")[0].at("library").get<std::string>(), HasSubstr("libcounting_tool_"));
  EXPECT_THAT(profile().at("other_tools")[0].at("functions"), Contains("MPI_Send"));
}

TEST_P(OtherTools, InTheProgramItself) {
  expect_seen_by_both(traced(2, "", built("own_tool_program")));
  EXPECT_EQ(profile().at("other_tools")[0].at("library"), "");
}

TEST_P(OtherTools, Preloaded) {
  expect_seen_by_both(run(2, "env LD_PRELOAD=" + library("counting_tool") +
                                 " " FLOPCAST_PROGRAM " mpi run --kernels library --output profile.json -- " + built("tooled_program")));
}

TEST_P(OtherTools, PreloadedBeforeFlopcast) {
  expect_seen_by_both(traced(2, "--mpi " + GetParam(),
                             "sh -c 'LD_PRELOAD=" + library("counting_tool") + ":$LD_PRELOAD exec " + built("tooled_program") + "'"));
}

/// The tool finds MPI's functions by dlsym.
TEST_P(OtherTools, LookingForTheNextFunction) { expect_seen_by_both(traced(2, "", built("looking_tool_program"))); }

/// The procedures of both MPIs for Fortran call C's functions, so that a tool in C sees them, too.
TEST_P(OtherTools, OfFortran) {
  const std::string program = built("tooled_fortran");
  if (!std::filesystem::exists(program)) {
    GTEST_SKIP() << "there is no Fortran compiler";
  }
  for (const char* tool : {"fortran_tool", "deaf_fortran_tool", "converting_fortran_tool"}) {
    const std::string preloaded = "env LD_PRELOAD=" + library(tool) + ' ';
    EXPECT_EQ(run(2, preloaded + program).out, "tool: 3 sends of Fortran\n");
    expect_seen_by_both(run(2, preloaded + FLOPCAST_PROGRAM " mpi run --kernels library --output profile.json -- " + program),
                        "tool: 3 sends of Fortran\n");
    const json found = profile().at("other_tools")[0];
    EXPECT_EQ(found.at("functions"), json({"mpi_finalize_", "mpi_send_"}));
    EXPECT_EQ(found.at("unseen_functions"), tool == std::string("deaf_fortran_tool") ? json({"mpi_barrier_"}) : json::array());
  }
}

TEST_P(OtherTools, ThatKeepACallToThemselvesAreNamed) {
  const Result result = traced(2, "", built("deaf_tool_program"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(profile().at("other_tools")[0].at("unseen_functions"), json({"MPI_Pcontrol"}));
  EXPECT_THAT(result.err, HasSubstr("takes calls that flopcast doesn't see: MPI_Pcontrol"));
}

/// Names the tool instead of saying that the program never called MPI_Init.
TEST_P(OtherTools, ThatHideMpiInitAreNamed) {
  const Result result = run(1, FLOPCAST_PROGRAM " mpi run -- " + built("hiding_program"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("libhiding_tool"), HasSubstr("defines MPI_Init"), Not(HasSubstr("never called"))));
}

TEST_P(OtherTools, ProgramsWithoutOneHaveNone) {
  ASSERT_EQ(traced(2, "", built("tooled_program")).exit_code, 0);
  EXPECT_EQ(profile().at("other_tools"), json::array());
}

INSTANTIATE_TEST_SUITE_P(Mpi, OtherTools, testing::Values("openmpi", "mpich"));

}  // namespace
}  // namespace flopcast::preload
