#include "flopcast/roofline/compute_roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/caches/compute_kernels.hpp"

namespace flopcast::roofline {
namespace {

using machine::ComputeKernel;
using machine::ThreadTeam;
using machine::WallClock;

/// A ceiling of the arithmetic that is being measured.
struct TimedCeiling {
  const ComputeKernel* kernel = nullptr;
  ThreadTeam* team = nullptr;
  std::int64_t passes_per_millisecond = 1;
  ComputeRoof roof;
};

std::vector<TimedCeiling> subjects(const std::vector<ThreadTeam*>& teams) {
  std::vector<TimedCeiling> all;
  for (ThreadTeam* team : teams) {
    for (const ComputeKernel& kernel : machine::compute_kernels()) {
      ComputeRoof roof;
      roof.name = machine::ceiling_name(kernel);
      roof.precision = machine::name(kernel.precision);
      roof.lanes = kernel.lanes;
      roof.flops_per_lane = kernel.arithmetic == machine::Arithmetic::multiply_add ? 2 : 1;
      roof.fused = kernel.fused;
      roof.threads = team->size();
      all.push_back({&kernel, team, 1, std::move(roof)});
    }
  }
  return all;
}

std::int64_t passes_per_millisecond(const WallClock& clock, const ComputeKernel& kernel) {
  constexpr std::int64_t trial = 2000;
  kernel.run(trial);
  const std::int64_t start = clock.ticks();
  kernel.run(trial);
  const Seconds seconds = std::max(clock.seconds(clock.ticks() - start), 1e-9);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(trial * 1e-3 / seconds));
}

void wait(const WallClock& clock, Seconds seconds) {
  const std::int64_t start = clock.ticks();
  while (clock.seconds(clock.ticks() - start) < seconds) {
  }
}

void sample(const WallClock& clock, TimedCeiling& subject, const ComputeOptions& options) {
  constexpr int probe_operations = 1 << 14;  // about 15 us
  const auto passes = [&](Seconds seconds) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(subject.passes_per_millisecond) * seconds * 1e3));
  };
  const std::int64_t warm = passes(options.warm_up), count = passes(options.sample);
  std::vector<double> clocks(static_cast<std::size_t>(subject.team->size()));
  const Seconds seconds = subject.team->time(
      clock, [&](int) { subject.kernel->run(warm); }, [&](int) { subject.kernel->run(count); });
  subject.team->run([&](int thread) {
    subject.kernel->run(warm);
    wait(clock, options.probe_delay);
    clocks[static_cast<std::size_t>(thread)] = machine::core_frequency(clock, probe_operations);
  });
  const double hertz = std::accumulate(clocks.begin(), clocks.end(), 0.0) / static_cast<double>(clocks.size());
  const double passes_per_second = static_cast<double>(count) / seconds;
  subject.roof.flops.samples.push_back(passes_per_second * subject.kernel->flops_per_pass * subject.team->size());
  subject.roof.clocks.push_back(hertz);
}

/// Computes the instructions per cycle from the best sample and the highest clock, because disturbances slow down loops and lower the
/// measured clock.
void set_instructions_per_cycle(ComputeRoof& roof) {
  const double flops_per_instruction = roof.lanes * (roof.fused ? roof.flops_per_lane : 1);
  roof.instructions_per_cycle =
      roof.ceiling() / (roof.threads * flops_per_instruction * *std::max_element(roof.clocks.begin(), roof.clocks.end()));
}

/// Returns the fused loop in double precision with the most flops per instruction. The CPU has these instructions even if the loop was
/// disturbed.
const ComputeRoof* widest(const Roofline& roofline, int threads) {
  const ComputeRoof* found = nullptr;
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.threads == threads && roof.fused && roof.precision == "double" &&
        (found == nullptr || roof.lanes * roof.flops_per_lane > found->lanes * found->flops_per_lane)) {
      found = &roof;
    }
  }
  return found;
}

TheoreticalPeak peak(const std::string& name, int threads, std::vector<PeakFactor> factors) {
  TheoreticalPeak result{name, threads, std::move(factors), 1};
  for (const PeakFactor& factor : result.factors) {
    result.flops *= factor.value;
  }
  return result;
}

}  // namespace

