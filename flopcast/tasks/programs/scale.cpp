#include "flopcast/tasks/programs/scale.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/program/growth.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/scaled_calls.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"

namespace flopcast {

template <>
Fields FieldTable<ScaledProgram::Recording>::fields() {
  return {field<&T::parameter>("parameter of the program"),
          field<&T::seconds>("recorded time from start to end of the program"),
          field<&T::call_seconds>("recorded time in BLAS and LAPACK"),
          field<&T::own_code_seconds>("recorded time outside of them"),
          field<&T::calls>("number of calls"),
          optional_field<&T::resident_bytes>("peak of resident memory; 0: not known").measured_in("B", Best::small)};
}

template <>
Fields FieldTable<ScaledProgram::Kernel>::fields() {
  return {field<&T::routine>("name of the routine"),
          field<&T::flags>("values of its flags, such as \"NT\""),
          field<&T::sizes>("sizes of the calls with most work by the parameter n"),
          field<&T::recorded_calls>("calls in the recording with the largest parameter"),
          field<&T::calls>("predicted number of calls"),
          field<&T::recorded>("time in the recording with the largest parameter").named("recorded_seconds"),
          field<&T::seconds>("predicted time"),
          field<&T::interval>("95 % interval of the predicted time").named("seconds_interval"),
          field<&T::extrapolated_share>("share of the predicted time outside of the sampled domain").measured_in("fraction", Best::small)};
}

template <>
Fields FieldTable<ScaledProgram>::fields() {
  return {
      field<&T::recordings>("the recordings by ascending parameter"),
      field<&T::parameter>("parameter of the prediction"),
      field<&T::seconds>("predicted time from start to end of the program"),
      field<&T::interval>("95 % interval of a run").named("seconds_interval"),
      field<&T::call_seconds>("predicted time in BLAS and LAPACK"),
      field<&T::own_code_seconds>("predicted time outside of BLAS and LAPACK"),
      field<&T::own_code_interval>("its range over all forms of growth that the recordings can't tell apart")
          .named("own_code_seconds_interval"),
      field<&T::own_code_formula>("time outside of BLAS and LAPACK in seconds by the parameter n"),
      field<&T::own_code_share>("its share of the predicted time").measured_in("fraction", Best::neither),
      field<&T::resident_bytes>("predicted peak of resident memory; missing if a recording doesn't have it").measured_in("B", Best::small),
      field<&T::resident_interval>("its range over all forms of growth that the recordings can't tell apart")
          .named("resident_bytes_interval"),
      field<&T::kernels>("kernels by falling predicted time"),
      field<&T::place>("libraries whose models predicted the calls; empty: there are no calls"),
      optional_field<&T::remarks>("sentences on what the prediction rests on").unless_empty()};
}

namespace {

constexpr const char* scale_document = "flopcast-scale-1";

/// Returns the classes' calls with the operands in the caches of `environment`, from the distances of their last accesses.
program::PlacedCall placed_in(program::PlacedCall placed, const Environment& environment) {
  placed.call.threads = environment.threads;
  for (OperandState& operand : placed.placement) {
    const auto level = std::find_if(environment.caches.begin(), environment.caches.end(), [&](const CacheLevel& cache) {
      return operand.distance_bytes >= 0 && operand.distance_bytes <= cache.capacity_bytes;
    });
    operand.level = static_cast<std::int8_t>(level - environment.caches.begin());
  }
  return placed;
}

/// Returns the call as a trace of its own, whose error matters as much as its share of the program's time.
tuning::Subject subject_of(const program::PlacedCall& placed, double share) {
  const Call call = measure::with_addresses(placed.call);
  tuning::Subject subject;
  subject.trace.calls = {call};
  subject.trace.allocations = measure::memory_of(std::span(&call, 1), {});
  subject.placements = {placed.placement};
  subject.weight = share;
  return subject;
}

/// The time that models expect of a kind's calls.
struct ExpectedKind {
  std::vector<double> seconds, bytes;   ///< the expected time and the touched bytes in every recording
  std::vector<prediction::Term> terms;  ///< calls for the parameter of interest
  double scaled_bytes = 0;
  double recorded_calls = 0, calls = 0;  ///< in the largest recording, and for the parameter of interest
  double deviation = 0;                  ///< relative standard deviation because of numbers and sizes of calls
};

class ProgramScaler {
 public:
  ProgramScaler(const std::vector<program::ParameterRecording>& runs, const program::RecordedPlace& place, const ScaleRequest& request,
                const WhatIfServices& services, const RunContext& context)
      : runs_(runs), place_(place), request_(request), services_(services), context_(context) {
    result_.parameter = *request.to;
    // The shortest one of several recordings with one parameter counts, because other programs have slowed down the others.
    const auto rank = [](const program::ParameterRecording& one) { return std::pair(one.parameter, one.program->summary().seconds); };
    std::sort(runs_.begin(), runs_.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    runs_.erase(std::unique(runs_.begin(), runs_.end(), [](const auto& a, const auto& b) { return a.parameter == b.parameter; }),
                runs_.end());
  }

  ScaledProgram run() {
    read_recordings();
    kinds_ = program::scale_calls(runs_, result_.parameter, context_);
    set_aside();
    predict_calls();
    predict_own_code();
    predict_memory();
    result_.seconds = result_.call_seconds + result_.own_code_seconds;
    result_.interval = calls_interval_ + result_.own_code_interval;
    result_.own_code_share = result_.seconds > 0 ? result_.own_code_seconds / result_.seconds : 0;
    return std::move(result_);
  }

 private:
  void read_recordings() {
    static constexpr std::size_t fewest = 3;
    for (const program::ParameterRecording& run : runs_) {
      const program::ProgramSummary& summary = run.program->summary();
      const std::string name = fmt::format("the recording for {}", run.parameter);
      if (summary.dry_run || !summary.finished) {
        throw bad_input(
            "{} {}. Record the program once more{}", name,
            summary.dry_run ? "is a dry run, which has no times" : "has no end, because its recorder was killed or is still running",
            summary.dry_run ? " without --skip-kernels" : "");
      }
      if (summary.exit_code != runs_.front().program->summary().exit_code) {
        throw bad_input("{} ended with exit code {}, and that for {} with {}. Give recordings of runs that ended alike", name,
                        summary.exit_code, runs_.front().parameter, runs_.front().program->summary().exit_code);
      }
      const program::ProgramBreakdown breakdown(*run.program);
      for (const auto& notes :
           {program::recording_warnings(summary, breakdown.all().calls), program::recording_remarks(summary, breakdown)}) {
        for (const std::string& note : notes) {
          result_.remarks.push_back(fmt::format("{}: {}", name, note));
        }
      }
      const Seconds own = program::own_code_seconds(summary, breakdown);
      result_.recordings.push_back(
          {run.parameter, summary.seconds, summary.seconds - own, own, breakdown.all().calls, summary.resident_bytes});
      all_calls_.push_back(breakdown.all().seconds);
    }
    if (const int code = runs_.front().program->summary().exit_code; code != 0) {
      result_.remarks.push_back(fmt::format("the recorded runs ended with exit code {}: check that the program works", code));
    }
    if (runs_.size() < fewest) {
      throw bad_input("{} of the parameter given, {} are needed to see how the program grows. Record it with more values",
                      counted(runs_.size(), "value"), fewest);
    }
  }

  /// Moves kinds without growth to the program's own code if they take little time. Throws bad_input if they take more.
  void set_aside() {
    static constexpr double little = 0.05;  // of the program's time
    const ScaledProgram::Recording& largest = result_.recordings.back();
    Seconds aside = 0;
    for (const program::ScaledKind& kind : kinds_) {
      if (kind.refusal.empty()) {
        continue;
      }
      if (kind.seconds.back() > little * largest.seconds) {
        throw bad_input(
            "the recordings agree with no growth: {} ({}) takes {} of {} where the parameter is {}, and {}. Give recordings that differ in "
            "the parameter only, "
            "or more of them with larger parameters",
            kind.routine, kind.flags, format_seconds(kind.seconds.back()), format_seconds(largest.seconds), largest.parameter,
            kind.refusal);
      }
      aside += kind.seconds.back();
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        result_.recordings[r].own_code_seconds += kind.seconds[r];
        result_.recordings[r].call_seconds -= kind.seconds[r];
        all_calls_[r] -= kind.seconds[r];
      }
    }
    if (aside > 0) {
      result_.remarks.push_back(
          fmt::format("Calls that took {} where the parameter is {} follow no formula, and count as the program's own code.",
                      format_seconds(aside), largest.parameter));
    }
    std::erase_if(kinds_, [](const program::ScaledKind& kind) { return !kind.refusal.empty(); });
  }

