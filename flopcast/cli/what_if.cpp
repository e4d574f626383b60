#include "flopcast/cli/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/cli/block_tuning.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/on_demand_sampling.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/thread_safety.hpp"
#include "flopcast/cli/tuning.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/interpose/recorder.hpp"
#include "flopcast/machine/installed.hpp"
#include "flopcast/machine/topology.hpp"
#include "flopcast/predict/carried_over.hpp"
#include "flopcast/predict/contention.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/tune/block_size.hpp"

namespace flopcast::cli {
namespace {

using interpose::ProgramBreakdown;
using interpose::ProgramEvent;
using interpose::ShapeSum;

constexpr std::int64_t most_threads = 1024;
constexpr const char* expected = "expected same, or some of blas=NAME, lapack=NAME, threads=N and nb, with commas between them";

/// One thread's described calls, the shape of each, and how long the program did something else before it.
struct ThreadCalls {
  Trace trace;
  std::vector<std::size_t> shapes;
  std::vector<Seconds> pauses;
};

std::vector<ThreadCalls> described_calls(const interpose::ProgramTraceFile& file, const ProgramBreakdown& breakdown) {
  std::vector<ThreadCalls> all;
  for (std::size_t t = 0; t < file.summary().threads.size(); ++t) {
    std::vector<ProgramEvent> events;
    ThreadCalls thread;
    file.visit(t, [&](const ProgramEvent& event) {
      if (event.described()) {
        events.push_back(event);
        thread.shapes.push_back(breakdown.shape_of(event));
      }
    });
    if (!events.empty()) {
      thread.trace = interpose::to_trace(events);
      thread.pauses = interpose::pauses(events);
      all.push_back(std::move(thread));
    }
  }
  return all;
}

/// What the question's libraries are; a BLAS that is named takes the LAPACK with it that `record --blas` takes.
LibraryOptions libraries_of(const WhatIf& question, const RecordedPlace& place, const std::string& kernels) {
  LibraryOptions options;
  options.kernels = kernels;
  options.threads = question.threads.value_or(place.threads.value_or(1));
  options.blas = question.blas.empty() ? place.blas : question.blas;
  if (options.blas.empty()) {
    throw bad_input("--what-if {}: the recording doesn't say which BLAS the program called; add blas=NAME", question.text);
  }
  options.lapack = !question.lapack.empty() ? question.lapack : question.blas.empty() ? place.lapack : "";
  return options;
}

constexpr const char* as_recorded = "library";  // kernels that BLAS chooses by itself

/// Whether what the models expect of the recorded place can be held against what was recorded: here, by the same library, with times.
bool can_compare(const interpose::ProgramSummary& summary, const RecordedPlace& place) {
  if (summary.dry_run || place.blas.empty() || !is_this_machine(place)) {
    return false;
  }
  try {
    machine::locate(place.blas, machine::Role::blas);
    return place.lapack.empty() || !machine::locate(place.lapack, machine::Role::lapack).empty();
  } catch (const Error&) {
    return false;  // a library that has gone since
  }
}

/// The questions without those whose libraries would give the recorded program wrong results, of which a note tells. Throws what it would tell
/// if no question is left.
std::vector<WhatIf> safe_questions(const std::vector<WhatIf>& asked, const interpose::ProgramTraceFile& file, const RecordedPlace& place,
                                   const std::string& kernels, const CommonOptions& common) {
  std::vector<WhatIf> questions;
  for (const WhatIf& question : asked) {
    try {
      if (!question.blas.empty() || !question.lapack.empty()) {
        require_thread_safe(file, libraries_of(question, place, kernels), "--what-if " + question.text);
      }
      questions.push_back(question);
    } catch (const Error& error) {
      if (questions.empty() && &question == &asked.back()) {
        throw;
      }
      note(fmt::format("left out: {}", error.what()), common);
    }
  }
  return questions;
}

/// Answers one question with all that it needs alive at once.
class Answering {
 public:
  /// `same`: what the models expect where the program was recorded; nullptr if that isn't known or not to be compared with.
  Answering(const WhatIf& question, const std::vector<ThreadCalls>& threads, const ProgramBreakdown& breakdown,
            const LibraryOptions& libraries, const Answer* same, Seconds budget, const CommonOptions& common)
      : threads_(threads),
        breakdown_(breakdown),
        same_(same),
        common_(common),
        store_(open_store(common)),
        bench_(libraries, common),
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
    std::vector<tune::Subject> traces;
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
    sample_missing(traces, bench_, store_, models, budget, "sampling for " + answer_.question.text, common_);
    Seconds extrapolated = 0;
    std::vector<std::vector<predict::CallerStep>> steps(traces.size());
    for (std::size_t t = 0; t < traces.size(); ++t) {
      extrapolated += add_prediction(traces[t].trace, threads_[t].pauses, models, steps[t]);
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
  Seconds add_prediction(const Trace& trace, const std::vector<Seconds>& pauses, const model::OnDemandModels& models,
                         std::vector<predict::CallerStep>& steps) {
    const auto& caches = bench_.environment().caches;
    predict::PredictOptions options;
    options.per_call = true;
    const predict::Prediction prediction =
        predict::predict(trace, cache::cache_state(trace, caches, cache::Start::filled), caches, predict::PlacedModels(models), options);
    for (std::size_t c = 0; c < pauses.size(); ++c) {
      steps.push_back({pauses[c], prediction.calls[c].seconds, bench_.environment().threads});
    }
    answer_.predicted += prediction.seconds;
    answer_.interval.low += prediction.interval.low;
    answer_.interval.high += prediction.interval.high;
    return prediction.extrapolated;
  }

  /// Calls of several threads wait for the same cores.
  void share_cores(const std::vector<std::vector<predict::CallerStep>>& steps) {
    const auto durations = predict::shared_durations(steps, machine::usable_cpus(machine::detect_topology()));
    Seconds sum = 0;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      for (std::size_t c = 0; c < durations[t].size(); ++c) {
        std::optional<Seconds>& shape = answer_.shapes[threads_[t].shapes[c]];
        shape = shape.value_or(0) + durations[t][c];
        sum += durations[t][c];
      }
    }
    const double slowdown = answer_.predicted > 0 ? sum / answer_.predicted : 1;
    answer_.interval.low *= slowdown;
    answer_.interval.high *= slowdown;
    answer_.predicted = sum;
  }

