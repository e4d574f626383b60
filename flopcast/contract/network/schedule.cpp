#include "flopcast/contract/network/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

class Scheduler {
 public:
  Scheduler(const JoinTree& tree, const StepModel& model)
      : tree_(tree), model_(model), made_(tree.nodes().size(), false), needed_(tree.nodes().size(), 0), loops_at_(tree.nodes().size()) {
    result_.executions.assign(tree.nodes().size(), 0);
    result_.shared = find_shared_products(tree, model);
    start_of_.assign(tree.nodes().size(), 0);
    uses_.resize(tree.nodes().size());
    for (std::size_t label = 0; label < model.terms().extents.size(); ++label) {
      if (model.is_cut(static_cast<int>(label))) {
        loops_at_[static_cast<std::size_t>(node_of_loop(static_cast<int>(label)))].push_back(static_cast<int>(label));
      }
    }
    find_needed(tree.root());
  }

  Schedule run() {
    produce(tree_.root());
    find_life_times();
    find_peak();
    return std::move(result_);
  }

 private:
  /// A loop that is open, or was.
  struct BlockLoop {
    std::size_t begin = 0, end = 0;
  };
  struct Use {
    std::size_t action = 0;
    std::vector<std::size_t> loops;  // numbers of the open loops, the outermost first
  };

