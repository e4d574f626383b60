#include "flopcast/tasks/roofline/roofline_measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <set>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/cpu/thread_team.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/roofline/bandwidth_roofs.hpp"
#include "flopcast/roofline/compute_roofs.hpp"
#include "flopcast/roofline/gemm_roof.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/version.hpp"
#include "flopcast/tasks/roofline/roofline_points.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {
namespace {

using machine::Topology;
using roofline::GemmRoof;
using roofline::Roofline;

/// A gemm below this share of the FMA ceiling is worth a warning.
constexpr double healthy_share = 0.6;

/// Memory that --quick streams through.
constexpr std::int64_t quick_bytes = std::int64_t{256} << 20U;

std::string utc_now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::string text(32, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
  return text;
}

/// This machine with the cores that were asked for: roofs of cores of several kinds would be those of none.
Topology topology_of(const RooflineOptions& options) {
  const Topology topology = machine::detect_topology();
  if (options.cores == "all" || (options.cores.empty() && topology.kinds.empty())) {
    return topology;
  }
  return machine::restricted_to(topology, options.cores.empty() ? topology.kinds.front().name : options.cores);
}

int max_threads(const RooflineOptions& options, const Topology& topology) {
  return options.threads > 0 ? options.threads : machine::busy_cores(topology.places, topology.cpu_quota);
}

/// 1, one socket's worth where there are several, and all.
std::vector<int> thread_counts(const RooflineOptions& options, const Topology& topology) {
  const int most = max_threads(options, topology);
  std::set<int> counts = {1, most};
  std::map<int, std::set<int>> cores;
  for (const machine::CpuPlace& place : topology.places) {
    cores[place.socket].insert(place.core);
  }
  const int socket = cores.empty() ? most : static_cast<int>(cores.begin()->second.size());
  if (options.threads == 0 && socket < most) {
    counts.insert(socket);
  }
  return {counts.begin(), counts.end()};
}

/// Teams of threads; the smaller ones of close threads, so that they stay on one socket.
std::vector<std::unique_ptr<machine::ThreadTeam>> teams(const RooflineOptions& options, const Topology& topology) {
  std::vector<std::unique_ptr<machine::ThreadTeam>> teams;
  for (const int threads : thread_counts(options, topology)) {
    const bool all = threads == max_threads(options, topology);
    const machine::Affinity affinity = all ? machine::parse_affinity(options.affinity) : machine::Affinity::close;
    teams.push_back(std::make_unique<machine::ThreadTeam>(machine::choose_cpus(topology.places, threads, affinity)));
  }
  return teams;
}

/// A library with so many threads.
struct GemmLibrary {
  std::string name;
  int threads = 1;
};

/// Without --blas: the default library with one thread, and for more the first installed one that can have them.
std::vector<GemmLibrary> gemm_libraries(const RooflineOptions& options, const std::vector<int>& threads,
                                        std::vector<std::string>& findings) {
  std::vector<GemmLibrary> chosen;
  if (!options.blas.empty()) {
    for (const std::string& library : options.blas) {
      for (const int count : threads) {
        chosen.push_back({library, count});
      }
    }
    return chosen;
  }
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  if (std::none_of(installed.begin(), installed.end(), [](const machine::InstalledLibrary& library) { return library.has_blas; })) {
    findings.emplace_back("no BLAS library is installed, so there is no gemm roof; on Debian: apt-get install libopenblas0-pthread");
    return chosen;
  }
  chosen.push_back({machine::default_blas(), 1});
  const std::string threaded = machine::default_blas(2);
  const bool can_have_them = !machine::has_one_thread(threaded);
  for (const int count : threads) {
    if (count > 1 && can_have_them) {
      chosen.push_back({threaded, count});
    }
  }
  if (threads.size() > 1 && !can_have_them) {
    findings.emplace_back(
        "no BLAS library with threads is installed, so gemm was measured on one core only; on Debian: apt-get install "
        "libopenblas0-pthread");
  }
  return chosen;
}

/// What is searched: every library's gemm in each of the precisions asked for.
struct GemmCase {
  std::string routine;
  GemmLibrary library;
};

std::vector<GemmCase> gemm_cases(const RooflineOptions& options, const std::vector<int>& threads, std::vector<std::string>& findings) {
  std::vector<GemmCase> cases;
  for (const GemmLibrary& library : gemm_libraries(options, threads, findings)) {
    for (const std::string& routine : options.gemm) {
      cases.push_back({routine, library});
    }
  }
  return cases;
}

/// Settings that mend a library's choice of kernels, for its own process only: not for the libraries after it.
KernelSettings kernels_of(const std::string& library, const RooflineOptions& options, const RunContext& context) {
  std::set<std::string> set_by_user;
  for (const machine::KernelChoice& choice : machine::kernel_choices()) {
    if (std::getenv(std::string(choice.variable).c_str()) != nullptr) {
      set_by_user.insert(std::string(choice.variable));
    }
  }
  machine::LibraryChoice one;
  one.blas = library;
  one.kernels = options.kernels;
  KernelSettings settings = choose_kernels(one, context);
  for (const auto& [variable, value] : settings) {
    if (set_by_user.count(variable) == 0) {
      ::unsetenv(variable.c_str());
    }
  }
  return settings;
}

/// --quick takes successive halving where nothing else is asked for.
std::string search_name(const RooflineOptions& options) { return options.quick && options.search == "race" ? "halving" : options.search; }

roofline::GemmSearchOptions search_options(const RooflineOptions& options, const Roofline& found, const roofline::GemmSetup& setup,
                                           Seconds budget, const RunContext& context) {
  roofline::GemmSearchOptions search;
  search.search = search_name(options);
  search.order = requested_order(options);
  search.tolerance = options.tolerance;
  search.error_probability = options.error_probability;
  search.time_budget = budget;
  search.seed = options.seed;
  search.confirmed = options.quick ? 0 : search.confirmed;
  if (const roofline::ComputeRoof* roof = best_compute(found, setup.threads, roofline::precision(setup.routine));
      roof != nullptr && options.enough > 0) {
    search.enough_flops = options.enough * roof->ceiling();
  }
  search.interrupted = [show = context.step(setup.routine), watch = Stopwatch(), budget] {
    return !show(static_cast<std::int64_t>(1e3 * std::min(watch.elapsed(), budget)), static_cast<std::int64_t>(1e3 * budget));
  };
  return search;
}

/// Which kernels, and by whose choice.
std::string kernels_text(const GemmRoof& roof) {
  return fmt::format(" (kernels '{}'{})", roof.library.kernels, roof.setting.empty() ? "" : ", chosen by " + roof.setting);
}

/// Says which gemm is slower than it should be, or faster than it can be.
void describe_gemm(Roofline& found) {
  for (const GemmRoof& roof : found.gemm) {
    const roofline::ComputeRoof* peak = best_compute(found, roof.threads, roofline::precision(roof.routine));
    if (peak != nullptr && roof.flops.attained() > peak->ceiling()) {
      found.findings.push_back(
          fmt::format("{} of {} surpasses {} with {}: all samples of that ceiling were disturbed; measure again when the "
                      "machine is idle",
                      roof.routine, roof.library.name, peak->name, counted(roof.threads, "thread")));
    }
    if (peak != nullptr && roof.flops.attained() < healthy_share * peak->ceiling()) {
      found.findings.push_back(fmt::format("{} of {} {} with {} reaches {:.0f} % of the FMA ceiling only{}", roof.routine,
                                           roof.library.name, roof.library.version, counted(roof.threads, "thread"),
                                           100 * roof.flops.attained() / peak->ceiling(),
                                           roof.library.kernels.empty() ? "" : kernels_text(roof)));
    }
  }
}

void add_once(std::vector<std::string>& findings, std::string finding) {
  if (std::find(findings.begin(), findings.end(), finding) == findings.end()) {
    findings.push_back(std::move(finding));
  }
}

/// When measuring has to end, by a watch.
struct Deadline {
  const Stopwatch& watch;
  Seconds until = 0;
  [[nodiscard]] Seconds left() const { return until - watch.elapsed(); }
  [[nodiscard]] bool is_over() const { return left() <= 0; }
  [[nodiscard]] Deadline share(double part) const {
    const Seconds now = watch.elapsed();
    return {watch, now + part * (until - now)};
  }
};

/// Draws a progress bar, and answers whether to go on: until Ctrl-C or the deadline. The first `kept` of so many `rounds` come to their end
/// whatever the deadline is, as roofs without a sample leave nothing to show.
std::function<bool(std::int64_t, std::int64_t)> progress_until(const Deadline& deadline, int kept, int rounds, const std::string& label,
                                                               const RunContext& context) {
  return [show = context.step(label), deadline, kept, rounds](std::int64_t done, std::int64_t all) {
    return show(done, all) && (done * rounds < all * kept || !deadline.is_over());
  };
}

/// Everything but gemm, once: a part of the samples, in random order. Threads and their memory are made anew each time, so that what one
/// start of theirs meets by chance doesn't decide on all samples.
void measure_roofs(const RooflineOptions& options, const Topology& topology, const machine::MachineMeasurement& machine,
                   const machine::WallClock& clock, std::uint64_t seed, const Deadline& deadline, Roofline& found,
                   const RunContext& context) {
  constexpr double arithmetic = 0.4;  // of the time at most
  const int kept = found.compute.empty() ? 1 : 0;
  const auto has_time = [&] { return !context.cancelled() && (kept > 0 || !deadline.is_over()); };
  const auto all = teams(options, topology);
  std::vector<machine::ThreadTeam*> pointers;
  std::transform(all.begin(), all.end(), std::back_inserter(pointers), [](const auto& team) { return team.get(); });
  roofline::ComputeOptions compute;
  roofline::BandwidthOptions bandwidth;
  compute.seed = bandwidth.seed = seed;
  bandwidth.streams = options.streams;
  if (options.quick) {
    compute.rounds = bandwidth.rounds = 2;
    bandwidth.max_bytes = quick_bytes;
  }
  add_samples(found.compute, measure_compute(clock, pointers, compute,
                                             progress_until(deadline.share(arithmetic), kept, compute.rounds, "peaks", context)));
  if (has_time()) {
    add_samples(found.bandwidth, measure_bandwidth(clock, pointers, machine, topology.caches, bandwidth,
                                                   progress_until(deadline, kept, bandwidth.rounds, "bandwidths", context)));
  }
  if (options.triad_lengths && has_time()) {
    add_samples(found.triad_lengths,
                measure_triad_lengths(clock, pointers, bandwidth, progress_until(deadline, kept, bandwidth.rounds, "triad", context)));
  }
  if (deadline.is_over()) {
    add_once(found.findings,
             fmt::format("the time budget of {} was too short for all samples of the roofs: they may be too low", options.time_budget));
  }
}

void measure_gemm(const RooflineOptions& options, const std::vector<int>& threads, const Topology& topology, const Deadline& deadline,
                  Roofline& found, const RunContext& context) {
  constexpr Seconds min_budget = 0.5;
  constexpr double confirming = 0.3;       // of the time at most
  constexpr Seconds min_confirmation = 1;  // a fresh process takes tenths of a second
  const roofline::GemmSpace space = requested_space(options);
  const std::vector<GemmCase> cases = gemm_cases(options, threads, found.findings);
  for (std::size_t i = 0; i < cases.size() && !context.cancelled(); ++i) {
    const auto& [name, count] = cases[i].library;
    const Seconds share = deadline.left() / static_cast<double>(cases.size() - i);
    if (i > 0 && share < min_budget) {
      add_once(found.findings, fmt::format("no time was left for {} of {} with {}: a larger --time-budget searches it", cases[i].routine,
                                           name, counted(count, "thread")));
      continue;
    }
    roofline::GemmSetup setup;
    setup.library = name;
    setup.routine = cases[i].routine;
    setup.threads = count;
    setup.affinity = machine::parse_affinity(options.affinity);
    setup.cpus = machine::choose_cpus(topology.places, count, count == 1 ? machine::Affinity::close : setup.affinity);
    const KernelSettings settings = kernels_of(name, options, context);
    setup.settings = settings;
    roofline::GemmSearchOptions search = search_options(options, found, setup, std::max(min_budget, share), context);
    search.confirmation_budget = std::min(search.confirmation_budget, confirming * search.time_budget);
    if (search.confirmation_budget < min_confirmation) {
      search.confirmed = 0;
    }
    search.time_budget -= search.confirmation_budget;
    try {
      GemmRoof roof = find_gemm_roof(setup, space, search);
      roof.setting = text_of(settings);
      found.gemm.push_back(std::move(roof));
    } catch (const Error& error) {
      if (count == 1 || error.code() != ExitCode::bad_input) {
        context.throw_if_cancelled("no gemm was measured");
        throw;
      }
      add_once(found.findings, fmt::format("{} with {} threads: {}", name, count, error.what()));
      continue;
    }
    if (!settings.empty()) {
      add_once(found.findings, fmt::format("{} was measured with {} in the environment, {}", name, text_of(settings),
                                           std::getenv(settings.begin()->first.c_str()) == nullptr
                                               ? "which chooses its kernels ('flopcast run' sets it too)"
                                               : "as it was set: without it the library may be faster"));
    }
  }
}

/// What the user should know of where the measuring ran.
void describe_limits(const Topology& topology, const RooflineOptions& options, std::vector<std::string>& findings) {
  const int cores = machine::busy_cores(topology.places, 0), most = max_threads(options, topology);
  if (options.threads == 0 && most < cores) {
    findings.push_back(
        fmt::format("the control group grants {:.1f} CPUs' worth of time, so {} of {} cores were used", topology.cpu_quota, most, cores));
  }
  if (topology.kinds.size() == 1) {
    findings.push_back(fmt::format("roofs are those of the {} cores, CPU {}; --cores measures others", topology.kinds.front().name,
                                   machine::format_cpu_list(topology.usable)));
  } else if (topology.kinds.size() > 1) {
    findings.emplace_back("roofs of all cores mix kinds of cores: peaks are too high, as they take all cores for the fastest kind");
  } else if (topology.usable.size() < static_cast<std::size_t>(topology.hardware_threads)) {
    findings.push_back(
        fmt::format("this process may run on {} of {} hardware threads only", topology.usable.size(), topology.hardware_threads));
  }
  if (most > cores) {
    findings.push_back(fmt::format("{} threads share {} cores: hyperthreads have no arithmetic units of their own", most, cores));
  }
}

/// The best FMA loop of every number of threads.
std::vector<const roofline::ComputeRoof*> fma_loops(const Roofline& found) {
  std::vector<const roofline::ComputeRoof*> loops;
  for (const roofline::ComputeRoof& roof : found.compute) {
    if (&roof == best_compute(found, roof.threads)) {
      loops.push_back(&roof);
    }
  }
  return loops;
}

/// Names ceilings that several threads reach less of than one: all of their samples were disturbed.
void describe_inversions(Roofline& found) {
  std::string names;
  for (const roofline::ComputeRoof& more : found.compute) {
    const bool below = std::any_of(found.compute.begin(), found.compute.end(), [&more](const roofline::ComputeRoof& fewer) {
      return fewer.name == more.name && fewer.threads < more.threads && fewer.ceiling() > more.ceiling();
    });
    names += below ? fmt::format("{}{} with {}", names.empty() ? "" : ", ", more.name, counted(more.threads, "thread")) : "";
  }
  if (!names.empty()) {
    found.findings.push_back(fmt::format("slower than fewer threads, so all samples were disturbed: {}", names));
  }
}

/// Says so if the machine was busy: then roofs may be too low.
void describe_noise(Roofline& found) {
  constexpr double usual = 0.05;
  const auto lost = [](const roofline::ComputeRoof* roof) { return 1 - roof->flops.median() / roof->ceiling(); };
  const std::vector<const roofline::ComputeRoof*> loops = fma_loops(found);
  const auto worst = std::max_element(loops.begin(), loops.end(), [&](const auto* x, const auto* y) { return lost(x) < lost(y); });
  if (worst != loops.end() && lost(*worst) > usual) {
    found.findings.push_back(
        fmt::format("the machine was busy: half of the samples of {} with {} lost more than {:.0f} % to other work; ceilings are the best "
                    "sample, bandwidths and gemm what a quarter of the samples surpass: they may be too low; measure again when it is idle",
                    (*worst)->name, counted((*worst)->threads, "thread"), 100 * lost(*worst)));
  }
}

/// What the loops' own spread can't tell: who takes a core for the whole time slows every sample.
void describe_others(const machine::OtherLoad& load, std::vector<std::string>& findings) {
  if (const double others = load.cores().value_or(0); others > machine::OtherLoad::much) {
    findings.push_back(fmt::format(
        "other programs kept {:.1f} cores busy meanwhile: roofs may be too low, and caches seem smaller; measure again when the "
        "machine is idle",
        others));
  }
}

/// An undisturbed loop makes a whole number of instructions per cycle, or nearly: what is far from one makes the units of the peaks a guess.
void describe_units(Roofline& found) {
  constexpr double doubtful = 0.2;
  const double per_cycle = roofline::fused_instructions_per_cycle(found);
  if (std::fabs(per_cycle - roofline::ports(per_cycle)) > doubtful && !found.peaks.empty()) {
    found.findings.push_back(
        fmt::format("the widest FMA loop made {:.2f} instructions per cycle at best: the number of units in the peaks is a guess; measure "
                    "again when the machine is idle, or give --fma-units",
                    per_cycle));
  }
}

/// Says what can't be, and which points surpass their roofs because the stream that bounds them was left out.
void describe_impossible(const RooflineOptions& options, Roofline& found) {
  if (options.streams.empty()) {
    const std::vector<std::string> sentences = impossible_figures(found);
    found.findings.insert(found.findings.end(), sentences.begin(), sentences.end());
    return;
  }
  for (const roofline::Point& point : found.points) {
    const roofline::Bound bound = bound_of(found, point);
    if (bound.flops > 0 && point.flops_rate.median() > bound.flops) {
      found.findings.push_back(fmt::format("{} surpasses {}: the stream that bounds it was left out by --streams", point.name, bound.name));
    }
  }
}

/// Names levels whose capacity depends on how they are accessed: what others use is taken from some patterns more than from others.
void describe_elastic(const machine::MemoryHierarchy& hierarchy, std::vector<std::string>& findings) {
  constexpr double elastic = 2;
  for (std::size_t i = 0; i < std::min(hierarchy.levels.size(), hierarchy.patterns.size()); ++i) {
    const machine::PatternCapacities& pattern = hierarchy.patterns[i];
    std::string text;
    std::int64_t least = 0, most = 0;
    for (const auto& [name, bytes] :
         {std::pair("stream", pattern.stream), {"parallel chase", pattern.parallel_chase}, {"serial chase", pattern.serial_chase}}) {
      if (bytes > 0) {
        text += fmt::format("{}{} to a {}", text.empty() ? "" : ", ", format_bytes(static_cast<double>(bytes)), name);
        least = least == 0 ? bytes : std::min(least, bytes);
        most = std::max(most, bytes);
      }
    }
    if (static_cast<double>(most) > elastic * static_cast<double>(least)) {
      findings.push_back(fmt::format("{} is elastic; it offers {}", hierarchy.levels[i].name, text));
    }
  }
}

/// Says so if what stands for memory may lie in the last level: there was too little memory, or --quick takes too little.
void describe_memory(const Roofline& found, std::vector<std::string>& findings) {
  const auto in_cache = [&found](const roofline::BandwidthRoof& roof) {
    return roof.level == "memory" && !found.levels.empty() && roof.working_set_bytes < found.levels.back().capacity_high_bytes;
  };
  if (const auto roof = std::find_if(found.bandwidth.begin(), found.bandwidth.end(), in_cache); roof != found.bandwidth.end()) {
    findings.push_back(fmt::format("memory was measured over {}, as {} are free: of that {} may hold up to {}, so it may be slower",
                                   format_bytes(static_cast<double>(roof->working_set_bytes)),
                                   format_bytes(static_cast<double>(measure::available_memory_bytes())), found.levels.back().name,
                                   format_bytes(static_cast<double>(found.levels.back().capacity_high_bytes))));
  }
}

/// Clock for the nominal peak and where it comes from.
std::pair<double, std::string> nominal_clock(const RooflineOptions& options, const Topology& topology, const machine::WallClock& clock) {
  if (options.nominal_clock_gigahertz > 0) {
    return {options.nominal_clock_gigahertz * 1e9, "given"};
  }
  if (topology.nominal_hertz > 0) {
    return {topology.nominal_hertz, "the processor's own statement"};
  }
  return clock.uses_counter()
             ? std::pair(clock.ticks_per_second(), std::string("the time stamp counter, which usually ticks at the nominal clock"))
             : std::pair(0.0, std::string());
}

nlohmann::json options_json(const RooflineOptions& options, int threads, const roofline::GemmSpace& space) {
  return {{"version", version()},
          {"threads", threads},
          {"affinity", options.affinity},
          {"cores", options.cores},
          {"blas", options.blas},
          {"kernels", options.kernels},
          {"gemm", options.gemm},
          {"space", space.name},
          {"m", options.m},
          {"n", options.n},
          {"k", options.k},
          {"shapes", space.shapes.size()},
          {"search", search_name(options)},
          {"order", options.order},
          {"tolerance", options.tolerance},
          {"error_probability", options.error_probability},
          {"enough", options.enough},
          {"streams", options.streams},
          {"nominal_clock_gigahertz", options.nominal_clock_gigahertz},
          {"fma_units", options.fma_units},
          {"time_budget", options.time_budget},
          {"seed", options.seed},
          {"quick", options.quick},
          {"huge_pages", measure::huge_pages_setting()}};
}

machine::MachineMeasurement caches(const Topology& topology, const RooflineOptions& options, const RunContext& context) {
  return machine::measured_machine(topology, {.quick = options.quick, .progress = context.step("caches")});
}

}  // namespace

