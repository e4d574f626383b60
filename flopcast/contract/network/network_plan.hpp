#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/planner/buffer_pool.hpp"

namespace flopcast::contract {

/// A step for whoever executes it: C := alpha A B + beta C, or C := alpha sum(A) + beta C if there is no B. Labels aren't repeated within a
/// tensor. Each label of C is in A or B. With B, each label is in at least two of the tensors.
struct StepCall {
  struct StepOperand {
    std::vector<Label> labels;
    std::vector<std::int64_t> strides;  ///< in elements
    bool conjugated = false;
    friend bool operator==(const StepOperand&, const StepOperand&) = default;
  };
  friend bool operator==(const StepCall&, const StepCall&) = default;
  Precision precision = Precision::d;
  LabelExtents extents;
  StepOperand a;
  std::optional<StepOperand> b;
  StepOperand c;
};

/// Executes a step; b is null for a step without B. With beta = 0, C is overwritten whatever it holds.
using StepFunction = std::function<void(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta)>;
/// Prepares a step for many executions. No extent is 0.
using PrepareStep = std::function<StepFunction(const StepCall& call)>;

/// A tree whose steps are prepared. execute() may be called often, and from several threads at once if the steps may.
class NetworkPlan {
 public:
  /// Prepares every step, for whole blocks and for the shorter last ones. Throws what `prepare` throws.
  NetworkPlan(ContractionTree tree, const PrepareStep& prepare);

  /// output := alpha product + beta output. `operands` are the first elements, in the network's order. Throws bad_input if their number is
  /// wrong or a pointer is null, and environment_error if memory for the intermediates isn't available.
  void execute(std::span<const void* const> operands, void* output, std::complex<double> alpha = 1.0,
               std::complex<double> beta = 0.0) const;
  [[nodiscard]] const ContractionTree& tree() const { return tree_; }
  /// Replaces the predicted times of the tree's steps. The tree has no loops.
  void set_seconds(std::span<const Seconds> seconds);

 private:
  struct Run;
  /// A step with its variants: bit i is set if the block of loops[i] is the short last one.
  struct PreparedStep {
    std::vector<int> loops;  ///< numbers of the loops whose label the step has
    std::vector<StepFunction> variants;
    bool adds_blocks = false;  ///< the result is a sum over blocks
  };
  [[nodiscard]] StepCall call_of(const TreeStep& step) const;
  [[nodiscard]] PreparedStep prepare_step(const TreeStep& step, const PrepareStep& prepare) const;
  std::size_t run_from(std::size_t action, Run& run) const;
  void run_step(int number, Run& run) const;

  ContractionTree tree_;
  std::vector<PreparedStep> steps_;
  bool is_empty_ = false;  ///< a label has the extent 0
  std::shared_ptr<BufferPool> workspaces_;
};

}  // namespace flopcast::contract
