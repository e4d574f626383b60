#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::machine {

enum class RealPrecision : std::uint8_t { single_precision, double_precision };
enum class Arithmetic : std::uint8_t { add, multiply_add };

std::string_view name(RealPrecision precision) noexcept;  ///< "single", "double"
std::string_view name(Arithmetic arithmetic) noexcept;    ///< "add", "FMA"

/// A loop of independent chains of one arithmetic instruction that touches no memory, so that its rate is the CPU's peak for this
/// instruction.
struct ComputeKernel {
  std::string_view instructions;  ///< "scalar", "SSE", "AVX2", "AVX-512"; "portable": whatever the compiler makes of vectors
  RealPrecision precision = RealPrecision::double_precision;
  Arithmetic arithmetic = Arithmetic::add;
  bool fused = false;  ///< multiply_add is one instruction, not two
  int lanes = 1;       ///< numbers per vector
  double flops_per_pass = 0;
  void (*run)(std::int64_t passes) = nullptr;  ///< keeps numbers finite and normal
};

/// "AVX2 double FMA", "SSE single multiply, add".
std::string ceiling_name(const ComputeKernel& kernel);

/// Every such loop that this CPU can execute, double precision and narrow vectors first.
const std::vector<ComputeKernel>& compute_kernels();

}  // namespace flopcast::machine
