#include "flopcast/contract/planner/mirror.hpp"

#include <algorithm>

#include "flopcast/contract/notation/element.hpp"

namespace flopcast::contract {
namespace {

/// Mirrors the block of rows [top, bottom) and columns [left, right), as far as it lies above the diagonal.
template <class Element>
void mirror_block(const Folded& folded, Element* c, std::size_t top, std::size_t bottom, std::size_t left, std::size_t right) {
  const std::vector<std::int64_t>&row = folded.m.c, &column = folded.n.c;
  for (std::size_t j = left; j < right; ++j) {
    for (std::size_t i = top; i < std::min(bottom, j); ++i) {
      c[row[i] + column[j]] = c[row[j] + column[i]];
    }
  }
}

}  // namespace

bool is_symmetric_of_one(const Folded& folded) {
  return folded.m.extent == folded.n.extent && folded.m.a == folded.n.b && folded.k.a == folded.k.b && folded.batch.a == folded.batch.b;
}

void mirror(const Folded& folded, void* c) {
  constexpr std::size_t side = 32;  // lines of both triangles stay in L1
  const auto order = static_cast<std::size_t>(folded.m.extent);
  with_element(folded.precision, [&](auto zero) {
    using Element = decltype(zero);
    for (const std::int64_t batch : folded.batch.c) {
      for (std::size_t left = 0; left < order; left += side) {
        for (std::size_t top = 0; top <= left; top += side) {
          mirror_block(folded, static_cast<Element*>(c) + batch, top, top + side, left, std::min(order, left + side));
        }
      }
    }
  });
}

}  // namespace flopcast::contract
