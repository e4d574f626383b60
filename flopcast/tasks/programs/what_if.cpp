#include "flopcast/tasks/programs/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/predict/contention.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/predict/transferred_time.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/program/thread_safety.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/tuning/tunable_routine.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

using interpose::ProgramBreakdown;
using interpose::ProgramEvent;
using interpose::ShapeSum;

constexpr std::int64_t max_threads = 1024;
constexpr const char* expected =
    "expected same, or some of blas=NAME, lapack=NAME, threads=N, kernels=auto, kernels=library and nb, with commas between them";

/// One thread's described calls, the shape of each, and how long the program did something else before it.
struct ThreadCalls {
  std::size_t thread = 0;  // index into the summary's threads
  Trace trace;
  std::vector<std::size_t> shapes;
  std::vector<Seconds> pauses;
};

std::vector<ThreadCalls> described_calls(const interpose::ProgramTraceFile& file, const ProgramBreakdown& breakdown) {
  std::vector<ThreadCalls> all;
  for (std::size_t t = 0; t < file.summary().threads.size(); ++t) {
    std::vector<ProgramEvent> events;
    ThreadCalls thread;
    thread.thread = t;
    file.visit(t, [&](const ProgramEvent& event) {
      if (event.described()) {
        events.push_back(event);
        thread.shapes.push_back(breakdown.shape_of(event));
      }
    });
    if (!events.empty()) {
      thread.trace = interpose::to_trace(events);
      if (file.summary().dry_run) {
        thread.trace.measured.clear();
      }
      thread.pauses = interpose::pauses(events);
      all.push_back(std::move(thread));
    }
  }
  return all;
}

constexpr const char* as_recorded = "library";  // kernels that BLAS chooses by itself

/// What the question's libraries are; a BLAS that is named takes the LAPACK with it that `record --blas` takes.
machine::LibraryChoice libraries_of(const WhatIf& question, const interpose::RecordedPlace& place, const std::string& kernels) {
  machine::LibraryChoice options;
  options.kernels = question.kernels.empty() ? kernels : question.kernels;
  options.threads = question.threads.value_or(place.threads.value_or(1));
  options.blas = question.blas.empty() ? place.blas : question.blas;
  if (options.blas.empty()) {
    throw bad_input("--what-if {}: the recording doesn't say which BLAS the program called; add blas=NAME", question.text);
  }
  if (question.kernels.empty() && question.blas.empty() && kernels == as_recorded) {
    options.kernel_settings = place.kernel_settings;
  }
  options.lapack = !question.lapack.empty() ? question.lapack : question.blas.empty() ? place.lapack : "";
  return options;
}

/// Throws bad_input or environment_error for what can be known before the libraries are opened.
void require_answerable(const WhatIf& question, const machine::LibraryChoice& libraries) {
  const std::string blas = machine::locate_usable(libraries.blas, machine::Role::blas).string();
  if (!libraries.lapack.empty()) {
    machine::locate_usable(libraries.lapack, machine::Role::lapack);
  }
  if (libraries.threads > 1 && machine::has_one_thread(blas)) {
    const std::string remedy = question.told_by_asker
                                   ? "Add --threads 1"
                                   : fmt::format("Ask {}threads=1", question.blas.empty() ? "" : "blas=" + question.blas + ",");
    throw bad_input("{} has one thread only, and {} were {}. {}", libraries.blas, libraries.threads,
                    question.threads ? "asked for" : "recorded", remedy);
  }
}

/// Whether what the models expect of the recorded place can be held against what was recorded: here, by the same library, with times.
bool can_compare(const interpose::ProgramSummary& summary, const interpose::RecordedPlace& place) {
  if (summary.dry_run || place.blas.empty() || !interpose::is_this_machine(place)) {
    return false;
  }
  try {
    machine::locate(place.blas, machine::Role::blas);
    return place.lapack.empty() || !machine::locate(place.lapack, machine::Role::lapack).empty();
  } catch (const Error&) {
    return false;  // a library that has gone since
  }
}

