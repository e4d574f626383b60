#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "flopcast/contract/network/network.hpp"
#include "flopcast/contract/network/step_cost.hpp"
#include "flopcast/contract/network/tree_options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// A tensor of a tree: an operand, an intermediate, or the output. Labels of extent 1 are left out, and repeated labels are one.
struct TreeTensor {
  std::vector<Label> labels;          ///< ordered by falling strides
  std::vector<std::int64_t> strides;  ///< in elements
  std::int64_t bytes = 0;             ///< intermediates only, as all of the next
  std::int64_t offset_bytes = 0;      ///< place in the workspace, which other intermediates may have before and after
};

/// A tensor that a step reads.
struct TreeUse {
  int tensor = -1;            ///< number of the tensor; -1: the step has one operand
  std::vector<Label> labels;  ///< as TreeTensor::labels, by other names if the tensor is a product that occurs several times
};

/// One step: C := A B, or the sum of A over the labels that C doesn't have.
struct TreeStep {
  TreeUse a, b;
  int result = 0;         ///< number of the tensor
  double executions = 1;  ///< 1, or the number of blocks for which the step is repeated
  double flops = 0;       ///< of all executions, as all of the next
  double bytes = 0;       ///< elements of A and B read, and of C written
  Seconds seconds = 0;    ///< predicted
};

/// A loop over blocks of a label.
struct TreeLoop {
  Label label = 0;
  std::int64_t extent = 1, length = 1;  ///< of the label, and of a block; the last block may be shorter
};

/// A part of the program: a step, or the begin or end of a loop.
struct TreeAction {
  enum class Kind : std::uint8_t { step, begin, end };
  Kind kind = Kind::step;
  int number = 0;  ///< number of the step or the loop
};

/// Returns the name of a label in texts.
using LabelName = std::function<std::string(Label)>;
/// Returns the letter whose code the label is, otherwise the number.
std::string usual_label_name(Label label);

/// The steps that compute a network, in order.
struct ContractionTree {
  Network network;
  std::vector<TreeTensor> tensors;  ///< operands first, then the results of the steps; the last one is the output
  std::vector<TreeStep> steps;
  std::vector<TreeLoop> loops;
  std::vector<TreeAction> program;
  std::int64_t workspace_bytes = 0;  ///< memory of all intermediates
  double flops = 0, bytes = 0;       ///< sums over all steps
  Seconds seconds = 0;               ///< predicted time of all steps
  bool is_exhaustive = false;        ///< as SearchedTree::is_exhaustive
  std::int64_t trials = 0;           ///< random trees that were tried

  [[nodiscard]] bool is_intermediate(int tensor) const;
  /// Returns the steps as pairs of positions in a list of tensors, as NumPy's einsum_path and opt_einsum give paths: the tensors at the two
  /// positions are removed, and their product is appended. A product that occurs several times is listed every time.
  [[nodiscard]] std::vector<std::vector<int>> path() const;
  /// Returns a step as a product of tensors, such as "t1[ac] := operand1[ab] operand2[bc]". The labels of operands and of the output are in
  /// the network's order, those of intermediates by falling strides.
  [[nodiscard]] std::string text_of(const TreeStep& step, const LabelName& name = usual_label_name) const;
  /// Returns a table of all steps with their flops, bytes and seconds, and remarks on loops and memory.
  [[nodiscard]] std::string explain(const LabelName& name = usual_label_name) const;

  std::vector<Join> joins;  ///< the tree without regard to equal products
};

struct TreeOptions {
  TreeSearchOptions search = {};
  /// Largest number of bytes of all intermediates that exist at once, without the memory in which steps pack their operands.
  double room_bytes = std::numeric_limits<double>::infinity();
};

/// Finds the tree of pairwise steps with the shortest predicted time. Where the intermediates of no tree have room, labels are cut into
/// blocks, over which steps are repeated. Throws what completed() throws, and bad_input if options are out of range, or if no blocks are
/// short enough for the memory. Throws Cancelled if the search is cancelled before a tree is known that fits into the memory.
ContractionTree find_tree(const Network& network, const StepCost& cost, const TreeOptions& options = {});

/// An order of pairwise contractions without a program for it.
struct ContractionPath {
  std::vector<std::vector<int>> pairs;  ///< as ContractionTree::path() returns them
  Seconds seconds = 0;                  ///< predicted time of all pairs
};

/// Finds the order that find_tree() finds, without choosing layouts and memory of intermediates. Throws what find_tree() throws.
ContractionPath find_path(const Network& network, const StepCost& cost, const TreeOptions& options = {});

/// Finds the same steps with several layouts of the intermediates: first those of find_tree(), then plain ones that differ, for callers who
/// can measure which are faster.
std::vector<ContractionTree> find_trees(const Network& network, const StepCost& cost, const TreeOptions& options = {});

}  // namespace flopcast::contract
