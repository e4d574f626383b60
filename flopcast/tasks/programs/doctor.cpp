#include "flopcast/tasks/programs/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/support/user_folders.hpp"
#include "flopcast/tasks/programs/doctor_findings.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

Seconds middle_gain(const Finding& finding) { return (finding.gain.low + finding.gain.high) / 2; }

EvaluationOptions options_of(Seconds time_budget) {
  EvaluationOptions options;
  options.time_budget = time_budget;
  options.one_thread_remedy = [](const WhatIf&) { return std::string("Choose another BLAS"); };
  return options;
}

/// Returns why an evaluation says nothing; "" if it does. Kernels without samples are expected by a bound of their time, which may be a
/// small part of it.
std::string failure_of(const WhatIfEvaluation& evaluation) {
  constexpr double hardly_any = 0.1;
  const bool is_bound = evaluation.unmodelled > hardly_any * evaluation.result.by_models;
  return evaluation.result.failure.empty() && is_bound ? "its kernels aren't measured yet; give more --time-budget"
                                                       : evaluation.result.failure;
}

/// Returns answers for all changes, in their order.
std::vector<WhatIfResult> answers_to(const std::vector<ExaminedChange>& changes, const DiagnosisFacts& facts, Seconds time_budget,
                                     const WhatIfServices& services, const RunContext& context) {
  std::vector<WhatIf> questions;
  for (const ExaminedChange& one : changes) {
    questions.push_back(one.change);
  }
  std::vector<WhatIfResult> answers;
  for (WhatIfEvaluation& one :
       evaluate(questions, facts.program, facts.breakdown, facts.place, options_of(time_budget), services, context)) {
    one.result.failure = failure_of(one);
    answers.push_back(std::move(one.result));
  }
  return answers;
}

/// A program whose calls are changed.
class ChangedProgram : public program::RecordedProgram {
 public:
  ChangedProgram(const program::RecordedProgram& program, std::function<Call(const Call&)> change)
      : program_(program), change_(std::move(change)) {}
  [[nodiscard]] const program::ProgramSummary& summary() const noexcept override { return program_.summary(); }
  void visit(std::size_t thread, const std::function<void(const program::ProgramEvent&)>& visit) const override {
    program_.visit(thread, [&](program::ProgramEvent event) {
      event.call = event.described() ? change_(event.call) : event.call;
      visit(event);
    });
  }

 private:
  const program::RecordedProgram& program_;
  std::function<Call(const Call&)> change_;
};

/// Returns what the models expect of the program's calls where they were recorded.
WhatIfEvaluation expected(const program::RecordedProgram& program, const program::ProgramBreakdown& breakdown, const DiagnosisFacts& facts,
                          Seconds time_budget, const WhatIfServices& services, const RunContext& context) {
  return evaluate({WhatIf()}, program, breakdown, facts.place, options_of(time_budget), services, context).front();
}

/// Returns what the models expect of the calls of these routines; nothing if they don't know all of them. The calls' share of the deviation is
/// that of the time.
std::optional<ExpectedTime> expected_of(const std::set<std::uint32_t>& names, const program::ProgramBreakdown& breakdown,
                                        const WhatIfEvaluation& evaluation) {
  ExpectedTime expected;
  Seconds all = 0;
  for (std::size_t i = 0; i < breakdown.shapes().size(); ++i) {
    const std::optional<Seconds>& seconds = evaluation.result.shapes[i];
    const bool is_asked = names.count(breakdown.shapes()[i].name) > 0;
    if (is_asked && !seconds) {
      return std::nullopt;
    }
    all += seconds.value_or(0);
    expected.seconds += is_asked ? *seconds : 0;
  }
  expected.deviation = all > 0 ? evaluation.models_deviation * expected.seconds / all : 0;
  expected.extrapolated = evaluation.result.extrapolated_share > 0.1;
  return expected;
}

/// Returns the finding about transposed and strided operands if plain ones are certainly faster.
std::optional<Finding> layout_finding(const DiagnosisFacts& facts, Seconds time_budget, const WhatIfServices& services,
                                      const RunContext& context, std::vector<std::string>& examined) {
  const ChangedProgram plain(facts.program, with_plain_operands);
  const program::ProgramBreakdown plain_breakdown(plain);
  const WhatIfEvaluation recorded = expected(facts.program, facts.breakdown, facts, time_budget / 2, services, context);
  const WhatIfEvaluation changed = expected(plain, plain_breakdown, facts, time_budget / 2, services, context);
  for (const WhatIfEvaluation* one : {&recorded, &changed}) {
    if (const std::string failure = failure_of(*one); !failure.empty()) {
      examined.push_back("operands that are plain: " + failure);
      return std::nullopt;
    }
  }
  const std::set<std::uint32_t> names = routines_of_unusual_layout(facts.breakdown);
  Seconds seconds = 0;
  for (const program::ShapeSum& shape : facts.breakdown.shapes()) {
    seconds += names.count(shape.name) > 0 ? shape.sum.seconds : 0;
  }
  const std::optional<ExpectedTime> as_recorded = expected_of(names, facts.breakdown, recorded);
  const std::optional<ExpectedTime> if_plain = expected_of(names, plain_breakdown, changed);
  if (!as_recorded || !if_plain) {
    examined.emplace_back("operands that are plain: not all calls could be predicted");
    return std::nullopt;
  }
  return judged_layout(facts, seconds, *as_recorded, *if_plain, examined);
}

