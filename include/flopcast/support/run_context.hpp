#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace flopcast {

/// Reports the progress of a step as units of work done and expected. Returns false to stop the step early.
using Progress = std::function<bool(std::int64_t done, std::int64_t expected)>;

/// Ends an operation that its caller cancelled. what() says which results are kept.
class Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Beginning of every sentence on what made times unreliable while a result was measured. Results show these sentences first.
inline constexpr std::string_view noisy_machine = "the machine was noisy: ";

/// Connects a long operation with its caller. By default the operation is silent and never cancelled.
struct RunContext {
  /// Receives remarks beside the results, one sentence or more without a line break at the end.
  std::function<void(const std::string& text)> note = [](const std::string&) {};
  /// Receives a sentence that begins with `noisy_machine`, with which results are to begin. Default: a remark.
  std::function<void(const std::string& text)> noise = {};
  /// Opens a step that takes long, such as "measuring caches".
  std::function<Progress(std::string_view label)> progress = [](std::string_view) {
    return [](std::int64_t, std::int64_t) { return true; };
  };
  /// Receives the reason why nothing can be kept in the user's folders. The operation then goes on, and keeps measurements and choices in
  /// memory. Without this function such a refusal is an error.
  std::function<void(const std::string& reason)> unkept = {};
  /// Polled between steps. Returns true once the operation is to end.
  std::function<bool()> cancelled = [] { return false; };

  /// Tells what made times unreliable: "other programs kept 1.0 cores busy".
  void tell_noisy(const std::string& reason) const {
    const std::string text = std::string(noisy_machine) + reason;
    noise ? noise(text) : note("warning: " + text);
  }

  /// Opens a step by `progress`. The step's function also returns false once the operation is cancelled.
  [[nodiscard]] Progress step(std::string_view label) const {
    return [report = progress(label), stop = cancelled](std::int64_t done, std::int64_t expected) {
      return report(done, expected) && !stop();
    };
  }

  /// Throws Cancelled if the operation is cancelled. `kept` says which results are kept: "samples are kept; run it again to go on".
  void throw_if_cancelled(const std::string& kept) const {
    if (cancelled()) {
      throw Cancelled("interrupted; " + kept);
    }
  }

  /// Throws the exception that is being handled again if the operation is cancelled. To be called in a handler only: a measurement that
  /// was cancelled isn't a failure that other results can do without.
  void rethrow_if_cancelled() const {
    if (cancelled()) {
      throw;
    }
  }
};

/// Returns the context of an operation that goes on where nothing can be kept in the user's folders. Copies of the context note one reason,
/// behind `fault`.
inline RunContext keeping_if_possible(RunContext context,
                                      const std::string& fault = "measurements and choices of plans are kept in this process only") {
  context.unkept = [note = context.note, fault, is_told = std::make_shared<std::atomic_flag>()](const std::string& reason) {
    if (!is_told->test_and_set()) {
      note("warning: " + fault + ": " + reason);
    }
  };
  return context;
}

}  // namespace flopcast
