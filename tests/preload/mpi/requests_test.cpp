#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <regex>
#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/preload/mpi/mpi_run.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;
using tests::contents;
using tests::launcher;

/// Returns the output of random programs without the sums of numbers, which differ where kernels are skipped.
std::string courses(const std::string& output) { return std::regex_replace(output, std::regex(", numbers [0-9]+"), ""); }

/// Random programs that call MPI in all ways: by two names, from several threads, by addresses from MPI's library, between groups, with
/// persistent requests, probes and one-sided communication. FLOPCAST_RANDOM_PROGRAMS is their number, in place of a few.
TEST_P(MpiRun, RandomProgramsThatUseAllWaysGiveTheSameResultsAndEnd) {
  struct Batch {
    int ranks;
    const char* ways;
    const char* policy;
  };
  const Batch batches[] = {{2, "none", "full"},        {2, "serialized", "random"},
                           {2, "none hidden", "full"}, {2, "funneled", "online"},
                           {3, "serialized", "full"},  {3, "none", "local"},
                           {4, "funneled", "full"},    {4, "none", "conditional"},
                           {2, "multiple", "full"},    {3, "serialized hidden", "full"},
                           {2, "none", "eager"}};
  constexpr std::size_t few = 4;
  const char* const asked = std::getenv("FLOPCAST_RANDOM_PROGRAMS");
  const std::size_t used = asked != nullptr ? std::size(batches) : few;
  const int programs = asked != nullptr ? std::atoi(asked) / static_cast<int>(used) + 1 : 3;
  int seed = 1;
  for (std::size_t i = 0; i < used; ++i, seed += programs) {
    const auto [ranks, ways, policy] = batches[i];
    const std::string command = fmt::format("{} {} 12 {} {}", program("random_program"), seed, programs, ways);
    const auto begin = std::chrono::steady_clock::now();
    const Result plain = run(ranks, command, 1800);
    const auto limit =
        static_cast<int>(2 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()) + 10 * programs;
    ASSERT_EQ(plain.exit_code, 0) << command << plain.err;
    const Result with = run(
        ranks,
        fmt::format("{} mpi run --kernels library --no-windows --time-precision 1000 --policy {} -- {}", FLOPCAST_PROGRAM, policy, command),
        limit);
    ASSERT_EQ(with.exit_code, 0) << policy << ' ' << command << with.out << with.err;
    EXPECT_EQ(std::string(policy) == "full" ? with.out : courses(with.out), std::string(policy) == "full" ? plain.out : courses(plain.out))
        << policy << ' ' << command;
  }
}

/// All processes agree on nonblocking collectives without waiting, from the statistics that an earlier blocking collective exchanged.
TEST_P(MpiRun, NonblockingCollectivesAreLeftOut) {
  const Result result = traced(3, "--policy conditional --no-windows --time-precision 1000 --output profile.json",
                               program("work_program") + " 30 nonblocking");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = profile();
  for (const char* name : {"MPI_Iallreduce(800 bytes", "MPI_Igather(2400 bytes", "MPI_Iscatter(2400 bytes"}) {
    const json* collective = kernel(found, name);
    ASSERT_NE(collective, nullptr) << name;
    EXPECT_EQ(collective->at("executed").at("count").get<int>() + collective->at("skipped").get<int>(), 30 * 3);
    EXPECT_GE(collective->at("skipped"), 20 * 3) << name;
    EXPECT_EQ(collective->at("skipped").get<int>() % 3, 0) << "in all processes or in none";
    EXPECT_EQ(collective->at("along").at("count"), 30);
  }
}

TEST_P(MpiModes, NonblockingExchangesAreFollowed) {
  if (!has_mpi_4()) {
    GTEST_SKIP() << "MPI_Isendrecv came with MPI-4";
  }
  const json found = same_as_plain(2, "exchange");
  EXPECT_EQ(kernel(found, "MPI_Isendrecv(24 bytes")->at("executed").at("count"), 6);
  EXPECT_EQ(kernel(found, "MPI_Isendrecv_replace(24 bytes")->at("executed").at("count"), 6);
  same_as_plain(4, "exchange", "--policy online --time-precision 1000");
}

/// A process that polls is waiting: the path leads through the process that computes, and the polls take no time on it.
TEST_P(MpiModes, PollingCountsAsWaiting) {
  for (const char* how : {"test", "testany", "testall", "testsome", "iprobe", "improbe", "probe", "anybody"}) {
    const json found = with_test_clock(how);
    EXPECT_EQ(products_on_path(found, 400), 5) << how;
    EXPECT_NEAR(found.at("path").at("seconds").get<double>(), 5, 0.01) << how;
    EXPECT_LT(found.at("path").at("idle_seconds").get<double>(), 0.01) << how;
    const json& waiting = found.at("processes").at(1);
    EXPECT_GT(waiting.at("idle_seconds").get<double>(), waiting.at("communication_seconds").get<double>()) << how;
  }
}

/// Only a real clock times transfers. How long they are, and how long a process waits for a core, depends on other programs. Transfers take at
/// least the time of moving their bytes, and they would take none if polls counted as waiting.
TEST_P(MpiModes, TransfersThatBothProcessesPollForAreCommunication) {
  const json found = same_as_plain(2, "ping", "--clock wall");
  const json& path = found.at("path");
  const double words = path.at("words").get<double>();
  EXPECT_GT(words, found.at("processes").at(0).at("words").get<double>() / 2) << "most messages are on the path";
  constexpr double bytes_of_word = 8, fastest_memory = 2e11;
  EXPECT_GT(path.at("communication_seconds").get<double>(), words * bytes_of_word / fastest_memory) << "polls are no waiting";
}

/// MPI reports one request of several that are complete. A collective that is skipped must not be among them, because the program would
/// wait for it in place of another request.
TEST_P(MpiModes, ACollectiveThatIsLeftOutIsNotWaitedForInPlaceOfAnotherRequest) {
  for (const char* policy : {"conditional", "online"}) {
    const json found = same_as_plain(2, "overlap", std::string("--no-windows --time-precision 1000 --policy ") + policy);
    EXPECT_GT(kernel(found, "MPI_Ibcast(800 bytes")->at("skipped"), 40) << policy;
  }
}

}  // namespace
}  // namespace flopcast::preload
