#include "flopcast/program/recording_document.hpp"

#include <gtest/gtest.h>

namespace flopcast::program {
namespace {

TEST(ThreadVariables, CountForTheirOwnLibraryAndOneForAll) {
  const ThreadVariables set =
      thread_variables({"PATH=/bin", "BLIS_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=4", "MKL_NUM_THREADS=many", "OMP_NUM_THREADS=3"});
  EXPECT_EQ(set.size(), 4U);
  EXPECT_EQ(threads_by(set, "blis"), 1);
  EXPECT_EQ(threads_by(set, "/usr/lib/x86_64-linux-gnu/blis-pthread/libblas.so.3"), 1);
  EXPECT_EQ(threads_by(set, "openblas"), 4);
  EXPECT_EQ(threads_by(set, "/opt/intel/libmkl_rt.so"), 3) << "a number is expected";
  EXPECT_EQ(threads_by(set, "atlas"), 3);
  EXPECT_EQ(threads_by(thread_variables({"BLIS_NUM_THREADS=1"}), "openblas"), std::nullopt);
  EXPECT_EQ(threads_by(thread_variables({"GOTO_NUM_THREADS=2"}), "openblas-serial"), 2);
}

}  // namespace
}  // namespace flopcast::program
