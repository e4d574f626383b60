#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/panels.hpp"

namespace flopcast::contract {

/// A part of the folded K, and the constant step between its values in A and B (0: no constant step).
struct Depth {
  std::int64_t first = 0, length = 0;
  std::int64_t step_a = 0, step_b = 0;
};

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
  struct PanelColumns {
    const T* data;
    std::int64_t step, column_step;
    T* packed;  ///< buffer to pack into, or nullptr
  };
  /// The shape of a panel. The kernel writes panels of equal shapes to C in the same way.
  struct PanelShape {
    std::int64_t rows = 0;
    bool in_pieces = false, contiguous_c = false;
    bool operator==(const PanelShape&) const = default;
  };
  /// A's panel as it is read, and C's panel as it is written.
  struct PanelRows {
    const T* data;
    std::int64_t step;
    std::int64_t c = 0;  ///< offset of the first row; 0 if there are pieces
    const RowPiece* pieces = nullptr;
    std::int64_t piece_count = 0;
    bool by_kernel = false;  ///< the kernel writes C; otherwise C goes through a buffer
    PanelShape shape = {};
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
  void take_ahead(PanelProduct<T>& product, const PanelRows& rows, const T* c, const PanelNumber& ahead) const;
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
  std::vector<PanelColumns> columns_;
  std::vector<PanelRows> rows_;
  std::vector<std::vector<Square>> squares_;  ///< squares by the panels' heights in vectors
};

}  // namespace flopcast::contract
