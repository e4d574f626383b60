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

/// Other kernels or threads of the same library have other times.
TEST_P(MpiRun, TimesHoldForTheLibraryItsKernelsAndThreads) {
  const auto where = [&](const std::string& variables) {
    EXPECT_EQ(
        run(1, "env " + variables + " " FLOPCAST_PROGRAM " mpi run --output profile.json -- " + program("work_program") + " 2").exit_code,
        0);
    return profile().at("where").get<std::string>();
  };
  const std::string one = where("OPENBLAS_CORETYPE=Prescott OPENBLAS_NUM_THREADS=1");
  if (one.find("openblas") == std::string::npos) {
    GTEST_SKIP() << "the BLAS is not OpenBLAS: " << one;
  }
  EXPECT_THAT(one, HasSubstr(" bytes), Prescott kernels, 1 thread"));
  EXPECT_EQ(where("OPENBLAS_CORETYPE=Prescott OPENBLAS_NUM_THREADS=1"), one);
  EXPECT_THAT(where("OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1"), HasSubstr(" bytes), Nehalem kernels, 1 thread"));
  EXPECT_NE(where("OPENBLAS_CORETYPE=Prescott OPENBLAS_NUM_THREADS=2"), one);
}

TEST_P(MpiRun, PartsOfThePathAddUp) {
  ASSERT_EQ(traced(3, "--output profile.json", program("work_program") + " 20").exit_code, 0);
  const json found = profile();
  const json& path = found.at("path");
  const double parts =
      path.at("computation_seconds").get<double>() + path.at("communication_seconds").get<double>() + path.at("idle_seconds").get<double>();
  EXPECT_NEAR(parts, path.at("seconds").get<double>(), 1e-9);
  double kernels = 0;
  for (const json& each : found.at("kernels")) {
    kernels += each.at("along").at("seconds").get<double>();
  }
  EXPECT_GT(kernels, 0);
  const double own_code = found.at("own_code_seconds");
  EXPECT_GT(own_code, 0);
  constexpr double rounding = 1e-3;  // the log's times are floats
  EXPECT_NEAR(kernels + own_code + path.at("idle_seconds").get<double>(), path.at("seconds"), rounding * path.at("seconds").get<double>());
  EXPECT_LE(path.at("seconds"), found.at("longest").at("seconds"));
}

TEST_P(MpiRun, ReportsHowProcessesSpentTheirTime) {
  ASSERT_EQ(traced(2, "--clock wall --output profile.json", program("work_program") + " 20").exit_code, 0);
  const json in_full = profile().at("spent");
  EXPECT_GT(in_full.at("always_seconds"), 0);
  EXPECT_GT(in_full.at("calls_seconds"), in_full.at("messages_seconds"));
  for (const char* name : {"window_seconds", "unseen_seconds", "unsure_seconds", "brief_seconds", "leaving_out_seconds"}) {
    EXPECT_EQ(in_full.at(name), 0) << name;
  }
  ASSERT_EQ(
      traced(2, "--policy conditional --no-windows --time-precision 1000 --output profile.json", program("work_program") + " 20").exit_code,
      0);
  const json found = profile();
  const json& selective = found.at("spent");
  EXPECT_GT(selective.at("unseen_seconds"), 0);
  EXPECT_GT(selective.at("leaving_out_seconds"), 0);
  EXPECT_EQ(selective.at("window_seconds"), 0);
  double all = 0;
  for (const char* name : {"always", "brief", "window", "unseen", "unsure", "preparing", "leaving_out", "calls", "program"}) {
    all += selective.at(std::string(name) + "_seconds").get<double>();
  }
  EXPECT_GT(all, 0);
  EXPECT_LE(all, 1.01 * found.at("elapsed_seconds").get<double>());
}

TEST_P(MpiRun, DiedAbortedAndUnfinishedProgramsHaveNoProfile) {
  for (const char* end : {"abort", "kill", "leave", "exit"}) {
    const Result result = traced(2, "--output profile.json", program("work_program") + " 5 " + end);
    EXPECT_FALSE(fs::exists(folder_ / "profile.json")) << end;
    if (std::string(end) != "exit") {
      EXPECT_NE(result.exit_code, 0) << end;
      EXPECT_NE(result.exit_code, 124) << end << " hung";
    }
  }
}

TEST_P(MpiRun, AnEarlierProfileIsNotMistakenForThisRuns) {
  for (const char* end : {"multiple", "kill", "exit"}) {
    std::ofstream(folder_ / "profile.json") << "an earlier one";
    // If one of two processes leaves without MPI_Finalize, MPICH's mpirun kills the other one and its flopcast, and reports success.
    const Result result = traced(std::string(end) == "exit" ? 1 : 2, "--output profile.json", program("work_program") + " 5 " + end);
    EXPECT_NE(result.exit_code, 0) << end;
    EXPECT_FALSE(fs::exists(folder_ / "profile.json")) << end;
    EXPECT_EQ(contents(folder_ / "profile.json.before"), "an earlier one") << end;
    if (std::string(end) != "kill") {  // here mpirun may end flopcast before it prints anything
      EXPECT_THAT(result.err, HasSubstr("that of an earlier run is now in profile.json.before")) << end;
    }
  }
  fs::remove(folder_ / "profile.json.before");
  EXPECT_EQ(traced(1, "--output profile.json", program("work_program") + " 5 none").exit_code, 5);
  ASSERT_EQ(traced(2, "--output profile.json", program("work_program") + " 5").exit_code, 0);
  ASSERT_EQ(traced(2, "--policy a-priori --prior-profile profile.json --output profile.json", program("work_program") + " 5").exit_code, 0);
  EXPECT_EQ(profile().at("policy"), "a-priori");
  EXPECT_FALSE(fs::exists(folder_ / "profile.json.before"));
}

