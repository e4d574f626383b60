#include "flopcast/tasks/tuning/lapack_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

/// With less time than this a routine is hardly measured at all: few routines are better than all of them badly.
constexpr Seconds min_share = 3;
/// Time of the first pass, after which the tuning file has something for the routine.
constexpr Seconds first_pass = 5;

const program::TunedRoutine* find_known(const std::vector<program::TunedRoutine>& known, const TunableRoutine& tunable) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const program::TunedRoutine& routine) {
    return routine.name == tunable.routine->name && routine.flags == tunable.options;
  });
  return found == known.end() ? nullptr : &*found;
}

/// Returns whether every problem has a point of its own that is decided.
bool covers(const program::TunedRoutine& known, const TunableRoutine& tunable) {
  return std::all_of(tunable.queries.begin(), tunable.queries.end(), [&](const protocol::BlockSizeQuery& query) {
    const std::int64_t n = query.n < 0 ? query.m : query.n;
    return std::any_of(known.points.begin(), known.points.end(),
                       [&](const program::TunedPoint& point) { return point.m == query.m && point.n == n && !point.undecided; });
  });
}

std::ptrdiff_t undecided(const std::vector<tuning::Decision>& decisions) {
  return std::count_if(decisions.begin(), decisions.end(), tuning::is_undecided);
}

class LapackTuner {
 public:
  LapackTuner(const LapackRequest& request, const LapackServices& services, const std::vector<program::TunedRoutine>& known,
              const RunContext& context)
      : request_(request), services_(services), known_(known), context_(context), uses_(kernel::lapack_uses(request.precisions)) {
    for (const kernel::LapackUse& use : uses_) {
      weight_left_ += use.weight;
    }
  }

  LapackTuning run() {
    try {
      for (const kernel::LapackUse& use : uses_) {
        if (left() < std::min<Seconds>(min_share, request_.time_budget)) {
          result_.left_out.push_back(use.routine->name);
        } else {
          tune(use);
        }
        weight_left_ -= use.weight;
      }
    } catch (const Cancelled&) {
      result_.cancelled = true;
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] Seconds left() const { return request_.time_budget - spent_; }

  void add_remark(const std::string& routine, const std::string& flags, const std::string& remark) {
    result_.routines.push_back({routine, flags, remark, 0, {}});
  }

  void tune(const kernel::LapackUse& use) {
    const Seconds share = std::min(left(), std::max(min_share, left() * use.weight / weight_left_));
    std::vector<TunableRoutine> tunable;
    const bool recorded =
        unless_it_fails(use.routine->name, "", [&] { tunable = services_.tunable_routines(kernel::typical_calls(use, request_.n)); });
    if (recorded && tunable.empty()) {
      add_remark(use.routine->name, "", "never queries ilaenv: this LAPACK decides by itself");
    }
    for (const TunableRoutine& part : tunable) {
      context_.throw_if_cancelled("");
      tune(part, share / static_cast<double>(tunable.size()));
    }
  }

  /// Does part of one routine's tuning, on the budget's time. A library's routine that fails must not end the tuning of the others: then its
  /// remark is the error, and the result is false.
  template <class Part>
  bool unless_it_fails(const std::string& routine, const std::string& flags, Part part) {
    const Seconds begin = services_.clock();
    bool done = true;
    try {
      part();
    } catch (const Error& error) {
      add_remark(routine, flags, error.what());
      done = false;
    }
    spent_ += services_.clock() - begin;
    return done;
  }

  void tune(const TunableRoutine& tunable, Seconds share) {
    LapackRoutine routine{tunable.routine->name, tunable.options, "", 0, {}};
    if (const program::TunedRoutine* known = find_known(known_, tunable); known != nullptr && covers(*known, tunable)) {
      add_remark(routine.routine, routine.flags, "in the tuning file already");
      return;
    }
    const Seconds begin = services_.clock();
    bool complete = false;
    if (!decide(tunable, std::min(share, first_pass), routine, complete) ||
        (!complete && share > first_pass && !decide(tunable, share - first_pass, routine, complete))) {
      return;
    }
    routine.seconds = services_.clock() - begin;
    if (const std::ptrdiff_t open = undecided(routine.decisions); open > 0) {
      routine.remark = fmt::format("undecided for {}: LAPACK's own block sizes stay; a larger time budget decides", counted(open, "size"));
    }
    if (request_.validate) {
      ValidationOptions options;
      options.time_budget = request_.limits_validation ? share : options.time_budget;
      services_.validate(tunable, routine.decisions, options);
    }
    result_.routines.push_back(std::move(routine));
    context_.throw_if_cancelled("");
  }

  /// Decides within `budget` and keeps the decisions, so that the tuning file has them whenever tuning is stopped. Returns false if the routine
  /// failed.
  bool decide(const TunableRoutine& tunable, Seconds budget, LapackRoutine& routine, bool& complete) {
    tuning::BlockSizeOptions options;
    options.time_budget = budget;
    options.tune_crossover = request_.tune_crossover;
    const bool done = unless_it_fails(routine.routine, routine.flags, [&] {
      tuning::BlockSizeResult result = services_.decide(tunable, options);
      routine.decisions = std::move(result.decisions);
      complete = result.complete;
    });
    if (done && undecided(routine.decisions) < static_cast<std::ptrdiff_t>(routine.decisions.size())) {
      if (const std::string remark = services_.keep(tunable, routine.decisions); !remark.empty()) {
        context_.note(remark);
      }
    }
    return done;
  }

  const LapackRequest& request_;
  const LapackServices& services_;
  const std::vector<program::TunedRoutine>& known_;
  const RunContext& context_;
  std::vector<kernel::LapackUse> uses_;
  double weight_left_ = 0;  ///< sum over the routines that are still to come
  Seconds spent_ = 0;
  LapackTuning result_;
};

/// Returns the decisions that a tuning file has for this place.
std::vector<program::TunedRoutine> known_routines(const std::string& file, const Environment& environment) {
  std::vector<program::TunedRoutine> known;
  if (std::filesystem::exists(file)) {
    for (program::SavedTuning& place : program::places(program::read_tuning(file))) {
      if (place.environment.fingerprint == environment.fingerprint && program::same_place(place.environment, environment)) {
        known = std::move(place.routines);
      }
    }
  }
  return known;
}

}  // namespace

