#include <elf.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using tests::contents;
using tests::Result;

const std::string kinds = FLOPCAST_KINDS "/";

bool is_installed(const char* blas) {
  try {
    return !machine::locate(blas, machine::Role::blas).empty();
  } catch (const Error&) {
    return false;
  }
}

/// Starts programs under `flopcast run` and `flopcast record` alike.
class Launching : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { std::ofstream(folder_ / "tuning.json") << to_json(SavedTuning()).dump(); }
  /// Runs a command line of the shell in this test's folder.
  Result shell(const std::string& command) { return tests::run_in(folder_, "export FLOPCAST_HOME=. && { " + command + "; }"); }
  /// Returns a command line with an empty tuning file for any machine.
  static std::string flopcast(const std::string& options) {
    const bool runs = std::string(GetParam()) == "run";
    return FLOPCAST_PROGRAM " " + std::string(GetParam()) + (runs ? " --other-machine --tuning tuning.json " : " ") + options;
  }
  Result launch(const std::string& options, const std::string& program) { return shell(flopcast(options + " -- " + program)); }

  tests::OwnFolder own_;
  const fs::path& folder_ = own_.path();
};

/// Returns the bytes of the stack that the first and the second call of each routine used, as small_stack prints them.
std::map<std::string, std::pair<std::size_t, std::size_t>> used_stacks(const std::string& printed) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> used;
  std::istringstream lines(printed);
  std::string name;
  for (std::pair<std::size_t, std::size_t> bytes; lines >> name >> bytes.first >> bytes.second;) {
    used[name] = bytes;
  }
  return used;
}

TEST_P(Launching, CallsOfBlasTakeLittleOfTheirCallersStack) {
  constexpr std::size_t most = 3072;
  SavedTuning tuning;
  tuning.set({"dgeqrf", "", {{200, 200, {48, 2, 0}, {}, 0, false}}});
  std::ofstream(folder_ / "tuning.json") << to_json(tuning).dump();
  const auto alone = used_stacks(shell(SMALL_STACK).out);
  EXPECT_EQ(alone.size(), 8U);
  const bool records = std::string(GetParam()) == "record";
  for (const char* options : {"", "--skip-kernels"}) {
    const Result result = records || std::string(options).empty() ? launch(options, SMALL_STACK) : Result();
    const auto used = used_stacks(result.out);
    for (const auto& [name, bytes] : used) {
      EXPECT_LE(bytes.first, alone.at(name).first + most) << options << ' ' << name;
      EXPECT_LE(bytes.second, alone.at(name).second + most) << options << ' ' << name;
    }
    EXPECT_EQ(used.size(), records || std::string(options).empty() ? alone.size() : 0U) << result.err;
  }
}

TEST_P(Launching, ThreadsDontShareBuffersOfALibraryWithoutLocks) {
  const std::string environment = "LD_LIBRARY_PATH=" + kinds + "without_locks ";
  EXPECT_NE(shell(environment + kinds + "two_threads pthreads").out, "0 wrong products\n");
  const std::string blas = "--blas " + kinds + "without_locks/libblas.so.3";
  for (const char* how : {"pthreads", "openmp", "fork"}) {
    const Result result = launch(blas, kinds + "two_threads " + how);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "0 wrong products\n") << how << result.err;
  }
}

TEST_P(Launching, ThreadsOfADeeplyBoundPluginDontShareBuffers) {
  const std::string host = kinds + "deep_host " + kinds + "libtwo_threads_plugin.so pthreads";
  EXPECT_NE(shell("LD_LIBRARY_PATH=" + kinds + "without_locks " + host).out, "0 wrong products\n");
  const Result result = launch("--blas " + kinds + "without_locks/libblas.so.3", host);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "0 wrong products\n");
}

TEST_P(Launching, ThreadsOfAPluginInAnotherNamespaceDontShareBuffers) {
  const std::string host = "env APART=1 " + kinds + "deep_host " + kinds + "libtwo_threads_plugin.so pthreads";
  EXPECT_NE(shell("LD_LIBRARY_PATH=" + kinds + "without_locks " + host).out, "0 wrong products\n");
  const Result result = launch("--blas " + kinds + "without_locks/libblas.so.3", host);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "0 wrong products\n");
  if (std::string(GetParam()) == "record") {
    EXPECT_THAT(result.err, ContainsRegex("no BLAS or LAPACK call was seen: the program loaded .*/without_locks/libblas.so.3"));
  }
}

TEST_P(Launching, ThreadsGetRightProductsOfSerialOpenBlas) {
  if (!is_installed("openblas-serial")) {
    GTEST_SKIP() << "the serial OpenBLAS is not installed";
  }
  for (const char* how : {"pthreads", "openmp"}) {
    EXPECT_EQ(launch("--blas openblas-serial", kinds + "two_threads " + how + " 24 20000").out, "0 wrong products\n") << how;
  }
}

TEST_P(Launching, RefusesALibraryToWhichNoLockCanBeAdded) {
  const Result result = launch("--blas " + kinds + "bound_to_itself/libblas.so.3", kinds + "two_threads");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, AllOf(HasSubstr("bound_to_itself/libblas.so.3"), HasSubstr("several threads"), HasSubstr("Choose another")));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(launch("--blas " + kinds + "with_locking/libblas.so.3", "true").exit_code, 0);
}

