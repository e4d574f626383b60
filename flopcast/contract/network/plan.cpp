#include "flopcast/contract/network/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/einsum/normal_form.hpp"
#include "flopcast/contract/einsum/pair_plan.hpp"
#include "flopcast/contract/network/measured_networks.hpp"
#include "flopcast/contract/network/network_plan.hpp"
#include "flopcast/contract/network/planner_cost.hpp"
#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/no_fork_scope.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

using Complex = std::complex<double>;

/// Returns the plan of a step by plan_pair() with `options`, but for the precision, which is the step's.
Plan plan_of(const StepCall& call, const Machine& machine, PlanOptions options) {
  std::vector<Subscripts> operands = {{call.a.labels, {}, call.a.conjugated}};
  EinsumStrides strides{{call.a.strides}, call.c.strides};
  if (call.b) {
    operands.push_back({call.b->labels, {}, call.b->conjugated});
    strides.operands.push_back(call.b->strides);
  }
  options.precision = call.precision;
  const Expression expression = make_expression(std::move(operands), Subscripts{call.c.labels});
  return plan_pair(with_extents(expression, call.extents), strides, machine, options);
}

/// Plans the steps of trees, each step once however many trees have it.
class StepPlans {
 public:
  /// `machine`, and what `options` refers to, must exist as long as this object. `budget` returns PlanOptions::step_budget of the next step.
  StepPlans(
      const Machine& machine, PlanOptions options, std::function<std::optional<Seconds>()> budget = [] { return std::nullopt; })
      : machine_(machine), options_(std::move(options)), budget_(std::move(budget)) {}

  [[nodiscard]] Plan of(const StepCall& call) {
    const auto known = std::find_if(plans_.begin(), plans_.end(), [&](const auto& one) { return one.first == call; });
    if (known != plans_.end()) {
      return known->second;
    }
    options_.step_budget = budget_();
    return plans_.emplace_back(call, plan_of(call, machine_, options_)).second;
  }

 private:
  const Machine& machine_;
  PlanOptions options_;
  std::function<std::optional<Seconds>()> budget_;
  std::vector<std::pair<StepCall, Plan>> plans_;
};

/// Returns a function that prepares steps by `plans` and adds each plan to `made`. Both must exist as long as the function.
PrepareStep einsum_steps(StepPlans& plans, std::vector<Plan>& made) {
  return [&](const StepCall& call) -> StepFunction {
    made.push_back(plans.of(call));
    return [plan = made.back(), count = std::size_t{call.b ? 2U : 1U}](const void* a, const void* b, void* c, std::complex<double> alpha,
                                                                       std::complex<double> beta) {
      const std::array<const void*, 2> both = {a, b};
      plan.execute(std::span(both.data(), count), c, alpha, beta);
    };
  };
}

/// Returns an operand without axes that are repeated because its size there is 1.
NetworkTensor operand_of(const SizedExpression& expression, const std::vector<Axis>& axes, std::size_t i, bool is_complex_type) {
  const Subscripts& subscripts = expression.operands[i];
  NetworkTensor tensor;
  tensor.conjugated = is_complex_type && subscripts.conjugated != expression.result.conjugated;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].extent == expression.extent(subscripts.labels[axis])) {
      tensor.labels.push_back(subscripts.labels[axis]);
      tensor.strides.push_back(axes[axis].stride);
    }
  }
  return tensor;
}

/// Gives operands that are one tensor equal numbers, unless their repeated axes differ.
void number_tensors(Network& network, const std::vector<int>& tensors) {
  std::map<std::vector<std::int64_t>, int> numbers;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] < 0) {
      continue;
    }
    NetworkTensor& operand = network.operands[i];
    std::vector<std::int64_t> key = {tensors[i], operand.conjugated ? 1 : 0};
    key.insert(key.end(), operand.strides.begin(), operand.strides.end());
    for (const Label label : operand.labels) {
      key.push_back(network.extents.at(label));
    }
    operand.tensor = numbers.emplace(std::move(key), static_cast<int>(numbers.size())).first->second;
  }
}

void require_number_of_tensors(const SizedExpression& expression, const PlanOptions& options) {
  if (!options.tensors.empty() && options.tensors.size() != expression.operands.size()) {
    throw bad_input("expression '{}' has {} operands, but {} numbers of tensors are given", to_string(expression.expression),
                    expression.operands.size(), options.tensors.size());
  }
}

