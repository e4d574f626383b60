#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tests::contents;
using tests::Result;

bool installed(const std::string& program) { return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0; }

/// Returns a tuning file whose block sizes differ from all defaults, for this machine unless told otherwise.
SavedTuning odd_tuning(const std::string& cpu = machine::detect_topology().cpu) {
  SavedTuning tuning;
  tuning.environment.cpu = cpu;
  tuning.set({"dgeqrf", "", {{50, 50, {7, 2, 0}, {}, 0}, {400, 400, {21, 2, 0}, {}, 0}}});
  tuning.set({"dpotrf", "", {{400, 400, {45, 2, 0}, {}, 0}}});
  tuning.set({"dgeqp3", "", {{400, 400, {13, 2, 16}, {}, 0}}});
  return tuning;
}

class RunCommand : public testing::Test {
 protected:
  void SetUp() override { write_tuning(odd_tuning()); }
  void write_tuning(const SavedTuning& tuning) { std::ofstream(folder_ / "tuning.json") << to_json(tuning).dump(); }

  /// Runs the program with FLOPCAST_HOME in this test's folder.
  Result flopcast(const std::string& arguments) {
    const std::string command = "FLOPCAST_HOME=" + folder_.string() + " " FLOPCAST_PROGRAM " " + arguments + " >" +
                                (folder_ / "out").string() + " 2>" + (folder_ / "err").string();
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), contents(folder_ / "out"), contents(folder_ / "err")};
  }

  /// Runs a client, checks that it did its work, and returns the report.
  nlohmann::json report_of(const std::string& options, const std::string& client, const std::string& expected_output) {
    const fs::path file = folder_ / "report.json";
    const Result result = flopcast("run --json --output " + file.string() + " " + options + " -- " + client);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(expected_output)) << result.err;
    return nlohmann::json::parse(contents(file));
  }

  static std::int64_t queries(const nlohmann::json& report, const std::string& routine) {
    for (const nlohmann::json& use : report.at("routines")) {
      if (use.at("routine") == routine) {
        return use.at("queries").get<std::int64_t>();
      }
    }
    ADD_FAILURE() << "no " << routine << " in " << report.dump();
    return 0;
  }

  tests::OwnFolder own_;
  const fs::path& folder_ = own_.path();
};

/// Returns a command line that runs `command` with a folder full/ on a full disk; empty if this system doesn't allow such a disk.
std::string on_a_full_disk(const fs::path& folder, const std::string& command) {
  const std::string mount = "unshare --user --map-root-user --mount sh -c 'mkdir -p " + (folder / "full").string() +
                            " && mount -t tmpfs -o size=16k tmpfs " + (folder / "full").string();
  if (std::system((mount + "' >/dev/null 2>&1").c_str()) != 0) {
    return "";
  }
  return mount + " && (cat /dev/zero > " + (folder / "full/zeros").string() + " 2>/dev/null; " + command + ")'";
}

TEST_F(RunCommand, AProgramRunsOnWhereTheDiskOfTemporaryFilesIsFull) {
  const std::string run = "FLOPCAST_HOME=" + folder_.string() + " TMPDIR=" + (folder_ / "full").string() +
                          " " FLOPCAST_PROGRAM " run --report -- " FLOPCAST_EXAMPLE_CHOLESKY " >" + (folder_ / "out").string() + " 2>" +
                          (folder_ / "err").string();
  const std::string command = on_a_full_disk(folder_, run);
  if (command.empty()) {
    GTEST_SKIP() << "no disk can be mounted here";
  }
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << contents(folder_ / "err");
  EXPECT_THAT(contents(folder_ / "err"), HasSubstr("queried"));
}

TEST_F(RunCommand, AProgramRunsOnWhereNothingCanBeCounted) {
  const std::string run =
      "ulimit -f 0; FLOPCAST_HOME=" + folder_.string() + " " FLOPCAST_PROGRAM " run -- " FLOPCAST_EXAMPLE_CHOLESKY " 2>&1";
  const std::string piped = "bash -c 'set -o pipefail; (" + run + ") | cat >" + (folder_ / "out").string() + "'";  // a pipe has no limit
  const int status = std::system(piped.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(contents(folder_ / "out"), HasSubstr("the program ran as it should, but what its LAPACK queried could not be counted"));
}

TEST_F(RunCommand, OctaveQueriesBlockSizesAndComputesRight) {
  if (!installed("octave-cli")) {
    GTEST_SKIP() << "octave-cli is not installed";
  }
  const nlohmann::json report = report_of("", "octave-cli --eval 'A = rand(300); [q, r] = qr(A); disp(norm(q * r - A) < 1e-10)'", "1");
  EXPECT_GT(queries(report, "dgeqrf"), 0);
}

TEST_F(RunCommand, NumpyQueriesBlockSizesAndComputesRight) {
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "NumPy is not installed";
  }
  const nlohmann::json report = report_of(
      "", python + " -c 'import numpy as n; a = n.random.rand(300, 300); q, r = n.linalg.qr(a); print(abs(q @ r - a).max() < 1e-12)'",
      "True");
  EXPECT_GT(queries(report, "dgeqrf"), 0);
}

