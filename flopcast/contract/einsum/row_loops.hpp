#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "flopcast/contract/einsum/move_loops.hpp"
#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/kernels/vector_memory.hpp"

/// The loops behind RowKernel, for vectors of any width. One source file per instruction set includes this file and is compiled for that
/// set. These source files hold nothing but constant tables, and all functions are static. So no code for wide vectors gets into functions
/// that every CPU executes.
namespace flopcast::contract::row_loops {

/// The vectors of an instruction set: wide ones for most of a row, narrow ones for its end, and single elements for the rest. A single
/// element is a vector, too: of one number, or of the two numbers of a complex element.
template <class R, std::size_t bytes, bool complex>
struct Vectors {
  static constexpr bool is_complex = complex;
  static constexpr std::int64_t numbers = complex ? 2 : 1;  ///< numbers of an element
  typedef R Wide [[gnu::vector_size(bytes)]];
  typedef R Narrow [[gnu::vector_size(16)]];
  typedef R One[[gnu::vector_size(sizeof(R) * static_cast<std::size_t>(complex ? 2 : 1))]];
};

template <class Vector>
using NumberOf = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<Vector&>()[0])>>;

template <class Vector>
constexpr std::int64_t lanes = static_cast<std::int64_t>(sizeof(Vector) / sizeof(NumberOf<Vector>));

template <class Vector>
using Lanes = std::make_index_sequence<sizeof(Vector) / sizeof(NumberOf<Vector>)>;

template <class Vector, std::size_t... I>
[[gnu::always_inline]] static inline Vector swapped(const Vector& x, std::index_sequence<I...> /*lanes*/) {
  return __builtin_shufflevector(x, x, (static_cast<int>(I) ^ 1)...);
}
template <class Vector, std::size_t... I>
[[gnu::always_inline]] static inline Vector real_parts(const Vector& x, std::index_sequence<I...> /*lanes*/) {
  return __builtin_shufflevector(x, x, (static_cast<int>(I) & ~1)...);
}
template <class Vector, std::size_t... I>
[[gnu::always_inline]] static inline Vector imaginary_parts(const Vector& x, std::index_sequence<I...> /*lanes*/) {
  return __builtin_shufflevector(x, x, (static_cast<int>(I) | 1)...);
}
/// Returns `even` in lanes of real parts and `odd` in lanes of imaginary parts.
template <class Vector, std::size_t... I>
[[gnu::always_inline]] static inline Vector alternating(NumberOf<Vector> even, NumberOf<Vector> odd, std::index_sequence<I...> /*lanes*/) {
  return Vector{(I % 2 == 0 ? even : odd)...};
}

/// Returns the conjugates of a vector's complex elements.
template <class Vector>
[[gnu::always_inline]] static inline Vector conjugates(const Vector& x) {
  return x * alternating<Vector>(1, -1, Lanes<Vector>{});
}

/// Returns the products of two vectors' elements.
template <bool is_complex, class Vector>
[[gnu::always_inline]] static inline Vector products(const Vector& a, const Vector& b) {
  if constexpr (is_complex) {
    constexpr auto all = Lanes<Vector>{};
    return real_parts(a, all) * b + imaginary_parts(a, all) * (alternating<Vector>(-1, 1, all) * swapped(b, all));
  } else {
    return a * b;
  }
}

/// Returns a vector whose elements are all the element at `from`.
template <bool is_complex, class Vector>
[[gnu::always_inline]] static inline Vector repeated(const NumberOf<Vector>* from) {
  return alternating<Vector>(from[0], from[is_complex ? 1 : 0], Lanes<Vector>{});
}

/// Calls `work` with a vector's type, as a value, and a position for all numbers of a row.
template <class Set, class Work>
[[gnu::always_inline]] static inline void along_row(std::int64_t numbers, Work work) {
  using Wide = typename Set::Wide;
  using Narrow = typename Set::Narrow;
  using One = typename Set::One;
  std::int64_t at = 0;
  for (; at + lanes<Wide> <= numbers; at += lanes<Wide>) {
    work(Wide{}, at);
  }
  for (; at + lanes<Narrow> <= numbers; at += lanes<Narrow>) {
    work(Narrow{}, at);
  }
  for (; at < numbers; at += lanes<One>) {
    work(One{}, at);
  }
}

/// Adds the elements of a vector to `result`.
template <class Set, class Vector, class R>
[[gnu::always_inline]] static inline void add_elements(const Vector& x, R* result) {
  for (std::int64_t i = 0; i < lanes<Vector>; ++i) {
    result[i % Set::numbers] += x[i];
  }
}

