#include "flopcast/tasks/roofline/diagnoses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/roofline/compute_roofs.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/thread_plan.hpp"

namespace flopcast {
namespace {

using roofline::ComputeRoof;
using roofline::Roofline;
using Sentences = std::vector<std::string>;

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

/// Cores, threads and the control group's limit that the measurement is subject to.
Sentences machine_limits(const DiagnosedRun& run) {
  const machine::Topology& topology = run.topology;
  const int cores = machine::busy_cores(topology.places, 0), max = max_threads(run.request, topology);
  Sentences sentences;
  if (run.request.threads == 0 && max < cores) {
    sentences.push_back(
        fmt::format("the control group grants {:.1f} CPUs' worth of time, so {} of {} cores were used", topology.cpu_quota, max, cores));
  }
  if (topology.kinds.size() == 1) {
    sentences.push_back(fmt::format("roofs are those of the {} cores, CPU {}; --cores measures others", topology.kinds.front().name,
                                    machine::format_cpu_list(topology.usable)));
  } else if (topology.kinds.size() > 1) {
    sentences.emplace_back("roofs of all cores mix kinds of cores: peaks are too high, as they take all cores for the fastest kind");
  } else if (topology.usable.size() < static_cast<std::size_t>(topology.hardware_threads)) {
    sentences.push_back(
        fmt::format("this process may run on {} of {} hardware threads only", topology.usable.size(), topology.hardware_threads));
  }
  if (max > cores) {
    sentences.push_back(fmt::format("{} threads share {} cores: hyperthreads have no arithmetic units of their own", max, cores));
  }
  return sentences;
}

/// Levels whose capacity depends on how they are accessed: other users of the cache take more from some patterns than from others.
Sentences elastic_caches(const DiagnosedRun& run) {
  constexpr double elastic = 2;
  Sentences sentences;
  for (std::size_t i = 0; i < std::min(run.hierarchy.levels.size(), run.hierarchy.patterns.size()); ++i) {
    const machine::PatternCapacities& pattern = run.hierarchy.patterns[i];
    std::string text;
    std::int64_t min = 0, max = 0;
    for (const auto& [name, bytes] :
         {std::pair("stream", pattern.stream), {"parallel chase", pattern.parallel_chase}, {"serial chase", pattern.serial_chase}}) {
      if (bytes > 0) {
        text += fmt::format("{}{} to a {}", text.empty() ? "" : ", ", bytes_text(bytes), name);
        min = min == 0 ? bytes : std::min(min, bytes);
        max = std::max(max, bytes);
      }
    }
    if (static_cast<double>(max) > elastic * static_cast<double>(min)) {
      sentences.push_back(fmt::format("{} is elastic; it offers {}", run.hierarchy.levels[i].name, text));
    }
  }
  return sentences;
}

/// Returns the best FMA loop of every number of threads.
std::vector<const ComputeRoof*> fma_loops(const Roofline& found) {
  std::vector<const ComputeRoof*> loops;
  for (const ComputeRoof& roof : found.compute) {
    if (&roof == best_compute(found, roof.threads)) {
      loops.push_back(&roof);
    }
  }
  return loops;
}

/// A busy machine, seen from the spread of its fastest loops.
Sentences noise(const DiagnosedRun& run) {
  constexpr double usual = 0.05;
  const auto lost = [](const ComputeRoof* roof) { return 1 - roof->flops.median() / roof->ceiling(); };
  const std::vector<const ComputeRoof*> loops = fma_loops(*run.found);
  const auto worst = std::max_element(loops.begin(), loops.end(), [&](const auto* x, const auto* y) { return lost(x) < lost(y); });
  if (worst == loops.end() || lost(*worst) <= usual) {
    return {};
  }
  return {
      fmt::format("{}half of the samples of {} with {} lost more than {:.0f} % to other work; ceilings are the best "
                  "sample, bandwidths and gemm what a quarter of the samples surpass: they may be too low; measure again when it is idle",
                  noisy_machine, (*worst)->name, counted((*worst)->threads, "thread"), 100 * lost(*worst))};
}

/// Ceilings of several threads below those of fewer threads: all of their samples were disturbed.
Sentences inversions(const DiagnosedRun& run) {
  const std::vector<ComputeRoof>& roofs = run.found->compute;
  std::string names;
  for (const ComputeRoof& more : roofs) {
    const bool below = std::any_of(roofs.begin(), roofs.end(), [&more](const ComputeRoof& fewer) {
      return fewer.name == more.name && fewer.threads < more.threads && fewer.ceiling() > more.ceiling();
    });
    names += below ? fmt::format("{}{} with {}", names.empty() ? "" : ", ", more.name, counted(more.threads, "thread")) : "";
  }
  return names.empty() ? Sentences() : Sentences{"slower than fewer threads, so all samples were disturbed: " + names};
}

/// Load of other programs, which the spread of loops doesn't show where a core was taken for the whole time.
Sentences load_of_others(const DiagnosedRun& run) {
  const double others = run.cores_of_others.value_or(0);
  if (others <= machine::OtherLoad::much) {
    return {};
  }
  return {
      fmt::format("{}other programs kept {:.1f} cores busy, so that roofs may be too low, and caches seem smaller; measure again when the "
                  "machine is idle",
                  noisy_machine, others)};
}

/// Working sets of memory that may lie in the last level: there was too little memory, or a quick measurement takes too little.
Sentences short_memory(const DiagnosedRun& run) {
  const Roofline& found = *run.found;
  const auto in_cache = [&found](const roofline::BandwidthRoof& roof) {
    return roof.level == "memory" && !found.levels.empty() && roof.working_set_bytes < found.levels.back().capacity_high_bytes;
  };
  const auto roof = std::find_if(found.bandwidth.begin(), found.bandwidth.end(), in_cache);
  if (roof == found.bandwidth.end()) {
    return {};
  }
  const CacheLevel& last = found.levels.back();
  return {fmt::format("memory was measured over {}, as {} are free; {} may hold up to {} of them, so memory may be slower",
                      bytes_text(roof->working_set_bytes), bytes_text(run.available_memory_bytes), last.name,
                      bytes_text(last.capacity_high_bytes))};
}

/// A guessed number of arithmetic units: an undisturbed loop makes a whole number of instructions per cycle, or nearly.
Sentences guessed_units(const DiagnosedRun& run) {
  constexpr double doubtful = 0.2;
  const double per_cycle = roofline::fused_instructions_per_cycle(*run.found);
  if (run.request.fma_units != 0 || run.found->peaks.empty() || std::fabs(per_cycle - roofline::ports(per_cycle)) <= doubtful) {
    return {};
  }
  return {
      fmt::format("the widest FMA loop made {:.2f} instructions per cycle at best: the number of units in the peaks is a guess; measure "
                  "again when the machine is idle, or give --fma-units",
                  per_cycle)};
}

/// Kernels of a library and the variables that chose them, as an addition to a sentence.
std::string kernels_text(const roofline::GemmRoof& roof) {
  return roof.library.kernels.empty()
             ? ""
             : fmt::format(" (kernels '{}'{})", roof.library.kernels, roof.setting.empty() ? "" : ", chosen by " + roof.setting);
}

/// Gemms that are far slower than the FMA ceiling, or faster.
Sentences odd_gemms(const DiagnosedRun& run) {
  constexpr double healthy_share = 0.6;
  Sentences sentences;
  for (const roofline::GemmRoof& roof : run.found->gemm) {
    const ComputeRoof* peak = best_compute(*run.found, roof.threads, roofline::precision(roof.routine));
    if (peak == nullptr) {
      continue;
    }
    const std::string threads = counted(roof.threads, "thread");
    if (roof.flops.attained() > peak->ceiling()) {
      sentences.push_back(
          fmt::format("{} of {} surpasses {} with {}: all samples of that ceiling were disturbed; measure again when the machine is idle",
                      roof.routine, roof.library.name, peak->name, threads));
    }
    if (const double share = roof.flops.attained() / peak->ceiling(); share < healthy_share) {
      sentences.push_back(fmt::format("{} of {} {} with {} reaches {:.0f} % of the FMA ceiling only{}", roof.routine, roof.library.name,
                                      roof.library.version, threads, 100 * share, kernels_text(roof)));
    }
  }
  return sentences;
}

/// Figures that can't be, and points above their roofs because the stream that bounds them was skipped.
Sentences impossible(const DiagnosedRun& run) {
  if (run.request.streams.empty()) {
    return impossible_figures(*run.found);
  }
  Sentences sentences;
  for (const roofline::Point& point : run.found->points) {
    const roofline::Bound bound = bound_of(*run.found, point);
    if (bound.flops > 0 && point.flops_rate.median() > bound.flops) {
      sentences.push_back(fmt::format("{} surpasses {}: the stream that bounds it was skipped by --streams", point.name, bound.name));
    }
  }
  return sentences;
}

struct Diagnosis {
  Moment moment;
  Sentences (*sentences)(const DiagnosedRun& run);
};

constexpr std::array<Diagnosis, 9> all_diagnoses = {{{Moment::begin, machine_limits},
                                                     {Moment::caches, elastic_caches},
                                                     {Moment::roofs, noise},
                                                     {Moment::roofs, inversions},
                                                     {Moment::roofs, load_of_others},
                                                     {Moment::roofs, short_memory},
                                                     {Moment::roofs, guessed_units},
                                                     {Moment::roofs, odd_gemms},
                                                     {Moment::points, impossible}}};

}  // namespace

std::vector<std::string> diagnoses(Moment moment, const DiagnosedRun& run) {
  Sentences all;
  for (const Diagnosis& diagnosis : all_diagnoses) {
    if (diagnosis.moment == moment) {
      const Sentences sentences = diagnosis.sentences(run);
      all.insert(all.end(), sentences.begin(), sentences.end());
    }
  }
  return all;
}

}  // namespace flopcast
