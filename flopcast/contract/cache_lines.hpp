#pragma once

#include <cstddef>
#include <cstdint>

#include "flopcast/contract/panel_kernel.hpp"

/// Lines of the cache, and asking for those of C. Included by source files that are compiled for wide vectors too: all functions are their
/// own (static) and inlined, as GCC leaves out calls of functions that do nothing but ask.
namespace flopcast::contract {

constexpr std::size_t line_bytes = 64;

/// Elements of a line.
template <class Element>
constexpr std::int64_t line_elements = static_cast<std::int64_t>(line_bytes / sizeof(Element));

/// Whether no element from here on lies across two lines.
template <class Element>
[[gnu::always_inline]] static inline bool lies_along_lines(const Element* element) {
  return reinterpret_cast<std::uintptr_t>(element) % sizeof(Element) == 0;
}

template <class Element>
[[gnu::always_inline]] static inline bool begins_line(const Element* element) {
  return reinterpret_cast<std::uintptr_t>(element) % line_bytes == 0;
}

/// Elements before the first line that begins at one, for those that lie along lines.
template <class Element>
[[gnu::always_inline]] static inline std::int64_t before_line(const Element* element) {
  return static_cast<std::int64_t>((line_bytes - reinterpret_cast<std::uintptr_t>(element) % line_bytes) % line_bytes / sizeof(Element));
}

/// Asks for the line of an element of C, which will be written.
template <class T>
[[gnu::always_inline]] static inline void ask_for(const T* c) {
  constexpr int to_write = 1, keep = 3;
  __builtin_prefetch(c, to_write, keep);
}

/// Asks for the lines of `rows` neighbours of C, which will be written. If they are streamed only for the lines at their ends of which they
/// have a part: to ask for lines that are streamed would make that slower than anything.
template <class T>
[[gnu::always_inline]] static inline void ask_for_column(const T* c, std::int64_t rows, bool streamed) {
  if (streamed && begins_line(c)) {
    return;
  }
  for (std::int64_t i = 0; i < rows; i += streamed ? rows : line_elements<T>) {
    ask_for(c + i);
  }
  ask_for(c + rows - 1);  // often in a line more; to find that out costs more than asking for one twice
}

/// Asks for the lines in which a column's pieces begin.
template <class T>
[[gnu::always_inline]] static inline void ask_for_pieces(const T* column, const RowPiece* pieces, std::int64_t count) {
  for (const RowPiece* piece = pieces; piece != pieces + count; ++piece) {
    ask_for(column + (piece->offset + piece->first));
  }
}

}  // namespace flopcast::contract