TEST_P(Launching, ProgramsOfAnotherLoaderAreStartedWithoutItsLibraries) {
  const std::string program = kinds + "program_of_another_loader";
  if (!fs::exists(program)) {
    GTEST_SKIP() << "this system's loader isn't known";
  }
  const std::string script = "sh -c 'LD_PRELOAD=\"/nowhere/libmine.so:$LD_PRELOAD\" " + program + "; true'";
  EXPECT_EQ(launch("--blas reference", script).out, "preloaded: /nowhere/libmine.so\n");
  EXPECT_THAT(launch("--blas reference", "sh -c 'printenv LD_PRELOAD; true'").out, HasSubstr("libflopcast-"));
}

TEST_P(Launching, AChosenLibraryTakesPrecedenceOverAnRpath) {
  const Result result = launch("--blas reference", kinds + "two_threads_by_rpath");
  EXPECT_EQ(result.out, "0 wrong products\n");
  EXPECT_THAT(result.err, Not(HasSubstr("instead of")));
  if (std::string(GetParam()) == "record") {
    EXPECT_THAT(shell(FLOPCAST_PROGRAM " record --show flopcast.trace --json").out, Not(HasSubstr("without_locks")));
  }
}

TEST_P(Launching, NamesTheRpathThatKeepsALibraryOfAnotherName) {
  const Result result = launch("--blas reference", kinds + "two_threads_of_another_name pthreads 1 1");
  EXPECT_THAT(result.err, AllOf(HasSubstr("libother.so.1 instead of"), HasSubstr("DT_RPATH"), HasSubstr("kinds/other_name")));
}

TEST_P(Launching, PathsMayContainTheLinkersListSeparators) {
  const fs::path odd = folder_ / "a b:c";
  fs::create_directories(odd);
  fs::create_directory_symlink(find_component("libflopcast-tuned.so").parent_path(), odd / "libexec");
  for (const std::string& temporary : {std::string(), "TMPDIR='" + odd.string() + "' "}) {
    const Result result = shell(temporary + "FLOPCAST_LIBEXEC='" + (odd / "libexec").string() + "' " +
                                flopcast("--blas reference -- grep -o 'libflopcast-[a-z]*' /proc/self/maps"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("libflopcast-t")) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("cannot be preloaded")));
  }
}

TEST_P(Launching, RunsProgramsWithTheAddressSanitizer) {
  const Result sanitized = launch("", kinds + "two_threads_sanitized");
  EXPECT_EQ(sanitized.exit_code, 0) << sanitized.err;
  EXPECT_EQ(sanitized.out, "0 wrong products\n");
}

TEST_P(Launching, RefusesProgramsOfAnotherCLibraryOrArchitecture) {
  const Result other = launch("", kinds + "two_threads_of_another_libc");
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_THAT(other.err, AllOf(HasSubstr("another C library than glibc"), HasSubstr("without_locks/libblas.so.3")));
  const Result without = launch("", kinds + "two_threads_without_loader");
  EXPECT_EQ(without.exit_code, 4);
  EXPECT_THAT(without.err, HasSubstr("dynamic loader /no/such/loader.so isn't on this machine"));

  std::string program = contents(kinds + "two_threads");
  program[offsetof(Elf64_Ehdr, e_machine)] = EM_S390;
  std::ofstream(folder_ / "foreign", std::ios::binary) << program;
  fs::permissions(folder_ / "foreign", fs::perms::owner_all);
  const Result foreign = launch("", "./foreign");
  EXPECT_EQ(foreign.exit_code, 4);
  EXPECT_THAT(foreign.err, HasSubstr("another architecture"));
}

TEST_P(Launching, NamesTheLibraryThatAProgramLacks) {
  const Result lacking = launch("", kinds + "two_threads_without_library");
  EXPECT_EQ(lacking.exit_code, 127);
  EXPECT_THAT(lacking.err,
              AllOf(HasSubstr("did not start: the dynamic linker finds no libother.so.1"), Not(HasSubstr("clear its environment"))));
}

class OverlappingThreads : public Launching {};

TEST_P(OverlappingThreads, ArentPredictedForALibraryWithoutLocks) {
  const Result recorded = launch("--blas reference", kinds + "two_threads pthreads 8 200");
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const std::string library = kinds + "without_locks/libblas.so.3";
  for (const std::string& predicted :
       {"profile flopcast.trace --no-peak --what-if blas=" + library,
        "profile flopcast.trace --no-peak --threads 2 --what-if blas=" + library, "predict --trace flopcast.trace --blas " + library,
        "predict --trace flopcast.trace --cache-model warm --blas " + library}) {
    const Result result = shell(FLOPCAST_PROGRAM " " + predicted);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr(library), HasSubstr("built for one thread"), HasSubstr("Choose a library")));
  }
}

INSTANTIATE_TEST_SUITE_P(By, OverlappingThreads, testing::Values("record"));
INSTANTIATE_TEST_SUITE_P(By, Launching, testing::Values("run", "record"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace flopcast::program
