#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/contraction.hpp"

namespace flopcast::contract {

/// Indices of one role (of A alone, B alone, contracted, batch) folded into one: for each of its values the offsets in elements within the
/// tensors that have it. Of three tensors one has none of the indices, except for batch indices.
struct Fold {
  std::vector<std::int64_t> a, b, c;
  std::int64_t extent = 1;
  std::vector<std::int64_t> natural;  ///< rising lengths after which a further index of the notation begins; the last is the extent
};

/// A contraction as a batch of matrix products C(m, n) := sum over k of A(m, k) B(k, n), whatever its indices and strides. C is contiguous
/// along m where it is along anything: A and B have changed places if `swapped`.
struct Folded {
  Precision precision = Precision::d;
  Fold m, n, k, batch;
  bool swapped = false;
  /// M in other orders, for where C and A are contiguous along different indices of it; of extent 0 where there is no need. In all of them a
  /// block of each of these indices comes first, so that lines of C and of A are used up before the caches lose them: crossed begins with C's
  /// (panels of rows are written as they are, and A's are packed), and so does crossed_along_a, with longer blocks of A's; led_by_a with A's
  /// (panels are read where they lie, and C's rows are scattered).
  Fold crossed = no_fold(), crossed_along_a = no_fold(), led_by_a = no_fold();

  static Fold no_fold() { return {{}, {}, {}, 0, {}}; }
};

/// The order of M's rows in tiles.
enum class RowOrder : std::uint8_t { as_c, crossed, crossed_along_a, led_by_a };
inline constexpr std::array<RowOrder, 4> all_row_orders = {RowOrder::as_c, RowOrder::crossed, RowOrder::crossed_along_a,
                                                           RowOrder::led_by_a};
constexpr bool is_crossed(RowOrder order) { return order == RowOrder::crossed || order == RowOrder::crossed_along_a; }
/// `C`, `crossed`, `crossedA` or `A`.
std::string_view name_of(RowOrder order);
/// Nothing if it is none.
std::optional<RowOrder> row_order(std::string_view name);

/// The first dimension of the batch, of which all others are repetitions, and the steps between its values.
struct BatchRun {
  std::int64_t length = 0;
  std::int64_t step_a = 1, step_b = 1, step_c = 1;
  /// Whether its values are neighbours in all three tensors.
  [[nodiscard]] bool is_contiguous() const { return step_a == 1 && step_b == 1 && step_c == 1; }
};
BatchRun batch_run(const Folded& folded);

/// Rows in this order; as C has them where there is no other.
const Fold& rows_in(RowOrder order, const Folded& folded);

/// Drops indices of size 1, fuses what lies in memory as one index, sorts M and N by C's strides and K by those of the larger operand, and
/// folds.
Folded fold(const Contraction& contraction);

/// Sizes and strides of the folded contraction without what doesn't matter: contractions of equal keys have equal plans.
std::string folded_key(const Contraction& contraction);

/// The constant step between `count` offsets from `first` on; 0 if there is none (or they step backwards), 1 for a single one.
std::int64_t constant_step(const std::vector<std::int64_t>& offsets, std::int64_t first, std::int64_t count);

}  // namespace flopcast::contract
