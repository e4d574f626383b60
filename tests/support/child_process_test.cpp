#include "flopcast/support/child_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using testing::HasSubstr;

ChildProcess shell(const std::string& script, const ChildSetup& setup = {}) {
  return ChildProcess::start("/bin/sh", {"sh", "-c", script}, process::current_environment(), setup);
}

/// Returns what a script of the shell prints.
std::string printed(const std::string& script, ChildSetup setup = {}) {
  Pipe pipe = make_pipe();
  setup.files[STDOUT_FILENO] = pipe.write.get();
  ChildProcess child = shell(script, setup);
  pipe.write.close();
  std::string text = read_to_end(pipe.read.get()).value_or("");
  child.wait();
  return text;
}

volatile std::sig_atomic_t handled = 0;

/// Handles `number` by `handler` for the time of a test.
class Handler {
 public:
  Handler(int number, void (*handler)(int)) : number_(number) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(number, &action, &before_);
    handled = 0;
  }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  ~Handler() { sigaction(number_, &before_, nullptr); }

 private:
  int number_;
  struct sigaction before_ {};
};

void note(int number) { handled = number; }

TEST(ExitStatus, IsTheExitCodeOrTheSignal) {
  const ExitStatus three = shell("exit 3").wait();
  EXPECT_EQ(three.code(), 3);
  EXPECT_EQ(three.signal(), 0);
  EXPECT_EQ(to_string(three), "ended with exit code 3");
  const ExitStatus killed = shell("kill -TERM $$").wait();
  EXPECT_EQ(killed.code(), 128 + SIGTERM);
  EXPECT_EQ(killed.signal(), SIGTERM);
  EXPECT_EQ(to_string(killed), "was ended by signal 15 (Terminated)");
}

TEST(ChildProcess, GetsArgumentsAndEnvironment) {
  Pipe pipe = make_pipe();
  ChildSetup setup;
  setup.files = {{STDOUT_FILENO, pipe.write.get()}};
  ChildProcess child = ChildProcess::start("/bin/sh", {"name", "-c", "echo \"$0|$1|$WORD\"", "zero", "a b"}, {"WORD=given"}, setup);
  pipe.write.close();
  EXPECT_EQ(read_to_end(pipe.read.get()), "zero|a b|given\n");
  EXPECT_EQ(child.wait().code(), 0);
  EXPECT_FALSE(child.is_running());
}

TEST(ChildProcess, ThatCannotBeStartedIsAnError) {
  for (const char* file : {"/nowhere/program", "/etc/passwd"}) {
    try {
      ChildProcess::start(file, {"program"}, {});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      EXPECT_THAT(error.what(), HasSubstr(std::string("can't start ") + file));
    }
  }
}

TEST(ChildProcess, FilesMayTradeTheirNumbers) {
  Pipe first = make_pipe(), second = make_pipe();
  const int a = first.write.get(), b = second.write.get();
  ChildSetup setup;
  setup.files = {{a, b}, {b, a}};
  ChildProcess child = shell("echo first >&" + std::to_string(a) + "; echo second >&" + std::to_string(b), setup);
  first.write.close();
  second.write.close();
  EXPECT_EQ(read_to_end(first.read.get()), "second\n");
  EXPECT_EQ(read_to_end(second.read.get()), "first\n");
  EXPECT_EQ(child.wait().code(), 0);
}

TEST(ChildProcess, AFileMayKeepItsNumber) {
  Pipe pipe = make_pipe();
  const int number = pipe.write.get();
  ChildSetup setup;
  setup.files = {{number, number}};
  ChildProcess child = shell("echo here >&" + std::to_string(number), setup);
  pipe.write.close();
  EXPECT_EQ(read_to_end(pipe.read.get()), "here\n") << "the close-on-exec flag has to go";
  child.wait();
}

TEST(ChildProcess, OtherFilesAreNotInherited) {
  const Pipe pipe = make_pipe();
  EXPECT_EQ(printed("[ -e /proc/self/fd/" + std::to_string(pipe.write.get()) + " ] && echo inherited"), "");
}

TEST(ChildProcess, ASilentOnePrintsNothing) {
  ChildSetup setup;
  setup.silent = true;
  EXPECT_EQ(shell("[ $(readlink /proc/$$/fd/1) = /dev/null ] && [ $(readlink /proc/$$/fd/2) = /dev/null ]", setup).wait().code(), 0);
  EXPECT_EQ(printed("echo kept; echo lost >&2", setup), "kept\n") << "files that are named are not silenced";
}

