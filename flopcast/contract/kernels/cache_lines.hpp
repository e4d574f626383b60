#pragma once

#include <cstddef>
#include <cstdint>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/support/division.hpp"

/// Cache lines, and prefetching the lines of C. Source files that are compiled for wide vectors include this file too. So all functions are
/// static, and inlined, because GCC omits calls of functions that do nothing but prefetch.
namespace flopcast::contract {

/// Number of elements in a cache line.
template <class Element>
constexpr std::int64_t line_elements = static_cast<std::int64_t>(cache_line_bytes / sizeof(Element));

/// Returns whether no element from this address on crosses a line boundary.
template <class Element>
[[gnu::always_inline]] static inline bool lies_along_lines(const Element* element) {
  return reinterpret_cast<std::uintptr_t>(element) % sizeof(Element) == 0;
}

template <class Element>
[[gnu::always_inline]] static inline bool begins_line(const Element* element) {
  return reinterpret_cast<std::uintptr_t>(element) % cache_line_bytes == 0;
}

/// Returns the number of elements before the first line boundary. Requires lies_along_lines(element).
template <class Element>
[[gnu::always_inline]] static inline std::int64_t before_line(const Element* element) {
  return static_cast<std::int64_t>((cache_line_bytes - reinterpret_cast<std::uintptr_t>(element) % cache_line_bytes) % cache_line_bytes /
                                   sizeof(Element));
}

/// Prefetches the line of an element of C for writing.
template <class T>
[[gnu::always_inline]] static inline void ask_for(const T* c) {
  constexpr int to_write = 1, keep = 3;
  __builtin_prefetch(c, to_write, keep);
}

/// Prefetches for writing the lines of `rows` contiguous elements of C. If C is streamed, only the partial lines at both ends are
/// prefetched, because a prefetch of a streamed line slows the store down severely.
template <class T>
[[gnu::always_inline]] static inline void ask_for_column(const T* c, std::int64_t rows, bool streamed) {
  if (streamed && begins_line(c)) {
    return;
  }
  for (std::int64_t i = 0; i < rows; i += streamed ? rows : line_elements<T>) {
    ask_for(c + i);
  }
  ask_for(c + rows - 1);  // this element often lies in one more line; a test costs more than a second prefetch of a line
}

/// Prefetches for writing the lines in which a column's pieces begin.
template <class T>
[[gnu::always_inline]] static inline void ask_for_pieces(const T* column, const RowPiece* pieces, std::int64_t count) {
  for (const RowPiece* piece = pieces; piece != pieces + count; ++piece) {
    ask_for(column + (piece->offset + piece->first));
  }
}

}  // namespace flopcast::contract
