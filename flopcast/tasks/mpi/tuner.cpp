#include "flopcast/tasks/mpi/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/selective/finalists.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using selective::Policy;

constexpr Policy counting = Policy::conditional;  ///< the policy that counts kernels along the path for a-priori

std::string options_of(const MpiTuneRequest& request) {
  return fmt::format("{}{}{}", selective::to_string(request.policy), request.windows ? "" : " no-windows",
                     request.across_sizes ? "" : " no-across-sizes");
}

/// Adds the kernels of an execution to those that its launch has shown.
void add_kernels(const MpiProfile& profile, bool is_full, std::map<std::string, MpiKernel>& latest, std::vector<MpiKernel>& in_full) {
  for (const MpiKernel& kernel : profile.kernels) {
    if (is_full) {
      in_full.push_back(kernel);
    }
    if (kernel.in_context) {
      latest[kernel.name] = kernel;
    }
  }
}

}  // namespace

MpiTuner::MpiTuner(const MpiTuneRequest& request, MpiLauncher& launcher, model::Store& store, int usable_cores, RunContext context)
    : request_(request),
      launcher_(launcher),
      stored_(store),
      usable_cores_(usable_cores),
      context_(std::move(context)),
      settings_(settings_of(request.space)),
      outcomes_(settings_.size()),
      self_checks_(store, request.space, options_of(request)),
      checked_(middle_of(request.space)),
      remembered_(request.self_check == MpiSelfCheck::once && !request.fresh && self_checks_.has_passed()) {
  if (!request.fresh) {
    known_ = stored_.read();
  }
  if (!request.prior_profile.empty()) {
    known_.add(read_mpi_kernels(request.prior_profile));
  }
}

const MpiProfile* MpiTuner::result(std::size_t setting, Policy policy) const {
  const auto found = results_.find({setting, policy});
  return found != results_.end() ? &found->second : nullptr;
}

bool MpiTuner::checks_one() const {
  return request_.self_check == MpiSelfCheck::one || (request_.self_check == MpiSelfCheck::once && !remembered_);
}

bool MpiTuner::uses_full_times() const {
  return checks_one() && !selective_is_unsafe_ && !request_.validate && request_.policy != Policy::full;
}

bool MpiTuner::needs_full(std::size_t setting) const {
  return selective_is_unsafe_ || request_.validate || request_.policy == Policy::full || request_.self_check == MpiSelfCheck::all ||
         (checks_one() && setting == checked_);
}

std::vector<MpiTuner::Execution> MpiTuner::missing() const {
  std::vector<Execution> all;
  const auto add = [&](std::size_t setting, Policy policy) {
    const Execution execution(setting, policy);
    if (result(setting, policy) == nullptr && std::find(all.begin(), all.end(), execution) == all.end()) {
      all.push_back(execution);
    }
  };
  for (const std::size_t i : failed_selectively_) {
    if (!outcomes_[i] && !selective_is_unsafe_) {
      return {{i, Policy::full}};  // in a launch of its own
    }
  }
  if (uses_full_times() && !outcomes_[checked_]) {  // first, because the others use its kernel times
    add(checked_, Policy::rehearsal);
    add(checked_, Policy::full);
  }
  for (const std::size_t i : extremes_first(request_.space)) {
    if (outcomes_[i]) {
      continue;
    }
    if (needs_full(i)) {
      add(i, Policy::full);
    }
    if (selective_is_unsafe_ || request_.policy == Policy::full) {
      continue;
    }
    if (request_.policy == Policy::a_priori) {
      add(i, counting);
    }
    add(i, request_.policy);
  }
  return all;
}

void MpiTuner::throw_if_cancelled() const { context_.throw_if_cancelled("what was learnt of kernels is kept; run it again to go on"); }

bool MpiTuner::is_budget_spent() const { return is_cut_ || (request_.time_budget > 0 && launch_seconds_ >= request_.time_budget); }

