#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/notation/folded.hpp"

namespace flopcast::contract {

/// Largest numbers of rows and columns of C that the best panel kernel for a precision's real numbers computes at once.
struct PanelSize {
  std::int64_t rows = 0, columns = 0;
};
PanelSize panel_size(Precision precision);
/// Returns whether the best panel kernel can write C past the caches.
bool panels_stream(Precision precision);

/// Consecutive rows of C (values of the folded M) that the panel kernel computes at once.
struct RowPanel {
  std::int64_t first = 0, rows = 0;
  bool contiguous_a = false, contiguous_c = false;  ///< the rows are neighbours in memory
  bool vectors_in_a = false;          ///< A can be read in whole vectors: they lie between A's first and last element, gaps included
  std::vector<RowPiece> pieces = {};  ///< pieces in C, for kernels that take them; empty if whole vectors of neighbours go to C
};

/// Consecutive columns of C (values of the folded N).
struct ColumnPanel {
  std::int64_t first = 0, columns = 0;
  std::int64_t step_b = 0;  ///< constant step between columns in B; 0 if there is none
};

/// The rows of a tile in the order of A's memory. This order is for packing tiles whose rows are neighbours in memory, but not within a
/// panel, so that lines of A are read once. Empty if the order gains nothing.
struct PackingOrder {
  struct Row {
    std::int64_t offset_a = 0;       ///< offset in A
    std::int64_t panel = 0, at = 0;  ///< panel and position in it
  };
  /// Four consecutive rows in each of four panels, which form a square in A. Number i of row j of the first panel's rows lies in A at
  /// offset_a[j], those of the next panels right behind.
  struct Rows {
    std::int64_t offset_a[Square::side] = {};
    std::int64_t panel[Square::side] = {}, at[Square::side] = {};
  };
  std::vector<Rows> squares;
  std::vector<Row> rows;  ///< rows that are in no square
  /// Offsets in A, one for each cache line that the squares use; empty if prefetching the lines gains nothing.
  std::vector<std::int64_t> lines;
  [[nodiscard]] bool is_empty() const { return squares.empty() && rows.empty(); }
};
/// Returns the packing order of the panels. `line_elements` is the number of elements in a cache line if A lies outside of the private
/// caches, or 0 if its lines needn't be prefetched.
PackingOrder packing_order(const Fold& m, const std::vector<RowPanel>& panels, const std::vector<std::int64_t>& depth_offsets,
                           std::int64_t line_elements);

/// Splits tiles of rows into panels. A panel ends where C's run of neighbours ends, unless the panel would be shorter than a vector. With
/// `in_pieces`, for kernels that take pieces, a panel continues there, unless the run consists of whole vectors and A can be read in place
/// along it. Where C's runs are shorter than a vector and A's aren't, panels end with A's runs if at most a quarter of the vectors' lanes
/// stay empty.
class RowPanels {
 public:
  /// Prepares panels of at most `most` rows, in vectors of `lanes`.
  RowPanels(const Fold& m, std::int64_t most, std::int64_t lanes, bool in_pieces = false);
  /// Returns the panels of rows [first, first + length).
  [[nodiscard]] std::vector<RowPanel> of(std::int64_t first, std::int64_t length) const;

 private:
  [[nodiscard]] std::int64_t rows_from(std::int64_t at, std::int64_t most) const;

  const Fold* m_;
  std::int64_t most_, lanes_;
  bool in_pieces_;
  std::int64_t last_a_;  ///< largest offset in A
};
std::vector<ColumnPanel> column_panels(const Fold& n, std::int64_t first, std::int64_t length, std::int64_t most);

/// The share of a tile's first `length` rows that the panel kernel of `precision` can't read where they lie, as neighbours in a panel aren't
/// neighbours in A (the first few thousand tell).
double share_of_scattered_rows(const Fold& m, std::int64_t length, Precision precision);

/// A part of the folded K, and the constant step between its values in A and B (0: no constant step).
struct Depth {
  std::int64_t first = 0, length = 0;
  std::int64_t step_a = 0, step_b = 0;
};

/// Returns the number of elements of packed panels of A or B.
std::int64_t packed_elements(const std::vector<RowPanel>& panels, std::int64_t lanes, std::int64_t depth);
std::int64_t packed_elements(const std::vector<ColumnPanel>& panels, std::int64_t depth);

/// Multiplies a tile of A by a tile of B into a tile of C with the panel kernel. A panel is read in place if the kernel can read it there
/// and the caller permits it; otherwise it is packed. T is float or double.
template <class T>
class PanelTiles {
 public:
  /// `stream_c`: write whole lines of C past the caches if they are overwritten.
  PanelTiles(const Folded& folded, const PanelKernel<T>& kernel, bool stream_c = false)
      : folded_(&folded), kernel_(&kernel), stream_c_(stream_c) {}

