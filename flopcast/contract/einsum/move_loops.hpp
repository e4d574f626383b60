#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/kernels/cache_lines.hpp"
#include "flopcast/contract/kernels/vector_memory.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// The loops behind MoveKernel, for vectors of any width. Included, like row_loops.hpp, by one source file per instruction set. `Set` is a
/// row_loops::Vectors, whose elements consist of one or two numbers of type R.
namespace flopcast::contract::move_loops {

/// Copies a row of `numbers` numbers by vectors. The last one reaches back over what has been copied before.
template <class Vector, class R>
[[gnu::always_inline]] static inline void copy_by(std::int64_t numbers, const R* from, R* to) {
  constexpr std::int64_t width = sizeof(Vector) / sizeof(R);
  std::int64_t at = 0;
  for (; at + width <= numbers; at += width) {
    store(to + at, load<Vector>(from + at));
  }
  if (at < numbers) {
    store(to + numbers - width, load<Vector>(from + numbers - width));
  }
}

template <class Set, class R>
static void rows(std::size_t blocks, const MovedBlock* at, std::int64_t count, const void* from, void* to) {
  const std::int64_t numbers = count * Set::numbers;
  const auto copy_all = [&](auto zero) __attribute__((always_inline)) {
    for (std::size_t block = 0; block < blocks; ++block) {
      copy_by<decltype(zero)>(numbers, static_cast<const R*>(from) + at[block].from * Set::numbers,
                              static_cast<R*>(to) + at[block].to * Set::numbers);
    }
  };
  if (numbers * std::int64_t{sizeof(R)} >= std::int64_t{sizeof(typename Set::Wide)}) {
    copy_all(typename Set::Wide{});
  } else if (numbers * std::int64_t{sizeof(R)} >= std::int64_t{sizeof(typename Set::Narrow)}) {
    copy_all(typename Set::Narrow{});
  } else {
    copy_all(typename Set::One{});
  }
}

#if defined(__AVX512F__)
typedef long long Streamed [[gnu::vector_size(64)]];
[[gnu::always_inline]] static inline void store_past_caches(void* to, Streamed x) {
  _mm512_stream_si512(static_cast<__m512i*>(to), __m512i(x));
}
#elif defined(__AVX__)
typedef long long Streamed [[gnu::vector_size(32)]];
[[gnu::always_inline]] static inline void store_past_caches(void* to, Streamed x) {
  _mm256_stream_si256(static_cast<__m256i*>(to), __m256i(x));
}
#elif defined(__SSE2__)
typedef long long Streamed [[gnu::vector_size(16)]];
[[gnu::always_inline]] static inline void store_past_caches(void* to, Streamed x) {
  _mm_stream_si128(static_cast<__m128i*>(to), __m128i(x));
}
#else
typedef long long Streamed [[gnu::vector_size(16)]];
[[gnu::always_inline]] static inline void store_past_caches(void* to, Streamed x) { store(to, x); }
#endif

/// Prefetches rows into the second cache, one line per step.
template <class Set, class R>
class ReadAhead {
 public:
  explicit ReadAhead(const RowsAhead& rows) : rows_(rows) {}
  /// Returns false after the last line.
  [[gnu::always_inline]] bool step() {
    constexpr std::int64_t line = cache_line_bytes / sizeof(R) / Set::numbers;
    if (row_ == rows_.rows) {
      return false;
    }
    constexpr int to_read = 0, into_second_cache = 2;
    __builtin_prefetch(static_cast<const R*>(rows_.first) + (rows_.offsets[row_] + std::min(at_, rows_.count - 1)) * Set::numbers, to_read,
                       into_second_cache);
    at_ += line;
    if (at_ >= rows_.count + line - 1) {  // the last element often lies in one more line
      at_ = 0;
      ++row_;
    }
    return true;
  }