void MpiTuner::launch(const std::vector<Execution>& executions) {
  std::vector<MpiExecution> asked;
  asked.reserve(executions.size());
  for (const auto& [setting, policy] : executions) {
    asked.push_back({settings_[setting], policy, !request_.validate});
  }
  // Later executions of the launch use the counts of the execution before them.
  if (const auto& [setting, policy] = executions.front(); policy == Policy::a_priori) {
    known_.set_path_counts(results_.at({setting, counting}));
  }
  const Seconds limit = request_.time_budget > 0 ? request_.time_budget - launch_seconds_ + launch_grace : 0;
  MpiLaunchResult made = launcher_.launch(asked, known_, limit);
  is_cut_ = is_cut_ || made.is_cut;
  others_ = std::max(others_, made.cores_of_others);
  ++launches_;
  launch_seconds_ += made.seconds;
  std::vector<Execution> done;
  for (auto& [number, profile] : made.profiles) {
    done.push_back(executions[number]);
    results_[executions[number]] = std::move(profile);
  }
  learn(done);
  if (made.failed || made.is_cut) {
    throw_if_cancelled();
  }
  if (made.failed && *made.failed == 0) {  // otherwise an earlier execution of the launch may be the cause
    const auto& [setting, policy] = executions.front();
    if (policy == Policy::full) {
      fail(setting, made.exit_code);
    } else {
      failed_selectively_.insert(setting);
    }
  }
}

void MpiTuner::fail(std::size_t setting, int exit_code) {
  MpiConfiguration failed{settings_[setting], MpiVerdict::failed};
  failed.failure = exit_code != 0 ? fmt::format("exit code {}", exit_code) : "no profile";
  const std::string what = fmt::format("configuration {} failed ({}): {}", search::to_string(failed.setting), failed.failure,
                                       fmt::join(command_of(request_.space, failed.setting), " "));
  outcomes_[setting] = std::move(failed);
  const auto fails = [](const std::optional<MpiConfiguration>& each) { return each && each->verdict == MpiVerdict::failed; };
  if (std::all_of(outcomes_.begin(), outcomes_.end(), fails)) {
    throw unusable_measurement("{}. No other configuration ends well either", what);
  }
  context_.note("flopcast: " + what);
  if (setting == checked_) {
    checked_ = nearest_sound(setting);
    outcomes_[checked_].reset();  // to be executed in full, though it may have been predicted
  }
}

std::size_t MpiTuner::nearest_sound(std::size_t setting) const {
  const auto distance = [setting](std::size_t i) { return std::max(i, setting) - std::min(i, setting); };
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (!(outcomes_[i] && outcomes_[i]->verdict == MpiVerdict::failed) && (!nearest || distance(i) < distance(*nearest))) {
      nearest = i;
    }
  }
  return nearest.value();
}

void MpiTuner::classify_failures() {
  const auto succeeds_in_full = [&](std::size_t i) { return result(i, Policy::full) != nullptr; };
  selective_is_unsafe_ = selective_is_unsafe_ || std::any_of(failed_selectively_.begin(), failed_selectively_.end(), succeeds_in_full);
}

/// The executions of one launch go on with the kernel times of the earlier ones. The last ones therefore hold all times, those of
/// executions in full among them, unless executions in full are there for comparison. An execution in full in a launch of its own stands
/// alone.
void MpiTuner::learn(const std::vector<Execution>& made) {
  std::map<std::string, MpiKernel> latest;
  std::vector<MpiKernel> in_full;
  MpiKernelList all;
  for (const Execution& execution : made) {
    if (execution.second == Policy::rehearsal) {
      continue;  // its times represent nothing
    }
    const MpiProfile& profile = results_.at(execution);
    all.policy = request_.policy;
    all.where = profile.where;
    add_kernels(profile, execution.second == Policy::full, latest, in_full);
  }
  for (const auto& [name, kernel] : latest) {
    all.kernels.push_back(kernel);
  }
  if (latest.empty() && (selective_is_unsafe_ || !request_.validate || request_.policy == Policy::full)) {
    all.policy = Policy::full;
    all.kernels = std::move(in_full);
  }
  if (!all.kernels.empty()) {
    known_.add(all);
    drifted_ += stored_.add(all);
  }
}

std::optional<MpiConfiguration> MpiTuner::outcome(std::size_t setting) {
  const MpiProfile* in_full = result(setting, Policy::full);
  const MpiProfile* selective = result(setting, request_.policy);
  if (needs_full(setting) && in_full == nullptr) {
    return std::nullopt;
  }
  for (const MpiProfile* partly : {result(setting, Policy::rehearsal), selective}) {
    selective_is_unsafe_ = selective_is_unsafe_ || (partly != nullptr && in_full != nullptr && partly->calls != in_full->calls);
  }
  const MpiProfile* profile = selective_is_unsafe_ ? in_full : selective;
  return profile != nullptr ? std::optional<MpiConfiguration>(outcome_of(setting, *profile)) : std::nullopt;
}

