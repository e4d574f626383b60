#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"

namespace flopcast::contract {

/// A set of small numbers below `capacity`.
class LabelSet {
 public:
  static constexpr std::size_t capacity = 256;

  void insert(std::size_t number) { words_[number / word] |= std::uint64_t{1} << number % word; }
  [[nodiscard]] bool has(std::size_t number) const { return (words_[number / word] >> number % word & 1U) != 0; }
  [[nodiscard]] bool is_empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }

  friend LabelSet operator&(const LabelSet& x, const LabelSet& y) {
    return combined(x, y, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  friend LabelSet operator|(const LabelSet& x, const LabelSet& y) {
    return combined(x, y, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  /// Returns the numbers of x that y doesn't have.
  friend LabelSet operator-(const LabelSet& x, const LabelSet& y) {
    return combined(x, y, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
  }
  friend bool operator==(const LabelSet&, const LabelSet&) = default;

  /// Calls visit(number) for every number of the set, rising.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(i * word + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  static constexpr std::size_t word = 64;
  template <class Combine>
  static LabelSet combined(const LabelSet& x, const LabelSet& y, Combine&& combine) {
    LabelSet result;
    for (std::size_t i = 0; i < result.words_.size(); ++i) {
      result.words_[i] = combine(x.words_[i], y.words_[i]);
    }
    return result;
  }

  std::array<std::uint64_t, capacity / word> words_{};
};

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
ElementAccess access_of(const TensorLayout& layout, const Extents& extents, RoleOf&& role_of) {
  ElementAccess access;
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

/// Labels of a tensor, sorted by number.
using Labels = std::vector<int>;

/// One operand as searches see it: diagonals are strides, labels of extent 1 are gone.
struct NetworkTerm {
  Labels labels;         ///< labels that another term or the output has, too
  Labels summed;         ///< labels that only this operand has: a one-operand step sums over them first
  TensorLayout layout;   ///< all labels; of an intermediate only their order counts
  int tensor = -1;       ///< number of the tensor among the operands; equal operands have equal numbers
  bool is_free = false;  ///< the term is an intermediate whose layout may be chosen

  /// Returns the layout that a pairwise step finds, or null if the layout may be chosen.
  [[nodiscard]] const TensorLayout* fixed_layout() const { return is_free || !summed.empty() ? nullptr : &layout; }
};

/// A network with its labels numbered from 0.
struct Terms {
  Precision precision = Precision::d;
  std::vector<Label> names;           ///< index: number of a label
  std::vector<std::int64_t> extents;  ///< index: number of a label; never 1
  std::vector<NetworkTerm> terms;     ///< index: operand
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

/// A tensor of a step, as a search sees it.
struct StepTensor {
  const Labels* labels = nullptr;
  const TensorLayout* layout = nullptr;  ///< null: an intermediate whose layout may be chosen
};

/// Predicts the time of steps of one network. A label may be cut into blocks, over which loops run; then a step works on blocks, and is
/// repeated for all of them.
class StepModel {
 public:
  /// Keeps references to `terms` and `cost`.
  StepModel(const Terms& terms, const StepCost& cost);

  /// Keeps a reference to `terms`, which must have the labels of other's terms. Everything else is as in `other`.
  StepModel(const Terms& terms, const StepModel& other) : StepModel(other) { terms_ = &terms; }

  /// Keeps a reference to `cost`. Everything else is as in `other`.
  StepModel(const StepCost& cost, const StepModel& other) : StepModel(other) { cost_ = &cost; }

  /// Cuts a label into blocks of `length` elements, the last of which may be shorter.
  void set_block(int label, std::int64_t length);
  /// Sets the largest size of an intermediate in bytes. A step with a larger result counts as much slower than it is, by the square of
  /// its excess, so that searches avoid large intermediates and still compare them.
  void set_room(double bytes) { room_bytes_ = bytes; }

  [[nodiscard]] const Terms& terms() const { return *terms_; }
  [[nodiscard]] const StepCost& cost() const { return *cost_; }
  [[nodiscard]] const std::vector<std::int64_t>& lengths() const { return lengths_; }  ///< index: label; length of a block
  [[nodiscard]] double length(int label) const { return static_cast<double>(lengths_[static_cast<std::size_t>(label)]); }
  [[nodiscard]] double blocks(int label) const { return blocks_[static_cast<std::size_t>(label)]; }
  [[nodiscard]] bool is_cut(int label) const { return blocks(label) > 1; }
  /// Returns the number of elements of a tensor, or of a block of it.
  [[nodiscard]] double elements(const Labels& labels) const;
  [[nodiscard]] double bytes(const Labels& labels) const;

  /// Returns the sizes of the step C := A B.
  [[nodiscard]] PairStep shape(const StepTensor& a, const StepTensor& b, const StepTensor& c) const;
  /// Returns the sizes of the one-operand step that makes `result` of `a`.
  [[nodiscard]] SumStep shape(const TensorLayout& a, const Labels& result) const;
  /// Returns the time of all repetitions of a step. `is_output` says that C is the network's output, for which there is no limit.
  [[nodiscard]] Seconds seconds(const StepTensor& a, const StepTensor& b, const StepTensor& c, bool is_output) const;
  /// Returns the time of summing over a term's own labels; 0 if there are none.
  [[nodiscard]] Seconds seconds_of_sum(const NetworkTerm& term) const;
  /// Returns the factor by which a step with a result of `bytes` counts more than its time.
  [[nodiscard]] double penalty(double bytes) const;

 private:
  const Terms* terms_;
  const StepCost* cost_;
  std::vector<std::int64_t> lengths_;
  std::vector<double> blocks_;
  double element_bytes_;
  double room_bytes_;
};

/// Some tensors of a network that are to be multiplied, with their labels numbered from 0. Labels that the same tensors have are one.
class SubNetwork {
 public:
  /// Returns nothing if there are more than LabelSet::capacity labels. `tensors` and `output` must outlive the sub-network.
  static std::optional<SubNetwork> make(const StepModel& model, std::span<const StepTensor> tensors, const StepTensor& output,
                                        bool is_output);

  [[nodiscard]] std::size_t size() const { return terms_.size(); }
  [[nodiscard]] const LabelSet& labels(std::size_t term) const { return terms_[term]; }
  [[nodiscard]] const LabelSet& output() const { return output_; }
  /// A tensor of a step: its labels, and its layout unless the layout is free.
  struct LabelledTensor {
    const LabelSet& labels;
    const TensorLayout* layout;
  };
  [[nodiscard]] const TensorLayout* layout(std::size_t term) const { return layouts_[term]; }
  [[nodiscard]] const TensorLayout* output_layout() const { return output_layout_; }
  /// Returns the time of C := A B if it is below `below`, otherwise infinity. `is_last` says that C is the sub-network's output.
  [[nodiscard]] Seconds seconds(const LabelledTensor& a, const LabelledTensor& b, const LabelledTensor& c, bool is_last,
                                Seconds below) const;

 private:
  SubNetwork() = default;
  [[nodiscard]] ElementAccess access(const LabelledTensor& tensor, const LabelledTensor& a, const LabelledTensor& b,
                                     const LabelledTensor& c) const;

  const StepModel* model_ = nullptr;
  std::vector<double> lengths_, blocks_;  ///< index: label
  std::vector<int> number_of_;            ///< index: label of the network
  std::vector<LabelSet> terms_;
  std::vector<const TensorLayout*> layouts_;
  LabelSet output_;
  const TensorLayout* output_layout_ = nullptr;
  bool is_output_ = false;
  double element_bytes_ = 8;
};

}  // namespace flopcast::contract
