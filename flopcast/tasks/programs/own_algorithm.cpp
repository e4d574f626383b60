#include "flopcast/tasks/programs/advice.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/programs/own_algorithm_services.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using search::Setting;
using Words = std::vector<std::string>;

constexpr const char* space_schema = "flopcast-space-1";
constexpr const char* again = "every sample is kept; run the same command again to go on";

search::ParameterSpace space_of(const ProgramTuneRequest& request) {
  search::ParameterSpace space;
  if (!request.space.empty()) {
    if (!request.command.empty()) {
      throw bad_input("the command is given twice, by {} and by itself. Give one of them", request.space);
    }
    space = search::read_space(request.space, space_schema, false);
  } else {
    space.command = request.command;
  }
  space.name = space.name.empty() ? "--parameter" : space.name;
  for (const std::string& text : request.parameters) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw bad_input("--parameter: '{}' given, expected a name and its values, as in nb=16:128:16 or variant=left,right", text);
    }
    std::erase_if(space.parameters, [&](const auto& known) { return known.first == name; });  // those of the space can be changed
    space.parameters.emplace_back(name, search::parse_values(text.substr(equals + 1), "parameter " + name));
  }
  space.conditions.insert(space.conditions.end(), request.conditions.begin(), request.conditions.end());
  if (space.command.empty() || space.command.front().empty()) {
    throw bad_input("there is no program to tune, expected its command, as in: ./ldlt {{nb}}");
  }
  if (space.parameters.empty()) {
    throw bad_input("there is no parameter to choose, expected one or more, such as nb=16:128:16");
  }
  search::require_named_places(space);
  return space;
}

/// The command lines of a space's settings. Parameters that occur neither in the command nor in a template are variables of the environment.
class SettingCommands {
 public:
  SettingCommands(const search::ParameterSpace& space, const Words& templates) : space_(space), variables_(space.parameters) {
    for (const std::string& file : templates) {
      if (std::none_of(space.command.begin(), space.command.end(),
                       [&](const auto& word) { return word.find(file) != std::string::npos; })) {
        throw bad_input("template {} occurs in no word of the command. Name it there: its filled copy takes its place", file);
      }
      templates_.emplace_back(file, read_file(file));
    }
    std::erase_if(variables_, [&](const auto& parameter) {
      const std::string place = '{' + parameter.first + '}';
      return search::is_in_command(space_, parameter.first) || std::any_of(templates_.begin(), templates_.end(), [&](const auto& one) {
               return one.second.find(place) != std::string::npos;
             });
    });
  }

  /// Returns the command of setting `number`.
  [[nodiscard]] Words of(const Setting& setting, std::size_t number) const {
    Words words = command_of(space_, setting);
    for (const auto& [file, text] : templates_) {
      const std::string filled =
          scratch_.write(fmt::format("{}-{}", number, fs::path(file).filename().string()), search::replace_places({text}, setting).front());
      for (std::string& word : words) {
        for (std::size_t at = word.find(file); at != std::string::npos; at = word.find(file, at + filled.size())) {
          word.replace(at, file.size(), filled);
        }
      }
    }
    if (!variables_.empty()) {
      Words prefix = {"env"};
      for (const auto& [name, values] : variables_) {
        prefix.push_back(fmt::format("{}={}", name, setting.at(name)));
      }
      words.insert(words.begin(), prefix.begin(), prefix.end());
    }
    return words;
  }

  /// Returns the names of the parameters that are variables of the environment.
  [[nodiscard]] Words variables() const {
    Words names;
    std::transform(variables_.begin(), variables_.end(), std::back_inserter(names), [](const auto& one) { return one.first; });
    return names;
  }

 private:
  const search::ParameterSpace& space_;
  std::vector<std::pair<std::string, std::string>> templates_;  ///< files and contents
  std::vector<std::pair<std::string, Words>> variables_;
  ScratchFolder scratch_;
};

/// Returns the share of work in calls that only one of two runs made.
double difference(const std::map<std::string, SameCalls>& a, const std::map<std::string, SameCalls>& b) {
  double different = 0, all = 0;
  const auto add = [&](const auto& ours, const auto& theirs, bool counts_both) {
    for (const auto& [call, same] : ours) {
      const auto found = theirs.find(call);
      const std::int64_t others = found == theirs.end() ? 0 : found->second.calls;
      all += same.work * static_cast<double>(same.calls);
      if (counts_both || found == theirs.end()) {
        different += same.work * static_cast<double>(std::abs(same.calls - others));
      }
    }
  };
  add(a, b, true);
  add(b, a, false);
  return all > 0 ? 2 * different / all : 0;
}

