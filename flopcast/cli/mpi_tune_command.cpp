#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/mpi_command.hpp"
#include "flopcast/cli/mpi_known_kernels.hpp"
#include "flopcast/cli/mpi_space.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/stopwatch.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/interpose/launch.hpp"
#include "flopcast/interpose/process_environment.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/path/execution_policy.hpp"
#include "flopcast/report/file.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* footer =
    R"(SPACE is a document like
  {"schema": "flopcast-mpi-space-1", "name": "tile-cholesky-4",
   "launcher": ["mpirun", "-n", "4"], "command": ["./tile_cholesky", "--n", "2000", "--nb", "{nb}"],
   "parameters": {"nb": [64, 96, 128]}}
in which every combination of the parameters' values is a configuration. What was learnt of kernels is kept in the store, for all programs
on this machine with the same MPI, BLAS and number of processes.

Examples:
  flopcast mpi tune space.json
  flopcast mpi tune space.json --policy local --tolerance 0.05 --validate)";

struct TuneOptions {
  std::string space, policy = "local";
  std::string self_check = "first", statistics;
  path::Precision precision;
  double least_coverage = 25;  ///< percent
  bool no_across_sizes = false;
  bool no_windows = false;
  bool validate = false;
  bool cold = false;
};

/// A folder that goes with this object.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "flopcast-tune-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      throw environment_error("can't make a folder {}", path_);
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  [[nodiscard]] std::string file(const char* name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

/// What came of a configuration.
struct Outcome {
  MpiSetting setting;
  Seconds predicted = 0, half_width = 0;
  Seconds launch = 0;  ///< time from the start of the execution that tells to its end
  Seconds elapsed = 0;
  double executed_share = 0;  ///< of the kernels
  double coverage = 0;        ///< share of the path that lies in kernels
  bool covered = true;        ///< enough of it for a prediction
  bool skipped_safely =
      true;  ///< the selective execution made the calls of a full one, as far as that was looked at; otherwise it was executed in full
  std::optional<Seconds> full_path, full_elapsed;
};

/// Half-width of the interval of a predicted time: the errors of kernels' means, each as often as the kernel occurs on the path, twice the
/// root of their squares' sum, and of predictions across sizes.
Seconds half_width_of(const json& profile) {
  double squares = 0;
  for (const json& kernel : profile.at("kernels")) {
    const path::KernelStatistics times = telling_times(kernel);
    const double along = kernel.at("along").at("count").get<double>();
    squares += times.count > 0 ? along * along * times.variance() / static_cast<double>(times.count) : 0;
  }
  return std::hypot(2 * std::sqrt(squares), profile.value("prediction_error_seconds", 0.0));
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

/// A run's profile, and how long the run took with all that belongs to starting it.
struct Run {
  json profile;
  Seconds launch = 0;
  Seconds earlier = 0;  ///< that executions before it took which it needs
};

class Tuner {
 public:
  Tuner(MpiSpace space, const TuneOptions& options, model::Store& store) : space_(std::move(space)), options_(options), store_(store) {
    if (!options.cold) {
      known_ = stored_mpi_kernels(store);
    }
    if (!options.statistics.empty()) {
      known_.add(report::read_document(options.statistics, mpi_profile_schema));
    }
  }

  Outcome try_setting(const MpiSetting& setting) {
    const bool compare = options_.self_check == "all" || (options_.self_check == "first" && !compared_);
    std::optional<Run> full;
    if (options_.validate || compare || distrusts_) {
      full = run(setting, "full");
    }
    if (!distrusts_) {
      const std::optional<Run> selective = try_selectively(setting);
      compared_ = compared_ || full.has_value();
      if (selective && (!full || full->profile.at("calls") == selective->profile.at("calls"))) {
        return outcome_of(setting, *selective, full, true);
      }
      distrusts_ = true;
    }
    if (!full) {
      full = run(setting, "full");
    }
    return outcome_of(setting, *full, full, false);
  }

  /// A selective execution failed, or made other calls of MPI than a full one: from then on all is executed in full.
  [[nodiscard]] bool distrusts_skipping() const noexcept { return distrusts_; }
  /// Kernels whose stored times no longer held.
  [[nodiscard]] int drifted() const noexcept { return drifted_; }

 private:
  Outcome outcome_of(const MpiSetting& setting, const Run& telling, const std::optional<Run>& full, bool skipped_safely) {
    Outcome outcome;
    outcome.setting = setting;
    outcome.predicted = telling.profile.at("path").at("seconds").get<double>();
    outcome.half_width = half_width_of(telling.profile);
    outcome.elapsed = telling.profile.at("elapsed_seconds").get<double>() + telling.earlier;
    outcome.launch = telling.launch;
    outcome.executed_share = executed_share(telling.profile);
    outcome.coverage = mpi_coverage(telling.profile);
    outcome.covered = outcome.coverage >= options_.least_coverage / 100;
    outcome.skipped_safely = skipped_safely;
    if (full) {
      outcome.full_path = full->profile.at("path").at("seconds").get<double>();
      outcome.full_elapsed = full->profile.at("elapsed_seconds").get<double>();
    }
    known_.add(telling.profile);
    drifted_ += store_mpi_kernels(store_, telling.profile);
    return outcome;
  }

  /// Policy a-priori goes by how often kernels occur along the path. It needn't be executed in full to count that: a selective execution's
  /// path has the same kernels.
  std::optional<Run> try_selectively(const MpiSetting& setting) {
    if (path::policy_named(options_.policy) != path::Policy::a_priori) {
      return try_run(setting, options_.policy);
    }
    const std::optional<Run> counted = try_run(setting, "conditional");
    if (!counted) {
      return std::nullopt;
    }
    known_.add(counted->profile);
    known_.count_along(counted->profile);
    std::optional<Run> selective = try_run(setting, options_.policy);
    if (selective) {
      selective->launch += counted->launch;
      selective->earlier = counted->profile.at("elapsed_seconds").get<double>();
    }
    return selective;
  }

  Run run(const MpiSetting& setting, const std::string& policy) {
    std::optional<Run> made = try_run(setting, policy);
    if (!made) {
      throw unusable_measurement("configuration {} ended with an exit code other than 0 or without a profile: {}", text_of(setting),
                                 fmt::join(command_of(space_, setting), " "));
    }
    return std::move(*made);
  }

  /// Nothing if the program fails: with kernels left out it may be for that.
  std::optional<Run> try_run(const MpiSetting& setting, const std::string& policy) {
    const std::string output = folder_.file("profile.json");
    const std::string statistics = folder_.file("statistics.json");
    report::write_file(statistics, known_.document().dump());
    std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$@\" >&2", "sh"};  // what the program prints is no result of ours
    words.insert(words.end(), space_.launcher.begin(), space_.launcher.end());
    words.insert(words.end(), {fs::read_symlink("/proc/self/exe").string(), "mpi", "run", "--quiet", "--policy", policy, "--tolerance",
                               fmt::format("{}", options_.precision.tolerance), "--confidence",
                               fmt::format("{}", options_.precision.confidence), "--statistics", statistics, "--output", output});
    if (!options_.no_across_sizes) {
      words.emplace_back("--across-sizes");
    }
    if (options_.no_windows) {
      words.emplace_back("--no-windows");
    }
    words.emplace_back("--");
    const std::vector<std::string> command = command_of(space_, setting);
    words.insert(words.end(), command.begin(), command.end());
    std::error_code none;
    fs::remove(output, none);
    const Stopwatch watch;
    const int code = interpose::run_program("/bin/sh", words, interpose::current_environment());
    const Seconds launch = watch.elapsed();
    if (code != 0 || !fs::exists(output)) {
      throw_if_interrupted("what was learnt of kernels is kept; run it again to go on");
      return std::nullopt;
    }
    return Run{report::read_document(output, mpi_profile_schema), launch, 0};
  }

  MpiSpace space_;
  const TuneOptions& options_;
  model::Store& store_;
  MpiKnownKernels known_;
  Folder folder_;
  bool compared_ = false, distrusts_ = false;
  int drifted_ = 0;
};

/// The fastest of those that have a prediction. Throws unusable_measurement if none has.
const Outcome& best_of(const std::vector<Outcome>& outcomes, const TuneOptions& options) {
  const Outcome* best = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (outcome.covered && (best == nullptr || outcome.predicted < best->predicted)) {
      best = &outcome;
    }
  }
  if (best == nullptr) {
    throw unusable_measurement(
        "in no configuration do kernels that flopcast sees make up {} % of the path, in the first {:.1f} %: is BLAS linked statically? "
        "--least-coverage 0 predicts all the same",
        options.least_coverage, 100 * outcomes.front().coverage);
  }
  return *best;
}

