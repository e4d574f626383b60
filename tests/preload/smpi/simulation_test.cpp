#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "tests/preload/planted_losses.hpp"
#include "tests/preload/smpi/simulated_programs.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SimulateCommand : public MpiSimulate {};

TEST_F(SimulateCommand, MeasuresKernelsOfProcessesThatCallDifferently) {
  const json found = simulated(2, "--time-budget 2s", FLOPCAST_SUBJECTS "/recursive_cholesky_smpi --n 200 --nb 25 --grid 1x1x2");
  EXPECT_GT(seconds(kernel(found, "dpotrf(").at("all")), 0) << found;
}

TEST_F(SimulateCommand, MessageTimesMatchTheMachinesDescription) {
  std::ofstream(folder_ / "machine.json") << R"({"schema": "flopcast-machine-description-1", "hosts": 2, "eager_bytes": 1000000,
    "between_hosts": {"latency_seconds": 1e-3, "bytes_per_second": 160e6}})";
  const json found = simulated(2, "--only-kernels --machine machine.json", program("chain_program") + " 4 long");
  // 7 messages of 160 kB take 1 ms of latency and 1 ms of transfer each.
  EXPECT_NEAR(seconds(found.at("path"), "communication_seconds"), 7 * 2e-3, 0.01 * 7 * 2e-3);
}

TEST_F(SimulateCommand, FasterCoresTakeLessTime) {
  const auto of_speed = [&](const std::string& speed) {
    std::ofstream(folder_ / "machine.json") << R"({"schema": "flopcast-machine-description-1", "core_speed": )" << speed << '}';
    return seconds(simulated(1, "--only-kernels --machine machine.json", program("chain_program") + " 20"));
  };
  of_speed("1");                                     // measures the kernel
  EXPECT_NEAR(of_speed("1") / of_speed("4"), 4, 2);  // other tests may have measured in between
}

TEST_F(SimulateCommand, SimGridPlatformsAreUsedUnchanged) {
  std::ofstream(folder_ / "platform.xml")
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"3Gf\" "
         "bw=\"1GBps\" lat=\"10us\"/></platform>\n";
  const json found = simulated(4, "--only-kernels --platform platform.xml", program("chain_program") + " 2");
  EXPECT_GT(seconds(found.at("path"), "communication_seconds"), 7 * 20e-6);  // two links per message
  const Result result = simulate(5, "--platform platform.xml", program("chain_program") + " 2");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("5 processes don't fit on the 4 hosts of platform.xml with 1 process on each"));
}

