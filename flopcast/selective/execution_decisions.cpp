#include "flopcast/selective/execution_decisions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "flopcast/support/division.hpp"

namespace flopcast::path {
namespace {

/// Time of kernels that must have been executed before a kernel of `seconds` is timed as in the program. The data of a long one come round
/// in the shared caches after a few such kernels. One that is bound by memory needs more time until its data lie where they do in the
/// program. Products that stream through the last-level cache were 1.6 times as slow at first, 1.2 times after 10 ms, and as in the program
/// after 15 ms.
Seconds settling(Seconds seconds, Seconds least, bool bound_by_memory) {
  constexpr Seconds most = 1e-2;
  constexpr Seconds max_by_memory = 2e-2;
  return bound_by_memory ? std::clamp(10 * seconds, least, max_by_memory) : std::clamp(3 * seconds, least, most);
}

/// relative; smaller deviations lie within the scatter of one execution
constexpr double min_drift = 0.25;

/// Combines a time that was measured once or twice with the prediction from other sizes, since disturbances make executions longer.
Seconds reconciled(Seconds measured, const SizePrediction& predicted) {
  if (std::abs(measured - predicted.mean) <= predicted.half_width) {
    return (measured + predicted.mean) / 2;
  }
  return std::min(measured, predicted.mean);
}

bool takes_windows(Policy policy) {
  return policy != Policy::full && policy != Policy::eager && policy != Policy::random && policy != Policy::rehearsal;
}

}  // namespace

ExecutionDecisions::ExecutionDecisions(Policy policy, const Precision& precision, bool across_sizes,
                                       std::optional<ExecutionWindows> windows)
    : policy_(policy),
      precision_(precision),
      quantiles_(precision.confidence),
      across_sizes_(across_sizes),
      wanted_windows_(windows),
      windows_(takes_windows(policy) ? windows : std::optional<ExecutionWindows>()) {}

ExecutionDecisions::Decision& ExecutionDecisions::decision(std::uint32_t number) {
  if (number >= decisions_.size()) {
    decisions_.resize(number + std::size_t{1});
  }
  return decisions_[number];
}

ExecutionDecisions::Family& ExecutionDecisions::family(std::uint32_t number, const KernelKey& key, double flops) {
  Family& all = families_[without_sizes(key)];
  if (number >= in_family_.size()) {
    in_family_.resize(number + std::size_t{1});
  }
  if (!in_family_[number]) {
    in_family_[number] = true;
    all.members.push_back({number, size_terms(key, flops), size_place(key), flops, positive_sizes(key)});
    all.max_flops = std::max(all.max_flops, flops);
    all.max_sizes = std::max(all.max_sizes, all.members.back().sizes);
  }
  return all;
}

void ExecutionDecisions::know(std::uint32_t number, const PriorKernel& prior, bool trusted) {
  Decision& mine = decision(number);
  mine.prior = prior;
  mine.trusted = trusted && prior.times.count > 0;
  if (across_sizes_) {
    family(number, prior.key, prior.flops);
  }
}

void ExecutionDecisions::know_everywhere(std::uint32_t number, const KernelKey& key, const KernelStatistics& times) {
  Decision& mine = decision(number);
  mine.prior = {key, times, 0, 0};
  mine.everywhere = true;
  mine.strange = {};
}

void ExecutionDecisions::begin_anew() {
  for (Decision& each : decisions_) {
    each.prior.times.merge(each.times);
    each.times = each.others = each.rough = {};
    each.met = 0;
    each.predicted = 0;
    each.judged_count = -1;
  }
  for (auto& [key, all] : families_) {
    all.executed = 0;
    all.fitted_at = 0;
    all.prior = {};
    all.model.reset();
  }
  prior_ = {};
  spent_squares_ = 0;
}

void ExecutionDecisions::begin_execution(Policy policy, Seconds before, bool full_teaches) {
  policy_ = policy;
  full_teaches_ = full_teaches;
  windows_.reset();
  if (wanted_windows_ && (takes_windows(policy) || (full_teaches && policy == Policy::full))) {
    const ExecutionWindows spaced = wanted_windows_->rarer(rarer_);
    windows_ = before > 0 ? spaced.within(before) : spaced;
  }
  kernel_seconds_ = known_seconds_ = 0;
  if (++begun_ == 2 && windows_) {
    doubt_first_times();
  }
  before_ += before;
  last_path_ = before;
  for (Decision& each : decisions_) {
    each.met = 0;
    each.predicted = 0;
    each.judged_count = -1;
    each.skipped_in_a_row = 0;
    each.strange = {};  // the last time of an execution is no reason to check again in the next
    each.before = each.times;
  }
  for (auto& [key, all] : families_) {
    all.of_execution = {};
  }
  since_left_out_ = std::numeric_limits<Seconds>::infinity();
  spent_squares_ = 0;
}

void ExecutionDecisions::doubt_first_times() {
  for (Decision& each : decisions_) {
    each.rough.merge(std::exchange(each.times, {}));
    each.others = {};
    each.outliers = each.recent_count = 0;
  }
  for (auto& [key, all] : families_) {
    all.deviations = {};
    all.rough = {};
    all.prior = {};
    all.model.reset();
  }
  prior_ = {};
  scatter_ = {};
}

void ExecutionDecisions::space_windows(double share) {
  constexpr double nearly_all = 0.9;
  constexpr double most = 0.75;   // unknown kernels are executed in any case, and teach as much as a window does
  constexpr double rarest = 4;    // where all is known, mostly from dense windows: another window adds little to the means
  if (policy_ != Policy::full) {  // this policy executes everything, known or not
    rarer_ = share >= nearly_all ? std::min(2 * rarer_, rarest) : share >= most ? rarer_ : std::max(rarer_ / 2, 1.0);
  }
}

void ExecutionDecisions::note_known(const Decision& decision, Seconds seconds) {
  kernel_seconds_ += seconds;
  known_seconds_ += settled(decision).count >= precision_.min_count ? seconds : 0;
}

std::int64_t ExecutionDecisions::occurrences(const Decision& decision, const Standing& standing) const {
  switch (policy_) {
    case Policy::local: return decision.met;
    case Policy::online: return standing.along + 1;
    case Policy::a_priori: return decision.prior.along;
    case Policy::full:
    case Policy::conditional:
    case Policy::eager:
    case Policy::random:
    case Policy::rehearsal: break;
  }
  return 1;
}

bool ExecutionDecisions::is_doubtful(const Decision& decision, const KernelStatistics& times) noexcept {
  constexpr std::int64_t many = 16;
  return times.count > 0 && times.count < many && times.mean > decision.plausible;
}

/// Returns true if a time shows that the times before it were disturbed.
bool ExecutionDecisions::ends_doubt(const Decision& decision, Seconds seconds) noexcept {
  return seconds <= decision.plausible && is_doubtful(decision, decision.times);
}

bool ExecutionDecisions::agrees(const KernelStatistics& known, Seconds seconds) noexcept {
  constexpr double deviations = 4;
  return std::abs(seconds - known.mean) <= std::max(deviations * std::sqrt(known.variance()), min_drift * known.mean);
}

KernelStatistics ExecutionDecisions::settled(const Decision& decision) {
  constexpr std::int64_t enough = 8;  // of this run, whose own times are the best ones
  if (decision.everywhere) {
    return decision.prior.times;
  }
  KernelStatistics all = decision.times;
  if (all.count < enough && (all.count == 0 || agrees(decision.others, all.mean))) {
    all.merge(decision.others);
  }
  const KernelStatistics looked = all.count > 0 ? all : decision.rough;
  if (looked.count > 0 ? all.count < enough && agrees(decision.prior.times, looked.mean) : decision.trusted) {
    all.merge(decision.prior.times);
  }
  return all;
}

KernelStatistics ExecutionDecisions::known(const Decision& decision) {
  const KernelStatistics all = settled(decision);
  return all.count > 0 ? all : decision.rough;
}

/// A single time far from the known ones may be a disturbance, and is kept apart until the next. As many in a row as make a time known mean
/// another speed, and the known times are forgotten.
void ExecutionDecisions::learn(Decision& decision, Seconds seconds) {
  if (ends_doubt(decision, seconds)) {
    decision.times = decision.before = decision.strange = {};
  }
  const KernelStatistics before = settled(decision);
  if (before.count < precision_.min_count || agrees(before, seconds)) {
    decision.strange = {};
    decision.times.add(seconds);
    return;
  }
  decision.strange.add(seconds);
  if (decision.strange.count >= precision_.min_count) {
    decision.times = decision.strange;
    decision.strange = {};
    decision.prior.times = decision.others = decision.before = {};
    decision.trusted = decision.everywhere = decision.predictable = false;
  }
}

/// Disturbances make times longer: a time more than twice as long as the others doesn't count, unless there are many. Among the first few
/// times, those that are very much shorter than others replace them.
void ExecutionDecisions::learn_in_context(Decision& decision, Seconds seconds) const {
  constexpr double very_much = 4;
  constexpr std::int64_t share = 8;
  KernelStatistics& times = decision.times;
  if ((times.count > 0 && times.count < precision_.min_count && seconds * very_much < times.mean) || ends_doubt(decision, seconds)) {
    times = decision.before = {};
    decision.recent_count = 0;
  }
  const double deviation = std::sqrt(times.variance());
  if (times.count > 0 && seconds > times.mean + std::max(very_much * deviation, times.mean) &&
      ++decision.outliers * share <= times.count + share) {
    return;
  }
  times.add(seconds);
  decision.recent[decision.recent_count++ % decision.recent.size()] = static_cast<float>(seconds);
}

Counted ExecutionDecisions::left_out(std::uint32_t number, Seconds expected) {
  kernel_seconds_ += expected;
  known_seconds_ += expected;  // known from its own times or from other sizes; windows are to teach what neither of them tells
  return drawn(decision(number), expected);
}

Counted ExecutionDecisions::drawn(const Decision& mine, Seconds expected) {
  const std::size_t count = std::min<std::size_t>(mine.recent_count, mine.recent.size());
  const double sum = std::accumulate(mine.recent.begin(), mine.recent.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
  if (count < 2 || !(sum > 0)) {  // times below the clock's resolution don't vary
    return {expected, expected, true};
  }
  const double one = mine.recent[(chance_() >> 8U) % count];
  return {expected * one * static_cast<double>(count) / sum, expected, true};
}

std::size_t ExecutionDecisions::decade_of(Seconds seconds) {
  constexpr double shortest = -7;  // powers of ten
  return static_cast<std::size_t>(std::clamp(std::log10(std::max(seconds, 1e-9)) - shortest, 0.0, static_cast<double>(decades - 1)));
}

/// Returns the deviations of kernels that take about as long, or less if there are too few of these: shorter ones scatter more.
ExecutionDecisions::Deviations ExecutionDecisions::scatter_of(Seconds seconds) const {
  std::size_t decade = decade_of(seconds);
  while (decade > 0 && scatter_[decade].count < min_degrees) {
    --decade;
  }
  return scatter_[decade];
}

/// Returns the times that a new time is compared with; it scatters about those from before this run, too.
KernelStatistics ExecutionDecisions::known_before(const Decision& decision) {
  const KernelStatistics all = settled(decision);
  return all.count > 0 ? all : decision.prior.times;
}

void ExecutionDecisions::Deviations::add(double relative) noexcept {
  recent[static_cast<std::size_t>(count) % recent.size()] = static_cast<float>(std::abs(relative));
  squares += relative * relative;
  ++count;
}

double ExecutionDecisions::Deviations::variance() const {
  constexpr double of_normal = 1.4826;  // deviation over the median of magnitudes
  constexpr std::size_t enough = 8;
  std::array<float, 16> sorted = recent;
  const std::size_t known = std::min(static_cast<std::size_t>(count), sorted.size());
  if (known < enough) {
    return squares / static_cast<double>(std::max<std::int64_t>(count, 1));
  }
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(known / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(known));
  return std::pow(of_normal * static_cast<double>(*middle), 2);
}

void ExecutionDecisions::note_deviation(Family& all, const KernelStatistics& before, Seconds seconds) {
  if (before.count > 0 && before.mean > 0) {
    const double n = static_cast<double>(before.count);
    const double relative = seconds / before.mean - 1;
    for (Deviations* each : {&all.deviations, &scatter_[decade_of(before.mean)]}) {
      each->add(relative * std::sqrt(n / (n + 1)));
    }
  }
}

/// A kernel is known from its own times. With only one or two of them, the scatter of its routine at other sizes counts.
bool ExecutionDecisions::is_known(std::uint32_t number, const Kernel& kernel, std::int64_t occurrences) {
  const Decision& mine = decision(number);
  const KernelStatistics times = known(mine);
  if (is_predictable(times, precision_, quantiles_, occurrences)) {
    return true;
  }
  if (!windows_ || !across_sizes_ || settled(mine).count == 0 || times.count >= precision_.min_count) {
    return false;
  }
  Family& all = family(number, kernel.key, kernel.flops);
  if (all.deviations.count < min_degrees) {
    return false;
  }
  if (times.count == 1) {  // it may have been disturbed: other sizes must agree
    constexpr std::size_t few = 64;
    if (all.members.size() <= few) {
      all.model.reset();  // a new one may reach farther
    }
    const std::optional<SizePrediction> predicted = predict(number, kernel);
    if (!predicted || std::abs(times.mean - predicted->mean) > std::max(predicted->half_width, min_drift * times.mean)) {
      return false;
    }
  }
  const double degrees = static_cast<double>(all.deviations.count);
  const double n = static_cast<double>(times.count * std::max<std::int64_t>(occurrences, 1));
  return quantiles_(degrees) * std::sqrt(all.deviations.variance() / n) <= precision_.tolerance;
}

/// Returns true if a kernel that isn't known well enough by itself adds so little error to the whole path that this fits the tolerance. The
/// error follows from the scatter of kernels that take about as long. The kernel must have been executed as in the program: elsewhere its
/// time may be off by any factor.
bool ExecutionDecisions::fits_budget(std::uint32_t number, const Standing& standing) {
  const KernelStatistics times = settled(decision(number));
  const Deviations scatter = scatter_of(times.mean);
  if (!windows_ || !across_sizes_ || times.count == 0 || scatter.count < min_degrees) {
    return false;
  }
  const double degrees = static_cast<double>(scatter.count);
  const double variance = scatter.variance() / static_cast<double>(times.count);
  return spend(number, quantiles_(degrees) * std::sqrt(variance) * times.mean, standing);
}

/// Takes the error of leaving kernel `number` out from the path's budget; returns false if the budget is too small. The error of k
/// occurrences of one kernel is k times that of one; errors of different kernels are taken to be independent. A path that has just begun is
/// expected to be about as long as the one before it. No kernel takes more than an eighth of the budget: a larger one is executed and makes
/// the model better for others.
bool ExecutionDecisions::spend(std::uint32_t number, Seconds half_width, const Standing& standing) {
  constexpr double share = 0.125;
  Decision& mine = decision(number);
  const double more = static_cast<double>(2 * mine.predicted + 1) * half_width * half_width;
  const Seconds budget = precision_.tolerance * std::max(standing.path, last_path_ / 2);
  if (more > share * budget * budget || spent_squares_ + more > budget * budget) {
    return false;
  }
  spent_squares_ += more;
  ++mine.predicted;
  return true;
}

/// A long kernel that is bound by arithmetic takes the same time whatever lies in the caches and whatever other cores do. A kernel that is
/// slower than the fastest is bound by memory, which it shares with them.
bool ExecutionDecisions::is_its_own_context(const Kernel& kernel, Seconds seconds) const {
  constexpr Seconds long_time = 5e-3;
  return seconds >= long_time && kernel.flops > 0 && !is_bound_by_memory(kernel, seconds);
}

bool ExecutionDecisions::is_bound_by_memory(const Kernel& kernel, Seconds seconds) const {
  constexpr double share_of_best = 0.5;
  return kernel.key.kind == KernelKind::computation && kernel.flops < share_of_best * best_rate_ * seconds;
}

void ExecutionDecisions::note_rate(const Kernel& kernel, Seconds seconds) {
  constexpr Seconds long_time = 1e-4;
  best_rate_ = seconds >= long_time ? std::max(best_rate_, kernel.flops / seconds) : best_rate_;
}

Counted ExecutionDecisions::learnt(std::uint32_t number, const Kernel& kernel, Seconds seconds) {
  Decision& mine = decision(number);
  if (cause_ != Cause::window) {
    note_known(mine, seconds);
  }
  note_rate(kernel, seconds);
  const bool in_context = !windows_ || since_left_out_ >= settling(seconds, min_settling, is_bound_by_memory(kernel, seconds)) ||
                          is_its_own_context(kernel, seconds);
  since_left_out_ += seconds;
  // a routine's first execution also loads its code and sets up what the library needs
  const bool first = windows_ && routines_.insert(static_cast<std::uint64_t>(kernel.key.kind) << 32U | kernel.key.routine).second;
  const std::int64_t times_before = mine.times.count;
  const KernelStatistics before = known_before(mine);
  if (in_context && !first) {
    windows_ ? learn_in_context(mine, seconds) : learn(mine, seconds);
  } else {
    mine.rough.add(seconds);
  }
  if (across_sizes_) {
    Family& all = family(number, kernel.key, kernel.flops);
    if (!in_context && !first) {
      note_rough(all, mine, seconds);
    }
    if (mine.times.count == times_before + 1) {
      note_deviation(all, before, seconds);
      if (windows_) {
        note_ratio(all, number, kernel, seconds);
      }
    }
    ++all.executed;
    all.predicted_in_a_row = 0;
    compare_with_prior(all, mine);
  }
  if (in_context) {
    return {seconds, seconds, false};
  }
  const KernelStatistics better = settled(mine);
  return better.count > 0 && !is_doubtful(mine, better) ? drawn(mine, better.mean) : Counted{seconds, seconds, true};
}

/// Deciding takes as long as the kernel, and executed among its like the kernel is timed as in the program.
bool ExecutionDecisions::costs_more_to_skip(const Kernel& kernel, const Decision& decision) const {
  constexpr Seconds short_time = 5e-7;
  const KernelStatistics times = settled(decision);
  return windows_ && kernel.key.kind == KernelKind::computation && times.count > 0 && times.mean < short_time;
}

/// Regions are always executed: only executed ones are known not to communicate. No long computations and few long messages are executed,
/// because short ones show the effect on data as well.
bool ExecutionDecisions::is_rehearsed(const Kernel& kernel) {
  constexpr double max_flops = 1e7;
  constexpr std::int64_t long_message = 64 << 10;  // bytes
  const bool one_in_eight = (chance_() >> 8U) % 8 == 0;
  switch (kernel.key.kind) {
    case KernelKind::computation: return one_in_eight && kernel.flops <= max_flops;
    case KernelKind::communication: return kernel.key.words[0] >= long_message ? one_in_eight : !one_in_eight;
    case KernelKind::region: break;
  }
  return true;
}

bool ExecutionDecisions::wants_execution(std::uint32_t number, const Kernel& kernel, const Standing& standing) {
  constexpr std::int64_t max_in_a_row = 64;  // then it is executed again, since machines change their speed
  cause_ = Cause::always;
  if (policy_ == Policy::full) {
    return true;
  }
  Decision& mine = decision(number);
  ++mine.met;
  if (policy_ == Policy::random) {
    return mine.times.count == 0 || (chance_() >> 8U) % 2 == 0;
  }
  if (policy_ == Policy::rehearsal) {
    return is_rehearsed(kernel);
  }
  if (costs_more_to_skip(kernel, mine)) {
    cause_ = Cause::brief;
    return true;
  }
  if (windows_ && windows_->contain(standing.path, before_) && !outlasts_window(number, kernel, standing)) {
    cause_ = Cause::window;
    return true;
  }
  bool execute = true;
  const std::int64_t seen = mine.times.count + mine.others.count + mine.rough.count;
  const bool suspicious = mine.strange.count > 0 && !windows_;  // a window checks again by itself
  if (mine.everywhere) {
    execute = suspicious;
  } else if (seen > 0 || is_trusted(mine, number, kernel)) {
    const std::int64_t now = occurrences(mine, standing);
    if (mine.judged_count != seen || now >= 2 * mine.judged_occurrences) {
      mine.predictable = is_known(number, kernel, now);
      mine.judged_count = seen;
      mine.judged_occurrences = now;
    }
    execute = !mine.predictable || suspicious || policy_ == Policy::eager;
  }
  const bool doubtful = !mine.everywhere && is_doubtful(mine, known(mine));
  execute = execute || doubtful;
  if (execute && !suspicious && !doubtful) {
    const bool barely_seen = windows_ && known(mine).count < precision_.min_count;  // too few times are no worse than none
    execute = !((seen > 0 || mine.trusted) && fits_budget(number, standing)) &&
              !((seen == 0 || barely_seen) && may_be_predicted(number, kernel, standing));
  }
  execute = execute || (!windows_ && mine.skipped_in_a_row >= max_in_a_row);
  mine.skipped_in_a_row = execute ? 0 : mine.skipped_in_a_row + 1;
  cause_ = seen == 0 ? Cause::unseen : Cause::unsure;
  return execute;
}

/// Returns true if a kernel takes longer than the rest of a window, so that its execution would end the window. If it is known and would be
/// executed only for its own sake, it is executed one time in eight.
bool ExecutionDecisions::outlasts_window(std::uint32_t number, const Kernel& kernel, const Standing& standing) {
  const KernelStatistics times = settled(decision(number));
  return times.count > 0 && times.mean >= windows_->left(standing.path, before_) && is_known(number, kernel, 1) &&
         (chance_() >> 8U) % 8 != 0;
}

/// Returns true if times from before this run, which this process is to check, count without a check of their own. Within windows, which
/// check as much as they can, they count until most kernels, or most of its routine, are found to have changed. Without windows several
/// kernels, one of its routine among them, must first have been found unchanged.
bool ExecutionDecisions::is_trusted(Decision& decision, std::uint32_t number, const Kernel& kernel) {
  if (!decision.trusted && across_sizes_ && decision.prior.times.count > 0 && kernel.key.kind != KernelKind::region) {
    const Family& all = family(number, kernel.key, kernel.flops);
    const bool looked_at = windows_ || (prior_.agreed >= several_priors && all.prior.agreed > 0);
    decision.trusted = looked_at && !has_drifted(all);
  }
  return decision.trusted;
}

bool ExecutionDecisions::has_drifted(const Family& all) const noexcept {
  return all.prior.differed > all.prior.agreed || prior_.differed >= prior_.agreed + several_priors;
}

/// Compares once for every kernel: when its first time of this run is known.
void ExecutionDecisions::compare_with_prior(Family& all, const Decision& decision) {
  if (decision.prior.times.count == 0 || decision.times.count != 1) {
    return;
  }
  const bool agrees_still = agrees(decision.prior.times, decision.times.mean);
  for (PriorFound* each : {&prior_, &all.prior}) {
    ++(agrees_still ? each->agreed : each->differed);
  }
  if (has_drifted(all)) {
    for (const Family::Member& member : all.members) {
      decisions_[member.number].trusted = false;
    }
  }
}

/// Notes the ratio of a routine's time among skipped kernels to its time in the program, from sizes of which both are known.
void ExecutionDecisions::note_rough(Family& all, const Decision& decision, Seconds seconds) const {
  constexpr double most = 1.4;  // as a logarithm: four times
  if (decision.times.count >= precision_.min_count && decision.times.mean > 0 && seconds > 0) {
    RoughFactors& factors = all.rough[decade_of(seconds)];
    factors.sum += std::clamp(std::log(seconds / decision.times.mean), -most, most);
    ++factors.count;
  }
}

/// Returns the time in the program of a kernel that took `rough` among skipped ones, by others of its routine that take about as long. Data
/// in the caches make small copies four times as fast there, but don't change copies of 100 MB.
Seconds ExecutionDecisions::as_in_program(const Family& all, Seconds rough) {
  const std::size_t decade = decade_of(rough);
  RoughFactors near;
  for (std::size_t i = decade > 0 ? decade - 1 : 0; i < std::min(decade + 2, decades); ++i) {
    near.sum += all.rough[i].sum;
    near.count += all.rough[i].count;
  }
  return near.count >= min_degrees ? rough / std::exp(near.sum / static_cast<double>(near.count)) : rough;
}

/// Returns a kernel's own times; times of executions among skipped kernels are converted to those in the program.
KernelStatistics ExecutionDecisions::own_times(std::uint32_t number, const Kernel& kernel) {
  const KernelStatistics all = settled(decision(number));
  if (all.count > 0 || !windows_ || !across_sizes_) {
    return known(decision(number));
  }
  KernelStatistics rough = decision(number).rough;
  rough.mean = as_in_program(family(number, kernel.key, kernel.flops), rough.mean);
  return rough;
}

Seconds ExecutionDecisions::estimate(std::uint32_t number, const Kernel& kernel) {
  const KernelStatistics all = own_times(number, kernel);
  if (const Decision& mine = decision(number);
      is_doubtful(mine, all)) {  // other processes may have left it out, as senders do for receivers
    return std::min(mine.rough.count > 0 ? std::min(all.mean, mine.rough.mean) : all.mean, mine.plausible);
  }
  if (all.count >= precision_.min_count || (all.count > 0 && !windows_)) {
    return all.mean;
  }
  const std::optional<SizePrediction> predicted = predict(number, kernel);
  if (!predicted) {
    return all.count > 0 ? all.mean : decision(number).prior.times.mean;
  }
  return all.count > 0 ? reconciled(all.mean, *predicted) : predicted->mean;
}

Pace ExecutionDecisions::pace() const {
  Pace all;
  for (const Decision& each : decisions_) {
    const KernelStatistics now = each.times.without(each.before);
    const KernelStatistics& then = each.before.count > 0 ? each.before : each.others.count > 0 ? each.others : each.prior.times;
    if (now.count > 0 && then.count > 0) {
      all.taken += static_cast<double>(now.count) * now.mean;
      all.expected += static_cast<double>(now.count) * then.mean;
    }
  }
  return all;
}

Seconds ExecutionDecisions::prediction_error() const { return std::sqrt(spent_squares_); }

std::optional<KernelStatistics> ExecutionDecisions::predictable(std::uint32_t number) {
  const Decision& mine = decision(number);
  return mine.predictable ? std::optional<KernelStatistics>(known(mine)) : std::nullopt;
}

/// Returns true for a call with an extent of zero, which a program makes where a process has no part of a matrix. Such a call returns at
/// once, which says nothing of others.
bool ExecutionDecisions::has_nothing_to_do(const Family& all, double flops, std::size_t sizes) noexcept {
  return flops == 0 && (all.max_flops > 0 || sizes < all.max_sizes);
}

/// Returns the sizes of a family whose times are known, at most `most`, spread over the order in which they were met. Only times that hold
/// in the program are used if there are enough of them.
std::vector<SizeModel::Point> ExecutionDecisions::known_sizes(const Family& all) {
  constexpr std::size_t enough = 8;
  constexpr std::size_t most = 160;
  std::vector<SizeModel::Point> points;
  std::vector<SizeModel::Point> rough;
  for (const auto& [member, terms, place, flops, sizes] : all.members) {
    if (has_nothing_to_do(all, flops, sizes)) {
      continue;
    }
    const Decision& other = decision(member);
    KernelStatistics times = settled(other);
    if (times.count == 0 && !has_drifted(all)) {
      times = other.prior.times;
    }
    if (is_doubtful(other, times)) {
      continue;
    }
    if (times.count > 0 && times.mean > 0) {
      points.push_back({terms, times.mean, place});
    } else if (other.rough.count > 0 && other.rough.mean > 0) {
      rough.push_back({terms, as_in_program(all, other.rough.mean), place});
    }
  }
  if (points.size() < enough) {
    points.insert(points.end(), rough.begin(), rough.end());
  }
  const std::size_t step = ceil_div(points.size(), most);
  for (std::size_t i = 0; step > 1 && i * step < points.size(); ++i) {
    points[i] = points[i * step];
  }
  points.resize(step > 1 ? ceil_div(points.size(), step) : points.size());
  return points;
}

double ExecutionDecisions::Ratio::factor() const noexcept {
  constexpr double others = 2;
  if (count == 0) {
    return 1;
  }
  const double weight = others * predicted / static_cast<double>(count);
  return (taken + weight) / (predicted + weight);
}

/// Uses the first few times of each size in an execution. Times that are as short as a decision, or differ from the expected time by a
/// factor of two, are ignored.
void ExecutionDecisions::note_ratio(Family& all, std::uint32_t number, const Kernel& kernel, Seconds seconds) {
  constexpr std::int64_t few = 4;
  constexpr Seconds shortest = 1e-5;
  constexpr double strange = 2;
  const Decision& mine = decision(number);
  if (policy_ == Policy::full || kernel.key.kind != KernelKind::computation || seconds < shortest ||
      mine.times.count - mine.before.count > few) {
    return;
  }
  const std::optional<SizePrediction> predicted = by_other_sizes(all, number, kernel);
  if (predicted && seconds < strange * predicted->mean && predicted->mean < strange * seconds) {
    all.of_execution.taken += seconds;
    all.of_execution.predicted += predicted->mean;
    ++all.of_execution.count;
  }
}

std::optional<SizePrediction> ExecutionDecisions::predict(std::uint32_t number, const Kernel& kernel) {
  if (!across_sizes_) {
    return std::nullopt;
  }
  Family& all = family(number, kernel.key, kernel.flops);
  std::optional<SizePrediction> answer = by_other_sizes(all, number, kernel);
  if (answer) {
    const double factor = all.of_execution.factor();
    answer->mean *= factor;
    answer->half_width *= factor;
  }
  return answer;
}

/// The model is fitted anew when the family has been executed an eighth more often than at the last fit.
std::optional<SizePrediction> ExecutionDecisions::by_other_sizes(Family& all, std::uint32_t number, const Kernel& kernel) {
  if (has_nothing_to_do(all, kernel.flops, positive_sizes(kernel.key))) {
    return std::nullopt;
  }
  if (!all.model || all.executed > all.fitted_at + all.fitted_at / 8) {
    all.model.emplace(known_sizes(all));
    all.fitted_at = all.executed;
    ++all.fit;
  }
  Decision& mine = decision(number);
  if (mine.answered_by != all.fit) {
    mine.answer = all.model->predict(size_terms(kernel.key, kernel.flops), quantiles_, size_place(kernel.key));
    mine.answered_by = all.fit;
  }
  return mine.answer;
}

/// Returns true if the time is left to a model: the family was executed in this run, and the error of all predictions stays within the
/// path's tolerance.
bool ExecutionDecisions::may_be_predicted(std::uint32_t number, const Kernel& kernel, const Standing& standing) {
  constexpr std::int64_t max_in_a_row = 16;  // predictions of a family; then one of its sizes is executed and makes the model better
  if (!across_sizes_ || policy_ == Policy::full) {
    return false;
  }
  Family& all = family(number, kernel.key, kernel.flops);
  if (all.executed == 0 || (!windows_ && all.predicted_in_a_row >= max_in_a_row)) {
    return false;
  }
  const std::optional<SizePrediction> predicted = predict(number, kernel);
  if (!predicted || !spend(number, predicted->half_width, standing)) {
    return false;
  }
  ++all.predicted_in_a_row;
  return true;
}

}  // namespace flopcast::path