void MpiTuner::keep_self_check() {
  if (request_.policy == Policy::full || request_.self_check == MpiSelfCheck::none) {
    return;
  }
  if (remembered_ && !selective_is_unsafe_) {
    self_checks_.count_tuning();
  } else {
    self_checks_.note(!selective_is_unsafe_);
  }
}

double MpiTuner::between_run_deviation() const {
  std::vector<selective::RunTimeRatio> ratios;
  for (const auto& [execution, profile] : results_) {
    if (execution.second != Policy::rehearsal && profile.pace && profile.pace->expected > 0) {
      ratios.push_back(*profile.pace);
    }
  }
  return ratios.empty() ? prediction::default_method_error : selective::between_run_deviation(ratios);
}

Seconds MpiTuner::half_width_of(const MpiProfile& profile) const {
  static constexpr double quantile = 1.96;  // the error of predictions across sizes is given as a half-width of 95 %
  const double models = std::hypot(std::sqrt(profile.path_variance()), profile.prediction_error / quantile);
  const Seconds path = profile.critical_path.time;
  // Kernels are timed in their program, so that the method has no error of its own.
  return prediction::predicted_interval(path, {.models = models, .runs = {between_run_deviation(), 0}, .method = 0}).high - path;
}

Seconds MpiTuner::self_check_seconds(std::size_t setting, const MpiProfile& profile) const {
  Seconds taken = 0;
  for (const Policy policy : {Policy::rehearsal, request_.policy, Policy::full}) {
    const MpiProfile* other = result(setting, policy);
    const bool compares = policy == Policy::full && request_.validate;
    taken += other != nullptr && other != &profile && !compares ? other->elapsed : 0;
  }
  return taken;
}

MpiConfiguration MpiTuner::outcome_of(std::size_t setting, const MpiProfile& profile) const {
  MpiConfiguration outcome;
  outcome.setting = settings_[setting];
  outcome.predicted = profile.critical_path.time;
  outcome.half_width = half_width_of(profile);
  outcome.elapsed = profile.elapsed;
  outcome.blocked = profile.most_blocked() != nullptr ? profile.most_blocked()->blocked : 0;
  outcome.spent = profile.spent;
  if (const MpiProfile* counted = result(setting, counting); counted != nullptr && request_.policy != counting) {
    outcome.elapsed += counted->elapsed;
  }
  outcome.executed_share = profile.executed_share();
  outcome.coverage = profile.coverage();
  outcome.verdict = outcome.coverage >= request_.min_coverage ? MpiVerdict::slower : MpiVerdict::little_seen;
  outcome.selective = !selective_is_unsafe_ && request_.policy != Policy::full;
  outcome.self_check = self_check_seconds(setting, profile);
  if (const MpiProfile* in_full = result(setting, Policy::full); in_full != nullptr && !uses_full_times()) {
    outcome.full_path = in_full->critical_path.time;
    outcome.full_elapsed = in_full->elapsed;
  }
  return outcome;
}

std::vector<std::size_t> MpiTuner::finalists() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (is_covered(*outcomes_[i])) {
      all.push_back(i);
    }
  }
  if (request_.confirm.are_ties) {
    return tied_finalists(all);
  }
  std::stable_sort(all.begin(), all.end(), [&](std::size_t x, std::size_t y) { return outcomes_[x]->predicted < outcomes_[y]->predicted; });
  all.resize(std::min(all.size(), request_.confirm.number));
  return all;
}

Seconds MpiTuner::executed_seconds() const {
  Seconds sum = 0;
  for (const std::optional<MpiConfiguration>& each : outcomes_) {
    sum += each->elapsed + each->self_check;
  }
  return sum;
}

double MpiTuner::elapsed_per_path() const {
  Seconds elapsed = 0;
  Seconds path = 0;
  double crowding = 1;
  for (const auto& [execution, profile] : results_) {
    if (execution.second == Policy::full) {
      elapsed += profile.elapsed;
      path += profile.critical_path.time;
    }
    if (profile.clock == protocol::MpiClock::cpu) {
      crowding = static_cast<double>(profile.ranks) / usable_cores_;
    }
  }
  return std::max(1.0, path > 0 ? elapsed / path : crowding);
}