  [[nodiscard]] const JoinTree::JoinNode& node(int number) const { return tree_.node(number); }
  [[nodiscard]] int first(int number) const { return result_.shared.first[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool has_step(int number) const {
    return !node(number).is_leaf() || number == tree_.root() || !model_.terms().terms[static_cast<std::size_t>(number)].summed.empty();
  }

  /// Returns the node that sums over a label, or the root.
  [[nodiscard]] int node_of_loop(int label) const {
    int number = 0;
    while (!has_label(node(number).labels, label)) {
      ++number;
    }
    while (number != tree_.root() && has_label(node(number).labels, label)) {
      number = node(number).parent;
    }
    return number;
  }

  /// Computes the bytes that making each product needs: the product itself, or more on the way.
  void find_needed(int number) {
    double& needed = needed_[static_cast<std::size_t>(number)];
    if (node(number).is_leaf()) {
      needed = size_of(number);
      return;
    }
    find_needed(node(number).left);
    find_needed(node(number).right);
    const auto [early, late] = parts_of(number);
    const auto needed_by = [&](int part) { return needed_[static_cast<std::size_t>(part)]; };
    needed = std::max({needed_by(early), size_of(early) + needed_by(late), size_of(early) + size_of(late) + size_of(number)});
  }

  /// Returns the parts of a step in the order in which they are made.
  [[nodiscard]] std::pair<int, int> parts_of(int number) const {
    const int left = node(number).left, right = node(number).right;
    const auto beside = [&](int part) { return needed_[static_cast<std::size_t>(part)] - size_of(part); };
    return beside(right) > beside(left) ? std::pair{right, left} : std::pair{left, right};
  }

  /// Returns the bytes of a node's buffer; 0 for operands and the output.
  [[nodiscard]] double size_of(int number) const {
    return has_step(number) && number != tree_.root() ? model_.bytes(node(number).labels) : 0;
  }

  void produce(int number) {
    number = first(number);
    if (made_[static_cast<std::size_t>(number)] || !has_step(number)) {
      return;
    }
    open_loops(number, 0);
    made_[static_cast<std::size_t>(number)] = true;
  }

  /// Opens the loops of a node from number `from` on, with everything before each loop that needn't be inside.
  void open_loops(int number, std::size_t from) {
    const std::vector<int>& loops = loops_at_[static_cast<std::size_t>(number)];
    if (from == loops.size()) {
      if (!node(number).is_leaf()) {
        const auto [early, late] = parts_of(number);
        produce(early);
        produce(late);
      }
      do_step(number);
      return;
    }
    for (const int part : {parts_of(number).first, parts_of(number).second}) {
      produce_before(part, {loops.begin() + static_cast<std::ptrdiff_t>(from), loops.end()});
    }
    if (from == 0) {
      start_of_[static_cast<std::size_t>(number)] = result_.actions.size();
    }
    const std::size_t loop = loops_.size();
    loops_.push_back({result_.actions.size(), 0});
    open_.push_back(loop);
    result_.actions.push_back({ActionKind::begin, loops[from]});
    repetitions_ *= model_.blocks(loops[from]);
    open_loops(number, from + 1);
    repetitions_ /= model_.blocks(loops[from]);
    loops_[loop].end = result_.actions.size();
    open_.pop_back();
    result_.actions.push_back({ActionKind::end, loops[from]});
  }

  /// Makes `number`, or those products below it that don't depend on `loops`, which are about to begin, or on loops that begin in between.
  void produce_before(int number, Labels loops) {
    if (made_[static_cast<std::size_t>(first(number))]) {
      return;
    }
    const auto depends = [&](int label) { return has_label(node(number).labels, label); };
    if (std::none_of(loops.begin(), loops.end(), depends)) {
      produce(number);
    } else if (!node(number).is_leaf()) {
      const std::vector<int>& own = loops_at_[static_cast<std::size_t>(number)];
      loops.insert(loops.end(), own.begin(), own.end());
      const auto [early, late] = parts_of(number);
      produce_before(early, loops);
      produce_before(late, loops);
    }
  }

  void do_step(int number) {
    const auto use = [&](int part) { uses_[static_cast<std::size_t>(first(part))].push_back({result_.actions.size(), open_}); };
    Seconds seconds = 0;
    if (node(number).is_leaf()) {
      seconds = model_.cost().seconds(model_.shape(model_.terms().terms[static_cast<std::size_t>(number)].layout, node(number).labels));
    } else {
      use(node(number).left);
      use(node(number).right);
      seconds =
          model_.cost().seconds(model_.shape(tree_.tensor(node(number).left), tree_.tensor(node(number).right), tree_.tensor(number)));
    }
    if (loops_at_[static_cast<std::size_t>(number)].empty()) {
      start_of_[static_cast<std::size_t>(number)] = result_.actions.size();
    }
    result_.executions[static_cast<std::size_t>(number)] = repetitions_;
    result_.seconds += repetitions_ * seconds;
    result_.actions.push_back({ActionKind::step, number});
  }

  void find_life_times() {
    for (std::size_t i = 0; i < tree_.nodes().size(); ++i) {
      if (result_.executions[i] == 0 || static_cast<int>(i) == tree_.root()) {
        continue;
      }
      const std::size_t begin = start_of_[i];
      std::size_t end = begin;
      for (const Use& use : uses_[i]) {
        const auto outer = std::find_if(use.loops.begin(), use.loops.end(), [&](std::size_t loop) { return loops_[loop].begin > begin; });
        end = std::max(end, outer == use.loops.end() ? use.action : loops_[*outer].end);
      }
      result_.intermediates.push_back({static_cast<int>(i), begin, end, model_.bytes(tree_.nodes()[i].labels)});
    }
  }

  void find_peak() {
    std::vector<double> change(result_.actions.size() + 1, 0);
    for (const LifeTime& life : result_.intermediates) {
      change[life.begin] += life.bytes;
      change[life.end + 1] -= life.bytes;
    }
    double bytes = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      bytes += change[i];
      if (bytes > result_.peak_bytes) {
        result_.peak_bytes = bytes;
        result_.peak = i;
      }
    }
  }

  const JoinTree& tree_;
  const StepModel& model_;
  std::vector<bool> made_;
  std::vector<double> needed_;
  std::vector<std::vector<int>> loops_at_;  // index: node
  std::vector<std::size_t> start_of_;       // index: node
  std::vector<std::vector<Use>> uses_;      // index: node
  std::vector<BlockLoop> loops_;
  std::vector<std::size_t> open_;  // numbers of loops
  double repetitions_ = 1;
  Schedule result_;
};

}  // namespace

Schedule make_schedule(const JoinTree& tree, const StepModel& model) { return Scheduler(tree, model).run(); }

double place(const std::vector<LifeTime>& buffers, std::vector<std::int64_t>& offsets) {
  const auto size_of = [](const LifeTime& buffer) { return std::ceil(buffer.bytes / cache_line_bytes) * cache_line_bytes; };
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return buffers[x].bytes > buffers[y].bytes; });
  offsets.assign(buffers.size(), 0);
  std::vector<std::size_t> placed;  // by rising offsets
  double workspace = 0;
  for (const std::size_t i : order) {
    double at = 0;
    for (const std::size_t other : placed) {
      const bool meet = buffers[i].begin <= buffers[other].end && buffers[other].begin <= buffers[i].end;
      const auto begin = static_cast<double>(offsets[other]);
      if (meet && at + size_of(buffers[i]) > begin) {
        at = std::max(at, begin + size_of(buffers[other]));
      }
    }
    offsets[i] = static_cast<std::int64_t>(at);
    workspace = std::max(workspace, at + size_of(buffers[i]));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i, [&](std::size_t x, std::size_t y) { return offsets[x] < offsets[y]; }),
                  i);
  }
  return workspace;
}

}  // namespace flopcast::contract
