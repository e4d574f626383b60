#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "tests/preload/smpi/simulated_programs.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;

TEST_P(MpiSimulate, ThePathFollowsATokenThroughItsHolders) {
  constexpr int ranks = 4;
  constexpr int rounds = 5;
  const json found = simulated(ranks, "--only-kernels --latency 1e-6 --bandwidth 1 --cores-per-node 1",
                               program("chain_program") + ' ' + std::to_string(rounds) + ' ' + GetParam());
  const json& product = kernel(found, "dgemm(NN, 60, 60, 60)");
  EXPECT_EQ(product.at("all").at("count"), 3 * ranks * rounds);
  EXPECT_EQ(product.at("along").at("count"), 3 * ranks * rounds);
  // Kernels and messages follow each other on the path. Work of the other processes is on the path only in rounds in which others wait for
  // it.
  const double kernels = seconds(product.at("along")) + seconds(kernel(found, "dgemm(NN, 40, 40, 40)").at("along"));
  EXPECT_NEAR(seconds(found.at("path"), "computation_seconds"), kernels, 1e-9 + 1e-6 * kernels);
  EXPECT_NEAR(seconds(found), seconds(found.at("path"), "computation_seconds") + seconds(found.at("path"), "communication_seconds"), 1e-9);
}

TEST_P(MpiSimulate, ThePathIsAsLongAsTheSimulatedTime) {
  const json found = simulated(4, "--only-kernels", program("chain_program") + " 3 " + GetParam());
  EXPECT_NEAR(seconds(found), seconds(found.at("path")), 1e-12);
  for (const json& process : found.at("processes")) {
    EXPECT_LE(seconds(process), seconds(found));
    EXPECT_NEAR(seconds(process),
                seconds(process, "computation_seconds") + seconds(process, "communication_seconds") + seconds(process, "waiting_seconds"),
                1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Token, MpiSimulate, testing::Values("short", "long", "nonblocking", "persistent", "any"));

}  // namespace
}  // namespace flopcast::preload
