#include "flopcast/tasks/programs/what_if_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/predict/blend.hpp"
#include "flopcast/predict/contention.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/protocol/threaded_routines.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/thread_models.hpp"
#include "flopcast/tasks/programs/what_if_blocks.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

using program::ProgramBreakdown;
using program::ThreadCalls;

constexpr const char* as_recorded = "library";  // kernels that BLAS chooses by itself

/// Throws bad_input if the recorded program passes other integers than the library takes.
void require_integers(const std::vector<ThreadCalls>& threads, int library_bytes, const std::string& blas) {
  for (const ThreadCalls& thread : threads) {
    for (const Call& call : thread.trace.calls) {
      if (call.integer_bytes != library_bytes) {
        throw bad_input(
            "the recorded program can't run with {}: its integers have {} bits, the library's {}. Ask about a library with {}-bit integers",
            blas, 8 * call.integer_bytes, 8 * library_bytes, 8 * call.integer_bytes);
      }
    }
  }
}

/// Returns the predicted time in kernels without samples.
Seconds unmodelled(const prediction::TracePrediction& prediction) {
  Seconds sum = 0;
  for (const prediction::CallPrediction& call : prediction.calls) {
    sum += call.relative_error >= 1 ? call.seconds : 0;
  }
  return sum;
}

/// Evaluates one question in the place that it asks about.
class WhatIfEvaluator {
 public:
  /// `same` holds the expectation for the place of the recording. It is null if it isn't known or comparable, or if the question is that
  /// expectation.
  /// `alternatives` are the same libraries with other numbers of threads, which each call may get instead. Shapes in `kept` stay as recorded.
  WhatIfEvaluator(const WhatIf& question, const std::vector<ThreadCalls>& threads, const ProgramBreakdown& breakdown,
                  std::unique_ptr<WhatIfLibraries> libraries, std::vector<std::unique_ptr<WhatIfLibraries>> alternatives,
                  const WhatIfEvaluation* same, std::set<std::size_t> kept, double cpus, const RunContext& context)
      : threads_(threads),
        breakdown_(breakdown),
        same_(same),
        kept_(std::move(kept)),
        cpus_(cpus),
        context_(context),
        libraries_(std::move(libraries)),
        alternatives_(std::move(alternatives)) {
    require_integers(threads_, libraries_->environment().blas.integer_bytes, libraries_->environment().blas.path);
    result().question = question;
    result().environment = libraries_->environment();
    result().place = place_text(libraries_->environment());
    result().shapes.resize(breakdown.shapes().size());
  }

  WhatIfEvaluation run(bool is_recorded_place, Seconds budget) {
    const WhatIf& question = result().question;
    const bool both = question.predicts_calls() && question.tuned_blocks;
    if (question.predicts_calls()) {
      predict_calls(both ? budget / 2 : budget);
      if (same_ != nullptr) {
        compare_with_same();
      } else if (is_recorded_place) {
        stay_as_recorded();
      }
    } else {
      keep_recorded();
    }
    if (question.tuned_blocks) {
      tune_blocks(both ? budget / 2 : budget);
    }
    return std::move(evaluation_);
  }

 private:
  WhatIfResult& result() { return evaluation_.result; }

  /// Returns the expectation of the models for the calls of each thread of the program with these libraries, and sets `traces` to the calls.
  std::vector<prediction::TracePrediction> predicted_by(WhatIfLibraries& libraries, Seconds budget, std::vector<tuning::Subject>& traces) {
    const Environment& environment = libraries.environment();
    for (const ThreadCalls& thread : threads_) {
      Trace trace = thread.trace;
      for (Call& call : trace.calls) {
        call.threads = environment.threads;
      }
      auto placements = cache::cache_state(trace, environment.caches, cache::Start::filled).placements;
      traces.push_back({std::move(trace), std::move(placements), 1});
    }
    const prediction::KernelModels& models = libraries.models(traces, budget, "sampling for " + to_string(result().question));
    prediction::PredictOptions options;
    options.per_call = true;
    std::vector<prediction::TracePrediction> predictions;
    for (const tuning::Subject& subject : traces) {
      const cache::CacheState state = cache::cache_state(subject.trace, environment.caches, cache::Start::filled);
      predictions.push_back(prediction::predict(subject.trace, state, environment.caches, models, options));
    }
    return predictions;
  }

