#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/affinity.hpp"
#include "flopcast/roofline/gemm_space.hpp"
#include "flopcast/search/exhaustive.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

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
  std::string order;  ///< of shapes in a published technique; empty: its own
  double tolerance = 0.02, error_probability = 0.05, enough = 0;
  std::vector<std::string> streams;
  double nominal_clock_gigahertz = 0;
  int fma_units = 0;  ///< of a core; 0: as measured
  std::string time_budget = "60s";
  std::string cores;  ///< kind of cores; empty: the fastest
  std::uint64_t seed = 1;
  bool quick = false, dry_run = false, no_gemm = false, triad_lengths = false;
  std::vector<std::string> points, programs;
  std::string figure, replot;
  std::vector<std::string> compare;
};

/// The space that the options name or spell out; throws usage_error if they do both, bad_input for sizes out of range.
roofline::GemmSpace requested_space(const RooflineOptions& options);

/// Throws usage_error if `option` names something twice.
void require_distinct(std::vector<std::string> names, const char* option);

/// Throws bad_input if the largest operands of the space don't fit in the memory that is available.
void require_memory(const roofline::GemmSpace& space);

/// --order; none if it wasn't given. Throws usage_error for an unknown one.
std::optional<search::Order> requested_order(const RooflineOptions& options);

}  // namespace flopcast
