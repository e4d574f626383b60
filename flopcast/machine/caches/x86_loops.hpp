#pragma once

#include <array>

#include "flopcast/machine/caches/vector_loops.hpp"

/// Instructions are written by name, because a compiler might fuse them or not, and might keep a chain in memory. An operand's width
/// selects xmm, ymm or zmm registers.
namespace flopcast::machine::loops {

#if defined(__x86_64__)

template <class Vector, class Number>
inline constexpr bool is_scalar = sizeof(Vector) == sizeof(Number);
template <class Number>
inline constexpr bool is_double = sizeof(Number) == sizeof(double);

#if defined(__FMA__)
template <class Number>
struct Fused {
  static constexpr Arithmetic arithmetic = Arithmetic::multiply_add;
  static constexpr bool fused = true;
  template <class Vector>
  [[gnu::always_inline]] static void apply(Vector& x, const Vector& a, const Vector& b) {
    if constexpr (is_scalar<Vector, Number> && is_double<Number>) {
      asm volatile("vfmadd213sd %2, %1, %0" : "+x"(x) : "x"(a), "x"(b));
    } else if constexpr (is_scalar<Vector, Number>) {
      asm volatile("vfmadd213ss %2, %1, %0" : "+x"(x) : "x"(a), "x"(b));
    } else if constexpr (is_double<Number>) {
      asm volatile("vfmadd213pd %2, %1, %0" : "+x"(x) : "x"(a), "x"(b));
    } else {
      asm volatile("vfmadd213ps %2, %1, %0" : "+x"(x) : "x"(a), "x"(b));
    }
  }
};
#endif

template <class Number>
struct Added {
  static constexpr Arithmetic arithmetic = Arithmetic::add;
  static constexpr bool fused = true;
  template <class Vector>
  [[gnu::always_inline]] static void apply(Vector& x, const Vector& /*a*/, const Vector& b) {
#if defined(__AVX__)
    if constexpr (is_double<Number>) {
      asm volatile("vaddpd %1, %0, %0" : "+x"(x) : "x"(b));
    } else {
      asm volatile("vaddps %1, %0, %0" : "+x"(x) : "x"(b));
    }
#else
    if constexpr (is_scalar<Vector, Number> && is_double<Number>) {
      asm volatile("addsd %1, %0" : "+x"(x) : "x"(b));
    } else if constexpr (is_scalar<Vector, Number>) {
      asm volatile("addss %1, %0" : "+x"(x) : "x"(b));
    } else if constexpr (is_double<Number>) {
      asm volatile("addpd %1, %0" : "+x"(x) : "x"(b));
    } else {
      asm volatile("addps %1, %0" : "+x"(x) : "x"(b));
    }
#endif
  }
};

/// A multiplication and an addition, as in code for CPUs without FMA.
template <class Number>
struct Separate {
  static constexpr Arithmetic arithmetic = Arithmetic::multiply_add;
  static constexpr bool fused = false;
  template <class Vector>
  [[gnu::always_inline]] static void apply(Vector& x, const Vector& a, const Vector& b) {
    if constexpr (is_scalar<Vector, Number> && is_double<Number>) {
      asm volatile("mulsd %1, %0\n\taddsd %2, %0" : "+x"(x) : "x"(a), "x"(b));
    } else if constexpr (is_scalar<Vector, Number>) {
      asm volatile("mulss %1, %0\n\taddss %2, %0" : "+x"(x) : "x"(a), "x"(b));
    } else if constexpr (is_double<Number>) {
      asm volatile("mulpd %1, %0\n\taddpd %2, %0" : "+x"(x) : "x"(a), "x"(b));
    } else {
      asm volatile("mulps %1, %0\n\taddps %2, %0" : "+x"(x) : "x"(a), "x"(b));
    }
  }
};

template <class Vector>
[[gnu::always_inline]] inline void load_only(const Vector& from) {
  const Vector value = from;
  asm volatile("" : : "x"(value));
}

struct PlainMemory {
  static constexpr bool nontemporal = false;
  template <class Vector>
  [[gnu::always_inline]] static void load(const Vector& from) {
    load_only(from);
  }
  /// The empty statement keeps a compiler from taking the loop for memset or memcpy.
  template <class Vector>
  [[gnu::always_inline]] static void store(Vector& to, const Vector& value) {
    to = value;
    asm volatile("" : "+m"(to));
  }
  static void finish() {}
};

struct NontemporalMemory {
  static constexpr bool nontemporal = true;
  template <class Vector>
  [[gnu::always_inline]] static void load(const Vector& from) {
    load_only(from);
  }
  template <class Vector>
  [[gnu::always_inline]] static void store(Vector& to, const Vector& value) {
#if defined(__AVX__)
    asm volatile("vmovntpd %1, %0" : "=m"(to) : "x"(value));
#else
    asm volatile("movntpd %1, %0" : "=m"(to) : "x"(value));
#endif
  }
  static void finish() { asm volatile("sfence" : : : "memory"); }
};

using NontemporalStreams = std::integer_sequence<Stream, Stream::store, Stream::copy, Stream::scale, Stream::add, Stream::triad>;

/// Returns streams with plain stores, then streams with non-temporal ones, in vectors of type Vector.
template <class Vector, Stream... plain, Stream... nontemporal>
constexpr std::array<BandwidthKernel, sizeof...(plain) + sizeof...(nontemporal)> stream_kernels(
    std::string_view instructions, std::integer_sequence<Stream, plain...> /*streams*/,
    std::integer_sequence<Stream, nontemporal...> /*streams*/) {
  return {bandwidth_kernel<PlainMemory, Vector, plain>(instructions)...,
          bandwidth_kernel<NontemporalMemory, Vector, nontemporal>(instructions)...};
}

#endif

}  // namespace flopcast::machine::loops
