#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// The indices of one role (free in A, free in B, contracted, batch) folded into one dimension. The tables hold, for each value of the
/// dimension, the offset in elements within each tensor. A tensor without these indices has offsets of 0: one of the three tensors, except
/// for batch indices.
struct Fold {
  std::vector<std::int64_t> a, b, c;
  std::int64_t extent = 1;
  std::vector<std::int64_t> natural;  ///< lengths at which a further index of the notation begins, rising; the last one is the extent
};

/// A contraction with any indices and strides as a batch of matrix products C(m, n) := sum over k of A(m, k) B(k, n). If C is contiguous at
/// all, it is contiguous along m: A and B have changed places if `swapped`.
struct Folded {
  Precision precision = Precision::d;
  Fold m, n, k, batch;
  bool swapped = false;
  /// M in other orders, for contractions in which C and A are contiguous along different indices of M; of extent 0 if there is no need. In
  /// each of them a block of each of the two indices comes first, so that lines of C and of A are used up before the caches lose them.
  /// - interleaved begins with C's index: panels of rows are written in place, and A's are packed;
  /// - interleaved_long_a is the same with longer blocks of A's index;
  /// - a_major begins with A's index: panels are read in place, and C's rows are scattered.
  Fold interleaved = no_fold(), interleaved_long_a = no_fold(), a_major = no_fold();

  static Fold no_fold() { return {{}, {}, {}, 0, {}}; }
};

/// The order of M's rows in tiles.
enum class RowOrder : std::uint8_t { as_c, interleaved, interleaved_long_a, a_major };
inline constexpr std::array<RowOrder, 4> all_row_orders = {RowOrder::as_c, RowOrder::interleaved, RowOrder::interleaved_long_a,
                                                           RowOrder::a_major};
constexpr bool is_interleaved(RowOrder order) { return order == RowOrder::interleaved || order == RowOrder::interleaved_long_a; }
/// Returns `C`, `interleaved`, `interleavedA` or `A`.
std::string_view to_string(RowOrder order);
/// Returns the order of this name, or nothing if no order has it.
std::optional<RowOrder> row_order(std::string_view name);

/// The first dimension of the batch, which all other dimensions repeat, and the steps between its values in elements.
struct BatchRun {
  std::int64_t length = 0;
  std::int64_t step_a = 1, step_b = 1, step_c = 1;
  /// Returns whether its values are neighbours in memory in all three tensors.
  [[nodiscard]] bool is_contiguous() const { return step_a == 1 && step_b == 1 && step_c == 1; }
};
BatchRun batch_run(const Folded& folded);

/// Returns M in this order, or in C's order if `order` doesn't exist.
const Fold& rows_in(RowOrder order, const Folded& folded);

/// Folds a contraction: drops indices of size 1, fuses indices that are one index in memory, and sorts M and N by C's strides. A block of
/// the index along which B is contiguous comes first in N. K is sorted by the strides of the operand that is contiguous along K, or those of
/// the larger operand if both or none are.
Folded fold(const Contraction& contraction);

/// Returns whether A and B change places in the folded contraction.
bool is_swapped(const Contraction& contraction);

/// Returns a key of the folded contraction's sizes and strides, without irrelevant details: contractions with equal keys have equal plans.
std::string folded_key(const Contraction& contraction);

/// Returns the constant positive step between `count` offsets from `first` on, 0 if there is none, or 1 for a single offset.
std::int64_t constant_step(const std::vector<std::int64_t>& offsets, std::int64_t first, std::int64_t count);

}  // namespace flopcast::contract
