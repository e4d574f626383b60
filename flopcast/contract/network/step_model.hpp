#pragma once

#include <optional>
#include <span>
#include <vector>

#include "flopcast/contract/network/label_set.hpp"
#include "flopcast/contract/network/step_cost.hpp"
#include "flopcast/contract/network/terms.hpp"

namespace flopcast::contract {

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
  [[nodiscard]] Seconds seconds_of_sum(const Term& term) const;
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
  struct Side {
    const LabelSet& labels;
    const TensorLayout* layout;
  };
  [[nodiscard]] const TensorLayout* layout(std::size_t term) const { return layouts_[term]; }
  [[nodiscard]] const TensorLayout* output_layout() const { return output_layout_; }
  /// Returns the time of C := A B if it is below `below`, otherwise infinity. `is_last` says that C is the sub-network's output.
  [[nodiscard]] Seconds seconds(const Side& a, const Side& b, const Side& c, bool is_last, Seconds below) const;

 private:
  SubNetwork() = default;
  [[nodiscard]] Access access(const Side& tensor, const Side& a, const Side& b, const Side& c) const;

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