  /// Gives each call that `run --threads auto` gives threads of its own the shorter one of two times.
  void take_shorter_times(prediction::TracePrediction& prediction, const prediction::TracePrediction& other, const Trace& trace) const {
    std::vector<Seconds> durations;
    for (std::size_t c = 0; c < prediction.calls.size(); ++c) {
      const Seconds own = prediction.calls[c].seconds;
      durations.push_back(protocol::is_threaded(*trace.calls[c].routine) ? std::min(own, other.calls[c].seconds) : own);
    }
    prediction = prediction::with_durations(std::move(prediction), durations);
  }

  /// Sets the expectation of the models for all calls, with the cores shared among threads.
  void predict_calls(Seconds budget) {
    const Environment& environment = libraries_->environment();
    std::vector<tuning::Subject> traces;
    const Seconds share = budget / static_cast<double>(1 + alternatives_.size());
    std::vector<prediction::TracePrediction> predictions = predicted_by(*libraries_, share, traces);
    for (const std::unique_ptr<WhatIfLibraries>& alternative : alternatives_) {
      std::vector<tuning::Subject> others;
      const std::vector<prediction::TracePrediction> other = predicted_by(*alternative, share, others);
      for (std::size_t t = 0; t < predictions.size(); ++t) {
        take_shorter_times(predictions[t], other[t], traces[t].trace);
      }
    }
    std::vector<std::vector<Seconds>> pauses;
    Seconds alone = 0, extrapolated = 0;
    for (std::size_t t = 0; t < traces.size(); ++t) {
      pauses.push_back(threads_[t].pauses);
      alone += predictions[t].seconds;
      extrapolated += predictions[t].extrapolated;
      result().interval = result().interval + predictions[t].interval;
    }
    result().extrapolated_share = alone > 0 ? extrapolated / alone : 0;
    result().interval = result().interval * prediction::share_cores(predictions, pauses, environment.threads, cpus_);
    for (std::size_t t = 0; t < traces.size(); ++t) {
      add_thread(t, std::move(traces[t].trace), std::move(predictions[t]));
    }
    for (std::size_t i = 0; i < result().shapes.size(); ++i) {
      result().recorded += result().shapes[i] ? breakdown_.shapes()[i].sum.seconds : 0;
    }
    result().by_models = result().predicted;
    for (const PredictedThread& thread : evaluation_.threads) {
      static constexpr double of_bound = (10 - 1) / prediction::z95_two_sided;  // kernels without samples may take ten times as long
      const Seconds unknown = unmodelled(thread.prediction);
      evaluation_.unmodelled += unknown;
      evaluation_.models_deviation += std::hypot(thread.prediction.deviation, of_bound * unknown);
    }
  }

  /// Adds the prediction of one thread's calls to their shapes and to the total.
  void add_thread(std::size_t t, Trace trace, prediction::TracePrediction prediction) {
    for (std::size_t c = 0; c < prediction.calls.size(); ++c) {
      std::optional<Seconds>& shape = result().shapes[threads_[t].shapes[c]];
      shape = shape.value_or(0) + prediction.calls[c].seconds;
    }
    result().predicted += prediction.seconds;
    evaluation_.threads.push_back({threads_[t].thread, std::move(trace), prediction.seconds, std::move(prediction)});
  }

  /// Changes the recorded times shape by shape as the models expect it. Both expectations are uncertain, and both runs met a moment.
  void compare_with_same() {
    std::vector<double> factors(result().shapes.size(), 1);
    for (std::size_t i = 0; i < result().shapes.size(); ++i) {
      if (std::optional<Seconds>& seconds = result().shapes[i]; seconds && same_->result.shapes[i]) {
        const Seconds by_models = *seconds;
        seconds = kept_.count(i) > 0 ? breakdown_.shapes()[i].sum.seconds
                                     : transferred_time(breakdown_.shapes()[i].sum, *same_->result.shapes[i], by_models);
        result().predicted += *seconds - by_models;
        factors[i] = by_models > 0 ? *seconds / by_models : 1;
      }
    }
    result().interval = interval_of_repetition(std::hypot(evaluation_.models_deviation, same_->models_deviation));
    scale_threads(factors);
  }

  /// Returns the recorded time for calls that numbers such as NaN made slow, because no library gains anything there. The models expect
  /// ordinary numbers and shorter times.
  Seconds transferred_time(const program::CallSum& recorded, Seconds there, Seconds here) {
    static constexpr double clearly_slower = 1.25;
    const Seconds odd = std::max(recorded.invalid_seconds, recorded.denormal_seconds);
    if (odd > recorded.seconds / 2 && recorded.seconds > clearly_slower * there) {
      result().slow_by_numbers += recorded.seconds;
      return recorded.seconds;
    }
    return prediction::transferred_time(recorded.seconds, there, here);
  }

