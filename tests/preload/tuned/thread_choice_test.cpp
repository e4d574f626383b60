#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "flopcast/program/component.hpp"
#include "flopcast/program/program_run.hpp"
#include "flopcast/protocol/thread_table.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

/// Returns an entry for sizes 8 and 16 and the numbers of threads 1, 2 and 4: four threads are best where the last size is 16, else one.
std::string entry(const std::string& routine, const std::string& flags, std::size_t dimensions) {
  std::string steps;
  for (std::size_t node = 0; node < std::size_t{1} << dimensions; ++node) {
    steps += node % 2 == 0 ? "0Gg" : "gG0";
  }
  return ';' + routine + ',' + flags + ',' + std::string(dimensions, '2') + ',' + steps;
}

std::string table(const std::string& folder) {
  const std::string number = std::to_string(protocol::folder_number(folder));
  return "1,2,4;" + number + ',' + number + entry("dgemm", "NN", 3) + entry("dgetrf", "", 2) + ";dgemm,TN,222," +
         std::string(3 * 8, '0');  // with equal times, one thread
}

/// Returns a table in which another library with three threads is best for dgemm NN where the last size is 16.
std::string table_with_other(const std::string& folder, const std::string& library = OTHER_BLAS) {
  const std::string number = std::to_string(protocol::folder_number(folder));
  return "1,2,4;" + number + ',' + number + ',' + library + ",3;dgemm,NN,222,0GggGA0GggGA0GggGA0GggGA,z000z000z000z000" +
         entry("dgetrf", "", 2) + ";dgemm,TN,222," + std::string(3 * 8, '0');
}

/// A program whose BLAS prints how many threads each call has.
class ThreadsOfCalls : public testing::Test {
 protected:
  std::string output(const std::string& text, const std::string& environment = "") {
    const tests::Result result =
        tests::run_in(own_.path(), environment + " FLOPCAST_BLOCKS= FLOPCAST_THREAD_TABLE='" + text +
                                       "' LD_PRELOAD=" + find_component("libflopcast-tuned.so").string() + " " THREADED_PROGRAM);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    errors_ = result.err;
    return result.out;
  }

  std::string folder_ = std::filesystem::canonical(THREADED_BLAS).parent_path().string();
  std::string errors_;
  tests::OwnFolder own_;
};

constexpr const char* with_own_threads =
    "dgemmNN 10: 4\ndgemv: 4\ndgemmNN 2000: 4\ndgemmtN 10: 4\ncblas_dgemm 102 111 111 10: 4\ncblas_dgemm 101 111 112 10: 4\n"
    "dsyrkLN 10: 4\ndgetrf 10: 4\ndgemmNN 2000: 4\ndgemmNN 2000: 2\ndgemmNN 10: 4\ndgemmNN 10: 4\n";

constexpr const char* with_chosen_threads =
    "dgemmNN 10: 1\ndgemv: 4\ndgemmNN 2000: 4\ndgemmtN 10: 1\ncblas_dgemm 102 111 111 10: 4\ncblas_dgemm 101 111 112 10: 1\n"
    "dsyrkLN 10: 4\ndgetrf 10: 1\ndgemmNN 2000: 1\ndgemmNN 2000: 2\ndgemmNN 10: 4\ndgemmNN 10: 4\n";

/// Calls between two intercepted ones keep the program's threads, calls within one get those of the outer call, and no call gets more than
/// the program has set. From the second thread on, nothing is changed. The row-major product is one of TN by its transpose.
TEST_F(ThreadsOfCalls, FollowRoutineFlagsAndSizes) { EXPECT_EQ(output(table(folder_)), with_chosen_threads); }

/// The other library has no cblas_dgemm, computes nothing within calls of the program's library, and gets no more threads than the program
/// has set. Its functions call each other, but its errors reach the program's xerbla.
TEST_F(ThreadsOfCalls, MayBeThoseOfAnotherLibrary) {
  EXPECT_EQ(output(table_with_other(folder_)),
            "dgemmNN 10: 1\ndgemv: 4\nother dgemmNN 2000: 3\nxerbla: dgemm 4\ndgemmtN 10: 1\ncblas_dgemm 102 111 111 10: 4\n"
            "cblas_dgemm 101 111 112 10: 1\ndsyrkLN 10: 4\ndgetrf 10: 1\ndgemmNN 2000: 1\ndgemmNN 2000: 2\ndgemmNN 10: 4\n"
            "dgemmNN 10: 4\n");
}

/// Without a choice among numbers of threads the program's own stay. Flags that the table lacks are left to the program's library.
TEST_F(ThreadsOfCalls, StayWhereOnlyTheLibraryIsChosen) {
  const std::string number = std::to_string(protocol::folder_number(folder_));
  EXPECT_EQ(output("4;" + number + ',' + number + "," OTHER_BLAS ",3;dgemm,NN,222,0A0A0A0A,z000z000z000z000"),
            "dgemmNN 10: 4\ndgemv: 4\nother dgemmNN 2000: 3\nxerbla: dgemm 4\ndgemmtN 10: 4\ncblas_dgemm 102 111 111 10: 4\n"
            "cblas_dgemm 101 111 112 10: 4\ndsyrkLN 10: 4\ndgetrf 10: 4\nother dgemmNN 2000: 3\nxerbla: dgemm 4\ndgemmNN 2000: 2\n"
            "dgemmNN 10: 4\ndgemmNN 10: 4\n");
}

TEST_F(ThreadsOfCalls, AreTheOwnLibrarysWhereTheOtherOneCannotBeOpened) {
  for (const std::string library : {"/no/such.so", "/etc/passwd", THREADED_BLAS}) {  // the last one is the program's own
    EXPECT_EQ(output(table_with_other(folder_, library)), with_chosen_threads) << library;
  }
}

TEST_F(ThreadsOfCalls, AreReportedByLibrary) {
  ProgramOptions options;
  options.command = {THREADED_PROGRAM};
  options.thread_table = table_with_other(folder_);
  const ProgramRun run = run_with_tuning(options, SavedTuning());
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.threads,
              testing::UnorderedElementsAre(ThreadUse{"dgemm", 0, 2}, ThreadUse{"dgemm", 1, 3}, ThreadUse{"dgemm", 2, 1},
                                            ThreadUse{"dgemm", 4, 1}, ThreadUse{"dgemm", 3, 1, OTHER_BLAS}, ThreadUse{"dgetrf", 1, 1}));
}

TEST_F(ThreadsOfCalls, StayWhereTheTableHoldsForAnotherLibrary) { EXPECT_EQ(output(table("/usr/lib")), with_own_threads); }

TEST_F(ThreadsOfCalls, StayWithoutATable) {
  for (const char* setting : {"", "FLOPCAST_THREADS=2"}) {  // the setting of --threads is no table
    EXPECT_EQ(output("", setting), with_own_threads);
    EXPECT_EQ(errors_, "");
  }
}

TEST_F(ThreadsOfCalls, StayWithADamagedTable) {
  EXPECT_EQ(output("1,2;3"), with_own_threads);
  EXPECT_THAT(errors_, testing::HasSubstr("FLOPCAST_THREAD_TABLE is damaged"));
}

}  // namespace
}  // namespace flopcast::program
