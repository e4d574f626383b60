#include "flopcast/workbench/workbench.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <utility>

#include "flopcast/core/environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

TEST(Workbench, OpensNothingByItself) {
  const Workbench bench({.blas = "no such library"});
  EXPECT_EQ(bench.choice().blas, "no such library");
  EXPECT_THROW(static_cast<void>(bench.environment()), Error);
}

TEST(Workbench, PlansMayOutliveItWithTheirTrials) {
  Workbench bench;
  const auto trials = bench.trials();
  ASSERT_NE(trials, nullptr);
  EXPECT_EQ(bench.trials(), trials);
  const Workbench moved = std::move(bench);
  EXPECT_EQ(moved.trials(), trials);
}

TEST(PlaceTexts, NameLibrariesKernelsAndThreads) {
  Environment environment;
  environment.blas = {.name = "blis", .version = "0.9.0", .kernels = "skx"};
  environment.lapack = {.name = "reference", .version = "3.11.0"};
  environment.threads = 2;
  EXPECT_EQ(place_text(environment), "blis 0.9.0 (kernels skx) with 2 threads, LAPACK reference 3.11.0");
}

TEST(OpenStores, LieInTheUsersFolder) {
  const tests::OwnFolder folder;
  setenv("FLOPCAST_HOME", (folder.path() / "home").c_str(), 1);
  EXPECT_EQ(open_store({}).path(), model::default_store_path());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "home"));
  unsetenv("FLOPCAST_HOME");
}

}  // namespace
}  // namespace flopcast