/// Returns the network of an expression. Labels that the result repeats are one label of the network, with the strides of the diagonal.
Network network_of(const SizedExpression& expression, const TensorAxes& axes, const PlanOptions& options) {
  require_number_of_tensors(expression, options);
  Network network;
  network.precision = options.precision;
  network.extents = expression.extents;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    network.operands.push_back(operand_of(expression, axes.operands[i], i, is_complex(network.precision)));
  }
  number_tensors(network, options.tensors);
  const std::vector<Label>& labels = expression.result.labels;
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    const auto found = std::find(network.output.labels.begin(), network.output.labels.end(), labels[axis]);
    if (found == network.output.labels.end()) {
      network.output.labels.push_back(labels[axis]);
      network.output.strides.push_back(axes.result[axis].stride);
    } else {
      network.output.strides[static_cast<std::size_t>(found - network.output.labels.begin())] += axes.result[axis].stride;
    }
  }
  return network;
}

/// Counts products, as most other planners do: a step's time is one second for each.
class ProductCount : public StepCost {
 public:
  [[nodiscard]] Seconds seconds(const PairStep& step) const override { return step.products(); }
  [[nodiscard]] Seconds seconds(const SumStep& step) const override { return step.kept * step.summed; }
  [[nodiscard]] Seconds at_least(const PairStep& step) const override { return step.products(); }
};

/// Returns measure::available_memory_bytes() of at most a second ago. Reading it takes longer than searching through a small network.
double recently_available_bytes() {
  constexpr Seconds recent = 1;
  static std::mutex mutex;
  static std::optional<Stopwatch> since;
  static std::int64_t bytes = 0;
  const ForkSafeLock lock(mutex);
  if (!since || since->elapsed() > recent) {
    bytes = measure::available_memory_bytes();
    since.emplace();
  }
  return static_cast<double>(bytes);
}

/// Returns what predicts the steps of this executor.
std::unique_ptr<StepCost> cost_of(Executor executor, const Machine& machine, const PlanOptions& options) {
  require_possible_threads(options.threads);
  const TileRates rates = machine.rates ? *machine.rates : assumed_tile_rates(machine.environment);
  if (executor == Executor::numpy) {
    return std::make_unique<NumpyCost>(machine.environment, rates, options.precision, options.threads);
  }
  return std::make_unique<PlannerCost>(machine.environment, rates, options.precision, options.threads);
}

/// Returns the options of the search, with the limit of memory.
TreeOptions tree_options(const PlanOptions& options) {
  constexpr double share_of_memory = 0.5;
  TreeOptions of_tree;
  of_tree.room_bytes = std::min<double>(options.max_bytes, share_of_memory * recently_available_bytes());
  of_tree.search.cancelled = options.cancelled;
  return of_tree;
}

/// Returns the trees from which a plan may be chosen, each with several layouts of its intermediates: the one with the shortest predicted
/// time first, then the one with the least number of products. With effort `measure`, the search takes longer.
std::vector<ContractionTree> trees_of(const SizedExpression& expression, const TensorAxes& axes, const StepCost& cost,
                                      const PlanOptions& options) {
  const bool is_measured = options.effort == Effort::measure;
  const Network network = network_of(expression, axes, options);
  TreeOptions of_tree = tree_options(options);
  const auto take_time = [&](double share, Seconds otherwise) {
    const Seconds share_of_budget = is_measured ? share * options.time_budget : 0;
    of_tree.search.time_budget = std::max(otherwise, share_of_budget);
    of_tree.search.min_time = std::max(std::min(otherwise, TreeSearchOptions().min_time), share_of_budget);
  };
  constexpr double for_predicted = 0.4, for_counted = 0.1;  // shares of the time budget, within which the machine's time is better used
  constexpr Seconds least_for_counted = 0.005;
  take_time(for_predicted, TreeSearchOptions().time_budget);
  std::vector<ContractionTree> trees = find_trees(network, cost, cost, of_tree);
  if (!is_measured && !trees.front().loops.empty()) {
    trees.resize(1);  // the planned times of blocks can't be compared
    return trees;
  }
  take_time(for_counted, least_for_counted);
  of_tree.search.budget_share = 0;  // a number of products isn't a time
  std::vector<ContractionTree> by_products = find_trees(network, ProductCount(), cost, of_tree);
  if (by_products.front().joins != trees.front().joins) {
    std::move(by_products.begin(), by_products.end(), std::back_inserter(trees));
  }
  return trees;
}

