#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "tests/preload/mpi/mpi_run.hpp"

namespace flopcast::preload {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using tests::contents;
using tests::launcher;

/// Returns how often `part` occurs.
int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST_P(MpiRun, RandomProgramsGiveTheSameResults) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (int seed = 1; seed <= 2; ++seed) {
      const std::string command = program("random_program") + ' ' + std::to_string(100 * ranks + seed) + " 40";
      const Result plain = run(ranks, command);
      ASSERT_EQ(plain.exit_code, 0) << command << '\n' << plain.err;
      const Result with = traced(ranks, "--output profile.json", command);
      ASSERT_EQ(with.exit_code, 0) << command << '\n' << with.err;
      EXPECT_EQ(with.out, plain.out) << command;
      EXPECT_EQ(profile().at("ranks"), ranks);
    }
  }
}

TEST_P(MpiRun, CollectivesByTwoNamesAreFollowedTogether) {
  for (const char* way : {"names", "initialised"}) {
    const Result result = traced(3, "--output profile.json", program("ways_program") + ' ' + way);
    ASSERT_EQ(result.exit_code, 0) << way << result.err;
    for (const char* line : {"0: 7 6\n", "1: 7 6\n", "2: 7 6\n"}) {
      EXPECT_THAT(result.out, HasSubstr(line)) << way;
    }
    EXPECT_EQ(kernel(profile(), "MPI_Bcast(4 bytes")->at("executed").at("count"), 3 * 3);
    EXPECT_EQ(profile().at("prefixed_calls"), true);
  }
}

TEST_P(MpiRun, FortranProgramsAreFollowedUnderAllNamesThatCompilersMake) {
  for (const char* names : {"names_underscoring", "names_no-underscoring", "names_second-underscore"}) {
    if (!fs::exists(program(names))) {
      GTEST_SKIP() << "no Fortran compiler for " << GetParam();
    }
    const Result plain = run(3, program(names));
    const Result with = traced(3, "--output profile.json", program(names));
    ASSERT_EQ(with.exit_code, 0) << names << with.err;
    EXPECT_EQ(sorted_lines(with.out), sorted_lines(plain.out)) << names;
    ASSERT_NE(kernel(profile(), "MPI_Allreduce(4 bytes"), nullptr) << names;
    EXPECT_EQ(kernel(profile(), "MPI_Allreduce(4 bytes")->at("executed").at("count"), 3) << names;
    EXPECT_EQ(profile().at("prefixed_calls"), false) << names << ": only the binding uses names with the prefix";
  }
}

/// A row-major problem is computed as its transpose, which is column-major.
TEST_P(MpiRun, CblasAndLapackeAreFollowed) {
  const Result plain = run(2, program("cblas_program") + " 10");
  const Result result = traced(2, "--output profile.json", program("cblas_program") + " 10");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, plain.out);
  const json found = profile();
  for (const char* name : {"dgemm(TN, 30, 20, 10)", "dtrsm(RLNN, 30, 20)", "dgemv(T, 24, 12)", "zgerc(9, 6)", "dscal(25)", "zdotc(5)",
                           "ddot(33)", "idamax(17)", "dpotrf(L, 15)"}) {
    const json* each = kernel(found, name);
    ASSERT_NE(each, nullptr) << name << '\n' << found;
    EXPECT_EQ(each->at("executed").at("count"), 2 * 10) << name;
  }
  EXPECT_EQ(kernel(found, "dgemm(TN, 30, 20, 10)")->at("flops"), 2 * 30 * 20 * 10);
}

TEST_P(MpiRun, CblasIsLeftOut) {
  const Result result =
      traced(2, "--policy conditional --no-windows --time-precision 1000 --output profile.json", program("cblas_program") + " 200");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = profile();
  const json* product = kernel(found, "dgemm(TN, 30, 20, 10)");
  ASSERT_NE(product, nullptr);
  EXPECT_GT(product->at("skipped"), 0);
  EXPECT_EQ(product->at("skipped").get<int>() + product->at("executed").at("count").get<int>(), 2 * 200);
  EXPECT_EQ(kernel(found, "ddot(33)")->at("skipped"), 0) << "its course depends on the result";
}

/// Returns the bytes of the stack that the first call of each routine used, as small_stack prints them.
std::map<std::string, std::size_t> used_stacks(const std::string& printed) {
  std::map<std::string, std::size_t> used;
  std::istringstream lines(printed);
  std::string name;
  for (std::size_t first = 0, second = 0; lines >> name >> first >> second;) {
    used[name] = std::max(first, second);
  }
  return used;
}

TEST_P(MpiRun, KernelsTakeLittleOfTheirCallersStack) {
  constexpr std::size_t most = 3072;
  const auto alone = used_stacks(run(1, program("small_stack")).out);
  const Result result = traced(1, "--output profile.json", program("small_stack"));
  const auto used = used_stacks(result.out);
  EXPECT_EQ(used.size(), 8U) << result.err;
  for (const auto& [name, bytes] : used) {
    EXPECT_LE(bytes, alone.at(name) + most) << name;
  }
}

TEST_P(MpiRun, PluginsKeepLibrariesOfOtherIntegers) {
  const Result result = traced(1, "--policy full --output profile.json", program("two_widths_program") + " " FLOPCAST_TWO_WIDTHS);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "0 wrong\n");
  for (const char* name : {"dgemm(NN, 3, 3, 3)", "ddot(9)", "ddot(3)"}) {
    const json found = profile();
    const json* each = kernel(found, name);
    ASSERT_NE(each, nullptr) << name << '\n' << found;
    EXPECT_EQ(each->at("executed").at("count"), 6) << name;
  }
}

