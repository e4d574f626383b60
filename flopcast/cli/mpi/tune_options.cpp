
#include <charconv>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/machine_options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/program_kernels.hpp"
#include "flopcast/tasks/mpi/space.hpp"
#include "flopcast/tasks/mpi/tuner.hpp"

namespace flopcast::cli {
namespace {

using nlohmann::json;

constexpr const char* footer =
    R"(SPACE is a document like
  {"schema": "flopcast-mpi-space-1", "name": "tile-cholesky-4",
   "launcher": ["mpirun", "-n", "4"], "command": ["./tile_cholesky", "--n", "2000", "--nb", "{nb}"],
   "parameters": {"nb": [64, 96, 128]}}
in which every combination of the parameters' values is a configuration. Relative paths begin in the folder where flopcast is started.
What was learnt of kernels is kept in the store, for all programs on this machine with the same MPI, BLAS and number of processes.
Under any policy but full kernels are left out: what the program computes and prints is garbage. A program that goes by its results (a
residual check, a loop that ends when it has converged) is found out by that, and executed in full from then on.

Examples:
  flopcast mpi tune space.json
  flopcast mpi tune space.json --finalists auto
  flopcast mpi tune space.json --policy local --tolerance 0.05 --validate)";

/// Whether what was measured can't be: kernels that take longer than the path on which they lie, or an interval that reaches below zero. The
/// machine was restless meanwhile.
bool is_restless(const MpiOutcome& outcome) {
  constexpr double error = 1.03;
  return outcome.covered && (outcome.coverage > error || outcome.half_width > outcome.predicted);
}

/// Whether to choose `one` rather than `other`: one that can be, the faster one by full executions where there are any that the choice goes by, else by
/// predictions.
bool is_better(const MpiOutcome& one, const MpiOutcome& other) {
  if (one.finalist != other.finalist) {
    return one.finalist;
  }
  if (!one.finalist && is_restless(one) != is_restless(other)) {
    return is_restless(other);
  }
  return one.finalist ? *one.full_path < *other.full_path : one.predicted < other.predicted;
}

/// The best of those that have a prediction. Throws unusable_measurement if none has.
const MpiOutcome& best_of(const std::vector<MpiOutcome>& outcomes, const MpiTuneOptions& options) {
  const MpiOutcome* best = nullptr;
  for (const MpiOutcome& outcome : outcomes) {
    if (outcome.covered && (best == nullptr || is_better(outcome, *best))) {
      best = &outcome;
    }
  }
  if (best == nullptr) {
    throw unusable_measurement(
        "in no configuration do kernels that flopcast sees make up {} % of the path, in the first {:.1f} %: is BLAS linked statically? "
        "--least-coverage 0 predicts all the same",
        options.min_coverage, 100 * outcomes.front().coverage);
  }
  return *best;
}

/// Whether the intervals of `outcome` and of the best one meet; of one that the choice goes by, the time that it took.
bool ties(const MpiOutcome& outcome, const MpiOutcome& best) {
  return outcome.predicted - outcome.half_width <= (best.finalist ? *best.full_path : best.predicted + best.half_width);
}

std::string verdict(const MpiOutcome& outcome, const MpiOutcome& best) {
  return outcome.failed                              ? "failed"
         : !outcome.covered                          ? "too little seen"
         : is_restless(outcome) && !outcome.finalist ? "undecided"
         : &outcome == &best                         ? "chosen"
         : outcome.finalist                          ? "finalist"
         : ties(outcome, best)                       ? "tie"
                                                     : "";
}

report::Cell prediction(const MpiOutcome& outcome, Seconds seconds) { return outcome.covered ? seconds_cell(seconds) : report::Cell(""); }

report::Table table_of(const std::vector<MpiOutcome>& outcomes, const MpiTuneOptions& options) {
  report::Table table;
  table.columns = {{"configuration", report::Align::left},
                   {"predicted", report::Align::right, "predicted_seconds"},
                   {"+-", report::Align::right, "half_width_seconds"},
                   {"% seen", report::Align::right, "percent_seen"},
                   {"% executed", report::Align::right, "percent_executed"},
                   {"run took", report::Align::right, "elapsed_seconds"}};
  const bool shows_full = options.validate || options.has_finalists();
  if (shows_full) {
    table.columns.insert(table.columns.end(), {{"full path", report::Align::right, "full_path_seconds"},
                                               {"full run", report::Align::right, "full_elapsed_seconds"},
                                               {"error %", report::Align::right, "error_percent"}});
  }
  table.columns.push_back({"", report::Align::left, "verdict"});
  const MpiOutcome& best = best_of(outcomes, options);
  for (const MpiOutcome& outcome : outcomes) {
    if (outcome.failed) {
      std::vector<report::Cell> row(table.columns.size(), report::Cell(""));
      row.front() = text_of(outcome.setting);
      row.back() = verdict(outcome, best);
      table.rows.push_back(std::move(row));
      continue;
    }
    std::vector<report::Cell> row = {
        text_of(outcome.setting),     prediction(outcome, outcome.predicted), prediction(outcome, outcome.half_width),
        percent(outcome.coverage, 1), percent(outcome.executed_share, 1),     seconds_cell(outcome.elapsed + outcome.checking)};
    if (shows_full && (options.validate || outcome.finalist)) {
      row.push_back(seconds_cell(*outcome.full_path));
      row.push_back(seconds_cell(*outcome.full_elapsed));
      row.push_back(percent(outcome.predicted - *outcome.full_path, *outcome.full_path));
    } else if (shows_full) {
      row.insert(row.end(), 3, report::Cell(""));
    }
    row.emplace_back(verdict(outcome, best));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// By executions of all configurations, as the program measures itself.
struct Taken {
  Seconds in_full = 0, selectively = 0;
};

/// Where all were executed in full as well.
Taken taken_by(const std::vector<MpiOutcome>& outcomes) {
  Taken all;
  for (const MpiOutcome& outcome : outcomes) {
    all.in_full += outcome.full_elapsed.value_or(0);
    all.selectively += outcome.elapsed;
  }
  return all;
}

json document_of(const std::vector<MpiOutcome>& outcomes, const MpiTuner& tuner, const MpiSpace& space, const MpiTuneOptions& options) {
  const MpiOutcome& best = best_of(outcomes, options);
  json list = json::array();
  for (const MpiOutcome& outcome : outcomes) {
    json entry = {{"configuration", json::object()}, {"verdict", verdict(outcome, best)}};
    if (!outcome.failed) {
      entry["executed_share"] = outcome.executed_share;
      entry["coverage"] = outcome.coverage;
      entry["elapsed_seconds"] = outcome.elapsed;
      entry["selective"] = outcome.skipped_safely && options.policy != path::policy_name(path::Policy::full);
      entry["self_check_seconds"] = outcome.checking;
    }
    if (!outcome.spent.empty()) {
      entry["spent"] = outcome.spent;
    }
    if (outcome.covered) {
      entry["predicted_seconds"] = outcome.predicted;
      entry["half_width_seconds"] = outcome.half_width;
    }
    for (const auto& [name, value] : outcome.setting) {
      entry["configuration"][name] = value;
    }
    if (options.has_finalists()) {
      entry["finalist"] = outcome.finalist;
    }
    if (outcome.full_path) {
      entry["full_path_seconds"] = *outcome.full_path;
      entry["full_elapsed_seconds"] = *outcome.full_elapsed;
    }
    list.push_back(std::move(entry));
  }
  json document = {{"schema", "flopcast-mpi-tuning-1"},
                   {"name", space.name},
                   {"launches", tuner.launches()},
                   {"launch_seconds", tuner.launch_seconds()},
                   {"self_check_remembered", tuner.remembered_check()},
                   {"clock", tuner.clock()},
                   {"cores_of_others", tuner.others()},
                   {"configurations", std::move(list)}};
  if (options.validate) {
    const Taken taken = taken_by(outcomes);
    document["full_seconds"] = taken.in_full;
    document["selective_seconds"] = taken.selectively;
  }
  return document;
}

void tell_times(const Taken& taken, const CommonOptions& common) {
  note(fmt::format("flopcast: full executions {}, selective ones {}: {:.2f} times less", format_seconds(taken.in_full),
                   format_seconds(taken.selectively), taken.in_full / taken.selectively),
       common);
}

void tell_others(double cores, const CommonOptions& common) {
  constexpr double noticeable = 0.1;
  if (cores >= noticeable) {
    note(
        fmt::format("flopcast: warning: other programs kept {:.1f} cores busy meanwhile; times measured beside them say little. Tune on an "
                    "idle machine, or with fewer processes",
                    cores),
        common);
  }
}

void read_finalists(const std::string& text, MpiTuneOptions& options) {
  constexpr std::size_t most = 1000000;
  options.finalists_in_doubt = text == "auto";
  options.finalists = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.finalists);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && options.finalists <= most;
  if (!options.finalists_in_doubt && !is_number) {
    throw usage_error("--finalists must be auto or a number from 0 to {}, not '{}'", most, text);
  }
}

void require_known_choices(const MpiTuneOptions& options) {
  if (const path::Policy policy = chosen_by_option("--policy", options.policy, path::policy_named);
      policy == path::Policy::random || policy == path::Policy::rehearsal) {
    throw usage_error("--policy {} predicts nothing; tune takes full, conditional, local, online, a-priori or eager", options.policy);
  }
  if (options.self_check != "none" && options.self_check != "once" && options.self_check != "one" && options.self_check != "all") {
    throw usage_error("--self-check must be none, once, one or all, not '{}'", options.self_check);
  }
}

void tune(const MpiTuneOptions& options, const CommonOptions& common) {
  require_known_choices(options);
  parse_patience(options.patience);
  const MpiSpace space = read_mpi_space(options.space);
  interpose::find_program(space.launcher.front());
  require_programs(space, options.space);
  set_kernels_of(command_of(space, settings_of(space).front()).front(), options.kernels, run_context(common));
  model::Store store = model::Store::open();
  MpiTuner tuner(space, options, store);
  if (options.policy != path::policy_name(path::Policy::full)) {
    note(fmt::format("flopcast: kernels are left out (--policy {}): what the program computes and prints meanwhile is garbage",
                     options.policy),
         common);
  }
  const std::vector<MpiOutcome> outcomes = tuner.tune(run_context(common));
  if (tuner.drifted() > 0 && !options.cold) {  // which didn't go by them
    note(fmt::format("flopcast: stored times of {} no longer held and were replaced", counted(tuner.drifted(), "kernel")), common);
  }
  tell_others(tuner.others(), common);
  if (const auto restless = std::count_if(outcomes.begin(), outcomes.end(), is_restless); restless > 0) {
    note(fmt::format("flopcast: the machine is restless: of {} configuration{} kernels took longer than the path, or the interval is wider "
                     "than the time; they are undecided until they run again when the machine is idle",
                     restless, restless == 1 ? "" : "s"),
         common);
  }
  if (tuner.clock() == "cpu") {
    note(
        "flopcast: more processes than cores, or than CPUs that a control group grants: predictions are CPU time and modelled messages, "
        "not wall time",
        common);
  }
  if (common.json) {
    emit(document_of(outcomes, tuner, space, options), common);
    return;
  }
  emit(table_of(outcomes, options), common);
  if (options.validate) {
    tell_times(taken_by(outcomes), common);
  }
}

}  // namespace

void add_mpi_tune_command(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<MpiTuneOptions>();
  OptionSet command = mpi.add_command("tune", "Predict every configuration of an MPI program by selective execution");
  command.option("space", options->space, "The space's file").required().placeholder("SPACE");
  command.option("--policy", options->policy, "full, conditional, local, online, a-priori or eager (default: local)");
  add_precision_options(command, options->precision);
  command.flag("--no-across-sizes", options->no_across_sizes,
               "Execute kernels of sizes never seen, instead of predicting them from other sizes");
  command.flag("--no-windows", options->no_windows,
               "Never execute stretches as a whole: kernels are then timed among skipped ones (as Critter does)");
  add_thread_option(command, options->no_thread_multiple);
  add_patience_option(command, options->patience);
  add_mpi_kernels_option(command, options->kernels);
  command
      .option("--least-coverage", options->min_coverage,
              "Percent of the path that must lie in kernels which flopcast sees; with less there is no prediction (default: 25)")
      .range(0.0, 100.0);
  command.option(
      "--self-check", options->self_check,
      "Configurations whose MPI calls are compared with a full execution's; if they differ, all are executed in full: none, once (one, "
      "unless the program passed lately), one or all (default: once)");
  command.option("--statistics", options->statistics, "Profile of another user's run: what it knows of kernels needs fewer executions")
      .placeholder("FILE");
  command
      .parsed(
          "--finalists", [options](const std::string& text) { read_finalists(text, *options); },
          "How many configurations with the least predicted times are executed in full at the end; the choice is the fastest of them. "
          "auto: those whose intervals meet the best one's, as many as take no longer than all executions before (default: 0, the choice "
          "goes by predictions)")
      .placeholder("NUMBER|auto");
  command.flag("--validate", options->validate, "Execute each configuration in full as well, before, and compare");
  command.flag("--cold", options->cold, "Begin without what the store knows of kernels");
  command.footer(footer);
  command.action([options, &common] { tune(*options, common); });
}

}  // namespace flopcast::cli
