#include "flopcast/contract/overlap.hpp"

#include <functional>
#include <utility>

#include "flopcast/core/error.hpp"

namespace flopcast::contract {
namespace {

/// Lowest and one past the highest address of a tensor; equal if it is empty.
std::pair<std::uintptr_t, std::uintptr_t> span_of(const Contraction& contraction, Place place, const void* first) {
  const std::int64_t element = element_bytes(contraction.precision);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  std::int64_t low = 0, high = element;
  const Tensor& tensor = contraction.tensor(place);
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    const std::int64_t extent = contraction.extent(tensor.indices[i]);
    if (extent == 0) {
      return {address, address};
    }
    const std::int64_t reach = (extent - 1) * tensor.strides[i] * element;
    (reach < 0 ? low : high) += reach;
  }
  return {address + static_cast<std::uintptr_t>(low), address + static_cast<std::uintptr_t>(high)};
}

}  // namespace

void require_apart(const Contraction& contraction, const void* a, const void* b, const void* c) {
  const auto [c_low, c_high] = span_of(contraction, Place::c, c);
  for (const auto& [place, first] : {std::pair{Place::a, a}, {Place::b, b}}) {
    const auto [low, high] = span_of(contraction, place, first);
    if (low < high && c_low < c_high && low < c_high && c_low < high) {
      throw bad_input("C overlaps {} in memory: {} bytes of {} begin {} bytes from C's first one; the result needs memory of its own",
                      letter(place), high - low, letter(place), static_cast<std::int64_t>(low - c_low));
    }
  }
}

}  // namespace flopcast::contract