/// Names as Julia's, SciPy's and MKL's builds have them; Julia's has integers of 64 bits.
TEST_P(MpiRun, RoutinesUnderOtherNamesAreFollowed) {
  for (const char* names : {"julia_names", "scipy_names", "mkl_names"}) {
    const Result plain = run(2, program(names) + " 10");
    EXPECT_EQ(plain.out, "10 10\n") << plain.err;
    const Result result = traced(2, "--output profile.json", program(names) + " 10");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, plain.out) << names;
    const json found = profile();
    for (const char* product : {"dgemm(NT, 8, 6, 10)", "dgemm(TN, 8, 6, 10)"}) {
      const json* each = kernel(found, product);
      ASSERT_NE(each, nullptr) << names << ' ' << product << '\n' << found;
      EXPECT_EQ(each->at("executed").at("count"), 2 * 10) << names << ' ' << product;
      EXPECT_EQ(each->at("flops"), 2 * 8 * 6 * 10) << names;
    }
    EXPECT_THAT(found.at("where").get<std::string>(), HasSubstr("lib")) << names;
  }
}

TEST_P(MpiRun, RoutinesUnderOtherNamesAreLeftOut) {
  for (const char* names : {"julia_names", "scipy_names", "mkl_names"}) {
    const Result result =
        traced(2, "--policy conditional --no-windows --time-precision 1000 --output profile.json", program(names) + " 200");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json found = profile();
    const json* product = kernel(found, "dgemm(TN, 8, 6, 10)");
    ASSERT_NE(product, nullptr) << names;
    EXPECT_GT(product->at("skipped"), 0) << names;
    EXPECT_EQ(product->at("skipped").get<int>() + product->at("executed").at("count").get<int>(), 2 * 200) << names;
  }
}

/// The earlier findings about a library are made up.
TEST_P(MpiRun, KernelsThatSuitTheCpuAreSetAndReported) {
  {
    model::Store store = model::Store::open(folder_ / "flopcast.db");
    for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
      put_artifact(store, "kernel-choice",
                   fmt::format("{} {} {}", machine::detect_topology().cpu, library.path, fs::file_size(library.path)),
                   {{"kernels", "Prescott"},
                    {"dgemm_flops_per_second", 16e9},
                    {"better", {{"setting", "OPENBLAS_CORETYPE=Nehalem"}, {"dgemm_flops_per_second", 68e9}}}});
    }
  }
  const auto with = [&](const std::string& options) {
    const Result result =
        run(2, "env -u OPENBLAS_CORETYPE -u BLIS_ARCH_TYPE FLOPCAST_HOME=. " FLOPCAST_PROGRAM " mpi run --output profile.json " + options +
                   " -- " + program("work_program") + " 2");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string as_it_comes = with("--kernels library");
  EXPECT_THAT(as_it_comes, testing::Not(HasSubstr("OPENBLAS_CORETYPE")));
  if (profile().at("where").get<std::string>().find("openblas") == std::string::npos) {
    GTEST_SKIP() << "the BLAS is not OpenBLAS";
  }
  const std::string told = with("");
  EXPECT_THAT(profile().at("where").get<std::string>(), HasSubstr("Nehalem kernels"));
  EXPECT_EQ(occurrences(told, "with OPENBLAS_CORETYPE=Nehalem its dgemm makes 68.0 GFLOP/s, which is set for the program"), 1) << told;
}

/// The rates of both kernels are made up.
TEST_P(MpiRun, SlowKernelsThatTheEnvironmentSelectsAreReportedAndKept) {
  {
    model::Store store = model::Store::open(folder_ / "flopcast.db");
    for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
      const std::string key = fmt::format("{} {} {}", machine::detect_topology().cpu, library.path, fs::file_size(library.path));
      put_artifact(store, "kernel-choice", key, {{"kernels", "Nehalem"}, {"dgemm_flops_per_second", 68e9}});
      put_artifact(store, "kernel-comparison", key + " OPENBLAS_CORETYPE=Prescott ", {{"had", 16e9}, {"best", 68e9}});
      put_artifact(store, "kernel-comparison", key + " OPENBLAS_CORETYPE=Nehalem ", {{"had", 67e9}, {"best", 68e9}});
    }
  }
  const auto with = [&](const std::string& kernels) {
    const Result result =
        run(2, "env -u BLIS_ARCH_TYPE OPENBLAS_CORETYPE=" + kernels +
                   " FLOPCAST_HOME=. " FLOPCAST_PROGRAM " mpi run --output profile.json -- " + program("work_program") + " 2");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string told = with("Prescott");
  if (profile().at("where").get<std::string>().find("openblas") == std::string::npos) {
    GTEST_SKIP() << "the BLAS is not OpenBLAS";
  }
  EXPECT_THAT(profile().at("where").get<std::string>(), HasSubstr("Prescott kernels"));
  EXPECT_EQ(occurrences(told,
                        "computes with 'Prescott' kernels, whose dgemm makes 16.0 GFLOP/s here; as it chooses by itself it makes 68.0 "
                        "GFLOP/s. OPENBLAS_CORETYPE=Prescott in the environment selects the slower kernels"),
            1)
      << told;
  EXPECT_THAT(with("Nehalem"), testing::Not(HasSubstr("slower kernels")));
}

TEST_P(MpiRun, MoreProcessesThanCoresUseCpuTime) {
  ASSERT_EQ(run(1, "taskset -c 0 sleep 0.2").exit_code, 0);  // MPICH's launcher may die of SIGPIPE where a program ends at once
  const Result result = run(2, "taskset -c 0 " FLOPCAST_PROGRAM " mpi run --output profile.json -- " + program("work_program") + " 5");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(profile().at("clock"), "cpu");
  EXPECT_THAT(result.err, HasSubstr("CPU time"));
}

