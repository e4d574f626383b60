#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/notation/contraction.hpp"

/// Panels of rows and columns, into which tiles are cut for the panel kernel.
namespace flopcast::contract {

/// Largest numbers of rows and columns of C that the best panel kernel for a precision's real numbers computes at once.
struct PanelSize {
  std::int64_t rows = 0, columns = 0;
  std::int64_t lanes = 1;  ///< rows in a vector
};
PanelSize panel_size(Precision precision);

/// Numbers of panels by their lengths.
using PanelCounts = std::map<std::int64_t, double>;
/// Returns the panels of `extent` rows or columns in tiles of `length`, with `most` in a panel.
PanelCounts panels_of(std::int64_t extent, std::int64_t length, std::int64_t most);
/// Returns the cycles that a panel of `rows` and `columns` takes for one product in each, in vectors of `lanes` rows. Additions take four cycles;
/// two units multiply and add, and two load: A's vectors, and a number of B for each column.
double cycles_of_panel(std::int64_t rows, std::int64_t columns, std::int64_t lanes);
/// Returns the products of full panels that take as long as one product in each row and column of these panels. Small panels take longer than
/// their part of a full one.
double products_in_full_panels(const PanelCounts& rows, const PanelCounts& columns, const PanelSize& full);
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
  struct SingleRow {
    std::int64_t offset_a = 0;       ///< offset in A
    std::int64_t panel = 0, at = 0;  ///< panel and position in it
  };
  /// Four consecutive rows in each of four panels, which form a square in A. Number i of row j of the first panel's rows lies in A at
  /// offset_a[j], those of the next panels right behind.
  struct RowSquare {
    std::int64_t offset_a[Square::side] = {};
    std::int64_t panel[Square::side] = {}, at[Square::side] = {};
  };
  std::vector<RowSquare> squares;
  std::vector<SingleRow> rows;  ///< rows that are in no square
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

/// Returns the panels into which the best kernel of `precision` cuts the rows in tiles of `length`. Those of the first rows (a thousand, at
/// least a tile) stand for all.
PanelCounts panels_of_rows(const Fold& m, std::int64_t length, Precision precision);
/// The share of a tile's first `length` rows that the panel kernel of `precision` can't read where they lie, as neighbours in a panel aren't
/// neighbours in A (the first few thousand tell).
double share_of_scattered_rows(const Fold& m, std::int64_t length, Precision precision);

/// Returns the number of elements of packed panels of A or B.
std::int64_t packed_elements(const std::vector<RowPanel>& panels, std::int64_t lanes, std::int64_t depth);
std::int64_t packed_elements(const std::vector<ColumnPanel>& panels, std::int64_t depth);

}  // namespace flopcast::contract
