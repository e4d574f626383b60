#include "flopcast/tasks/programs/verify_services.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/residual/check_call.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/memory_file.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

/// Progress of a child, in memory that the child shares with this process.
struct VerifyProgress {
  std::atomic<std::int64_t> next, calls;  ///< index of the present call; calls that were made
  std::atomic<bool> in_library;           ///< the library works on the present call
  std::atomic<double> largest_share;
};
static_assert(std::atomic<double>::is_always_lock_free);

/// Returns how long the library may take for a call: a minute, and what 10^8 flops per second take.
Seconds call_limit(const Call& call) { return 60 + flops(call) / 1e8; }

std::vector<std::int64_t> operand_places(const Call& call, std::uint64_t seed) {
  std::vector<std::int64_t> places;
  for (const Operand& operand : operands(call)) {
    places.push_back(static_cast<std::int64_t>(residual::cache_line_place(call, operand.argument, seed)));
  }
  return places;
}

/// Calls the libraries in a child process, one call after another. The child's report has a line of JSON for each fact.
class VerifyingChild {
 public:
  VerifyingChild(const VerifySubject& subject, const VerifyCalls& calls)
      : subject_(subject), calls_(calls), progress_(new (shared_.map(sizeof(VerifyProgress))) VerifyProgress{}) {
    progress_->next = calls.first;
  }

  VerifyOutcome run(const std::function<bool()>& stops) {
    ChildSetup setup;
    setup.silent = true;
    setup.ignores_interrupts = true;
    setup.on_parent_end = SIGKILL;
    ChildProcess child = ChildProcess::fork([this] { return work(); }, setup);
    const std::string ending = wait(child, stops);
    VerifyOutcome outcome = report();
    outcome.next = progress_->next;
    outcome.calls = progress_->calls;
    outcome.largest_share = progress_->largest_share;
    if (!ending.empty() && progress_->in_library) {
      Call call = calls_.calls[static_cast<std::size_t>(outcome.next)];
      call.integer_bytes = outcome.blas ? outcome.blas->integer_bytes : call.integer_bytes;
      const std::uint64_t seed = seed_of(outcome.next);
      outcome.findings.push_back({kernel::format_call(call), ending, 0, 0, seed, false, operand_places(call, seed)});
      ++outcome.next;
      ++outcome.calls;
    } else if (!ending.empty() && outcome.failure.empty()) {
      outcome.failure = "the process that opened them " + ending;
    }
    return outcome;
  }

 private:
  [[nodiscard]] std::uint64_t seed_of(std::int64_t index) const { return calls_.seed + static_cast<std::uint64_t>(index); }

  /// Waits until all calls are verified, `stops` says so, or something goes wrong. Returns what went wrong, or "".
  std::string wait(ChildProcess& child, const std::function<bool()>& stops) const {
    constexpr Seconds poll = 0.02;
    Stopwatch present;
    std::int64_t at = -1;
    std::optional<ExitStatus> status;
    while (!(status = child.wait_for(poll))) {
      if (progress_->next != at || !progress_->in_library) {
        at = progress_->next;
        present = Stopwatch();
      } else if (const Seconds limit = call_limit(calls_.calls[static_cast<std::size_t>(at)]); present.elapsed() > limit) {
        child.end();
        return fmt::format("no return within {}", format_seconds(limit));
      }
      if (stops()) {
        child.end();
        return "";
      }
    }
    return status->code() == 0 ? "" : to_string(*status);
  }

  [[nodiscard]] VerifyOutcome report() const {
    VerifyOutcome outcome;
    std::istringstream lines(facts_.contents());
    for (std::string line; std::getline(lines, line);) {
      const json fact = json::parse(line, nullptr, false);
      if (!fact.is_object()) {
        continue;  // the child was ended while it wrote
      }
      if (fact.contains("failure")) {
        outcome.failure = member<std::string>(fact, "failure");
      } else if (fact.contains("blas")) {
        outcome.blas = member<LibraryIdentity>(fact, "blas");
        outcome.lapack = member<LibraryIdentity>(fact, "lapack");
      } else {
        outcome.findings.push_back(fact.get<WrongCall>());
      }
    }
    return outcome;
  }

  // --- In the child ---

