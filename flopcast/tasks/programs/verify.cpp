#include "flopcast/tasks/programs/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>

#include "flopcast/core/trace.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/call_source.hpp"
#include "flopcast/program/checking_source.hpp"
#include "flopcast/residual/cases.hpp"
#include "flopcast/residual/check_call.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/whole_file.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/verify_services.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {
namespace {

std::vector<const Routine*> requested_routines(const VerifyRequest& request) {
  std::vector<const Routine*> chosen;
  for (const Routine& routine : kernel::catalogue()) {
    if (request.routines.empty() || std::any_of(request.routines.begin(), request.routines.end(),
                                                [&](const std::string& name) { return name == routine.name || name == routine.family; })) {
      chosen.push_back(&routine);
    }
  }
  for (const std::string& name : request.routines) {
    if (std::none_of(chosen.begin(), chosen.end(), [&](const Routine* one) { return name == one->family; })) {
      static_cast<void>(kernel::require(name));
    }
  }
  return chosen;
}

std::string routine_of(const WrongCall& finding) { return finding.call.substr(0, finding.call.find(' ')); }

/// Returns the call of a finding, with addresses at its places in a cache line.
Call call_of(const WrongCall& finding, std::int64_t integer_bytes) {
  Call call = kernel::expand_calls(finding.call).front();
  call.integer_bytes = static_cast<std::int32_t>(integer_bytes);
  std::size_t k = 0;
  for (const Operand& operand : operands(call)) {
    const std::int64_t place = k < finding.places.size() ? finding.places[k] : 0;
    call.arguments[operand.argument] = static_cast<std::int64_t>(virtual_base(k++)) + place;
  }
  return call;
}

/// Returns the program in C that repeats the wrong calls of libraries whose integers have the same size as those of the first one. Counts the
/// others in `missing`.
std::string reproducer_of(const Verification& verification, std::int64_t& missing) {
  std::vector<program::CheckedCall> calls;
  std::int64_t integer_bytes = 0;
  for (const VerifiedLibrary& library : verification.libraries) {
    const std::string name = fmt::format("{}{}{} with {}, LAPACK {}", library.blas, library.kernels.empty() ? "" : ", kernels ",
                                         library.kernels, counted(library.threads, "thread"), library.lapack);
    // On another CPU the library would choose other kernels by itself.
    const std::string setting = library.setting.empty() ? format_settings(settings_for(library.file, library.kernels)) : library.setting;
    for (const WrongCall& finding : library.findings) {
      integer_bytes = integer_bytes == 0 ? library.integer_bytes : integer_bytes;
      if (library.integer_bytes != integer_bytes) {
        ++missing;
        continue;
      }
      std::string found = program::harmless(name) + ": " + finding.fault;
      found += finding.bound > 0 ? fmt::format(", error {:.3g}, bound {:.3g}", finding.error, finding.bound) : "";
      calls.push_back({call_of(finding, integer_bytes), finding.seed, library.threads, setting, std::move(found)});
    }
  }
  return checking_source(
      calls, {fmt::format("Calls whose results were wrong. Written by flopcast {}.", version()), "", "CPU: " + verification.cpu},
      static_cast<int>(integer_bytes));
}

/// One verification: pieces of its calls go to the subjects in turns.
class Verifier {
 public:
  Verifier(const VerifyRequest& request, const std::vector<VerifySubject>& subjects, const VerifyServices& services,
           const RunContext& context)
      : request_(request), subjects_(subjects), services_(services), context_(context), begin_(services.clock()) {
    plan();
  }

  Verification run() {
    resume();
    const Progress step = context_.step("verifying");
    for (const std::vector<Call>& piece : pieces_) {
      for (std::size_t s = 0; s < subjects_.size() && !stops(); ++s) {
        verify(piece, s);
        step(std::accumulate(done_.begin(), done_.end(), std::int64_t{0}), static_cast<std::int64_t>(subjects_.size()) * planned_);
      }
      before_ += static_cast<std::int64_t>(piece.size());
    }
    conclude();
    return result_;
  }

 private:
  [[nodiscard]] bool stops() const { return context_.cancelled() || services_.clock() - begin_ >= request_.time_budget; }

  void plan() {
    const std::vector<const Routine*> routines = requested_routines(request_);
    if (!request_.recording.empty()) {
      std::vector<Call> calls = calls_of_recording(request_.recording, context_);
      std::erase_if(calls, [&](const Call& call) { return std::find(routines.begin(), routines.end(), call.routine) == routines.end(); });
      recorded_ = static_cast<std::int64_t>(calls.size());
      pieces_.push_back(std::move(calls));
    }
    for (std::int64_t round = 0; round < request_.rounds; ++round) {
      pieces_.emplace_back();
      for (const Routine* routine : routines) {
        const std::vector<Call> calls = residual::generated_calls(*routine, round, request_.seed);
        pieces_.back().insert(pieces_.back().end(), calls.begin(), calls.end());
      }
    }
    for (const std::vector<Call>& piece : pieces_) {
      planned_ += static_cast<std::int64_t>(piece.size());
    }
    for (const Routine* routine : routines) {
      if (!residual::has_relation(*routine) &&
          std::find(result_.not_compared.begin(), result_.not_compared.end(), routine->family) == result_.not_compared.end()) {
        result_.not_compared.push_back(routine->family);
      }
    }
    result_.cpu = services_.cpu;
  }