class ProgramTuner {
 public:
  ProgramTuner(const ProgramTuneRequest& request, const ProgramTuneServices& services, const RunContext& context)
      : request_(request),
        services_(services),
        context_(context),
        begin_(services.clock()),
        space_(space_of(request)),
        commands_(space_, request.templates) {
    for (Setting& setting : settings_of(space_)) {
      Words command = commands_.of(setting, entries_.size());
      entries_.push_back({std::move(setting), std::move(command)});
    }
  }

  ProgramTuning run() {
    record_all();
    rank();
    if (request_.check) {
      check();
    }
    conclude();
    if (request_.race) {
      race();
    }
    return std::move(result_);
  }

 private:
  struct Entry {
    Setting setting;
    Words command;
    bool considered = false;
    std::string failure = {};
    RecordedSetting recording = {};  ///< the run whose parts are ranked
    std::vector<Seconds> own = {};   ///< time of everything but kernels in the first part, in each run
    std::optional<Seconds> executed = std::nullopt;
    std::size_t candidate = 0;
  };

  [[nodiscard]] Seconds elapsed() const { return services_.clock() - begin_; }
  [[nodiscard]] bool is_spent(double share) const { return elapsed() > share * request_.time_budget; }

  RecordedSetting record(const Entry& entry, bool dry) {
    context_.throw_if_cancelled(again);
    RecordedSetting recorded = services_.record(entry.command, dry);
    context_.throw_if_cancelled(again);
    ++(dry ? result_.dry_runs : result_.executions);
    result_.run_seconds += recorded.elapsed;
    return recorded;
  }

  /// Records the entry with all calls executed. Returns false, and notes why, if the program fails.
  bool execute(Entry& entry) {
    RecordedSetting recorded = record(entry, false);
    entry.considered = true;
    if (recorded.timed_out || recorded.exit_code != 0) {
      entry.failure = recorded.timed_out ? fmt::format("didn't end within {}", format_seconds(request_.timeout))
                                         : fmt::format("ended with exit code {}", recorded.exit_code);
      return false;
    }
    entry.executed = recorded.elapsed;
    executed_ = std::move(recorded);
    return true;
  }

  /// Runs the settings dry, those with the largest and smallest values first. Runs that fail are made once more with all calls executed.
  void record_all() {
    static constexpr double share = 0.5;
    const Progress step = context_.step("dry runs");
    std::int64_t done = 0;
    std::set<int> harmless = {0};  // exit codes of dry runs whose calls are right, such as that of a check of results
    for (const std::size_t number : extremes_first(space_)) {
      Entry& entry = entries_[number];
      if (done > 0 && is_spent(share)) {
        break;
      }
      RecordedSetting recorded = record(entry, true);
      step(++done, static_cast<std::int64_t>(entries_.size()));
      if (recorded.timed_out || harmless.count(recorded.exit_code) == 0) {
        if (!execute(entry)) {
          continue;
        }
        if (recorded.timed_out || difference(recorded.calls, executed_.calls) > max_difference) {
          take(entry, std::move(executed_));
          execute_all("a dry run fails that makes all calls in a run in which they are executed");
          return;
        }
        harmless.insert(recorded.exit_code);
      }
      take(entry, std::move(recorded));
    }
  }

  void take(Entry& entry, RecordedSetting recorded) {
    entry.considered = true;
    entry.own = {recorded.parts.front().own_seconds};
    entry.recording = std::move(recorded);
  }

  /// Records all settings with all calls executed, which takes as long as running them.
  void execute_all(const std::string& reason) {
    result_.calls_depend_on_results = true;
    remark(fmt::format("{}, so that the program's course depends on its results: every configuration is executed once", reason));
    const Progress step = context_.step("executing");
    const Seconds begin = elapsed();
    std::int64_t done = 0;
    for (Entry& entry : entries_) {
      const bool is_done = entry.executed.has_value() || !entry.failure.empty();
      entry.considered = is_done;
      if (!is_done && elapsed() - begin < request_.time_budget && execute(entry)) {
        take(entry, std::move(executed_));
      }
      step(++done, static_cast<std::int64_t>(entries_.size()));
    }
  }

