#include "flopcast/tasks/programs/advice.hpp"

#include <algorithm>
#include <functional>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/search/reference_race.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/race_services.hpp"

namespace flopcast {
namespace {

using search::Verdict;
using Words = std::vector<std::string>;

/// Returns A, B, ..., Z, A1, B1, ...
std::string letter_of(std::size_t command) {
  constexpr std::size_t letters = 26;
  const std::string letter(1, static_cast<char>('A' + command % letters));
  return command < letters ? letter : letter + std::to_string(command / letters);
}

std::string name_of(const RaceRequest& request, std::size_t command) {
  return request.anonymous                ? letter_of(command)
         : command < request.names.size() ? request.names[command]
                                          : fmt::format("{}", fmt::join(request.commands[command], " "));
}

/// Returns the number of values that exceed the third quartile by more than three interquartile ranges (Tukey, 1977: far out).
std::int64_t count_outliers(const std::vector<double>& values) {
  constexpr double far_out = 3;
  const double third = quantile(values, 0.75), fence = third + far_out * (third - quantile(values, 0.25));
  return std::count_if(values.begin(), values.end(), [fence](double value) { return value > fence; });
}

/// One race: it evaluates commands by their runs, of which the first may have been kept.
class CommandRacer {
 public:
  CommandRacer(const RaceRequest& request, const RaceServices& services, const RunContext& context)
      : request_(request), services_(services), context_(context), begin_(services.clock()), race_(request.commands.size(), options()) {}

  CommandRace run() {
    if (!request_.restart) {
      kept_ = services_.kept();
    }
    const std::optional<Seconds> start_up = services_.start_up();
    bool is_cancelled = false;
    try {
      warm_up();
      race_.run([this](std::size_t candidate) { return evaluate(candidate); });
    } catch (const Cancelled&) {
      is_cancelled = true;
    }
    CommandRace result = concluded();
    result.start_up = start_up;
    const bool is_interrupted = is_cancelled || race_.ending() == search::Ending::interrupted;
    result.ending = is_interrupted                              ? RaceEnding::interrupted
                    : race_.ending() == search::Ending::decided ? RaceEnding::decided
                                                                : RaceEnding::budget;
    const bool goes_on = is_interrupted || (is_budget_spent() && result.ending == RaceEnding::budget);
    services_.keep(!goes_on ? std::vector<CommandRun>() : runs_.size() < kept_.size() ? kept_ : runs_);
    if (runs_.empty()) {
      context_.throw_if_cancelled("nothing was timed");
    }
    return result;
  }

 private:
  [[nodiscard]] search::ReferenceRaceOptions options() const {
    search::ReferenceRaceOptions options;
    options.tolerance = request_.tolerance;
    options.min_rounds = std::max(request_.min_runs, std::min(options.min_rounds, request_.max_runs));
    options.max_rounds = request_.max_runs;
    if (request_.fail_above) {
      options.limit = 1 + *request_.fail_above;
    }
    options.limits.clock = services_.clock;
    options.limits.seconds = request_.time_budget;
    options.limits.interrupted = context_.cancelled;
    return options;
  }

  [[nodiscard]] bool is_budget_spent() const { return services_.clock() - begin_ >= request_.time_budget; }

  [[nodiscard]] std::size_t command_of(std::size_t candidate) const { return candidate == race_.control() ? 0 : candidate; }

  /// Runs a command once. Throws Cancelled after an interruption, which may have ended the run, and unusable_measurement if the run failed.
  CommandRun timed(std::size_t candidate) {
    constexpr const char* kept = "runs that ended before are kept; run it again to go on";
    const std::size_t command = command_of(candidate);
    const int prepared = services_.prepare();
    context_.throw_if_cancelled(kept);
    if (prepared != 0) {
      throw unusable_measurement("the preparation '{}' ended with exit code {}, expected 0", request_.prepare, prepared);
    }
    CommandRun run = services_.run(request_.commands[command]);
    context_.throw_if_cancelled(kept);
    if (run.exit_code != 0 && !request_.ignore_failure) {
      const std::string line = services_.last_error();
      throw unusable_measurement("'{}' ended with exit code {}{}. Its times may be those of another work; --ignore-failure takes them",
                                 name_of(request_, command), run.exit_code, line.empty() ? "" : ", and its standard error with: " + line);
    }
    run.command = candidate;
    return run;
  }

  void warm_up() {
    const Progress step = context_.step("warming up");
    const auto commands = static_cast<std::int64_t>(request_.commands.size());
    for (std::int64_t i = 0; i < request_.warmup * commands && !is_budget_spent(); ++i) {
      context_.throw_if_cancelled("nothing was timed");
      static_cast<void>(timed(static_cast<std::size_t>(i % commands)));
      step(i + 1, request_.warmup * commands);
    }
  }

  Seconds evaluate(std::size_t candidate) {
    constexpr double per_second = 1000;
    if (runs_.size() < kept_.size() && kept_[runs_.size()].command == candidate && kept_[runs_.size()].elapsed > 0) {
      runs_.push_back(kept_[runs_.size()]);
      ++resumed_;
    } else {
      kept_.clear();
      runs_.push_back(timed(candidate));
    }
    progress_(static_cast<std::int64_t>(per_second * (services_.clock() - begin_)),
              static_cast<std::int64_t>(per_second * request_.time_budget));
    return runs_.back().elapsed;
  }

