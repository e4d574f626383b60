#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "tests/preload/mpi/traced_programs.hpp"

/// The program's functions that MPI calls: their kernels and their time are the program's computation.
namespace flopcast::preload {
namespace {

using nlohmann::json;

class Callbacks : public FollowedPrograms {
 protected:
  /// Expects the program's output under flopcast to be the same as without, and every product that it counts to be a kernel.
  void expect_kernels(int ranks, const std::string& program, const std::string& options = "") {
    const Result plain = run(ranks, program);
    ASSERT_EQ(plain.exit_code, 0) << plain.err;
    const Result result = traced(ranks, options, program);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, plain.out);
    std::istringstream line(plain.out);
    std::string name;
    int products = 0;
    line >> name >> products;
    EXPECT_GT(products, 0) << plain.out;
    const json found = profile();
    EXPECT_EQ(executed(found, "dgemm(NN, 24, 24, 24)"), products) << program;
    EXPECT_GT(found.at("longest").at("flops"), 0);
    EXPECT_DOUBLE_EQ(found.at("volumetric").at("flops").get<double>() * ranks, products * 2.0 * 24 * 24 * 24);
  }
};

/// These are operations in every kind of reduction, copies of attributes, and error handlers.
TEST_P(Callbacks, Compute) {
  expect_kernels(3, built("callbacks_program"), "--clock wall");
  expect_kernels(2, built("callbacks_program"), "--clock cpu");
}

/// Bindings of other languages make operations by this name.
TEST_P(Callbacks, OperationsMadeByTheNameWithThePrefixCompute) {
  expect_kernels(2, built("callbacks_program") + " all 0 prefixed", "--clock wall");
}

TEST_P(Callbacks, OperationsOfFortranCompute) {
  for (const char* name : {"callbacks_fortran", "callbacks_fortran08"}) {
    if (std::filesystem::exists(built(name))) {
      expect_kernels(2, built(name), "--clock wall");
    }
  }
}

/// An operation sleeps for 20 ms, which is the program's time. With one message between two processes, the collective takes less.
TEST_P(Callbacks, TimeOfAnOperationIsComputation) {
  ASSERT_EQ(traced(2, "--clock wall", built("callbacks_program") + " reduce 20000").exit_code, 0);
  const json found = profile();
  EXPECT_GE(found.at("per_process").at("computation_seconds"), 4 * 0.02);
  EXPECT_GE(found.at("path").at("computation_seconds"), 4 * 0.02);
}

/// If the reduction were skipped, its computation would be missing.
TEST_P(Callbacks, ReductionsThatComputeAreNeverLeftOut) {
  ASSERT_EQ(traced(2, "--policy conditional --no-windows --time-precision 1000", built("callbacks_program")).exit_code, 0);
  const json found = profile();
  EXPECT_EQ(executed(found, "MPI_Allreduce(4608 bytes"), 2 * 4);
  EXPECT_EQ(executed(found, "MPI_Iallreduce(4608 bytes"), 2 * 4);
}

INSTANTIATE_TEST_SUITE_P(Mpi, Callbacks, testing::Values("openmpi", "mpich"));

}  // namespace
}  // namespace flopcast::preload
