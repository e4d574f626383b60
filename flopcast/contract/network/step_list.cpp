#include "flopcast/contract/network/step_list.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace flopcast::contract {
namespace {

Labels sorted(Labels labels) {
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::size_t place_of(const Labels& order, int label) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), label) - order.begin());
}

/// Returns a dense layout; the first label of `order` is the fastest.
TensorLayout dense_layout(const Labels& order, const StepModel& model) {
  TensorLayout layout;
  std::int64_t stride = 1;
  for (const int label : order) {
    layout.axes.push_back({label, stride});
    stride *= std::max<std::int64_t>(1, model.lengths()[static_cast<std::size_t>(label)]);
  }
  return layout;
}

Labels labels_of(const TensorLayout& layout) {
  Labels labels;
  for (const LabelAxis& axis : layout.axes) {
    labels.push_back(axis.label);
  }
  return labels;
}

}  // namespace

StepList list_steps(const JoinTree& tree, const StepModel& model, const Schedule& schedule) {
  const Terms& terms = model.terms();
  StepList list;
  list.tensor_of.assign(tree.nodes().size(), -1);
  for (const NetworkTerm& term : terms.terms) {
    list.tensor_of[list.tensors.size()] = static_cast<int>(list.tensors.size());
    list.tensors.push_back({labels_of(term.layout), term.layout, true});
  }
  const auto use_of = [&](int node) {
    const int first = schedule.shared.first[static_cast<std::size_t>(node)];
    const ListedTensor& tensor = list.tensors[static_cast<std::size_t>(list.tensor_of[static_cast<std::size_t>(first)])];
    const Labels &of_node = schedule.shared.orders[static_cast<std::size_t>(node)],
                 &of_first = schedule.shared.orders[static_cast<std::size_t>(first)];
    ListedUse use{list.tensor_of[static_cast<std::size_t>(first)], {}};
    if (tree.node(node).is_leaf() && use.tensor < static_cast<int>(terms.size())) {  // an operand as it was given
      return ListedUse{node, labels_of(terms.terms[static_cast<std::size_t>(node)].layout)};
    }
    for (const int label : tensor.order) {
      use.labels.push_back(of_node[place_of(of_first, label)]);
    }
    return use;
  };
  for (const ScheduleAction& action : schedule.actions) {
    if (action.kind != ActionKind::step) {
      continue;
    }
    const JoinTree::JoinNode& node = tree.node(action.number);
    ListedStep step{
        action.number, {}, {}, static_cast<int>(list.tensors.size()), schedule.executions[static_cast<std::size_t>(action.number)]};
    if (node.is_leaf()) {
      step.a = {action.number, labels_of(terms.terms[static_cast<std::size_t>(action.number)].layout)};
    } else {
      step.a = use_of(node.left);
      step.b = use_of(node.right);
    }
    const bool is_output = action.number == tree.root();
    const Labels order = is_output ? labels_of(terms.output_layout) : node.labels;
    list.tensor_of[static_cast<std::size_t>(action.number)] = step.result;
    list.tensors.push_back({order, is_output ? terms.output_layout : dense_layout(order, model), is_output});
    list.steps.push_back(std::move(step));
  }
  return list;
}

TensorLayout layout_of(const StepList& list, const ListedUse& use) {
  const ListedTensor& tensor = list.tensors[static_cast<std::size_t>(use.tensor)];
  TensorLayout layout = tensor.layout;
  for (LabelAxis& axis : layout.axes) {
    axis.label = use.labels[place_of(tensor.order, axis.label)];
  }
  return layout;
}

Labels labels_of_result(const StepList& list, const ListedStep& step) {
  return sorted(list.tensors[static_cast<std::size_t>(step.result)].order);
}

Seconds seconds_of(const StepList& list, const ListedStep& step, const StepModel& model) {
  const TensorLayout layout_a = layout_of(list, step.a);
  const Labels result = labels_of_result(list, step);
  if (step.b.tensor < 0) {
    return model.cost().seconds(model.shape(layout_a, result));
  }
  const TensorLayout layout_b = layout_of(list, step.b);
  const Labels a = sorted(step.a.labels), b = sorted(step.b.labels);
  return model.cost().seconds(
      model.shape({&a, &layout_a}, {&b, &layout_b}, {&result, &list.tensors[static_cast<std::size_t>(step.result)].layout}));
}

namespace {

/// Chooses the layout of one intermediate at a time.
class LayoutChoice {
 public:
  LayoutChoice(StepList& list, const StepModel& model)
      : list_(list), model_(model), maker_(list.tensors.size()), users_(list.tensors.size()) {
    for (std::size_t i = 0; i < list.steps.size(); ++i) {
      const ListedStep& step = list.steps[i];
      maker_[static_cast<std::size_t>(step.result)] = i;
      for (const ListedUse* use : {&step.a, &step.b}) {
        if (use->tensor >= 0) {
          users_[static_cast<std::size_t>(use->tensor)].push_back(i);
        }
      }
    }
  }