  /// Opens the recorded libraries and measures what the models of the kernels lack.
  void open_models() {
    machine::LibraryChoice libraries;
    libraries.threads = place_.threads.value_or(1);
    libraries.kernels = "library";
    libraries.blas = place_.blas;
    libraries.lapack = place_.lapack;
    libraries.kernel_settings = place_.kernel_settings;
    if (!services_.is_here(place_)) {
      throw bad_input(
          "the recordings were made on another machine, or with libraries that aren't here ('{}', BLAS '{}'). Models of kernels hold there "
          "only: run the command on that machine",
          place_.cpu, place_.blas);
    }
    services_.require_usable({}, libraries);
    libraries_ = services_.open(libraries, false);
    result_.place = place_text(libraries_->environment());
    std::vector<tuning::Subject> subjects;
    const auto memory = static_cast<double>(machine::detect_topology().memory_bytes);
    double all = 0;
    const auto rough = [](const program::PlacedCall& one, double calls) {
      return calls * (flops(one.call) / 10 + static_cast<double>(footprint_bytes(one.call)));
    };
    for_each_class([&](const program::CallClass& one) { all += rough(one.scaled, one.count.value); });
    for_each_class([&](const program::CallClass& one) {
      const double share = rough(one.scaled, one.count.value) / all;
      static constexpr double memory_share = 0.25;  // larger calls are extrapolated
      if (static_cast<double>(footprint_bytes(one.scaled.call)) < memory_share * memory) {
        subjects.push_back(subject_of(placed_in(one.scaled, libraries_->environment()), share));
      }
      for (const program::PlacedCall& recorded : one.recorded) {
        subjects.push_back(subject_of(placed_in(recorded, libraries_->environment()), share / 2));
      }
    });
    models_ = &libraries_->models(subjects, request_.time_budget, "sampling kernels");
  }