  /// Selects the tile of B to multiply with. `b` is the tensor's first element, and `buffer` has room for packed_elements() of the tile.
  void take_columns(const T* b, const std::vector<ColumnPanel>& panels, const Depth& depth, bool pack, T* buffer);
  /// Packs the panels in [first, last) that aren't read in place. All panels must be packed, by any thread, before multiply().
  void pack_columns(std::size_t first, std::size_t last);
  /// Selects the tile of A to multiply with. It is packed into `buffer`, which has room for packed_elements() of the tile, where necessary
  /// or if `pack`. `is_packed` says that an earlier call with the same depth has packed the tile into `buffer` already.
  void take_rows(const T* a, const std::vector<RowPanel>& panels, const PackingOrder& order, bool pack, T* buffer, bool is_packed = false);
  /// C := alpha A B + beta C on the selected rows and columns.
  void multiply(T* c, T alpha, T beta);

 private:
  struct Columns {
    const T* data;
    std::int64_t step, column_step;
    T* packed;  ///< buffer to pack into, or nullptr
  };
  /// The shape of a panel. The kernel writes panels of equal shapes to C in the same way.
  struct Shape {
    std::int64_t rows = 0;
    bool in_pieces = false, contiguous_c = false;
    bool operator==(const Shape&) const = default;
  };
  /// A's panel as it is read, and C's panel as it is written.
  struct Rows {
    const T* data;
    std::int64_t step;
    std::int64_t c = 0;  ///< offset of the first row; 0 if there are pieces
    const RowPiece* pieces = nullptr;
    std::int64_t piece_count = 0;
    bool by_kernel = false;  ///< the kernel writes C; otherwise C goes through a buffer
    Shape shape = {};
  };

  /// The lines of the next column panel. With each row panel of the present one a share of these lines is prefetched, so that they don't
  /// all queue at once. The shares are computed once per column panel, because the divisions take a third of the time of a panel with sums
  /// of eight.
  struct ColumnsAhead {
    const T* data = nullptr;  ///< nullptr: nothing to prefetch
    std::int64_t share = 0;   ///< elements if packed, otherwise lines
    std::int64_t step = 0;    ///< if packed, elements per product; the kernel prefetches them
    std::int64_t columns = 0, column_step = 0, depth = 0;
    std::int64_t column = 0, at = 0;  ///< next position

    void ask(PanelProduct<T>& product);
  };

  /// Numbers the panels of C in the order in which multiply() goes through them.
  struct PanelNumber {
    std::size_t rows;  ///< number of row panels
    std::size_t row = 0, column = 0;
    void advance() {
      if (++row == rows) {
        row = 0;
        ++column;
      }
    }
  };

  std::size_t pack_columns_together(std::size_t first, std::size_t last) const;
  void pack_columns_of(std::size_t number) const;
  /// `next`, if not null, is packed right after `panel`.
  void pack_rows(const T* a, const RowPanel& panel, T* to, const RowPanel* next) const;
  void take_rows_where_they_lie(const T* a, const std::vector<RowPanel>& panels, bool pack, bool is_packed);
  void take_squares(const T* a, const PackingOrder& order);
  void take_rows_of_c();
  void take_rows_in_order(const T* a, const std::vector<RowPanel>& panels, const PackingOrder& order, bool is_packed);
  [[nodiscard]] ColumnsAhead columns_ahead(std::size_t number) const;
  [[nodiscard]] bool writes_whole_lines(const T* c) const;
  void take_ahead(PanelProduct<T>& product, const Rows& rows, const T* c, const PanelNumber& ahead) const;
  void ask_for_c(const T* c, const RowPanel& rows, const ColumnPanel& columns, bool streams) const;
  void scatter(PanelProduct<T> product, const RowPanel& rows, T* c) const;

  const Folded* folded_;
  const PanelKernel<T>* kernel_;
  bool stream_c_;
  T* a_buffer_ = nullptr;
  const T* b_ = nullptr;
  Depth depth_;
  const std::vector<ColumnPanel>* column_panels_ = nullptr;
  const std::vector<RowPanel>* row_panels_ = nullptr;
  std::vector<Columns> columns_;
  std::vector<Rows> rows_;
  std::vector<std::vector<Square>> squares_;  ///< squares by the panels' heights in vectors
};

}  // namespace flopcast::contract