  /// Multiplies the times of every thread's calls of shape i by factors[i].
  void scale_threads(const std::vector<double>& factors) {
    for (std::size_t t = 0; t < evaluation_.threads.size(); ++t) {
      prediction::TracePrediction& prediction = evaluation_.threads[t].prediction;
      std::vector<Seconds> durations;
      for (std::size_t c = 0; c < prediction.calls.size(); ++c) {
        durations.push_back(prediction.calls[c].seconds * factors[threads_[t].shapes[c]]);
      }
      prediction = prediction::with_durations(std::move(prediction), durations);
      prediction.interval = result().interval * (result().predicted > 0 ? prediction.seconds / result().predicted : 0);
    }
  }

  /// Keeps the recorded times in the place of the recording. The shapes keep the expectation of the models, for the comparison with others.
  void stay_as_recorded() {
    std::vector<double> factors(result().shapes.size(), 1);
    for (std::size_t i = 0; i < result().shapes.size(); ++i) {
      if (result().shapes[i] && *result().shapes[i] > 0) {
        factors[i] = breakdown_.shapes()[i].sum.seconds / *result().shapes[i];
      }
    }
    result().predicted = result().recorded;
    result().interval = interval_of_repetition(0);
    scale_threads(factors);
  }

  /// Takes the recorded times where only block sizes change.
  void keep_recorded() {
    for (std::size_t i = 0; i < result().shapes.size(); ++i) {
      if (breakdown_.shapes()[i].longest.routine != nullptr) {
        result().shapes[i] = breakdown_.shapes()[i].sum.seconds;
        result().recorded += *result().shapes[i];
      }
    }
    result().predicted = result().by_models = result().recorded;
    result().interval = interval_of_repetition(0);
  }

  /// Returns the interval of later runs that take the recorded time, which models change with this standard deviation.
  [[nodiscard]] Interval interval_of_repetition(Seconds models_deviation) {
    prediction::PredictionError error = prediction::error_of_repetition(libraries_->run_deviation());
    error.models = models_deviation;
    return prediction::predicted_interval(result().predicted, error);
  }

  /// Changes the shapes' times by the best block sizes. Both forecasts share models and method, so that the regret is what is uncertain of
  /// their difference.
  void tune_blocks(Seconds budget) {
    const std::string label = "block sizes for " + to_string(result().question);
    ShapesTuning tuned = tune_shapes(breakdown_, result().shapes, *libraries_, budget, label, context_);
    for (const ShapeTuning& change : tuned.shapes) {
      std::optional<Seconds>& seconds = result().shapes[change.shape];
      const Seconds before = *seconds;
      seconds = before * change.ratio;
      result().predicted += before * (change.ratio - 1);
      result().interval.low += before * (change.ratio - 1);
      result().interval.high += before * (change.ratio + change.regret - 1);
    }
    result().blocks = std::move(tuned.choices);
    result().untuned_shapes = tuned.untuned_shapes;
  }

  const std::vector<ThreadCalls>& threads_;
  const ProgramBreakdown& breakdown_;
  const WhatIfEvaluation* same_;
  std::set<std::size_t> kept_;
  double cpus_;
  const RunContext& context_;
  std::unique_ptr<WhatIfLibraries> libraries_;
  std::vector<std::unique_ptr<WhatIfLibraries>> alternatives_;
  WhatIfEvaluation evaluation_;
};

/// Returns recorded / predicted - 1. Rounding errors count as no gain.
std::optional<double> gain_of(const WhatIfResult& result, bool dry_run) {
  if (dry_run || result.predicted <= 0) {
    return std::nullopt;
  }
  constexpr double rounding = 1e-9;
  const double gain = result.recorded / result.predicted - 1;
  return std::fabs(gain) < rounding ? 0 : gain;
}

/// Evaluates the questions about one recording.
class ProgramEvaluator {
 public:
  ProgramEvaluator(const program::RecordedProgram& program, const ProgramBreakdown& breakdown, const program::RecordedPlace& place,
                   const EvaluationOptions& options, const WhatIfServices& services, const RunContext& context)
      : program_(program),
        breakdown_(breakdown),
        place_(place),
        options_(options),
        services_(services),
        context_(context),
        can_compare_(!program.summary().dry_run && services.is_here(place)),
        threads_(described_calls(program, breakdown)) {
    for (std::size_t i = 0; i < breakdown.shapes().size(); ++i) {
      const std::size_t name = breakdown.shapes()[i].name;
      const std::vector<std::string>& files = program.summary().name_libraries;
      const std::string library = name < files.size() && !files[name].empty() ? program::library_name(files[name]) : place.blas;
      if (library != place.blas) {
        other_libraries_[library].push_back(i);
      }
    }
  }

