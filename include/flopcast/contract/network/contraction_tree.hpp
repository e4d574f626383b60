#pragma once

/// Products of any number of tensors, as trees of pairwise contractions.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/support/units.hpp"

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

/// Role of a label in a pairwise step C := A B: rows are in A and C, columns in B and C, sums in A and B, batch labels in all three.
enum class StepRole : std::uint8_t { rows, columns, sums, batch, none };

/// How a step reaches the elements of one of its tensors.
struct ElementAccess {
  bool is_free = true;             ///< the tensor is an intermediate whose layout may be chosen; the other members don't count then
  StepRole unit = StepRole::none;  ///< role of the labels along which neighbours in memory lie; `none` without neighbours
  double run = 1;                  ///< number of neighbours in memory along labels of that role
  double reach = 1;                ///< number of neighbours in memory along any labels but those of the batch
  bool is_matrix = true;           ///< the labels of each role are one dimension in memory
};

/// A pairwise step by the sizes of its roles.
struct PairStep {
  double rows = 1, columns = 1, sums = 1, batch = 1;  ///< products of the extents of all labels of a role
  ElementAccess a, b, c;
  int sum_labels = 0;  ///< number of labels of the sums; labels that the same tensors have may count as one

  [[nodiscard]] double products() const { return batch * rows * columns * sums; }
  [[nodiscard]] double elements_of_a() const { return batch * rows * sums; }
  [[nodiscard]] double elements_of_b() const { return batch * sums * columns; }
  [[nodiscard]] double elements_of_c() const { return batch * rows * columns; }
};

/// A one-operand step: the sum over some labels of A, or a copy of A to another layout.
struct SumStep {
  double kept = 1, summed = 1;  ///< products of the extents of the labels that the result has, and of the others
  ElementAccess a;              ///< kept labels are rows
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
  /// Returns a time that seconds(step) doesn't undercut, at lower cost. Searches prune steps by this bound.
  [[nodiscard]] virtual Seconds at_least(const PairStep& step) const = 0;
};

/// Multiplies two tensors. Tensors are numbered: operands first, then the results of joins in their order.
struct Join {
  int left = 0, right = 0;
  friend bool operator==(const Join&, const Join&) = default;
};

/// Settings of a search for the fastest tree.
struct TreeSearchOptions {
  std::size_t max_exhaustive = 10;   ///< networks of up to this number of operands are searched through completely; 2 to 16
  std::int64_t max_pairs = 500'000;  ///< pairs of connected subsets that are tried in larger networks before random trees
  std::int64_t max_trials = 10'000;  ///< random trees; a search with an infinite time budget depends on the seed alone
  Seconds time_budget = 1;           ///< seconds of searching; a first tree is always made
  double budget_share = 0.05;        ///< the search ends, too, after this share of the best tree's predicted time, but not before min_time
  Seconds min_time = 0.02;
  std::uint64_t seed = 1;
  bool share_products = true;  ///< look for trees in which equal products are made once
  /// Polled often. Once it returns true, the search ends with the best tree that is known.
  std::function<bool()> cancelled = [] { return false; };
};

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
  std::vector<Label> labels;  ///< labels of the tensor; other names if the tensor is a product that occurs several times
};

/// One step: C := A B, or the sum of A over the labels that C doesn't have.
struct TreeStep {
  TreeUse a, b;
  int result = 0;         ///< number of the tensor
  double executions = 1;  ///< 1, or the number of blocks for which the step is repeated
  double flops = 0;       ///< flops of all executions; the next members count all executions, too
  double bytes = 0;       ///< elements of A and B read, and of C written
  Seconds seconds = 0;    ///< predicted
};

/// A loop over blocks of a label.
struct TreeLoop {
  Label label = 0;
  std::int64_t extent = 1, length = 1;  ///< elements of the label, and of a block; the last block may be shorter
};

/// Kinds of parts of a program: a step, or the begin or end of a loop.
enum class ActionKind : std::uint8_t { step, begin, end };

/// A part of the program of a tree.
struct TreeAction {
  ActionKind kind = ActionKind::step;
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
  bool is_exhaustive = false;        ///< true if no other tree has a shorter time
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
  std::vector<std::vector<int>> pairs;  ///< pairs in the form of ContractionTree::path()
  Seconds seconds = 0;                  ///< predicted time of all pairs
};

/// Finds the order that find_tree() finds, without choosing layouts and memory of intermediates. Throws what find_tree() throws.
ContractionPath find_path(const Network& network, const StepCost& cost, const TreeOptions& options = {});

/// Finds the steps that are the fastest by `order_cost`, and writes them with several layouts of the intermediates. The layouts that are the
/// fastest by `cost` come first. Plain ones that differ follow, for callers who can measure which are faster. The trees' times are those of
/// `cost`.
std::vector<ContractionTree> find_trees(const Network& network, const StepCost& order_cost, const StepCost& cost,
                                        const TreeOptions& options = {});

}  // namespace flopcast::contract