 private:
  const RowsAhead& rows_;
  std::int64_t row_ = 0, at_ = 0;
};

/// Copies rows, and writes whole lines past the caches. Each line that is written is followed by a prefetch of one that will be read, so that
/// the memory does both at once.
template <class Set, class R>
static void stream(std::size_t blocks, const MovedBlock* at, std::int64_t count, const void* from, void* to, const RowsAhead& rows_ahead) {
  constexpr std::int64_t line = cache_line_bytes / sizeof(R), width = sizeof(Streamed) / sizeof(R);
  using One = typename Set::One;
  ReadAhead<Set, R> ahead(rows_ahead);
  for (std::size_t block = 0; block < blocks; ++block) {
    const R* const source = static_cast<const R*>(from) + at[block].from * Set::numbers;
    R* const target = static_cast<R*>(to) + at[block].to * Set::numbers;
    const std::int64_t numbers = count * Set::numbers;
    const std::int64_t first = lies_along_lines(target) ? before_line(target) : numbers;
    const std::int64_t last = first + (numbers - first) / line * line;
    if (last <= first) {
      copy_by<One>(numbers, source, target);
      continue;
    }
    copy_by<One>(first, source, target);
    for (std::int64_t i = first; i < last; i += line) {
      for (std::int64_t k = i; k < i + line; k += width) {
        store_past_caches(target + k, load<Streamed>(source + k));
      }
      ahead.step();
    }
    copy_by<One>(numbers - last, source + last, target + last);
  }
  while (ahead.step()) {
  }
}

template <class Set, class R>
static void table(std::size_t blocks, const MovedBlock* at, std::int64_t count, const std::int64_t* from_of, const void* from, void* to) {
  using One = typename Set::One;
  for (std::size_t block = 0; block < blocks; ++block) {
    const R* const source = static_cast<const R*>(from) + at[block].from * Set::numbers;
    R* const target = static_cast<R*>(to) + at[block].to * Set::numbers;
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const One first = load<One>(source + from_of[i] * Set::numbers), second = load<One>(source + from_of[i + 1] * Set::numbers);
      const One third = load<One>(source + from_of[i + 2] * Set::numbers), fourth = load<One>(source + from_of[i + 3] * Set::numbers);
      store(target + i * Set::numbers, first);
      store(target + (i + 1) * Set::numbers, second);
      store(target + (i + 2) * Set::numbers, third);
      store(target + (i + 3) * Set::numbers, fourth);
    }
    for (; i < count; ++i) {
      store(target + i * Set::numbers, load<One>(source + from_of[i] * Set::numbers));
    }
  }
}

/// A square of one element.
template <class Set, class R>
struct SquareOfOne {
  static constexpr std::int64_t side = 1;
  [[gnu::always_inline]] static inline void transpose(const R* from, const std::int64_t* from_of, R* to, const std::int64_t* to_of) {
    using One = typename Set::One;
    store(to + to_of[0] * Set::numbers, load<One>(from + from_of[0] * Set::numbers));
  }
};

/// Four rows and columns: pairs of rows are interleaved, then pairs of these pairs.
template <class R>
struct SquareOfFour {
  static constexpr std::int64_t side = 4;
  typedef R Four [[gnu::vector_size(4 * sizeof(R))]];
  [[gnu::always_inline]] static inline void transpose(const R* from, const std::int64_t* from_of, R* to, const std::int64_t* to_of) {
    const Four row0 = load<Four>(from + from_of[0]), row1 = load<Four>(from + from_of[1]);
    const Four row2 = load<Four>(from + from_of[2]), row3 = load<Four>(from + from_of[3]);
    const Four even01 = __builtin_shufflevector(row0, row1, 0, 4, 2, 6), odd01 = __builtin_shufflevector(row0, row1, 1, 5, 3, 7);
    const Four even23 = __builtin_shufflevector(row2, row3, 0, 4, 2, 6), odd23 = __builtin_shufflevector(row2, row3, 1, 5, 3, 7);
    store(to + to_of[0], __builtin_shufflevector(even01, even23, 0, 1, 4, 5));
    store(to + to_of[1], __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5));
    store(to + to_of[2], __builtin_shufflevector(even01, even23, 2, 3, 6, 7));
    store(to + to_of[3], __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7));
  }
};

/// Eight rows and columns of numbers of 4 bytes. A vector has halves of two rows, so that only squares of four are left to be transposed.
template <class R>
struct SquareOfEight {
  static constexpr std::int64_t side = 8;
  typedef R Four [[gnu::vector_size(4 * sizeof(R))]];
  typedef R Eight [[gnu::vector_size(8 * sizeof(R))]];
  [[gnu::always_inline]] static inline Eight halves(const R* first, const R* second) {
    return __builtin_shufflevector(load<Four>(first), load<Four>(second), 0, 1, 2, 3, 4, 5, 6, 7);
  }
  [[gnu::always_inline]] static inline void transpose(const R* from, const std::int64_t* from_of, R* to, const std::int64_t* to_of) {
    for (int i = 0; i < 8; i += 4, from += 4) {
      const Eight rows0 = halves(from + from_of[0], from + from_of[4]), rows1 = halves(from + from_of[1], from + from_of[5]);
      const Eight rows2 = halves(from + from_of[2], from + from_of[6]), rows3 = halves(from + from_of[3], from + from_of[7]);
      const Eight low01 = __builtin_shufflevector(rows0, rows1, 0, 8, 1, 9, 4, 12, 5, 13);
      const Eight high01 = __builtin_shufflevector(rows0, rows1, 2, 10, 3, 11, 6, 14, 7, 15);
      const Eight low23 = __builtin_shufflevector(rows2, rows3, 0, 8, 1, 9, 4, 12, 5, 13);
      const Eight high23 = __builtin_shufflevector(rows2, rows3, 2, 10, 3, 11, 6, 14, 7, 15);
      store(to + to_of[i], __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13));
      store(to + to_of[i + 1], __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15));
      store(to + to_of[i + 2], __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13));
      store(to + to_of[i + 3], __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15));
    }
  }
};

