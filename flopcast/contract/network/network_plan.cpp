#include "flopcast/contract/network/network_plan.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

bool has(const std::vector<Label>& labels, Label label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

/// output := beta output, element by element.
void scale_output(const Network& network, void* output, std::complex<double> beta) {
  with_element(network.precision, [&](auto zero) {
    using Element = decltype(zero);
    const auto factor = to_element<Element>(beta);
    const auto visit = [&](const auto& self, std::size_t label, Element* element) -> void {
      if (label == network.output.labels.size()) {
        *element = beta == 0.0 ? zero : factor * *element;
        return;
      }
      for (std::int64_t i = 0; i < network.extents.at(network.output.labels[label]); ++i) {
        self(self, label + 1, element + i * network.output.strides[label]);
      }
    };
    visit(visit, 0, static_cast<Element*>(output));
  });
}

}  // namespace

/// The state of one execution.
struct NetworkPlan::Run {
  std::span<const void* const> operands;
  void* output;
  std::complex<double> alpha, beta;
  std::byte* workspace;
  std::vector<std::int64_t> first;  ///< index: loop; first element of the block
};

NetworkPlan::NetworkPlan(ContractionTree tree, const PrepareStep& prepare) : tree_(std::move(tree)) {
  const LabelExtents& extents = tree_.network.extents;
  const auto is_zero = [&](const NetworkTensor& tensor) {
    return std::any_of(tensor.labels.begin(), tensor.labels.end(), [&](Label label) { return extents.at(label) == 0; });
  };
  is_empty_ = std::any_of(tree_.network.operands.begin(), tree_.network.operands.end(), is_zero);
  workspaces_ = std::make_shared<BufferPool>(tree_.workspace_bytes);
  for (const TreeStep& step : tree_.steps) {
    steps_.push_back(is_empty_ ? PreparedStep() : prepare_step(step, prepare));
  }
}

StepCall NetworkPlan::call_of(const TreeStep& step) const {
  StepCall call;
  call.precision = tree_.network.precision;
  const auto tensor_of = [&](int number, const std::vector<Label>& labels) {
    const auto i = static_cast<std::size_t>(number);
    const bool is_conjugated = i < tree_.network.operands.size() && tree_.network.operands[i].conjugated;
    for (const Label label : labels) {
      call.extents[label] = tree_.network.extents.at(label);
    }
    return StepCall::StepOperand{labels, tree_.tensors[i].strides, is_conjugated};
  };
  call.a = tensor_of(step.a.tensor, step.a.labels);
  if (step.b.tensor >= 0) {
    call.b = tensor_of(step.b.tensor, step.b.labels);
  }
  call.c = tensor_of(step.result, tree_.tensors[static_cast<std::size_t>(step.result)].labels);
  return call;
}

NetworkPlan::PreparedStep NetworkPlan::prepare_step(const TreeStep& step, const PrepareStep& prepare) const {
  PreparedStep prepared;
  StepCall call = call_of(step);
  for (std::size_t i = 0; i < tree_.loops.size(); ++i) {
    if (call.extents.count(tree_.loops[i].label) > 0) {
      prepared.loops.push_back(static_cast<int>(i));
      prepared.adds_blocks = prepared.adds_blocks || !has(call.c.labels, tree_.loops[i].label);
    }
  }
  for (std::size_t variant = 0; variant < std::size_t{1} << prepared.loops.size(); ++variant) {
    bool exists = true;
    for (std::size_t i = 0; i < prepared.loops.size(); ++i) {
      const TreeLoop& loop = tree_.loops[static_cast<std::size_t>(prepared.loops[i])];
      const bool is_last = (variant >> i & 1U) != 0;
      call.extents[loop.label] = is_last ? loop.extent % loop.length : loop.length;
      exists = exists && call.extents[loop.label] > 0;
    }
    prepared.variants.push_back(exists ? prepare(call) : StepFunction());
  }
  return prepared;
}