/// Whether the intervals of `outcome` and of the best one meet.
bool ties(const Outcome& outcome, const Outcome& best) {
  return outcome.predicted - outcome.half_width <= best.predicted + best.half_width;
}

std::string verdict(const Outcome& outcome, const Outcome& best) {
  return !outcome.covered ? "too little seen" : &outcome == &best ? "chosen" : ties(outcome, best) ? "tie" : "";
}

report::Cell seconds_cell(Seconds seconds) { return {seconds, format_seconds(seconds)}; }
report::Cell percent(double value) { return {value, fmt::format("{:.1f}", value)}; }
report::Cell prediction(const Outcome& outcome, Seconds seconds) { return outcome.covered ? seconds_cell(seconds) : report::Cell(""); }

report::Table table_of(const std::vector<Outcome>& outcomes, const TuneOptions& options) {
  report::Table table;
  table.columns = {{"configuration", report::Align::left},
                   {"predicted", report::Align::right, "predicted_seconds"},
                   {"+-", report::Align::right, "half_width_seconds"},
                   {"% seen", report::Align::right, "percent_seen"},
                   {"% executed", report::Align::right, "percent_executed"},
                   {"run took", report::Align::right, "elapsed_seconds"}};
  if (options.validate) {
    table.columns.insert(table.columns.end(), {{"full path", report::Align::right, "full_path_seconds"},
                                               {"full run", report::Align::right, "full_elapsed_seconds"},
                                               {"error %", report::Align::right, "error_percent"}});
  }
  table.columns.push_back({"", report::Align::left, "verdict"});
  const Outcome& best = best_of(outcomes, options);
  for (const Outcome& outcome : outcomes) {
    std::vector<report::Cell> row = {
        text_of(outcome.setting),        prediction(outcome, outcome.predicted), prediction(outcome, outcome.half_width),
        percent(100 * outcome.coverage), percent(100 * outcome.executed_share),  seconds_cell(outcome.elapsed)};
    if (options.validate) {
      row.push_back(seconds_cell(*outcome.full_path));
      row.push_back(seconds_cell(*outcome.full_elapsed));
      row.push_back(percent(100 * (outcome.predicted / *outcome.full_path - 1)));
    }
    row.emplace_back(verdict(outcome, best));
    table.rows.push_back(std::move(row));
  }
  return table;
}

