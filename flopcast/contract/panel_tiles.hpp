#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/contract/folded.hpp"
#include "flopcast/contract/panel_kernel.hpp"

namespace flopcast::contract {

/// Rows and columns of C that the best panel kernel for real numbers of a precision does at once.
struct PanelSize {
  std::int64_t rows = 0, columns = 0;
};
PanelSize panel_size(Precision precision);
/// Whether that kernel can write C past the caches.
bool panels_stream(Precision precision);

/// Neighbouring rows of C (values of the folded M) that the panel kernel does at once.
struct RowPanel {
  std::int64_t first = 0, rows = 0;
  bool contiguous_a = false, contiguous_c = false;  ///< whether they are neighbours in memory
  bool vectors_in_a = false;  ///< whether whole vectors of them can be read there: from A's first to its last element, gaps included
  std::vector<RowPiece> pieces = {};  ///< in C, for kernels that take them; none where whole vectors of neighbours go to C
};

/// Neighbouring columns of C (values of the folded N).
struct ColumnPanel {
  std::int64_t first = 0, columns = 0;
  std::int64_t step_b = 0;  ///< between neighbours in B; 0 if there is no constant one
};

/// Rows of a tile in the order in which they lie in A, for packing a tile whose rows are neighbours in memory, but not those of one panel:
/// lines of A are then read once. Empty if there is nothing to gain.
struct PackingOrder {
  struct Row {
    std::int64_t offset_a = 0;       ///< in A
    std::int64_t panel = 0, at = 0;  ///< which panel, and where in it
  };
  /// Four neighbouring rows of each of four panels that are transposed in A: number i of row j of the first panel's four lies in A at
  /// offset_a[j], that of the next one's four right behind.
  struct Rows {
    std::int64_t offset_a[Square::side] = {};
    std::int64_t panel[Square::side] = {}, at[Square::side] = {};
  };
  std::vector<Rows> squares;
  std::vector<Row> rows;  ///< that are in no square
  /// Offsets in A within the cache lines that the squares take, one for each line, if it pays to ask for them ahead.
  std::vector<std::int64_t> lines;
  [[nodiscard]] bool is_empty() const { return squares.empty() && rows.empty(); }
};
/// `line_elements` are those of a cache line if A lies outside of the private caches, 0 if its lines needn't be asked for.
PackingOrder packing_order(const Fold& m, const std::vector<RowPanel>& panels, const std::vector<std::int64_t>& depth_offsets,
                           std::int64_t line_elements);

/// Panels of a tile of rows. They end where neighbours in C do, unless that would make them shorter than a vector. With `in_pieces` they go on
/// there, for a kernel that takes pieces, unless A has these runs of whole vectors too and can be read in place. Where A has longer runs of
/// neighbours than C, panels end with these, if that leaves at most a quarter of the vectors' lanes empty.
class RowPanels {
 public:
  /// Panels of at most `most` rows, in vectors of `lanes`.
  RowPanels(const Fold& m, std::int64_t most, std::int64_t lanes, bool in_pieces = false);
  /// Of rows [first, first + length).
  [[nodiscard]] std::vector<RowPanel> of(std::int64_t first, std::int64_t length) const;

 private:
  [[nodiscard]] std::int64_t rows_from(std::int64_t at, std::int64_t most) const;

  const Fold* m_;
  std::int64_t most_, lanes_;
  bool in_pieces_;
  std::int64_t last_a_;  ///< largest offset in A
};
std::vector<ColumnPanel> column_panels(const Fold& n, std::int64_t first, std::int64_t length, std::int64_t most);

/// Part of the folded K, and the constant step between neighbours in A and B (0: there is none).
struct Depth {
  std::int64_t first = 0, length = 0;
  std::int64_t step_a = 0, step_b = 0;
};

/// Elements of packed panels of A and B.
std::int64_t packed_elements(const std::vector<RowPanel>& panels, std::int64_t lanes, std::int64_t depth);
std::int64_t packed_elements(const std::vector<ColumnPanel>& panels, std::int64_t depth);

/// Multiplies a tile of A and a tile of B into a tile of C with the panel kernel. A panel is taken where it lies if the kernel can read it
/// there, and packed otherwise, or if the caller wants it packed. T is float or double.
template <class T>
class PanelTiles {
 public:
  /// `stream_c`: whole lines of C that are overwritten go past the caches.
  PanelTiles(const Folded& folded, const PanelKernel<T>& kernel, bool stream_c = false)
      : folded_(&folded), kernel_(&kernel), stream_c_(stream_c) {}

  /// The tile of B to multiply with from now on; `b` is the tensor's first element, `buffer` has room for packed_elements() of the tile.
  void take_columns(const T* b, const std::vector<ColumnPanel>& panels, const Depth& depth, bool pack, T* buffer);
  /// Packs those panels in [first, last) that aren't taken where they lie. All must be packed, by whomever, before multiply().
  void pack_columns(std::size_t first, std::size_t last);
  /// The tile of A to multiply with from now on, packed where it must be, or if `pack`, into `buffer`, which has room for packed_elements()
  /// of the tile; if `is_packed`, it lies there since this was called for it with the same columns' depth.
  void take_rows(const T* a, const std::vector<RowPanel>& panels, const PackingOrder& order, bool pack, T* buffer, bool is_packed = false);
  /// C := alpha A B + beta C on the rows and columns taken.
  void multiply(T* c, T alpha, T beta);

 private:
  struct Columns {
    const T* data;
    std::int64_t step, column_step;
    T* packed;  ///< where to, or nullptr
  };
  /// The kernel writes panels of equal shapes to C in the same way.
  struct Shape {
    std::int64_t rows = 0;
    bool in_pieces = false, contiguous_c = false;
    bool operator==(const Shape&) const = default;
  };
  /// Of A's panel where it is read, and of C's.
  struct Rows {
    const T* data;
    std::int64_t step;
    std::int64_t c = 0;  ///< offset of the first row, 0 where there are pieces
    const RowPiece* pieces = nullptr;
    std::int64_t piece_count = 0;
    bool by_kernel = false;  ///< which writes C; otherwise it goes through a buffer
    Shape shape = {};
  };

  /// The lines of a column panel, for which a share is asked with each row panel of the one before, lest they all queue at once. Shares are
  /// found once for all of these: divisions take a third as long as a panel with sums of eight.
  struct ColumnsAhead {
    const T* data = nullptr;  ///< nullptr: there is nothing to be asked for
    std::int64_t share = 0;   ///< elements where they are packed, lines otherwise
    std::int64_t step = 0;    ///< where they are packed, elements for each product; the kernel asks for them
    std::int64_t columns = 0, column_step = 0, depth = 0;
    std::int64_t column = 0, at = 0;  ///< what comes next

    void ask(PanelProduct<T>& product);
  };

  /// Panels of C in the order in which multiply() goes through them.
  struct PanelNumber {
    std::size_t rows;  ///< panels of them
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
  /// `next`, if not null, is packed right after it.
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
  std::vector<std::vector<Square>> squares_;  ///< by the panels' heights in vectors
};

}  // namespace flopcast::contract
