#pragma once

#include <vector>

#include "flopcast/contract/network/schedule.hpp"

namespace flopcast::contract {

/// An operand of a step in a list of steps.
struct ListedUse {
  int tensor = -1;  ///< number of the tensor; -1: the step has one operand
  Labels labels;    ///< index: position in the order of the tensor's labels; the label by which the step knows it
};

/// A step of a list.
struct ListedStep {
  int node = 0;  ///< node of the tree
  ListedUse a, b;
  int result = 0;
  double executions = 1;
};

/// A tensor of a list of steps.
struct ListedTensor {
  Labels order;          ///< labels in the order to which uses refer
  TensorLayout layout;   ///< strides with these labels
  bool is_fixed = true;  ///< the layout isn't ours to choose: an operand or the output
};

/// The steps of a tree as a list over numbered tensors: first the operands, then the results in the order of the steps. A product that
/// occurs several times is one tensor, which steps use by different labels.
struct StepList {
  std::vector<ListedTensor> tensors;
  std::vector<ListedStep> steps;  ///< in the order of the program
  std::vector<int> tensor_of;     ///< index: node of the tree
};

/// Makes the list. The intermediates get some dense layout.
StepList list_steps(const JoinTree& tree, const StepModel& model, const Schedule& schedule);

/// Chooses the layouts of the intermediates by predicted time. For each one in turn, several orders of its labels are tried. In these
/// orders, labels with the same role in the step before lie together, and those with the same role in the step after.
void choose_layouts(StepList& list, const StepModel& model);

/// Gives the intermediates the layouts of plain products: the labels of one operand that are kept, in its order, and behind them those of
/// the other. The labels of the operand with more elements have the larger strides, or the smaller ones if `turned`.
void take_plain_layouts(StepList& list, const StepModel& model, bool turned);

/// Returns the layout of a used tensor with the labels of the use.
TensorLayout layout_of(const StepList& list, const ListedUse& use);

/// Returns the labels of a step's result, sorted.
Labels labels_of_result(const StepList& list, const ListedStep& step);

/// Returns the predicted time of one execution of a step.
Seconds seconds_of(const StepList& list, const ListedStep& step, const StepModel& model);

}  // namespace flopcast::contract
