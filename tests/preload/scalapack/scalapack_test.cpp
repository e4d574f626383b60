#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/mpi_programs.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using tests::launcher;
using tests::MpiPrograms;

class ScalapackOf : public MpiPrograms, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    MpiPrograms::SetUp();
    if (launcher(GetParam()).empty() || run(driver()).exit_code != 0) {
      GTEST_SKIP() << "ScaLAPACK for " << GetParam() << " is not installed";
    }
  }

  static std::string driver() {
    return FLOPCAST_COMPONENTS "/flopcast-scalapack-" + GetParam() + " none.so,libscalapack-" + GetParam() + ".so.2.2,libscalapack-" +
           GetParam() + ".so";
  }
  /// Returns the end of the driver with its words from the routine on.
  [[nodiscard]] Result called(int ranks, const std::string& words) const {
    return run(launcher(GetParam()) + std::to_string(ranks) + ' ' + driver() + ' ' + words);
  }
  [[nodiscard]] Result advised(const std::string& words) const {
    return run("FLOPCAST_HOME=" + folder_.string() +
                   "/home OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " FLOPCAST_PROGRAM " mpi advise --quiet --mpi " +
                   GetParam() + ' ' + words,
               300);
  }
};

TEST_P(ScalapackOf, EveryRoutineEndsWellAtUnevenSizes) {
  for (const char* routine : {"pdpotrf", "pdgetrf", "pdgeqrf", "pdsyevd", "pdgesvd"}) {
    for (const auto& [ranks, sizes] :
         {std::pair(1, "1 1 1x1"), std::pair(1, "50 7 1x1"), std::pair(2, "97 16 2x1"), std::pair(2, "33 32 1x2")}) {
      const Result result = called(ranks, std::string(routine) + ' ' + sizes);
      EXPECT_EQ(result.exit_code, 0) << routine << ' ' << sizes << '\n' << result.err;
    }
  }
}

TEST_P(ScalapackOf, AGridOfOtherSizeIsRefused) {
  const Result result = called(2, "pdgetrf 50 8 2x2");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("grid 2x2 is not that of all processes"));
}

TEST_P(ScalapackOf, AdviceChoosesAmongAllGrids) {
  const Result result = advised("pdgetrf --n 200 --ranks 2 --time-budget 1h --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json advice = json::parse(result.out);
  EXPECT_EQ(advice.at("schema"), "flopcast-mpi-tuning-1");
  const json& all = advice.at("configurations");
  for (const char* grid : {"1x2", "2x1", "1x1"}) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const json& each) { return each.at("configuration").at("grid") == grid; })) << grid;
  }
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const json& each) { return each.at("verdict") == "chosen"; }), 1);
}

TEST_P(ScalapackOf, ALibraryThatIsMissingIsNamed) {
  const Result result = advised("pdgetrf --n 200 --ranks 2 --library /nowhere/libscalapack.so");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("ScaLAPACK can't be loaded from /nowhere/libscalapack.so"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, ScalapackOf, testing::Values("openmpi", "mpich"), [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace flopcast
