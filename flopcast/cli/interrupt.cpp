#include "flopcast/cli/interrupt.hpp"

#include <csignal>

namespace flopcast::cli {
namespace {

volatile std::sig_atomic_t interrupt_count = 0;

void on_interrupt(int number) {
  interrupt_count = 1;
  std::signal(number, SIG_DFL);
}

void on_broken_pipe(int) {}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, on_broken_pipe);
}

bool interrupted() noexcept { return interrupt_count != 0; }

void throw_if_interrupted(const std::string& kept) {
  if (interrupted()) {
    throw Interrupted("interrupted; " + kept);
  }
}

}  // namespace flopcast::cli
