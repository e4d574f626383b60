#include "flopcast/tasks/mpi/tuner.hpp"

#include <algorithm>
#include <filesystem>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/selective/finalists.hpp"
#include "flopcast/selective/prediction_interval.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/mpi/profile.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

constexpr const char* full = "full";
constexpr const char* rehearsal = "rehearsal";   ///< shows whether a program goes by its results
constexpr const char* counting = "conditional";  ///< the policy that counts for a-priori

/// What the times of kernels, messages among them, and of the program's own code along the path vary by.
double variance_of(const json& profile) {
  double variance = profile.value("program_variance", 0.0);
  for (const json& kernel : profile.at("kernels")) {
    variance += path::variance_along(kernel.at("along").at("count").get<double>(), telling_times(kernel));
  }
  return variance;
}

double executed_share(const json& profile) {
  double executed = 0;
  double all = 0;
  for (const json& kernel : profile.at("kernels")) {
    executed += kernel.at("executed").at("count").get<double>();
    all += kernel.at("executed").at("count").get<double>() + kernel.at("skipped").get<double>();
  }
  return all > 0 ? executed / all : 1;
}

Seconds path_seconds(const json& profile) { return profile.at("path").at("seconds").get<double>(); }
Seconds elapsed_seconds(const json& profile) { return profile.at("elapsed_seconds").get<double>(); }

/// Number of the setting with the middle one of each parameter's values. The extreme ones are often the slowest, and what is known of sizes
/// in the middle reaches farthest.
std::size_t middle_of(const MpiSpace& space) {
  std::size_t number = 0;
  for (const auto& [name, values] : space.parameters) {
    number = number * values.size() + values.size() / 2;
  }
  return number;
}

}  // namespace

MpiTuner::MpiTuner(MpiSpace space, const MpiTuneOptions& options, model::Store& store)
    : space_(std::move(space)),
      options_(options),
      store_(store),
      launch_(space_),
      settings_(settings_of(space_)),
      outcomes_(settings_.size()),
      self_checks_(store, space_,
                   fmt::format("{}{}{}", options.policy, options.no_windows ? " no-windows" : "",
                               options.no_across_sizes ? " no-across-sizes" : "")),
      checked_(middle_of(space_)),
      remembered_(options.self_check == "once" && !options.cold && self_checks_.has_passed()) {
  if (!options.cold) {
    known_ = stored_mpi_kernels(store);
  }
  if (!options.statistics.empty()) {
    in_document(options.statistics, [&] { known_.add(read_document(options.statistics, mpi_profile_schema)); });
  }
}

std::string MpiTuner::clock() const {
  for (const auto& [execution, profile] : results_) {
    if (profile.contains("clock")) {
      return profile.at("clock").get<std::string>();
    }
  }
  return {};
}

const json* MpiTuner::result(std::size_t setting, const std::string& policy) const {
  const auto found = results_.find({setting, policy});
  return found != results_.end() ? &found->second : nullptr;
}

bool MpiTuner::checks_one() const { return options_.self_check == "one" || (options_.self_check == "once" && !remembered_); }

bool MpiTuner::full_tells() const { return checks_one() && !distrusts_ && !options_.validate && options_.policy != full; }

bool MpiTuner::needs_full(std::size_t setting) const {
  return distrusts_ || options_.validate || options_.policy == full || options_.self_check == "all" ||
         (checks_one() && setting == checked_);
}

std::vector<MpiTuner::Execution> MpiTuner::missing() const {
  std::vector<Execution> all;
  const auto add = [&](std::size_t setting, const std::string& policy) {
    if (result(setting, policy) == nullptr) {
      all.emplace_back(setting, policy);
    }
  };
  std::vector<std::size_t> order = extremes_first(space_);
  for (const std::size_t i : suspects_) {
    if (!outcomes_[i] && !distrusts_) {
      return {{i, full}};  // by itself
    }
  }
  if (full_tells() && !outcomes_[checked_]) {  // what is executed in full teaches the others
    add(checked_, rehearsal);
    add(checked_, full);
  }
  for (const std::size_t i : order) {
    if (outcomes_[i]) {
      continue;
    }
    if (needs_full(i)) {
      add(i, full);
    }
    if (distrusts_ || options_.policy == full) {
      continue;
    }
    if (path::policy_named(options_.policy) == path::Policy::a_priori) {
      add(i, counting);
    }
    add(i, options_.policy);
  }
  return all;
}