TEST_F(RunCommand, RQueriesBlockSizesAndComputesRight) {
  if (!installed("Rscript")) {
    GTEST_SKIP() << "R is not installed";
  }
  const nlohmann::json report = report_of(
      "",
      "Rscript -e 'A = matrix(rnorm(90000), 300); q = qr(A, LAPACK = TRUE); print(max(abs(qr.Q(q) %*% qr.R(q) - A[, q$pivot])) < 1e-11)'",
      "TRUE");
  EXPECT_GT(queries(report, "dgeqp3"), 0);  // queried as dgeqrf
  EXPECT_EQ(queries(report, "dgeqrf"), 0);
}

#ifdef FLOPCAST_EXAMPLE_QR
TEST_F(RunCommand, FortranQueriesBlockSizesAndComputesRight) {
  for (const std::string libraries : {"", "--blas openblas-serial --lapack reference", "--blas blis-serial"}) {
    const nlohmann::json report = report_of(libraries, FLOPCAST_EXAMPLE_QR " 300", "residual");
    EXPECT_EQ(queries(report, "dgeqrf"), 2) << libraries;  // for the workspace, then for the work
    EXPECT_EQ(report.at("routines")[0].at("largest"), 300);
  }
}
#endif

TEST_F(RunCommand, CQueriesReferenceLapack) {
  const nlohmann::json report = report_of("--blas openblas-serial --lapack reference", FLOPCAST_EXAMPLE_CHOLESKY " 300", "residual");
  EXPECT_EQ(queries(report, "dpotrf"), 1);
  EXPECT_THAT(report.at("blas").get<std::string>(), HasSubstr("openblas-serial"));
  EXPECT_THAT(report.at("routines")[1].at("lapack").get<std::string>(), HasSubstr("lapack/liblapack"));
}

TEST_F(RunCommand, ReportsWorkspacesThatAreTooShort) {
  SavedTuning tuning = odd_tuning();
  tuning.set({"dgeqrf", "", {{200, 200, {64, 2, 0}, {}, 0}}});
  write_tuning(tuning);
  const Result result = flopcast("run --blas openblas-serial --lapack reference -- " FLOPCAST_WORKSPACES);

  EXPECT_EQ(result.exit_code, 0);
#if defined(__x86_64__)
  EXPECT_THAT(result.err, HasSubstr("dgeqrf: queried once, 64 returned, but the program's workspace allows 32 only"));
#else
  EXPECT_THAT(result.err, HasSubstr("dgeqrf: queried once, 64 returned, but the program's workspace was too short for that"));
#endif
}

TEST_F(RunCommand, QueriesWithoutLengthsAreAnswered) {
  SavedTuning tuning = odd_tuning();
  tuning.set({"dormqr", "RN", {{400, 400, {9, 2, 0}, {}, 0}}});
  tuning.set({"dormqr", "LT", {{400, 400, {11, 2, 0}, {}, 0}}});
  write_tuning(tuning);
  for (const char* fill : {"0x7f", "0", "0xff", "0x80", "0x41", "1"}) {  // in the place of the lengths
    const Result result = flopcast("run -- " WITHOUT_LENGTHS " " + std::string(fill));
    EXPECT_EQ(result.exit_code, 0) << fill << result.err;
    EXPECT_THAT(result.out, HasSubstr("DGEQRF   21\ndgeqrf   7\nDORMQR RN 9\nDORMQR LT 11\nDORMQR LN ")) << fill;
  }
}

TEST_F(RunCommand, ReportsThatASignalEndedTheProgram) {
  const Result result = flopcast("run -- " WITHOUT_LENGTHS " 0 abort");
  EXPECT_EQ(result.exit_code, 128 + SIGABRT);
  EXPECT_THAT(result.err, AllOf(HasSubstr("signal 6 (Aborted) ended the program. Its queries"), Not(HasSubstr("not queried"))));
  EXPECT_THAT(flopcast("run --report -- " WITHOUT_LENGTHS " 0 abort").err,
              AllOf(HasSubstr("BLAS of the program: not known"), HasSubstr("not queried before signal 6 (Aborted) ended the program")));
}

