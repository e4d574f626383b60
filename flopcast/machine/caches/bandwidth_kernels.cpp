#include "flopcast/machine/caches/bandwidth_kernels.hpp"

#include <algorithm>
#include <array>

#include "flopcast/machine/caches/instruction_sets.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

constexpr std::array<std::string_view, 7> names = {"load", "store", "copy", "scale", "add", "triad", "update"};
constexpr std::array<StreamCost, 7> costs = {{
    {1, 8, 0, 0, 0},
    {1, 0, 8, 8, 0},
    {2, 8, 8, 8, 0},
    {2, 8, 8, 8, 1},
    {3, 16, 8, 8, 1},
    {3, 16, 8, 8, 2},
    {1, 8, 8, 0, 1},
}};

InstructionSet widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return avx512_loops();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return avx2_loops();
  }
#endif
  return baseline_loops();
}

}  // namespace

std::string_view name(Stream stream) noexcept { return names[static_cast<std::size_t>(stream)]; }
StreamCost cost(Stream stream) noexcept { return costs[static_cast<std::size_t>(stream)]; }

const std::vector<BandwidthKernel>& bandwidth_kernels() {
  static const std::vector<BandwidthKernel> kernels(widest().bandwidth.begin(), widest().bandwidth.end());
  return kernels;
}

const BandwidthKernel& bandwidth_kernel(Stream stream, bool nontemporal) {
  const std::vector<BandwidthKernel>& kernels = bandwidth_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const BandwidthKernel& kernel) {
    return kernel.stream == stream && kernel.nontemporal == nontemporal;
  });
  if (found == kernels.end()) {
    throw environment_error("this CPU has no {} {}", nontemporal ? "non-temporal" : "plain", name(stream));
  }
  return *found;
}

}  // namespace flopcast::machine