  /// Shape by shape, what changes in the recorded time. Both expectations are uncertain.
  void compare_with_same() {
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      if (std::optional<Seconds>& seconds = answer_.shapes[i]; seconds && same_->shapes[i]) {
        const Seconds by_models = *seconds;
        seconds = predict::carried_over(breakdown_.shapes()[i].sum.seconds, *same_->shapes[i], by_models);
        answer_.predicted += *seconds - by_models;
      }
    }
    const auto half = [](const Interval& interval) { return (interval.high - interval.low) / 2; };
    const Seconds margin = std::hypot(half(answer_.interval), half(same_->interval));
    answer_.interval = {std::max(0.0, answer_.predicted - margin), answer_.predicted + margin};
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
    std::vector<interpose::AskingCall> asking;
  };

  /// The shapes that ask for block sizes, the heaviest first, as far as they are worth the time.
  std::vector<TunableShape> tunable_shapes(interpose::Recorder& recorder) {
    static constexpr std::size_t most = 8;
    static constexpr double least_share = 0.01;
    std::vector<TunableShape> shapes;
    for (std::size_t i = 0; i < breakdown_.shapes().size(); ++i) {
      const ShapeSum& shape = breakdown_.shapes()[i];
      if (shape.longest.routine == nullptr || shape.longest.routine->index("info") < 0) {
        continue;
      }
      throw_if_interrupted("nothing was measured");
      std::vector<interpose::AskingCall> asking = asking_calls(shape, recorder);
      if (asking.empty()) {
        continue;
      }
      if (shapes.size() < most && shape.sum.seconds >= least_share * breakdown_.all().seconds) {
        shapes.push_back({i, std::move(asking)});
      } else {
        ++answer_.untuned;
      }
    }
    return shapes;
  }

  /// None where the library's routine can't be looked into: it stops at the data that a recording leaves, or isn't there.
  [[nodiscard]] std::vector<interpose::AskingCall> asking_calls(const ShapeSum& shape, interpose::Recorder& recorder) const {
    std::vector<interpose::AskingCall> asking;
    try {
      asking = recorder.asking_calls(problem_call(shape));
    } catch (const Error&) {
      return {};
    }
    for (interpose::AskingCall& part : asking) {
      part.call.threads = bench_.environment().threads;
    }
    return asking;
  }

  /// The shape's longest call, with the workspace left to the routine: a program that asks for its size gets it for the new block size too.
  [[nodiscard]] Call problem_call(const ShapeSum& shape) const {
    Call call = shape.longest;
    call.threads = bench_.environment().threads;
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (call.routine->arguments[i].kind == Kind::work_size) {
        call.arguments[i] = 0;
      }
    }
    return call;
  }

  void tune_blocks(Seconds budget) {
    interpose::Recorder recorder(bench_.files());
    const std::vector<TunableShape> shapes = tunable_shapes(recorder);
    std::vector<tune::Problem> problems;
    for (const TunableShape& shape : shapes) {
      for (const interpose::AskingCall& asking : shape.asking) {
        problems.push_back(block_problem(asking));
      }
    }
    if (problems.empty()) {
      return;
    }
    const tune::BlockSizeResult result = choose_blocks(problems, recorder, budget);
    std::size_t next = 0;
    for (const TunableShape& shape : shapes) {
      take_decisions(shape, std::span(result.decisions).subspan(next, shape.asking.size()));
      next += shape.asking.size();
    }
  }