void MpiTuner::launch(const std::vector<Execution>& executions) {
  std::vector<MpiLaunch::Execution> asked;
  asked.reserve(executions.size());
  for (const auto& [setting, policy] : executions) {
    asked.push_back({settings_[setting], policy});
  }
  // any other one goes by the counts of the execution before it in the same launch
  if (const auto& [setting, policy] = executions.front(); path::policy_named(policy) == path::Policy::a_priori) {
    known_.count_along(results_.at({setting, counting}));
  }
  const machine::OtherLoad load;
  MpiLaunchResult made = launch_.run(asked, known_,
                                     {options_.precision, !options_.no_across_sizes, !options_.no_windows, !options_.no_thread_multiple,
                                      options_.patience, options_.kernels, !options_.validate});
  others_ = std::max(others_, load.cores().value_or(0));
  ++launches_;
  launch_seconds_ += made.seconds;
  std::vector<Execution> done;
  for (auto& [number, profile] : made.profiles) {
    done.push_back(executions[number]);
    results_[executions[number]] = std::move(profile);
  }
  learn(done);
  if (made.failed) {
    context_.throw_if_cancelled("what was learnt of kernels is kept; run it again to go on");
  }
  if (made.failed && *made.failed == 0) {  // not by what came before it in the same launch
    const auto& [setting, policy] = executions.front();
    if (policy == full) {
      fail(setting);
    } else {
      suspects_.insert(setting);
    }
  }
}

void MpiTuner::fail(std::size_t setting) {
  MpiOutcome outcome;
  outcome.setting = settings_[setting];
  outcome.failed = true;
  outcome.covered = false;
  outcomes_[setting] = std::move(outcome);
  const std::string what = fmt::format("configuration {} ended with an exit code other than 0 or without a profile: {}",
                                       text_of(settings_[setting]), fmt::join(command_of(space_, settings_[setting]), " "));
  const auto fails = [](const std::optional<MpiOutcome>& each) { return each && each->failed; };
  if (std::all_of(outcomes_.begin(), outcomes_.end(), fails)) {
    throw unusable_measurement("{}; no other one ends well either", what);
  }
  context_.note("flopcast: " + what);
  if (setting == checked_) {
    checked_ = nearest_sound(setting);
    outcomes_[checked_].reset();  // to be executed in full, though it may have been predicted
  }
}

/// The configuration nearest in the space's order that hasn't failed.
std::size_t MpiTuner::nearest_sound(std::size_t setting) const {
  const auto distance = [setting](std::size_t i) { return std::max(i, setting) - std::min(i, setting); };
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (!(outcomes_[i] && outcomes_[i]->failed) && (!nearest || distance(i) < distance(*nearest))) {
      nearest = i;
    }
  }
  return nearest.value();
}

void MpiTuner::judge_suspects() {
  distrusts_ = distrusts_ || std::any_of(suspects_.begin(), suspects_.end(), [&](std::size_t i) { return result(i, full) != nullptr; });
}

