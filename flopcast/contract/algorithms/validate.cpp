#include "flopcast/contract/algorithms/validate.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

/// A tensor's bytes from the lowest to the highest element, and the offset of the first element from the lowest (negative strides).
struct LabelExtent {
  std::int64_t bytes = 0, first_offset = 0;
};

LabelExtent extent(const Contraction& contraction, Operand operand) {
  const std::int64_t element = element_bytes(contraction.precision);
  LabelExtent found{element, 0};
  const Tensor& tensor = contraction.tensor(operand);
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    const std::int64_t reach = (contraction.extent(tensor.indices[i]) - 1) * tensor.strides[i] * element;
    found.bytes += std::abs(reach);
    found.first_offset += reach < 0 ? -reach : 0;
  }
  return found;
}

}  // namespace

void fill_random(Precision precision, std::byte* memory, std::int64_t bytes, std::mt19937& random) {
  with_element(precision, [&](auto element) {
    using Element = decltype(element);
    std::uniform_real_distribution<double> uniform(-1, 1);
    auto* numbers = reinterpret_cast<Element*>(memory);
    const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Element));
    constexpr std::int64_t period = 8191;  // random numbers are slow to generate, and 8191 suffice
    for (std::int64_t i = 0; i < count; ++i) {
      numbers[i] = i < period ? to_element<Element>({uniform(random), uniform(random)}) : numbers[i - period];
    }
  });
}

std::int64_t tensor_bytes(const Contraction& contraction) {
  std::int64_t bytes = 0;
  for (const Operand operand : all_operands) {
    if (__builtin_add_overflow(bytes, extent(contraction, operand).bytes, &bytes)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return bytes;
}

std::int64_t resident_bytes(const Algorithm& algorithm, const Contraction& contraction) {
  return std::accumulate(algorithm.copies.begin(), algorithm.copies.end(), tensor_bytes(contraction),
                         [&](std::int64_t sum, const Copy& copy) { return sum + copy_bytes(algorithm, contraction, copy.operand); });
}

void require_memory(const Contraction& contraction) {
  const std::int64_t needed = tensor_bytes(contraction);
  if (const std::int64_t available = measure::available_memory_bytes(); needed > available) {
    throw environment_error("the three tensors need {} of memory, but only {} are available", format_bytes(static_cast<double>(needed)),
                            format_bytes(static_cast<double>(available)));
  }
}

Workspace::Workspace(const Contraction& contraction, unsigned seed) {
  require_memory(contraction);
  std::mt19937 random(seed);
  for (const Operand operand : all_operands) {
    const LabelExtent needed = extent(contraction, operand);
    auto memory = std::make_shared<measure::Memory>(needed.bytes);
    auto* begin = reinterpret_cast<std::byte*>(memory->begin());
    fill_random(contraction.precision, begin, needed.bytes, random);
    starts_[static_cast<std::size_t>(operand)] = begin + needed.first_offset;
    memory_.push_back(std::move(memory));
  }
}

}  // namespace flopcast::contract
