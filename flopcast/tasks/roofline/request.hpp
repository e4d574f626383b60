#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/cpu/affinity.hpp"
#include "flopcast/roofline/gemm_space.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// The roofs to measure, and the calls and programs to place below them.
struct RooflineRequest {
  /// Libraries whose gemm is searched. Empty: the workbench's library if it names one, else the default library of one thread and that of
  /// several threads.
  std::vector<std::string> blas;
  int threads = 0;  ///< maximum number of threads; 0: one per core, within the control group's limit
  machine::Affinity affinity = machine::Affinity::close;
  std::string cores;                                          ///< kind of cores, or "all"; empty: the fastest kind
  bool searches_gemm = true;                                  ///< false: no gemm is measured
  std::vector<std::string> gemm = {"dgemm"};                  ///< routines: "dgemm", "sgemm"
  roofline::GemmSpace space = roofline::gemm_space("brief");  ///< shapes of gemm
  double tolerance = 0.02;                                    ///< fraction of its time that the best gemm may lose to another shape
  double error_probability = 0.05;                            ///< probability that the best gemm loses more
  double stop_at = 0;                                         ///< share of the FMA ceiling at which searches end; 0: no such share
  std::vector<machine::Stream> streams;                       ///< streams to measure; empty: all
  bool triad_lengths = false;                                 ///< also measures the triad by the length of its vectors
  double nominal_hertz = 0;                                   ///< nominal clock; 0: as the CPU tells it
  int fma_units = 0;                                          ///< units of a core, for the peaks; 0: as measured
  Seconds time_budget = 60;                                   ///< for roofs and searches, without the measurement of the caches
  bool quick = false;                                         ///< fewer samples, and 8 rounds of the race of shapes
  std::uint64_t seed = 1;
  std::vector<Call> calls;              ///< calls to place on the roofline
  std::vector<std::string> recordings;  ///< files of recorded programs to place on the roofline
};

}  // namespace flopcast
