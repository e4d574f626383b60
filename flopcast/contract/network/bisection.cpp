#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "flopcast/contract/network/tree_search.hpp"

namespace flopcast::contract {
namespace {

/// Cuts tensors into two parts with a light cut. The weight of a label is the logarithm of its length. Tensors are moved one by one, the
/// best first, and the best of all cuts on the way is kept (Fiduccia and Mattheyses, 1982).
class Bisection {
 public:
  Bisection(const StepModel& model, const std::vector<int>& terms, Dice& dice)
      : terms_(terms), dice_(dice), is_right_(terms.size(), false) {
    std::map<int, std::vector<std::size_t>> users;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const int label : model.terms().terms[static_cast<std::size_t>(terms[i])].labels) {
        users[label].push_back(i);
      }
    }
    edges_of_.resize(terms.size());
    for (auto& [label, of_label] : users) {
      if (of_label.size() > 1) {
        for (const std::size_t i : of_label) {
          edges_of_[i].push_back(edges_.size());
        }
        edges_.push_back({std::log2(std::max(1.0, model.length(label))), std::move(of_label), 0});
      }
    }
  }

  /// Returns the two parts, none of them empty.
  std::pair<std::vector<int>, std::vector<int>> run() {
    constexpr double least_share = 0.1, more_share = 0.35;
    const double share = least_share + more_share * dice_.fraction();
    min_part_ = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(terms_.size())));
    grow_a_part();
    while (improve()) {
    }
    std::pair<std::vector<int>, std::vector<int>> parts;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      (is_right_[i] ? parts.second : parts.first).push_back(terms_[i]);
    }
    return parts;
  }

 private:
  struct Edge {
    double weight = 0;
    std::vector<std::size_t> users;
    std::size_t right = 0;  // users in the right part
  };

  /// Returns by how much the cut becomes lighter if a tensor changes its part.
  [[nodiscard]] double gain(std::size_t i) const {
    double gain = 0;
    for (const std::size_t number : edges_of_[i]) {
      const Edge& edge = edges_[number];
      const std::size_t beside = (is_right_[i] ? edge.right : edge.users.size() - edge.right) - 1;
      const std::size_t across = edge.users.size() - 1 - beside;
      gain += (across > 0 && beside == 0 ? edge.weight : 0) - (across == 0 ? edge.weight : 0);
    }
    return gain;
  }

  void move(std::size_t i) {
    for (const std::size_t number : edges_of_[i]) {
      edges_[number].right += is_right_[i] ? std::size_t(-1) : 1;
    }
    right_ += is_right_[i] ? std::size_t(-1) : 1;
    is_right_[i] = !is_right_[i];
  }

  /// Moves a random tensor and those that fit best to it into the right part.
  void grow_a_part() {
    move(dice_.below(terms_.size()));
    while (right_ < terms_.size() / 2) {
      std::size_t best = terms_.size();
      double best_gain = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (const double of_i = is_right_[i] ? -std::numeric_limits<double>::infinity() : gain(i); of_i > best_gain) {
          best = i;
          best_gain = of_i;
        }
      }
      move(best);
    }
  }

  [[nodiscard]] bool may_move(std::size_t i) const {
    const std::size_t part = is_right_[i] ? right_ : terms_.size() - right_;
    return part > min_part_;
  }

  /// Moves every tensor at most once and goes back to the lightest cut. Returns whether the cut became lighter.
  bool improve() {
    constexpr double clearly = 1e-9;
    std::vector<bool> moved(terms_.size(), false);
    std::vector<std::size_t> order;
    double change = 0, best_change = 0;
    std::size_t kept = 0;
    while (true) {
      std::size_t best = terms_.size();
      double best_gain = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (const double of_i = moved[i] || !may_move(i) ? -std::numeric_limits<double>::infinity() : gain(i); of_i > best_gain) {
          best = i;
          best_gain = of_i;
        }
      }
      if (best == terms_.size()) {
        break;
      }
      move(best);
      moved[best] = true;
      order.push_back(best);
      change += best_gain;
      if (change > best_change + clearly) {
        best_change = change;
        kept = order.size();
      }
    }
    while (order.size() > kept) {
      move(order.back());
      order.pop_back();
    }
    return kept > 0;
  }

  const std::vector<int>& terms_;
  Dice& dice_;
  std::vector<bool> is_right_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;  // index: position in terms_
  std::size_t right_ = 0, min_part_ = 1;
};

/// Joins parts of a network from the outside in.
class Splitter {
 public:
  Splitter(const StepModel& model, std::size_t max_tensors, Dice& dice)
      : model_(model), max_tensors_(std::max<std::size_t>(1, max_tensors)), dice_(dice) {}

  std::vector<Join> run() {
    std::vector<int> all;
    for (std::size_t i = 0; i < model_.terms().size(); ++i) {
      all.push_back(static_cast<int>(i));
    }
    join(all);
    return std::move(joins_);
  }

 private:
  int add(int left, int right) {
    joins_.push_back({left, right});
    return static_cast<int>(model_.terms().size() + joins_.size() - 1);
  }

  int join(const std::vector<int>& terms) {
    if (terms.size() == 1) {
      return terms.front();
    }
    if (terms.size() <= max_tensors_ || terms.size() == 2) {
      if (const std::optional<int> product = join_in_fastest_order(terms)) {
        return *product;
      }
    }
    const auto [left, right] = Bisection(model_, terms, dice_).run();
    const int of_left = join(left);
    return add(of_left, join(right));
  }

  std::optional<int> join_in_fastest_order(const std::vector<int>& terms) {
    std::vector<StepTensor> tensors;
    for (const int number : terms) {
      const NetworkTerm& term = model_.terms().terms[static_cast<std::size_t>(number)];
      tensors.push_back({&term.labels, term.fixed_layout()});
    }
    const Labels output = labels_of_product(model_.terms(), terms);
    const bool is_all = terms.size() == model_.terms().size() && !model_.terms().is_part;
    const std::optional<SubNetwork> sub = SubNetwork::make(model_, tensors, {&output, nullptr}, is_all);
    JoinOrder order;
    SubsetSearchBounds bounds;
    bounds.below = std::numeric_limits<Seconds>::infinity();
    bounds.max_pairs = std::numeric_limits<std::int64_t>::max();
    if (!sub || search_all_subsets(*sub, bounds, order) != SearchEnd::found) {
      return std::nullopt;
    }
    std::vector<int> number = terms;
    for (const Join& one : order.joins) {
      number.push_back(add(number[static_cast<std::size_t>(one.left)], number[static_cast<std::size_t>(one.right)]));
    }
    return number.back();
  }

  const StepModel& model_;
  std::size_t max_tensors_;
  Dice& dice_;
  std::vector<Join> joins_;
};

}  // namespace

std::vector<Join> order_by_bisection(const StepModel& model, std::size_t max_tensors, Dice& dice) {
  return Splitter(model, max_tensors, dice).run();
}

}  // namespace flopcast::contract