/// Adds the findings about changes. A program has one number of threads, so that only the best one becomes a finding.
void add_judged(const std::vector<ExaminedChange>& changes, const std::vector<WhatIfResult>& answers, const DiagnosisFacts& facts,
                ProgramDiagnosis& diagnosis) {
  struct Threads {
    std::string change;
    Finding finding;
  };
  std::optional<Threads> best;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::optional<Finding> finding = judged(changes[i], answers[i], facts, diagnosis.examined);
    if (!finding) {
      continue;
    }
    if (!changes[i].change.threads) {
      diagnosis.findings.push_back(std::move(*finding));
      continue;
    }
    Threads threads{to_string(changes[i].change), std::move(*finding)};
    if (best && middle_gain(best->finding) < middle_gain(threads.finding)) {
      std::swap(*best, threads);
    }
    if (best) {
      diagnosis.examined.push_back(fmt::format("{}: {} saves more", threads.change, best->change));
    } else {
      best = std::move(threads);
    }
  }
  if (best) {
    diagnosis.findings.push_back(std::move(best->finding));
  }
}

DoctorServices this_machines(const program::RecordedProgram& program, const RecordedKernels* kernels, const RunContext& context) {
  DoctorServices services;
  services.what_if = this_machine(program, context);
  services.fast_blas = [](int threads) {
    try {
      const std::string best = machine::default_blas(threads);
      return best == "reference" ? std::string() : best;
    } catch (const Error&) {
      return std::string();
    }
  };
  services.source_lines = lines_by_addr2line;
  services.peak = [kernels](const program::RecordedPlace& place) -> std::optional<PeakRate> {
    try {
      return place.blas.empty() ? std::nullopt
                                : std::optional(measure_peak(place, kernels != nullptr ? kernels->best_setting : KernelSettings()));
    } catch (const Error&) {
      return std::nullopt;  // a rule without its facts finds nothing
    }
  };
  return services;
}

ProgramDiagnosis diagnose_recording(const fs::path& file, const DoctorRequest& request, const RunContext& context) {
  OpenedRecording opened(file);
  const std::string assumed = opened.complete_place(request.threads, context);
  const RecordedKernels* kernels = opened.kernels ? &*opened.kernels : nullptr;
  DiagnosisFacts facts{opened.file, opened.breakdown, opened.place};
  facts.misread_kernels = kernels != nullptr && kernels->misread();
  facts.kernel_variable = kernels != nullptr && !kernels->had_setting.empty() ? kernels->had_setting.begin()->first : "";
  facts.kernels = kernels != nullptr ? kernels->text() : "";
  facts.anonymous = request.anonymous;
  ProgramDiagnosis diagnosis = diagnose(std::move(facts), request.time_budget, this_machines(opened.file, kernels, context), context);
  if (!assumed.empty()) {
    diagnosis.warnings.push_back(assumed);
  }
  return request.anonymous ? program_diagnosis_from_json(anonymous_json(to_json(diagnosis))) : diagnosis;
}

/// Returns the file for the recording of this diagnosis if it is interrupted; empty where none can be kept. Another command has another file,
/// and so has the same one once a file among its words has changed.
fs::path waiting_recording(const DoctorRequest& request) {
  try {
    std::error_code none;
    const std::string subject = fmt::format("{}\n{}\n{}\n{}", shell_text(request.command), fs::current_path(none).string(),
                                            request.threads.value_or(0), program::command_identity(request.command));
    return request.keep.empty() ? user_cache_folder("recordings") / "interrupted" / hexadecimal_digest(subject) : fs::path();
  } catch (const Error&) {
    return {};  // there is no folder, or no such program, which its start reports
  }
}

/// Keeps the recording of an interrupted diagnosis in place of the one before.
void keep_waiting(const fs::path& recording, const fs::path& waiting) {
  std::error_code none;
  fs::remove_all(waiting.parent_path(), none);
  fs::create_directories(waiting.parent_path(), none);
  fs::copy_file(recording, waiting, none);
}

}  // namespace

