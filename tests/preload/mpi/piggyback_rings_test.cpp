#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/preload/mpi/mpi_run.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;
using tests::contents;
using tests::launcher;

/// Containers have little room in /dev/shm.
TEST_P(MpiRun, NeedsNoRoomInSharedMemory) {
  const std::string little = "unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec \"$@\"' sh ";
  if (GetParam() == "mpich" || std::system((little + "true 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "MPICH itself needs the room, or this user may not mount";
  }
  std::ofstream(folder_ / "run") << launcher(GetParam()) << "4 \"$@\"\n";
  const std::string command = program("work_program") + " 5";
  const Result plain = MpiPrograms::run(little + "sh ./run " + command);
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const Result with = MpiPrograms::run(little + "sh ./run " FLOPCAST_PROGRAM " mpi run --kernels library -- " + command);
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(with.out, plain.out);
}

}  // namespace
}  // namespace flopcast::preload
