#include "flopcast/cli/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/on_demand_sampling.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/tuning.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/interpose/recorder.hpp"
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

/// One thread's described calls, and the shape of each.
struct ThreadCalls {
  Trace trace;
  std::vector<std::size_t> shapes;
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
      all.push_back(std::move(thread));
    }
  }
  return all;
}

std::string place_text(const Environment& environment) {
  const auto name = [](const LibraryIdentity& library) {
    return library.version.empty() ? library.name : library.name + " " + library.version;
  };
  return fmt::format("{} with {} thread{}, LAPACK {}", name(environment.blas), environment.threads, environment.threads == 1 ? "" : "s",
                     name(environment.lapack));
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

/// Answers one question with all that it needs alive at once.
class Answering {
 public:
  Answering(const WhatIf& question, const std::vector<ThreadCalls>& threads, const ProgramBreakdown& breakdown,
            const LibraryOptions& libraries, Seconds budget, const CommonOptions& common)
      : threads_(threads), breakdown_(breakdown), common_(common), store_(open_store(common)), bench_(libraries, common), budget_(budget) {
    answer_.question = question;
    answer_.environment = bench_.environment();
    answer_.place = place_text(bench_.environment());
    answer_.shapes.resize(breakdown.shapes().size());
  }

  Answer run() {
    const bool both = answer_.question.predicts_calls() && answer_.question.tuned_blocks;
    if (answer_.question.predicts_calls()) {
      predict_calls(both ? budget_ / 2 : budget_);
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
    for (std::size_t t = 0; t < traces.size(); ++t) {
      extrapolated += add_prediction(traces[t].trace, threads_[t].shapes, models);
    }
    answer_.extrapolated_share = answer_.predicted > 0 ? extrapolated / answer_.predicted : 0;
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      answer_.recorded += answer_.shapes[i] ? breakdown_.shapes()[i].sum.seconds : 0;
    }
  }

  /// Adds one thread's prediction to the answer; returns the seconds in it that were extrapolated.
  Seconds add_prediction(const Trace& trace, const std::vector<std::size_t>& shapes, const model::OnDemandModels& models) {
    const auto& caches = bench_.environment().caches;
    predict::PredictOptions options;
    options.per_call = true;
    const predict::Prediction prediction =
        predict::predict(trace, cache::cache_state(trace, caches, cache::Start::filled), caches, predict::PlacedModels(models), options);
    for (std::size_t c = 0; c < shapes.size(); ++c) {
      std::optional<Seconds>& sum = answer_.shapes[shapes[c]];
      sum = sum.value_or(0) + prediction.calls[c].seconds;
    }
    answer_.predicted += prediction.seconds;
    answer_.interval.low += prediction.interval.low;
    answer_.interval.high += prediction.interval.high;
    return prediction.extrapolated;
  }

  /// Where only block sizes change, calls take what they took.
  void keep_recorded() {
    for (std::size_t i = 0; i < answer_.shapes.size(); ++i) {
      if (breakdown_.shapes()[i].longest.routine != nullptr) {
        answer_.shapes[i] = breakdown_.shapes()[i].sum.seconds;
        answer_.recorded += *answer_.shapes[i];
      }
    }
    answer_.predicted = answer_.recorded;
    answer_.interval = {answer_.predicted, answer_.predicted};
  }

  /// The shapes that ask for a block size, the heaviest first, as far as they are worth the time.
  std::vector<std::size_t> tunable_shapes(interpose::Recorder& recorder) {
    static constexpr std::size_t most = 8;
    static constexpr double least_share = 0.01;
    std::vector<std::size_t> shapes;
    for (std::size_t i = 0; i < breakdown_.shapes().size(); ++i) {
      const ShapeSum& shape = breakdown_.shapes()[i];
      if (shape.longest.routine == nullptr || shape.longest.routine->index("info") < 0 || !recorder.question(problem_call(shape))) {
        continue;
      }
      if (shapes.size() < most && shape.sum.seconds >= least_share * breakdown_.all().seconds) {
        shapes.push_back(i);
      } else {
        ++answer_.untuned;
      }
      throw_if_interrupted("nothing was measured");
    }
    return shapes;
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
    const std::vector<std::size_t> shapes = tunable_shapes(recorder);
    if (shapes.empty()) {
      return;
    }
    std::vector<tune::Problem> problems;
    for (const std::size_t shape : shapes) {
      problems.push_back(block_problem(problem_call(breakdown_.shapes()[shape]), recorder));
    }
    const tune::BlockSizeResult result = choose_blocks(problems, recorder, budget);
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      take_decision(shapes[p], result.decisions[p]);
    }
  }

  static tune::Problem block_problem(const Call& call, interpose::Recorder& recorder) {
    static constexpr std::int64_t candidates[] = {8, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256};
    tune::Problem problem;
    problem.call = call;
    const algorithm::BlockParameters standard = recorder.question(call)->answers;
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

  /// The shape's time changes as that of its longest call.
  void take_decision(std::size_t shape, const tune::Decision& decision) {
    answer_.blocks.push_back({shape, decision.standard.blocks.nb, decision.chosen.blocks.nb, decision.chosen.blocks.nx,
                              decision.standard.seconds, decision.chosen.seconds, decision.regret});
    const Seconds before = *answer_.shapes[shape];
    const double ratio = decision.standard.seconds > 0 ? decision.chosen.seconds / decision.standard.seconds : 1;
    answer_.shapes[shape] = before * ratio;
    answer_.predicted += before * (ratio - 1);
    // the two forecasts share models and method: what is uncertain of the difference is the regret
    answer_.interval.low += before * (ratio - 1);
    answer_.interval.high += before * (ratio * (1 + std::max(0.0, decision.regret)) - 1);
  }

  const std::vector<ThreadCalls>& threads_;
  const ProgramBreakdown& breakdown_;
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

std::vector<Answer> answer(const std::vector<WhatIf>& questions, const interpose::ProgramTraceFile& file, const ProgramBreakdown& breakdown,
                           const RecordedPlace& place, const std::string& kernels, Seconds budget, const CommonOptions& common) {
  std::vector<LibraryOptions> libraries;
  for (const WhatIf& question : questions) {  // what is wrong with any of them is said before anything is measured
    libraries.push_back(libraries_of(question, place, kernels));
  }
  const std::vector<ThreadCalls> threads = described_calls(file, breakdown);
  if (threads.empty()) {
    throw bad_input("the recording holds no call that the catalogue describes, so nothing can be predicted");
  }
  std::vector<Answer> answers;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    answers.push_back(
        Answering(questions[q], threads, breakdown, libraries[q], budget / static_cast<double>(questions.size()), common).run());
  }
  return answers;
}

}  // namespace flopcast::cli
