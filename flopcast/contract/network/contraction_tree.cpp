#include "flopcast/contract/network/contraction_tree.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "flopcast/contract/network/slicing.hpp"
#include "flopcast/contract/network/step_list.hpp"
#include "flopcast/contract/network/tree_search.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace flopcast::contract {
namespace {

void require_legal(const TreeOptions& options) {
  constexpr std::size_t fewest = 2, most = 16;
  const TreeSearchOptions& search = options.search;
  if (search.max_exhaustive < fewest || search.max_exhaustive > most) {
    throw bad_input("networks of {} operands can't be the largest that are searched through completely; {} to {} is possible",
                    search.max_exhaustive, fewest, most);
  }
  if (!(search.time_budget >= 0) || !(search.budget_share >= 0) || !(search.min_time >= 0)) {
    throw bad_input("a search for a tree can't have a time budget of {} s, or {} of the predicted time, at least {} s; 0 or more is needed",
                    search.time_budget, search.budget_share, search.min_time);
  }
  if (!(options.room_bytes >= 0)) {
    throw bad_input("intermediates can't have {} bytes; 0 or more is needed", options.room_bytes);
  }
}

/// A tree with blocks that fit into the memory.
struct Fitting {
  StepModel model;
  SearchedTree searched;
  Seconds seconds = 0;
};

class Finder {
 public:
  Finder(const Terms& terms, const StepCost& cost, const TreeOptions& options) : options_(options), whole_(terms, cost) {}

  Fitting run() {
    const bool has_limit = std::isfinite(options_.room_bytes);
    const SearchedTree fastest = search(whole_, has_limit ? share_of_first : 1);
    consider(fastest, whole_);
    if (!best_) {
      search_small_intermediates();
      search_with_blocks(fastest);
    }
    if (!best_ && options_.search.cancelled()) {
      throw Cancelled("interrupted; no tree whose intermediates have room was found yet");
    }
    if (!best_) {
      throw bad_input("intermediates of the network need more than {}, even with all labels cut into single elements; allow more bytes",
                      format_bytes(options_.room_bytes));
    }
    return std::move(*best_);
  }

 private:
  /// Searches with a share of the time budget.
  [[nodiscard]] SearchedTree search(const StepModel& model, double share) const {
    TreeSearchOptions options = options_.search;
    options.time_budget *= share;
    const Stopwatch watch;
    return search_tree(model, options, [&] { return watch.elapsed(); });
  }

  /// Keeps a tree if it fits into the memory and is faster than the best one.
  bool consider(const SearchedTree& searched, const StepModel& model) {
    const Schedule schedule = make_schedule(JoinTree(model, searched.joins), model);
    std::vector<std::int64_t> offsets;
    const bool is_better = place(schedule.intermediates, offsets) <= options_.room_bytes && (!best_ || schedule.seconds < best_->seconds);
    if (is_better) {
      best_.emplace(Fitting{model, searched, schedule.seconds});
    }
    return is_better;
  }

  /// Searches for trees none of whose intermediates is too large. The sum of those that exist at once may still be.
  void search_small_intermediates() {
    constexpr double smallest_share = 1.0 / 8;
    for (double share = 1; share >= smallest_share && !best_; share /= 2) {
      StepModel model = whole_;
      model.set_room(share * options_.room_bytes);
      searched_.push_back(search(model, share_of_small));
      consider(searched_.back(), whole_);
    }
  }

  /// Cuts labels of the trees that are known, and searches again for trees that suit these blocks.
  void search_with_blocks(const SearchedTree& fastest) {
    constexpr int max_rounds = 3;
    searched_.insert(searched_.begin(), fastest);
    for (std::size_t i = 0; i < searched_.size(); ++i) {
      SearchedTree searched = searched_[i];
      for (int round = 0; round < max_rounds; ++round) {
        std::optional<StepModel> blocks = fitting_blocks(JoinTree(whole_, searched.joins));
        if (!blocks || !consider(searched, *blocks)) {
          break;
        }
        StepModel limited = *blocks;
        limited.set_room(options_.room_bytes);
        searched = search(limited, share_with_blocks);
        consider(searched, *blocks);
      }
    }
  }