TEST_F(RunCommand, ReportsTheFlagsOfQueries) {
  SavedTuning tuning;
  tuning.environment.cpu = machine::detect_topology().cpu;
  tuning.set({"dsytrd", "L", {{200, 200, {24, 2, 0}, {}, 0}}});
  write_tuning(tuning);
  const Result result = flopcast("run --blas openblas-serial --lapack reference -- " FLOPCAST_WORKSPACES);

  EXPECT_THAT(result.err, HasSubstr("dsytrd:L: not queried: the program queried once with 'U', for which the tuning file has nothing"));
  EXPECT_THAT(result.err, Not(HasSubstr("didn't call it")));
}

TEST_F(RunCommand, ReportsWhereLapackNeverQueries) {
  const Result result = flopcast("run --blas openblas-serial --lapack openblas-serial -- " FLOPCAST_EXAMPLE_CHOLESKY " 300");

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("dpotrf: never queried"), HasSubstr("libopenblas"),
                                HasSubstr("dgeqrf: not queried: the program didn't call it")));
}

TEST_F(RunCommand, KeepsOutputAndExitCode) {
  const Result result = flopcast("run -- sh -c 'echo one; exit 42'");

  EXPECT_EQ(result.exit_code, 42);
  EXPECT_EQ(result.out, "one\n");
}

TEST_F(RunCommand, QuietPrintsNothing) { EXPECT_THAT(flopcast("run --quiet -- true").err, IsEmpty()); }

TEST_F(RunCommand, ReturnsTheSignalThatEndedTheProgram) { EXPECT_EQ(flopcast("run -- sh -c 'kill -SEGV $$'").exit_code, 128 + SIGSEGV); }

TEST_F(RunCommand, PassesSignalsOn) {
  const fs::path ready = folder_ / "ready";
  const pid_t child = fork();
  if (child == 0) {
    setenv("FLOPCAST_HOME", folder_.c_str(), 1);
    const std::string script = "trap 'exit 9' TERM; touch " + ready.string() + "; while :; do sleep 0.05; done";
    execl(FLOPCAST_PROGRAM, "flopcast", "run", "--quiet", "--", "sh", "-c", script.c_str(), nullptr);
    _exit(99);
  }
  while (!fs::exists(ready)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

TEST_F(RunCommand, TheRecordingLibraryForwardsCallsOfPrograms) {
  const std::string library = find_component("libflopcast-record.so").string();
  EXPECT_EQ(std::system(("LD_PRELOAD=" + library + " " FLOPCAST_EXAMPLE_CHOLESKY " 200 >/dev/null").c_str()), 0);
}

TEST_F(RunCommand, LeavesNoFilesBehind) {
  setenv("TMPDIR", folder_.c_str(), 1);
  EXPECT_EQ(flopcast("run --quiet --blas openblas-serial -- true").exit_code, 0);
  unsetenv("TMPDIR");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("flopcast")));
  }
}

TEST_F(RunCommand, SaysThatTheProgramIsStatic) {
  const Result result = flopcast("run -- " FLOPCAST_STATIC_PROGRAM);

  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("linked statically"));
}

TEST_F(RunCommand, ChecksTheInterpretersOfScripts) {
  const fs::path script = folder_ / "script";
  std::ofstream(script) << "#!" FLOPCAST_STATIC_PROGRAM " -x\n";
  fs::permissions(script, fs::perms::owner_all);
  EXPECT_THAT(flopcast("run -- " + script.string()).err, HasSubstr("linked statically"));

  std::ofstream(script) << "#!/no/such/interpreter\n";
  EXPECT_THAT(flopcast("run -- " + script.string()).err, HasSubstr("/no/such/interpreter"));

  std::ofstream(script) << "#! /bin/sh\necho hello\n";
  EXPECT_EQ(flopcast("run --quiet -- " + script.string()).out, "hello\n");
}

TEST_F(RunCommand, ChoosesNoLibrariesForCallsBeforeAnythingIsKnown) {
  const Result result = flopcast("run --blas auto --time-budget 0 -- echo hello");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "hello\n");
  EXPECT_THAT(result.err, HasSubstr("--blas auto chooses nothing"));
}

TEST_F(RunCommand, NeedsACommand) { EXPECT_EQ(flopcast("run").exit_code, 2); }

TEST_F(RunCommand, RefusesAnUnknownBlas) {
  const Result result = flopcast("run --blas openblass -- true");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("openblas"));
}

}  // namespace
}  // namespace flopcast::program
