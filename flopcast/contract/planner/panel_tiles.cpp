#include "flopcast/contract/planner/panel_tiles.hpp"

#include <algorithm>
#include <cstdlib>

#include "flopcast/contract/kernels/cache_lines.hpp"
#include "flopcast/contract/kernels/scattered_matrix.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// Packs a panel of the kernel's height; the rows after its last one become zeros. `next` is packed right after it.
template <class T>
void pack_panel(const ScatteredMatrix<T>& x, T* to, std::int64_t height, const ScatteredMatrix<T>& next) {
  constexpr std::int64_t strip = 2 * Square::side;  // a cache line of doubles
  pack(x, to, height, strip, next);
  for (std::int64_t j = 0; j < x.columns && x.rows < height; ++j) {
    std::fill(to + x.rows + j * height, to + (j + 1) * height, T(0));
  }
}

/// Returns how many panels ahead C is prefetched, because memory takes as long to answer as some dozens of products of a panel. Panels with
/// many products prefetch their own lines at their beginning, so that these don't leave L1 again.
std::size_t panels_ahead(std::int64_t depth) {
  constexpr std::int64_t products = 48, most = 8;
  return static_cast<std::size_t>(depth >= 2 * products ? 0 : std::min(most, ceil_div(products, std::max<std::int64_t>(1, depth))));
}

/// Returns the offset of one value, or 0 for the empty folded K of an empty sum.
std::int64_t offset_at(const std::vector<std::int64_t>& offsets, std::int64_t i) {
  return offsets.empty() ? 0 : offsets[static_cast<std::size_t>(i)];
}

}  // namespace

template <class T>
void PanelTiles<T>::take_columns(const T* b, const std::vector<ColumnPanel>& panels, const Depth& depth, bool pack, T* buffer) {
  b_ = b;
  depth_ = depth;
  column_panels_ = &panels;
  columns_.clear();
  for (const ColumnPanel& panel : panels) {
    if (!pack && panel.step_b != 0 && depth.step_b != 0) {
      columns_.push_back(
          {b + offset_at(folded_->n.b, panel.first) + offset_at(folded_->k.b, depth.first), depth.step_b, panel.step_b, nullptr});
    } else {
      columns_.push_back({buffer, panel.columns, 1, buffer});
      buffer += panel.columns * depth.length;
    }
  }
}

template <class T>
void PanelTiles<T>::pack_columns(std::size_t first, std::size_t last) {
  while (first < last) {
    const std::size_t done = pack_columns_together(first, last);
    if (done == 0 && columns_[first].packed != nullptr) {
      pack_columns_of(first);
    }
    first += std::max<std::size_t>(done, 1);
  }
}

/// Packs several panels at once if their columns are neighbours in B, so that whole runs of B's lines are read one after the other. Returns
/// their number, 0 for none.
template <class T>
std::size_t PanelTiles<T>::pack_columns_together(std::size_t first, std::size_t last) const {
  constexpr std::size_t most = 16;
  constexpr std::int64_t usual = 8;
  const std::vector<ColumnPanel>& panels = *column_panels_;
  const std::int64_t width = panels[first].columns;
  const auto continues = [&](std::size_t i) {
    const auto at = static_cast<std::size_t>(panels[i].first);
    return columns_[i].packed != nullptr && panels[i].step_b == 1 && panels[i].columns == width &&
           (i == first || folded_->n.b[at] == folded_->n.b[at - 1] + 1);
  };
  if (width == 1) {
    return 0;
  }
  std::size_t count = 0;
  while (count < most && first + count < last && continues(first + count)) {
    ++count;
  }
  if (count == 0) {
    return 0;
  }
  const T* const from = b_ + offset_at(folded_->n.b, panels[first].first);
  T* const to = columns_[first].packed;
  for (std::int64_t p = 0; p < depth_.length; ++p) {
    const T* source = from + folded_->k.b[static_cast<std::size_t>(depth_.first + p)];
    T* target = to + p * width;
    for (std::size_t i = 0; i < count; ++i, source += width, target += width * depth_.length) {
      width == usual ? std::copy_n(source, usual, target) : std::copy_n(source, width, target);
    }
  }
  return count;
}

