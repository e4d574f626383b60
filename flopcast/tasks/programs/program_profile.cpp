#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_timeline.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"

namespace flopcast {
namespace {

using program::CallSum;
using program::ProgramBreakdown;
using program::ProgramSummary;

void set_rates(CallTotals& totals, const std::optional<PeakRate>& peak) {
  totals.flops_per_second.reset();
  totals.of_peak.reset();
  if (totals.flops > 0 && totals.described_seconds > 0) {
    totals.flops_per_second = totals.flops / totals.described_seconds;
    if (peak && peak->flops_per_second > 0) {
      totals.of_peak = totals.peak_flops / totals.described_seconds / peak->flops_per_second;
    }
  }
}

void set_totals(CallTotals& totals, const CallSum& sum, const std::optional<PeakRate>& peak) {
  static_cast<CallSum&>(totals) = sum;
  set_rates(totals, peak);
}

bool has_text(const std::string& text) { return !text.empty(); }

/// Builds the profile of one recording.
class Profiler {
 public:
  Profiler(const ProfileRequest& request, const RunContext& context)
      : request_(request), context_(context), opened_(request.recording), summary_(opened_.file.summary()), breakdown_(opened_.breakdown) {}

  ProgramProfile run() {
    const bool with_peak = request_.with_peak && breakdown_.all().flops > 0;
    opened_.place.threads = request_.options.threads ? request_.options.threads : opened_.place.threads;
    const std::string assumed =
        with_peak || !request_.what_if.empty() ? opened_.complete_place(request_.options.threads, context_) : std::string();
    take_summary();
    add_warnings(assumed);
    if (with_peak) {
      find_peak();
    }
    if (const auto& libraries = summary_.name_libraries; std::any_of(libraries.begin(), libraries.end(), has_text) && profile_.peak) {
      warn(fmt::format("the program called several libraries for one routine, whose rows name them. Shares of the peak are those of {}",
                       opened_.place.blas));
    }
    take_sums();
    take_timeline();
    if (!request_.what_if.empty()) {
      for (WhatIfEvaluation& one : evaluate(request_.what_if, opened_, request_.options, context_)) {
        profile_.what_if.push_back(std::move(one.result));
      }
      warn_of_answers();
    }
    return std::move(profile_);
  }

 private:
  /// Keeps the warning and notes it.
  void warn(const std::string& warning) {
    context_.note(warning);
    profile_.warnings.push_back(warning);
  }

  void take_summary() {
    static_cast<program::RecordedRun&>(profile_) = summary_;
    profile_.own_code_seconds = program::own_code_seconds(summary_, breakdown_);
    profile_.thread_count = summary_.threads.size();
    profile_.recorded = opened_.place;
  }

  void add_warnings(const std::string& assumed) {
    for (const std::string& warning : program::recording_warnings(summary_, breakdown_.all().calls)) {
      warn(warning);
    }
    if (summary_.dry_run) {
      const bool predicts = std::any_of(request_.what_if.begin(), request_.what_if.end(), [](const WhatIf& q) { return q.is_same(); });
      warn(std::string("this is a dry run: skipped calls have no time") + (predicts ? "" : "; --what-if same predicts it"));
    }
    for (const std::string& remark : program::recording_remarks(summary_, breakdown_)) {
      warn(remark);
    }
    if (opened_.kernels && opened_.kernels->misread()) {
      warn(opened_.kernels->text());
    }
    if (!assumed.empty()) {
      warn(assumed);
    }
  }

  /// Sets the machine's peak if this is the machine of the recording and its BLAS is here. Otherwise a warning says why not.
  void find_peak() {
    if (opened_.place.blas.empty()) {
      return;
    }
    if (!program::is_this_machine(opened_.place)) {
      warn(fmt::format("no peak: this is another machine than the one of the recording ('{}')", opened_.place.cpu));
      return;
    }
    try {
      measure_repeatedly();
    } catch (const Error& error) {
      context_.rethrow_if_cancelled();
      warn(fmt::format("no peak: {}", error.what()));
    }
  }

  /// Measures the peak, and again where recorded calls surpass it, because a minute in which the machine is slow shows no peak.
  void measure_repeatedly() {
    constexpr int max_attempts = 3;
    const KernelSettings kernels = opened_.kernels ? opened_.kernels->best_setting : KernelSettings();
    for (int attempt = 0; attempt < max_attempts && (attempt == 0 || surpasses_peak()); ++attempt) {
      const PeakRate peak = measure_peak(opened_.place, kernels);
      if (!profile_.peak || peak.flops_per_second > profile_.peak->flops_per_second) {
        profile_.peak = peak;
      }
    }
    if (surpasses_peak()) {
      const std::string reason =
          "recorded calls are faster than the peak, so that shares of the peak say nothing. Profile the recording again when the machine "
          "is "
          "idle";
      context_.tell_noisy(reason);
      profile_.warnings.push_back(std::string(noisy_machine) + reason);
    }
  }

  /// Returns whether calls that take a noticeable part of the run are faster than the peak by more than measuring errs.
  [[nodiscard]] bool surpasses_peak() const {
    constexpr double noticeable = 0.01, error = 1.05;
    const std::vector<program::ShapeSum>& shapes = breakdown_.shapes();
    return std::any_of(shapes.begin(), shapes.end(), [&](const program::ShapeSum& shape) {
      CallTotals totals;
      set_totals(totals, shape.sum, peak_of(shape.name));
      return totals.seconds > noticeable * breakdown_.all().seconds && totals.of_peak.value_or(0) > error;
    });
  }