LapackTuning tune_lapack(const LapackRequest& request, const LapackServices& services, const std::vector<program::TunedRoutine>& known,
                         const RunContext& context) {
  return LapackTuner(request, services, known, context).run();
}

LapackTuning tune_lapack(const Workbench& bench, const LapackRequest& request, const RunContext& context) {
  const std::string tuning_file = request.tuning.empty() ? program::default_tuning_file() : request.tuning;
  static_cast<void>(kernel::lapack_uses(request.precisions));  // before anything is opened
  program::require_tuning_writable(tuning_file);
  bench.open(request.validate);
  TuningSession session(bench, bench.store(), {request.repetitions, request.seed, request.fresh}, context);
  LapackServices services;
  services.tunable_routines = [&](const std::vector<Call>& calls) { return tunable_routines(calls, request.nb, session.services()); };
  services.decide = [&](const TunableRoutine& tunable, const tuning::BlockSizeOptions& options) {
    return tune_blocks(tunable, session, options);
  };
  services.validate = [&](const TunableRoutine& tunable, std::vector<tuning::Decision>& decisions, const ValidationOptions& options) {
    validate_blocks(tunable, decisions, session, options);
  };
  services.keep = [&](const TunableRoutine& tunable, const std::vector<tuning::Decision>& decisions) {
    program::SavedTuning own{bench.environment(), bench.settings(), {}, {}};
    own.set(tuned_routine(tunable.routine->name, tunable.options, tunable.queries, decisions));
    return program::save_tuning(tuning_file, own);
  };
  services.clock = session.services().clock;
  LapackTuning tuning = tune_lapack(
      request, services, request.fresh ? std::vector<program::TunedRoutine>() : known_routines(tuning_file, bench.environment()), context);
  tuning.environment = bench.environment();
  tuning.tuning = tuning_file;
  return tuning;
}

}  // namespace flopcast