TEST(ChildProcess, WaitsForALimitedTime) {
  ChildProcess child = shell("exec sleep 60");
  EXPECT_EQ(child.wait_for(0.02), std::nullopt);
  EXPECT_TRUE(child.is_running());
  child.send(SIGTERM);
  const std::optional<ExitStatus> status = child.wait_for(60);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal(), SIGTERM);
  EXPECT_FALSE(child.is_running());
}

TEST(ChildProcess, EndsWithItsObject) {
  Pipe pipe = make_pipe();
  ChildSetup setup;
  setup.files = {{STDOUT_FILENO, pipe.write.get()}};
  {
    const ChildProcess child = shell("exec sleep 60", setup);
    pipe.write.close();
  }
  EXPECT_EQ(read_to_end(pipe.read.get(), 30.0), "") << "the pipe closes when the process ends";
}

TEST(ChildProcess, AMovedOneIsWaitedForOnce) {
  ChildProcess first = shell("exit 4");
  ChildProcess second(std::move(first));
  EXPECT_FALSE(first.is_running());
  EXPECT_EQ(second.wait().code(), 4);
}

TEST(ChildProcess, ACopyRunsAFunction) {
  EXPECT_EQ(ChildProcess::fork([] { return 42; }).wait().code(), 42);
  EXPECT_EQ(ChildProcess::fork([]() -> int { throw std::runtime_error("a bug"); }).wait().code(), 70);
  EXPECT_EQ(ChildProcess::fork([]() -> int { return raise(SIGKILL); }).wait().signal(), SIGKILL);
}

TEST(ChildProcess, ACopyDoesNotRunWhatIsRegisteredForTheEnd) {
  static int descriptor = -1;
  Pipe pipe = make_pipe();
  ChildProcess child = ChildProcess::fork([&] {
    descriptor = pipe.write.get();
    std::atexit([] { write_all(descriptor, "ended"); });
    return 0;
  });
  pipe.write.close();
  EXPECT_EQ(read_to_end(pipe.read.get()), "");
  EXPECT_EQ(child.wait().code(), 0);
}

TEST(ChildProcess, HandlersOfThisProcessDoNotRunInACopy) {
  const Handler handler(SIGTERM, [](int) { _exit(7); });
  EXPECT_EQ(ChildProcess::fork([] { return raise(SIGTERM); }).wait().signal(), SIGTERM);
}

TEST(ChildProcess, ASignalThatThisProcessIgnoresIsIgnoredInTheChild) {
  const Handler handler(SIGTERM, SIG_IGN);
  EXPECT_EQ(ChildProcess::fork([] { return raise(SIGTERM); }).wait().code(), 0);
  EXPECT_EQ(shell("kill -TERM $$; exit 5").wait().code(), 5);
}

TEST(ChildProcess, MayIgnoreInterrupts) {
  ChildSetup setup;
  setup.ignores_interrupts = true;
  EXPECT_EQ(shell("kill -INT $$; kill -TERM $$; exit 6", setup).wait().code(), 6);
  EXPECT_EQ(shell("kill -INT $$; exit 6").wait().signal(), SIGINT);
}

TEST(ChildProcess, GetsASignalWhenItsParentEnds) {
  Pipe pipe = make_pipe();
  ChildProcess parent = ChildProcess::fork([&] {
    ChildSetup setup;
    setup.on_parent_end = SIGKILL;
    setup.files = {{STDOUT_FILENO, pipe.write.get()}};
    ChildProcess child = shell("exec sleep 60", setup);
    return raise(SIGKILL);  // neither waits nor runs the destructor
  });
  pipe.write.close();
  EXPECT_EQ(parent.wait().signal(), SIGKILL);
  EXPECT_EQ(read_to_end(pipe.read.get(), 30.0), "") << "the pipe closes when the child of the child ends";
}

TEST(RunInForeground, ReturnsTheEnd) {
  EXPECT_EQ(run_in_foreground("/bin/sh", {"sh", "-c", "exit 3"}, process::current_environment()).code(), 3);
  EXPECT_THROW(run_in_foreground("/nowhere/program", {"program"}, {}), Error);
}