  template <class Use>
  void for_each_class(Use use) const {
    for (const program::ScaledKind& kind : kinds_) {
      std::for_each(kind.classes.begin(), kind.classes.end(), use);
    }
  }

  [[nodiscard]] prediction::Term term_of(const program::PlacedCall& one, double calls) const {
    const program::PlacedCall placed = placed_in(one, libraries_->environment());
    prediction::Term term{placed.call, {"placed", placed.placement}, calls, {}};
    term.estimate = models_->evaluate(term.call, term.condition);
    return term;
  }

  [[nodiscard]] ExpectedKind expected(const program::ScaledKind& kind) const {
    ExpectedKind all;
    all.seconds.assign(runs_.size(), 0);
    all.bytes.assign(runs_.size(), 0);
    Seconds sum = 0;
    for (const program::CallClass& one : kind.classes) {
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        all.seconds[r] += term_of(one.recorded[r], one.counts[r]).seconds();
        all.bytes[r] += one.counts[r] * static_cast<double>(footprint_bytes(one.recorded[r].call));
      }
      all.terms.push_back(term_of(one.scaled, one.count.value));
      all.scaled_bytes += one.count.value * static_cast<double>(footprint_bytes(one.scaled.call));
      all.calls += one.count.value;
      all.recorded_calls += one.counts.back();
      const Seconds seconds = all.terms.back().seconds();
      sum += seconds;
      all.deviation +=
          seconds * (std::max(one.count_misfit / 2, prediction::interval_deviation(one.count.interval) / std::max(1.0, one.count.value)) +
                     one.size_misfit / 2);
    }
    all.deviation /= std::max(sum, 1e-12);
    return all;
  }