TEST_P(MpiRun, ProgramsOfAnotherMpiAreRefused) {
  const std::string other = GetParam() == "mpich" ? "openmpi" : "mpich";
  const Result named = traced(1, "--mpi " + other, program("work_program"));
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.err, HasSubstr("is linked with " + std::string(other == "mpich" ? "Open MPI" : "MPICH")));
  const std::string foreign = std::string(FLOPCAST_MPI_PROGRAMS) + "/work_program_" + other;
  if (!fs::exists(foreign)) {
    GTEST_SKIP() << other << " is not installed";
  }
  const Result started = traced(2, "", foreign + " 5");
  EXPECT_NE(started.exit_code, 0);
  EXPECT_THAT(started.err, HasSubstr("Start it with mpirun." + other));
  // MPICH's mpiexec may report the end of the processes on standard output.
  EXPECT_THAT(started.out, testing::Not(HasSubstr("result")));
}

/// A script names no MPI, and has opened the other one when this is noticed.
TEST_P(MpiRun, ProgramsThatOpenAnotherMpiAreRefused) {
  const std::string other = GetParam() == "mpich" ? "openmpi" : "mpich";
  const std::string foreign = std::string(FLOPCAST_MPI_PROGRAMS) + "/work_program_" + other;
  if (!fs::exists(foreign)) {
    GTEST_SKIP() << other << " is not installed";
  }
  std::ofstream(folder_ / "script") << "#!/bin/sh\nexec " << foreign << " 5\n";
  fs::permissions(folder_ / "script", fs::perms::owner_all);
  const Result result = traced(2, "", "./script");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("script loads " + std::string(other == "mpich" ? "MPICH" : "Open MPI")));
  EXPECT_THAT(result.err, HasSubstr("Start it with mpirun." + other));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("result")));
  const Result chosen = traced(1, "--mpi " + GetParam(), "./script");
  EXPECT_EQ(chosen.exit_code, 4) << chosen.err;
  EXPECT_THAT(chosen.err, HasSubstr("Give --mpi " + other));
}

TEST_P(MpiRun, ProgramsForSmpiAreDistinguishedFromStaticOnes) {
  const std::string subject = std::string(FLOPCAST_EXAMPLES) + "/tile_cholesky_smpi";
  if (!fs::exists(subject)) {
    GTEST_SKIP() << "SimGrid is not installed, or its programs aren't built";
  }
  const Result result = traced(1, "", subject);
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("is built for SimGrid's SMPI"));
}

TEST_P(MpiRun, RefusesProgramsOfAnMpiThatItDoesntKnow) {
  const Result result = traced(1, "", std::string(FLOPCAST_MPI_PROGRAMS) + "/unknown_mpi_program");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("is linked with libmpi.so.12, as programs of Intel MPI"));
}

TEST_P(MpiRun, NamesTheLibraryThatAProgramLacks) {
  const Result result = traced(1, "", program("lacking_program"));
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("did not start: the dynamic linker finds no libjulia_library.so"));
}

TEST_P(MpiRun, RefusesWrongOptions) {
  EXPECT_THAT(traced(1, "--clock sundial", "true").err, HasSubstr("--clock: 'sundial' given, expected one of auto, wall, cpu"));
  EXPECT_THAT(traced(1, "--mpi lam", "true").err, HasSubstr("--mpi: 'lam' given, expected one of openmpi, mpich"));
  EXPECT_THAT(traced(1, "", "./missing").err, HasSubstr("there is no program"));
  EXPECT_THAT(traced(1, "--unknown", "true").err, HasSubstr("unknown option '--unknown'"));
  for (const char* value : {"nan", "0", "-1", "inf", "1e400", "much"}) {
    const Result result = traced(1, std::string("--time-precision ") + value, "true");
    EXPECT_EQ(result.exit_code, 2) << value;
    EXPECT_THAT(result.err, HasSubstr(std::string("'") + value + "' given, expected a number greater than 0")) << value;
  }
  for (const char* value : {"soon", "0", "-1s"}) {
    const Result result = MpiPrograms::run(FLOPCAST_PROGRAM " mpi run --policy local --timeout " + std::string(value) + " -- true");
    EXPECT_EQ(result.exit_code, 2) << value;
    EXPECT_THAT(result.err, HasSubstr("--timeout")) << value;
  }
  EXPECT_THAT(traced(1, "--confidence nan", "true").err, HasSubstr("'nan' given, expected a number from 0.5 to 0.9999"));
}

TEST_P(MpiRun, SelectivePoliciesWarnThatResultsAreGarbage) {
  EXPECT_THAT(traced(2, "", program("work_program") + " 5").err, testing::Not(HasSubstr("garbage")));
  const Result few = traced(2, "--policy local", program("work_program") + " 1");
  EXPECT_EQ(few.exit_code, 0);
  EXPECT_THAT(few.err, HasSubstr("--policy local skips kernels whose time is known: the program's results will be garbage"));
  EXPECT_THAT(few.err, HasSubstr("no kernel of the profile was skipped (--policy local)")) << "no time is known after one step";
  EXPECT_THAT(few.err, testing::Not(HasSubstr("because kernels were skipped")));
  const Result many = traced(2, "--policy random", program("work_program") + " 100");
  EXPECT_EQ(many.exit_code, 0);
  EXPECT_THAT(many.err, HasSubstr("the program's results are garbage, because kernels were skipped (--policy random). Its times count as "
                                  "far as the program's course doesn't depend on its results"));
}