ProgramDiagnosis diagnose(DiagnosisFacts facts, Seconds time_budget, const DoctorServices& services, const RunContext& context) {
  const program::ProgramSummary& summary = facts.program.summary();
  ProgramDiagnosis diagnosis;
  static_cast<program::RecordedRun&>(diagnosis) = summary;
  diagnosis.exit_code = summary.exit_code;
  diagnosis.recorded = facts.place;
  diagnosis.calls = facts.breakdown.all().calls;
  diagnosis.call_seconds = facts.breakdown.all().seconds;
  diagnosis.own_code_seconds = program::own_code_seconds(summary, facts.breakdown);
  diagnosis.probed_seconds = probed_seconds(summary.probed);
  diagnosis.own_code = own_code_places(summary.probed, services.source_lines);
  diagnosis.warnings = program::recording_warnings(summary, diagnosis.calls);
  if (summary.dry_run) {
    throw bad_input("a dry run has no times, and a diagnosis rests on them. Record the program without --skip-kernels");
  }
  const bool is_here = services.what_if.is_here(facts.place);
  facts.cpus = summary.cpus > 0 ? std::min<double>(services.what_if.cpus, summary.cpus) : services.what_if.cpus;
  facts.has_one_thread = services.what_if.has_one_thread;
  facts.callers = concurrent_callers(facts.program);
  if (is_here && has_small_calls(facts.breakdown)) {
    facts.peak = services.peak(facts.place);
  }
  diagnosis.findings = recorded_findings(facts);
  if (diagnosis.call_seconds == 0) {
    diagnosis.examined.emplace_back("no change is predicted: there are no calls of BLAS or LAPACK");
  } else if (!is_here) {
    diagnosis.examined.emplace_back("no change is predicted: the machine and the libraries of the recording aren't here");
  } else if (diagnosis.call_seconds > 0.01 * summary.seconds) {
    facts.fast_blas = services.fast_blas(facts.place.threads.value_or(1));
    const bool has_layouts = !unusual_layout(facts).empty();
    if (has_layouts) {
      time_budget /= 2;
      if (std::optional<Finding> finding = layout_finding(facts, time_budget, services.what_if, context, diagnosis.examined)) {
        diagnosis.findings.push_back(std::move(*finding));
      }
    }
    const Seconds share = time_budget / 4;
    const auto expect_changed = [&](std::uint32_t name, const std::function<Call(const Call&)>& change) -> std::optional<ExpectedTime> {
      const ChangedProgram changed(facts.program, change);
      const program::ProgramBreakdown breakdown(changed);
      const WhatIfEvaluation evaluation = expected(changed, breakdown, facts, share, services.what_if, context);
      return failure_of(evaluation).empty() ? expected_of({name}, breakdown, evaluation) : std::nullopt;
    };
    for (Finding& finding : driver_findings(facts, expect_changed, diagnosis.examined)) {
      diagnosis.findings.push_back(std::move(finding));
    }
    const std::vector<ExaminedChange> changes = suggested_changes(facts);
    const std::vector<WhatIfResult> answers = answers_to(changes, facts, time_budget, services.what_if, context);
    add_judged(changes, answers, facts, diagnosis);
  }
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [](const Finding& a, const Finding& b) { return middle_gain(a) > middle_gain(b); });
  return diagnosis;
}

ProgramDiagnosis diagnose_program(const DoctorRequest& request, const RunContext& context) {
  if (request.command.empty() == request.recording.empty()) {
    throw bad_input("a diagnosis needs either a program to run or a recording");
  }
  if (!request.recording.empty()) {
    return diagnose_recording(request.recording, request, context);
  }
  std::error_code none;
  const ScratchFolder scratch;
  const fs::path waiting = waiting_recording(request);
  const bool goes_on = !request.restart && !waiting.empty() && fs::exists(waiting, none);
  RecordRequest record;
  record.command = request.command;
  record.threads = request.threads;
  record.probes = true;
  record.anonymous = request.anonymous && !request.keep.empty();
  record.output = request.keep.empty() ? scratch.file("program.trace") : request.keep;
  if (!goes_on) {
    record_program(record, context);
    context.throw_if_cancelled("the program's run isn't diagnosed");
  }
  try {
    ProgramDiagnosis diagnosis = diagnose_recording(goes_on ? waiting : fs::path(record.output), request, context);
    if (goes_on) {
      diagnosis.warnings.emplace_back(
          "the program wasn't run again, because the recording of the interrupted diagnosis is used. Give --restart to run it");
    }
    fs::remove(waiting, none);
    return diagnosis;
  } catch (const Cancelled&) {
    if (!goes_on && !waiting.empty()) {
      keep_waiting(record.output, waiting);
    }
    throw;
  }
}

}  // namespace flopcast
