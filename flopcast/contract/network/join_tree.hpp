#pragma once

#include <span>
#include <vector>

#include "flopcast/contract/network/step_model.hpp"
#include "flopcast/contract/network/tree_search.hpp"

namespace flopcast::contract {

/// A tree of pairwise steps over all terms of a network, with the labels and the time of every step.
class JoinTree {
 public:
  /// A term, numbered as the network's operands, or the result of a step.
  struct JoinNode {
    int left = -1, right = -1, parent = -1;  ///< -1: none
    Labels labels;
    Seconds own = 0;    ///< time of the step, or of summing over a term's own labels; may exceed the predicted time by StepModel::penalty()
    Seconds below = 0;  ///< time of the node and all nodes below
    [[nodiscard]] bool is_leaf() const { return left < 0; }
  };

  /// Builds the tree of `joins`, of which a network of n terms needs n - 1. Keeps a reference to `model`.
  JoinTree(const StepModel& model, std::span<const Join> joins);

  [[nodiscard]] const StepModel& model() const { return *model_; }
  [[nodiscard]] const std::vector<JoinNode>& nodes() const { return nodes_; }
  [[nodiscard]] const JoinNode& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] int root() const { return root_; }
  [[nodiscard]] std::size_t terms() const { return model_->terms().size(); }
  [[nodiscard]] Seconds seconds() const { return node(root_).below; }
  /// Returns whether a node is the output of the whole network.
  [[nodiscard]] bool is_output(int number) const { return number == root_ && !model_->terms().is_part; }
  /// Returns a node as a tensor of a step.
  [[nodiscard]] StepTensor tensor(int number) const;
  /// Returns the joins in an order in which results come before their uses.
  [[nodiscard]] std::vector<Join> joins() const;

  /// Replaces the steps between `top` and the nodes `frontier`, all of them below `top`, by `joins` of the frontier.
  void replace(int top, std::span<const int> frontier, std::span<const Join> joins);

 private:
  [[nodiscard]] JoinNode& at(int number) { return nodes_[static_cast<std::size_t>(number)]; }
  void set_children(int number, int left, int right);
  void update_own(int number);
  void update_below(int number);

  const StepModel* model_;
  std::vector<JoinNode> nodes_;
  int root_ = 0;
};

/// Returns the labels that remain of each product if tensors with these labels are joined, and `output` is the last product.
std::vector<Labels> labels_of_joins(std::span<const Labels* const> tensors, const Labels& output, std::span<const Join> joins);

/// How a tree is improved.
struct Refinement {
  std::size_t max_tensors = 7;  ///< tensors below a node whose order is searched
  std::int64_t max_pairs = 0;   ///< 0: all subsets of the tensors are searched; otherwise connected ones, up to this number of pairs
};

/// Improves a tree: the steps above every node's nearest few tensors are replaced by the fastest order. Ends if no such change pays, or
/// once `stops` returns true.
void refine(JoinTree& tree, const Refinement& how, const std::function<bool()>& stops);

}  // namespace flopcast::contract