  void resume() {
    if (const std::optional<Verification> kept = request_.restart ? std::nullopt : services_.kept();
        kept && kept->libraries.size() == subjects_.size()) {
      result_.libraries = kept->libraries;
      context_.note("going on with an interrupted verification");
    } else {
      result_.libraries.assign(subjects_.size(), {});
    }
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      VerifiedLibrary& library = result_.libraries[s];
      library.setting = subjects_[s].setting;
      library.threads = subjects_[s].threads;
      library.planned = planned_;
      done_.push_back(library.done);
      for (const WrongCall& finding : library.findings) {
        ++wrong_[s][routine_of(finding)];
      }
    }
  }

  /// Verifies the part of a piece that isn't yet.
  void verify(const std::vector<Call>& piece, std::size_t s) {
    VerifiedLibrary& library = result_.libraries[s];
    const auto size = static_cast<std::int64_t>(piece.size());
    while (library.failure.empty() && done_[s] < before_ + size && !stops()) {
      VerifyCalls calls{piece, std::max<std::int64_t>(0, done_[s] - before_), {}, request_.seed + static_cast<std::uint64_t>(before_)};
      for (const auto& [routine, count] : wrong_[s]) {
        if (count >= max_findings) {
          calls.skipped.insert(routine);
        }
      }
      const Seconds start = services_.clock();
      const VerifyOutcome outcome = services_.launch(subjects_[s], calls, [this] { return stops(); });
      library.seconds += services_.clock() - start;
      note(outcome, s);
      done_[s] = before_ + outcome.next;
      library.done = done_[s];
    }
  }

  void note(const VerifyOutcome& outcome, std::size_t s) {
    VerifiedLibrary& library = result_.libraries[s];
    const auto text = [](const LibraryIdentity& one) { return one.name + (one.version.empty() ? "" : " " + one.version); };
    const std::string& file = outcome.blas ? outcome.blas->path : subjects_[s].blas;
    library.file = request_.anonymous ? std::string(anonymous_library(file)) : file;
    if (outcome.blas) {
      library.blas = text(*outcome.blas);
      library.kernels = outcome.blas->kernels;
      library.lapack = text(*outcome.lapack);
      library.integer_bytes = outcome.blas->integer_bytes;
    }
    library.failure = request_.anonymous ? without_paths(outcome.failure) : outcome.failure;
    library.calls += outcome.calls;
    library.largest_share = std::max(library.largest_share, outcome.largest_share);
    for (WrongCall finding : outcome.findings) {
      finding.recorded = before_ < recorded_;
      ++wrong_[s][routine_of(finding)];
      context_.note(
          fmt::format("wrong: {} by {} with {}: {}", finding.call, library.blas, counted(library.threads, "thread"), finding.fault));
      library.findings.push_back(std::move(finding));
    }
  }

  void conclude() {
    result_.interrupted = context_.cancelled();
    result_.is_complete = true;
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
      result_.is_complete &= done_[s] >= planned_ || !result_.libraries[s].failure.empty();
    }
    services_.keep(result_.is_complete ? nullptr : &result_);
    std::size_t refused = 0;
    for (const VerifiedLibrary& library : result_.libraries) {
      if (!library.failure.empty()) {
        ++refused;
        result_.remarks.push_back(fmt::format("{} can't be verified: {}", library.file, library.failure));
      }
    }
    if (refused > 0 && refused == subjects_.size()) {
      throw environment_error("{}", result_.remarks.back());  // the library itself, if several numbers of threads were tried
    }
    if (result_.fails()) {
      reproduce();
    }
  }

  void reproduce() {
    if (request_.reproducer.empty()) {
      result_.remarks.emplace_back("--reproducer FILE writes a program in C that repeats the wrong calls");
      return;
    }
    std::int64_t missing = 0;
    replace_file(request_.reproducer, reproducer_of(result_, missing));
    const std::string_view name = request_.anonymous ? file_name(request_.reproducer) : request_.reproducer;
    result_.remarks.push_back(fmt::format("{} repeats the wrong calls; its first comment says how to build and run it", name));
    if (missing > 0) {
      result_.remarks.push_back(
          fmt::format("{} lacks {} of libraries whose integers have another size. To get those, verify these libraries alone", name,
                      counted(missing, "call")));
    }
  }

  const VerifyRequest& request_;
  const std::vector<VerifySubject>& subjects_;
  const VerifyServices& services_;
  const RunContext& context_;
  Seconds begin_;
  std::vector<std::vector<Call>> pieces_;
  std::int64_t planned_ = 0, recorded_ = 0;
  std::int64_t before_ = 0;                                           ///< calls of earlier pieces
  std::vector<std::int64_t> done_;                                    ///< per subject: calls that are verified, or that the library lacks
  std::map<std::size_t, std::map<std::string, std::int64_t>> wrong_;  ///< per subject and routine: findings
  Verification result_;
};