json document_of(const std::vector<Outcome>& outcomes, const MpiSpace& space, const TuneOptions& options) {
  const Outcome& best = best_of(outcomes, options);
  json list = json::array();
  for (const Outcome& outcome : outcomes) {
    json entry = {{"configuration", json::object()},    {"executed_share", outcome.executed_share}, {"coverage", outcome.coverage},
                  {"elapsed_seconds", outcome.elapsed}, {"launch_seconds", outcome.launch},         {"selective", outcome.skipped_safely},
                  {"verdict", verdict(outcome, best)}};
    if (outcome.covered) {
      entry["predicted_seconds"] = outcome.predicted;
      entry["half_width_seconds"] = outcome.half_width;
    }
    for (const auto& [name, value] : outcome.setting) {
      entry["configuration"][name] = value;
    }
    if (outcome.full_path) {
      entry["full_path_seconds"] = *outcome.full_path;
      entry["full_elapsed_seconds"] = *outcome.full_elapsed;
    }
    list.push_back(std::move(entry));
  }
  return {{"schema", "flopcast-mpi-tuning-1"}, {"name", space.name}, {"configurations", std::move(list)}};
}

void tell_times(const std::vector<Outcome>& outcomes, const CommonOptions& common) {
  Seconds full = 0;
  Seconds selective = 0;
  for (const Outcome& outcome : outcomes) {
    full += *outcome.full_elapsed;
    selective += outcome.elapsed;
  }
  note(fmt::format("flopcast: full executions {}, selective ones {}: {:.2f} times less", format_seconds(full), format_seconds(selective),
                   full / selective),
       common);
}

