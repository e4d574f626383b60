#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/protocol/mpi_kernel_rows.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/mpi/known_kernels.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::HasSubstr;

MpiKernel kernel_named(const std::string& name) {
  MpiKernel kernel;
  kernel.name = name;
  kernel.routine = "dgemm";
  kernel.words = {1, 2, 3, 4, 5, 6, 7, 8};
  kernel.along = {10, 0.125, 0.25, 1.25};
  kernel.executed = {20, 0.5, 0.25, 10};
  kernel.skipped = 20;
  return kernel;
}

MpiProfile a_profile() {
  MpiProfile profile;
  profile.mpi = "Open MPI v4.1.4";
  profile.ranks = 2;
  profile.where = "Open MPI v4.1.4, cpu clock, 2 processes, a BLAS";
  profile.clock = protocol::MpiClock::cpu;
  profile.granted_cpus = 1.5;
  profile.policy = selective::Policy::a_priori;
  profile.tolerance = 0.125;
  profile.confidence = 0.9;
  profile.elapsed = 3;
  profile.path_complete = false;
  profile.sessions = true;
  profile.spawned_processes = 1;
  profile.bypassing_messages = 5;
  profile.prefixed_calls = true;
  profile.simultaneous_calls = 2;
  profile.message_model = {1e-6, 5e9};
  profile.critical_path = {.time = 2.5, .computation = 2, .communication = 0.25, .idle = 0.25, .supersteps = 3, .words = 4, .flops = 5};
  profile.longest = profile.per_process = profile.volumetric = profile.critical_path;
  profile.processes = {{0, "here", profile.critical_path, 1.5}, {1, "there", profile.critical_path, 0}};
  profile.own_code = 0.5;
  profile.efficiencies = pop_efficiencies({2, 1}, 2.5, 2.25);
  profile.timeline = MpiTimeline{0.5, {{0, {1, 0.5}, {0, 0.25}, {0, 0.125}, {0, 0.125}, {1, 0}}}};
  profile.waits = {{1, 0, MpiWaitKind::late_sender, "MPI_Recv", "solve", "app+0x12", 3, 0.5},
                   {0, std::nullopt, MpiWaitKind::collective, "MPI_Barrier", "", "", 1, 0.25}};
  profile.regions = {{"solve", *pop_efficiencies({1, 1}, 2)}};
  profile.processes[0].own_code_on_path = 0.5;
  profile.processes[0].cpu = 1.25;
  profile.processes[0].without_core = 0.75;
  profile.processes[0].program_without_core = 0.5;
  profile.processes[0].blocked = 0.25;
  profile.processes[0].longest_wait = MpiWait{"MPI_Bcast", std::nullopt, 0.125};
  profile.processes[1].longest_wait = MpiWait{"MPI_Recv", 0, 0.5};
  profile.other_tools = {{"/lib/libtool.so", {"MPI_Init", "MPI_Send"}, {"MPI_Pcontrol"}}};
  profile.prediction_error = 0.5;
  profile.program_variance = 0.0625;
  profile.pace = selective::RunTimeRatio{2, 3};
  profile.spent = selective::TimeSpent{.always = 1, .page_faults = 7};
  profile.own_messages = MpiTraffic{1, 2, 3};
  profile.calls = {{5, "00ff"}, {6, "ff00"}};
  profile.kernels = {kernel_named("dgemm(1)"), kernel_named("dgemm(2)")};
  profile.kernels.back().in_context = MpiTimes{4, 0.25, 0, 1};
  profile.kernels.back().flops = 128;
  return profile;
}

