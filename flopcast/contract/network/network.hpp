#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/core/routine.hpp"

/// Products of any number of tensors, as trees of pairwise contractions.
namespace flopcast::contract {

/// Number of elements along every label.
using LabelExtents = std::map<Label, std::int64_t>;

/// One tensor of a network: element (i0, i1, ...) lies `strides[0] i0 + strides[1] i1 + ...` elements after its first.
struct NetworkTensor {
  std::vector<Label> labels;               ///< an operand's label may be repeated, which selects a diagonal
  std::vector<std::int64_t> strides = {};  ///< in elements; empty: dense, the last label fastest
  int tensor = -1;                         ///< operands with equal numbers from 0 on are one tensor: equal data, strides and conjugation
  bool conjugated = false;                 ///< operands only
  friend bool operator==(const NetworkTensor&, const NetworkTensor&) = default;
};

/// output := sum of the product of all operands over the labels that the output doesn't have. A label may be in any number of operands.
struct Network {
  Precision precision = Precision::d;
  LabelExtents extents;
  std::vector<NetworkTensor> operands;
  NetworkTensor output;
  friend bool operator==(const Network&, const Network&) = default;
};

/// Returns `network` with strides for all tensors. Throws bad_input if there is no operand, an extent is missing or negative, strides are
/// too many or too few, or a dense tensor has more bytes than 62 bits can address. Throws bad_input, too, if a label of the output is
/// repeated, or is in no operand, or if operands with equal numbers differ in extents, strides or conjugation.
Network completed(Network network);

/// Returns the number of bytes of a dense tensor with these labels; infinite if a double can't hold the number.
double dense_bytes(const std::vector<Label>& labels, const LabelExtents& extents, Precision precision);

}  // namespace flopcast::contract