template <class Set, class R>
static void sum(std::int64_t count, const R* a, R* result) {
  using Wide = typename Set::Wide;
  constexpr std::int64_t width = lanes<Wide>;
  const std::int64_t numbers = count * Set::numbers;
  Wide sum0{}, sum1{}, sum2{}, sum3{};
  std::int64_t at = 0;
  for (; at + 4 * width <= numbers; at += 4 * width) {
    sum0 += load<Wide>(a + at);
    sum1 += load<Wide>(a + at + width);
    sum2 += load<Wide>(a + at + 2 * width);
    sum3 += load<Wide>(a + at + 3 * width);
  }
  add_elements<Set>((sum0 + sum1) + (sum2 + sum3), result);
  along_row<Set>(
      numbers - at, [&](auto zero, std::int64_t i)
                        __attribute__((always_inline)) { add_elements<Set>(load<decltype(zero)>(a + at + i), result); });
}

/// The sums of a dot product: of op(a) b or, for complex elements, of a b and of a with b's parts exchanged, lane by lane.
template <class Set, class Vector>
struct DotSums {
  Vector straight{}, crossed{};
  [[gnu::always_inline]] void add(const Vector& a, const Vector& b) {
    straight += a * b;
    if constexpr (Set::is_complex) {
      crossed += a * swapped(b, Lanes<Vector>{});
    }
  }
  template <class R>
  [[gnu::always_inline]] void finish(bool conjugate_a, R* result) const {
    if constexpr (Set::is_complex) {
      const R sign = conjugate_a ? R(1) : R(-1);
      for (std::int64_t i = 0; i < lanes<Vector>; i += 2) {
        result[0] += straight[i] + sign * straight[i + 1];
        result[1] += crossed[i] - sign * crossed[i + 1];
      }
    } else {
      add_elements<Set>(straight, result);
    }
  }
};

template <class Set, class R>
static void dot(std::int64_t count, const R* a, const R* b, bool conjugate_a, R* result) {
  using Wide = typename Set::Wide;
  constexpr std::int64_t width = lanes<Wide>;
  const std::int64_t numbers = count * Set::numbers;
  std::int64_t at = 0;
  if (numbers >= width) {
    DotSums<Set, Wide> sums0, sums1, sums2, sums3;
    for (; at + 4 * width <= numbers; at += 4 * width) {
      sums0.add(load<Wide>(a + at), load<Wide>(b + at));
      sums1.add(load<Wide>(a + at + width), load<Wide>(b + at + width));
      sums2.add(load<Wide>(a + at + 2 * width), load<Wide>(b + at + 2 * width));
      sums3.add(load<Wide>(a + at + 3 * width), load<Wide>(b + at + 3 * width));
    }
    for (; at + width <= numbers; at += width) {
      sums0.add(load<Wide>(a + at), load<Wide>(b + at));
    }
    sums0.straight = (sums0.straight + sums1.straight) + (sums2.straight + sums3.straight);
    sums0.crossed = (sums0.crossed + sums1.crossed) + (sums2.crossed + sums3.crossed);
    sums0.finish(conjugate_a, result);
  }
  using One = typename Set::One;
  DotSums<Set, One> rest;
  for (; at < numbers; at += lanes<One>) {
    rest.add(load<One>(a + at), load<One>(b + at));
  }
  rest.finish(conjugate_a, result);
}

template <class Set, class R>
static void add(std::int64_t count, const R* a, R* sums) {
  along_row<Set>(
      count * Set::numbers, [&](auto zero, std::int64_t at) __attribute__((always_inline)) {
        using Vector = decltype(zero);
        store(sums + at, load<Vector>(sums + at) + load<Vector>(a + at));
      });
}

/// Calls `work` with two flags as constants. Real elements aren't conjugated.
template <class Set, class Work>
[[gnu::always_inline]] static inline void with_flags(bool conjugate, bool adds, Work work) {
  if constexpr (Set::is_complex) {
    if (conjugate) {
      adds ? work(std::true_type(), std::true_type()) : work(std::true_type(), std::false_type());
      return;
    }
  }
  adds ? work(std::false_type(), std::true_type()) : work(std::false_type(), std::false_type());
}

template <class Vector, bool conjugate, class R>
[[gnu::always_inline]] static inline Vector loaded(const R* x) {
  if constexpr (conjugate) {
    return conjugates(load<Vector>(x));
  } else {
    return load<Vector>(x);
  }
}

template <class Set, bool conjugate, bool adds, class R>
[[gnu::always_inline]] static inline void multiply_rows(std::int64_t count, const R* a, const R* b, R* sums) {
  along_row<Set>(
      count * Set::numbers, [&](auto zero, std::int64_t at) __attribute__((always_inline)) {
        using Vector = decltype(zero);
        Vector product = products<Set::is_complex>(loaded<Vector, conjugate>(a + at), load<Vector>(b + at));
        if constexpr (adds) {
          product += load<Vector>(sums + at);
        }
        store(sums + at, product);
      });
}

