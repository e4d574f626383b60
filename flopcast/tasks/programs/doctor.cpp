#include "flopcast/tasks/programs/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/programs/doctor_findings.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"

namespace flopcast {

template <>
struct EnumNames<FindingCause> {
  using C = FindingCause;
  static constexpr std::array names{std::pair{C::too_many_threads, "too_many_threads"},
                                    std::pair{C::nested_threads, "nested_threads"},
                                    std::pair{C::threads_slow, "threads_slow"},
                                    std::pair{C::threads_unused, "threads_unused"},
                                    std::pair{C::other_programs, "other_programs"},
                                    std::pair{C::reference_blas, "reference_blas"},
                                    std::pair{C::misread_kernels, "misread_kernels"},
                                    std::pair{C::several_blas, "several_blas"},
                                    std::pair{C::block_sizes, "block_sizes"},
                                    std::pair{C::small_calls, "small_calls"},
                                    std::pair{C::operand_layout, "operand_layout"},
                                    std::pair{C::first_calls, "first_calls"},
                                    std::pair{C::denormals, "denormals"},
                                    std::pair{C::invalid_numbers, "invalid_numbers"}};
};

std::string to_string(FindingCause cause) {
  const auto& names = EnumNames<FindingCause>::names;
  return std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == cause; })->second;
}

template <>
Fields FieldTable<Finding>::fields() {
  return {field<&T::cause>("kind of the cause"),
          field<&T::what>("the cause in words"),
          field<&T::evidence>("measured facts that it rests on"),
          field<&T::remedy>("command that mends it, or what to change in the program"),
          field<&T::seconds>("recorded time that it is about"),
          field<&T::gain>("time that the remedy saves, 95 % interval; from 0 where only a limit is known").named("gain_seconds")};
}

template <>
Fields FieldTable<ProgramDiagnosis>::fields() {
  return {inherited_fields<T, program::RecordedRun>(),
          field<&T::exit_code>("the program's own, or 128 plus the signal that ended it"),
          field<&T::recorded>("where the program was recorded"),
          field<&T::calls>("number of calls of BLAS and LAPACK"),
          field<&T::call_seconds>("time in BLAS and LAPACK, all threads together"),
          field<&T::own_code_seconds>("time outside of BLAS and LAPACK in the thread with the longest time in calls"),
          field<&T::findings>("causes of lost time, by falling gain"),
          field<&T::examined>("changes that were examined and don't pay, or can't be predicted, with the reason"),
          field<&T::warnings>("remarks that the reader must know first")};
}

std::string to_json(const ProgramDiagnosis& diagnosis) { return to_document(diagnosis, "flopcast-diagnosis-1").dump(2); }
ProgramDiagnosis program_diagnosis_from_json(std::string_view text) {
  return from_document<ProgramDiagnosis>(text, "diagnosis", "flopcast-diagnosis-1");
}
PublishedSchema diagnosis_schema() { return published<ProgramDiagnosis>("flopcast-diagnosis-1", "What makes a program slow"); }

namespace {

EvaluationOptions options_of(Seconds time_budget) {
  EvaluationOptions options;
  options.time_budget = time_budget;
  options.one_thread_remedy = [](const WhatIf&) { return std::string("Choose another BLAS"); };
  return options;
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
    answers.push_back(std::move(one.result));
  }
  return answers;
}

/// A program whose calls have plain operands in place of the recorded ones.
class PlainProgram : public program::RecordedProgram {
 public:
  explicit PlainProgram(const program::RecordedProgram& program) : program_(program) {}
  [[nodiscard]] const program::ProgramSummary& summary() const noexcept override { return program_.summary(); }
  void visit(std::size_t thread, const std::function<void(const program::ProgramEvent&)>& visit) const override {
    program_.visit(thread, [&](program::ProgramEvent event) {
      event.call = with_plain_operands(event.call);
      visit(event);
    });
  }

 private:
  const program::RecordedProgram& program_;
};