/// A tree whose steps are planned.
struct PlannedTree {
  NetworkPlan network;
  std::vector<Plan> steps;
};

/// Plans the steps. If the tree has no loops, its times become those of the planned steps, which know the layouts of the tensors.
PlannedTree planned(ContractionTree tree, StepPlans& plans) {
  std::vector<Plan> steps;
  NetworkPlan network(std::move(tree), einsum_steps(plans, steps));
  if (network.tree().loops.empty()) {
    std::vector<Seconds> seconds;
    std::transform(steps.begin(), steps.end(), std::back_inserter(seconds), std::mem_fn(&Plan::seconds));
    network.set_seconds(seconds);
  }
  return {std::move(network), std::move(steps)};
}

/// Plans the steps of the trees by estimate, and returns the tree whose steps take the least time together. A later tree has to be clearly
/// faster than an earlier one. Planning ends with the first trees if it takes long: longer than an execution and 0.1 s.
PlannedTree shortest_of(std::vector<ContractionTree> trees, const Machine& machine, PlanOptions options) {
  constexpr Seconds usual_limit = 0.1;
  constexpr double clearly = 0.95;
  const Stopwatch watch;
  options.effort = Effort::estimate;
  StepPlans plans(machine, std::move(options));
  PlannedTree best = planned(std::move(trees.front()), plans);
  for (std::size_t i = 1; i < trees.size() && watch.elapsed() < std::max(usual_limit, best.network.tree().seconds); ++i) {
    PlannedTree other = planned(std::move(trees[i]), plans);
    if (other.network.tree().loops.empty() && other.network.tree().seconds < clearly * best.network.tree().seconds) {
      best = std::move(other);
    }
  }
  return best;
}

/// Returns the plan of D := beta op(C): an expression of one operand with D's axes, to be executed with alpha = 0.
Plan plan_of_addend(const SizedExpression& expression, const EinsumStrides& strides, const PlanOptions& options) {
  Subscripts all;
  for (std::size_t axis = 0; axis < expression.result.labels.size(); ++axis) {
    all.labels.push_back(static_cast<Label>(axis));
  }
  Subscripts result = all;
  result.conjugated = expression.result.conjugated;
  const std::vector<std::int64_t> shape = expression.result_shape();
  EinsumStrides of_addend;
  of_addend.result = strides.result;
  of_addend.addend = strides.addend;
  of_addend.conjugated_addend = strides.conjugated_addend;
  PlanOptions simple;
  simple.precision = options.precision;
  simple.order = options.order;
  return plan_pair(with_shapes(make_expression({all}, result), std::span(&shape, 1)), of_addend, Machine(), simple);
}

std::vector<std::int64_t> strides_of(const std::vector<Axis>& axes) {
  std::vector<std::int64_t> strides;
  std::transform(axes.begin(), axes.end(), std::back_inserter(strides), [](const Axis& axis) { return axis.stride; });
  return strides;
}

/// The plan of three operands and more.
class TreePlan final : public Plan::Implementation {
 public:
  TreePlan(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options)
      : expression_(expression), precision_(options.precision) {
    const Stopwatch watch;
    if (options.tiles) {
      throw bad_input("tiles are for one contraction of two tensors, but expression '{}' has {} operands", to_string(expression.expression),
                      expression.operands.size());
    }
    axes_ = tensor_axes(expression, strides, precision_, options.order);
    tensor_bytes_ = tensor_bytes(axes_, options);
    std::vector<ContractionTree> trees = trees_of(expression, axes_, *cost_of(Executor::planner, machine, options), options);
    if (options.effort == Effort::measure) {
      take_fastest_of(std::move(trees), strides, machine, options, watch);
    } else {
      PlanOptions of_steps = options;
      if (of_steps.effort == Effort::incremental && of_steps.trials == nullptr) {
        of_steps.trials = std::make_shared<TrialMemory>();  // equal steps try candidates together
      }
      PlannedTree chosen = shortest_of(std::move(trees), machine, options);
      if (options.effort != Effort::estimate) {
        StepPlans plans(machine, std::move(of_steps));  // only steps of the chosen tree try candidates
        chosen = planned(chosen.network.tree(), plans);
      }
      network_.emplace(std::move(chosen.network));
      steps_ = std::move(chosen.steps);
    }
    addend_ = plan_of_addend(expression, strides, options);
    const bool has_diagonal = network_->tree().network.output.labels.size() < expression.result.labels.size();
    conjugates_ = is_complex(precision_) && expression.result.conjugated;
    prepares_result_ = has_diagonal;
    prepares_addend_ = has_diagonal || conjugates_ || (is_complex(precision_) && strides.conjugated_addend) ||
                       strides_of(axes_.addend) != strides_of(axes_.result);
  }

