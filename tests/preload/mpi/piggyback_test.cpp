#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "tests/preload/mpi/mpi_run.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;
using tests::contents;
using tests::launcher;

TEST_P(MpiRun, CountsAlongTheCriticalPathAreThoseOfTheSlowestProcess) {
  const Result plain = run(2, program("work_program") + " 10");
  const Result result = traced(2, "--clock wall --output profile.json", program("work_program") + " 10");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, plain.out);
  const json found = profile();
  EXPECT_EQ(found.at("schema"), "flopcast-mpi-profile-1");
  const json* product = kernel(found, "dgemm(NT, 100, 100, 100)");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->at("executed").at("count"), 10 * (1 + 2));
  EXPECT_EQ(product->at("flops"), 2e6);
  EXPECT_GE(product->at("along").at("count"), 10);  // 20, fewer if the machine stalls one of the processes
  EXPECT_LE(product->at("along").at("count"), 20);
  EXPECT_EQ(kernel(found, "MPI_Bcast(8000 bytes, 2 ranks")->at("along").at("count"), 10);
  EXPECT_EQ(kernel(found, "MPI_Recv(800 bytes")->at("executed").at("count"), 10);
  EXPECT_EQ(found.at("per_process").at("flops"), 10 * 2 * 2e6);
  EXPECT_EQ(found.at("volumetric").at("flops"), 10 * 1.5 * 2e6);
}

TEST_P(MpiRun, OwnMessagesAreCountedAndOfBoundedSize) {
  ASSERT_EQ(traced(3, "--output profile.json", program("work_program") + " 20").exit_code, 0);
  const json own = profile().at("own_messages");
  EXPECT_EQ(own.at("messages"),
            20 + 20 * 3);  // a piggyback message for each message, and one agreement of three processes for each broadcast
  EXPECT_LE(own.at("largest_bytes"), 256);
  EXPECT_LE(own.at("bytes").get<double>(), own.at("messages").get<double>() * own.at("largest_bytes").get<double>());
}

/// Skipped communication leaves no process waiting for another, with any policy: random programs end, and receive messages of the expected
/// sizes.
TEST_P(MpiRun, SkippingNeverDeadlocks) {
  const std::pair<int, const char*> cases[] = {
      {2, "random"}, {3, "random"}, {4, "random"}, {2, "local"}, {3, "online"}, {4, "eager"}, {3, "local --across-sizes"}};
  std::int64_t skipped = 0;
  int seed = 0;
  for (const auto& [ranks, policy] : cases) {
    const std::string command = program("random_program") + ' ' + std::to_string(++seed) + " 240";
    const Result result = traced(ranks, std::string("--output profile.json --time-precision 1000 --policy ") + policy, command);
    ASSERT_EQ(result.exit_code, 0) << policy << ": " << command << '\n' << result.err;
    const json found = profile();
    for (const json& each : found.at("kernels")) {
      skipped += each.at("skipped").get<std::int64_t>();
    }
  }
  EXPECT_GT(skipped, 100) << "the random policy alone, whose choices don't depend on times, skips several times as many";
}

/// Broadcasts to all processes pass statistics on. Kernels are then skipped in all processes, even in those that never executed them.
TEST_P(MpiRun, EagerLeavesKernelsOutInAllProcesses) {
  ASSERT_EQ(traced(3, "--policy eager --time-precision 1000 --output profile.json", program("work_program") + " 30").exit_code, 0);
  const json found = profile();
  const json* product = kernel(found, "dgemm(NT, 100, 100, 100)");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->at("executed").at("count").get<int>() + product->at("skipped").get<int>(), 30 * (1 + 2 + 3));
  EXPECT_LE(product->at("executed").at("count"), 5 * (1 + 2 + 3));
  EXPECT_GT(kernel(found, "MPI_Bcast(8000 bytes")->at("skipped"), 0);
}

/// The counts along the path of the slowest process reach the processes that wait for it.
TEST_P(MpiRun, OnlineSharesCountsAlongThePath) {
  ASSERT_EQ(
      traced(3, "--policy online --no-windows --time-precision 1000 --output profile.json", program("work_program") + " 30").exit_code, 0);
  EXPECT_LE(kernel(profile(), "dgemm(NT, 100, 100, 100)")->at("executed").at("count"), 3 * 3 + 6);
}

/// Processes don't wait for each other either when executions of different policies follow in one launch: in full, rehearsed, selectively.
TEST_P(MpiTune, SkippingNeverDeadlocksFromExecutionToExecution) {
  const std::pair<const char*, int> cases[] = {{"conditional", 2}, {"local", 3}, {"online", 4}, {"a-priori", 2}, {"eager", 3}};
  int seed = 0;
  for (const auto& [policy, processes] : cases) {
    const json seeds = {seed + 1, seed + 2, seed + 3};
    seed += 3;
    write_space("test", {program("random_program"), "{seed}", "50"}, {{"seed", seeds}}, processes);
    const Result result = tune(
        std::string("space.json --json --fresh --self-check all --min-coverage 0 --time-precision 1000 --no-windows --policy ") + policy);
    ASSERT_EQ(result.exit_code, 0) << policy << ' ' << seeds << '\n' << result.err;
    const json found = json::parse(result.out);
    EXPECT_EQ(found.at("launches"), 1) << policy;
    for (const json& each : found.at("configurations")) {
      EXPECT_EQ(each.at("selective"), true) << policy;
      EXPECT_LT(each.at("executed_share"), 1) << policy;
    }
  }
}

/// Policy online sends counts after every piggyback message, and others don't. Counts that are left over from one execution must not be mistaken for
/// the next execution's.
TEST_P(MpiTune, ShadowsOfAnEarlierPolicyAreNotWaitedFor) {
  write_space("test", {program("configurations_program"), "{order}", "{way}"}, {{"order", {20, 30}}, {"way", {"late"}}});
  const Result result = tune("space.json --json --self-check all --policy online --time-precision 0.001 --no-windows --min-coverage 0");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found.at("launches"), 1);
  for (const json& each : found.at("configurations")) {
    EXPECT_EQ(each.at("selective"), true);
  }
}

}  // namespace
}  // namespace flopcast::preload