/// The program ends once its residuals are small, and they never are with products skipped.
TEST_P(MpiRun, AProgramSteeredByItsResultsIsStopped) {
  const Result plain = run(2, program("iterative_program"));
  const Result in_full = traced(2, "", program("iterative_program"));
  EXPECT_EQ(in_full.exit_code, 0) << in_full.err;
  EXPECT_EQ(in_full.out, plain.out);
  for (const char* policy : {"local", "online"}) {
    const Result result = traced(2, std::string("--timeout 1s --time-precision 1000 --policy ") + policy, program("iterative_program"));
    EXPECT_TRUE(result.exit_code == 5 || GetParam() == "mpich")
        << policy << result.err;  // MPICH's mpirun kills flopcast when the program ends
    EXPECT_NE(result.exit_code, 0) << policy;
    EXPECT_NE(result.exit_code, 124) << policy << " hung";
    EXPECT_THAT(result.err, HasSubstr("the program was stopped: it met no new kernel for 1.00 s (--timeout)")) << policy;
    EXPECT_THAT(result.err, HasSubstr("Run it with --policy full")) << policy;
  }
}

TEST_P(MpiRun, SkippedKernelsCountOnThePath) {
  const std::string rules = "--policy conditional --no-windows --time-precision 1000 ";  // in windows the number of executions is random
  ASSERT_EQ(traced(2, rules + "--output profile.json", program("work_program") + " 30").exit_code, 0);
  const json found = profile();
  const json* product = kernel(found, "dgemm(NT, 100, 100, 100)");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->at("executed").at("count").get<int>() + product->at("skipped").get<int>(), 30 * (1 + 2));
  EXPECT_EQ(product->at("executed").at("count"), 3 + 3);  // three in each process
  EXPECT_EQ(kernel(found, "MPI_Bcast(8000 bytes")->at("along").at("count"), 30);
  EXPECT_EQ(found.at("per_process").at("flops"), 30 * 2 * 2e6);

  std::filesystem::rename(folder_ / "profile.json", folder_ / "before.json");
  ASSERT_EQ(traced(2, "--policy a-priori --no-windows --time-precision 1000 --prior-profile before.json --output profile.json",
                   program("work_program") + " 30")
                .exit_code,
            0);
  EXPECT_LE(kernel(profile(), "dgemm(NT, 100, 100, 100)")->at("executed").at("count"), 3 + 3);
}

TEST_P(MpiRun, TimesInWindowsAreKeptApart) {
  ASSERT_EQ(traced(2, "--policy conditional --time-precision 1000 --output profile.json", program("work_program") + " 30").exit_code, 0);
  const json found = profile();
  const json* product = kernel(found, "dgemm(NT, 100, 100, 100)");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->at("executed").at("count").get<int>() + product->at("skipped").get<int>(), 30 * (1 + 2));
  EXPECT_GT(product->at("in_context").at("count"), 0);
  EXPECT_LT(product->at("in_context").at("count"), product->at("executed").at("count")) << "the first execution isn't counted";
}

TEST_P(MpiRun, RegionsAreKernels) {
  const Result plain = run(2, program("regions") + " 100 20");
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const Result full = traced(2, "--output profile.json", program("regions") + " 100 20");
  ASSERT_EQ(full.exit_code, 0) << full.err;
  EXPECT_EQ(full.out, plain.out);
  const json found = profile();
  ASSERT_NE(kernel(found, "transpose(100)"), nullptr);
  EXPECT_EQ(kernel(found, "transpose(100)")->at("executed").at("count"), 2 * 20);
  EXPECT_EQ(kernel(found, "transpose(100)")->at("along").at("count"), 20);
  EXPECT_EQ(kernel(found, "transpose(100)")->at("kind"), "region");

  ASSERT_EQ(
      traced(2, "--policy conditional --no-windows --time-precision 1000 --output profile.json", program("regions") + " 100 20").exit_code,
      0);
  const json skipped = profile();
  EXPECT_EQ(kernel(skipped, "transpose(100)")->at("executed").at("count"), 3 + 3);
  EXPECT_EQ(kernel(skipped, "transpose(100)")->at("along").at("count"), 20);
  EXPECT_EQ(kernel(skipped, "add column(100)")->at("executed").at("count"), 2 * 20);

  ASSERT_EQ(traced(2, "--output profile.json", program("regions") + " 0 3").exit_code, 0);
  EXPECT_NE(kernel(profile(), "add column(0)"), nullptr) << "a size of 0 is one";
}

TEST_P(MpiRun, RegionsOfFortranAreKernelsAndAResetForgets) {
  const std::string regions = program("regions_fortran");
  if (!fs::exists(regions)) {
    GTEST_SKIP() << "no Fortran compiler for " << GetParam();
  }
  EXPECT_THAT(run(2, regions).out, HasSubstr("8000.0"));
  ASSERT_EQ(traced(2, "--output profile.json", regions).exit_code, 0);
  const json found = profile();
  ASSERT_NE(kernel(found, "transpose(200, 200)"), nullptr);
  EXPECT_EQ(kernel(found, "transpose(200, 200)")->at("executed").at("count"), 2 * 19);
  EXPECT_EQ(kernel(found, "add column()")->at("along").at("count"), 19);
}

