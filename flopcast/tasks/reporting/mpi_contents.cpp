#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"

namespace flopcast {
namespace {

using report::BarChart;
using report::Trust;

constexpr std::size_t max_processes = 32;

/// Adds what limits the meaning of a profile.
void add_limits(PageContents& contents, const MpiProfile& profile) {
  if (profile.lacked_cores()) {
    contents.trust = Trust::noisy;
    contents.warnings.push_back(std::string(noisy_machine) + "processes lacked cores for a considerable part of the time");
  }
  if (const MpiProcess* process = profile.most_blocked()) {
    contents.warnings.push_back(fmt::format("The process of rank {} was blocked for {}, neither computing nor ready to run.", process->rank,
                                            format_seconds(process->blocked)));
  }
  if (!profile.path_complete) {
    contents.warnings.emplace_back("The critical path is incomplete, because a process had more events than are kept.");
  }
}

void add_path_pictures(PageContents& contents, const MpiProfile& profile) {
  BarChart kernels{"Time along the critical path by kernel", "s", {}};
  for (const MpiKernel& kernel : profile.kernels) {
    if (kernel.along.count > 0 && std::isfinite(kernel.along.seconds)) {
      report::Bar bar = time_bar(kernel.name, kernel.along.seconds);
      bar.text += fmt::format(", {}", counted(kernel.along.count, "execution"));
      kernels.bars.push_back(std::move(bar));
    }
  }
  std::stable_sort(kernels.bars.begin(), kernels.bars.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  kernels.bars.resize(std::min(kernels.bars.size(), max_bars));
  if (profile.own_code > 0) {
    kernels.bars.push_back(time_bar("own code", profile.own_code, {}, true));
  }
  if (!kernels.bars.empty()) {
    contents.pictures.emplace_back(std::move(kernels));
  }
  std::vector<PartsRow> rows;
  for (const std::size_t i : spread_indices(profile.processes.size(), max_processes)) {
    const MpiProcess& process = profile.processes[i];
    rows.push_back({fmt::format("rank {}", process.rank), {process.own.computation, process.own.communication, process.own.idle}});
  }
  if (!rows.empty()) {
    contents.pictures.emplace_back(parts_picture("Time of each process", {"computation", "communication", "waiting"}, rows));
  }
}

/// Returns what each process did in equal bins of the run, with the bins in which the critical path was mostly in it.
report::Strips timeline_picture(const MpiTimeline& timeline) {
  report::Strips strips{
      "What each process did when, and where the critical path was", {"computation", "communication", "waiting", "own code"}, {}};
  std::size_t bins = 0;
  for (const std::size_t i : spread_indices(timeline.processes.size(), max_processes)) {
    const MpiProcessTimeline& process = timeline.processes[i];
    report::Strips::BinRow row{fmt::format("rank {}", process.rank), {}};
    const std::size_t whole = std::min({process.computation.size(), process.own_code.size(), process.communication.size(),
                                        process.waiting.size(), process.on_path.size()});
    for (std::size_t b = 0; b < whole; ++b) {
      row.bins.push_back({process.computation[b], process.communication[b], process.waiting[b], process.own_code[b]});
      row.on_path.push_back(process.on_path[b] >= 0.5);
    }
    bins = std::max(bins, row.bins.size());
    strips.strips.push_back(std::move(row));
  }
  strips.end = timeline.bin * static_cast<double>(bins);
  return strips;
}

report::BarChart efficiency_picture(const MpiEfficiencies& found) {
  report::BarChart chart{"Efficiencies as the POP Centre of Excellence defines them; 100 % is best", "", {}};
  const auto add = [&](const char* label, double value) { chart.bars.push_back({label, value, format_percent(value)}); };
  add("parallel", found.parallel);
  add("load balance", found.load_balance);
  add("communication", found.communication);
  if (found.serialisation && found.transfer) {
    add("serialisation", *found.serialisation);
    add("transfer", *found.transfer);
  }
  return chart;
}

/// Returns what costs the run most: the lowest of the efficiencies that have no parts.
std::string main_loss(const MpiEfficiencies& found) {
  std::vector<std::pair<double, std::string>> causes = {{found.load_balance, "uneven computation of the processes"}};
  if (found.serialisation && found.transfer) {
    causes.emplace_back(*found.serialisation, "processes that wait for each other's results");
    causes.emplace_back(*found.transfer, "transfer of messages");
  } else {
    causes.emplace_back(found.communication, "communication");
  }
  return std::min_element(causes.begin(), causes.end())->second;
}

/// Adds efficiencies, the longest wait and the timeline of a run (MpiProfile or SimulatedRun).
template <class Run>
void add_losses(PageContents& contents, const Run& profile) {
  if (const auto& found = profile.efficiencies) {
    contents.answer += fmt::format(" The parallel efficiency is {}", format_percent(found->parallel));
    contents.answer += found->parallel < 0.95 ? fmt::format("; most is lost by {}.", main_loss(*found)) : ".";
    contents.pictures.emplace_back(efficiency_picture(*found));
  }
  if (!profile.waits.empty()) {
    const MpiWaiting& wait = profile.waits.front();
    contents.answer += fmt::format(" The longest wait: rank {} in {}, {}{}.", wait.rank, wait.routine, format_seconds(wait.seconds),
                                   wait.awaited_rank ? fmt::format(" for rank {}", *wait.awaited_rank) : "");
  }
  if (profile.timeline && !profile.timeline->processes.empty()) {
    contents.pictures.emplace_back(timeline_picture(*profile.timeline));
  }
}

/// Returns the step that mends the longest wait for one process; nothing without such a wait.
std::vector<PageStep> steps_of(const std::vector<MpiWaiting>& waits) {
  const auto wait = std::find_if(waits.begin(), waits.end(), [](const MpiWaiting& one) { return one.awaited_rank.has_value(); });
  if (wait == waits.end()) {
    return {};
  }
  const std::string region = wait->region.empty() ? "" : " in " + wait->region, site = wait->site.empty() ? "" : " at " + wait->site;
  return {{fmt::format("Find out why rank {} is late: rank {} waits {} for it in {}{}{}.", *wait->awaited_rank, wait->rank,
                       format_seconds(wait->seconds), wait->routine, region, site),
           ""}};
}

PageContents mpi_profile_contents(const MpiProfile& profile) {
  PageContents contents{fmt::format("Where does the time of the MPI program with {} go?", counted(profile.ranks, "process")), ""};
  const path::Costs& path = profile.critical_path;
  const auto share = [&](Seconds part) { return format_percent(path.time > 0 ? part / path.time : 0); };
  contents.answer = fmt::format(
      "The run took {} of wall time. Its critical path, the longest chain of computation and messages, takes {}: {} computation, "
      "{} communication and {} waiting.",
      format_seconds(profile.elapsed), format_seconds(path.time), share(path.computation), share(path.communication), share(path.idle));
  if (const double imbalance = profile.imbalance(); imbalance > MpiProfile::considerable_imbalance) {
    contents.answer += fmt::format(" One process computes {:.2f} times as long as the mean of all.", imbalance);
  }
  contents.trust = profile.cores_got() ? Trust::quiet : Trust::unknown;
  add_limits(contents, profile);
  add_path_pictures(contents, profile);
  add_losses(contents, profile);
  contents.steps = steps_of(profile.waits);
  contents.steps.push_back(
      {"Choose the program's parameters by its critical path. SPACE.json names them and the command.", "flopcast mpi tune SPACE.json"});
  return contents;
}

MpiProfile read_profile(std::string_view text) { return mpi_profile_from_json(text); }

std::optional<Interval> interval_of(const MpiConfiguration& one) {
  return one.half_width ? std::optional(Interval{*one.predicted - *one.half_width, *one.predicted + *one.half_width}) : std::nullopt;
}

PageContents mpi_tuning_contents(const MpiTuning& tuning) {
  PageContents contents{fmt::format("Which configuration of {} is the fastest?", tuning.name), ""};
  std::vector<const MpiConfiguration*> sorted;
  for (const MpiConfiguration& one : tuning.configurations) {
    if (one.predicted) {
      sorted.push_back(&one);
    }
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return *a->predicted < *b->predicted; });
  BarChart chart{"Predicted time of the critical path with its interval of 95 %", "s", {}};
  std::size_t ties = 0;
  const MpiConfiguration* chosen = nullptr;
  for (const MpiConfiguration* one : sorted) {
    ties += one->verdict == MpiVerdict::tie ? 1 : 0;
    chosen = one->verdict == MpiVerdict::chosen ? one : chosen;
    if (chart.bars.size() < max_bars) {
      chart.bars.push_back(
          time_bar(search::to_string(one->setting), *one->predicted, interval_of(*one), one->verdict == MpiVerdict::chosen));
    }
  }
  if (tuning.cores_of_others >= 0.1) {
    contents.trust = Trust::noisy;
    contents.warnings.push_back(fmt::format("{}other programs kept {:.1f} cores busy", noisy_machine, tuning.cores_of_others));
  }
  if (chart.bars.empty()) {
    contents.answer = "No configuration has a predicted time.";
    return contents;
  }
  contents.pictures.emplace_back(std::move(chart));
  if (chosen == nullptr) {
    contents.steps = {
        {"Execute those that may be the fastest in full. SPACE.json is the tuned space.", "flopcast mpi tune SPACE.json --confirm auto"}};
    contents.answer = fmt::format("Undecided; {} has the least predicted time, {}.", search::to_string(sorted.front()->setting),
                                  format_seconds(*sorted.front()->predicted));
    return contents;
  }
  const auto interval = interval_of(*chosen);
  contents.answer = fmt::format("{} is the fastest: {}{}. Configurations that tie with it: {}.", search::to_string(chosen->setting),
                                format_seconds(*chosen->predicted), interval ? " (" + seconds_text(*interval) + ")" : "", ties);
  contents.steps = {{fmt::format("Start the program with {}.", search::to_string(chosen->setting)), ""}};
  return contents;
}

PageContents simulation_contents(const MpiSimulation& simulation) {
  PageContents contents{"How does the MPI program scale?", ""};
  report::Series total{"whole program", {}, {}}, computation{"critical path: computation", {}, {}},
      communication{"critical path: communication", {}, {}};
  report::Series ideal{"ideal", {}, {}, {}, {}, report::Series::Style::line, 0, true};
  for (const SimulatedRun& run : simulation.runs) {
    for (const auto& [series, seconds] : {std::pair(&total, run.seconds), std::pair(&computation, run.critical_path.computation),
                                          std::pair(&communication, run.critical_path.communication)}) {
      if (seconds > 0) {
        series->x.push_back(run.ranks);
        series->y.push_back(seconds);
      }
    }
    ideal.x.push_back(run.ranks);
    ideal.y.push_back(simulation.runs.front().seconds * simulation.runs.front().ranks / run.ranks);
  }
  for (const SimulationFailure& failure : simulation.failures) {
    contents.warnings.push_back(fmt::format("{} failed: {}", counted(failure.ranks, "process"), failure.reason));
  }
  if (simulation.runs.empty()) {
    contents.answer = "No number of processes could be simulated.";
    return contents;
  }
  const SimulatedRun &first = simulation.runs.front(), &last = simulation.runs.back();
  const auto best = std::min_element(simulation.runs.begin(), simulation.runs.end(),
                                     [](const SimulatedRun& a, const SimulatedRun& b) { return a.seconds < b.seconds; });
  contents.answer = fmt::format("Of the simulated numbers of processes {} is the fastest: {}.", best->ranks, format_seconds(best->seconds));
  report::Figure figure{"Predicted time by number of processes", {"processes", true}, {"seconds", true}, {}};
  figure.series = {std::move(total), std::move(computation), std::move(communication), std::move(ideal)};
  std::erase_if(figure.series, [](const report::Series& series) { return series.x.empty(); });
  contents.pictures.emplace_back(std::move(figure));
  add_losses(contents, *best);
  if (simulation.runs.size() > 1 && first.seconds > 0 && last.seconds > 0) {
    const double ratio = first.seconds / last.seconds;
    contents.answer += fmt::format(" From {} to {} processes the program becomes {:.2f} times {}.", first.ranks, last.ranks,
                                   std::max(ratio, 1 / ratio), ratio >= 1 ? "faster" : "slower");
  }
  contents.steps = {
      {fmt::format("Run the program with {}, and see where its time goes.", counted(static_cast<std::uint64_t>(best->ranks), "process")),
       fmt::format("mpirun -n {} flopcast mpi run -- COMMAND", best->ranks)}};
  return contents;
}

}  // namespace

std::vector<ReportedKind> mpi_kinds() {
  return {
      reported(
          mpi_profile_schema, read_profile, mpi_profile_contents,
          {{"waits", "Who waited for whom", {"rank", "awaited_rank", "kind", "seconds", "count", "routine", "region", "site"}},
           {"kernels",
            "Kernels",
            {"kernel", "along.count", "along.seconds", "along.mean", "executed.count", "executed.mean", "skipped", "flops", "where"}},
           {"processes",
            "Processes",
            {"rank", "host", "computation_seconds", "communication_seconds", "idle_seconds", "on_path_seconds", "own_code_on_path_seconds",
             "blocked_seconds", "without_core_seconds", "longest_wait.seconds", "longest_wait.awaited_rank", "longest_wait.routine"}},
           {"regions", "Regions"},
           {"",
            "Values",
            {"mpi", "ranks", "clock", "policy", "elapsed_seconds", "path.seconds", "path.computation_seconds", "path.communication_seconds",
             "path.idle_seconds", "own_code_seconds", "efficiencies.parallel", "efficiencies.load_balance", "efficiencies.communication",
             "efficiencies.serialisation", "efficiencies.transfer"}}}),
      reported("flopcast-mpi-tuning-1", mpi_tuning_from_json, mpi_tuning_contents,
               {{"configurations",
                 "Configurations",
                 {"configuration", "verdict", "predicted_seconds", "half_width_seconds", "full_path_seconds", "elapsed_seconds",
                  "full_elapsed_seconds", "coverage", "executed_share"}}}),
      reported(
          "flopcast-mpi-simulation-1", mpi_simulation_from_json, simulation_contents,
          {{"simulations",
            "Numbers of processes",
            {"ranks", "seconds", "path.seconds", "path.computation_seconds", "path.communication_seconds", "path.idle_seconds",
             "own_code_seconds", "efficiencies.parallel", "simulation_seconds"}},
           {"simulations.waits", "Who waited for whom", {"rank", "awaited_rank", "kind", "seconds", "count", "routine", "region", "site"}},
           {"simulations.kernels",
            "Kernels",
            {"kernel", "along.count", "along.seconds", "all.count", "all.mean", "all.seconds", "flops"}}})};
}

}  // namespace flopcast