/// Answers one question with all that it needs alive at once.
class Answering {
 public:
  /// `same`: what the models expect where the program was recorded; nullptr if that isn't known or not to be compared with, or if this is the
  /// question.
  Answering(const WhatIf& question, const std::vector<ThreadCalls>& threads, const ProgramBreakdown& breakdown,
            const machine::LibraryChoice& libraries, const Answer* same, bool is_recorded_place, Seconds budget, const RunContext& context)
      : threads_(threads),
        breakdown_(breakdown),
        same_(same),
        is_recorded_place_(is_recorded_place),
        context_(context),
        store_(open_store(context)),
        bench_(Workbench::opened(libraries, context)),
        budget_(budget) {
    require_same_integers();
    answer_.question = question;
    answer_.environment = bench_.environment();
    answer_.place = place_text(bench_.environment());
    answer_.shapes.resize(breakdown.shapes().size());
  }

  Answer run() {
    const bool both = answer_.question.predicts_calls() && answer_.question.tuned_blocks;
    if (answer_.question.predicts_calls()) {
      predict_calls(both ? budget_ / 2 : budget_);
      if (same_ != nullptr) {
        compare_with_same();
      } else if (is_recorded_place_) {
        stay_as_recorded();
      }
    } else {
      keep_recorded();
    }
    if (answer_.question.tuned_blocks) {
      tune_blocks(both ? budget_ / 2 : budget_);
    }
    return std::move(answer_);
  }

