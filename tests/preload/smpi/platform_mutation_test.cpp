#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/mpi_programs.hpp"
#include "tests/mutation/mutation.hpp"

namespace flopcast {
namespace {

class PlatformMutations : public tests::MpiPrograms {
 protected:
  Result simulate() const {
    return run("FLOPCAST_HOME=" FLOPCAST_TEST_HOME " " FLOPCAST_PROGRAM
               " mpi simulate --ranks 4 --only-kernels --platform platform.xml -- " FLOPCAST_MPI_PROGRAMS "/chain_program_smpi 2",
               20);
  }
};

/// SimGrid reads the file itself and aborts where the file is wrong.
TEST_F(PlatformMutations, EndWithAResultOrAReason) {
  const std::string valid =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"3Gf\" "
      "bw=\"1GBps\" lat=\"10us\"/></platform>\n";
  std::ofstream(folder_ / "platform.xml") << valid;
  const Result whole = simulate();
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  int refused = 0;
  for (int seed = 0; seed < 50; ++seed) {
    testing::Random random(static_cast<std::uint64_t>(seed));
    std::ofstream(folder_ / "platform.xml", std::ios::binary) << testing::mutate_bytes(valid, random);
    const Result result = simulate();
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 3, 5)) << "seed " << seed << ": " << result.err;
    if (result.exit_code != 0) {
      EXPECT_FALSE(result.err.empty()) << "seed " << seed;
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace flopcast
