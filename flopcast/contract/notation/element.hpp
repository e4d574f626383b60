#pragma once

#include <array>
#include <complex>
#include <cstddef>

#include "flopcast/core/routine.hpp"

namespace flopcast::contract {

/// Calls `work` with a value-initialised element of the precision's type: float, double, or one of their complex types.
template <class Work>
auto with_element(Precision precision, Work&& work) {
  switch (precision) {
    case Precision::s: return work(float{});
    case Precision::d: return work(double{});
    case Precision::c: return work(std::complex<float>{});
    case Precision::z: break;
  }
  return work(std::complex<double>{});
}

/// Converts a number to an element's type; a real type drops the imaginary part.
template <class Element>
Element to_element(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<Element>) {
    return static_cast<Element>(value.real());
  } else {
    return Element(value);
  }
}

/// Returns the element at `address`.
inline std::complex<double> load(Precision precision, const std::byte* address) {
  return with_element(precision, [&](auto element) { return std::complex<double>(*reinterpret_cast<const decltype(element)*>(address)); });
}

/// The precisions in the order of the numbers that C and TAPP give types of elements.
inline constexpr std::array<Precision, 4> numbered_precisions = {Precision::s, Precision::d, Precision::c, Precision::z};

/// Returns the number of a precision at `address`, or `otherwise` for a null pointer.
inline std::complex<double> number_at(Precision precision, const void* address, double otherwise) {
  return address == nullptr ? otherwise : load(precision, static_cast<const std::byte*>(address));
}

/// Adds `value` to the element at `address`.
inline void add(Precision precision, std::byte* address, std::complex<double> value) {
  with_element(precision, [&](auto element) {
    using Element = decltype(element);
    *reinterpret_cast<Element*>(address) += to_element<Element>(value);
  });
}

}  // namespace flopcast::contract