  /// Returns blocks with which the tree's intermediates can be placed in the allowed memory.
  [[nodiscard]] std::optional<StepModel> fitting_blocks(const JoinTree& tree) const {
    constexpr int max_tries = 4;
    double room_bytes = options_.room_bytes;
    for (int i = 0; i < max_tries; ++i) {
      std::optional<StepModel> blocks = cut_to_fit(tree, whole_, room_bytes, options_.search.cancelled);
      if (!blocks) {
        return std::nullopt;
      }
      std::vector<std::int64_t> offsets;
      const double placed = place(make_schedule(tree, *blocks).intermediates, offsets);
      if (placed <= options_.room_bytes) {
        return blocks;
      }
      room_bytes *= options_.room_bytes / placed;
    }
    return std::nullopt;
  }

  static constexpr double share_of_first = 0.6, share_of_small = 0.1, share_with_blocks = 0.05;

  const TreeOptions& options_;
  StepModel whole_;
  std::vector<SearchedTree> searched_;
  std::optional<Fitting> best_;
};

/// Writes a tree with its layouts.
class Writer {
 public:
  Writer(const StepModel& model, const Schedule& schedule, const StepList& list, ContractionTree& tree)
      : model_(model), schedule_(schedule), list_(list), tree_(tree) {}

  void write() {
    for (const ListedTensor& tensor : list_.tensors) {
      TreeTensor written;
      for (std::size_t i = tensor.layout.axes.size(); i-- > 0;) {
        written.labels.push_back(name(tensor.layout.axes[i].label));
        written.strides.push_back(tensor.layout.axes[i].stride);
      }
      tree_.tensors.push_back(std::move(written));
    }
    for (const ListedStep& step : list_.steps) {
      write(step);
    }
    write_program();
    write_workspace();
  }

 private:
  [[nodiscard]] Label name(int label) const { return model_.terms().names[static_cast<std::size_t>(label)]; }

  [[nodiscard]] TreeUse use_of(const ListedUse& use) const {
    TreeUse written{use.tensor, {}};
    const TensorLayout layout = layout_of(list_, use);
    for (std::size_t i = layout.axes.size(); i-- > 0;) {
      written.labels.push_back(name(layout.axes[i].label));
    }
    return written;
  }

  void write(const ListedStep& listed) {
    const bool is_complex_step = is_complex(model_.terms().precision);
    const Labels result = labels_of_result(list_, listed);
    TreeStep step;
    step.a = use_of(listed.a);
    step.result = listed.result;
    step.executions = listed.executions;
    Labels a = listed.a.labels, b = listed.b.labels;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    double elements = model_.elements(a) + model_.elements(result);
    step.flops = (is_complex_step ? 2 : 1) * model_.elements(a);
    if (listed.b.tensor >= 0) {
      step.b = use_of(listed.b);
      elements += model_.elements(b);
      step.flops = (is_complex_step ? 8 : 2) * model_.elements(either(a, b));
    }
    step.flops *= step.executions;
    step.bytes = step.executions * elements * static_cast<double>(element_bytes(model_.terms().precision));
    step.seconds = step.executions * seconds_of(list_, listed, model_);
    tree_.flops += step.flops;
    tree_.bytes += step.bytes;
    tree_.seconds += step.seconds;
    tree_.steps.push_back(std::move(step));
  }

  void write_program() {
    std::map<int, int> loop_of, step_of;
    for (std::size_t i = 0; i < list_.steps.size(); ++i) {
      step_of[list_.steps[i].node] = static_cast<int>(i);
    }
    for (const ScheduleAction& action : schedule_.actions) {
      if (action.kind == ActionKind::step) {
        tree_.program.push_back({ActionKind::step, step_of.at(action.number)});
        continue;
      }
      const auto [loop, is_new] = loop_of.emplace(action.number, static_cast<int>(tree_.loops.size()));
      if (is_new) {
        const auto label = static_cast<std::size_t>(action.number);
        tree_.loops.push_back({name(action.number), model_.terms().extents[label], model_.lengths()[label]});
      }
      const bool begins = action.kind == ActionKind::begin;
      tree_.program.push_back({begins ? ActionKind::begin : ActionKind::end, loop->second});
    }
  }

