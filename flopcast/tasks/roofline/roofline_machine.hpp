#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/roofline/bandwidth_roofs.hpp"
#include "flopcast/roofline/compute_roofs.hpp"
#include "flopcast/roofline/gemm_roof.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {

/// Loops on running teams of threads.
class RoofLoops {
 public:
  RoofLoops() = default;
  RoofLoops(const RoofLoops&) = delete;
  RoofLoops& operator=(const RoofLoops&) = delete;
  virtual ~RoofLoops() = default;

  virtual std::vector<roofline::ComputeRoof> compute(const roofline::ComputeOptions& options, const Progress& progress) = 0;
  virtual std::vector<roofline::BandwidthRoof> bandwidth(const roofline::BandwidthOptions& options, const Progress& progress) = 0;
  virtual std::vector<roofline::BandwidthRoof> triad_lengths(const roofline::BandwidthOptions& options, const Progress& progress) = 0;
};

/// The default BLAS libraries of a machine.
struct DefaultLibraries {
  std::string one_thread;       ///< empty: no BLAS is installed
  std::string several_threads;  ///< empty: no installed BLAS has threads
};

/// Variables that select the kernels of a BLAS.
struct ChosenKernels {
  KernelSettings settings;   ///< empty: the library chooses well by itself
  bool set_by_user = false;  ///< the first of them was in the environment before
};

/// Rates of calls by themselves, and the environment in which they were timed.
struct TimedCalls {
  std::vector<roofline::Point> points;
  std::string place;  ///< text of place_text()
};

/// Everything that the measurement of a roofline asks of the machine. Tests have a fake one.
class RooflineMachine {
 public:
  RooflineMachine() = default;
  RooflineMachine(const RooflineMachine&) = delete;
  RooflineMachine& operator=(const RooflineMachine&) = delete;
  virtual ~RooflineMachine() = default;

  virtual Seconds now() = 0;       ///< time since any origin
  virtual std::string date() = 0;  ///< UTC, ISO 8601
  virtual machine::Topology topology() = 0;
  /// Returns the number of cores that other processes have kept busy since the start; nothing if it isn't known.
  virtual std::optional<double> cores_of_others() = 0;
  virtual std::int64_t available_memory_bytes() = 0;
  virtual std::string huge_pages() = 0;
  /// Returns the rate of a counter that usually ticks at the nominal clock; 0 if there is none.
  virtual double counter_hertz() = 0;

  virtual machine::MachineMeasurement caches(const machine::Topology& topology, bool quick, const Progress& progress) = 0;
  /// Starts a team of threads for each list of CPUs. The arguments must outlive the loops.
  virtual std::unique_ptr<RoofLoops> start_threads(const std::vector<std::vector<int>>& cpus, const machine::MachineMeasurement& machine,
                                                   const std::vector<machine::ReportedCache>& reported) = 0;

  virtual DefaultLibraries default_libraries() = 0;
  virtual ChosenKernels choose_kernels(const std::string& library) = 0;
  virtual roofline::GemmRoof search_gemm(const roofline::GemmSetup& setup, const roofline::GemmSpace& space,
                                         const roofline::GemmSearchOptions& options) = 0;

  /// Times calls with their operands in cache where they fit. Throws an Error if the library can't be used.
  virtual TimedCalls time_calls(const std::vector<Call>& calls, const std::string& blas, int threads,
                                const std::vector<CacheLevel>& levels) = 0;
  /// Returns the point of a recorded program. Throws bad_input for a recording without arithmetic.
  virtual roofline::Point recorded_program(const std::string& file) = 0;
};

/// Returns this machine. `kernels` is as in machine::LibraryChoice; the context tells of measurements and stops them.
std::unique_ptr<RooflineMachine> this_machine(std::string kernels, const RunContext& context);

}  // namespace flopcast
