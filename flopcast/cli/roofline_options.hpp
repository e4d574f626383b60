#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/machine/affinity.hpp"
#include "flopcast/roofline/gemm_space.hpp"

namespace flopcast::cli {

/// What `flopcast roofline` was asked for.
struct RooflineOptions {
  std::vector<std::string> blas;  ///< empty: the default one, and for several threads the first that can have them
  std::string kernels = "auto";
  int threads = 0;  ///< 0: as many as there are cores
  std::string affinity = "close";
  std::vector<std::string> gemm = {"dgemm"};  ///< routines; also sgemm
  std::string space;                          ///< empty: brief, or own sizes
  std::string m, n, k;
  std::string search = "race";
  double tolerance = 0.02, error_probability = 0.05, enough = 0;
  std::vector<std::string> streams;
  double nominal_clock_gigahertz = 0;
  std::string time_budget = "60s";
  std::uint64_t seed = 1;
  bool quick = false, dry_run = false, no_gemm = false, triad_lengths = false;
  std::vector<std::string> points, programs;
  std::string figure, replot;
  std::vector<std::string> compare;
};

/// The space that the options name or spell out; throws usage_error if they do both, bad_input for sizes out of range.
roofline::GemmSpace requested_space(const RooflineOptions& options);

}  // namespace flopcast::cli
