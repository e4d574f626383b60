#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "flopcast/contract/network/step_cost.hpp"

namespace flopcast::contract {

/// An index of a tensor: its label, as numbered by a search, and the stride in elements.
struct LabelAxis {
  int label = 0;
  std::int64_t stride = 0;
  friend bool operator==(const LabelAxis&, const LabelAxis&) = default;
};

/// The indices of a tensor by rising absolute strides.
struct TensorLayout {
  std::vector<LabelAxis> axes;
  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

/// Sorts axes by rising absolute strides; equal strides keep their order.
TensorLayout make_layout(std::vector<LabelAxis> axes);

/// Returns how a step reaches a tensor. `extents[label]` is the length of a label, and `role_of(label)` its role in the step.
template <class Extents, class RoleOf>
Access access_of(const TensorLayout& layout, const Extents& extents, RoleOf&& role_of) {
  Access access;
  access.is_free = false;
  std::array<std::int64_t, 5> next_of_role{};  // stride at which the labels of a role go on; 0: none was seen
  std::int64_t next = 1;                       // stride at which neighbours in memory go on; 0: they don't
  bool same_role = true;
  for (const LabelAxis& axis : layout.axes) {
    const auto extent = static_cast<std::int64_t>(extents[static_cast<std::size_t>(axis.label)]);
    if (extent == 1) {
      continue;
    }
    const StepRole role = role_of(axis.label);
    std::int64_t& of_role = next_of_role[static_cast<std::size_t>(role)];
    access.is_matrix = access.is_matrix && (of_role == 0 || of_role == axis.stride);
    of_role = axis.stride * extent;
    if (next != 0 && std::abs(axis.stride) == next) {
      access.unit = next == 1 ? role : access.unit;
      same_role = same_role && role == access.unit;
      access.run *= same_role ? static_cast<double>(extent) : 1;
      access.reach *= role == StepRole::batch ? 1 : static_cast<double>(extent);
      next = role == StepRole::batch ? 0 : next * extent;  // a matrix of the batch ends there
    } else {
      next = 0;
    }
  }
  return access;
}

}  // namespace flopcast::contract