template <class T>
void PanelTiles<T>::pack_columns_of(std::size_t number) const {
  const auto matrix = [&](std::size_t i) {  // the matrix's rows are B's columns, because a row of the packed panel is a row of B
    const ColumnPanel& panel = (*column_panels_)[i];
    return ScatteredMatrix<T>{b_, folded_->n.b.data() + panel.first, panel.columns, folded_->k.b.data() + depth_.first, depth_.length};
  };
  const bool is_last = number + 1 == column_panels_->size() || columns_[number + 1].packed == nullptr;
  pack_panel(matrix(number), columns_[number].packed, (*column_panels_)[number].columns,
             is_last ? ScatteredMatrix<T>{} : matrix(number + 1));
}

template <class T>
void PanelTiles<T>::pack_rows(const T* a, const RowPanel& panel, T* to, const RowPanel* next) const {
  const auto matrix = [&](const RowPanel& rows) {
    return ScatteredMatrix<T>{a, folded_->m.a.data() + rows.first, rows.rows, folded_->k.a.data() + depth_.first, depth_.length};
  };
  pack_panel(matrix(panel), to, round_up(panel.rows, kernel_->lanes), next == nullptr ? ScatteredMatrix<T>{} : matrix(*next));
}

template <class T>
void PanelTiles<T>::take_rows_where_they_lie(const T* a, const std::vector<RowPanel>& panels, bool pack, bool is_packed) {
  rows_.clear();
  T* free = a_buffer_;
  for (const RowPanel& panel : panels) {
    if (!pack && panel.vectors_in_a && depth_.step_a != 0) {
      rows_.push_back({a + offset_at(folded_->m.a, panel.first) + offset_at(folded_->k.a, depth_.first), depth_.step_a});
    } else {
      const std::int64_t height = round_up(panel.rows, kernel_->lanes);
      if (!is_packed) {
        pack_rows(a, panel, free, &panel == &panels.back() ? nullptr : &panel + 1);
      }
      rows_.push_back({free, height});
      free += height * depth_.length;
    }
  }
}

/// Packs the squares: finds their destinations in the buffer for p = 0, then transposes them for every p.
template <class T>
void PanelTiles<T>::take_squares(const T* a, const PackingOrder& order) {
  for (std::vector<Square>& some : squares_) {
    some.clear();
  }
  for (const PackingOrder::RowSquare& rows : order.squares) {
    const auto vectors = static_cast<std::size_t>(rows_[static_cast<std::size_t>(rows.panel[0])].step / kernel_->lanes);
    squares_.resize(std::max(squares_.size(), vectors + 1));
    Square square{};
    for (std::size_t k = 0; k < Square::side; ++k) {
      square.from[k] = rows.offset_a[k];
      square.to[k] = rows_[static_cast<std::size_t>(rows.panel[k])].data - a_buffer_ + rows.at[k];
    }
    squares_[vectors].push_back(square);
  }
  constexpr std::int64_t products_ahead = 2;
  for (std::int64_t p = 0; p < depth_.length; ++p) {
    const T* const from = a + folded_->k.a[static_cast<std::size_t>(depth_.first + p)];
    const T* const ahead = a + folded_->k.a[static_cast<std::size_t>(depth_.first + std::min(p + products_ahead, depth_.length - 1))];
    for (const std::int64_t line : order.lines) {
      __builtin_prefetch(ahead + line);
    }
    for (std::size_t vectors = 0; vectors < squares_.size(); ++vectors) {
      const std::vector<Square>& some = squares_[vectors];
      kernel_->transpose(some.data(), std::ssize(some), from, a_buffer_ + p * static_cast<std::int64_t>(vectors) * kernel_->lanes);
    }
  }
}

template <class T>
void PanelTiles<T>::take_rows_in_order(const T* a, const std::vector<RowPanel>& panels, const PackingOrder& order, bool is_packed) {
  rows_.clear();
  T* free = a_buffer_;
  for (const RowPanel& panel : panels) {
    const std::int64_t height = round_up(panel.rows, kernel_->lanes);
    rows_.push_back({free, height});
    for (std::int64_t p = 0; p < depth_.length && panel.rows < height && !is_packed; ++p) {
      std::fill(free + p * height + panel.rows, free + (p + 1) * height, T(0));
    }
    free += height * depth_.length;
  }
  if (is_packed) {
    return;
  }
  take_squares(a, order);
  for (std::int64_t p = 0; p < depth_.length; ++p) {
    const T* const from = a + folded_->k.a[static_cast<std::size_t>(depth_.first + p)];
    for (const PackingOrder::SingleRow& row : order.rows) {
      const PanelRows& panel = rows_[static_cast<std::size_t>(row.panel)];
      const_cast<T*>(panel.data)[p * panel.step + row.at] = from[row.offset_a];  // points into this object's buffer
    }
  }
}

