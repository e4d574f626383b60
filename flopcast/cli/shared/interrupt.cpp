#include "flopcast/cli/shared/interrupt.hpp"

#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string_view>

#include "flopcast/support/run_context.hpp"

namespace flopcast::cli {
namespace {

constexpr unsigned grace_seconds = 1;                  // without a poll, until the process ends in the middle of what it does
constexpr std::int64_t one_request_nanoseconds = 5e8;  // timeout(1) sends its signal to the process and to its group

volatile std::sig_atomic_t signal_number = 0;  ///< the first signal that asked for the end; 0: none did
volatile std::sig_atomic_t results_are_shown = 0;
std::int64_t asked_at = 0;  ///< time of the first signal; only the handler uses it

std::int64_t now_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// A signal from this process itself was meant for a program that it ran. The program has ended, and its results are still to be kept.
void on_interrupt(int number, siginfo_t* info, void*) {
  if (signal_number == 0) {
    signal_number = number;
    asked_at = now_nanoseconds();
    if (info->si_pid != getpid()) {
      alarm(grace_seconds);
    }
  } else if (now_nanoseconds() - asked_at > one_request_nanoseconds) {
    std::signal(number, SIG_DFL);
    raise(number);
  }
}

/// Ends the process in the middle of a long step that doesn't poll. The store and files stay whole, whenever a process ends.
void on_alarm(int) {
  if (signal_number == 0) {
    return;  // somebody else's alarm
  }
  static constexpr std::string_view text = "flopcast: interrupted in the middle of a step; what was kept before it stays\n";
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, text.data(), text.size());
  _exit(interrupted_exit_code());
}

void on_broken_pipe(int) {}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGALRM, on_alarm);
  std::signal(SIGPIPE, on_broken_pipe);
  std::signal(SIGXFSZ, [](int) {});  // writing beyond the limit of a file's size fails like writing to a full disk
}

bool interrupted() noexcept {
  if (signal_number == 0) {
    return false;
  }
  if (results_are_shown == 0) {
    alarm(grace_seconds);
  }
  return true;
}

int interrupted_exit_code() noexcept { return 128 + signal_number; }

void let_results_be_shown() noexcept {
  results_are_shown = 1;
  alarm(0);
}

void throw_if_interrupted(const std::string& kept) {
  if (interrupted()) {
    let_results_be_shown();
    throw Cancelled("interrupted; " + kept);
  }
}

}  // namespace flopcast::cli
