#include "flopcast/tasks/mpi/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/mpi/machine.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"
#include "tests/own_folder.hpp"
#include "tests/scale/message_seconds.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string ping_pong =
    R"({"times": [[1, 1e-6, 0.01], [4096, 3e-6, 0.02], [1048576, 100e-6, 0.01]], "eager_bytes": 4096, "busy_core_speed": 0.75,
        "busy_core_spread": 0.1})";

TEST(DescriptionOfPingPong, HasItsTimesAndSpeeds) {
  const scale::MachineDescription machine = description_of_ping_pong(ping_pong, 4, 0);
  EXPECT_EQ(machine.cores_per_host, 4);
  EXPECT_EQ(machine.eager_bytes, 4096);
  EXPECT_EQ(machine.busy_core_speed, 0.75);
  EXPECT_NEAR(message_seconds(machine, machine.within_host, 4096), 3e-6, 1e-9);
  EXPECT_THAT(machine.disturbances, IsEmpty());
}

TEST(DescriptionOfPingPong, NamesDisturbances) {
  EXPECT_THAT(description_of_ping_pong(ping_pong, 4, 0.5).disturbances, ElementsAre("other programs kept 0.5 cores busy"));
  const std::string spread = ping_pong.substr(0, ping_pong.rfind("0.1")) + "0.5}";
  EXPECT_THAT(description_of_ping_pong(spread, 4, 0).disturbances, ElementsAre("speeds of busy cores lie 50 % apart"));
}

TEST(DescriptionOfPingPong, RefusesOtherTexts) {
  EXPECT_THROW(static_cast<void>(description_of_ping_pong("no json", 4, 0)), Error);
  EXPECT_THROW(static_cast<void>(description_of_ping_pong("{}", 4, 0)), Error);
  EXPECT_THROW(static_cast<void>(description_of_ping_pong(R"({"times": [[1, 2]]})", 4, 0)), Error);
}

TEST(KeepDescription, ADisturbedOneDoesNotReplaceAnUndisturbedOne) {
  const tests::OwnFolder folder;
  model::Store store = model::Store::open(folder.path() / "store.db");
  std::vector<std::string> notes;
  RunContext context;
  context.note = [&notes](const std::string& text) { notes.push_back(text); };
  scale::MachineDescription disturbed;
  disturbed.eager_bytes = 1;
  disturbed.disturbances = {"noise"};
  keep_description(disturbed, store, context);
  EXPECT_EQ(stored_machine_description(store), disturbed) << "better than none";
  EXPECT_THAT(notes, ElementsAre(HasSubstr("It is kept")));
  scale::MachineDescription quiet;
  quiet.eager_bytes = 2;
  keep_description(quiet, store, context);
  EXPECT_EQ(stored_machine_description(store), quiet);
  keep_description(disturbed, store, context);
  EXPECT_EQ(stored_machine_description(store), quiet);
  EXPECT_THAT(notes.back(), HasSubstr("The earlier, undisturbed description is kept"));
}

TEST(SimulatedMachine, ChoicesExcludeEachOther) {
  const tests::OwnFolder folder;
  const model::Store store = model::Store::open(folder.path() / "store.db");
  MpiMachineChoice choice;
  choice.latency = 1e-6;
  choice.platform = "platform.xml";
  try {
    const SimulatedMachine machine(choice, store, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST(SimulatedMachine, WarnsOfADescriptionFromADisturbedMeasurement) {
  const tests::OwnFolder folder;
  const model::Store store = model::Store::open(folder.path() / "store.db");
  MpiMachineChoice choice;
  choice.machine = (folder.path() / "machine.json").string();
  std::ofstream(choice.machine)
      << R"({"schema": "flopcast-machine-description-1", "disturbances": ["other programs kept 1.0 cores busy"]})";
  std::vector<std::string> notes;
  RunContext context;
  context.note = [&notes](const std::string& text) { notes.push_back(text); };
  const SimulatedMachine machine(choice, store, context);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("something disturbed the measurement of " + choice.machine + ": other programs kept 1.0 cores busy"));
}

TEST(SimulatedMachine, TakesHostsFromThePlatformsFile) {
  const tests::OwnFolder folder;
  const model::Store store = model::Store::open(folder.path() / "store.db");
  const std::string file = (folder.path() / "platform.xml").string();
  std::ofstream(file) << "<platform><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></platform>";
  MpiMachineChoice choice;
  choice.platform = file;
  choice.cores_per_node = 2;
  const SimulatedMachine machine(choice, store, {});
  EXPECT_EQ(machine.prepared(3).hosts, "a\na\nb\n");
  EXPECT_THROW(machine.require_cores(5), Error);
}

TEST(MpiSimulation, SurvivesJson) {
  MpiSimulation simulation;
  simulation.machine = scale::MachineDescription{};
  simulation.machine->hosts = 3;
  SimulatedRun& run = simulation.runs.emplace_back();
  run.ranks = 4;
  run.seconds = 2;
  run.blas = "/lib/libblas.so";
  run.critical_path = {.time = 2, .computation = 1.5, .communication = 0.5};
  run.processes = {{2, 1.5, 0.25, 0.25, 7, 4096, 1e6}};
  SimulatedKernel kernel;
  kernel.name = "dgemm(1)";
  kernel.routine = "dgemm";
  kernel.words = {1, 2};
  kernel.all = {4, 0.5, 0, 2};
  kernel.along = {2, 0.5, 0, 1};
  kernel.known = false;
  kernel.flops = 64;
  run.kernels = {kernel};
  run.simulation_seconds = 0.5;
  simulation.failures = {{8, "it failed", 5}};
  EXPECT_EQ(mpi_simulation_from_json(to_json(simulation)), simulation);
  EXPECT_EQ(tests::schema_violation(to_json(simulation), mpi_schemas()), "");
  EXPECT_EQ(run.kernel_seconds(), 1);
  EXPECT_EQ(run.unknown_seconds(), 2);
  simulation.machine.reset();
  simulation.platform = "platform.xml";
  simulation.failures.clear();
  EXPECT_EQ(mpi_simulation_from_json(to_json(simulation)), simulation);
  EXPECT_EQ(tests::schema_violation(to_json(simulation), mpi_schemas()), "");
}

}  // namespace
}  // namespace flopcast