TEST(RunInForeground, SaysWhatTheProgramUsed) {
  ProcessUsage usage{-1, -1, -1, -1};
  run_in_foreground("/bin/sh", {"sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"}, process::current_environment(), {},
                    &usage);
  EXPECT_GT(usage.user, 0);
  EXPECT_GE(usage.system, 0);
  EXPECT_GT(usage.elapsed, 0);
  EXPECT_GT(usage.peak_resident_bytes, 100'000);
}

TEST(RunInForeground, PassesSignalsOnAndDeliversAnInterruptToTheHandler) {
  const Handler handler(SIGTERM, note);
  const pid_t self = getpid();
  const std::string script = "trap 'exit 9' TERM; kill -TERM " + std::to_string(self) + "; while :; do sleep 0.01; done";
  EXPECT_EQ(run_in_foreground("/bin/sh", {"sh", "-c", script}, process::current_environment()).code(), 9);
  EXPECT_EQ(handled, SIGTERM) << "the caller's operation counts as interrupted";
}

TEST(RunInForeground, OtherSignalsArePassedOnWithoutEffectHere) {
  const Handler handler(SIGUSR1, note);
  const std::string script = "trap 'exit 9' USR1; kill -USR1 " + std::to_string(getpid()) + "; while :; do sleep 0.01; done";
  EXPECT_EQ(run_in_foreground("/bin/sh", {"sh", "-c", script}, process::current_environment()).code(), 9);
  EXPECT_EQ(handled, 0);
}

/// Returns this process's line "SigBlk:\t0000000000000000\n" of /proc/self/status.
std::string blocked_signals() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigBlk", 0) == 0) {
      return line + '\n';
    }
  }
  return "";
}

TEST(RunInForeground, LeavesTheSignalMaskAsItWas) {
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  EXPECT_EQ(printed("exec grep SigBlk /proc/self/status"), blocked_signals()) << "a child has the mask of its parent";
  run_in_foreground("/bin/true", {"true"}, process::current_environment());
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) {
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number));
  }
}

TEST(RunInForeground, EndsAProgramAndItsChildrenAtTheLimit) {
  ChildSetup setup;
  setup.limit = 0.2;
  Pipe pipe = make_pipe();
  setup.files = {{STDOUT_FILENO, pipe.write.get()}};
  const ExitStatus status = run_in_foreground("/bin/sh", {"sh", "-c", "sleep 1000 & sleep 1000"}, {"PATH=/usr/bin:/bin"}, setup);
  EXPECT_EQ(status.signal(), SIGKILL);
  pipe.write.close();
  EXPECT_EQ(read_to_end(pipe.read.get(), 60.0), "") << "a child still has the pipe";
  setup = {.limit = 1000};
  EXPECT_EQ(run_in_foreground("/bin/sh", {"sh", "-c", "exit 3"}, {}, setup).code(), 3);
}

TEST(RunInForeground, AsksAProgramToEndAtTheSoftLimit) {
  ChildSetup setup;
  setup.soft_limit = 0.2;
  EXPECT_EQ(
      run_in_foreground("/bin/sh", {"sh", "-c", "trap 'kill $!; exit 7' TERM; sleep 1000 & wait; exit 3"}, {"PATH=/usr/bin:/bin"}, setup)
          .code(),
      7);
  EXPECT_EQ(run_in_foreground("/bin/sh", {"sh", "-c", "trap '' TERM; exec sleep 1000"}, {"PATH=/usr/bin:/bin"}, setup).signal(), SIGKILL);
  setup.soft_limit = 1000;
  EXPECT_EQ(run_in_foreground("/bin/sh", {"sh", "-c", "exit 3"}, {}, setup).code(), 3);
}

TEST(ProgramInPath, IsTheFirstExecutableFileOfThatName) {
  EXPECT_EQ(program_in_path("sh")->filename(), "sh");
  EXPECT_EQ(program_in_path("no-such-program"), std::nullopt);
  EXPECT_TRUE(is_executable_file("/bin/sh"));
  EXPECT_FALSE(is_executable_file("/etc/passwd"));
  EXPECT_FALSE(is_executable_file("/bin"));
}

TEST(ReadToEnd, StopsAtItsLimit) {
  Pipe pipe = make_pipe();
  ASSERT_TRUE(write_all(pipe.write.get(), "begun"));
  EXPECT_EQ(read_to_end(pipe.read.get(), 0.01), std::nullopt);
  ASSERT_TRUE(write_all(pipe.write.get(), "ended"));
  pipe.write.close();
  EXPECT_EQ(read_to_end(pipe.read.get(), 30.0), "ended");
}

TEST(ReadToEnd, ReadsMoreThanAPipeHolds) {
  const std::string large(1 << 20, 'x');
  Pipe pipe = make_pipe();
  std::thread writer([&] {
    EXPECT_TRUE(write_all(pipe.write.get(), large));
    pipe.write.close();
  });
  EXPECT_EQ(read_to_end(pipe.read.get()), large);
  writer.join();
}

}  // namespace
}  // namespace flopcast
