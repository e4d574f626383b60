#include "flopcast/c/workbench.hpp"

#include <string>

#include "flopcast/c/status.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast::c {
namespace {

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

machine::LibraryChoice choice_of(const flopcast_workbench_options& options) {
  machine::LibraryChoice choice;
  choice.blas = text_or_empty(options.blas);
  choice.lapack = text_or_empty(options.lapack);
  choice.threads = options.threads == 0 ? 1 : options.threads;
  if (choice.threads < 1 || choice.threads > max_threads) {
    throw usage_error("threads of a workbench: {} given, expected 1 to {}", options.threads, max_threads);
  }
  if (options.kernels != nullptr) {
    choice.kernels = options.kernels;
    if (choice.kernels != "auto" && choice.kernels != "library") {
      throw usage_error("kernels of a workbench: '{}' given, expected auto or library", choice.kernels);
    }
  }
  return choice;
}

RunContext context_of(const flopcast_workbench_options& options) {
  RunContext context;
  if (options.note != nullptr) {
    context.note = [note = options.note, user = options.user](const std::string& text) { note(text.c_str(), user); };
  }
  if (options.cancelled != nullptr) {
    context.cancelled = [cancelled = options.cancelled, user = options.user] { return cancelled(user) != 0; };
  }
  return keeping_if_possible(context);
}

}  // namespace

std::unique_lock<std::mutex> turn_of(flopcast_workbench& bench) {
  if (bench.process != ::getpid()) {
    throw usage_error("the workbench was opened before this process was forked, and its store isn't for two processes; open another one");
  }
  return std::unique_lock(bench.in_use);
}

}  // namespace flopcast::c

flopcast_status flopcast_workbench_open(flopcast_workbench** bench, const flopcast_workbench_options* options) {
  using namespace flopcast::c;
  return guarded([&] {
    flopcast_workbench*& made = required(bench, "bench");
    const auto given = given_options(options, "flopcast_workbench_options");
    made = std::make_unique<flopcast_workbench>(choice_of(given), context_of(given)).release();
  });
}

void flopcast_workbench_close(flopcast_workbench* bench) {
  if (bench != nullptr && bench->process == ::getpid()) {  // the parent of a forked child goes on with its store
    delete bench;
  }
}