  void run() {
    constexpr int max_sweeps = 4;
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
      bool changed = false;
      for (std::size_t i = 0; i < list_.tensors.size(); ++i) {
        changed = (!list_.tensors[i].is_fixed && improve(i)) || changed;
      }
      if (!changed) {
        return;
      }
    }
  }

 private:
  /// A label of the tensor, by its roles in the step that makes the tensor and in the first step that uses it.
  struct StepPlace {
    int label = 0;
    int before = 0, after = 0;  // groups of labels that should lie together
    bool is_batch = false;      // in the step after
    std::size_t rank = 0;       // place in the tensor beside it in the step after, or before
  };

  [[nodiscard]] Seconds seconds_around(std::size_t tensor) const {
    const auto of = [&](std::size_t step) { return list_.steps[step].executions * seconds_of(list_, list_.steps[step], model_); };
    Seconds seconds = of(maker_[tensor]);
    for (const std::size_t user : users_[tensor]) {
      seconds += of(user);
    }
    return seconds;
  }

  [[nodiscard]] std::vector<StepPlace> places(std::size_t tensor) const {
    const ListedStep& maker = list_.steps[maker_[tensor]];
    const ListedStep& user = list_.steps[users_[tensor].front()];
    const bool is_a = user.a.tensor == static_cast<int>(tensor);
    const ListedUse &own = is_a ? user.a : user.b, &other = is_a ? user.b : user.a;
    const Labels of_result = list_.tensors[static_cast<std::size_t>(user.result)].order;
    const Labels beside = labels_of(layout_of(list_, other)),
                 result = labels_of(list_.tensors[static_cast<std::size_t>(user.result)].layout);
    std::vector<StepPlace> all;
    const Labels& order = list_.tensors[tensor].order;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int later = own.labels[i];  // the label's name in the step after
      const bool in_other = place_of(beside, later) < beside.size(), in_result = place_of(result, later) < result.size();
      const auto in = [&](const ListedUse& use) {
        return std::find(use.labels.begin(), use.labels.end(), order[i]) != use.labels.end() ? 1 : 0;
      };
      all.push_back({order[i], 2 * in(maker.a) + in(maker.b), in_result ? 1 : 0, in_other && in_result,
                     in_other ? place_of(beside, later) : place_of(result, later)});
    }
    return all;
  }

  bool improve(std::size_t tensor) {
    constexpr double clearly = 1 - 1e-9;
    if (users_[tensor].empty()) {
      return false;
    }
    ListedTensor& here = list_.tensors[tensor];
    Seconds best = seconds_around(tensor);
    bool improved = false;
    std::vector<StepPlace> all = places(tensor);
    constexpr unsigned choices = 16;
    for (unsigned choice = 0; choice < choices; ++choice) {
      const bool batch_first = (choice & 1U) != 0, by_before = (choice & 2U) != 0, turn_before = (choice & 4U) != 0,
                 turn_after = (choice & 8U) != 0;
      const auto key = [&](const StepPlace& place) {
        const int before = turn_before ? -place.before : place.before, after = turn_after ? -place.after : place.after;
        return std::tuple(place.is_batch != batch_first, by_before ? before : after, by_before ? after : before, place.rank);
      };
      std::stable_sort(all.begin(), all.end(), [&](const StepPlace& x, const StepPlace& y) { return key(x) < key(y); });
      Labels order;
      std::transform(all.begin(), all.end(), std::back_inserter(order), [](const StepPlace& place) { return place.label; });
      TensorLayout layout = dense_layout(order, model_);
      if (layout == here.layout) {
        continue;
      }
      std::swap(here.layout, layout);
      if (const Seconds seconds = seconds_around(tensor); seconds < best * clearly) {
        best = seconds;
        improved = true;
      } else {
        std::swap(here.layout, layout);
      }
    }
    return improved;
  }

  StepList& list_;
  const StepModel& model_;
  std::vector<std::size_t> maker_;               // index: tensor
  std::vector<std::vector<std::size_t>> users_;  // index: tensor
};

}  // namespace

void choose_layouts(StepList& list, const StepModel& model) { LayoutChoice(list, model).run(); }

void take_plain_layouts(StepList& list, const StepModel& model, bool turned) {
  for (const ListedStep& step : list.steps) {
    ListedTensor& result = list.tensors[static_cast<std::size_t>(step.result)];
    if (result.is_fixed) {
      continue;
    }
    std::vector<Labels> operands = {labels_of(layout_of(list, step.a))};
    if (step.b.tensor >= 0) {
      operands.push_back(labels_of(layout_of(list, step.b)));
      if ((model.elements(operands[0]) > model.elements(operands[1])) != turned) {
        std::swap(operands[0], operands[1]);
      }
    }
    Labels order;  // by rising strides
    for (const Labels& labels : operands) {
      std::copy_if(labels.begin(), labels.end(), std::back_inserter(order), [&](int label) {
        return place_of(result.order, label) < result.order.size() && place_of(order, label) == order.size();
      });
    }
    result.layout = dense_layout(order, model);
  }
}

}  // namespace flopcast::contract
