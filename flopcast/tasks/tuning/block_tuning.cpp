#include "flopcast/tasks/tuning/block_tuning.hpp"

#include <algorithm>
#include <utility>

namespace flopcast {
namespace {

tuning::Problem make_problem(const interpose::AskingCall& asking, const std::vector<std::int64_t>& blocks, int threads) {
  tuning::Problem problem;
  problem.call = asking.call;
  problem.call.threads = threads;
  problem.standard = tuning::Alternative{.blocks = asking.question.answers};
  for (const std::int64_t nb : blocks) {
    tuning::Alternative alternative = *problem.standard;
    alternative.blocks.nb = nb;
    problem.alternatives.push_back(std::move(alternative));
  }
  return problem;
}

/// Calls with other flags may ask the same about the same sizes.
bool knows(const AskingProblems& entry, const interpose::AskingCall& asking) {
  for (std::size_t i = 0; i < entry.problems.size(); ++i) {
    if (entry.questions[i] == asking.question && sizes(entry.problems[i].call) == sizes(asking.call)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<AskingProblems> asking_problems(const std::vector<Call>& calls, const std::vector<std::int64_t>& blocks, int threads,
                                            interpose::Recorder& recorder) {
  std::vector<AskingProblems> all;
  for (const Call& call : calls) {
    for (interpose::AskingCall& asking : recorder.asking_calls(call)) {
      const auto same = [&](const AskingProblems& entry) {
        return entry.routine == asking.call.routine && entry.options == asking.question.options;
      };
      auto entry = std::find_if(all.begin(), all.end(), same);
      if (entry == all.end()) {
        entry = all.insert(all.end(), {asking.call.routine, asking.question.options, {}, {}});
      }
      if (knows(*entry, asking)) {
        continue;
      }
      entry->problems.push_back(make_problem(asking, blocks, threads));
      entry->questions.push_back(std::move(asking.question));
    }
  }
  return all;
}

tuning::BlockSizeResult tune_blocks(const AskingProblems& asking, interpose::Recorder& recorder, TuningSession& session,
                                    const tuning::BlockSizeOptions& options) {
  const auto record = [&](const Call& call, const tuning::Alternative& alternative) { return recorder.record(call, alternative.blocks); };
  std::set<std::string> kernels;  // as small blocks and large ones call them
  for (const std::size_t p : {std::size_t{0}, asking.problems.size() - 1}) {
    const tuning::Problem& problem = asking.problems[p];
    for (const tuning::Alternative& alternative : {problem.alternatives.front(), *problem.standard, problem.alternatives.back()}) {
      for (const Call& kernel : record(problem.call, alternative).calls) {
        kernels.insert(kernel.routine->name);
      }
    }
  }
  return session.tune("tuning " + asking.name(), asking.problems, record, kernels, options);
}

std::vector<tuning::Check> validate_blocks(const AskingProblems& asking, const tuning::BlockSizeResult& result, const Workbench& bench,
                                           TuningSession& session, const ValidationOptions& options) {
  tuning::Runners runners;
  runners.set_blocks = [&](const Call& call, const algorithm::BlockParameters& blocks) { bench.set_blocks(call.routine->name, blocks); };
  return session.validate("validating " + asking.name(), asking.problems, result.decisions, runners, options);
}

bool is_undecided(const tuning::Decision& decision) {
  constexpr double max_regret = 0.1;
  return decision.regret > max_regret;
}

const tuning::Forecast& kept(const tuning::Decision& decision) { return is_undecided(decision) ? decision.standard : decision.chosen; }

interpose::Profile make_profile(const Workbench& bench, const AskingProblems& asking, const std::vector<tuning::Decision>& decisions) {
  interpose::TunedRoutine routine;
  routine.name = asking.routine->name;
  routine.flags = asking.options;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const tuning::Decision& decision = decisions[i];
    const interpose::BlockQuestion& question = asking.questions[i];
    interpose::TunedPoint point;
    point.m = question.m;
    point.n = question.n < 0 ? question.m : question.n;
    point.undecided = is_undecided(decision);
    point.blocks = kept(decision).blocks;
    point.ties = decision.ties;
    point.regret = decision.regret;
    routine.points.push_back(std::move(point));
  }
  interpose::Profile profile;
  profile.environment = bench.environment();
  profile.settings = bench.settings();
  profile.set(std::move(routine));
  return profile;
}

}  // namespace flopcast
