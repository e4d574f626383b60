#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/mpi_command.hpp"
#include "flopcast/cli/options.hpp"
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

constexpr const char* space_schema = "flopcast-mpi-space-1";
constexpr const char* artifact_kind = "mpi-kernels";

constexpr const char* footer =
    R"(SPACE is a document like
  {"schema": "flopcast-mpi-space-1", "name": "tile-cholesky-4",
   "launcher": ["mpirun", "-n", "4"], "command": ["./tile_cholesky", "--n", "2000", "--nb", "{nb}"],
   "parameters": {"nb": [64, 96, 128]}}
in which every combination of the parameters' values is a configuration. What was learnt of kernels under this name is kept in the store.

Examples:
  flopcast mpi tune space.json
  flopcast mpi tune space.json --policy local --tolerance 0.05 --validate)";

struct TuneOptions {
  std::string space, policy = "local";
  path::Precision precision;
  bool validate = false;
  bool cold = false;
};

struct Space {
  std::string name;
  std::vector<std::string> launcher, command;
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
};

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

Space read_space(const std::string& file) {
  const json document = report::read_document(file, space_schema);
  Space space;
  try {
    space.name = document.at("name").get<std::string>();
    space.launcher = document.at("launcher").get<std::vector<std::string>>();
    space.command = document.at("command").get<std::vector<std::string>>();
    for (const auto& [name, values] : document.at("parameters").items()) {
      std::vector<std::string> texts;
      for (const json& value : values) {
        texts.push_back(text_of(value));
      }
      space.parameters.emplace_back(name, std::move(texts));
    }
  } catch (const json::exception& error) {
    throw bad_input("{}: name, launcher, command and parameters are needed as 'flopcast mpi tune --help' shows them: {}", file,
                    error.what());
  }
  if (space.launcher.empty() || space.command.empty() || space.name.empty()) {
    throw bad_input("{}: name, launcher and command must not be empty", file);
  }
  for (const auto& [name, values] : space.parameters) {
    if (values.empty()) {
      throw bad_input("{}: parameter '{}' has no values", file, name);
    }
    const std::string place = '{' + name + '}';
    const auto mentions = [&](const std::string& word) { return word.find(place) != std::string::npos; };
    if (std::none_of(space.command.begin(), space.command.end(), mentions)) {
      throw bad_input("{}: parameter '{}' occurs nowhere in the command; expected {} in one of its words", file, name, place);
    }
  }
  return space;
}

using Setting = std::vector<std::pair<std::string, std::string>>;