/// The executions of one launch go on with what the earlier ones of it have learnt: of a kernel's times the last ones are all, with those of
/// executions in full, unless these are there to be compared with. In a launch of their own nobody has gone on with them.
void MpiTuner::learn(const std::vector<Execution>& made) {
  std::map<std::string, json> latest;
  json all = {{"kernels", json::array()}};
  json in_full = json::array();
  for (const Execution& execution : made) {
    if (execution.second == rehearsal) {
      continue;  // its times are good for nothing
    }
    const json& profile = results_.at(execution);
    all["policy"] = options_.policy;
    all["where"] = profile.at("where");
    for (const json& kernel : profile.at("kernels")) {
      if (execution.second == full) {
        in_full.push_back(kernel);
      }
      if (kernel.contains("in_context")) {
        latest[kernel.at("kernel").get<std::string>()] = kernel;
      }
    }
  }
  for (const auto& [name, kernel] : latest) {
    all["kernels"].push_back(kernel);
  }
  if (latest.empty() && (distrusts_ || !options_.validate || options_.policy == full)) {
    all["policy"] = full;
    all["kernels"] = std::move(in_full);
  }
  if (!all["kernels"].empty()) {
    known_.add(all);
    drifted_ += store_mpi_kernels(store_, all);
  }
}

std::optional<MpiOutcome> MpiTuner::outcome(std::size_t setting) {
  const json* in_full = result(setting, full);
  const json* selective = result(setting, options_.policy);
  if (needs_full(setting) && in_full == nullptr) {
    return std::nullopt;
  }
  for (const json* partly : {result(setting, rehearsal), selective}) {
    distrusts_ = distrusts_ || (partly != nullptr && in_full != nullptr && partly->at("calls") != in_full->at("calls"));
  }
  const json* telling = distrusts_ ? in_full : selective;
  return telling != nullptr ? std::optional<MpiOutcome>(outcome_of(setting, *telling)) : std::nullopt;
}

void MpiTuner::note_self_check() {
  if (options_.policy == full || options_.self_check == "none") {
    return;
  }
  if (remembered_ && !distrusts_) {
    self_checks_.count_tuning();
  } else {
    self_checks_.note(!distrusts_);
  }
}

double MpiTuner::wandering() const {
  std::vector<path::RunTimeRatio> paces;
  for (const auto& [execution, profile] : results_) {
    if (execution.second != rehearsal && profile.contains("pace")) {
      paces.push_back({profile.at("pace").at("taken_seconds").get<double>(), profile.at("pace").at("expected_seconds").get<double>()});
    }
  }
  return path::between_run_deviation(paces);
}

Seconds MpiTuner::checking(std::size_t setting, const json& telling) const {
  Seconds taken = 0;
  for (const std::string& policy : {std::string(rehearsal), options_.policy, std::string(full)}) {
    const json* other = result(setting, policy);
    const bool compares = policy == full && options_.validate;
    taken += other != nullptr && other != &telling && !compares ? elapsed_seconds(*other) : 0;
  }
  return taken;
}

MpiOutcome MpiTuner::outcome_of(std::size_t setting, const json& telling) const {
  MpiOutcome outcome;
  outcome.setting = settings_[setting];
  outcome.predicted = path_seconds(telling);
  outcome.half_width =
      path::half_width(outcome.predicted, variance_of(telling), telling.value("prediction_error_seconds", 0.0), wandering());
  outcome.elapsed = elapsed_seconds(telling);
  outcome.spent = telling.value("spent", json::object());
  if (const json* counted = result(setting, counting); counted != nullptr && options_.policy != counting) {
    outcome.elapsed += elapsed_seconds(*counted);
  }
  outcome.executed_share = executed_share(telling);
  outcome.coverage = mpi_coverage(telling);
  outcome.covered = outcome.coverage >= options_.min_coverage / 100;
  outcome.skipped_safely = !distrusts_;
  outcome.checking = checking(setting, telling);
  if (const json* in_full = result(setting, full); in_full != nullptr && !full_tells()) {
    outcome.full_path = path_seconds(*in_full);
    outcome.full_elapsed = elapsed_seconds(*in_full);
  }
  return outcome;
}

std::vector<std::size_t> MpiTuner::finalists() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (outcomes_[i]->covered) {
      all.push_back(i);
    }
  }
  if (options_.finalists_in_doubt) {
    return finalists_in_doubt(all);
  }
  std::stable_sort(all.begin(), all.end(), [&](std::size_t x, std::size_t y) { return outcomes_[x]->predicted < outcomes_[y]->predicted; });
  all.resize(std::min(all.size(), options_.finalists));
  return all;
}