/// Two rows and columns of complex elements or others of two numbers.
template <class R>
struct SquareOfTwo {
  static constexpr std::int64_t side = 2;
  typedef R Pair [[gnu::vector_size(4 * sizeof(R))]];
  [[gnu::always_inline]] static inline void transpose(const R* from, const std::int64_t* from_of, R* to, const std::int64_t* to_of) {
    const Pair row0 = load<Pair>(from + 2 * from_of[0]), row1 = load<Pair>(from + 2 * from_of[1]);
    store(to + 2 * to_of[0], __builtin_shufflevector(row0, row1, 0, 1, 4, 5));
    store(to + 2 * to_of[1], __builtin_shufflevector(row0, row1, 2, 3, 6, 7));
  }
};

/// Moves one block by squares of a type. The last squares of rows and columns reach back over elements that have been moved before. Squares that
/// share lines follow each other: two sides of a square are one line, so that four squares read and write whole lines.
template <class Set, class Square, class R>
[[gnu::always_inline]] static inline void cover(std::int64_t rows, const std::int64_t* from_of, std::int64_t columns,
                                                const std::int64_t* to_of, const R* from, R* to) {
  constexpr std::int64_t side = Square::side, line = 2 * side;
  const auto move = [&](std::int64_t i, std::int64_t j) __attribute__((always_inline)) {
    const std::int64_t row = i + side <= rows ? i : rows - side, column = j + side <= columns ? j : columns - side;
    Square::transpose(from + column * Set::numbers, from_of + row, to + row * Set::numbers, to_of + column);
  };
  for (std::int64_t i = 0; i < rows; i += line) {
    for (std::int64_t j = 0; j < columns; j += line) {
      move(i, j);
      if (i + side < rows) {
        move(i + side, j);
      }
      if (j + side < columns) {
        move(i, j + side);
        if (i + side < rows) {
          move(i + side, j + side);
        }
      }
    }
  }
}

/// Moves by the first type of square that fits; a single element always does.
template <class Set, class R, class Square, class... Smaller>
[[gnu::always_inline]] static inline void cover_by(std::size_t blocks, const MovedBlock* at, std::int64_t rows, const std::int64_t* from_of,
                                                   std::int64_t columns, const std::int64_t* to_of, const R* from, R* to) {
  if constexpr (sizeof...(Smaller) > 0) {
    if (rows < Square::side || columns < Square::side) {
      cover_by<Set, R, Smaller...>(blocks, at, rows, from_of, columns, to_of, from, to);
      return;
    }
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    cover<Set, Square>(rows, from_of, columns, to_of, from + at[block].from * Set::numbers, to + at[block].to * Set::numbers);
  }
}

template <class Set, class R>
static void squares(std::size_t blocks, const MovedBlock* at, std::int64_t rows, const std::int64_t* from_of, std::int64_t columns,
                    const std::int64_t* to_of, const void* from, void* to) {
  const auto* const source = static_cast<const R*>(from);
  auto* const target = static_cast<R*>(to);
  constexpr bool has_wide = sizeof(typename Set::Wide) >= 8 * sizeof(float);
  if constexpr (Set::is_complex && has_wide) {
    cover_by<Set, R, SquareOfTwo<R>, SquareOfOne<Set, R>>(blocks, at, rows, from_of, columns, to_of, source, target);
  } else if constexpr (sizeof(R) == sizeof(float) && has_wide) {
    cover_by<Set, R, SquareOfEight<R>, SquareOfFour<R>, SquareOfOne<Set, R>>(blocks, at, rows, from_of, columns, to_of, source, target);
  } else if constexpr (sizeof(R) == sizeof(float) || has_wide) {
    cover_by<Set, R, SquareOfFour<R>, SquareOfOne<Set, R>>(blocks, at, rows, from_of, columns, to_of, source, target);
  } else {
    cover_by<Set, R, SquareOfOne<Set, R>>(blocks, at, rows, from_of, columns, to_of, source, target);
  }
}

template <class Set, class R>
constexpr MoveKernel move_kernel() {
  return {rows<Set, R>, stream<Set, R>, table<Set, R>, squares<Set, R>};
}

}  // namespace flopcast::contract::move_loops