/// Every combination, the last parameter changing fastest.
std::vector<Setting> settings_of(const Space& space) {
  std::vector<Setting> all = {{}};
  for (const auto& [name, values] : space.parameters) {
    std::vector<Setting> longer;
    for (const Setting& setting : all) {
      for (const std::string& value : values) {
        longer.push_back(setting);
        longer.back().emplace_back(name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::string> command_of(const Space& space, const Setting& setting) {
  std::vector<std::string> words = space.command;
  for (std::string& word : words) {
    for (const auto& [name, value] : setting) {
      const std::string place = '{' + name + '}';
      for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + value.size())) {
        word.replace(at, place.size(), value);
      }
    }
  }
  return words;
}

std::string text_of(const Setting& setting) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : setting) {
    parts.push_back(name + '=' + value);
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

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

path::KernelStatistics statistics_of(const json& executed) {
  const auto count = executed.at("count").get<std::int64_t>();
  const double squares = executed.at("variance").get<double>() * static_cast<double>(std::max<std::int64_t>(count - 1, 0));
  return {count, executed.at("mean").get<double>(), squares};
}

/// What is known of kernels, as a profile without costs: by their names.
class KnownKernels {
 public:
  void add(const json& profile) {
    for (const json& kernel : profile.at("kernels")) {
      const std::string name = kernel.at("kernel").get<std::string>();
      const auto [known, added] = kernels_.try_emplace(name, kernel);
      if (!added) {
        path::KernelStatistics all = statistics_of(known->second.at("executed"));
        all.merge(statistics_of(kernel.at("executed")));
        known->second["executed"] = {{"count", all.count}, {"mean", all.mean}, {"variance", all.variance()}};
      }
    }
  }
  [[nodiscard]] json document() const {
    json list = json::array();
    for (const auto& [name, kernel] : kernels_) {
      list.push_back(kernel);
    }
    return {{"schema", mpi_profile_schema}, {"kernels", std::move(list)}};
  }

 private:
  std::map<std::string, json> kernels_;
};

/// What came of a configuration.
struct Outcome {
  Setting setting;
  Seconds predicted = 0, half_width = 0;
  Seconds launch = 0;  ///< time from the start of the selective execution to its end
  Seconds elapsed = 0;
  double executed_share = 0;  ///< of the kernels
  std::optional<Seconds> full_path, full_elapsed;
};

/// Half-width of the interval of a predicted time: the errors of kernels' means, each as often as the kernel occurs on the path, twice the root of their squares' sum.
Seconds half_width_of(const json& profile) {
  double squares = 0;
  for (const json& kernel : profile.at("kernels")) {
    const path::KernelStatistics times = statistics_of(kernel.at("executed"));
    const double along = kernel.at("along").at("count").get<double>();
    squares += times.count > 0 ? along * along * times.variance() / static_cast<double>(times.count) : 0;
  }
  return 2 * std::sqrt(squares);
}

class Tuner {
 public:
  Tuner(Space space, const TuneOptions& options, model::Store& store) : space_(std::move(space)), options_(options), store_(store) {
    if (const std::optional<json> kept = options.cold ? std::nullopt : store_.find_artifact(artifact_kind, space_.name)) {
      known_.add(*kept);
    }
  }

  Outcome try_setting(const Setting& setting) {
    Outcome outcome;
    outcome.setting = setting;
    if (options_.validate) {
      const json full = run(setting, "full").first;
      outcome.full_path = full.at("path").at("seconds").get<double>();
      outcome.full_elapsed = full.at("elapsed_seconds").get<double>();
    }
    const auto [profile, launch] = run(setting, options_.policy);
    outcome.predicted = profile.at("path").at("seconds").get<double>();
    outcome.half_width = half_width_of(profile);
    outcome.elapsed = profile.at("elapsed_seconds").get<double>();
    outcome.launch = launch;
    outcome.executed_share = share(profile);
    known_.add(profile);
    store_.put_artifact(artifact_kind, space_.name, known_.document());
    return outcome;
  }

 private:
  static double share(const json& profile) {
    double executed = 0;
    double all = 0;
    for (const json& kernel : profile.at("kernels")) {
      executed += kernel.at("executed").at("count").get<double>();
      all += kernel.at("executed").at("count").get<double>() + kernel.at("skipped").get<double>();
    }
    return all > 0 ? executed / all : 1;
  }

  /// The profile of a run, and how long the run took with all that belongs to starting it.
  std::pair<json, Seconds> run(const Setting& setting, const std::string& policy) {
    const std::string output = folder_.file("profile.json");
    const std::string statistics = folder_.file("statistics.json");
    report::write_file(statistics, known_.document().dump());
    std::vector<std::string> words = space_.launcher;
    for (const std::string& word :
         {fs::read_symlink("/proc/self/exe").string(), std::string("mpi"), std::string("run"), std::string("--quiet"),
          std::string("--policy"), policy, std::string("--tolerance"), fmt::format("{}", options_.precision.tolerance),
          std::string("--confidence"), fmt::format("{}", options_.precision.confidence), std::string("--statistics"), statistics,
          std::string("--output"), output, std::string("--")}) {
      words.push_back(word);
    }
    const std::vector<std::string> command = command_of(space_, setting);
    words.insert(words.end(), command.begin(), command.end());
    std::error_code none;
    fs::remove(output, none);
    words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$@\" >&2", "sh"});  // what the program prints is no result of ours
    const auto start = std::chrono::steady_clock::now();
    const int code = interpose::run_program("/bin/sh", words, interpose::current_environment());
    const std::chrono::duration<Seconds> seconds = std::chrono::steady_clock::now() - start;
    if (code != 0 || !fs::exists(output)) {
      throw unusable_measurement("configuration {} ended with exit code {} and {} profile: {}", text_of(setting), code,
                                 fs::exists(output) ? "a" : "no", fmt::join(command, " "));
    }
    return {report::read_document(output, mpi_profile_schema), seconds.count()};
  }

  Space space_;
  const TuneOptions& options_;
  model::Store& store_;
  KnownKernels known_;
  Folder folder_;
};

const Outcome& best_of(const std::vector<Outcome>& outcomes) {
  return *std::min_element(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) { return a.predicted < b.predicted; });
}