TEST_F(SimulateCommand, RandomProgramsGiveTheSameResultsAsWithoutFlopcast) {
  std::ofstream(folder_ / "p.xml")
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-0\" speed=\"1Gf\" bw=\"1GBps\" "
         "lat=\"10us\" loopback_bw=\"1GBps\" loopback_lat=\"1us\"/></platform>\n";
  std::ofstream(folder_ / "hosts") << "n0\n";
  int compared = 0;
  for (int seed = 1; seed <= 12 && compared < 4; ++seed) {
    const int ranks = 2 + seed % 3;
    const std::string command = program("random_program") + ' ' + std::to_string(seed) + " 3";
    const Result plain =
        run("smpirun --log=root.thresh:error -np " + std::to_string(ranks) + " -platform p.xml -hostfile hosts " + command);
    if (plain.exit_code != 0) {
      continue;  // SimGrid 3.32 refuses empty messages in some functions
    }
    const Result result = simulate(ranks, "--only-kernels --show-output --json", command);
    ASSERT_EQ(result.exit_code, 0) << command << '\n' << result.err;
    EXPECT_THAT(result.err, HasSubstr(plain.out)) << command;
    const json found = json::parse(result.out).at("simulations").at(0);
    EXPECT_NEAR(seconds(found), seconds(found.at("path")), 1e-9) << command;
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

/// The simulator itself needs GSL, which has a CBLAS of its own.
TEST_F(SimulateCommand, FollowsTheCblasThatTheProgramIsLinkedWith) {
  const Result result = simulate(2, "--only-kernels --show-output --json", program("cblas_program"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("ddot 42, dsdot 43\n"));
  const json found = json::parse(result.out).at("simulations").at(0);
  EXPECT_EQ(kernel(found, "dgemm(TN, 30, 20, 10)").at("all").at("count"), 2 * 5);
  EXPECT_EQ(kernel(found, "ddot(10)").at("all").at("count"), 2);
}

/// The operation of a reduction computes at least one product in each of four reductions of two processes.
TEST_F(SimulateCommand, OperationsOfReductionsCompute) {
  const json found = simulated(2, "--only-kernels", program("callbacks_program") + " reduce");
  const json& product = kernel(found, "dgemm(NN, 24, 24, 24)");
  EXPECT_GE(product.at("all").at("count"), 4);
  EXPECT_GT(seconds(product.at("along")), 0);
  constexpr double rounding = std::numeric_limits<float>::epsilon();  // the log of the path keeps times as floats
  EXPECT_GE(seconds(found.at("path"), "computation_seconds"), seconds(product.at("along")) * (1 - rounding));
}

/// Names as Julia's and SciPy's builds have them; Julia's has integers of 64 bits.
TEST_F(SimulateCommand, RoutinesUnderOtherNamesAreFollowed) {
  for (const char* names : {"julia_names", "scipy_names"}) {
    const Result result = simulate(2, "--only-kernels --json", program(names) + " 5");
    ASSERT_EQ(result.exit_code, 0) << names << ": " << result.err;
    const json found = json::parse(result.out).at("simulations").at(0);
    EXPECT_EQ(kernel(found, "dgemm(NT, 8, 6, 10)").at("all").at("count"), 2 * 5) << names;
    EXPECT_EQ(kernel(found, "dgemm(TN, 8, 6, 10)").at("all").at("count"), 2 * 5) << names;
  }
}

/// Plug-ins with BLAS libraries of two widths make the same calls as plug-ins with one.
TEST_F(SimulateCommand, PluginsOfTwoWidthsAreSimulatedAsThoseOfOne) {
  const auto kernels = [&](const char* first, const char* second) {
    json all = json::object();
    const json found = simulated(2, "--only-kernels", program("two_widths_program") + ' ' + first + ' ' + second);
    for (const json& each : found.at("kernels")) {
      all[each.at("kernel").get<std::string>()] = {each.at("words"), each.at("flops"), each.at("all").at("count"),
                                                   each.at("along").at("count")};
    }
    return all;
  };
  const json one = kernels(FLOPCAST_NARROW, FLOPCAST_NARROW);
  EXPECT_EQ(one.at("dgemm(NN, 3, 3, 3)").at(2), 2 * 6);
  EXPECT_EQ(one.at("ddot(9)").at(2), 2 * 6);
  EXPECT_EQ(kernels(FLOPCAST_NARROW, FLOPCAST_WIDE), one);
}

/// A process count that fails affects only its own row.
TEST_F(SimulateCommand, AFailingProcessCountIsReportedAndTheOthersAreKept) {
  std::ofstream(folder_ / "machine.json") << R"({"schema": "flopcast-machine-description-1", "hosts": 2})";
  const Result table = flopcast("simulate --ranks 2,4 --only-kernels --machine machine.json --csv -- " + program("chain_program"));
  EXPECT_EQ(table.exit_code, 3);
  EXPECT_THAT(table.out, HasSubstr("\n2,"));
  EXPECT_THAT(table.out, HasSubstr("\n4,,"));
  EXPECT_THAT(table.err, HasSubstr("4 processes can't be simulated: "));
}

TEST_F(SimulateCommand, ManyProcessesAreATable) {
  const Result result = flopcast("simulate --ranks 4:16 --only-kernels --csv -- " + program("chain_program"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("processes,seconds,computation_seconds"));
  EXPECT_THAT(result.out, HasSubstr("\n4,"));
  EXPECT_THAT(result.out, HasSubstr("\n8,"));
  EXPECT_THAT(result.out, HasSubstr("\n16,"));
}

TEST_F(SimulateCommand, ErrorsSayWhichInputWasExpected) {
  const std::string app = program("chain_program");
  std::ofstream(folder_ / "machine.json") << R"({"schema": "flopcast-machine-description-1", "hosts": 2, "cores": 4})";
  std::ofstream(folder_ / "cut.json") << R"({"schema": "flopcast-mach)";
  std::ofstream(folder_ / "nothing.xml") << "<platform version='4.1'/>";
  const struct {
    std::string arguments, said;
    int code;
  } cases[] = {
      {"--ranks 0 -- " + app, "--ranks", 3},
      {"--ranks 4:2 -- " + app, "'4:2'", 3},
      {"--ranks four -- " + app, "--ranks", 3},
      {"--ranks 2:4,4 -- " + app, "--ranks: 2:4,4 has 4 processes twice", 3},
      {"--ranks 2", "which program", 2},
      {"-- " + app, "no --ranks given, expected LIST", 2},
      {"--ranks 2 -- ./nothing", "there is no program ./nothing", 4},
      {"--ranks 2 -- " FLOPCAST_PROGRAM, "was not built for SimGrid's SMPI", 3},
      {"--ranks 2 --machine machine.json -- " + app, "there is no 'cores'", 3},
      {"--ranks 2 --machine cut.json -- " + app, "cut.json", 3},
      {"--ranks 2 --machine nowhere.json -- " + app, "nowhere.json", 3},
      {"--ranks 2 --platform nothing.xml -- " + app, "nothing.xml is no platform file", 3},
      {"--ranks 2 --latency fast -- " + app, "--latency: 'fast'", 2},
      {"--ranks 2 --latency 1e-6 --machine machine.json -- " + app, "exclude each other", 2},
      {"--ranks 2 -- " + app + " 1 short exit", "not all of them reached MPI_Finalize", 5},
  };
  for (const auto& mistake : cases) {
    const Result result = flopcast("simulate " + mistake.arguments);
    EXPECT_EQ(result.exit_code, mistake.code) << mistake.arguments << '\n' << result.err;
    EXPECT_THAT(result.err, HasSubstr(mistake.said)) << mistake.arguments;
    EXPECT_EQ(result.out, "") << mistake.arguments;
  }
}

/// The earlier findings about a library are made up. The program is linked with the general name libblas.so.3.

TEST_F(SimulateCommand, KernelsThatSuitTheCpuAreSetAndReported) {
  {
    model::Store store = model::Store::open(folder_ / "flopcast.db");
    for (const machine::InstalledLibrary& library : machine::installed_libraries()) {
      const std::string key =
          machine::detect_topology().cpu + ' ' + library.path + ' ' + std::to_string(std::filesystem::file_size(library.path));
      put_artifact(store, "kernel-choice", key,
                   {{"kernels", "Prescott"},
                    {"dgemm_flops_per_second", 16e9},
                    {"better", {{"setting", "OPENBLAS_CORETYPE=Nehalem"}, {"dgemm_flops_per_second", 68e9}}}});
      put_artifact(store, "kernel-comparison", key + " OPENBLAS_CORETYPE=Prescott OPENBLAS_CORETYPE=Nehalem",
                   {{"had", 16e9}, {"best", 68e9}});
    }
  }
  const auto with = [&](const std::string& variables) {
    const Result result = run("-u OPENBLAS_CORETYPE -u BLIS_ARCH_TYPE " + variables +
                              " FLOPCAST_HOME=. " FLOPCAST_PROGRAM " mpi simulate --ranks 2 --json --only-kernels --time-budget 1s -- " +
                              program("chain_program"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  };
  const Result as_it_comes = with("");
  if (json::parse(as_it_comes.out).dump().find("openblas") == std::string::npos) {
    GTEST_SKIP() << "the BLAS is not OpenBLAS";
  }
  EXPECT_THAT(as_it_comes.err, HasSubstr("with OPENBLAS_CORETYPE=Nehalem its dgemm makes 68.0 GFLOP/s, which is set for the program"));
  EXPECT_THAT(with("OPENBLAS_CORETYPE=Prescott").err,
              HasSubstr("OPENBLAS_CORETYPE=Prescott in the environment selects the slower kernels and is left as it is"));
}

/// Programs with planted losses, by the simulated clock.
TEST_F(SimulateCommand, PlantedLossesAreFound) {
  const auto found = [&](const std::string& planted) { return simulated(3, "--only-kernels", program("planted_program") + ' ' + planted); };
  for (const char* way : {"late_sender", "any"}) {
    const json late = found(way);
    expect_late_sender(late, seconds(late));
    expect_timeline_of_late_sender(late, seconds(late));
  }
  const json receiver = found("late_receiver");
  expect_late_receiver(receiver, seconds(receiver));
  const json imbalance = found("imbalance");
  expect_imbalance(imbalance, seconds(imbalance));
  expect_serialisation(found("serialisation"));
  const json none = found("none");
  expect_no_loss(none, seconds(none));
}

TEST_F(SimulateCommand, LeavesNoFilesBehind) {
  ASSERT_EQ(simulate(2, "--only-kernels", program("chain_program")).exit_code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_TRUE(entry.path().filename() == "out" || entry.path().filename() == "err") << entry.path();
  }
}

}  // namespace
}  // namespace flopcast::preload