  void tell(const json& fact) const {
    const Descriptor file(::open(facts_.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    write_all(file.get(), fact.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  }

  int work() {
    try {
      if (const std::size_t equals = subject_.setting.find('='); equals != std::string::npos) {
        ::setenv(subject_.setting.substr(0, equals).c_str(), subject_.setting.substr(equals + 1).c_str(), 1);
      }
      const int integer_bytes = machine::Library::open(subject_.blas).identity().integer_bytes;
      const machine::LibrarySet libraries =
          machine::LibrarySet::open(subject_.blas, subject_.lapack.empty() ? machine::default_lapack(integer_bytes) : subject_.lapack);
      libraries.set_threads(subject_.threads);
      tell({{"blas", libraries.blas()}, {"lapack", libraries.lapack()}});
      verify(libraries, integer_bytes);
    } catch (const std::exception& error) {
      tell({{"failure", error.what()}});
      return 1;
    }
    return 0;
  }

  void verify(const machine::LibrarySet& libraries, int integer_bytes) {
    std::map<std::string, std::int64_t> wrong;
    for (std::int64_t i = calls_.first; i < static_cast<std::int64_t>(calls_.calls.size()); progress_->next = ++i) {
      Call call = calls_.calls[static_cast<std::size_t>(i)];
      const std::string& name = call.routine->name;
      const machine::Function function = libraries.find(name);
      if (function == nullptr || calls_.skipped.count(name) > 0 || wrong[name] >= max_findings) {
        continue;
      }
      call.integer_bytes = integer_bytes;
      const auto execute = [&](const Call& made) {
        kernel::Invocation invocation(function, made);
        progress_->in_library = true;
        invocation.run();
        progress_->in_library = false;
        return invocation.outcome();
      };
      const residual::CallCheck check = residual::check_call(call, execute, seed_of(i));
      ++progress_->calls;
      if (check.fails()) {
        ++wrong[name];
        // Numbers of the library may make the bound NaN, too. Then both are left out, because JSON has no such numbers.
        const bool compared = std::isfinite(check.error) && std::isfinite(check.bound);
        tell(WrongCall{kernel::format_call(call), compared ? check.fault : check.fault + " is NaN or infinite", compared ? check.error : 0,
                       compared ? check.bound : 0, seed_of(i), false, operand_places(call, seed_of(i))});
      } else if (check.bound > 0) {
        progress_->largest_share = std::max(progress_->largest_share.load(), check.error / check.bound);
      }
    }
  }

  const VerifySubject& subject_;
  const VerifyCalls& calls_;
  MemoryFile shared_{"flopcast-verify"}, facts_{"flopcast-verify-facts"};
  VerifyProgress* progress_;
};

/// State of an interrupted verification in the store.
class KeptVerification {
 public:
  KeptVerification(const Workbench& bench, const VerifyRequest& request, const std::vector<VerifySubject>& subjects) : bench_(bench) {
    identity_ = std::string(version()) + file_identity(request.recording);
    for (const VerifySubject& subject : subjects) {
      identity_ += fmt::format("{} {} {} {}", subject.blas, file_identity(subject.blas), subject.setting, subject.threads);
    }
    json words = request;
    for (const char* member : {"time_budget", "restart", "reproducer"}) {
      words.erase(member);
    }
    name_ = words.dump();
  }

  [[nodiscard]] std::optional<Verification> read() const {
    return read_artifact(bench_.store(), model::artifact::verification, name_,
                         [this](const json& kept) {
                           return member_or(kept, "identity", "") == identity_
                                      ? std::optional(verification_from_json(member<json>(kept, "state").dump()))
                                      : std::nullopt;
                         })
        .value_or(std::nullopt);
  }
  void write(const Verification* state) const {
    if (state != nullptr) {
      put_artifact(bench_.store(), model::artifact::verification, name_,
                   {{"schema", "flopcast-verification-state-1"}, {"identity", identity_}, {"state", json::parse(to_json(*state))}});
    } else {
      delete_artifact(bench_.store(), model::artifact::verification, name_);
    }
  }

 private:
  const Workbench& bench_;
  std::string identity_, name_;
};

}  // namespace

VerifyServices this_verify_services(const Workbench& bench, const VerifyRequest& request, const std::vector<VerifySubject>& subjects) {
  const KeptVerification kept(bench, request, subjects);
  VerifyServices services;
  services.clock = [watch = Stopwatch()] { return watch.elapsed(); };
  services.launch = [](const VerifySubject& subject, const VerifyCalls& calls, const std::function<bool()>& stops) {
    return VerifyingChild(subject, calls).run(stops);
  };
  services.kept = [kept] { return kept.read(); };
  services.keep = [kept](const Verification* state) { kept.write(state); };
  services.cpu = machine::detect_topology().cpu;
  return services;
}

}  // namespace flopcast