TEST_P(MpiRun, FortranProgramsAreFollowedAndGiveTheSameResults) {
  const std::string command = program("fortran_program");
  if (!fs::exists(command)) {
    GTEST_SKIP() << "no Fortran compiler for " << GetParam();
  }
  for (int ranks = 1; ranks <= 3; ++ranks) {
    const Result plain = run(ranks, command);
    ASSERT_EQ(plain.exit_code, 0) << plain.err;
    const Result with = traced(ranks, "--output profile.json", command);
    ASSERT_EQ(with.exit_code, 0) << with.err;
    EXPECT_EQ(with.out, plain.out);
    const json found = profile();
    EXPECT_EQ(kernel(found, "MPI_Isend(4000 bytes")->at("executed").at("count"),
              ranks * 2 * 10);  // once each, though Fortran's procedure may call C's function
    EXPECT_EQ(kernel(found, "MPI_Allreduce(4000 bytes")->at("executed").at("count"), ranks * 10);
    EXPECT_EQ(kernel(found, "MPI_Sendrecv(4000 bytes")->at("executed").at("count"), ranks * 10);
    EXPECT_EQ(kernel(found, "MPI_Recv(1000 bytes")->at("executed").at("count"), ranks * 10);
    EXPECT_EQ(kernel(found, "MPI_Comm_idup(")->at("executed").at("count"), ranks);
    EXPECT_EQ(kernel(found, "MPI_Allreduce(2000 bytes")->at("executed").at("count"), ranks) << "on the communicator that was waited for";
  }
  const Result skipped = traced(3, "--policy conditional --no-windows --time-precision 1000 --output profile.json", command);
  ASSERT_EQ(skipped.exit_code, 0) << skipped.err;
  EXPECT_GT(kernel(profile(), "MPI_Allreduce(4000 bytes")->at("skipped"), 0);
}

TEST_P(MpiRun, FortranProgramsOf2008AreFollowed) {
  const std::string command = program("fortran08_program");
  if (!fs::exists(command)) {
    GTEST_SKIP() << "no Fortran compiler for " << GetParam();
  }
  const Result plain = run(2, command);
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const Result with = traced(2, "--output profile.json", command);
  ASSERT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(with.out, plain.out);
  const json found = profile();
  ASSERT_NE(kernel(found, "MPI_Isend(4000 bytes"), nullptr);
  EXPECT_EQ(kernel(found, "MPI_Isend(4000 bytes")->at("executed").at("count"), 2 * 10);
  EXPECT_EQ(kernel(found, "MPI_Recv(2000 bytes")->at("executed").at("count"), 2);
  ASSERT_NE(kernel(found, "MPI_Allreduce(2000 bytes"), nullptr);
  EXPECT_EQ(kernel(found, "MPI_Allreduce(2000 bytes")->at("executed").at("count"), 2) << "on the communicator that was waited for";
}

/// Bindings of other languages, and some programs, call functions by their names with PMPI_.
TEST_P(MpiRun, EveryFunctionHasItsNameWithThePrefix) {
  const std::string library = FLOPCAST_COMPONENTS "/libflopcast-mpi-" + GetParam() + ".so";
  const auto names = [&](const std::string& filter) {
    const std::string line = "nm -D --defined-only " + library + " | awk '{print $3}' | grep -v MPI_Comm_spawn | " + filter + " | sort >" +
                             (folder_ / "names").string();
    EXPECT_EQ(std::system(line.c_str()), 0);
    return contents(folder_ / "names");
  };
  const std::string without = names("grep '^MPI_'");
  EXPECT_THAT(without, HasSubstr("MPI_Waitsome"));
  EXPECT_EQ(without, names("grep '^PMPI_' | sed s/P//"));
}

/// Both processes of tile QR on a 2 x 1 grid do the same work and exchange long messages all the time. Where kernels are skipped, one
/// process may get far ahead of the other. Its path must not enter that of a sender which is long behind.
TEST_P(MpiRun, PathsOfSelectiveExecutionsContainNoExtraKernels) {
  const std::string qr = std::string(FLOPCAST_EXAMPLES) + "/tile_qr_" + GetParam() + " --m 2048 --n 512 --nb 64 --ib 16 --grid 2x1";
  ASSERT_EQ(traced(2, "--clock wall --policy conditional --time-precision 1000 --no-windows --output profile.json", qr).exit_code, 0);
  const json found = profile();
  EXPECT_LT(found.at("path").at("flops"), 1.04 * found.at("per_process").at("flops").get<double>());
}

TEST_P(MpiRun, RemainsInUnwrittenBuffersDoNotEnterResults) {
  EXPECT_EQ(run(2, program("remains_program")).exit_code, 0);
  for (const std::string policy : {"conditional", "online"}) {
    const Result result =
        traced(2, "--policy " + policy + " --time-precision 1000 --no-windows --output profile.json", program("remains_program"));
    EXPECT_EQ(result.exit_code, 0) << policy << result.err;
    EXPECT_GT(kernel(profile(), "dcopy(576)")->at("skipped"), 0);
    EXPECT_GT(kernel(profile(), "dgemm(NN, 24, 24, 24)")->at("skipped"), 0);
    for (const std::string routine : {"MPI_Sendrecv", "MPI_Bcast", "MPI_Allreduce", "MPI_Allgatherv", "MPI_Alltoallv", "MPI_Iallreduce"}) {
      ASSERT_NE(kernel(profile(), routine), nullptr) << routine;
      EXPECT_GT(kernel(profile(), routine)->at("skipped"), 0) << routine;
    }
  }
}