  void write_workspace() {
    std::vector<std::int64_t> offsets;
    const double bytes = place(schedule_.intermediates, offsets);
    constexpr double most = 4e18;
    if (bytes > most) {
      throw bad_input("the intermediates of the network's fastest tree have {:.3g} bytes, more than 62 bits can address; limit their bytes",
                      bytes);
    }
    tree_.workspace_bytes = static_cast<std::int64_t>(bytes);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const LifeTime& life = schedule_.intermediates[i];
      TreeTensor& tensor = tree_.tensors[static_cast<std::size_t>(list_.tensor_of[static_cast<std::size_t>(life.node)])];
      tensor.bytes = static_cast<std::int64_t>(life.bytes);
      tensor.offset_bytes = offsets[i];
    }
  }

  const StepModel& model_;
  const Schedule& schedule_;
  const StepList& list_;
  ContractionTree& tree_;
};

/// Returns the labels of a use in the order that the network's operand or output has; those of an intermediate are unchanged.
std::vector<Label> in_order(const ContractionTree& tree, int tensor, const std::vector<Label>& labels) {
  if (tree.is_intermediate(tensor)) {
    return labels;
  }
  const auto number = static_cast<std::size_t>(tensor);
  const std::vector<Label>& order =
      number < tree.network.operands.size() ? tree.network.operands[number].labels : tree.network.output.labels;
  const std::vector<Label>& known = tree.tensors[number].labels;
  std::vector<Label> ordered;
  for (const Label label : order) {
    const auto found = static_cast<std::size_t>(std::find(known.begin(), known.end(), label) - known.begin());
    if (found < labels.size() && std::find(ordered.begin(), ordered.end(), labels[found]) == ordered.end()) {
      ordered.push_back(labels[found]);
    }
  }
  return ordered;
}

/// Returns joins of `operands` tensors as pairs of positions in a list from which the pair is removed, and to which its product is appended.
std::vector<std::vector<int>> pairs_of(const std::vector<Join>& joins, std::size_t operands) {
  std::vector<int> remaining(operands);  // numbers as in joins
  std::iota(remaining.begin(), remaining.end(), 0);
  std::vector<std::vector<int>> all;
  if (joins.empty()) {
    all.push_back({0});
  }
  for (std::size_t i = 0; i < joins.size(); ++i) {
    const auto position = [&](int number) {
      return static_cast<int>(std::find(remaining.begin(), remaining.end(), number) - remaining.begin());
    };
    std::vector<int> pair = {position(joins[i].left), position(joins[i].right)};
    std::sort(pair.begin(), pair.end());
    for (const int at : {pair[1], pair[0]}) {
      remaining.erase(remaining.begin() + at);
    }
    remaining.push_back(static_cast<int>(operands + i));
    all.push_back(std::move(pair));
  }
  return all;
}

bool have_equal_layouts(const StepList& x, const StepList& y) {
  return std::equal(x.tensors.begin(), x.tensors.end(), y.tensors.begin(),
                    [](const ListedTensor& one, const ListedTensor& other) { return one.layout == other.layout; });
}

/// Finds the steps of a network once, and writes them with various layouts of the intermediates.
class FoundSteps {
 public:
  FoundSteps(const Network& network, const StepCost& cost, const TreeOptions& options)
      : whole_(completed(network)), terms_(terms_of(whole_)), fitting_(Finder(terms_, cost, options).run()) {}

  [[nodiscard]] const std::vector<Join>& joins() const { return fitting_.searched.joins; }
  [[nodiscard]] std::size_t operands() const { return whole_.operands.size(); }
  [[nodiscard]] Seconds seconds() const { return fitting_.seconds; }

  /// Returns one tree for each way of choosing layouts; those that come out alike only once. `cost` predicts the written times.
  [[nodiscard]] std::vector<ContractionTree> trees(const StepCost& cost,
                                                   const std::vector<std::function<void(StepList&, const StepModel&)>>& ways) const {
    const StepModel model(cost, fitting_.model);
    const JoinTree joined(model, joins());
    const Schedule schedule = make_schedule(joined, model);
    const StepList list = list_steps(joined, model, schedule);
    std::vector<StepList> lists;
    std::vector<ContractionTree> trees;
    for (const auto& choose : ways) {
      StepList laid_out = list;
      choose(laid_out, model);
      if (std::any_of(lists.begin(), lists.end(), [&](const StepList& earlier) { return have_equal_layouts(earlier, laid_out); })) {
        continue;
      }
      lists.push_back(std::move(laid_out));
      ContractionTree& tree = trees.emplace_back();
      tree.network = whole_;
      Writer(model, schedule, lists.back(), tree).write();
      tree.joins = joins();
      tree.is_exhaustive = fitting_.searched.is_exhaustive && tree.loops.empty();
      tree.trials = fitting_.searched.trials;
    }
    return trees;
  }