  void execute(std::span<const void* const> operands, const void* addend, void* result, Complex alpha, Complex beta) const override {
    check(operands, result, alpha, beta);
    const std::vector<const void*> none = {result};
    if (alpha == 0.0) {
      addend_->execute(none, addend, result, 0.0, beta);
      return;
    }
    const Complex factor = conjugates_ ? std::conj(alpha) : alpha;
    if (beta != 0.0 ? prepares_addend_ || addend != result : prepares_result_) {
      addend_->execute(none, addend, result, 0.0, beta);
      network_->execute(operands, result, factor, 1.0);
    } else {
      network_->execute(operands, result, factor, beta);
    }
  }

  [[nodiscard]] std::string explain() const override {
    std::string text = network_->tree().explain([this](Label label) { return name_of(expression_.expression, label); });
    if (const auto open = std::count_if(steps_.begin(), steps_.end(), std::not_fn(std::mem_fn(&Plan::is_decided))); open > 0) {
      text += fmt::format("{} of {} undecided: further executions try candidates\n", open, counted(steps_.size(), "planned step"));
    }
    return text;
  }
  [[nodiscard]] bool is_decided() const override { return std::all_of(steps_.begin(), steps_.end(), std::mem_fn(&Plan::is_decided)); }
  [[nodiscard]] Seconds seconds() const override { return measured_.value_or(network_->tree().seconds); }
  [[nodiscard]] std::int64_t workspace_bytes() const override { return network_->tree().workspace_bytes; }
  [[nodiscard]] std::int64_t resident_bytes() const override {  // each step keeps its own buffers
    return std::accumulate(steps_.begin(), steps_.end(), tensor_bytes_ + workspace_bytes(),
                           [](std::int64_t sum, const Plan& step) { return sum + step.workspace_bytes(); });
  }
  [[nodiscard]] double flops() const override { return network_->tree().flops; }
  [[nodiscard]] const ContractionTree* tree() const override { return &network_->tree(); }

 private:
  /// Takes the tree that is the fastest with steps planned by estimate, and measures its steps. Takes the first tree if the tensors have no
  /// room. Each step has a share of the time budget by its predicted time, to which the time is added that earlier steps leave. `watch` has
  /// run since planning began.
  void take_fastest_of(std::vector<ContractionTree> trees, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options,
                       const Stopwatch& watch) {
    constexpr double for_trees = 0.5, for_steps = 0.75;  // shares of the time that is left; executions of the taken tree get the rest
    const Seconds end = options.time_budget;
    const auto left_until = [&watch](Seconds limit) { return std::max(0.0, limit - watch.elapsed()); };
    const std::optional<EinsumTensors> tensors = tensors_if_room(strides, options);
    PlanOptions quick = options;
    quick.effort = Effort::estimate;
    StepPlans quick_plans(machine, quick);
    if (tensors && trees.size() > 1) {
      std::vector<Plan> of_all;
      quick.time_budget = for_trees * left_until(end);
      trees = {fastest_of(std::move(trees), einsum_steps(quick_plans, of_all), *tensors, quick).first.tree()};
    }
    const std::vector<Plan> expected = planned(trees.front(), quick_plans).steps;
    const Seconds end_of_steps = end - (1 - for_steps) * left_until(end);
    const auto budget = [&] {
      const auto next = expected.begin() + static_cast<std::ptrdiff_t>(steps_.size());
      const Seconds rest = std::accumulate(next, expected.end(), 0.0, [](Seconds sum, const Plan& step) { return sum + step.seconds(); });
      return std::optional(left_until(end_of_steps) * next->seconds() / rest);
    };
    StepPlans plans(machine, options, budget);
    const PrepareStep prepare = einsum_steps(plans, steps_);
    if (!tensors) {
      network_.emplace(std::move(trees.front()), prepare);
      return;
    }
    quick.time_budget = end - end_of_steps;
    std::pair<NetworkPlan, std::optional<Seconds>> fastest = fastest_of(std::move(trees), prepare, *tensors, quick);
    network_.emplace(std::move(fastest.first));
    measured_ = fastest.second;
  }