void sample_in_rounds(std::size_t count, int rounds, std::uint64_t seed, const Progress& progress,
                      const std::function<void(std::size_t)>& sample) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  const auto expected = static_cast<std::int64_t>(count) * rounds;
  std::int64_t done = 0;
  bool go_on = true;
  for (int round = 0; round < rounds && go_on; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (auto i = order.begin(); i != order.end() && go_on; ++i) {
      sample(*i);
      go_on = !progress || progress(++done, expected);
    }
  }
}

std::vector<ComputeRoof> measure_compute(const WallClock& clock, const std::vector<ThreadTeam*>& teams, const ComputeOptions& options,
                                         const Progress& progress) {
  std::vector<TimedCeiling> all = subjects(teams);
  for (TimedCeiling& subject : all) {
    subject.passes_per_millisecond = passes_per_millisecond(clock, *subject.kernel);
  }
  sample_in_rounds(all.size(), options.rounds, options.seed, progress, [&](std::size_t i) { sample(clock, all[i], options); });
  std::vector<ComputeRoof> roofs;
  for (TimedCeiling& subject : all) {
    if (!subject.roof.flops.samples.empty()) {
      set_instructions_per_cycle(subject.roof);
      roofs.push_back(std::move(subject.roof));
    }
  }
  return roofs;
}

void add_samples(std::vector<ComputeRoof>& roofs, const std::vector<ComputeRoof>& later) {
  for (const ComputeRoof& more : later) {
    const auto same = std::find_if(roofs.begin(), roofs.end(),
                                   [&](const ComputeRoof& roof) { return roof.name == more.name && roof.threads == more.threads; });
    if (same == roofs.end()) {
      roofs.push_back(more);
      continue;
    }
    same->flops.add(more.flops);
    same->clocks.insert(same->clocks.end(), more.clocks.begin(), more.clocks.end());
    set_instructions_per_cycle(*same);
  }
}

int ports(double instructions_per_cycle) { return std::max(1, static_cast<int>(std::lround(instructions_per_cycle))); }

double fused_instructions_per_cycle(const Roofline& roofline) {
  double highest = 0;
  for (const ComputeRoof& roof : roofline.compute) {
    highest = &roof == widest(roofline, roof.threads) ? std::max(highest, roof.instructions_per_cycle) : highest;
  }
  return highest;
}

std::vector<TheoreticalPeak> theoretical_peaks(const Roofline& roofline, double nominal_hertz, const std::string& nominal_source,
                                               int given_units, int cores) {
  const double per_cycle = fused_instructions_per_cycle(roofline);
  const PeakFactor units = {"units", static_cast<double>(given_units > 0 ? given_units : ports(per_cycle)), "instructions per cycle",
                            given_units > 0 ? "given" : fmt::format("measured {:.2f}", per_cycle)};
  std::vector<TheoreticalPeak> peaks;
  for (const ComputeRoof& roof : roofline.compute) {
    if (&roof != widest(roofline, roof.threads)) {
      continue;
    }
    const std::vector<PeakFactor> others = {
        {"cores", static_cast<double>(std::min(roof.threads, cores)), "",
         roof.threads > cores ? "all cores, shared by more threads" : "threads used, one per core"},
        {"lanes", static_cast<double>(roof.lanes), "numbers per vector", "widest vectors of this CPU (" + roof.name + ")"},
        {"flops", static_cast<double>(roof.flops_per_lane), "per lane and instruction", "a multiplication and an addition"},
        units};
    const auto with_clock = [&others](double hertz, const std::string& source) {
      std::vector<PeakFactor> factors = {{"clock", hertz, "Hz", source}};
      factors.insert(factors.end(), others.begin(), others.end());
      return factors;
    };
    if (nominal_hertz > 0) {
      peaks.push_back(peak("nominal", roof.threads, with_clock(nominal_hertz, nominal_source)));
    }
    peaks.push_back(peak("sustained clock", roof.threads,
                         with_clock(median(roof.clocks), "a chain of dependent multiplications right after the loop")));
  }
  return peaks;
}

}  // namespace flopcast::roofline