/// Returns what the models expect of the program's calls where they were recorded.
WhatIfEvaluation expected(const program::RecordedProgram& program, const program::ProgramBreakdown& breakdown, const DiagnosisFacts& facts,
                          Seconds time_budget, const WhatIfServices& services, const RunContext& context) {
  return evaluate({WhatIf()}, program, breakdown, facts.place, options_of(time_budget), services, context).front();
}

/// Returns the finding about transposed and strided operands if plain ones are certainly faster.
std::optional<Finding> layout_finding(const DiagnosisFacts& facts, Seconds time_budget, const WhatIfServices& services,
                                      const RunContext& context, std::vector<std::string>& examined) {
  const PlainProgram plain(facts.program);
  const program::ProgramBreakdown plain_breakdown(plain);
  const WhatIfEvaluation recorded = expected(facts.program, facts.breakdown, facts, time_budget / 2, services, context);
  const WhatIfEvaluation changed = expected(plain, plain_breakdown, facts, time_budget / 2, services, context);
  for (const WhatIfEvaluation* one : {&recorded, &changed}) {
    if (!one->result.failure.empty()) {
      examined.push_back("operands that are plain: " + one->result.failure);
      return std::nullopt;
    }
  }
  return judged_layout(facts, {recorded.result.by_models, recorded.models_deviation}, {changed.result.by_models, changed.models_deviation},
                       examined);
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

ProgramDiagnosis diagnose_recording(const std::filesystem::path& file, const DoctorRequest& request, const RunContext& context) {
  OpenedRecording opened(file);
  const std::string assumed = opened.complete_place(request.threads, context);
  const RecordedKernels* kernels = opened.kernels ? &*opened.kernels : nullptr;
  DiagnosisFacts facts{opened.file, opened.breakdown, opened.place};
  facts.misread_kernels = kernels != nullptr && kernels->misread();
  facts.kernels = kernels != nullptr ? kernels->text() : "";
  ProgramDiagnosis diagnosis = diagnose(std::move(facts), request.time_budget, this_machines(opened.file, kernels, context), context);
  if (!assumed.empty()) {
    diagnosis.warnings.push_back(assumed);
  }
  return diagnosis;
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
  diagnosis.warnings = program::recording_warnings(summary, diagnosis.calls);
  if (summary.dry_run) {
    throw bad_input("a dry run has no times, and a diagnosis rests on them. Record the program without --dry-run");
  }
  const bool is_here = services.what_if.is_here(facts.place);
  facts.cpus = services.what_if.cpus;
  facts.has_one_thread = services.what_if.has_one_thread;
  facts.callers = concurrent_callers(facts.program);
  if (is_here && has_small_calls(facts.breakdown)) {
    facts.peak = services.peak(facts.place);
  }
  diagnosis.findings = recorded_findings(facts);
  if (!is_here) {
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
    const std::vector<ExaminedChange> changes = suggested_changes(facts);
    const std::vector<WhatIfResult> answers = answers_to(changes, facts, time_budget, services.what_if, context);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (std::optional<Finding> finding = judged(changes[i], answers[i], facts, diagnosis.examined)) {
        diagnosis.findings.push_back(std::move(*finding));
      }
    }
  }
  const auto middle = [](const Finding& finding) { return (finding.gain.low + finding.gain.high) / 2; };
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [&](const Finding& a, const Finding& b) { return middle(a) > middle(b); });
  return diagnosis;
}

ProgramDiagnosis diagnose_program(const DoctorRequest& request, const RunContext& context) {
  if (request.command.empty() == request.recording.empty()) {
    throw bad_input("a diagnosis needs either a program to run or a recording");
  }
  if (!request.recording.empty()) {
    return diagnose_recording(request.recording, request, context);
  }
  const ScratchFolder scratch;
  RecordRequest record;
  record.command = request.command;
  record.threads = request.threads;
  record.output = request.keep.empty() ? scratch.file("program.trace") : request.keep;
  record_program(record, context);
  return diagnose_recording(record.output, request, context);
}

}  // namespace flopcast