Roofline measure_roofline(const RooflineOptions& options, const RunContext& context) {
  const Stopwatch watch;
  const machine::OtherLoad load;
  const Seconds time_budget = parse_duration(options.time_budget, "--time-budget");
  const Topology topology = topology_of(options);
  Roofline found;
  found.cpu = topology.cpu;
  found.fingerprint = machine::hardware_fingerprint(topology);
  found.date = utc_now();
  found.affinity = options.affinity;
  found.points = recorded_points(options);
  const int threads = max_threads(options, topology);
  found.cpus = machine::choose_cpus(topology.places, threads, machine::parse_affinity(options.affinity));
  found.options = options_json(options, threads, requested_space(options));
  found.options["cores"] = topology.kinds.size() == 1 ? topology.kinds.front().name : options.cores;
  describe_limits(topology, options, found.findings);
  const machine::MachineMeasurement machine = caches(topology, options, context);
  found.levels = machine.hierarchy.levels;
  describe_elastic(machine.hierarchy, found.findings);
  // Half of the roofs' samples before gemm and half after it: what disturbs a machine for some seconds doesn't disturb all of them.
  const machine::WallClock clock(0.05);
  const Stopwatch since_known;  // what the caches of this machine are: that takes its own time, once
  const Deadline deadline{since_known, time_budget};
  measure_roofs(options, topology, machine, clock, options.seed, deadline.share(options.no_gemm ? 0.5 : 0.35), found, context);
  const Seconds second_half = since_known.elapsed();
  if (!options.no_gemm && !context.cancelled()) {
    measure_gemm(options, thread_counts(options, topology), topology, {since_known, time_budget - second_half}, found, context);
  }
  if (!context.cancelled() && !deadline.is_over()) {
    measure_roofs(options, topology, machine, clock, options.seed + 1, deadline, found, context);
  }
  const auto [hertz, source] = nominal_clock(options, topology, clock);
  found.peaks = theoretical_peaks(found, hertz, source, options.fma_units, machine::busy_cores(topology.places, 0));
  describe_noise(found);
  describe_inversions(found);
  describe_others(load, found.findings);
  describe_memory(found, found.findings);
  if (options.fma_units == 0) {
    describe_units(found);
  }
  describe_gemm(found);
  if (!context.cancelled()) {
    measure_points(options, found, context);
  }
  describe_impossible(options, found);
  if (context.cancelled()) {
    found.findings.emplace_back("interrupted: samples, roofs or points are missing");
  }
  found.seconds = watch.elapsed();
  return found;
}

RooflinePlan plan_roofline(const RooflineOptions& options) {
  const Topology topology = topology_of(options);
  const roofline::GemmSpace space = requested_space(options);
  RooflinePlan plan;
  describe_limits(topology, options, plan.findings);
  for (const int threads : thread_counts(options, topology)) {
    plan.steps.push_back({counted(threads, "thread"), "CPU " + machine::format_cpu_list(machine::choose_cpus(
                                                                   topology.places, threads, machine::parse_affinity(options.affinity)))});
  }
  for (const GemmCase& one :
       options.no_gemm ? std::vector<GemmCase>() : gemm_cases(options, thread_counts(options, topology), plan.findings)) {
    plan.steps.push_back({fmt::format("{} of {}, {}", one.routine, one.library.name, counted(one.library.threads, "thread")),
                          fmt::format("{} over {} shapes, matrices of up to {}", search_name(options), space.shapes.size(),
                                      format_bytes(8.0 * static_cast<double>(space.elements())))});
  }
  return plan;
}

}  // namespace flopcast