  void predict_calls() {
    if (kinds_.empty()) {
      return;
    }
    open_models();
    std::vector<prediction::Term> terms;
    double variance = 0;
    for (const program::ScaledKind& kind : kinds_) {
      static constexpr double weight = 0.5;  // long calls tell more about longer ones, and short ones matter, too
      ExpectedKind expectation = expected(kind);
      // Memory that is touched for the first time takes time by its bytes.
      const program::TwoParts fit = program::fit_parts(expectation.bytes, expectation.seconds, kind.seconds, weight);
      Seconds seconds = fit.first * expectation.scaled_bytes;
      Seconds extrapolated = 0;
      for (prediction::Term& term : expectation.terms) {
        term.weight *= fit.second;
        seconds += term.seconds();
        extrapolated += term.estimate.extrapolated ? term.seconds() : 0;
      }
      const double of_growth = seconds * std::hypot(expectation.deviation, fit.misfit / 2);
      const double deviation = std::hypot(models_->deviation(expectation.terms).value_or(0), of_growth);
      variance += of_growth * of_growth;
      terms.insert(terms.end(), expectation.terms.begin(), expectation.terms.end());
      const auto& heaviest = *std::max_element(kind.classes.begin(), kind.classes.end(), [](const auto& a, const auto& b) {
        return a.count.value * (flops(a.scaled.call) + 1) < b.count.value * (flops(b.scaled.call) + 1);
      });
      result_.kernels.push_back({kind.routine, kind.flags, heaviest.sizes, std::llround(expectation.recorded_calls),
                                 std::llround(expectation.calls), kind.seconds.back(), seconds,
                                 prediction::interval_around(seconds, prediction::z95_two_sided * deviation),
                                 seconds > 0 ? extrapolated / seconds : 0});
      result_.call_seconds += seconds;
    }
    const double overlap =
        all_calls_.back() > 0 ? result_.recordings.back().call_seconds / all_calls_.back() : 1;  // threads that call at a time
    result_.call_seconds *= overlap;
    const Seconds of_models = models_->deviation(terms).value_or(0);
    calls_interval_ = prediction::predicted_interval(result_.call_seconds,
                                                     {overlap * std::hypot(of_models, std::sqrt(variance)), libraries_->run_deviation()});
    std::stable_sort(result_.kernels.begin(), result_.kernels.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  }

  /// Returns the growth of a property of the recordings.
  template <class Property>
  [[nodiscard]] program::Growth growth_of(Property property, double noise) const {
    std::vector<program::GrowthPoint> points;
    for (const ScaledProgram::Recording& recording : result_.recordings) {
      points.push_back({static_cast<double>(recording.parameter), property(recording)});
    }
    return program::smooth_growth(points, static_cast<double>(result_.parameter), noise, program::Measured::time);
  }

  /// Returns the interval of a growth widened by the relative noise of equal runs.
  [[nodiscard]] static Interval with_noise(const program::Growth& growth, double noise) {
    const double margin = prediction::z95_two_sided * std::max(noise, growth.misfit);
    return {std::max(0.0, growth.interval.low * (1 - margin)), growth.interval.high * (1 + margin)};
  }

  void predict_memory() {
    static constexpr double noise = 0.02;  // relative, of equal runs
    if (std::all_of(result_.recordings.begin(), result_.recordings.end(), [](const auto& one) { return one.resident_bytes > 0; })) {
      const program::Growth growth = growth_of([](const auto& one) { return static_cast<double>(one.resident_bytes); }, noise);
      result_.resident_bytes = std::llround(growth.value);
      result_.resident_interval = with_noise(growth, noise);
    }
  }

  void predict_own_code() {
    static constexpr double noise = 0.05;  // relative, of the time of a program's own code
    const program::Growth growth = growth_of([](const ScaledProgram::Recording& one) { return one.own_code_seconds; }, noise);
    result_.own_code_seconds = growth.value;
    result_.own_code_interval = with_noise(growth, noise);
    result_.own_code_formula = growth.formula;
  }

  std::vector<program::ParameterRecording> runs_;
  const program::RecordedPlace& place_;
  const ScaleRequest& request_;
  const WhatIfServices& services_;
  const RunContext& context_;
  std::vector<program::ScaledKind> kinds_;
  std::vector<Seconds> all_calls_;  ///< time in calls by recording, of all threads together
  std::unique_ptr<WhatIfLibraries> libraries_;
  const prediction::KernelModels* models_ = nullptr;
  Interval calls_interval_;
  ScaledProgram result_;
};

/// Throws bad_input if the recordings weren't made in one place.
void require_one_place(const std::vector<std::string>& words, const std::vector<OpenedRecording>& opened) {
  const program::RecordedPlace& first = opened.front().place;
  for (std::size_t i = 1; i < opened.size(); ++i) {
    const program::RecordedPlace& place = opened[i].place;
    for (const auto& [what, here, there] : {std::tuple("CPU", place.cpu, first.cpu), std::tuple("BLAS", place.blas, first.blas),
                                            std::tuple("LAPACK", place.lapack, first.lapack),
                                            std::tuple("number of BLAS threads", fmt::format("{}", place.threads.value_or(0)),
                                                       fmt::format("{}", first.threads.value_or(0)))}) {
      if (here != there) {
        throw bad_input("{} and {} have another {}: '{}' and '{}'. Record the program in one place", words.front(), words[i], what, there,
                        here);
      }
    }
  }
}

}  // namespace

ScaledProgram scale_runs(const std::vector<program::ParameterRecording>& runs, const program::RecordedPlace& place,
                         const ScaleRequest& request, const WhatIfServices& services, const RunContext& context) {
  return ProgramScaler(runs, place, request, services, context).run();
}

ScaledProgram scale_program(const ScaleRequest& request, const RunContext& context) {
  if (!request.to) {
    throw bad_input("the parameter to predict for is missing. Give it with --to");
  }
  static constexpr std::int64_t max_parameter = 1'000'000'000;
  std::vector<std::int64_t> parameters;
  std::vector<OpenedRecording> opened;
  for (const std::string& word : request.recordings) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw bad_input("'{}' is no recording with its parameter. Write FILE=VALUE, such as small.trace=500", word);
    }
    parameters.push_back(parse_integer(word.substr(equals + 1), word, 1, max_parameter));
    opened.emplace_back(word.substr(0, equals));
    if (const std::string assumed = opened.back().complete_place({}, context); !assumed.empty() && opened.size() == 1) {
      context.note(assumed);
    }
  }
  require_one_place(request.recordings, opened);
  std::vector<program::ParameterRecording> runs;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    runs.push_back({parameters[i], &opened[i].file});
  }
  return scale_runs(runs, opened.front().place, request, this_machine(opened.back().file, context), context);
}

std::string to_json(const ScaledProgram& scaled) { return to_document(scaled, scale_document).dump(2); }
ScaledProgram scaled_program_from_json(std::string_view text) {
  return from_document<ScaledProgram>(text, "scaled program", scale_document);
}
PublishedSchema scale_schema() { return published<ScaledProgram>(scale_document, "Predicted time of a program for a larger parameter"); }

}  // namespace flopcast