 private:
  void predict_calls(Seconds budget) {
    std::vector<tuning::Subject> traces;
    std::set<std::string> routines;
    for (const ThreadCalls& thread : threads_) {
      Trace trace = thread.trace;
      for (Call& call : trace.calls) {
        call.threads = bench_.environment().threads;
        routines.insert(call.routine->name);
      }
      auto placements = cache::cache_state(trace, bench_.environment().caches, cache::Start::filled).placements;
      traces.push_back({std::move(trace), std::move(placements), 1});
    }
    model::OnDemandModels models = bench_.models(store_, routines);
    sample_missing(traces, bench_, store_, models, budget, "sampling for " + answer_.question.text, context_);
    Seconds extrapolated = 0;
    std::vector<std::vector<prediction::CallerStep>> steps(traces.size());
    for (std::size_t t = 0; t < traces.size(); ++t) {
      extrapolated += add_prediction(std::move(traces[t].trace), threads_[t], models, steps[t]);
    }
    answer_.extrapolated_share = answer_.predicted > 0 ? extrapolated / answer_.predicted : 0;
    share_cores(steps);
    answer_.by_models = answer_.predicted;
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      answer_.recorded += answer_.shapes[i] ? breakdown_.shapes()[i].sum.seconds : 0;
    }
  }

  /// Adds one thread's prediction to the answer, and to `steps` what its calls take by themselves; returns the seconds that were
  /// extrapolated.
  Seconds add_prediction(Trace trace, const ThreadCalls& thread, const model::OnDemandModels& models,
                         std::vector<prediction::CallerStep>& steps) {
    const auto& caches = bench_.environment().caches;
    prediction::PredictOptions options;
    options.per_call = true;
    prediction::Prediction prediction = prediction::predict(trace, cache::cache_state(trace, caches, cache::Start::filled), caches,
                                                            prediction::PlacedModels(models), options);
    for (std::size_t c = 0; c < thread.pauses.size(); ++c) {
      steps.push_back({thread.pauses[c], prediction.calls[c].seconds, bench_.environment().threads});
    }
    answer_.predicted += prediction.seconds;
    answer_.interval.low += prediction.interval.low;
    answer_.interval.high += prediction.interval.high;
    answer_.threads.push_back({thread.thread, std::move(trace), 0, std::move(prediction)});
    return answer_.threads.back().prediction.extrapolated;
  }

  /// Calls of several threads wait for the same cores.
  void share_cores(const std::vector<std::vector<prediction::CallerStep>>& steps) {
    const auto durations = prediction::shared_durations(steps, machine::usable_cpus(machine::detect_topology()));
    Seconds sum = 0;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      for (std::size_t c = 0; c < durations[t].size(); ++c) {
        std::optional<Seconds>& shape = answer_.shapes[threads_[t].shapes[c]];
        shape = shape.value_or(0) + durations[t][c];
        sum += durations[t][c];
      }
      take_durations(answer_.threads[t], durations[t]);
      answer_.threads[t].by_models = answer_.threads[t].prediction.seconds;
    }
    const double slowdown = answer_.predicted > 0 ? sum / answer_.predicted : 1;
    answer_.interval.low *= slowdown;
    answer_.interval.high *= slowdown;
    answer_.predicted = sum;
  }

  static void take_durations(ThreadAnswer& thread, std::span<const Seconds> durations) {
    thread.prediction = prediction::with_durations(std::move(thread.prediction), durations);
  }

  /// Shape by shape, what changes in the recorded time. Both expectations are uncertain.
  void compare_with_same() {
    std::vector<double> factors(answer_.shapes.size(), 1);
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      if (std::optional<Seconds>& seconds = answer_.shapes[i]; seconds && same_->shapes[i]) {
        const Seconds by_models = *seconds;
        seconds = transferred_time(breakdown_.shapes()[i].sum, *same_->shapes[i], by_models);
        answer_.predicted += *seconds - by_models;
        factors[i] = by_models > 0 ? *seconds / by_models : 1;
      }
    }
    const auto half = [](const Interval& interval) { return (interval.high - interval.low) / 2; };
    const Seconds margin = std::hypot(half(answer_.interval), half(same_->interval));
    answer_.interval = {std::max(0.0, answer_.predicted - margin), answer_.predicted + margin};
    scale_threads(factors);
  }

  /// Where numbers made calls slow that models of ordinary ones expect to be faster, no library gains anything: they stay as recorded.
  Seconds transferred_time(const interpose::CallSum& recorded, Seconds there, Seconds here) {
    static constexpr double clearly_slower = 1.25;
    const Seconds odd = std::max(recorded.invalid_seconds, recorded.denormal_seconds);
    if (odd > recorded.seconds / 2 && recorded.seconds > clearly_slower * there) {
      answer_.by_numbers += recorded.seconds;
      return recorded.seconds;
    }
    return prediction::transferred_time(recorded.seconds, there, here);
  }

  /// Of every thread's calls those of shape i take factors[i] times as long.
  void scale_threads(const std::vector<double>& factors) {
    for (std::size_t t = 0; t < answer_.threads.size(); ++t) {
      prediction::Prediction& prediction = answer_.threads[t].prediction;
      std::vector<Seconds> durations;
      for (std::size_t c = 0; c < prediction.calls.size(); ++c) {
        durations.push_back(prediction.calls[c].seconds * factors[threads_[t].shapes[c]]);
      }
      take_durations(answer_.threads[t], durations);
      const double share = answer_.predicted > 0 ? prediction.seconds / answer_.predicted : 0;
      prediction.interval = {answer_.interval.low * share, answer_.interval.high * share};
    }
  }

  /// Where it was recorded nothing changes: calls take what they took. The shapes keep what the models expect, for the others to be compared
  /// with.
  void stay_as_recorded() {
    std::vector<double> factors(answer_.shapes.size(), 1);
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      if (answer_.shapes[i] && *answer_.shapes[i] > 0) {
        factors[i] = breakdown_.shapes()[i].sum.seconds / *answer_.shapes[i];
      }
    }
    const Seconds margin = (answer_.interval.high - answer_.interval.low) / 2;
    answer_.predicted = answer_.recorded;
    answer_.interval = {std::max(0.0, answer_.predicted - margin), answer_.predicted + margin};
    scale_threads(factors);
  }

  /// Where only block sizes change, calls take what they took.
  void keep_recorded() {
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      if (breakdown_.shapes()[i].longest.routine != nullptr) {
        answer_.shapes[i] = breakdown_.shapes()[i].sum.seconds;
        answer_.recorded += *answer_.shapes[i];
      }
    }
    answer_.predicted = answer_.by_models = answer_.recorded;
    answer_.interval = {answer_.predicted, answer_.predicted};
  }

  /// A shape and the calls in its longest one that ask for a block size: itself, or those below it.
  struct TunableShape {
    std::size_t shape = 0;
    std::vector<interpose::TunableCall> tunable;
  };

  /// The shapes that ask for block sizes, the heaviest first, as far as they are worth the time.
  std::vector<TunableShape> tunable_shapes(interpose::Recorder& recorder) {
    static constexpr std::size_t most = 8;
    static constexpr double min_share = 0.01;
    std::vector<TunableShape> shapes;
    for (std::size_t i = 0; i < breakdown_.shapes().size(); ++i) {
      const ShapeSum& shape = breakdown_.shapes()[i];
      if (shape.first_calls || shape.longest.routine == nullptr || shape.longest.routine->index("info") < 0) {
        continue;
      }
      context_.throw_if_cancelled("nothing was measured");
      std::vector<interpose::TunableCall> tunable = tunable_calls(shape, recorder);
      if (tunable.empty()) {
        continue;
      }
      if (shapes.size() < most && shape.sum.seconds >= min_share * breakdown_.all().seconds) {
        shapes.push_back({i, std::move(tunable)});
      } else {
        ++answer_.untuned;
      }
    }
    return shapes;
  }

  /// None where the library's routine can't be looked into: it stops at the data that a recording leaves, or isn't there.
  [[nodiscard]] std::vector<interpose::TunableCall> tunable_calls(const ShapeSum& shape, interpose::Recorder& recorder) const {
    std::vector<interpose::TunableCall> tunable;
    try {
      tunable = recorder.tunable_calls(problem_call(shape));
    } catch (const Error&) {
      return {};
    }
    for (interpose::TunableCall& part : tunable) {
      part.call.threads = bench_.environment().threads;
    }
    return tunable;
  }

  /// The shape's longest call, with the workspace left to the routine where the program had asked for its size: it gets what the new block
  /// size needs. Otherwise the workspace stays as it was.
  [[nodiscard]] Call problem_call(const ShapeSum& shape) const {
    Call call = shape.longest;
    call.threads = bench_.environment().threads;
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (call.routine->arguments[i].kind == Kind::work_size && (shape.longest_asked_size || call.arguments[i] < 0)) {
        call.arguments[i] = 0;
      }
    }
    return call;
  }

  void tune_blocks(Seconds budget) {
    interpose::Recorder recorder(bench_.files());
    const std::vector<TunableShape> shapes = tunable_shapes(recorder);
    std::vector<tuning::Problem> problems;
    for (const TunableShape& shape : shapes) {
      for (const interpose::TunableCall& tunable : shape.tunable) {
        allowed_.push_back(allowed_block(tunable, recorder));
        problems.push_back(block_problem(tunable, allowed_.back()));
      }
    }
    if (problems.empty()) {
      return;
    }
    const tuning::BlockSizeResult result = choose_blocks(problems, recorder, budget);
    std::size_t next = 0;
    for (const TunableShape& shape : shapes) {
      take_decisions(shape, std::span(result.decisions).subspan(next, shape.tunable.size()),
                     std::span(allowed_).subspan(next, shape.tunable.size()));
      next += shape.tunable.size();
    }
  }

  static constexpr std::int64_t candidates[] = {8, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256};

  /// The least block size from which on all up to `largest` give the same calls. The crossover point is the same for all of them.
  static std::int64_t last_difference(const Call& call, std::int64_t largest, interpose::Recorder& recorder) {
    const auto calls = [&](std::int64_t nb) { return recorder.record(call, algorithm::BlockParameters{nb, 2, largest}).calls; };
    const std::vector<Call> at_largest = calls(largest);
    std::int64_t low = 0, high = largest;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (calls(middle) == at_largest ? high : low) = middle;
    }
    return high;
  }

  /// The largest block size for which the call's workspace has room: with larger ones the routine takes this. 0 if it has room for all, or if
  /// the routine gets the workspace that it asks for.
  static std::int64_t allowed_block(const interpose::TunableCall& tunable, interpose::Recorder& recorder) {
    const int work_size = tunable.call.routine->index("lwork");
    const std::int64_t order = tunable.query.n < 0 ? tunable.query.m : std::min(tunable.query.m, tunable.query.n);
    const std::int64_t largest = std::min(candidates[std::size(candidates) - 1], order - 1);  // from the order on nothing is blocked
    if (work_size < 0 || tunable.call.arguments[static_cast<std::size_t>(work_size)] <= 0 || largest < 2) {
      return 0;
    }
    Call roomy = tunable.call;
    roomy.arguments[static_cast<std::size_t>(work_size)] = 0;
    const std::int64_t allowed = last_difference(tunable.call, largest, recorder);
    return allowed < last_difference(roomy, largest, recorder) ? allowed : 0;
  }

  static tuning::Problem block_problem(const interpose::TunableCall& tunable, std::int64_t allowed) {
    tuning::Problem problem;
    problem.call = tunable.call;
    const algorithm::BlockParameters& standard = tunable.query.answers;
    problem.default_ = tuning::Alternative{.blocks = standard};
    for (const std::int64_t nb : candidates) {
      if (allowed == 0 || nb <= allowed) {
        problem.alternatives.push_back({"", {nb, standard.nbmin, standard.nx}});
      }
    }
    if (problem.alternatives.empty()) {
      problem.alternatives.push_back({"", {allowed, standard.nbmin, standard.nx}});
    }
    return problem;
  }

  tuning::BlockSizeResult choose_blocks(const std::vector<tuning::Problem>& problems, interpose::Recorder& recorder, Seconds budget) {
    TuningSession session(bench_, store_, {}, context_);
    tuning::BlockSizeOptions options;
    options.time_budget = budget;
    const auto record = [&](const Call& call, const tuning::Alternative& alternative) { return recorder.record(call, alternative.blocks); };
    return session.tune("block sizes for " + answer_.question.text, problems, record, {}, options);
  }

  /// The shape's time changes as that of its longest call: by the ratio of what is predicted for it or, where routines below it are tuned,
  /// by the share of it that those save.
  void take_decisions(const TunableShape& shape, std::span<const tuning::Decision> decisions, std::span<const std::int64_t> allowed) {
    const ShapeSum& recorded = breakdown_.shapes()[shape.shape];
    const Seconds before = *answer_.shapes[shape.shape];
    const Seconds longest = recorded.sum.seconds > 0 ? recorded.longest_seconds * before / recorded.sum.seconds : 0;
    double saved = 0;
    double regret = 0;
    for (std::size_t d = 0; d < decisions.size(); ++d) {
      const tuning::Decision& decision = decisions[d];
      if (decision.default_.seconds <= 0) {  // a recording has no data: what is balanced or deflated first leaves nothing to do
        continue;
      }
      const Call& tuned = shape.tunable[d].call;
      const tuning::Forecast& taken = effective_forecast(decision);
      answer_.blocks.push_back({shape.shape, tuned.routine->name, decision.default_.blocks.nb, taken.blocks.nb, taken.blocks.nx,
                                decision.default_.seconds, taken.seconds, decision.regret, is_undecided(decision), allowed[d]});
      const Seconds all = tuned.routine == recorded.longest.routine ? decision.default_.seconds : longest;
      if (all > 0 && !is_undecided(decision)) {
        saved += (decision.default_.seconds - decision.chosen.seconds) / all;
        regret += std::max(0.0, decision.regret) * decision.chosen.seconds / all;
      }
    }
    const double ratio = std::max(0.0, 1 - saved);
    answer_.shapes[shape.shape] = before * ratio;
    answer_.predicted += before * (ratio - 1);
    // the two forecasts share models and method: what is uncertain of the difference is the regret
    answer_.interval.low += before * (ratio - 1);
    answer_.interval.high += before * (ratio + regret - 1);
  }

  /// Throws bad_input if the recorded program can't run with the library that is asked about.
  void require_same_integers() const {
    const int library = bench_.environment().blas.integer_bytes;
    for (const ThreadCalls& thread : threads_) {
      for (const Call& call : thread.trace.calls) {
        if (call.integer_bytes != library) {
          throw bad_input(
              "the recorded program can't run with {}: its integers have {} bits, the library's {}. Ask about a library with {}-bit "
              "integers",
              bench_.environment().blas.path, 8 * call.integer_bytes, 8 * library, 8 * call.integer_bytes);
        }
      }
    }
  }

  const std::vector<ThreadCalls>& threads_;
  const ProgramBreakdown& breakdown_;
  const Answer* same_;
  bool is_recorded_place_;
  RunContext context_;
  model::Store store_;
  Workbench bench_;
  Seconds budget_;
  std::vector<std::int64_t> allowed_;  // block size by the workspace, of every problem
  Answer answer_;
};

}  // namespace