  void take_sums() {
    set_totals(profile_.all, breakdown_.all(), profile_.peak);
    set_totals(profile_.first_calls, breakdown_.first_calls(), profile_.peak);
    for (const program::RoutineSum& sum : breakdown_.routines()) {
      ProgramProfile::Routine& routine = added(profile_.routines, sum.sum, peak_of(sum.name));
      routine.routine = summary_.names[sum.name];
      routine.described = sum.described;
    }
    for (const program::ShapeSum& sum : breakdown_.shapes()) {
      ProgramProfile::Shape& shape = added(profile_.shapes, sum.sum, peak_of(sum.name));
      shape.routine = summary_.names[sum.name];
      shape.flags = sum.flags;
      shape.first_calls = sum.first_calls;
      shape.longest_seconds = sum.longest_seconds;
      shape.sizes = sum.sizes;
    }
    for (const program::ThreadSum& sum : breakdown_.threads()) {
      ProgramProfile::Thread& thread = added(profile_.threads, sum.sum, profile_.peak);
      thread.pid = summary_.threads[sum.thread].pid;
      thread.tid = summary_.threads[sum.thread].tid;
      thread.heaviest = summary_.names[sum.heaviest];
    }
    for (const program::ProcessSum& sum : breakdown_.processes()) {
      ProgramProfile::Process& process = added(profile_.processes, sum.sum, profile_.peak);
      process.pid = sum.pid;
      process.threads = sum.threads;
      process.program = program_of(sum.pid);
    }
  }

  void take_timeline() {
    using Timeline = ProgramProfile::Timeline;
    const program::ProgramTimeline found = program::program_timeline(opened_.file, breakdown_, Timeline::max_bins, Timeline::max_routines);
    if (found.end <= found.begin || found.busy.empty()) {
      return;
    }
    Timeline& timeline = profile_.timeline.emplace(Timeline{found.begin, found.end, found.routines, {}});
    if (found.routines.size() < profile_.routines.size() || profile_.first_calls.calls > 0) {
      timeline.routines.emplace_back("others");
    }
    for (std::size_t t = 0; t < std::min(found.busy.size(), Timeline::max_threads); ++t) {
      Timeline::Thread& thread = timeline.threads.emplace_back(Timeline::Thread{summary_.threads[t].tid, {}});
      for (std::size_t series = 0; series < timeline.routines.size(); ++series) {
        thread.shares.push_back(shares_text(found.busy[t], series));
      }
    }
  }

  /// Returns the shares of one series in per cent.
  static std::string shares_text(const std::vector<std::vector<double>>& bins, std::size_t series) {
    std::string text;
    for (const std::vector<double>& bin : bins) {
      text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", 100 * bin[series]);
    }
    return text;
  }

  template <class Part>
  static Part& added(std::vector<Part>& parts, const CallSum& sum, const std::optional<PeakRate>& peak) {
    set_totals(parts.emplace_back(), sum, peak);
    return parts.back();
  }

  /// Returns the peak, unless the routine's calls went to another library than the one whose peak it is.
  [[nodiscard]] std::optional<PeakRate> peak_of(std::uint32_t name) const {
    const std::string& library = name < summary_.name_libraries.size() ? summary_.name_libraries[name] : no_library_;
    return library.empty() || program::library_name(library) == opened_.place.blas ? profile_.peak : std::nullopt;
  }

  [[nodiscard]] std::string program_of(std::uint32_t pid) const {
    const auto& known = summary_.processes;
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& process) { return process.pid == pid; });
    return at == known.end() || at->command.empty() ? "" : at->command.front();
  }

  /// Adds what is to be known of the answers beside their times. Failures were noted before.
  void warn_of_answers() {
    for (const WhatIfResult& answer : profile_.what_if) {
      const std::string name = "--what-if " + to_string(answer.question);
      if (!answer.failure.empty()) {
        profile_.warnings.push_back(fmt::format("{} can't be answered: {}", name, answer.failure));
        continue;
      }
      if (answer.slow_by_numbers > 0) {
        warn(fmt::format("{}: {} of calls that NaN, Inf or denormal numbers made slow stay as recorded", name,
                         format_seconds(answer.slow_by_numbers)));
      }
      for (const BlockChoice& choice : answer.blocks) {
        warn_of_workspace(name, choice);
      }
      if (answer.question.tuned_blocks && answer.blocks.empty()) {
        warn(fmt::format("{}: no call that takes a noticeable time queries LAPACK's ilaenv for a block size in {}", name, answer.place));
      } else if (answer.untuned_shapes > 0) {
        warn(fmt::format("{}: {} with little time keep the default block sizes", name, counted(answer.untuned_shapes, "shape")));
      }
    }
  }

  void warn_of_workspace(const std::string& name, const BlockChoice& choice) {
    if (choice.workspace_allows > 0) {
      warn(fmt::format(
          "{}: the program's workspace allows {} block sizes up to {}; a program that queries the size of its workspace (lwork = -1) "
          "gets what larger ones need",
          name, choice.routine, choice.workspace_allows));
    }
  }

  const ProfileRequest& request_;
  const RunContext& context_;
  OpenedRecording opened_;
  const ProgramSummary& summary_;
  const ProgramBreakdown& breakdown_;
  ProgramProfile profile_;
  const std::string no_library_;
};

}  // namespace

CallTotals total_of(const std::vector<CallTotals>& parts, const std::optional<PeakRate>& peak) {
  CallTotals sum;
  for (const CallTotals& part : parts) {
    sum += part;
  }
  set_rates(sum, peak);
  return sum;
}

ProgramProfile profile_program(const ProfileRequest& request, const RunContext& context) {
  const ProgramProfile profile = Profiler(request, context).run();
  return request.anonymous ? program_profile_from_json(anonymous_json(to_json(profile))) : profile;
}

}  // namespace flopcast