/// Whether the intervals of `outcome` and of the best one meet.
bool ties(const Outcome& outcome, const Outcome& best) {
  return outcome.predicted - outcome.half_width <= best.predicted + best.half_width;
}

std::string verdict(const Outcome& outcome, const Outcome& best) { return &outcome == &best ? "chosen" : ties(outcome, best) ? "tie" : ""; }

report::Cell seconds_cell(Seconds seconds) { return {seconds, format_seconds(seconds)}; }
report::Cell percent(double value) { return {value, fmt::format("{:.1f}", value)}; }

report::Table table_of(const std::vector<Outcome>& outcomes, bool validated) {
  report::Table table;
  table.columns = {{"configuration", report::Align::left},
                   {"predicted", report::Align::right, "predicted_seconds"},
                   {"+-", report::Align::right, "half_width_seconds"},
                   {"% executed", report::Align::right, "percent_executed"},
                   {"run took", report::Align::right, "elapsed_seconds"}};
  if (validated) {
    table.columns.insert(table.columns.end(), {{"full path", report::Align::right, "full_path_seconds"},
                                               {"full run", report::Align::right, "full_elapsed_seconds"},
                                               {"error %", report::Align::right, "error_percent"}});
  }
  table.columns.push_back({"", report::Align::left, "verdict"});
  const Outcome& best = best_of(outcomes);
  for (const Outcome& outcome : outcomes) {
    std::vector<report::Cell> row = {text_of(outcome.setting), seconds_cell(outcome.predicted), seconds_cell(outcome.half_width),
                                     percent(100 * outcome.executed_share), seconds_cell(outcome.elapsed)};
    if (validated) {
      row.push_back(seconds_cell(*outcome.full_path));
      row.push_back(seconds_cell(*outcome.full_elapsed));
      row.push_back(percent(100 * (outcome.predicted / *outcome.full_path - 1)));
    }
    row.emplace_back(verdict(outcome, best));
    table.rows.push_back(std::move(row));
  }
  return table;
}

json document_of(const std::vector<Outcome>& outcomes, const Space& space) {
  const Outcome& best = best_of(outcomes);
  json list = json::array();
  for (const Outcome& outcome : outcomes) {
    json entry = {{"configuration", json::object()},          {"predicted_seconds", outcome.predicted},
                  {"half_width_seconds", outcome.half_width}, {"executed_share", outcome.executed_share},
                  {"elapsed_seconds", outcome.elapsed},       {"launch_seconds", outcome.launch},
                  {"verdict", verdict(outcome, best)}};
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

void tune(const TuneOptions& options, const CommonOptions& common) {
  if (options.policy != path::policy_name(path::policy_named(options.policy)) || options.policy == "a-priori") {
    throw usage_error("--policy a-priori needs a full execution of every configuration; tuning takes full, conditional or local");
  }
  const Space space = read_space(options.space);
  interpose::find_program(space.launcher.front());
  model::Store store = model::Store::open();
  Tuner tuner(space, options, store);
  std::vector<Outcome> outcomes;
  for (const Setting& setting : settings_of(space)) {
    throw_if_interrupted("what was learnt of kernels is kept; run it again to go on");
    outcomes.push_back(tuner.try_setting(setting));
    note(fmt::format("{}: {}", text_of(setting), format_seconds(outcomes.back().predicted)), common);
  }
  if (common.json) {
    emit(document_of(outcomes, space), common);
    return;
  }
  emit(table_of(outcomes, options.validate), common);
  if (options.validate) {
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
}

}  // namespace

void add_mpi_tune_command(CLI::App& mpi, CommonOptions& common) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = mpi.add_subcommand("tune", "Predict every configuration of an MPI program by selective execution");
  command->add_option("space", options->space, "The space's file")->required()->type_name("SPACE");
  command->add_option("--policy", options->policy, "full, conditional or local (default: local)");
  command
      ->add_option("--tolerance", options->precision.tolerance,
                   "Relative half-width of the interval at which a kernel's time is known (default: 0.1)")
      ->check(CLI::PositiveNumber);
  command->add_option("--confidence", options->precision.confidence, "Of that interval (default: 0.95)")->check(CLI::Range(0.5, 0.9999));
  command->add_flag("--validate", options->validate, "Execute each configuration in full as well, before, and compare");
  command->add_flag("--cold", options->cold, "Begin without what the store knows of kernels under the space's name");
  command->footer(footer);
  command->callback([options, &common] { tune(*options, common); });
}

}  // namespace flopcast::cli