WhatIf parse_what_if(const std::string& text) {
  WhatIf question;
  question.text = text;
  if (text == "same") {
    return question;
  }
  std::set<std::string> given;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    const std::string value = sign == std::string::npos ? "" : word.substr(sign + 1);
    begin = end + 1;
    if (!given.insert(name).second) {
      throw usage_error("--what-if {}: {} is given twice", text, name);
    }
    if (name == "nb" && sign == std::string::npos) {
      question.tuned_blocks = true;
    } else if (name == "blas" && !value.empty()) {
      question.blas = value;
    } else if (name == "lapack" && !value.empty()) {
      question.lapack = value;
    } else if (name == "kernels" && (value == "auto" || value == "library")) {
      question.kernels = value;
    } else if (name == "threads") {
      question.threads = static_cast<int>(parse_integer(value, "--what-if threads", 1, max_threads));
    } else {
      throw usage_error("--what-if {}: '{}' is not understood; {}", text, word, expected);
    }
  }
  return question;
}

namespace {

/// Answers the questions of one recording one after the other.
class Interview {
 public:
  Interview(const interpose::ProgramTraceFile& file, const ProgramBreakdown& breakdown, const interpose::RecordedPlace& place,
            std::string kernels, const RunContext& context)
      : file_(file),
        breakdown_(breakdown),
        place_(place),
        kernels_(std::move(kernels)),
        context_(context),
        can_compare_(can_compare(file.summary(), place)),
        threads_(described_calls(file, breakdown)) {}