/// Returns settings of other kernels that flopcast may choose for a library. Those that this CPU lacks are left out.
std::vector<std::string> other_kernels(const machine::InstalledLibrary& library) {
  std::vector<std::string> settings;
  for (const machine::KernelTrial& trial : machine::inspect(library, true).trials) {
    settings.push_back(trial.setting);
  }
  return settings;
}

std::vector<machine::InstalledLibrary> requested_libraries(const VerifyRequest& request) {
  std::vector<machine::InstalledLibrary> libraries;
  const std::vector<std::string> names = request.blas.empty() ? std::vector{machine::default_blas()} : request.blas;
  for (const std::string& name : names) {
    if (name == "all") {
      const std::vector<machine::InstalledLibrary> all = machine::installed_libraries();
      std::copy_if(all.begin(), all.end(), std::back_inserter(libraries),
                   [](const machine::InstalledLibrary& one) { return one.has_blas; });
    } else {
      libraries.push_back({name, machine::locate_usable(name, machine::Role::blas).string(), true, false});
    }
  }
  return libraries;
}

std::vector<VerifySubject> subjects_of(const VerifyRequest& request) {
  std::vector<VerifySubject> subjects;
  for (const machine::InstalledLibrary& library : requested_libraries(request)) {
    std::vector<std::string> settings = {""};
    if (request.all_kernels) {
      const std::vector<std::string> others = other_kernels(library);
      settings.insert(settings.end(), others.begin(), others.end());
    }
    SizeList threads = request.threads;
    if (threads.empty()) {
      threads = {1};
      if (const std::int64_t cores = machine::detect_topology().cores; cores > 1 && !machine::has_one_thread(library.path)) {
        threads.push_back(cores);
      }
    }
    for (const std::string& setting : settings) {
      for (const std::int64_t count : threads) {
        subjects.push_back({library.path, request.lapack, setting, static_cast<int>(count)});
      }
    }
  }
  return subjects;
}

/// Returns whether a call, as format_call() writes it, has legal arguments.
bool is_legal(const std::string& call) {
  try {
    return kernel::expand_calls(call).size() == 1;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool Verification::fails() const {
  return std::any_of(libraries.begin(), libraries.end(), [](const VerifiedLibrary& one) { return !one.findings.empty(); });
}

std::vector<Call> calls_of_recording(const std::string& recording, const RunContext& context) {
  constexpr std::int64_t alignments = 4;  // kinds of places in a cache line that count per kind of arguments
  const OpenedRecording opened(recording);
  std::map<std::string, std::map<std::vector<std::uintptr_t>, Call>> kinds;
  for (std::size_t thread = 0; thread < opened.file.summary().threads.size(); ++thread) {
    opened.file.visit(thread, [&](const program::ProgramEvent& event) {
      const std::string text = event.described() ? kernel::format_call(event.call) : "";
      const auto [kind, is_new] = kinds.try_emplace(text);
      if (text.empty() || (is_new ? !is_legal(text) : kind->second.empty())) {
        return;
      }
      auto& places = kind->second;
      std::vector<std::uintptr_t> place;
      for (std::size_t i = 0; i < event.call.routine->arguments.size(); ++i) {
        if (is_operand(event.call.routine->arguments[i])) {
          place.push_back(event.call.address(i) % cache_line_bytes);
        }
      }
      if (static_cast<std::int64_t>(places.size()) < alignments) {
        places.emplace(place, event.call);
      }
    });
    context.throw_if_cancelled("nothing was verified");
  }
  std::vector<Call> calls;
  for (const auto& [text, places] : kinds) {
    std::transform(places.begin(), places.end(), std::back_inserter(calls), [](const auto& place) { return place.second; });
  }
  if (calls.empty()) {
    throw bad_input("{} has no call that can be verified: the program made none with known arguments", recording);
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return flops(a) < flops(b); });
  return calls;
}

Verification verify_libraries(const VerifyRequest& request, const std::vector<VerifySubject>& subjects, const VerifyServices& services,
                              const RunContext& context) {
  return Verifier(request, subjects, services, context).run();
}

Verification verify_libraries(const Workbench& bench, const VerifyRequest& request, const RunContext& context) {
  if (const std::filesystem::path file = request.reproducer;
      !file.empty() && !std::filesystem::is_directory(absolute(file).parent_path())) {
    throw bad_input("{} can't be written: its folder doesn't exist", request.reproducer);
  }
  const std::vector<VerifySubject> subjects = subjects_of(request);
  return verify_libraries(request, subjects, this_verify_services(bench, request, subjects), context);
}

}  // namespace flopcast
