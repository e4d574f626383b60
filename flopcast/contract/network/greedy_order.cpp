#include "flopcast/contract/network/tree_search.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace flopcast::contract {
namespace {

class Greedy {
 public:
  Greedy(const StepModel& model, const GreedyOptions& options, Dice& dice)
      : model_(model), options_(options), dice_(dice), users_(model.terms().extents.size()), in_output_(users_.size(), false) {
    for (const int label : model.terms().output) {
      in_output_[static_cast<std::size_t>(label)] = true;
    }
    for (const NetworkTerm& term : model.terms().terms) {
      add_tensor(term.labels);
    }
  }

  std::vector<Join> run() {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      for (const int other : partners_of(static_cast<int>(i))) {
        if (static_cast<std::size_t>(other) < i) {
          add_pair(other, static_cast<int>(i));
        }
      }
    }
    while (!pairs_.empty()) {
      const auto [score, number, left, right] = pairs_.top();
      pairs_.pop();
      if (is_there(left) && is_there(right)) {
        join(left, right);
      }
    }
    join_the_rest();
    return std::move(joins_);
  }

 private:
  using Pair = std::tuple<double, int, int, int>;  // score, a number that makes pairs distinct, and the pair

  [[nodiscard]] const Labels& labels(int tensor) const { return tensors_[static_cast<std::size_t>(tensor)]; }
  [[nodiscard]] bool is_there(int tensor) const { return there_[static_cast<std::size_t>(tensor)]; }

  void add_tensor(Labels labels) {
    for (const int label : labels) {
      users_[static_cast<std::size_t>(label)].insert(static_cast<int>(tensors_.size()));
    }
    tensors_.push_back(std::move(labels));
    there_.push_back(true);
  }

  /// Returns the tensors that share a label. Labels of very many tensors don't count.
  [[nodiscard]] std::set<int> partners_of(int tensor) const {
    constexpr std::size_t many = 32;
    std::set<int> partners;
    for (const int label : labels(tensor)) {
      const std::set<int>& users = users_[static_cast<std::size_t>(label)];
      if (users.size() <= many) {
        partners.insert(users.begin(), users.end());
      }
    }
    partners.erase(tensor);
    return partners;
  }

  [[nodiscard]] Labels product_of(int left, int right) const {
    Labels kept = either(labels(left), labels(right));
    std::erase_if(kept, [&](int label) {
      const auto i = static_cast<std::size_t>(label);
      const std::size_t inside = users_[i].count(left) + users_[i].count(right);
      return !in_output_[i] && users_[i].size() == inside;
    });
    return kept;
  }

  [[nodiscard]] double score_of(int left, int right) {
    const Labels product = product_of(left, right);
    double score = 0;
    if (options_.by_time) {
      const Seconds seconds = model_.seconds({&labels(left), nullptr}, {&labels(right), nullptr}, {&product, nullptr}, false);
      score = std::log2(seconds + 1e-15);
    } else {
      const double grown =
          model_.elements(product) - options_.weight_of_parts * (model_.elements(labels(left)) + model_.elements(labels(right)));
      score = std::copysign(std::log2(1 + std::abs(grown)), grown);
    }
    return options_.temperature > 0 ? score + options_.temperature * std::log(-std::log(dice_.fraction())) : score;
  }

  void add_pair(int left, int right) { pairs_.emplace(score_of(left, right), number_++, left, right); }

  void join(int left, int right) {
    Labels product = product_of(left, right);
    for (const int tensor : {left, right}) {
      there_[static_cast<std::size_t>(tensor)] = false;
      for (const int label : labels(tensor)) {
        users_[static_cast<std::size_t>(label)].erase(tensor);
      }
    }
    joins_.push_back({left, right});
    add_tensor(std::move(product));
    const int latest = static_cast<int>(tensors_.size()) - 1;
    for (const int other : partners_of(latest)) {
      add_pair(other, latest);
    }
  }

  /// Joins the two smallest tensors until one is left.
  void join_the_rest() {
    std::set<std::pair<double, int>> rest;  // elements, tensor
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (there_[i]) {
        rest.emplace(model_.elements(tensors_[i]), static_cast<int>(i));
      }
    }
    while (rest.size() > 1) {
      const int left = rest.begin()->second, right = std::next(rest.begin())->second;
      rest.erase(rest.begin(), std::next(rest.begin(), 2));
      join(left, right);
      rest.emplace(model_.elements(tensors_.back()), static_cast<int>(tensors_.size()) - 1);
    }
  }

  const StepModel& model_;
  const GreedyOptions& options_;
  Dice& dice_;
  std::vector<std::set<int>> users_;  // index: label
  std::vector<bool> in_output_;       // index: label
  std::vector<Labels> tensors_;
  std::vector<bool> there_;
  std::vector<Join> joins_;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
  int number_ = 0;
};

}  // namespace

std::vector<Join> greedy_order(const StepModel& model, const GreedyOptions& options, Dice& dice) {
  return Greedy(model, options, dice).run();
}

}  // namespace flopcast::contract