  std::vector<WhatIfEvaluation> run(const std::vector<WhatIf>& questions) {
    std::vector<WhatIfEvaluation> all;
    for (const WhatIf& question : questions) {
      all.push_back(checked(question));
    }
    const auto compares = [&](const WhatIfEvaluation& one) {
      return one.result.failure.empty() && one.result.question.predicts_calls() && !is_recorded_place(one.result.question);
    };
    const bool needs_same = can_compare_ && std::any_of(all.begin(), all.end(), compares);
    const bool asks_same = std::any_of(questions.begin(), questions.end(), [&](const WhatIf& q) { return is_recorded_place(q); });
    const std::size_t parts = questions.size() + (needs_same && !asks_same ? 1 : 0) + (can_compare_ ? other_libraries_.size() : 0);
    budget_ = options_.time_budget / static_cast<double>(std::max<std::size_t>(1, parts));
    if (needs_same || (asks_same && can_compare_)) {
      find_same();
    }
    for (WhatIfEvaluation& one : all) {
      if (one.result.failure.empty()) {
        one = evaluated(one.result.question);
      }
    }
    return all;
  }

 private:
  /// Returns whether the question asks about the recorded libraries, threads and kernels.
  [[nodiscard]] bool is_recorded_place(const WhatIf& question) const { return question.is_same() && options_.kernels == as_recorded; }

  /// Returns the threads that a BLAS would have had in the recorded run: another one than the recorded one may have a variable of its own.
  [[nodiscard]] int threads_of(const std::string& blas) const {
    const std::optional<int> own = blas == place_.blas ? std::nullopt : program::threads_by(program_.summary().thread_variables, blas);
    return own && *own > 1 && services_.has_one_thread(blas) ? 1 : own.value_or(place_.threads.value_or(1));
  }

  /// Returns the question's libraries. A BLAS that is named takes the LAPACK with it that `record --blas` takes.
  [[nodiscard]] machine::LibraryChoice libraries_of(const WhatIf& question, const std::string& kernels) const {
    machine::LibraryChoice choice;
    choice.kernels = question.kernels.empty() ? kernels : question.kernels;
    choice.blas = question.blas.empty() ? place_.blas : question.blas;
    choice.threads = question.threads.value_or(threads_of(choice.blas));
    if (choice.threads == 0) {
      choice.threads = services_.has_one_thread(choice.blas) ? 1 : std::max(1, static_cast<int>(services_.cpus));
    }
    if (choice.blas.empty()) {
      throw bad_input(
          "the recording doesn't say which BLAS the program called. Name one: 'flopcast predict' takes --blas NAME, 'flopcast profile' "
          "takes "
          "--what-if blas=NAME");
    }
    if (question.kernels.empty() && question.blas.empty() && kernels == as_recorded) {
      choice.kernel_settings = place_.kernel_settings;
    }
    choice.lapack = !question.lapack.empty() ? question.lapack : question.blas.empty() ? place_.lapack : "";
    return choice;
  }

  WhatIfEvaluation failure(const WhatIf& question, const Error& error) const {
    WhatIfEvaluation evaluation;
    evaluation.result.question = question;
    evaluation.result.failure = error.what();
    evaluation.result.failure_code = static_cast<int>(error.code());
    options_.failed(evaluation.result);
    return evaluation;
  }

  /// Returns the question without a prediction yet, but with the failure if there can be none.
  WhatIfEvaluation checked(const WhatIf& question) const {
    try {
      if (threads_.empty()) {
        throw bad_input("the recording holds no call that the catalogue describes, so nothing can be predicted");
      }
      const machine::LibraryChoice libraries = libraries_of(question, options_.kernels);
      services_.require_usable(question, libraries);
      if (const std::optional<int> bytes = services_.integer_bytes(libraries.blas)) {
        require_integers(threads_, *bytes, libraries.blas);
      }
      require_threads(question, libraries);
    } catch (const Error& error) {
      return failure(question, error);
    }
    WhatIfEvaluation evaluation;
    evaluation.result.question = question;
    return evaluation;
  }

