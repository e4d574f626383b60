#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/cpu/affinity.hpp"
#include "flopcast/roofline/gemm_space.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/size_list.hpp"
#include "flopcast/support/text_number.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// The roofs to measure, and the calls and programs to place below them.
struct RooflineRequest {
  std::vector<std::string> blas;
  int threads = 0;
  machine::Affinity affinity = machine::Affinity::close;
  std::string cores;
  bool searches_gemm = true;
  std::vector<std::string> gemm = {"dgemm"};
  std::optional<std::string> space;
  SizeList m, n, k;
  double tolerance = 0.02;
  double error_probability = 0.05;
  double stop_at = 0;
  std::vector<machine::Stream> streams;
  bool triad_lengths = false;
  std::optional<double> nominal_clock_gigahertz;
  int fma_units = 0;
  Duration time_budget = 60;
  bool quick = false;
  std::uint64_t seed = 1;
  std::vector<std::string> points;
  std::vector<std::string> recordings;
};

/// Two files with rooflines.
struct RooflineComparisonRequest {
  std::string before, after;
};

/// Returns the shapes of gemm that a request names, or spells out by sizes. Throws usage_error if the request does both, or some sizes are
/// missing.
roofline::GemmSpace gemm_space_of(const RooflineRequest& request);
/// Returns the calls to place on the roofline. Throws bad_input for a text that is no call.
std::vector<Call> points_of(const RooflineRequest& request);

template <>
Fields FieldTable<RooflineRequest>::fields();
template <>
Fields FieldTable<RooflineComparisonRequest>::fields();

}  // namespace flopcast
