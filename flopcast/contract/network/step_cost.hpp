#pragma once

#include <cstdint>

#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Role of a label in a pairwise step C := A B: rows are in A and C, columns in B and C, sums in A and B, batch labels in all three.
enum class StepRole : std::uint8_t { rows, columns, sums, batch, none };

/// How a step reaches the elements of one of its tensors.
struct Access {
  bool is_free = true;             ///< the tensor is an intermediate whose layout may be chosen; the other members don't count then
  StepRole unit = StepRole::none;  ///< role of the labels along which neighbours in memory lie; `none` without neighbours
  double run = 1;                  ///< number of neighbours in memory along labels of that role
  double reach = 1;                ///< number of neighbours in memory along any labels but those of the batch
  bool is_matrix = true;           ///< the labels of each role are one dimension in memory
};

/// A pairwise step by the sizes of its roles.
struct PairStep {
  double rows = 1, columns = 1, sums = 1, batch = 1;  ///< products of the extents of all labels of a role
  Access a, b, c;
  int sum_labels = 0;  ///< number of labels of the sums; labels that the same tensors have may count as one

  [[nodiscard]] double products() const { return batch * rows * columns * sums; }
  [[nodiscard]] double elements_of_a() const { return batch * rows * sums; }
  [[nodiscard]] double elements_of_b() const { return batch * sums * columns; }
  [[nodiscard]] double elements_of_c() const { return batch * rows * columns; }
};

/// A one-operand step: the sum over some labels of A, or a copy of A to another layout.
struct SumStep {
  double kept = 1, summed = 1;  ///< products of the extents of the labels that the result has, and of the others
  Access a;                     ///< kept labels are rows
};

/// Predicts the time of steps. Searches call it very often, so that predictions should take about a microsecond.
class StepCost {
 public:
  StepCost() = default;
  StepCost(const StepCost&) = default;
  StepCost& operator=(const StepCost&) = default;
  virtual ~StepCost() = default;

  /// Returns the predicted time of a step. All times must be positive or 0.
  [[nodiscard]] virtual Seconds seconds(const PairStep& step) const = 0;
  [[nodiscard]] virtual Seconds seconds(const SumStep& step) const = 0;
  /// Returns a time that seconds(step) doesn't undercut, at lower cost. Searches leave out steps by this bound.
  [[nodiscard]] virtual Seconds at_least(const PairStep& step) const = 0;
};

}  // namespace flopcast::contract