  [[nodiscard]] bool is_ranked(const Entry& entry) const { return entry.considered && entry.failure.empty(); }

  void rank() {
    static constexpr double share = 0.85;
    std::vector<Candidate> candidates;
    for (Entry& entry : entries_) {
      if (is_ranked(entry)) {
        entry.candidate = candidates.size();
        candidates.push_back({search::to_string(entry.setting), entry.recording.parts, deviation_of(entry)});
        for (CandidatePart& part : candidates.back().parts) {
          part.own_seconds += *std::min_element(entry.own.begin(), entry.own.end()) - entry.own.front();
        }
      }
    }
    if (candidates.empty()) {
      throw unusable_measurement("'{}' fails for every setting: with {} it {}. Run it by itself to see why",
                                 fmt::join(entries_.front().command, " "), search::to_string(entries_.front().setting),
                                 entries_.front().failure);
    }
    const Seconds least = request_.time_budget * (1 - share);
    ranking_ = services_.rank(std::move(candidates), std::max(least, share * request_.time_budget - elapsed()));
    result_.place = services_.place();
    repeat_dry_runs();
  }

  /// Returns the standard deviation of the least time of everything but kernels: that of several runs, of a single one what it usually is.
  /// The delay by recording, which was subtracted, was another one in each run.
  [[nodiscard]] static Seconds deviation_of(const Entry& entry) {
    static constexpr double usual = 0.03;
    std::vector<Seconds> times = entry.own;
    std::sort(times.begin(), times.end());
    return std::hypot(times.size() > 1 ? times[1] - times[0] : usual * times[0], entry.recording.start_deviation);
  }