  std::vector<Answer> run(const std::vector<WhatIf>& questions, Seconds budget) {
    std::vector<Answer> answers;
    for (const WhatIf& question : questions) {
      answers.push_back(checked(question));
    }
    const auto compares = [&](const Answer& answer) {
      return answer.failure.empty() && answer.question.predicts_calls() && !is_recorded_place(answer.question);
    };
    const bool needs_same = can_compare_ && std::any_of(answers.begin(), answers.end(), compares);
    const bool asks_same = std::any_of(questions.begin(), questions.end(), [&](const WhatIf& q) { return is_recorded_place(q); });
    budget_ = budget / static_cast<double>(std::max<std::size_t>(1, questions.size() + (needs_same && !asks_same ? 1 : 0)));
    if (needs_same || (asks_same && can_compare_)) {
      find_same();
    }
    for (Answer& answer : answers) {
      if (answer.failure.empty()) {
        answer = answered(answer.question);
      }
    }
    return answers;
  }

 private:
  /// The recorded libraries, threads and kernels.
  [[nodiscard]] bool is_recorded_place(const WhatIf& question) const { return question.is_same() && kernels_ == as_recorded; }

  static void fail(Answer& answer, const Error& error) {
    answer.failure = error.what();
    answer.failure_code = error.code();
  }

