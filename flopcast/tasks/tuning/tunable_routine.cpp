#include "flopcast/tasks/tuning/tunable_routine.hpp"

#include <algorithm>
#include <utility>

#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

tuning::Problem make_problem(const program::TunableCall& tunable, const std::vector<std::int64_t>& blocks, int threads) {
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

/// Returns whether the entry has this query already: calls with other flags may make the same one.
bool has_query(const TunableRoutine& entry, const program::TunableCall& tunable) {
  for (std::size_t i = 0; i < entry.problems.size(); ++i) {
    if (entry.queries[i] == tunable.query && sizes(entry.problems[i].call) == sizes(tunable.call)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<TunableRoutine> tunable_routines(const std::vector<Call>& calls, const std::vector<std::int64_t>& blocks,
                                             const TuningServices& services) {
  std::vector<TunableRoutine> all;
  for (const Call& call : calls) {
    for (program::TunableCall& tunable : services.tunable_calls(call)) {
      const auto same = [&](const TunableRoutine& entry) {
        return entry.routine == tunable.call.routine && entry.options == tunable.query.options;
      };
      auto entry = std::find_if(all.begin(), all.end(), same);
      if (entry == all.end()) {
        entry = all.insert(all.end(), {tunable.call.routine, tunable.query.options, {}, {}});
      }
      if (has_query(*entry, tunable)) {
        continue;
      }
      entry->problems.push_back(make_problem(tunable, blocks, services.environment.threads));
      entry->queries.push_back(std::move(tunable.query));
    }
  }
  return all;
}

std::vector<Call> calls_for_open_flags(const Routine& routine, const NamedSizes& sizes, const std::map<std::string, std::string>& flags) {
  std::vector<std::map<std::string, std::string>> variants = {flags};
  for (const Argument& argument : routine.arguments) {
    if (argument.kind != Kind::flag || argument.values.size() != 2 || flags.count(argument.name) > 0) {
      continue;
    }
    std::vector<std::map<std::string, std::string>> extended;
    for (const auto& variant : variants) {
      for (const char letter : argument.values) {
        extended.push_back(variant);
        extended.back()[argument.name] = letter;
      }
    }
    variants = std::move(extended);
  }
  std::vector<Call> calls = kernel::routine_calls(routine, sizes, flags);
  for (const auto& variant : variants) {
    if (variants.size() > 1) {
      const std::vector<Call> more = kernel::routine_calls(routine, sizes, variant);
      calls.insert(calls.end(), more.begin(), more.end());
    }
  }
  return calls;
}

NamedSizes named_sizes(const std::string& routine, const std::vector<std::int64_t>& n, NamedSizes sizes) {
  if (!n.empty()) {
    if (sizes.count("n") > 0) {
      throw bad_input("n of {} is given twice", routine);
    }
    sizes["n"] = n;
  }
  if (sizes.empty()) {
    throw bad_input("no sizes of {} are given", routine);
  }
  return sizes;
}

tuning::BlockSizeResult tune_blocks(const TunableRoutine& tunable, TuningSession& session, const tuning::BlockSizeOptions& options) {
  const auto record = [&](const Call& call, const tuning::Alternative& alternative) {
    return session.services().record(call, alternative.blocks);
  };
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

void validate_blocks(const TunableRoutine& tunable, std::vector<tuning::Decision>& decisions, TuningSession& session,
                     const ValidationOptions& options) {
  tuning::Runners runners;
  runners.set_blocks = [&](const Call& call, const algorithm::BlockParameters& blocks) {
    session.services().set_blocks(call.routine->name, blocks);
  };
  session.validate("validating " + tunable.name(), tunable.problems, decisions, runners, options);
}

}  // namespace flopcast