template <class T>
void PanelTiles<T>::take_rows(const T* a, const std::vector<RowPanel>& panels, const PackingOrder& order, bool pack, T* buffer,
                              bool is_packed) {
  row_panels_ = &panels;
  a_buffer_ = buffer;
  if (order.is_empty()) {
    take_rows_where_they_lie(a, panels, pack, is_packed);
  } else {
    take_rows_in_order(a, panels, order, is_packed);
  }
  take_rows_of_c();
}

template <class T>
void PanelTiles<T>::take_rows_of_c() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowPanel& panel = (*row_panels_)[i];
    const bool has_pieces = !panel.pieces.empty();
    rows_[i].c = has_pieces ? 0 : folded_->m.c[static_cast<std::size_t>(panel.first)];
    rows_[i].pieces = has_pieces ? panel.pieces.data() : nullptr;
    rows_[i].piece_count = std::ssize(panel.pieces);
    rows_[i].by_kernel = has_pieces || panel.contiguous_c;
    rows_[i].shape = {panel.rows, has_pieces, panel.contiguous_c};
  }
}

template <class T>
void PanelTiles<T>::multiply(T* c, T alpha, T beta) {
  const std::vector<RowPanel>& panels = *row_panels_;
  if (panels.empty()) {
    return;
  }
  const bool streams = stream_c_ && beta == T(0);
  const std::size_t ask_until = streams && writes_whole_lines(c) ? 0 : columns_.size();
  PanelNumber ahead{panels.size()};  // number of the panel of C that is prefetched
  for (std::size_t k = panels_ahead(depth_.length); k > 0; --k, ahead.advance()) {
    if (ahead.column < ask_until) {
      ask_for_c(c, panels[ahead.row], (*column_panels_)[ahead.column], streams);
    }
  }
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnPanel& columns = (*column_panels_)[j];
    ColumnsAhead next = columns_ahead(j + 1);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const PanelRows& rows = rows_[i];
      const PanelRows& rows_after = rows_[i + 1 < panels.size() ? i + 1 : 0];
      PanelProduct<T> product{
          panels[i].rows,   columns.columns,         depth_.length, rows.data, rows.step,       columns_[j].data,
          columns_[j].step, columns_[j].column_step, alpha,         beta,      c + rows.c,      folded_->n.c.data() + columns.first,
          rows.pieces,      rows.piece_count,        nullptr,       0,         rows_after.data, rows_after.step};
      product.stream_c = stream_c_ && panels[i].contiguous_c;
      if (ahead.column < ask_until) {
        take_ahead(product, rows, c, ahead);
        ahead.advance();
      }
      next.ask(product);
      if (rows.by_kernel) {
        kernel_->run(product);
      } else {
        scatter(product, panels[i], c);
      }
    }
  }
}

/// Returns whether all columns of all row panels consist of whole cache lines.
template <class T>
bool PanelTiles<T>::writes_whole_lines(const T* c) const {
  std::int64_t offsets = 0;
  for (const RowPanel& rows : *row_panels_) {
    if (!rows.contiguous_c || rows.rows % line_elements<T> != 0) {
      return false;
    }
    offsets |= folded_->m.c[static_cast<std::size_t>(rows.first)];
  }
  for (const ColumnPanel& columns : *column_panels_) {
    for (std::int64_t j = 0; j < columns.columns; ++j) {
      offsets |= folded_->n.c[static_cast<std::size_t>(columns.first + j)];
    }
  }
  return begins_line(c) && offsets % line_elements<T> == 0;
}