  /// Without an answer yet, but with the failure if there can be none; that is told now.
  Answer checked(const WhatIf& question) {
    Answer answer;
    answer.question = question;
    try {
      if (threads_.empty()) {
        throw bad_input("the recording holds no call that the catalogue describes, so nothing can be predicted");
      }
      const machine::LibraryChoice libraries = libraries_of(question, place_, kernels_);
      interpose::require_thread_safe(file_, question.blas, question.lapack);  // which no number of threads mends
      require_answerable(question, libraries);
    } catch (const Error& error) {
      fail(answer, error);
      tell(answer);
    }
    return answer;
  }

  void tell(const Answer& answer) const {
    if (!answer.question.told_by_asker) {
      context_.note(fmt::format("--what-if {} can't be answered: {}", answer.question.text, answer.failure));
    }
  }

  void find_same() {
    WhatIf question;
    question.text = "same";
    try {
      same_ = asked(question, libraries_of(question, place_, as_recorded), nullptr, true);
    } catch (const Error& error) {  // the others are predicted by the models alone
      context_.rethrow_if_cancelled();
      context_.note(fmt::format("nothing can be compared with the recorded times: {}", error.what()));
    }
  }

  Answer answered(const WhatIf& question) {
    if (is_recorded_place(question) && same_) {
      return *same_;
    }
    try {
      return asked(question, libraries_of(question, place_, kernels_), same_ ? &*same_ : nullptr, false);
    } catch (const Error& error) {
      context_.rethrow_if_cancelled();
      Answer answer;
      answer.question = question;
      fail(answer, error);
      tell(answer);
      return answer;
    }
  }

  Answer asked(const WhatIf& question, const machine::LibraryChoice& libraries, const Answer* same, bool is_recorded_place) {
    const KernelVariables users;  // each question has its own
    if (!question.kernels.empty()) {
      KernelVariables::clear();
    }
    return Answering(question, threads_, breakdown_, libraries, same, is_recorded_place, budget_, context_).run();
  }

  const interpose::ProgramTraceFile& file_;
  const ProgramBreakdown& breakdown_;
  const interpose::RecordedPlace& place_;
  std::string kernels_;
  RunContext context_;
  bool can_compare_;
  std::vector<ThreadCalls> threads_;
  Seconds budget_ = 0;
  std::optional<Answer> same_;
};

}  // namespace

std::vector<Answer> answer(const std::vector<WhatIf>& questions, const interpose::ProgramTraceFile& file, const ProgramBreakdown& breakdown,
                           const interpose::RecordedPlace& place, const std::string& kernels, Seconds budget, const RunContext& context) {
  return Interview(file, breakdown, place, kernels, context).run(questions, budget);
}

}  // namespace flopcast