  static tune::Problem block_problem(const interpose::AskingCall& asking) {
    static constexpr std::int64_t candidates[] = {8, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256};
    tune::Problem problem;
    problem.call = asking.call;
    const algorithm::BlockParameters& standard = asking.question.answers;
    problem.standard = tune::Alternative{.blocks = standard};
    for (const std::int64_t nb : candidates) {
      problem.alternatives.push_back({"", {nb, standard.nbmin, standard.nx}});
    }
    return problem;
  }

  tune::BlockSizeResult choose_blocks(const std::vector<tune::Problem>& problems, interpose::Recorder& recorder, Seconds budget) {
    TuningSession session(bench_, store_, {}, common_);
    tune::BlockSizeOptions options;
    options.time_budget = budget;
    const auto record = [&](const Call& call, const tune::Alternative& alternative) { return recorder.record(call, alternative.blocks); };
    return session.tune("block sizes for " + answer_.question.text, problems, record, {}, options);
  }

  /// The shape's time changes as that of its longest call: by the ratio of what is predicted for it or, where routines below it are tuned,
  /// by the share of it that those save.
  void take_decisions(const TunableShape& shape, std::span<const tune::Decision> decisions) {
    const ShapeSum& recorded = breakdown_.shapes()[shape.shape];
    const Seconds before = *answer_.shapes[shape.shape];
    const Seconds longest = recorded.sum.seconds > 0 ? recorded.longest_seconds * before / recorded.sum.seconds : 0;
    double saved = 0;
    double regret = 0;
    for (std::size_t d = 0; d < decisions.size(); ++d) {
      const tune::Decision& decision = decisions[d];
      if (decision.standard.seconds <= 0) {  // a recording has no data: what is balanced or deflated first leaves nothing to do
        continue;
      }
      const Call& tuned = shape.asking[d].call;
      const tune::Forecast& taken = kept(decision);
      answer_.blocks.push_back({shape.shape, tuned.routine->name, decision.standard.blocks.nb, taken.blocks.nb, taken.blocks.nx,
                                decision.standard.seconds, taken.seconds, decision.regret, is_undecided(decision)});
      const Seconds all = tuned.routine == recorded.longest.routine ? decision.standard.seconds : longest;
      if (all > 0 && !is_undecided(decision)) {
        saved += (decision.standard.seconds - decision.chosen.seconds) / all;
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
  const CommonOptions& common_;
  model::Store store_;
  Workbench bench_;
  Seconds budget_;
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
    } else if (name == "threads") {
      question.threads = static_cast<int>(parse_integer(value, "--what-if threads", 1, most_threads));
    } else {
      throw usage_error("--what-if {}: '{}' is not understood; {}", text, word, expected);
    }
  }
  return question;
}

std::vector<Answer> answer(const std::vector<WhatIf>& asked, const interpose::ProgramTraceFile& file, const ProgramBreakdown& breakdown,
                           const RecordedPlace& place, const std::string& kernels, Seconds budget, const CommonOptions& common) {
  const std::vector<WhatIf> questions = safe_questions(asked, file, place, kernels, common);
  std::vector<LibraryOptions> libraries;
  for (const WhatIf& question : questions) {  // what is wrong with any of them is said before anything is measured
    libraries.push_back(libraries_of(question, place, kernels));
  }
  const std::vector<ThreadCalls> threads = described_calls(file, breakdown);
  if (threads.empty()) {
    throw bad_input("the recording holds no call that the catalogue describes, so nothing can be predicted");
  }
  const bool compares = std::any_of(questions.begin(), questions.end(),
                                    [](const WhatIf& question) { return question.predicts_calls() && !question.is_same(); }) &&
                        can_compare(file.summary(), place);
  const bool asks_same =
      kernels == as_recorded && std::any_of(questions.begin(), questions.end(), [](const WhatIf& q) { return q.is_same(); });
  const Seconds each = budget / static_cast<double>(questions.size() + (compares && !asks_same ? 1 : 0));
  std::optional<Answer> same;
  if (compares) {
    WhatIf question;
    question.text = "same";
    same = Answering(question, threads, breakdown, libraries_of(question, place, as_recorded), nullptr, each, common).run();
  }
  std::vector<Answer> answers;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    try {
      if (questions[q].is_same() && same && asks_same) {
        answers.push_back(*same);
      } else {
        const Answer* compared = questions[q].is_same() || !same ? nullptr : &*same;
        answers.push_back(Answering(questions[q], threads, breakdown, libraries[q], compared, each, common).run());
      }
    } catch (const Error& error) {  // a library without threads, say; the others' answers took long
      if (answers.empty() && q + 1 == questions.size()) {
        throw;
      }
      note(fmt::format("--what-if {} is left out: {}", questions[q].text, error.what()), common);
    }
  }
  return answers;
}

}  // namespace flopcast::cli
