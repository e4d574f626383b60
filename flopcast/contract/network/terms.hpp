#pragma once

#include <vector>

#include "flopcast/contract/network/network.hpp"
#include "flopcast/contract/network/tensor_layout.hpp"

namespace flopcast::contract {

/// Labels of a tensor, sorted by number.
using Labels = std::vector<int>;

/// One operand as searches see it: diagonals are strides, labels of extent 1 are gone.
struct Term {
  Labels labels;         ///< labels that another term or the output has, too
  Labels summed;         ///< labels that only this operand has: a one-operand step sums over them first
  TensorLayout layout;   ///< all labels; of an intermediate only their order counts
  int tensor = -1;       ///< as NetworkTensor::tensor
  bool is_free = false;  ///< the term is an intermediate whose layout may be chosen

  /// Returns the layout that a pairwise step finds, or null if the layout may be chosen.
  [[nodiscard]] const TensorLayout* fixed_layout() const { return is_free || !summed.empty() ? nullptr : &layout; }
};

/// A network with its labels numbered from 0.
struct Terms {
  Precision precision = Precision::d;
  std::vector<Label> names;           ///< index: number of a label
  std::vector<std::int64_t> extents;  ///< index: number of a label; never 1
  std::vector<Term> terms;            ///< index: operand
  Labels output;
  TensorLayout output_layout;
  bool is_part = false;  ///< the terms are part of a larger network: the output is an intermediate whose layout may be chosen

  /// Returns the layout of the output, or null if the layout may be chosen.
  [[nodiscard]] const TensorLayout* fixed_output_layout() const { return is_part ? nullptr : &output_layout; }
  [[nodiscard]] std::size_t size() const { return terms.size(); }
};

/// Numbers the labels of a completed network by their first appearance.
Terms terms_of(const Network& network);

/// Returns the labels that a product of some terms keeps: those that the output or another term has.
Labels labels_of_product(const Terms& terms, const std::vector<int>& some);

/// Returns some of the terms, with the labels that their product keeps as output.
Terms part_of(const Terms& terms, const std::vector<int>& some);

Labels both(const Labels& x, const Labels& y);     ///< labels of x and y
Labels either(const Labels& x, const Labels& y);   ///< labels of x or y
Labels without(const Labels& x, const Labels& y);  ///< labels of x that y doesn't have
bool share_labels(const Labels& x, const Labels& y);
bool has_label(const Labels& labels, int label);

}  // namespace flopcast::contract