TEST_P(MpiRun, UnwrittenMatricesGetFullRank) {
  EXPECT_EQ(run(1, program("unwritten_program")).exit_code, 0);
  const Result result =
      traced(1, "--policy conditional --time-precision 1000 --no-windows --output profile.json", program("unwritten_program"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(kernel(profile(), "dlacpy(A, 256, 64)")->at("skipped"), 0);
  EXPECT_GT(kernel(profile(), "dcopy(64)")->at("skipped"), 0);
  EXPECT_GT(kernel(profile(), "dgeqrf(256, 64)")->at("executed").at("count"), 3) << "again after 64 that were skipped";
}

/// MPICH grants some 2000 communicators.
TEST_P(MpiModes, FollowsAsManyCommunicatorsAsMpiGrants) { same_as_plain(2, "dups 1900"); }

TEST_P(MpiModes, DuplicatedCommunicatorsAreFollowed) {
  for (const char* how : {"dup", "idup", "late"}) {
    const json found = same_as_plain(2, how, "--clock cpu");  // by which no other program gets into the path
    EXPECT_EQ(products_on_path(found, 200), 10) << how;
    EXPECT_EQ(kernel(found, "MPI_Recv(80 bytes")->at("executed").at("count"), 10) << how;
  }
}

TEST_P(MpiModes, LargeCountCollectivesAreFollowedAsSmallOnes) {
  const json small = same_as_plain(3, "collectives");
  if (!has_mpi_4()) {
    return;
  }
  const json large = same_as_plain(3, "collectives_c");
  for (const json& each : small.at("kernels")) {
    const json* other = kernel(large, each.at("kernel"));
    ASSERT_NE(other, nullptr) << each;
    EXPECT_EQ(other->at("executed").at("count"), each.at("executed").at("count")) << each;
  }
  EXPECT_EQ(large.at("kernels").size(), small.at("kernels").size());
  EXPECT_EQ(products_on_path(same_as_plain(2, "turns", "--clock cpu"), 200), 20);
  EXPECT_EQ(products_on_path(same_as_plain(2, "turns_c", "--clock cpu"), 200), 20);
}

TEST_P(MpiTune, PredictsEveryConfigurationAndKeepsStatistics) {
  write_space("test", {subject(), "--n", "512", "--nb", "{nb}"}, {{"nb", {32, 64}}});
  const Result cold = tune("space.json --json --validate --policy conditional --time-precision 1000 --min-coverage 0 --no-windows");
  ASSERT_EQ(cold.exit_code, 0) << cold.err;
  const json found = json::parse(cold.out);
  ASSERT_EQ(found.at("configurations").size(), 2U);
  int chosen = 0;
  int undecided = 0;  // a noisy machine may leave measurements undecided
  for (const json& each : found.at("configurations")) {
    EXPECT_GT(each.at("predicted_seconds"), 0);
    EXPECT_EQ(each.at("selective"), true);
    EXPECT_GT(each.at("coverage"), 0);
    EXPECT_GT(each.at("full_path_seconds"), 0);
    EXPECT_LT(each.at("executed_share"), 1);
    EXPECT_GT(each.at("spent").at("leaving_out_seconds"), 0);
    chosen += each.at("verdict") == "chosen" ? 1 : 0;
    undecided += each.at("verdict") == "undecided" ? 1 : 0;
  }
  EXPECT_EQ(chosen, undecided == 2 ? 0 : 1);
  // The space has another name, because statistics hold for all programs. Windows depend on time, and would vary the number of executions.
  write_space("other", {subject(), "--n", "512", "--nb", "{nb}"}, {{"nb", {32, 64}}});
  const Result warm = tune("space.json --json --policy conditional --time-precision 1000 --min-coverage 0 --no-windows");
  ASSERT_EQ(warm.exit_code, 0) << warm.err;
  EXPECT_LT(json::parse(warm.out).at("configurations").at(0).at("executed_share"), found.at("configurations").at(0).at("executed_share"));
}

TEST_P(MpiTune, APrioriTakesItsCountsFromASelectiveExecution) {
  write_space("test", {subject(), "--n", "512", "--nb", "{nb}"}, {{"nb", {32, 64}}});
  const Result result = tune("space.json --json --policy a-priori --time-precision 0.5 --min-coverage 0 --no-windows --self-check none");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out).at("launches"), 1);
  EXPECT_THAT(json::parse(result.out).at("clock"), testing::AnyOf("wall", "cpu"));
  for (const json& each : configurations(result)) {
    EXPECT_EQ(each.at("selective"), true);
    EXPECT_GT(each.at("predicted_seconds"), 0);
    EXPECT_LT(each.at("executed_share"), 1);
  }
}

TEST_P(MpiTune, AProgramSteeredByItsResultsIsExecutedInFull) {
  write_space("converging", {program("converging_program"), "{n}"}, {{"n", {60, 80}}});
  const Result result = tune("space.json --json --policy conditional --time-precision 1000 --min-coverage 0 --no-windows");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("executed in full from here on"));
  const json found = json::parse(result.out);
  for (const json& each : found.at("configurations")) {
    EXPECT_EQ(each.at("selective"), false);
    EXPECT_EQ(each.at("executed_share"), 1);
  }
  write_space("failing", {program("converging_program"), "{n}", "strict"}, {{"n", {60}}});
  const Result failing =
      tune("space.json --json --policy conditional --time-precision 1000 --min-coverage 0 --self-check none --no-windows");
  ASSERT_EQ(failing.exit_code, 0) << failing.err;
  EXPECT_EQ(json::parse(failing.out).at("configurations").at(0).at("selective"), false);
  write_space("converging", {program("converging_program"), "{n}"}, {{"n", {60}}});
  const Result unchecked = tune("space.json --json --policy conditional --time-precision 1000 --min-coverage 0 --self-check none");
  EXPECT_EQ(json::parse(unchecked.out).at("configurations").at(0).at("selective"), true);
}