std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(mpi_profile_from_json(text, "run.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

TEST(MpiProfile, SurvivesJson) {
  EXPECT_EQ(mpi_profile_from_json(to_json(a_profile())), a_profile());
  EXPECT_EQ(tests::schema_violation(to_json(a_profile()), mpi_schemas()), "");
  MpiProfile smaller = a_profile();
  smaller.processes.clear();
  smaller.pace.reset();
  smaller.spent.reset();
  smaller.own_messages.reset();
  smaller.kernels.clear();
  EXPECT_EQ(mpi_profile_from_json(to_json(smaller)), smaller);
  EXPECT_EQ(tests::schema_violation(to_json(smaller), mpi_schemas()), "");
}

TEST(MpiProfile, KnowsCoresGotAndWhatIsComputed) {
  MpiProfile profile;
  profile.ranks = 2;
  profile.elapsed = 10;
  EXPECT_EQ(profile.cores_got(), std::nullopt);
  EXPECT_FALSE(profile.lacked_cores()) << "documents of before don't say";
  EXPECT_EQ(profile.imbalance(), 1);
  profile.processes.resize(2);
  profile.processes[1].rank = 1;
  for (MpiProcess& process : profile.processes) {
    process.cpu = 8;
    process.own.computation = 8;
  }
  EXPECT_EQ(profile.cores_got(), 2);
  EXPECT_FALSE(profile.lacked_cores());
  EXPECT_EQ(profile.most_blocked(), nullptr);
  profile.processes[1].without_core = profile.processes[1].program_without_core = 4;
  EXPECT_DOUBLE_EQ(profile.cores_got().value(), 1.6);
  EXPECT_TRUE(profile.lacked_cores());
  EXPECT_DOUBLE_EQ(profile.computing(profile.processes[1]), 4);
  EXPECT_DOUBLE_EQ(profile.imbalance(), 8 / 6.0);
  profile.processes[0].blocked = 4;
  EXPECT_DOUBLE_EQ(profile.imbalance(), 1);
  EXPECT_EQ(profile.most_blocked(), profile.processes.data());
  profile.clock = protocol::MpiClock::cpu;
  EXPECT_DOUBLE_EQ(profile.computing(profile.processes[1]), 8) << "CPU time has no waiting in it";
}

TEST(MpiProfile, InfiniteTimesAreWrittenAsNull) {
  MpiProfile profile = a_profile();
  profile.kernels.front().along.variance = std::numeric_limits<double>::infinity();
  EXPECT_EQ(mpi_profile_from_json(to_json(profile)), profile);
  EXPECT_EQ(tests::schema_violation(to_json(profile), mpi_schemas()), "");
}

TEST(MpiProfile, HasAKernelALineAndEndsAsTheLibraryDoes) {
  const std::string text = to_json(a_profile());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.substr(text.size() - protocol::mpi_profile_end.size()), protocol::mpi_profile_end);
}

TEST(MpiProfile, OfEarlierVersionsIsRead) {
  const MpiProfile profile = mpi_profile_from_json(
      R"({"schema": "flopcast-mpi-profile-1", "mpi": "MPICH", "ranks": 1, "clock": "wall", "elapsed_seconds": 1, "path_complete": true,
          "message_model": {"latency_seconds": 1e-6, "bytes_per_second": 1e9},
          "path": {"seconds": 2, "computation_seconds": 1, "communication_seconds": 1, "idle_seconds": 0, "supersteps": 1, "words": 1, "flops": 1},
          "longest": {"seconds": 2, "computation_seconds": 1, "communication_seconds": 1, "idle_seconds": 0, "supersteps": 1, "words": 1, "flops": 1},
          "per_process": {"seconds": 2, "computation_seconds": 1, "communication_seconds": 1, "idle_seconds": 0, "supersteps": 1, "words": 1, "flops": 1},
          "volumetric": {"seconds": 2, "computation_seconds": 1, "communication_seconds": 1, "idle_seconds": 0, "supersteps": 1, "words": 1, "flops": 1},
          "kernels": [{"kernel": "x", "kind": "communication", "routine": "MPI_Send", "words": [1, 2], "skipped": 0,
                       "along": {"count": 1, "mean": 1, "variance": 0, "seconds": 1},
                       "executed": {"count": 1, "mean": 1, "variance": 0, "seconds": 1}}]})");
  EXPECT_TRUE(profile.processes.empty());
  EXPECT_EQ(profile.spent, std::nullopt);
  EXPECT_EQ(profile.coverage(), 0.5);
}

TEST(MpiProfile, ErrorsNameFileAndMember) {
  const std::string good = to_json(a_profile());
  EXPECT_THAT(complaint_about(replaced(good, "\"ranks\":2", "\"ranks\":\"two\"")), HasSubstr("run.json is damaged: member ranks"));
  EXPECT_THAT(complaint_about(replaced(good, "\"clock\":\"cpu\"", "\"clock\":\"sun\"")), HasSubstr("clock"));
  EXPECT_THAT(complaint_about(replaced(good, "\"count\":20", "\"count\":-1")), HasSubstr("kernels[0].executed.count"));
  EXPECT_THAT(complaint_about(replaced(good, "\"policy\":\"a-priori\"", "\"policy\":\"best\"")), HasSubstr("policy"));
  EXPECT_THAT(complaint_about(good.substr(0, good.size() / 2)), HasSubstr("run.json"));
}

TEST(MpiProfile, SharesAreThoseOfKernels) {
  EXPECT_EQ(a_profile().coverage(), 1);
  EXPECT_EQ(a_profile().kernel_seconds(), 2.5);
  MpiProfile sending = a_profile();
  sending.kernels.back().kind = selective::KernelKind::communication;
  EXPECT_EQ(sending.coverage(), 1);
  EXPECT_EQ(sending.kernel_seconds(), 1.25);
  EXPECT_EQ(a_profile().executed_share(), 0.5);
  EXPECT_GT(a_profile().path_variance(), a_profile().program_variance);
  EXPECT_EQ(MpiProfile().executed_share(), 1);
  EXPECT_EQ(MpiProfile().coverage(), 0);
}

