#include "flopcast/contract/notation/reference.hpp"

#include <array>
#include <functional>

#include "flopcast/contract/notation/element.hpp"

namespace flopcast::contract {
namespace {

/// Offsets in elements from the first element of A, B and C.
using Offsets = std::array<std::int64_t, 3>;

/// Visits every combination of `indices`, the last one changing fastest.
void visit(const Contraction& contraction, std::string_view indices, Offsets offsets, const std::function<void(const Offsets&)>& work) {
  if (indices.empty()) {
    work(offsets);
    return;
  }
  const char index = indices.front();
  for (std::int64_t i = 0; i < contraction.extent(index); ++i) {
    visit(contraction, indices.substr(1), offsets, work);
    for (std::size_t t = 0; t < offsets.size(); ++t) {
      offsets[t] += contraction.tensors[t].stride(index);
    }
  }
}

}  // namespace

void scale(const Contraction& contraction, void* c, std::complex<double> beta) {
  if (beta == 1.0) {
    return;
  }
  with_element(contraction.precision, [&](auto zero) {
    using Element = decltype(zero);
    const auto factor = to_element<Element>(beta);
    visit(contraction, contraction.tensor(Operand::c).indices, {}, [&](const Offsets& at) {
      Element& element = static_cast<Element*>(c)[at[2]];
      element = beta == 0.0 ? zero : factor * element;
    });
  });
}

void contract_naively(const Contraction& contraction, const void* a, const void* b, void* c, std::complex<double> alpha,
                      std::complex<double> beta) {
  scale(contraction, c, beta);
  with_element(contraction.precision, [&](auto zero) {
    using Element = decltype(zero);
    const std::string contracted = contraction.indices(IndexRole::contracted);
    visit(contraction, contraction.tensor(Operand::c).indices, {}, [&](const Offsets& row) {
      Element sum = zero;
      visit(contraction, contracted, row,
            [&](const Offsets& at) { sum += static_cast<const Element*>(a)[at[0]] * static_cast<const Element*>(b)[at[1]]; });
      static_cast<Element*>(c)[row[2]] += to_element<Element>(alpha) * sum;
    });
  });
}

}  // namespace flopcast::contract