TEST_P(MpiTune, AProgramThatNeverEndsWithKernelsLeftOutIsExecutedInFull) {
  write_space("test", {program("iterative_program"), "{n}"}, {{"n", {700, 710}}});
  const Result result = tune("space.json --json --timeout 1s --min-coverage 0");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("because its course depends on its results. It is executed in full from here on"));
  for (const json& each : configurations(result)) {
    EXPECT_EQ(each.at("selective"), false);
  }
}

const std::string anyhow = " --policy conditional --time-precision 1000 --min-coverage 0 --no-windows ";

TEST_P(MpiTune, AProgramWithConfigurationsRunsOnceByItself) {
  const std::string command = program("configurations_program") + " 50 split";
  EXPECT_EQ(run(2, command).out, "order 50, split\n");
  EXPECT_EQ(traced(2, "--quiet --output profile.json", command).out, "order 50, split\n");
  EXPECT_EQ(kernel(profile(), "dgemm(NT, 50, 50, 50)")->at("executed").at("count"), 2 * 20);
}

/// The full execution shows all kernels, so that the selective ones execute none. With the clock for tests all executions of a kernel take
/// the same time, so that none is looked at again.
TEST_P(MpiTune, ConfigurationsInOneLaunchShareStatistics) {
  write_space("test", {program("configurations_program"), "{order}", "{way}"}, {{"order", {30, 40}}, {"way", {"all", "split"}}});
  const Result result =
      tune("space.json --json --fresh --self-check all" + anyhow, "FLOPCAST_LIBEXEC=" FLOPCAST_TEST_CLOCKS " FLOPCAST_TEST_TICK=100000 ");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found.at("launches"), 1);
  ASSERT_EQ(found.at("configurations").size(), 4U);
  for (const json& each : found.at("configurations")) {
    EXPECT_EQ(each.at("selective"), true);
    EXPECT_GT(each.at("predicted_seconds"), 0);
    EXPECT_EQ(each.at("executed_share"), 0);
  }
  EXPECT_EQ(occurrences(result.err, "order 30, all\n"), 3) << "what begins a launch is executed in full once more" << result.err;
  for (const char* line : {"order 30, split\n", "order 40, all\n", "order 40, split\n"}) {
    EXPECT_EQ(occurrences(result.err, line), 2) << line << result.err;
  }
}

TEST_P(MpiTune, ExecutionsForValidationTeachNothing) {
  write_space("test", {program("configurations_program"), "{order}", "{way}"}, {{"order", {30}}, {"way", {"all", "split"}}});
  const Result result = tune("space.json --json --validate" + anyhow);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found.at("launches"), 1);
  EXPECT_GT(found.at("configurations").at(0).at("executed_share"), 0);
  EXPECT_LT(found.at("configurations").at(1).at("executed_share"), found.at("configurations").at(0).at("executed_share"))
      << "the products are the same";
}

TEST_P(MpiTune, ALaunchThatDiesIsFollowedByAnother) {
  write_space("test", {program("configurations_program"), "{order}", "{way}"}, {{"order", {30, 40}}, {"way", {"all", "dies"}}});
  const Result result = tune("space.json --json" + anyhow);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found.at("launches"), 5)
      << "a rehearsal, its configuration in full, the others until one dies, those behind it until one does, that one";
  for (const json& each : found.at("configurations")) {
    EXPECT_EQ(each.at("selective"), true);
    EXPECT_GT(each.at("predicted_seconds"), 0);
  }
}

TEST_P(MpiTune, ALoopThatIsLeftEarlyIsFollowedByAnotherLaunch) {
  write_space("test", {program("configurations_program"), "{order}", "{way}"}, {{"order", {20, 30, 40}}, {"way", {"breaks"}}});
  const Result result = tune("space.json --json --self-check none" + anyhow);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out).at("launches"), 2);
  for (const json& each : configurations(result)) {
    EXPECT_GT(each.at("predicted_seconds"), 0) << each;
  }
}

TEST_P(MpiTune, FortranProgramsReadConfigurations) {
  const std::string command = program("configurations_fortran");
  if (!fs::exists(command)) {
    GTEST_SKIP() << "no Fortran compiler for " << GetParam();
  }
  EXPECT_EQ(run(2, command).out, "order 40, depth 3, all.\n");
  write_space("test", {command, "{order}", "{way}", "{depth}"}, {{"order", {7}}, {"way", {"a b", "split"}}, {"depth", {1, 5000000000}}});
  const Result result = tune("space.json --json --self-check none" + anyhow);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out).at("launches"), 1);
  EXPECT_THAT(result.err, HasSubstr("order 7, depth 5000000000, a b.\n"));
  EXPECT_THAT(result.err, HasSubstr("order 7, depth 1, split.\n"));
}

TEST_P(MpiTune, AFailingConfigurationIsReportedAndTheOthersAreKept) {
  for (const json& orders : {json{"many", 30}, json{30, "many", 40}}) {  // the self-check takes the middle one
    write_space("test", {program("configurations_program"), "{order}"}, {{"order", orders}});
    const Result result = tune("space.json --json --fresh --confirm 5" + anyhow);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("parameter 'order' is 'many'; the program expects an integer"));
    EXPECT_THAT(result.err, HasSubstr("configuration order=many failed (exit code "));
    for (const json& each : configurations(result)) {
      const bool fails = each.at("configuration").at("order") == "many";
      EXPECT_EQ(each.at("verdict") == "failed", fails) << each;
      EXPECT_EQ(each.contains("full_path_seconds"), !fails) << each;
      EXPECT_TRUE(fails || each.at("selective")) << "its course does not depend on results";
    }
  }
  EXPECT_THAT(tune("space.json" + anyhow).out, HasSubstr("| failed"));
  int self_checks = 0;
  for (const json& each : configurations(tune("space.json --json --fresh" + anyhow))) {
    self_checks += each.value("self_check_seconds", 0.0) > 0 ? 1 : 0;
  }
  EXPECT_EQ(self_checks, 1) << "another configuration is looked at instead of the one that fails";
}

