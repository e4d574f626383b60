#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/cpu/thread_team.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/roofline/points.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {
namespace {

/// Loops on pinned threads of this machine.
class PinnedLoops : public RoofLoops {
 public:
  PinnedLoops(const std::vector<std::vector<int>>& cpus, const machine::WallClock& clock, const machine::MachineMeasurement& machine,
              const std::vector<machine::ReportedCache>& reported)
      : clock_(clock), machine_(machine), reported_(reported) {
    for (const std::vector<int>& team : cpus) {
      teams_.push_back(std::make_unique<machine::ThreadTeam>(team));
      pointers_.push_back(teams_.back().get());
    }
  }

  std::vector<roofline::ComputeRoof> compute(const roofline::ComputeOptions& options, const Progress& progress) override {
    return roofline::measure_compute(clock_, pointers_, options, progress);
  }
  std::vector<roofline::BandwidthRoof> bandwidth(const roofline::BandwidthOptions& options, const Progress& progress) override {
    return roofline::measure_bandwidth(clock_, pointers_, machine_, reported_, options, progress);
  }
  std::vector<roofline::BandwidthRoof> triad_lengths(const roofline::BandwidthOptions& options, const Progress& progress) override {
    return roofline::measure_triad_lengths(clock_, pointers_, options, progress);
  }

 private:
  const machine::WallClock& clock_;
  const machine::MachineMeasurement& machine_;
  const std::vector<machine::ReportedCache>& reported_;
  std::vector<std::unique_ptr<machine::ThreadTeam>> teams_;
  std::vector<machine::ThreadTeam*> pointers_;
};

class ThisMachine : public RooflineMachine {
 public:
  ThisMachine(std::string kernels, const RunContext& context) : kernels_(std::move(kernels)), context_(context) {}

  Seconds now() override { return watch_.elapsed(); }

  std::string date() override {
    const std::time_t time = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::string text(32, '\0');
    text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
    return text;
  }

  machine::Topology topology() override { return machine::detect_topology(); }
  std::optional<double> cores_of_others() override { return load_.cores(); }
  std::int64_t available_memory_bytes() override { return measure::available_memory_bytes(); }
  std::string huge_pages() override { return measure::huge_pages_setting(); }
  double counter_hertz() override { return clock().uses_counter() ? clock().ticks_per_second() : 0; }

  machine::MachineMeasurement caches(const machine::Topology& topology, bool quick, const Progress& progress) override {
    machine::MachineMeasurement measured = machine::measured_machine(topology, {.quick = quick, .progress = progress});
    clock();  // its calibration takes none of the time of the roofs
    return measured;
  }

  std::unique_ptr<RoofLoops> start_threads(const std::vector<std::vector<int>>& cpus, const machine::MachineMeasurement& machine,
                                           const std::vector<machine::ReportedCache>& reported) override {
    return std::make_unique<PinnedLoops>(cpus, clock(), machine, reported);
  }

  DefaultLibraries default_libraries() override {
    const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
    if (std::none_of(installed.begin(), installed.end(), [](const machine::InstalledLibrary& library) { return library.has_blas; })) {
      return {};
    }
    const std::string threaded = machine::default_blas(2);
    return {machine::default_blas(), machine::has_one_thread(threaded) ? "" : threaded};
  }

  /// Chooses kernels for the library's own process: variables that the user hasn't set don't stay in this process.
  ChosenKernels choose_kernels(const std::string& library) override {
    std::set<std::string> set_by_user;
    for (const machine::KernelChoice& choice : machine::kernel_choices()) {
      if (std::getenv(std::string(choice.variable).c_str()) != nullptr) {
        set_by_user.insert(std::string(choice.variable));
      }
    }
    ChosenKernels chosen;
    chosen.settings = flopcast::choose_kernels({.blas = library, .kernels = kernels_}, context_);
    for (const auto& [variable, value] : chosen.settings) {
      if (set_by_user.count(variable) == 0) {
        ::unsetenv(variable.c_str());
      }
    }
    chosen.set_by_user = !chosen.settings.empty() && set_by_user.count(chosen.settings.begin()->first) > 0;
    return chosen;
  }

  roofline::GemmRoof search_gemm(const roofline::GemmSetup& setup, const roofline::GemmSpace& space,
                                 const roofline::GemmSearchOptions& options) override {
    return roofline::find_gemm_roof(setup, space, options);
  }

  TimedCalls time_calls(const std::vector<Call>& calls, const std::string& blas, int threads,
                        const std::vector<CacheLevel>& levels) override {
    return flopcast::time_calls(calls, {.blas = blas, .threads = threads, .kernels = kernels_}, levels, context_);
  }

  roofline::Point recorded_program(const std::string& file) override { return flopcast::recorded_program(file); }

 private:
  const machine::WallClock& clock() {
    if (!clock_) {
      clock_.emplace(0.05);
    }
    return *clock_;
  }

  std::string kernels_;
  RunContext context_;
  Stopwatch watch_;
  machine::OtherLoad load_;
  std::optional<machine::WallClock> clock_;
};

}  // namespace

std::unique_ptr<RooflineMachine> this_machine(std::string kernels, const RunContext& context) {
  return std::make_unique<ThisMachine>(std::move(kernels), context);
}

}  // namespace flopcast