template <class Set, class R>
static void multiply(std::int64_t count, const R* a, const R* b, bool conjugate_a, bool adds, R* sums) {
  with_flags<Set>(
      conjugate_a, adds, [&](auto conjugate, auto add) __attribute__((always_inline)) {
        multiply_rows<Set, decltype(conjugate)::value, decltype(add)::value>(count, a, b, sums);
      });
}

template <class Set, bool conjugate, bool adds, class R>
[[gnu::always_inline]] static inline void scale_rows(std::int64_t count, const R* x, const R* factor, const R* addend_factor,
                                                     const R* addend, R* result) {
  along_row<Set>(
      count * Set::numbers, [&](auto zero, std::int64_t at) __attribute__((always_inline)) {
        using Vector = decltype(zero);
        auto row = loaded<Vector, conjugate>(x + at);
        row = products<Set::is_complex>(repeated<Set::is_complex, Vector>(factor), row);
        if constexpr (adds) {
          const Vector other = load<Vector>(addend + at);
          row += addend_factor == nullptr ? other : products<Set::is_complex>(repeated<Set::is_complex, Vector>(addend_factor), other);
        }
        store(result + at, row);
      });
}

template <class Set, class R>
static void scale_with(std::int64_t count, const R* x, const R* factor, bool conjugate_x, bool adds, const R* addend_factor,
                       const R* addend, R* result) {
  with_flags<Set>(
      conjugate_x, adds, [&](auto conjugate, auto add) __attribute__((always_inline)) {
        scale_rows<Set, decltype(conjugate)::value, decltype(add)::value>(count, x, factor, addend_factor, addend, result);
      });
}

template <class Set, class R>
static void scale(std::int64_t count, const R* x, const R* factor, bool conjugate_x, bool adds, R* sums) {
  scale_with<Set>(count, x, factor, conjugate_x, adds, static_cast<const R*>(nullptr), sums, sums);
}

template <class R>
static bool is_one(const R* factor, bool is_complex) {
  return factor[0] == R(1) && (!is_complex || factor[1] == R(0));
}

/// c := op(x), or c += op(x). Nothing is multiplied, so that infinite parts of complex elements don't make the other part NaN.
template <class Set, bool conjugate, bool adds, class R>
[[gnu::always_inline]] static inline void take_rows(std::int64_t count, const R* x, R* c) {
  along_row<Set>(
      count * Set::numbers, [&](auto zero, std::int64_t at) __attribute__((always_inline)) {
        using Vector = decltype(zero);
        auto row = loaded<Vector, conjugate>(x + at);
        if constexpr (adds) {
          row += load<Vector>(c + at);
        }
        store(c + at, row);
      });
}

template <class Set, class R>
static void take(std::int64_t count, const R* x, bool conjugate_x, bool adds, R* c) {
  if (adds || x != c || (Set::is_complex && conjugate_x)) {
    with_flags<Set>(
        conjugate_x, adds, [&](auto conjugate, auto add) __attribute__((always_inline)) {
          take_rows<Set, decltype(conjugate)::value, decltype(add)::value>(count, x, c);
        });
  }
}

template <class Set, class R>
static void combine(std::int64_t count, const R* x, bool conjugate_x, const R* alpha, const R* beta, bool adds, R* c) {
  if (is_one(alpha, Set::is_complex) && (!adds || is_one(beta, Set::is_complex))) {
    take<Set>(count, x, conjugate_x, adds, c);
  } else {
    scale_with<Set>(count, x, alpha, conjugate_x, adds, beta, c, c);
  }
}

template <class R, std::size_t bytes, bool complex>
constexpr RowKernel<R> row_kernel() {
  using Set = Vectors<R, bytes, complex>;
  return {sum<Set, R>, dot<Set, R>, add<Set, R>, multiply<Set, R>, scale<Set, R>, combine<Set, R>};
}

template <std::size_t bytes>
constexpr RowKernels all_rows() {
  return {row_kernel<float, bytes, false>(),
          row_kernel<float, bytes, true>(),
          row_kernel<double, bytes, false>(),
          row_kernel<double, bytes, true>(),
          move_loops::move_kernel<Vectors<float, bytes, false>, float>(),
          move_loops::move_kernel<Vectors<double, bytes, false>, double>(),
          move_loops::move_kernel<Vectors<double, bytes, true>, double>()};
}

}  // namespace flopcast::contract::row_loops