void NetworkPlan::execute(std::span<const void* const> operands, void* output, std::complex<double> alpha,
                          std::complex<double> beta) const {
  const Network& network = tree_.network;
  if (operands.size() != network.operands.size()) {
    throw bad_input("{} operands are given for a network of {}", operands.size(), network.operands.size());
  }
  const auto is_output_empty =
      std::any_of(network.output.labels.begin(), network.output.labels.end(), [&](Label label) { return network.extents.at(label) == 0; });
  if (is_output_empty) {
    return;
  }
  if (output == nullptr) {
    throw bad_input("the output of a network is a null pointer");
  }
  if (is_empty_) {
    scale_output(network, output, beta);
    return;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) {
      throw bad_input("operand {} of a network is a null pointer", i + 1);
    }
  }
  AlignedMemory workspace;
  try {
    workspace = workspaces_->take();
  } catch (const std::bad_alloc&) {
    throw environment_error("the {} of the network's intermediates aren't available; limit their bytes",
                            format_bytes(static_cast<double>(tree_.workspace_bytes)));
  }
  Run run{operands, output, alpha, beta, workspace.get(), std::vector<std::int64_t>(tree_.loops.size(), 0)};
  for (std::size_t action = 0; action < tree_.program.size();) {
    action = run_from(action, run);
  }
  workspaces_->give_back(std::move(workspace));
}

void NetworkPlan::set_seconds(std::span<const Seconds> seconds) {
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    tree_.steps[i].seconds = seconds[i];
  }
  tree_.seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// Runs the action, with the whole loop if it begins one. Returns the next action.
std::size_t NetworkPlan::run_from(std::size_t action, Run& run) const {
  const TreeAction& here = tree_.program[action];
  if (here.kind == ActionKind::step) {
    run_step(here.number, run);
    return action + 1;
  }
  const TreeLoop& loop = tree_.loops[static_cast<std::size_t>(here.number)];
  std::size_t end = action;
  for (std::int64_t first = 0; first < loop.extent; first += loop.length) {
    run.first[static_cast<std::size_t>(here.number)] = first;
    for (end = action + 1; tree_.program[end].kind != ActionKind::end;) {
      end = run_from(end, run);
    }
  }
  run.first[static_cast<std::size_t>(here.number)] = 0;
  return end + 1;
}

void NetworkPlan::run_step(int number, Run& run) const {
  const TreeStep& step = tree_.steps[static_cast<std::size_t>(number)];
  const PreparedStep& prepared = steps_[static_cast<std::size_t>(number)];
  const std::int64_t element = element_bytes(tree_.network.precision);
  std::size_t variant = 0;
  bool is_first = true;  // of the blocks that the result adds up
  const std::vector<Label>& kept = tree_.tensors[static_cast<std::size_t>(step.result)].labels;
  for (std::size_t i = 0; i < prepared.loops.size(); ++i) {
    const auto at = static_cast<std::size_t>(prepared.loops[i]);
    const TreeLoop& loop = tree_.loops[at];
    variant |= run.first[at] + loop.length > loop.extent ? std::size_t{1} << i : 0;
    is_first = is_first && (run.first[at] == 0 || has(kept, loop.label));
  }
  // Operands and the output are whole: their blocks begin elsewhere.
  const auto first_element = [&](int tensor, const std::vector<Label>& labels) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < tree_.loops.size(); ++i) {
      const auto found = std::find(labels.begin(), labels.end(), tree_.loops[i].label);
      offset +=
          found == labels.end()
              ? 0
              : run.first[i] * tree_.tensors[static_cast<std::size_t>(tensor)].strides[static_cast<std::size_t>(found - labels.begin())];
    }
    return offset * element;
  };
  const auto address = [&](const TreeUse& use) -> const std::byte* {
    if (use.tensor < 0) {
      return nullptr;
    }
    const auto i = static_cast<std::size_t>(use.tensor);
    return i < run.operands.size() ? static_cast<const std::byte*>(run.operands[i]) + first_element(use.tensor, use.labels)
                                   : run.workspace + tree_.tensors[i].offset_bytes;
  };
  const bool is_output = !tree_.is_intermediate(step.result);
  const TreeTensor& result = tree_.tensors[static_cast<std::size_t>(step.result)];
  std::byte* c = is_output ? static_cast<std::byte*>(run.output) + first_element(step.result, kept) : run.workspace + result.offset_bytes;
  const std::complex<double> beta = prepared.adds_blocks && !is_first ? 1.0 : is_output ? run.beta : 0.0;
  prepared.variants[variant](address(step.a), address(step.b), c, is_output ? run.alpha : 1.0, beta);
}

}  // namespace flopcast::contract
