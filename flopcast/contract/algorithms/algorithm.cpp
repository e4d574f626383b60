#include "flopcast/contract/algorithms/algorithm.hpp"

#include <algorithm>

namespace flopcast::contract {

std::string_view name(BlasKernel kernel) {
  switch (kernel) {
    case BlasKernel::dot: return "dot";
    case BlasKernel::axpy: return "axpy";
    case BlasKernel::gemv: return "gemv";
    case BlasKernel::ger: return "ger";
    case BlasKernel::gemm: return "gemm";
  }
  return "";
}

int blas_level(BlasKernel kernel) {
  switch (kernel) {
    case BlasKernel::dot:
    case BlasKernel::axpy: return 1;
    case BlasKernel::gemv:
    case BlasKernel::ger: return 2;
    case BlasKernel::gemm: return 3;
  }
  return 0;
}

std::string Algorithm::name() const {
  const auto apostrophes = [this](std::size_t depth) {
    const auto count = std::count_if(copies.begin(), copies.end(), [&](const Copy& copy) { return copy.depth == depth; });
    return std::string(static_cast<std::size_t>(count), '\'');
  };
  std::string text = apostrophes(0);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    text += loops[i] + apostrophes(i + 1);
  }
  return text + (text.empty() ? "" : "-") + std::string(contract::name(kernel));
}

const Copy* Algorithm::copy_of(Operand operand) const {
  const auto found = std::find_if(copies.begin(), copies.end(), [&](const Copy& copy) { return copy.operand == operand; });
  return found == copies.end() ? nullptr : &*found;
}

double kernel_calls(const Algorithm& algorithm, const Contraction& contraction) {
  double product = 1;
  for (const char index : algorithm.loops) {
    product *= static_cast<double>(contraction.extent(index));
  }
  return product;
}

std::string kernel_indices(const Algorithm& algorithm, const Contraction& contraction, Operand operand) {
  std::string found;
  for (const char index : algorithm.kernel_indices) {
    if (contraction.tensor(operand).has(index)) {
      found += index;
    }
  }
  return found;
}

}  // namespace flopcast::contract
