#include "flopcast/contract/panel_kernel.hpp"

#include <vector>

#include "flopcast/contract/panel_tables.hpp"

namespace flopcast::contract {
namespace {

/// The tables that this CPU can execute.
std::vector<PanelKernels> usable() {
  std::vector<PanelKernels> all;
  const auto add = [&](const PanelKernels& kernels) {
    if (kernels.in_double.run != nullptr) {
      all.push_back(kernels);
    }
  };
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    add(avx512_panels());
  }
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    add(avx2_panels());
  }
#endif
  add(baseline_panels());
  return all;
}

template <class T>
std::vector<PanelKernel<T>> kernels_of(PanelKernel<T> PanelKernels::*which) {
  std::vector<PanelKernel<T>> all;
  for (const PanelKernels& kernels : usable()) {
    all.push_back(kernels.*which);
  }
  return all;
}

}  // namespace

template <>
std::span<const PanelKernel<float>> panel_kernels<float>() {
  static const std::vector<PanelKernel<float>> all = kernels_of(&PanelKernels::in_float);
  return all;
}

template <>
std::span<const PanelKernel<double>> panel_kernels<double>() {
  static const std::vector<PanelKernel<double>> all = kernels_of(&PanelKernels::in_double);
  return all;
}

}  // namespace flopcast::contract
