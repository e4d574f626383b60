#include "flopcast/tasks/tuning/block_tuning.hpp"

#include <algorithm>
#include <utility>

namespace flopcast {
namespace {

tuning::Problem make_problem(const interpose::TunableCall& tunable, const std::vector<std::int64_t>& blocks, int threads) {
  tuning::Problem problem;
  problem.call = tunable.call;
  problem.call.threads = threads;
  problem.default_ = tuning::Alternative{.blocks = tunable.query.answers};
  for (const std::int64_t nb : blocks) {
    tuning::Alternative alternative = *problem.default_;
    alternative.blocks.nb = nb;
    problem.alternatives.push_back(std::move(alternative));
  }
  return problem;
}

/// Calls with other flags may ask the same about the same sizes.
bool knows(const TunableRoutine& entry, const interpose::TunableCall& tunable) {
  for (std::size_t i = 0; i < entry.problems.size(); ++i) {
    if (entry.queries[i] == tunable.query && sizes(entry.problems[i].call) == sizes(tunable.call)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<TunableRoutine> tunable_routines(const std::vector<Call>& calls, const std::vector<std::int64_t>& blocks, int threads,
                                             interpose::Recorder& recorder) {
  std::vector<TunableRoutine> all;
  for (const Call& call : calls) {
    for (interpose::TunableCall& tunable : recorder.tunable_calls(call)) {
      const auto same = [&](const TunableRoutine& entry) {
        return entry.routine == tunable.call.routine && entry.options == tunable.query.options;
      };
      auto entry = std::find_if(all.begin(), all.end(), same);
      if (entry == all.end()) {
        entry = all.insert(all.end(), {tunable.call.routine, tunable.query.options, {}, {}});
      }
      if (knows(*entry, tunable)) {
        continue;
      }
      entry->problems.push_back(make_problem(tunable, blocks, threads));
      entry->queries.push_back(std::move(tunable.query));
    }
  }
  return all;
}

tuning::BlockSizeResult tune_blocks(const TunableRoutine& tunable, interpose::Recorder& recorder, TuningSession& session,
                                    const tuning::BlockSizeOptions& options) {
  const auto record = [&](const Call& call, const tuning::Alternative& alternative) { return recorder.record(call, alternative.blocks); };
  std::set<std::string> kernels;  // as small blocks and large ones call them
  for (const std::size_t p : {std::size_t{0}, tunable.problems.size() - 1}) {
    const tuning::Problem& problem = tunable.problems[p];
    for (const tuning::Alternative& alternative : {problem.alternatives.front(), *problem.default_, problem.alternatives.back()}) {
      for (const Call& kernel : record(problem.call, alternative).calls) {
        kernels.insert(kernel.routine->name);
      }
    }
  }
  return session.tune("tuning " + tunable.name(), tunable.problems, record, kernels, options);
}

std::vector<tuning::Check> validate_blocks(const TunableRoutine& tunable, const tuning::BlockSizeResult& result, const Workbench& bench,
                                           TuningSession& session, const ValidationOptions& options) {
  tuning::Runners runners;
  runners.set_blocks = [&](const Call& call, const algorithm::BlockParameters& blocks) { bench.set_blocks(call.routine->name, blocks); };
  return session.validate("validating " + tunable.name(), tunable.problems, result.decisions, runners, options);
}

interpose::Profile make_profile(const Workbench& bench, const TunableRoutine& tunable, const std::vector<tuning::Decision>& decisions) {
  interpose::TunedRoutine routine;
  routine.name = tunable.routine->name;
  routine.flags = tunable.options;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const tuning::Decision& decision = decisions[i];
    const interpose::BlockSizeQuery& query = tunable.queries[i];
    interpose::TunedPoint point;
    point.m = query.m;
    point.n = query.n < 0 ? query.m : query.n;
    point.undecided = tuning::is_undecided(decision);
    point.blocks = effective_forecast(decision).blocks;
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
