#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/caches/compute_kernels.hpp"

/// The loops behind compute_kernels() and bandwidth_kernels(), for vectors of any width. One source file per instruction set includes this
/// file and is compiled for that set. These source files hold nothing but constant tables, so that no code for wide vectors gets into
/// functions that every CPU executes.
namespace flopcast::machine::loops {

/// Enough independent chains for two units of latency 4 (8 would do) or 5, and few enough for 16 registers with the two constants.
inline constexpr std::size_t chains = 12;

/// x := x * 0.75 + 0.5 tends to 2, so that numbers stay normal whatever the number of passes; x := x + 0.5 stops changing once x is large.
inline constexpr double factor = 0.75, summand = 0.5;

template <class Operation, class Vector, std::size_t... I>
[[gnu::always_inline]] inline void pass(Vector* x, const Vector& a, const Vector& b, std::index_sequence<I...> /*all*/) {
  (Operation::apply(x[I], a, b), ...);
}

/// The chains start at different numbers, lest a compiler take them for one.
template <class Operation, class Number, class Vector, std::size_t... I>
[[gnu::always_inline]] inline void run_chains(std::int64_t passes, std::index_sequence<I...> all) {
  const Vector a = Vector{} + static_cast<Number>(factor), b = Vector{} + static_cast<Number>(summand);
  Vector x[chains] = {(Vector{} + static_cast<Number>(I + 1))...};
  for (std::int64_t i = 0; i < passes; ++i) {
    pass<Operation>(x, a, b, all);
  }
  const Vector results[chains] = {x[I]...};  // a copy: the chains themselves must stay in registers
  asm volatile("" : : "r"(results) : "memory");
}

template <class Operation, class Number, class Vector>
void compute(std::int64_t passes) {
  run_chains<Operation, Number, Vector>(passes, std::make_index_sequence<chains>{});
}

template <class Operation, class Number, class Vector>
constexpr ComputeKernel compute_kernel(std::string_view instructions) {
  constexpr int lanes = sizeof(Vector) / sizeof(Number);
  constexpr double operations = Operation::arithmetic == Arithmetic::add ? 1 : 2;
  return {instructions,
          sizeof(Number) == sizeof(double) ? RealPrecision::double_precision : RealPrecision::single_precision,
          Operation::arithmetic,
          Operation::fused,
          lanes,
          lanes * operations * chains,
          compute<Operation, Number, Vector>};
}

/// a[i] := the stream's value; Memory::load and Memory::store say how a vector is moved.
template <class Memory, Stream stream, class Vector>
[[gnu::always_inline]] inline void element(Vector* a, const Vector* b, const Vector* c, const Vector& s) {
  if constexpr (stream == Stream::load) {
    Memory::load(*b);
  } else if constexpr (stream == Stream::store) {
    Memory::store(*a, s);
  } else if constexpr (stream == Stream::copy) {
    const Vector value = *b;
    Memory::store(*a, value);
  } else if constexpr (stream == Stream::scale) {
    const Vector value = s * *b;
    Memory::store(*a, value);
  } else if constexpr (stream == Stream::add) {
    const Vector value = *b + *c;
    Memory::store(*a, value);
  } else if constexpr (stream == Stream::triad) {
    const Vector value = *b + s * *c;
    Memory::store(*a, value);
  } else {
    const Vector value = s * *a;
    Memory::store(*a, value);
  }
}

/// s is read from memory, because a compiler would know that multiplying by 1 changes nothing. It is 1, because repeated scaling must keep
/// numbers normal.
template <class Memory, Stream stream, class Vector>
void stream_over(void* to, const void* from, const void* other, std::int64_t bytes, std::int64_t passes) {
  constexpr std::int64_t unrolled = 8;
  auto* a = static_cast<Vector*>(to);
  const auto* b = static_cast<const Vector*>(stream == Stream::load ? to : from);
  const auto* c = static_cast<const Vector*>(other);
  double one = 1;
  asm volatile("" : "+m"(one));
  const Vector s = Vector{} + one;
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Vector));
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    std::int64_t i = 0;
    for (; i + unrolled <= count; i += unrolled) {
      element<Memory, stream>(a + i, b + i, c + i, s);
      element<Memory, stream>(a + i + 1, b + i + 1, c + i + 1, s);
      element<Memory, stream>(a + i + 2, b + i + 2, c + i + 2, s);
      element<Memory, stream>(a + i + 3, b + i + 3, c + i + 3, s);
      element<Memory, stream>(a + i + 4, b + i + 4, c + i + 4, s);
      element<Memory, stream>(a + i + 5, b + i + 5, c + i + 5, s);
      element<Memory, stream>(a + i + 6, b + i + 6, c + i + 6, s);
      element<Memory, stream>(a + i + 7, b + i + 7, c + i + 7, s);
    }
    for (; i < count; ++i) {
      element<Memory, stream>(a + i, b + i, c + i, s);
    }
  }
  Memory::finish();
}

template <class Memory, class Vector, Stream stream>
constexpr BandwidthKernel bandwidth_kernel(std::string_view instructions) {
  return {instructions, stream, Memory::nontemporal, stream_over<Memory, stream, Vector>};
}

using AllStreams =
    std::integer_sequence<Stream, Stream::load, Stream::store, Stream::copy, Stream::scale, Stream::add, Stream::triad, Stream::update>;

}  // namespace flopcast::machine::loops