TEST(MpiProfile, SumsStandForKernelsThatArentListed) {
  const MpiProfile whole = a_profile();
  MpiProfile partial = whole;
  partial.kernel_sums = whole.sums();
  partial.kernels.resize(1);
  const MpiProfile read = mpi_profile_from_json(to_json(partial));
  EXPECT_EQ(read, partial);
  EXPECT_GT(whole.path_variance(), whole.program_variance);
  EXPECT_EQ(read.path_variance(), whole.path_variance());
  EXPECT_EQ(read.kernel_seconds(), whole.kernel_seconds());
  EXPECT_EQ(read.coverage(), whole.coverage());
  EXPECT_EQ(read.executed_share(), whole.executed_share());
}

TEST(RepresentativeTimes, AreThoseInContextIfTheyWereToldApart) {
  EXPECT_EQ(representative_times(a_profile().kernels.front()).count, 20);
  EXPECT_EQ(representative_times(a_profile().kernels.back()).count, 4);
}

TEST(MpiKnownKernels, SurviveAFile) {
  const tests::OwnFolder folder;
  MpiKnownKernels known;
  known.add({"a place", selective::Policy::full, {kernel_named("x")}});
  known.add({"b place", selective::Policy::full, {kernel_named("x")}});
  std::ofstream(folder.path() / "kernels.json") << rows_of(known.list());
  const MpiKernelList read = read_mpi_kernels((folder.path() / "kernels.json").string());
  EXPECT_EQ(read.kernels, known.list().kernels);
  ASSERT_EQ(read.kernels.size(), 2U) << "places are told apart";
  EXPECT_EQ(read.kernels.front().where, "a place");
}

TEST(MpiKernelRows, KeepTimesThatOverflowed) {
  MpiKernel kernel = kernel_named("x");
  kernel.executed = {3, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
  kernel.where = "here";
  const MpiKernelList list{"", selective::Policy::full, {kernel}};
  EXPECT_EQ(kernel_list_of(nlohmann::json::parse(rows_of(list).dump())).kernels.front().executed, kernel.executed);
}

TEST(MpiKernelRows, AreReadFromProfilesToo) {
  const MpiProfile profile = a_profile();
  EXPECT_EQ(kernel_list_of(nlohmann::json::parse(to_json(profile))).kernels, profile.kernels);
}

TEST(MpiKnownKernels, MergeUntilTheyDrift) {
  MpiKernel kernel = kernel_named("x");
  kernel.executed = {10, 1, 0.0001, 10};
  MpiKnownKernels known;
  EXPECT_EQ(known.add({"here", selective::Policy::full, {kernel}}), 0);
  kernel.executed = {30, 1.02, 0.0001, 30.6};
  EXPECT_EQ(known.add({"here", selective::Policy::full, {kernel}}), 0);
  EXPECT_EQ(known.list().kernels.front().executed.count, 40);
  EXPECT_NEAR(known.list().kernels.front().executed.mean, 1.015, 1e-12);
  kernel.executed = {5, 2, 0.0001, 10};
  EXPECT_EQ(known.add({"here", selective::Policy::full, {kernel}}), 1);
  EXPECT_EQ(known.list().kernels.front().executed.count, 5);
}

TEST(MpiKnownKernels, ManyExecutionsWeighAsAThousand) {
  MpiKernel kernel = kernel_named("x");
  kernel.executed = {50000, 1, 0.25, 50000};
  MpiKnownKernels known;
  known.add({"here", selective::Policy::full, {kernel}});
  EXPECT_EQ(known.list().kernels.front().executed.count, 1000);
  EXPECT_NEAR(known.list().kernels.front().executed.variance, 0.25, 1e-12);
}

TEST(MpiKnownKernels, TimesAmongSkippedKernelsAreNotAdded) {
  MpiKnownKernels known;
  known.add({"here", selective::Policy::local, {kernel_named("x")}});
  EXPECT_TRUE(known.list().kernels.empty());
  MpiKernel told = kernel_named("x");
  told.in_context = MpiTimes{3, 2, 0, 6};
  known.add({"here", selective::Policy::local, {told}});
  ASSERT_EQ(known.list().kernels.size(), 1U);
  EXPECT_EQ(known.list().kernels.front().executed.mean, 2);
}

}  // namespace
}  // namespace flopcast