Seconds MpiTuner::executed_seconds() const {
  Seconds sum = 0;
  for (const std::optional<MpiOutcome>& each : outcomes_) {
    sum += each->elapsed + each->checking;
  }
  return sum;
}

double MpiTuner::pace() const {
  Seconds elapsed = 0;
  Seconds path = 0;
  double crowding = 1;
  for (const auto& [execution, profile] : results_) {
    if (execution.second == full) {
      elapsed += elapsed_seconds(profile);
      path += path_seconds(profile);
    }
    if (profile.value("clock", "") == "cpu") {
      crowding = profile.at("ranks").get<double>() / machine::detect_topology().usable_cores;
    }
  }
  return std::max(1.0, path > 0 ? elapsed / path : crowding);
}

std::vector<std::size_t> MpiTuner::finalists_in_doubt(const std::vector<std::size_t>& settings) const {
  std::vector<path::Prediction> predictions;
  predictions.reserve(settings.size());
  for (const std::size_t i : settings) {
    predictions.push_back({outcomes_[i]->predicted, outcomes_[i]->half_width, result(i, full) != nullptr});
  }
  std::vector<std::size_t> finalists = path::finalists_in_doubt(predictions, executed_seconds(), pace());
  for (std::size_t& each : finalists) {
    each = settings[each];
  }
  return finalists;
}

void MpiTuner::execute_finalists() {
  if (full_tells()) {
    results_.erase({checked_, full});  // in that one memory was used for the first time
  }
  std::vector<std::size_t> leading = finalists();
  const Seconds affordable = executed_seconds();
  const Stopwatch watch;
  const auto missing_in_full = [&] {
    std::vector<Execution> executions;
    for (const std::size_t i : leading) {
      if (result(i, full) == nullptr && !outcomes_[i]->failed) {
        executions.emplace_back(i, full);
      }
    }
    return executions;
  };
  for (std::vector<Execution> executions = missing_in_full(); !executions.empty(); executions = missing_in_full()) {
    context_.throw_if_cancelled("what was learnt of kernels is kept; run it again to go on");
    const std::size_t done = leading.size() - executions.size();
    if (options_.finalists_in_doubt && path::leaves_out_finalists(done, watch.elapsed(), affordable)) {
      context_.note(fmt::format("flopcast: finalists took longer than all executions before; {} are left out", executions.size()));
      const auto is_missing = [&](std::size_t i) { return result(i, full) == nullptr; };
      leading.erase(std::remove_if(leading.begin(), leading.end(), is_missing), leading.end());
      break;
    }
    launch(executions);
  }
  for (const std::size_t i : leading) {
    if (!outcomes_[i]->failed) {
      outcomes_[i]->finalist = true;
      outcomes_[i]->full_path = path_seconds(*result(i, full));
      outcomes_[i]->full_elapsed = elapsed_seconds(*result(i, full));
    }
  }
}

std::vector<MpiOutcome> MpiTuner::tune(const RunContext& context) {
  context_ = context;
  for (std::vector<Execution> executions = missing(); !executions.empty(); executions = missing()) {
    context_.throw_if_cancelled("what was learnt of kernels is kept; run it again to go on");
    const bool trusted = !distrusts_;
    launch(executions);
    judge_suspects();
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      if (!outcomes_[i] && (outcomes_[i] = outcome(i))) {
        context.note(fmt::format("{}: {}", text_of(settings_[i]), format_seconds(outcomes_[i]->predicted)));
      }
    }
    if (trusted && distrusts_) {
      context.note(
          "flopcast: with kernels left out the program fails or makes other calls of MPI than in full; it goes by its results, and is "
          "executed in full from here on");
    }
  }
  execute_finalists();
  note_self_check();
  std::vector<MpiOutcome> all;
  for (std::optional<MpiOutcome>& each : outcomes_) {
    all.push_back(std::move(each.value()));
  }
  return all;
}

}  // namespace flopcast