 private:
  Network whole_;
  Terms terms_;
  Fitting fitting_;
};

}  // namespace

ContractionTree find_tree(const Network& network, const StepCost& cost, const TreeOptions& options) {
  require_legal(options);
  return std::move(FoundSteps(network, cost, options).trees(cost, {choose_layouts}).front());
}

std::vector<ContractionTree> find_trees(const Network& network, const StepCost& order_cost, const StepCost& cost,
                                        const TreeOptions& options) {
  require_legal(options);
  const auto plain = [](bool turned) {
    return [turned](StepList& list, const StepModel& model) { take_plain_layouts(list, model, turned); };
  };
  return FoundSteps(network, order_cost, options).trees(cost, {choose_layouts, plain(false), plain(true)});
}

ContractionPath find_path(const Network& network, const StepCost& cost, const TreeOptions& options) {
  require_legal(options);
  const FoundSteps found(network, cost, options);
  return {pairs_of(found.joins(), found.operands()), found.seconds()};
}

bool ContractionTree::is_intermediate(int tensor) const {
  return tensor >= static_cast<int>(network.operands.size()) && tensor + 1 < static_cast<int>(tensors.size());
}

std::vector<std::vector<int>> ContractionTree::path() const { return pairs_of(joins, network.operands.size()); }

std::string usual_label_name(Label label) {
  const bool is_letter = (label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z');
  return is_letter ? std::string(1, static_cast<char>(label)) : fmt::format("{}", label);
}

std::string ContractionTree::text_of(const TreeStep& step, const LabelName& name) const {
  const auto text = [&](int tensor, const std::vector<Label>& labels) {
    const std::vector<Label> ordered = in_order(*this, tensor, labels);
    std::vector<std::string> names;
    std::transform(ordered.begin(), ordered.end(), std::back_inserter(names), name);
    const bool are_letters = std::all_of(names.begin(), names.end(), [](const std::string& one) { return one.size() == 1; });
    const bool is_output = tensor + 1 == static_cast<int>(tensors.size());
    const auto operands = static_cast<int>(network.operands.size());
    const std::string base = is_output           ? "output"
                             : tensor < operands ? fmt::format("operand{}", tensor + 1)
                                                 : fmt::format("t{}", tensor - operands + 1);
    return fmt::format("{}[{}]", base, fmt::join(names, are_letters ? "" : " "));
  };
  return text(step.result, tensors[static_cast<std::size_t>(step.result)].labels) + " := " + text(step.a.tensor, step.a.labels) +
         (step.b.tensor >= 0 ? " " + text(step.b.tensor, step.b.labels) : "");
}

std::string ContractionTree::explain(const LabelName& name) const {
  std::vector<std::string> products;
  for (const TreeStep& step : steps) {
    products.push_back(text_of(step, name));
  }
  std::size_t width = std::string("step").size();
  for (const std::string& product : products) {
    width = std::max(width, product.size());
  }
  const auto line = [&](const std::string& first, const std::string& times, double step_flops, double step_bytes, Seconds step_seconds) {
    return fmt::format("{:<{}}  {:>10}  {:>9.3g}  {:>10}  {:>10}\n", first, width, times, step_flops, format_bytes(step_bytes),
                       format_seconds(step_seconds));
  };
  std::string text = fmt::format("{:<{}}  {:>10}  {:>9}  {:>10}  {:>10}\n", "step", width, "executions", "flops", "moved", "predicted");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += line(products[i], fmt::format("{:.6g}", steps[i].executions), steps[i].flops, steps[i].bytes, steps[i].seconds);
  }
  text += line("all", "", flops, bytes, seconds);
  for (const TreeLoop& loop : loops) {
    text += fmt::format(
        "{} is cut into {} of at most {} elements\n", name(loop.label),
        counted(static_cast<std::uint64_t>(std::ceil(static_cast<double>(loop.extent) / static_cast<double>(loop.length))), "block"),
        loop.length);
  }
  text += fmt::format("intermediates take {}\n", format_bytes(static_cast<double>(workspace_bytes)));
  return text;
}

}  // namespace flopcast::contract
