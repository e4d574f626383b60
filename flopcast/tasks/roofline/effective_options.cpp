#include "flopcast/tasks/roofline/effective_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "flopcast/support/version.hpp"
#include "flopcast/tasks/roofline/thread_plan.hpp"

namespace flopcast {
namespace {

/// Returns the distinct sizes of one dimension as a list: "64,128".
std::string sizes_text(const roofline::GemmSpace& space, std::int64_t roofline::GemmShape::*dimension) {
  std::set<std::int64_t> sizes;
  for (const roofline::GemmShape& shape : space.shapes) {
    sizes.insert(shape.*dimension);
  }
  return fmt::format("{}", fmt::join(sizes, ","));
}

}  // namespace

std::vector<std::string> stream_names(const RooflineRequest& request) {
  std::vector<std::string> names;
  std::transform(request.streams.begin(), request.streams.end(), std::back_inserter(names),
                 [](machine::Stream stream) { return std::string(machine::name(stream)); });
  return names;
}

roofline::EffectiveOptions effective_options(const RooflineRequest& request, const std::string& kernels, const machine::Topology& topology,
                                             const std::string& huge_pages) {
  roofline::EffectiveOptions options;
  options.version = version();
  options.threads = max_threads(request, topology);
  options.affinity = machine::to_string(request.affinity);
  options.cores = topology.kinds.size() == 1 ? topology.kinds.front().name : request.cores;
  options.blas = request.blas;
  options.kernels = kernels;
  options.gemm = request.gemm;
  options.space = request.space.name;
  if (request.space.name == "own") {
    options.m = sizes_text(request.space, &roofline::GemmShape::m);
    options.n = sizes_text(request.space, &roofline::GemmShape::n);
    options.k = sizes_text(request.space, &roofline::GemmShape::k);
  }
  options.shapes = static_cast<std::int64_t>(request.space.shapes.size());
  options.tolerance = request.tolerance;
  options.error_probability = request.error_probability;
  options.stop_at = request.stop_at;
  options.streams = stream_names(request);
  options.nominal_clock_gigahertz = request.nominal_hertz * 1e-9;
  options.fma_units = request.fma_units;
  options.time_budget = fmt::format("{:g}s", request.time_budget);
  options.seed = request.seed;
  options.quick = request.quick;
  options.huge_pages = huge_pages;
  return options;
}

}  // namespace flopcast