  /// Throws bad_input if more threads are asked for than the library has.
  void require_threads(const WhatIf& question, const machine::LibraryChoice& libraries) const {
    if (libraries.threads > 1 && services_.has_one_thread(libraries.blas)) {
      throw bad_input("{} has one thread only, and {} were {}. {}", libraries.blas, libraries.threads,
                      question.threads ? "asked for" : "recorded", options_.one_thread_remedy(question));
    }
  }

  /// Finds the expectation for the place of the recording, which other questions are compared with. Without it, the models alone predict.
  void find_same() {
    try {
      same_ = predicted({}, libraries_of({}, as_recorded), nullptr, true);
      for (const auto& [library, shapes] : other_libraries_) {
        take_expectation(library, shapes);
      }
    } catch (const Error& error) {
      context_.rethrow_if_cancelled();
      context_.note(fmt::format("nothing can be compared with the recorded times: {}", error.what()));
    }
  }

  /// Expects these shapes, which another library than the place's computed, by the models of that library.
  void take_expectation(const std::string& library, const std::vector<std::size_t>& shapes) {
    WhatIf question;
    question.blas = library;
    const WhatIfEvaluation other = predicted(question, libraries_of(question, as_recorded), nullptr, false);
    Seconds before = 0, taken = 0;
    for (const std::size_t shape : shapes) {
      before += same_->result.shapes[shape].value_or(0);
      taken += other.result.shapes[shape].value_or(0);
      same_->result.shapes[shape] = other.result.shapes[shape];
    }
    const auto part = [](const WhatIfEvaluation& one, Seconds seconds) {
      return one.result.by_models > 0 ? one.models_deviation * seconds / one.result.by_models : 0;
    };
    same_->models_deviation = std::hypot(part(*same_, same_->result.by_models - before), part(other, taken));
    same_->result.by_models += taken - before;
  }

  WhatIfEvaluation evaluated(const WhatIf& question) {
    if (is_recorded_place(question) && same_) {
      return *same_;
    }
    try {
      return predicted(question, libraries_of(question, options_.kernels), same_ ? &*same_ : nullptr, false);
    } catch (const Error& error) {
      context_.rethrow_if_cancelled();
      return failure(question, error);
    }
  }

  [[nodiscard]] WhatIfEvaluation predicted(const WhatIf& question, const machine::LibraryChoice& libraries, const WhatIfEvaluation* same,
                                           bool is_recorded_place) const {
    std::unique_ptr<WhatIfLibraries> place = services_.open(libraries, !question.kernels.empty());
    std::vector<std::unique_ptr<WhatIfLibraries>> alternatives;
    if (question.threads == 0 && threads_.size() == 1) {  // the threads of several threads' calls stay as they are
      for (machine::LibraryChoice other = libraries; const int threads : thread_counts(libraries.threads)) {
        if (threads < libraries.threads) {
          other.threads = threads;
          alternatives.push_back(services_.open(other, !question.kernels.empty()));
        }
      }
    }
    std::set<std::size_t> kept;
    for (const auto& [library, shapes] : other_libraries_) {
      if (question.blas.empty()) {  // they stay in that library
        kept.insert(shapes.begin(), shapes.end());
      }
    }
    WhatIfEvaluator evaluator(question, threads_, breakdown_, std::move(place), std::move(alternatives), same, std::move(kept),
                              services_.cpus, context_);
    WhatIfEvaluation evaluation = evaluator.run(is_recorded_place, budget_);
    evaluation.result.gain = gain_of(evaluation.result, program_.summary().dry_run);
    return evaluation;
  }

  const program::RecordedProgram& program_;
  const ProgramBreakdown& breakdown_;
  const program::RecordedPlace& place_;
  const EvaluationOptions& options_;
  const WhatIfServices& services_;
  const RunContext& context_;
  bool can_compare_;
  std::vector<ThreadCalls> threads_;
  std::map<std::string, std::vector<std::size_t>> other_libraries_;  ///< shapes that other libraries than the place's BLAS computed
  Seconds budget_ = 0;
  std::optional<WhatIfEvaluation> same_;
};

}  // namespace

std::vector<WhatIfEvaluation> evaluate(const std::vector<WhatIf>& questions, const program::RecordedProgram& program,
                                       const program::ProgramBreakdown& breakdown, const program::RecordedPlace& place,
                                       const EvaluationOptions& options, const WhatIfServices& services, const RunContext& context) {
  return ProgramEvaluator(program, breakdown, place, options, services, context).run(questions);
}

}  // namespace flopcast