void require_known_choices(const TuneOptions& options) {
  static_cast<void>(path::policy_named(options.policy));
  if (options.self_check != "none" && options.self_check != "first" && options.self_check != "all") {
    throw usage_error("--self-check must be none, first or all, not '{}'", options.self_check);
  }
}

void tune(const TuneOptions& options, const CommonOptions& common) {
  require_known_choices(options);
  const MpiSpace space = read_mpi_space(options.space);
  interpose::find_program(space.launcher.front());
  model::Store store = model::Store::open();
  Tuner tuner(space, options, store);
  std::vector<Outcome> outcomes;
  for (const MpiSetting& setting : settings_of(space)) {
    throw_if_interrupted("what was learnt of kernels is kept; run it again to go on");
    const bool trusted = !tuner.distrusts_skipping();
    outcomes.push_back(tuner.try_setting(setting));
    note(fmt::format("{}: {}", text_of(setting), format_seconds(outcomes.back().predicted)), common);
    if (trusted && tuner.distrusts_skipping()) {
      note(
          "flopcast: with kernels left out the program fails or makes other calls of MPI than in full; it goes by its results, and is "
          "executed in "
          "full from here on",
          common);
    }
  }
  if (tuner.drifted() > 0) {
    note(fmt::format("flopcast: stored times of {} kernels no longer held and were replaced", tuner.drifted()), common);
  }
  if (common.json) {
    emit(document_of(outcomes, space, options), common);
    return;
  }
  emit(table_of(outcomes, options), common);
  if (options.validate) {
    tell_times(outcomes, common);
  }
}

}  // namespace

void add_mpi_tune_command(CLI::App& mpi, CommonOptions& common) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = mpi.add_subcommand("tune", "Predict every configuration of an MPI program by selective execution");
  command->add_option("space", options->space, "The space's file")->required()->type_name("SPACE");
  command->add_option("--policy", options->policy, "full, conditional, local, online, a-priori or eager (default: local)");
  command
      ->add_option("--tolerance", options->precision.tolerance,
                   "Relative half-width of the interval at which a kernel's time is known (default: 0.1)")
      ->check(CLI::PositiveNumber);
  command->add_option("--confidence", options->precision.confidence, "Of that interval (default: 0.95)")->check(CLI::Range(0.5, 0.9999));
  command->add_flag("--no-across-sizes", options->no_across_sizes,
                    "Execute kernels of sizes never seen, instead of predicting them from other sizes");
  command->add_flag("--no-windows", options->no_windows,
                    "Never execute stretches as a whole: kernels are then timed among skipped ones (as Critter does)");
  command
      ->add_option("--least-coverage", options->least_coverage,
                   "Percent of the path that must lie in kernels which flopcast sees; with less there is no prediction (default: 25)")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--self-check", options->self_check,
                      "Configurations whose MPI calls are compared with a full execution's: none, first or all; if they differ, all are "
                      "executed in full (default: first)");
  command->add_option("--statistics", options->statistics, "Profile of another user's run: what it knows of kernels needs fewer executions")
      ->type_name("FILE");
  command->add_flag("--validate", options->validate, "Execute each configuration in full as well, before, and compare");
  command->add_flag("--cold", options->cold, "Begin without what the store knows of kernels");
  command->footer(footer);
  command->callback([options, &common] { tune(*options, common); });
}

}  // namespace flopcast::cli
