#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// Fills memory with elements whose parts are in [-1, 1]. The numbers repeat after 8191 elements.
void fill_random(Precision precision, std::byte* memory, std::int64_t bytes, std::mt19937& random);

/// Returns the bytes of the three tensors, each from its lowest to its highest element; the largest number if they are more.
std::int64_t tensor_bytes(const Contraction& contraction);

/// Throws environment_error if the three tensors need more memory than is available.
void require_memory(const Contraction& contraction);

/// The tensors of a contraction in memory, filled with random numbers in [-1, 1].
class Workspace {
 public:
  /// Throws environment_error if the memory isn't available.
  explicit Workspace(const Contraction& contraction, unsigned seed = 1);
  [[nodiscard]] std::byte* tensor(Operand operand) { return starts_[static_cast<std::size_t>(operand)]; }

 private:
  std::vector<std::shared_ptr<void>> memory_;
  std::array<std::byte*, 3> starts_{};
};

}  // namespace flopcast::contract