std::vector<std::size_t> MpiTuner::tied_finalists(const std::vector<std::size_t>& settings) const {
  std::vector<selective::PredictedCandidate> predictions;
  predictions.reserve(settings.size());
  for (const std::size_t i : settings) {
    predictions.push_back({*outcomes_[i]->predicted, *outcomes_[i]->half_width, result(i, Policy::full) != nullptr});
  }
  std::vector<std::size_t> finalists = selective::finalists_in_doubt(predictions, executed_seconds(), elapsed_per_path());
  for (std::size_t& each : finalists) {
    each = settings[each];
  }
  return finalists;
}

void MpiTuner::execute_finalists() {
  if (uses_full_times()) {
    results_.erase({checked_, Policy::full});  // its first uses of memory took time
  }
  std::vector<std::size_t> leading = finalists();
  const Seconds affordable = executed_seconds();
  const Seconds begin = launch_seconds_;
  const auto missing_in_full = [&] {
    std::vector<Execution> executions;
    for (const std::size_t i : leading) {
      if (result(i, Policy::full) == nullptr && outcomes_[i]->verdict != MpiVerdict::failed) {
        executions.emplace_back(i, Policy::full);
      }
    }
    return executions;
  };
  for (std::vector<Execution> executions = missing_in_full(); !executions.empty(); executions = missing_in_full()) {
    throw_if_cancelled();
    const std::size_t done = leading.size() - executions.size();
    if (request_.confirm.are_ties && selective::skips_finalists(done, launch_seconds_ - begin, affordable)) {
      context_.note(fmt::format("flopcast: finalists took longer than all executions before; {} are skipped", executions.size()));
      const auto is_missing = [&](std::size_t i) { return result(i, Policy::full) == nullptr; };
      leading.erase(std::remove_if(leading.begin(), leading.end(), is_missing), leading.end());
      break;
    }
    launch(executions);
  }
  for (const std::size_t i : leading) {
    if (outcomes_[i]->verdict != MpiVerdict::failed) {
      outcomes_[i]->finalist = true;
      outcomes_[i]->full_path = result(i, Policy::full)->critical_path.time;
      outcomes_[i]->full_elapsed = result(i, Policy::full)->elapsed;
    }
  }
}

MpiTuning MpiTuner::tune() {
  std::vector<Execution> executions = missing();
  for (; !executions.empty() && !is_budget_spent(); executions = missing()) {
    throw_if_cancelled();
    const bool was_safe = !selective_is_unsafe_;
    launch(executions);
    classify_failures();
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      if (!outcomes_[i] && (outcomes_[i] = outcome(i))) {
        context_.note(fmt::format("{}: {}", search::to_string(settings_[i]), format_seconds(*outcomes_[i]->predicted)));
      }
    }
    if (was_safe && selective_is_unsafe_) {
      context_.note(
          "flopcast: with kernels skipped the program fails or makes other MPI calls than in full, because its course depends on its "
          "results. It is executed in full from here on");
    }
  }
  if (executions.empty()) {
    execute_finalists();
    keep_self_check();
  }
  return concluded();
}

MpiTuning MpiTuner::concluded() const {
  MpiTuning tuning;
  tuning.name = request_.space.name;
  tuning.launches = launches_;
  tuning.launch_seconds = launch_seconds_;
  tuning.self_check_remembered = remembered_;
  tuning.clock = results_.empty() ? std::nullopt : std::optional(results_.begin()->second.clock);
  tuning.cores_of_others = others_;
  tuning.drifted_kernels = drifted_;
  for (const std::optional<MpiConfiguration>& each : outcomes_) {
    if (each) {
      tuning.configurations.push_back(*each);
    }
  }
  if (tuning.configurations.empty()) {
    throw unusable_measurement(
        "the time budget ended before the first prediction. Give a longer one; what ended executions show of kernels is kept");
  }
  const MpiConfiguration& best = best_of(tuning.configurations, request_.min_coverage);
  for (MpiConfiguration& each : tuning.configurations) {
    each.verdict = verdict_on(each, best);
    if (!is_covered(each)) {
      each.predicted.reset();
      each.half_width.reset();
    }
    if (request_.validate) {
      tuning.full_seconds = tuning.full_seconds.value_or(0) + each.full_elapsed.value_or(0);
      tuning.selective_seconds = tuning.selective_seconds.value_or(0) + each.elapsed;
    }
  }
  return tuning;
}

}  // namespace flopcast