  /// Returns a member of all counted runs of a command.
  template <class Member>
  [[nodiscard]] std::vector<double> values_of(std::size_t command, Member member) const {
    std::vector<double> values;
    for (const CommandRun& run : runs_) {
      if (run.command == command) {
        values.push_back(static_cast<double>(run.*member));
      }
    }
    return values;
  }

  [[nodiscard]] RacedCommand raced(std::size_t command) const {
    RacedCommand raced;
    raced.name = name_of(request_, command);
    if (!request_.anonymous) {
      raced.command = request_.commands[command];
    }
    if (command > 0) {
      raced.against_reference = race_.ratio(command);
      raced.above_limit = request_.fail_above && raced.against_reference->is_above(1 + *request_.fail_above);
    }
    const std::vector<double> elapsed = values_of(command, &CommandRun::elapsed), exit_codes = values_of(command, &CommandRun::exit_code);
    raced.runs = static_cast<std::int64_t>(elapsed.size());
    raced.failures = raced.runs - std::count(exit_codes.begin(), exit_codes.end(), 0);
    if (raced.runs > 0) {
      raced.elapsed = median(elapsed);
      raced.elapsed_interval = median_interval(elapsed);
      raced.user = median(values_of(command, &CommandRun::user));
      raced.system = median(values_of(command, &CommandRun::system));
      raced.outliers = count_outliers(elapsed);
      if (const double bytes = median(values_of(command, &CommandRun::resident_bytes)); bytes > 0) {
        raced.resident_bytes = static_cast<std::int64_t>(bytes);
      }
    }
    return raced;
  }

  [[nodiscard]] CommandRace concluded() const {
    CommandRace result;
    for (std::size_t command = 0; command < request_.commands.size(); ++command) {
      result.commands.push_back(raced(command));
    }
    result.control = race_.ratio(race_.control());
    result.rounds = race_.rounds();
    result.resumed_runs = resumed_;
    result.tolerance = request_.tolerance;
    result.fail_above = request_.fail_above;
    if (!request_.anonymous) {
      result.prepare = request_.prepare;
      result.input = request_.input;
    }
    result.cpu = services_.cpu;
    tell_doubts(result);
    return result;
  }

  void tell_noisy(CommandRace& result, const std::string& reason) const {
    context_.tell_noisy(reason);
    result.remarks.push_back(std::string(noisy_machine) + reason);
  }

  /// Tells what made times unreliable, and outliers.
  void tell_doubts(CommandRace& result) const {
    if (const double cores = services_.busy_cores().value_or(0); cores > machine::OtherLoad::much) {
      tell_noisy(result, fmt::format("other programs kept {:.1f} cores busy", cores));
    }
    if (result.control.verdict == Verdict::faster || result.control.verdict == Verdict::slower) {
      tell_noisy(result, fmt::format("the reference came out {} than itself ({:.3f} times its time), so that no verdict is to be trusted. "
                                     "Race again when the machine is idle",
                                     search::to_string(result.control.verdict), *result.control.ratio));
    }
    for (const RacedCommand& command : result.commands) {
      if (command.outliers > 0) {
        result.remarks.push_back(fmt::format("{}: {} of {} took far longer than the others, which changes a median little", command.name,
                                             command.outliers, counted(command.runs, "run")));
        context_.note(result.remarks.back());
      }
    }
  }

  const RaceRequest& request_;
  const RaceServices& services_;
  const RunContext& context_;
  Seconds begin_;
  search::ReferenceRace race_;
  Progress progress_ = context_.step("racing");
  std::vector<CommandRun> kept_, runs_;
  std::int64_t resumed_ = 0;
};

void check(const RaceRequest& request) {
  if (request.commands.empty() || std::any_of(request.commands.begin(), request.commands.end(), std::mem_fn(&Words::empty))) {
    throw bad_input("race: no command given, or an empty one, expected a program with its arguments for each");
  }
  if (request.names.size() > request.commands.size()) {
    throw bad_input("race: {} given for {}, expected one for each at most", counted(request.names.size(), "name"),
                    counted(request.commands.size(), "command"));
  }
  if (request.max_runs < request.min_runs) {
    throw bad_input("race: at least {} and at most {} given, expected a largest number no less than the least", request.min_runs,
                    counted(request.max_runs, "run"));
  }
}

}  // namespace

bool CommandRace::fails() const { return std::any_of(commands.begin(), commands.end(), std::mem_fn(&RacedCommand::above_limit)); }

CommandRace race_commands(const RaceRequest& request, const RaceServices& services, const RunContext& context) {
  check(request);
  return CommandRacer(request, services, context).run();
}

CommandRace race_commands(const Workbench& bench, const RaceRequest& request, const RunContext& context) {
  check(request);
  return race_commands(request, this_race_services(bench, request), context);
}

}  // namespace flopcast