/// Prefetches the lines of a panel of C. The kernel does this itself if that panel has the shape of the present one. Inlined for the same
/// reason as the functions of cache_lines.hpp.
template <class T>
[[gnu::always_inline]] inline void PanelTiles<T>::ask_for_c(const T* c, const RowPanel& rows, const ColumnPanel& columns,
                                                            bool streams) const {
  const std::int64_t* const row = folded_->m.c.data() + rows.first;
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    const T* const column = c + folded_->n.c[static_cast<std::size_t>(columns.first + j)];
    if (!rows.pieces.empty()) {
      ask_for_pieces(column, rows.pieces.data(), std::ssize(rows.pieces));
    } else if (rows.contiguous_c) {
      ask_for_column(column + row[0], rows.rows, streams);
    } else {
      for (std::int64_t i = 0; i < rows.rows; ++i) {
        ask_for(column + row[i]);
      }
    }
  }
}

/// Makes the kernel prefetch the lines of panel `ahead` during the product if the shapes agree; otherwise prefetches them here.
template <class T>
[[gnu::always_inline]] inline void PanelTiles<T>::take_ahead(PanelProduct<T>& product, const PanelRows& rows, const T* c,
                                                             const PanelNumber& ahead) const {
  const PanelRows& rows_ahead = rows_[ahead.row];
  const ColumnPanel& columns_ahead = (*column_panels_)[ahead.column];
  if (rows.by_kernel && rows.shape == rows_ahead.shape && product.columns == columns_ahead.columns) {
    product.c_ahead = c + rows_ahead.c;
    product.c_ahead_columns = folded_->n.c.data() + columns_ahead.first;
    product.pieces_ahead = rows_ahead.pieces;
    product.piece_ahead_count = rows_ahead.piece_count;
  } else {
    ask_for_c(c, (*row_panels_)[ahead.row], columns_ahead, stream_c_ && product.beta == T(0));
  }
}

/// Returns the lines to prefetch of column panel `number`, if it exists, divided into as many shares as there are row panels.
template <class T>
typename PanelTiles<T>::ColumnsAhead PanelTiles<T>::columns_ahead(std::size_t number) const {
  if (number >= columns_.size() || depth_.length == 0) {
    return {};
  }
  const PanelColumns& columns = columns_[number];
  const std::int64_t count = (*column_panels_)[number].columns, shares = std::ssize(rows_);
  if (columns.column_step == 1) {
    const std::int64_t share = ceil_div(count * depth_.length, shares);
    return {columns.data, share, ceil_div(share, depth_.length)};
  }
  if (columns.step != 1) {
    return {};
  }
  const std::int64_t share = ceil_div(count * ceil_div(depth_.length, line_elements<T>), shares);
  return {columns.data, share, 0, count, columns.column_step, depth_.length};
}

/// Prefetches the next share. Packed lines are left to the kernel, which spreads them even more. Inlined, because GCC omits calls of
/// functions that do nothing but prefetch.
template <class T>
[[gnu::always_inline]] inline void PanelTiles<T>::ColumnsAhead::ask(PanelProduct<T>& product) {
  if (step > 0) {
    product.ahead = data + at;
    product.ahead_step = step;
    at += share;
    return;
  }
  for (std::int64_t i = 0; i < share && column < columns; ++i) {
    __builtin_prefetch(data + column * column_step + at);
    at += line_elements<T>;
    if (at >= depth) {
      at = 0;
      ++column;
    }
  }
}

/// Multiplies into a buffer and adds it to C, for panels whose rows aren't neighbours in C.
template <class T>
void PanelTiles<T>::scatter(PanelProduct<T> product, const RowPanel& rows, T* c) const {
  constexpr std::int64_t max_rows = 64, max_columns = 16;
  std::array<T, max_rows * max_columns> buffer;
  std::array<std::int64_t, max_columns> offsets{};
  for (std::int64_t j = 0; j < product.columns; ++j) {
    offsets[static_cast<std::size_t>(j)] = j * max_rows;
  }
  const std::int64_t* columns = product.c_columns;
  const T beta = product.beta;
  product.c = buffer.data();
  product.c_columns = offsets.data();
  product.beta = 0;
  kernel_->run(product);
  const std::int64_t* row = folded_->m.c.data() + rows.first;
  for (std::int64_t j = 0; j < product.columns; ++j) {
    T* const to = c + columns[j];
    const T* const from = buffer.data() + offsets[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < product.rows; ++i) {
      to[row[i]] = beta == T(0) ? from[i] : from[i] + beta * to[row[i]];
    }
  }
}

template class PanelTiles<float>;
template class PanelTiles<double>;

}  // namespace flopcast::contract