  /// Returns random tensors, or nothing if they have no room in memory.
  [[nodiscard]] std::optional<EinsumTensors> tensors_if_room(const EinsumStrides& strides, const PlanOptions& options) const {
    try {
      return EinsumTensors(expression_, strides, options);
    } catch (const Error& error) {
      if (error.code() != ExitCode::environment) {
        throw;
      }
      return std::nullopt;
    }
  }

  void check(std::span<const void* const> operands, const void* result, Complex alpha, Complex beta) const {
    const auto text = [&] { return to_string(expression_.expression); };
    if (operands.size() != axes_.operands.size()) {
      throw bad_input("expression '{}' has {} operands, but {} addresses are given", text(), axes_.operands.size(), operands.size());
    }
    if (!is_complex(precision_) && (alpha.imag() != 0 || beta.imag() != 0)) {
      throw bad_input("expression '{}' of real numbers can't be scaled by a complex alpha or beta", text());
    }
    for (std::size_t i = 0; i < operands.size() && alpha != 0.0; ++i) {
      if (operands[i] != nullptr && result != nullptr &&
          may_share_bytes(axes_.result, result, axes_.operands[i], operands[i], element_bytes(precision_))) {
        throw bad_input("expression '{}': the result overlaps operand {} in memory; the result needs memory of its own", text(), i + 1);
      }
    }
  }

  SizedExpression expression_;
  Precision precision_;
  TensorAxes axes_;
  std::int64_t tensor_bytes_ = 0;  ///< operands and result
  std::vector<Plan> steps_;        ///< the plans of network_
  std::optional<NetworkPlan> network_;
  std::optional<Seconds> measured_;  ///< time of network_, if it was measured
  std::optional<Plan> addend_;       ///< D := beta op(C)
  bool conjugates_ = false;          ///< D is the conjugate of the sum
  bool prepares_result_ = false;     ///< D has elements that get no product
  bool prepares_addend_ = false;     ///< beta op(C) isn't beta D, element by element of the network's output
};

}  // namespace

Plan plan(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options) {
  constexpr std::size_t most_of_a_pair = 2;
  require_number_of_tensors(expression, options);
  return expression.operands.size() <= most_of_a_pair ? plan_pair(expression, strides, machine, options)
                                                      : Plan(std::make_shared<const TreePlan>(expression, strides, machine, options));
}

Plan plan(std::string_view text, std::span<const std::vector<std::int64_t>> shapes, const Machine& machine, const PlanOptions& options) {
  return plan(with_shapes(parse_expression(text), shapes), {}, machine, options);
}

ContractionTree find_tree(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                          const PlanOptions& options) {
  const TensorAxes axes = tensor_axes(expression, strides, options.precision, options.order);
  PlanOptions quick = options;
  quick.effort = Effort::estimate;
  std::vector<ContractionTree> trees = trees_of(expression, axes, *cost_of(Executor::planner, machine, quick), quick);
  const bool has_gemm = machine.find(static_cast<char>(options.precision) + std::string("gemm")) != nullptr;
  const bool has_room = static_cast<double>(tensor_bytes(axes, options)) <= recently_available_bytes();
  if (!has_gemm || !has_room) {
    return std::move(trees.front());
  }
  return shortest_of(std::move(trees), machine, quick).network.tree();
}

ContractionPath find_path(const SizedExpression& expression, const Machine& machine, Executor executor, const PlanOptions& options) {
  const TensorAxes axes = tensor_axes(expression, {}, options.precision, options.order);
  return find_path(network_of(expression, axes, options), *cost_of(executor, machine, options), tree_options(options));
}

}  // namespace flopcast::contract