TEST_P(MpiTune, GridsChangeFromConfigurationToConfiguration) {
  const std::string qr = std::string(FLOPCAST_EXAMPLES) + "/pipelined_qr_" + GetParam();
  write_space("test", {qr, "--m", "160", "--n", "80", "--nb", "{nb}", "--grid", "{grid}"}, {{"nb", {16, 32}}, {"grid", {"2x1", "1x2"}}});
  for (const char* policy : {"eager", "online", "local"}) {
    const Result result =
        tune(std::string("space.json --json --fresh --self-check all --min-coverage 0 --time-precision 1 --policy ") + policy);
    ASSERT_EQ(result.exit_code, 0) << policy << result.err;
    EXPECT_EQ(json::parse(result.out).at("launches"), 1);
    for (const json& each : configurations(result)) {
      EXPECT_EQ(each.at("selective"), true) << policy;
    }
  }
}

/// The launcher acts as a user who presses Ctrl-C.
TEST_P(MpiTune, AnInterruptionIsNoFailure) {
  const json launcher = {"sh", "-c", "kill -INT $PPID; exec sleep 20"};
  std::ofstream(folder_ / "space.json") << json{{"schema", "flopcast-mpi-space-1"},
                                                {"name", "x"},
                                                {"launcher", launcher},
                                                {"command", {"true", "{n}"}},
                                                {"parameters", {{"n", {1}}}}};
  const Result result = tune("space.json");
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
}

TEST_P(MpiTune, RefusesWrongSpacesAndOptions) {
  write_space("test", {subject(), "--n", "200", "--nb", "{nb}"}, {{"nb", {32}}});
  EXPECT_EQ(tune("space.json --policy eagre").exit_code, 2);
  EXPECT_EQ(tune("space.json --policy random").exit_code, 2);
  EXPECT_EQ(tune("space.json --self-check sometimes").exit_code, 2);
  EXPECT_EQ(tune("space.json --confirm -1").exit_code, 2);
  EXPECT_EQ(tune("space.json --confirm 3x").exit_code, 2);
  EXPECT_EQ(tune("space.json --confirm Auto").exit_code, 2);
  EXPECT_THAT(contents(folder_ / "err"), HasSubstr("--confirm must be auto or a number from 0 to 1000000, not 'Auto'"));
  EXPECT_EQ(tune("space.json --min-coverage 1").exit_code, 5);
  EXPECT_THAT(contents(folder_ / "err"), HasSubstr("--min-coverage 0"));
  std::ofstream(folder_ / "broken.json")
      << R"({"schema": "flopcast-mpi-space-1", "name": "x", "launcher": ["true"], "command": ["true"], "parameters": {"nb": [1]}})";
  EXPECT_EQ(tune("broken.json").exit_code, 3);
  EXPECT_THAT(contents(folder_ / "err"), HasSubstr("parameter 'nb' occurs nowhere"));
  EXPECT_EQ(MpiPrograms::run("FLOPCAST_HOME=. TMPDIR=/nowhere " FLOPCAST_PROGRAM " mpi tune space.json").exit_code, 4);
  EXPECT_THAT(contents(folder_ / "err"), HasSubstr("TMPDIR is '/nowhere', which is no directory"));
}

/// All started processes end, whatever ends the tuning. The launcher here writes its process number and waits.
TEST_P(MpiTune, StartedProcessesEndWithTheTuning) {
  std::ofstream(folder_ / "space.json") << json{{"schema", "flopcast-mpi-space-1"},
                                                {"name", "x"},
                                                {"launcher", {"sh", "-c", "echo $$ >started; kill -KILL $PPID; exec sleep 50"}},
                                                {"command", {"true"}},
                                                {"parameters", json::object()}};
  EXPECT_NE(tune("space.json").exit_code, 0);
  const pid_t started = std::stoi(contents(folder_ / "started"));
  bool runs = true;
  for (int i = 0;
       i < 100 && (runs = kill(started, 0) == 0 && contents("/proc/" + std::to_string(started) + "/cmdline").rfind("sleep", 0) == 0); ++i) {
    usleep(100000);
  }
  EXPECT_FALSE(runs);
}

TEST_P(MpiTune, PolicyFullLeavesNothingOut) {
  write_space("test", {program("configurations_program"), "{order}"}, {{"order", {30, 40}}});
  const Result result = tune("space.json --json --policy full --min-coverage 0");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(occurrences(result.err, "order 30, all\n"), 2) << "what begins a launch is executed once more" << result.err;
  EXPECT_EQ(occurrences(result.err, "order 40, all\n"), 1) << result.err;
  for (const json& each : configurations(result)) {
    EXPECT_EQ(each.at("selective"), false);
    EXPECT_EQ(each.at("executed_share"), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, MpiTune, testing::Values("openmpi", "mpich"), [](const auto& suite) { return suite.param; });

INSTANTIATE_TEST_SUITE_P(Mpis, MpiModes, testing::Values("openmpi", "mpich"), [](const auto& suite) { return suite.param; });

INSTANTIATE_TEST_SUITE_P(Mpis, MpiRun, testing::Values("openmpi", "mpich"), [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace flopcast::preload
