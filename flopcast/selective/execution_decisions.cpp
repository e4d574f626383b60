#include "flopcast/selective/execution_decisions.hpp"

#include <algorithm>
#include <cmath>

namespace flopcast::selective {
namespace {

/// Combines a time that was measured once or twice with the prediction from other sizes, since disturbances make executions longer.
Seconds reconciled(Seconds measured, const SizePrediction& predicted) {
  if (std::abs(measured - predicted.mean) <= predicted.half_width) {
    return (measured + predicted.mean) / 2;
  }
  return std::min(measured, predicted.mean);
}

bool executes(Rule rule) {
  return rule != Rule::known_everywhere && rule != Rule::known && rule != Rule::within_budget && rule != Rule::predicted;
}

}  // namespace

ExecutionDecisions::ExecutionDecisions(Policy policy, const TimePrecision& precision, bool across_sizes,
                                       std::optional<ExecutionWindows> windows)
    : policy_(policy),
      precision_(precision),
      quantiles_(precision.confidence),
      across_sizes_(across_sizes),
      windows_(policy, windows),
      budget_(precision.tolerance) {}

void ExecutionDecisions::make_room(std::uint32_t number) {
  if (number >= times_.size()) {
    times_.resize(number + std::size_t{1});
    decisions_.resize(number + std::size_t{1});
  }
}

KernelTimes& ExecutionDecisions::times(std::uint32_t number) {
  make_room(number);
  return times_[number];
}

ExecutionDecisions::KernelJudgement& ExecutionDecisions::decision(std::uint32_t number) {
  make_room(number);
  return decisions_[number];
}

void ExecutionDecisions::know(std::uint32_t number, const PriorKernel& prior, bool trusted) {
  times(number).know(prior, trusted);
  if (across_sizes_) {
    families_.of(number, prior.key, prior.flops);
  }
}

void ExecutionDecisions::begin_anew() {
  for (KernelTimes& each : times_) {
    each.begin_run();
  }
  for (KernelJudgement& each : decisions_) {
    each.met = each.predicted = 0;
    each.judged_count = -1;
  }
  families_.begin_run();
  prior_trust_.begin();
  budget_.begin_run();
}

void ExecutionDecisions::begin_execution(Policy policy, Seconds before, bool learns_from_full) {
  policy_ = policy;
  learns_from_full_ = learns_from_full;
  windows_.begin_execution(policy, before, learns_from_full);
  if (++begun_ == 2 && windows_.has_windows()) {
    for (KernelTimes& each : times_) {
      each.doubt_first_execution();
    }
    families_.doubt_first_execution();
    prior_trust_.begin();
  }
  for (KernelTimes& each : times_) {
    each.begin_execution();
  }
  for (KernelJudgement& each : decisions_) {
    each.met = each.predicted = each.skipped_in_a_row = 0;
    each.judged_count = -1;
  }
  families_.begin_execution();
  context_.begin_execution();
  budget_.begin_execution(before);
}

void ExecutionDecisions::space_windows(double share) noexcept {
  if (policy_ != Policy::full) {
    windows_.space(share);
  }
}

const ExecutionVerdict& ExecutionDecisions::decide(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position) {
  verdict_ = policy_ == Policy::full ? ExecutionVerdict() : verdict(number, kernel, position);
  return verdict_;
}

ExecutionVerdict ExecutionDecisions::verdict(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position) {
  constexpr std::int64_t max_in_a_row = 64;
  KernelJudgement& mine = decision(number);
  ++mine.met;
  if (policy_ == Policy::random) {
    return {times_[number].in_context().count == 0 || (chance_() >> 8U) % 2 == 0, Rule::chance, Cause::always};
  }
  if (policy_ == Policy::rehearsal) {
    return {is_rehearsed(kernel), Rule::chance, Cause::always};
  }
  if (is_brief(kernel, times_[number])) {
    return {true, Rule::brief, Cause::brief};
  }
  if (windows_.contain(position.path) && !outlasts_window(number, kernel, position)) {
    return {true, Rule::window, Cause::window};
  }
  const Cause cause = times_[number].seen() == 0 ? Cause::unseen : Cause::unsure;
  Rule rule = rule_by_times(number, kernel, position);
  if (!executes(rule) && !windows_.has_windows() && mine.skipped_in_a_row >= max_in_a_row) {
    rule = Rule::recheck;
  }
  mine.skipped_in_a_row = executes(rule) ? 0 : mine.skipped_in_a_row + 1;
  return {executes(rule), rule, cause};
}

/// The rules stand here in their order with their conditions, one after the other as in the enumeration: the reason why this is one
/// function.
Rule ExecutionDecisions::rule_by_times(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position) {
  const KernelTimes& mine = times(number);
  const bool everywhere = mine.is_known_everywhere();
  const std::int64_t seen = mine.seen();
  const bool judged = !everywhere && (seen > 0 || is_trusted(number, kernel));
  if (judged) {
    judge_times(number, kernel, position);
  }
  if (mine.is_deviant() && !windows_.has_windows()) {  // a window checks again by itself
    return Rule::deviant_time;
  }
  if (everywhere) {
    return Rule::known_everywhere;
  }
  const KernelStatistics known = mine.known();
  if (mine.is_doubtful(known)) {
    return Rule::implausible_time;
  }
  if (judged && decision(number).predictable && policy_ != Policy::eager) {
    return Rule::known;
  }
  if ((seen > 0 || mine.is_trusted()) && fits_budget(number, position)) {
    return Rule::within_budget;
  }
  const bool barely_seen = windows_.has_windows() && known.count < precision_.min_count;  // too few times are no worse than none
  if ((seen == 0 || barely_seen) && may_be_predicted(number, kernel, position)) {
    return Rule::predicted;
  }
  return seen == 0 ? Rule::unseen : Rule::unsure;
}

/// Judges again when there are new times, or twice as many occurrences.
void ExecutionDecisions::judge_times(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position) {
  const std::int64_t seen = times(number).seen();
  const std::int64_t now = occurrences(number, position);
  if (const KernelJudgement& mine = decision(number); mine.judged_count == seen && now < 2 * mine.judged_occurrences) {
    return;
  }
  const bool predictable = is_known(number, kernel, now);
  KernelJudgement& mine = decision(number);
  mine.predictable = predictable;
  mine.judged_count = seen;
  mine.judged_occurrences = now;
}

/// Regions are always executed: only executed ones are known not to communicate. No long computations and few long messages are executed,
/// because short ones show the effect on data as well.
bool ExecutionDecisions::is_rehearsed(const KernelRecord& kernel) {
  constexpr double max_flops = 1e7;
  constexpr std::int64_t long_message = 64 << 10;  // bytes
  const bool chosen = one_in_eight();
  switch (kernel.key.kind) {
    case KernelKind::computation: return chosen && kernel.flops <= max_flops;
    case KernelKind::communication: return kernel.key.words[0] >= long_message ? chosen : !chosen;
    case KernelKind::region: break;
  }
  return true;
}

/// Returns true if deciding takes as long as the kernel. Executed among its like such a kernel is timed as in the program.
bool ExecutionDecisions::is_brief(const KernelRecord& kernel, const KernelTimes& mine) const {
  constexpr Seconds max_brief = 5e-7;
  if (!windows_.has_windows() || kernel.key.kind != KernelKind::computation) {
    return false;
  }
  const KernelStatistics in_program = mine.in_program();
  return in_program.count > 0 && in_program.mean < max_brief;
}

/// Returns true if a kernel takes longer than the rest of a window, so that its execution would end the window. If it is known and would be
/// executed only for its own sake, it is executed one time in eight.
bool ExecutionDecisions::outlasts_window(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position) {
  const KernelStatistics in_program = times(number).in_program();
  return in_program.count > 0 && in_program.mean >= windows_.left(position.path) && is_known(number, kernel, 1) && !one_in_eight();
}

/// Returns true if times from before this run, which this process is to check, count without a check of their own.
bool ExecutionDecisions::is_trusted(std::uint32_t number, const KernelRecord& kernel) {
  KernelTimes& mine = times(number);
  if (!mine.is_trusted() && across_sizes_ && mine.prior().times.count > 0 && kernel.key.kind != KernelKind::region) {
    mine.set_trusted(prior_trust_.holds_for(families_.of(number, kernel).prior, windows_.has_windows()));
  }
  return mine.is_trusted();
}

/// A kernel is known from its own times. With only one or two of them, the scatter of its routine at other sizes counts.
bool ExecutionDecisions::is_known(std::uint32_t number, const KernelRecord& kernel, std::int64_t occurrences) {
  const KernelTimes& mine = times(number);
  const KernelStatistics known = mine.known();
  if (is_predictable(known, precision_, quantiles_, occurrences)) {
    return true;
  }
  return windows_.has_windows() && across_sizes_ && mine.in_program().count > 0 && known.count < precision_.min_count &&
         is_known_by_family(number, kernel, known, occurrences);
}

/// A time that was measured once may have been disturbed: other sizes must agree.
bool ExecutionDecisions::is_known_by_family(std::uint32_t number, const KernelRecord& kernel, const KernelStatistics& known,
                                            std::int64_t occurrences) {
  RoutineFamily& family = families_.of(number, kernel);
  if (!family.deviations.are_enough()) {
    return false;
  }
  if (known.count == 1) {
    family.forget_small_model();
    const std::optional<SizePrediction> predicted = predict(number, kernel);
    if (!predicted || std::abs(known.mean - predicted->mean) > std::max(predicted->half_width, min_drift * known.mean)) {
      return false;
    }
  }
  const double degrees = static_cast<double>(family.deviations.count());
  const double n = static_cast<double>(known.count * std::max<std::int64_t>(occurrences, 1));
  return quantiles_(degrees) * std::sqrt(family.deviations.variance() / n) <= precision_.tolerance;
}

/// Returns true if a kernel that isn't known well enough by itself adds so little error to the whole path that this fits the tolerance. The
/// error follows from the scatter of kernels that take about as long. The kernel must have been executed as in the program: elsewhere its
/// time may be off by any factor.
bool ExecutionDecisions::fits_budget(std::uint32_t number, const PathPosition& position) {
  const KernelStatistics in_program = times(number).in_program();
  if (!windows_.has_windows() || !across_sizes_ || in_program.count == 0) {
    return false;
  }
  const RelativeDeviations& scatter = families_.scatter_of(in_program.mean);
  if (!scatter.are_enough()) {
    return false;
  }
  const double variance = scatter.variance() / static_cast<double>(in_program.count);
  return spend(number, quantiles_(static_cast<double>(scatter.count())) * std::sqrt(variance) * in_program.mean, position);
}

/// Returns true if the time is left to a model: the family was executed in this run, and the error of all predictions stays within the
/// path's tolerance.
bool ExecutionDecisions::may_be_predicted(std::uint32_t number, const KernelRecord& kernel, const PathPosition& position) {
  constexpr std::int64_t max_in_a_row = 16;  // predictions of a family; then one of its sizes is executed and makes the model better
  if (!across_sizes_ || policy_ == Policy::full) {
    return false;
  }
  RoutineFamily& family = families_.of(number, kernel);
  if (!family.is_executed() || (!windows_.has_windows() && family.predicted_in_a_row >= max_in_a_row)) {
    return false;
  }
  const std::optional<SizePrediction> predicted = predict(number, kernel);
  if (!predicted || !spend(number, predicted->half_width, position)) {
    return false;
  }
  ++family.predicted_in_a_row;
  return true;
}

/// Takes the error of skipping kernel `number` from the path's budget; returns false if the budget is too small.
bool ExecutionDecisions::spend(std::uint32_t number, Seconds half_width, const PathPosition& position) {
  KernelJudgement& mine = decision(number);
  if (!budget_.spend(mine.predicted, half_width, position.path)) {
    return false;
  }
  ++mine.predicted;
  return true;
}

std::int64_t ExecutionDecisions::occurrences(std::uint32_t number, const PathPosition& position) {
  switch (policy_) {
    case Policy::local: return decision(number).met;
    case Policy::online: return position.along + 1;
    case Policy::a_priori: return times(number).prior().along;
    case Policy::full:
    case Policy::conditional:
    case Policy::eager:
    case Policy::random:
    case Policy::rehearsal: break;
  }
  return 1;
}

PathContribution ExecutionDecisions::skipped(std::uint32_t number, Seconds expected) {
  windows_.note_kernel(expected, true);  // known from its own times or from other sizes; windows are to teach what neither of them tells
  return varied(times(number), expected);
}

PathContribution ExecutionDecisions::varied(const KernelTimes& mine, Seconds expected) {
  return {mine.varied(expected, chance_), expected, true};
}

PathContribution ExecutionDecisions::learnt(std::uint32_t number, const KernelRecord& kernel, Seconds seconds) {
  KernelTimes& mine = times(number);
  if (verdict_.cause != Cause::window) {
    windows_.note_kernel(seconds, mine.in_program().count >= precision_.min_count);
  }
  const bool in_context = context_.executed(kernel, seconds) || !windows_.has_windows();
  // a routine's first execution also loads its code and sets up what the library needs
  const bool first =
      windows_.has_windows() && routines_.insert(static_cast<std::uint64_t>(kernel.key.kind) << 32U | kernel.key.routine).second;
  const std::int64_t times_before = mine.in_context().count;
  const KernelStatistics before = mine.known_before();
  if (!in_context || first) {
    mine.learn_out_of_context(seconds);
  } else if (windows_.has_windows()) {
    mine.learn_in_context(seconds, precision_.min_count);
  } else if (mine.learn(seconds, precision_.min_count)) {
    decisions_[number].predictable = false;
  }
  if (across_sizes_) {
    learn_for_family(number, kernel, seconds, before, mine.in_context().count == times_before + 1, !in_context && !first);
  }
  if (in_context) {
    return {seconds, seconds, false};
  }
  const KernelStatistics better = mine.in_program();
  return better.count > 0 && !mine.is_doubtful(better) ? varied(mine, better.mean) : PathContribution{seconds, seconds, true};
}

/// Adds a kernel's time to what is known of its routine. `before`: the known times without it; `adds_time`: it counts among those in
/// context.
void ExecutionDecisions::learn_for_family(std::uint32_t number, const KernelRecord& kernel, Seconds seconds, const KernelStatistics& before,
                                          bool adds_time, bool out_of_context) {
  constexpr std::int64_t few = 4;  // times of a size and execution that count for the ratio
  const KernelTimes& mine = times(number);
  RoutineFamily& family = families_.of(number, kernel);
  if (out_of_context && mine.in_context().count >= precision_.min_count) {
    family.note_out_of_context(mine.in_context(), seconds);
  }
  if (adds_time) {
    families_.note_deviation(family, before, seconds);
    if (windows_.has_windows() && policy_ != Policy::full && kernel.key.kind == KernelKind::computation &&
        seconds >= RoutineFamily::min_for_ratio && mine.in_context().count - mine.before().count <= few) {
      if (const std::optional<SizePrediction> predicted = predict_by_model(family, number, kernel)) {
        family.note_ratio(predicted->mean, seconds);
      }
    }
  }
  family.note_execution();
  compare_with_prior(family, mine);
}

/// Compares once for every kernel: when its first time of this run is known.
void ExecutionDecisions::compare_with_prior(RoutineFamily& family, const KernelTimes& mine) {
  if (mine.prior().times.count == 0 || mine.in_context().count != 1) {
    return;
  }
  prior_trust_.note(family.prior, KernelTimes::agrees(mine.prior().times, mine.in_context().mean));
  if (prior_trust_.has_drifted(family.prior)) {
    for (const std::uint32_t each : family.kernels()) {
      times_[each].set_trusted(false);
    }
  }
}

/// Returns a kernel's own times; times of executions among skipped kernels are converted to those in the program.
KernelStatistics ExecutionDecisions::own_times(std::uint32_t number, const KernelRecord& kernel) {
  const KernelTimes& mine = times(number);
  const KernelStatistics in_program = mine.in_program();
  if (in_program.count > 0) {
    return in_program;
  }
  KernelStatistics converted = mine.out_of_context();
  if (windows_.has_windows() && across_sizes_) {
    converted.mean = families_.of(number, kernel).as_in_context(converted.mean);
  }
  return converted;
}

Seconds ExecutionDecisions::estimate(std::uint32_t number, const KernelRecord& kernel) {
  const KernelStatistics own = own_times(number, kernel);
  if (const KernelTimes& mine = times(number);
      mine.is_doubtful(own)) {  // other processes may have left it out, as senders do for receivers
    const KernelStatistics& other = mine.out_of_context();
    return std::min(other.count > 0 ? std::min(own.mean, other.mean) : own.mean, mine.max_plausible());
  }
  if (own.count >= precision_.min_count || (own.count > 0 && !windows_.has_windows())) {
    return own.mean;
  }
  const std::optional<SizePrediction> predicted = predict(number, kernel);
  if (!predicted) {
    return own.count > 0 ? own.mean : times(number).prior().times.mean;
  }
  return own.count > 0 ? reconciled(own.mean, *predicted) : predicted->mean;
}

RunTimeRatio ExecutionDecisions::run_time_ratio() const {
  RunTimeRatio all;
  for (const KernelTimes& each : times_) {
    const KernelStatistics now = each.in_context().without(each.before());
    const KernelStatistics& then = each.before().count > 0 ? each.before() : each.others().count > 0 ? each.others() : each.prior().times;
    if (now.count > 0 && then.count > 0) {
      all.taken += static_cast<double>(now.count) * now.mean;
      all.expected += static_cast<double>(now.count) * then.mean;
    }
  }
  return all;
}

std::optional<KernelStatistics> ExecutionDecisions::predictable(std::uint32_t number) {
  return decision(number).predictable ? std::optional<KernelStatistics>(times(number).known()) : std::nullopt;
}

std::optional<SizePrediction> ExecutionDecisions::predict_by_model(RoutineFamily& family, std::uint32_t number,
                                                                   const KernelRecord& kernel) {
  return families_.predict(family, number, kernel, quantiles_, times_, !prior_trust_.has_drifted(family.prior));
}

std::optional<SizePrediction> ExecutionDecisions::predict(std::uint32_t number, const KernelRecord& kernel) {
  if (!across_sizes_) {
    return std::nullopt;
  }
  RoutineFamily& family = families_.of(number, kernel);
  std::optional<SizePrediction> answer = predict_by_model(family, number, kernel);
  if (answer) {
    const double ratio = family.ratio();
    answer->mean *= ratio;
    answer->half_width *= ratio;
  }
  return answer;
}

}  // namespace flopcast::selective