  /// Runs those settings dry again that may be the best one. Other programs make a run's own code slower, never faster.
  void repeat_dry_runs() {
    static constexpr std::size_t runs = 3, most = 12;
    static constexpr double margin = 0.05, noise = 0.2;
    if (result_.calls_depend_on_results) {
      return;
    }
    std::vector<std::size_t> near;
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      if (is_ranked(entries_[e])) {
        const RankedCandidate& row = ranking_.candidates[entries_[e].candidate];
        const Seconds best = ranking_.candidates[ranking_.best].seconds;
        if (row.seconds - best < margin * best + noise * row.own_seconds) {
          near.push_back(e);
        }
      }
    }
    const auto seconds = [&](std::size_t e) { return ranking_.candidates[entries_[e].candidate].seconds; };
    std::sort(near.begin(), near.end(), [&](std::size_t a, std::size_t b) { return seconds(a) < seconds(b); });
    near.resize(std::min(near.size(), most));
    for (std::size_t run = 1; run < runs; ++run) {
      for (const std::size_t e : near) {
        if (is_spent(1)) {
          return;
        }
        Entry& entry = entries_[e];
        const Seconds before = *std::min_element(entry.own.begin(), entry.own.end());
        const RecordedSetting recorded = record(entry, true);
        if (recorded.timed_out || recorded.exit_code != entry.recording.exit_code) {
          continue;
        }
        entry.own.push_back(recorded.parts.front().own_seconds);
        const Seconds now = *std::min_element(entry.own.begin(), entry.own.end());
        ranking_ = services_.rank_again(entry.candidate, now - before, deviation_of(entry));
      }
    }
  }

  /// Returns the entries by rising predicted time, those without a prediction last.
  [[nodiscard]] std::vector<Entry*> by_time() {
    std::vector<Entry*> order;
    for (Entry& entry : entries_) {
      order.push_back(&entry);
    }
    const auto key = [&](const Entry* entry) { return is_ranked(*entry) ? ranking_.candidates[entry->candidate].seconds : INFINITY; };
    std::stable_sort(order.begin(), order.end(), [&](const Entry* a, const Entry* b) { return key(a) < key(b); });
    return order;
  }

  /// Executes the best setting, and compares its calls with those of the dry run. A setting that fails when it is executed is none.
  void check() {
    while (!result_.calls_depend_on_results) {
      Entry& entry = *by_time().front();
      if (entry.executed) {
        return;  // compared as the best one, or when its dry run had failed
      }
      if (!execute(entry)) {
        rank();
      } else if (difference(entry.recording.calls, executed_.calls) > max_difference) {
        take(entry, std::move(executed_));
        execute_all("dry runs make other calls than a run in which all calls are executed");
        rank();
      }
    }
  }

  void remark(const std::string& text) {
    result_.remarks.push_back(text);
    context_.note(text);
  }

  /// Remarks parameters that change nothing, which the program may not read.
  void remark_idle_parameters() {
    for (const auto& [name, values] : space_.parameters) {
      std::map<Setting, const std::map<std::string, SameCalls>*> first;
      bool is_idle = true, is_compared = false;  // one considered value alone says nothing
      for (const Entry& entry : entries_) {
        if (!is_ranked(entry)) {
          continue;
        }
        Setting others = entry.setting;
        others.erase(name);
        const auto [at, is_new] = first.emplace(others, &entry.recording.calls);
        is_compared = is_compared || !is_new;
        is_idle = is_idle && (is_new || difference(*at->second, entry.recording.calls) == 0);
      }
      if (is_idle && is_compared) {
        remark(fmt::format("parameter {} changes no call of BLAS and LAPACK: check that the program reads it", name));
      }
    }
  }

  /// Remarks settings whose execution took another time than predicted.
  void remark_contradictions() {
    for (const TunedConfiguration& one : result_.configurations) {
      if (one.executed && one.interval && (*one.executed < one.interval->low || *one.executed > one.interval->high)) {
        remark(
            fmt::format("{} took {} when it was executed, and is predicted to take {} to {}: other programs ran meanwhile, or the "
                        "prediction is wrong; --validate races it",
                        search::to_string(one.setting), format_seconds(*one.executed), format_seconds(one.interval->low),
                        format_seconds(one.interval->high)));
      }
    }
  }

  void conclude() {
    for (const Entry* entry : by_time()) {
      TunedConfiguration& one = result_.configurations.emplace_back();
      one.setting = entry->setting;
      one.executed = entry->executed;
      one.failure = entry->failure;
      if (!is_ranked(*entry)) {
        one.verdict = entry->considered ? ConfigurationVerdict::failed : ConfigurationVerdict::not_considered;
        continue;
      }
      const RankedCandidate& row = ranking_.candidates[entry->candidate];
      one.verdict = entry->candidate == ranking_.best ? ConfigurationVerdict::chosen
                    : row.tied                        ? ConfigurationVerdict::tie
                                                      : ConfigurationVerdict::slower;
      one.predicted = row.seconds;
      one.interval = row.interval;
      one.kernel_seconds = row.kernel_seconds;
      one.own_seconds = row.own_seconds;
      one.behind = row.behind;
      one.extrapolated_share = row.extrapolated_share;
    }
    if (!request_.anonymous) {
      result_.command = space_.command;
    }
    result_.variables = commands_.variables();
    result_.regret = ranking_.regret;
    result_.all_seconds = elapsed();
    remark_idle_parameters();
    remark_contradictions();
    if (const auto left = std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.considered; }); left > 0) {
      remark(fmt::format("{} of {} weren't considered before the time budget was over; give a larger --time-budget", left,
                         counted(entries_.size(), "configuration")));
    }
  }

  /// Races the chosen setting against those that tie with it, or against the next one.
  void race() {
    static constexpr std::size_t least = 2, most = 4;
    RaceRequest request;
    for (const TunedConfiguration& one : result_.configurations) {
      const bool ties = one.verdict == ConfigurationVerdict::chosen || one.verdict == ConfigurationVerdict::tie;
      if (request.commands.size() < (ties ? most : one.verdict == ConfigurationVerdict::slower ? least : 0)) {
        const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.setting == one.setting; });
        request.commands.push_back(at->command);
        request.names.push_back(search::to_string(one.setting));
      }
    }
    request.time_budget = request_.time_budget;
    request.anonymous = request_.anonymous;
    result_.race = services_.race(request);
  }

  static constexpr double max_difference = 0.02;  ///< share of work in calls that differ, such as those of rows that pivoting exchanges

  const ProgramTuneRequest& request_;
  const ProgramTuneServices& services_;
  const RunContext& context_;
  Seconds begin_;
  search::ParameterSpace space_;
  SettingCommands commands_;
  std::vector<Entry> entries_;
  RecordedSetting executed_;  ///< the latest run in which all calls were executed
  CandidateRanking ranking_;
  ProgramTuning result_;
};

}  // namespace

ProgramTuning tune_program(const ProgramTuneRequest& request, const ProgramTuneServices& services, const RunContext& context) {
  return ProgramTuner(request, services, context).run();
}

}  // namespace flopcast
