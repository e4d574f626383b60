#include "flopcast/machine/caches/compute_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flopcast/machine/caches/instruction_sets.hpp"

namespace flopcast::machine {
namespace {

void append(std::vector<ComputeKernel>& kernels, const InstructionSet& set) {
  kernels.insert(kernels.end(), set.compute.begin(), set.compute.end());
}

std::vector<ComputeKernel> supported_kernels() {
  std::vector<ComputeKernel> kernels;
  append(kernels, baseline_loops());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    append(kernels, avx2_loops());
  }
  if (__builtin_cpu_supports("avx512f")) {
    append(kernels, avx512_loops());
  }
#endif
  std::stable_sort(kernels.begin(), kernels.end(), [](const ComputeKernel& a, const ComputeKernel& b) {
    return a.precision != b.precision ? a.precision == RealPrecision::double_precision : a.lanes < b.lanes;
  });
  return kernels;
}

}  // namespace

std::string_view name(RealPrecision precision) noexcept { return precision == RealPrecision::double_precision ? "double" : "single"; }
std::string_view name(Arithmetic arithmetic) noexcept { return arithmetic == Arithmetic::add ? "add" : "FMA"; }

std::string ceiling_name(const ComputeKernel& kernel) {
  const std::string_view arithmetic = kernel.fused ? name(kernel.arithmetic) : "multiply, add";
  return fmt::format("{} {} {}", kernel.instructions, name(kernel.precision), arithmetic);
}

const std::vector<ComputeKernel>& compute_kernels() {
  static const std::vector<ComputeKernel> kernels = supported_kernels();
  return kernels;
}

}  // namespace flopcast::machine
