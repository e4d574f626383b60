#include "flopcast/tasks/tuning/routine_tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

/// Throws bad_input for routines without anything to tune.
void require_tunable(const std::vector<TunableRoutine>& all, const Routine& routine, const TuningServices& services) {
  if (!all.empty()) {
    return;
  }
  const std::string file = services.lapack_file();
  const bool is_reference = std::filesystem::path(file).filename().string().rfind("liblapack.so", 0) == 0;
  throw bad_input("{} of {} never queries ilaenv for a block size, so there is nothing to tune{}", routine.name, file,
                  is_reference ? "" : "; the one of LAPACK 'reference' may");
}

/// One routine's tuning. Parts of the result and tunable routines have the same order.
class RoutineTuner {
 public:
  RoutineTuner(TuningSession& session, const TuneRequest& request, const RunContext& context, const TuningObserver<Tuning>& observer)
      : session_(session), routine_(kernel::require(request.routine)), request_(request), context_(context), observer_(observer) {
    result_.routine = routine_.name;
    result_.environment = session.services().environment;
    result_.options = with_members_of<TuningSettings>(request);
  }

  Tuning run() {
    const Seconds begin = session_.services().clock();
    const std::vector<Call> calls = calls_for_open_flags(routine_, named_sizes(routine_.name, request_.n, request_.sizes), request_.flags);
    tunable_ = tunable_routines(calls, request_.nb, session_.services());
    require_tunable(tunable_, routine_, session_.services());
    note_parts();
    const Seconds left = std::max(0.0, request_.time_budget - (session_.services().clock() - begin));
    decide(left / static_cast<double>(tunable_.size()), begin);
    if (observer_.decided) {
      observer_.decided(result_);
    }
    if (request_.validate) {
      validate();
    }
    return std::move(result_);
  }

 private:
  void note_parts() const {
    if (tunable_.size() == 1 && tunable_.front().routine == &routine_) {
      return;
    }
    std::vector<std::string> names;
    for (const TunableRoutine& entry : tunable_) {
      names.push_back(entry.name());
    }
    context_.note(fmt::format("{} queries ilaenv through {}: tuning that", routine_.name, fmt::join(names, ", ")));
  }

  void decide(Seconds share, Seconds begin) {
    tuning::BlockSizeOptions options;
    options.time_budget = share;
    options.tune_crossover = request_.tune_crossover;
    for (const TunableRoutine& entry : tunable_) {
      tuning::BlockSizeResult decided;
      try {
        decided = tune_blocks(entry, session_, options);
      } catch (const Cancelled&) {
        if (result_.parts.empty()) {
          throw;
        }
        return;  // what was tuned before is the result
      }
      note_considered(entry.name(), decided.decisions, context_);
      note_cost(decided, session_.services().clock() - begin, context_);
      RoutineTuning part{entry.routine->name, entry.options, {}, std::move(decided.decisions), decided.cost, decided.complete};
      for (const protocol::BlockSizeQuery& query : entry.queries) {
        part.queries.push_back({query.m, query.n});
      }
      tell_undecided(part.name(), part.decisions,
                     request_.tuning.empty() ? "LAPACK's own block sizes may be as good there"
                                             : "the tuning file keeps an earlier decision or LAPACK's own block sizes there",
                     context_);
      result_.parts.push_back(std::move(part));
    }
  }

  void validate() {
    for (std::size_t i = 0; i < result_.parts.size() && !context_.cancelled(); ++i) {
      ValidationOptions options;
      if (request_.validation_budget) {
        options.time_budget = *request_.validation_budget / static_cast<double>(result_.parts.size());
      }
      options.validated = [&](std::size_t problem) {
        if (observer_.validated) {
          observer_.validated(result_, i, problem);
        }
      };
      validate_blocks(tunable_[i], result_.parts[i].decisions, session_, options);
      tell_refuted(result_.parts[i]);
    }
  }

  /// Tells for how many sizes runs refuted the choice.
  void tell_refuted(const RoutineTuning& part) const {
    const auto refuted = std::count_if(part.decisions.begin(), part.decisions.end(), tuning::is_refuted);
    if (refuted > 0) {
      context_.note(fmt::format("{}: LAPACK's own block size was faster than the chosen one when both were run, for {} of {}{}",
                                part.name(), refuted, counted(part.decisions.size(), "size"),
                                request_.tuning.empty() ? "" : ". The tuning file gets LAPACK's own there"));
    }
  }

  TuningSession& session_;
  const Routine& routine_;
  const TuneRequest& request_;
  const RunContext& context_;
  const TuningObserver<Tuning>& observer_;
  std::vector<TunableRoutine> tunable_;
  Tuning result_;
};

}  // namespace

std::vector<std::int64_t> tuned_block_sizes() {
  std::vector<std::int64_t> all = range(8, 128, 8);
  const std::vector<std::int64_t> large = range(144, 256, 16);
  all.insert(all.end(), large.begin(), large.end());
  return all;
}

Tuning tune_routine(TuningSession& session, const TuneRequest& request, const RunContext& context, const TuningObserver<Tuning>& observer) {
  return RoutineTuner(session, request, context, observer).run();
}

Tuning tune(const Workbench& bench, const TuneRequest& request, const RunContext& context, const TuningObserver<Tuning>& observer) {
  static_cast<void>(kernel::require(request.routine));  // before anything is opened
  if (!request.tuning.empty()) {
    program::require_tuning_writable(request.tuning);
  }
  bench.open(request.validate);
  TuningSession session(bench, bench.store(), {request.repetitions, request.seed, request.fresh}, context);
  const auto save = [&](const Tuning& tuning) {
    if (!request.tuning.empty()) {
      if (const std::string remark = save_tuning(request.tuning, tuning); !remark.empty()) {
        context.note(remark);
      }
    }
  };
  TuningObserver<Tuning> keeping = observer;
  keeping.decided = [&](Tuning tuning) {
    tuning.kernel_settings = bench.settings();
    if (observer.decided) {
      observer.decided(tuning);
    }
    save(tuning);
  };
  Tuning tuning = tune_routine(session, request, context, keeping);
  tuning.kernel_settings = bench.settings();
  const auto has_refuted = [](const RoutineTuning& part) {
    return std::any_of(part.decisions.begin(), part.decisions.end(), tuning::is_refuted);
  };
  if (std::any_of(tuning.parts.begin(), tuning.parts.end(), has_refuted)) {
    save(tuning);
  }
  return tuning;
}

std::string save_tuning(const std::string& file, const Tuning& tuning) {
  program::SavedTuning tuning_file;
  tuning_file.environment = tuning.environment;
  tuning_file.settings = tuning.kernel_settings;
  for (const RoutineTuning& part : tuning.parts) {
    tuning_file.set(tuned_routine(part.routine, part.flags, part.queries, part.decisions));
  }
  return program::save_tuning(file, tuning_file);
}

}  // namespace flopcast
