#pragma once

/// Rooflines: measured, planned, read and drawn. Documents of rooflines are written and read by the functions of roofline/roof.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
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

/// Returns the shapes of gemm that a request names, or spells out by sizes. Throws usage_error if the request does both, or some sizes are
/// missing.
roofline::GemmSpace gemm_space_of(const RooflineRequest& request);
/// Returns the calls to place on the roofline. Throws bad_input for a text that is no call.
std::vector<Call> points_of(const RooflineRequest& request);

template <>
Fields FieldTable<RooflineRequest>::fields();

class Workbench;

using roofline::roofline_from_json;
using roofline::to_json;

/// Measures the roofs of this machine: arithmetic, bandwidths of every level, the best gemm. Of the workbench, the choice of the BLAS and
/// of its kernels counts; threads are those of the request. Once the context is cancelled, the roofs measured until then are returned.
/// Throws bad_input or usage_error for a request that can't be measured.
roofline::Roofline measure_roofline(const Workbench& bench, const RooflineRequest& request, const RunContext& context = {});

/// The steps that a measurement would take.
struct RooflinePlan {
  struct Step {
    std::string subject;  ///< "dgemm of openblas-serial, 1 thread"
    std::string method;   ///< "race over 48 shapes, matrices of up to 200 MiB"
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Step> steps;
  std::vector<std::string> findings;  ///< limits of this machine and of the libraries, as sentences
  friend bool operator==(const RooflinePlan&, const RooflinePlan&) = default;
};

/// Plans a measurement without measuring anything. Throws as measure_roofline.
RooflinePlan plan_roofline(const Workbench& bench, const RooflineRequest& request);

std::string to_json(const RooflinePlan& plan);
/// Reads what to_json wrote. Throws bad_input for another document.
RooflinePlan roofline_plan_from_json(std::string_view text);

/// Reads the document of a roofline from a file, "-" for standard input. Throws bad_input that names the file and the wrong member.
roofline::Roofline read_roofline(const std::string& file);

}  // namespace flopcast