TEST_P(MpiRun, KilledProcessesLeaveNoFiles) {
  EXPECT_NE(MpiPrograms::run("sh -c 'mkdir scratch; TMPDIR=$PWD/scratch exec env " + launcher(GetParam()) +
                             "2 " FLOPCAST_PROGRAM " mpi run -- " + program("work_program") + " 5 kill'")
                .exit_code,
            0);
  for (const fs::directory_entry& each : fs::directory_iterator(folder_ / "scratch")) {
    EXPECT_THAT(each.path().filename().string(), testing::Not(testing::StartsWith("flopcast")));
  }
}

TEST_P(MpiRun, WritesTheProfileToStandardOutputIfAskedTo) {
  const Result result = traced(2, "--quiet --output -", program("work_program") + " 5");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t start = result.out.find('{');
  ASSERT_NE(start, std::string::npos) << result.out;
  EXPECT_EQ(json::parse(result.out.substr(start)).at("ranks"), 2);
  EXPECT_EQ(result.err, "");
}

TEST_P(MpiRun, SaysWhyThereIsNoProfile) {
  EXPECT_THAT(traced(1, "", program("work_program") + " 5 none").err, HasSubstr("never called MPI_Init"));
  EXPECT_THAT(traced(1, "", program("work_program") + " 5 exit").err, HasSubstr("not all processes reached MPI_Finalize"));
  const Result threads = traced(2, "", program("work_program") + " 5 multiple");
  EXPECT_EQ(threads.exit_code, 0);
  EXPECT_THAT(threads.out, HasSubstr("result"));
  EXPECT_THAT(threads.err, HasSubstr("MPI_THREAD_MULTIPLE"));
  EXPECT_THAT(threads.err, HasSubstr("--no-thread-multiple"));
  const Result given = run(1, "env OMPI_MPI_THREAD_LEVEL=3 MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE " FLOPCAST_PROGRAM
                              " mpi run --no-thread-multiple -- " +
                                  program("converging_program"));
  EXPECT_THAT(given.err, HasSubstr("MPI gave it more than it asked for"));
}

TEST_P(MpiRun, ShowsAProfile) {
  ASSERT_EQ(traced(2, "--quiet --output profile.json", program("work_program") + " 5").exit_code, 0);
  const Result shown = show("profile.json");
  EXPECT_THAT(shown.out, HasSubstr("critical path"));
  EXPECT_THAT(shown.out, HasSubstr("dgemm(NT, 100, 100, 100)"));
  std::ofstream(folder_ / "cut.json") << contents(folder_ / "profile.json").substr(0, 500);
  EXPECT_NE(show("cut.json").exit_code, 0);
  EXPECT_THAT(show("cut.json").err, HasSubstr("cut.json"));
}

TEST_P(MpiModes, EachProcessHasARow) {
  const Result result = traced(3, "--clock cpu --output profile.json", program("work_program") + " 20");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = profile().at("processes");
  ASSERT_EQ(found.size(), 3U);
  double flops = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found.at(i).at("rank"), i);
    EXPECT_EQ(found.at(i).at("flops"), 20.0 * static_cast<double>(i + 1) * 2e6);
    flops += found.at(i).at("on_path_seconds").get<double>();
  }
  EXPECT_GT(flops, 0);
  EXPECT_THAT(result.err, HasSubstr("computes most"));
  EXPECT_THAT(result.err, HasSubstr(" % in MPI, "));
  EXPECT_THAT(result.err, HasSubstr("waited: wall time"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr(" on a core, of ")));
  json busy = profile();  // as on a machine that is busy with other programs
  busy["clock"] = "wall";
  for (json& process : busy["processes"]) {
    process["blocked_seconds"] = process["computation_seconds"].get<double>() / 2;
    process["program_without_core_seconds"] = 0;  // whatever the processes lacked here
  }
  std::ofstream(folder_ / "busy.json") << busy;
  EXPECT_THAT(show("busy.json").out, HasSubstr(" on a core, of "));
  EXPECT_THAT(result.err, HasSubstr("kernels on path"));
  json before = profile();  // as profiles were before they had rows
  before.erase("processes");
  std::ofstream(folder_ / "before.json") << before;
  EXPECT_EQ(show("before.json").exit_code, 0);
  EXPECT_THAT(show("profile.json").out, HasSubstr("kernels on path"));
}

}  // namespace
}  // namespace flopcast::preload
