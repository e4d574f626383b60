#include "flopcast/contract/network/tree_search.hpp"

#include <bit>
#include <limits>
#include <unordered_map>

namespace flopcast::contract {
namespace {

using Subset = std::uint64_t;
constexpr Seconds never = std::numeric_limits<Seconds>::infinity();

Subset only(std::size_t term) { return Subset{1} << term; }
std::size_t first_of(Subset subset) { return static_cast<std::size_t>(std::countr_zero(subset)); }
bool is_single(Subset subset) { return (subset & (subset - 1)) == 0; }

/// The best known way to make the product of a subset.
struct BestSplit {
  Seconds seconds = never;
  Subset left = 0;  ///< subset whose product is multiplied by that of the others; 0 for a single tensor
  LabelSet labels;  ///< labels of the product
};

/// Polls the bounds of a search.
class WorkMeter {
 public:
  explicit WorkMeter(const SubsetSearchBounds& bounds) : bounds_(bounds) {}
  /// Counts a pair. Returns false once the search has to give up.
  bool next() {
    constexpr std::int64_t period = 4096;
    ++pairs_;
    has_stopped_ = has_stopped_ || pairs_ > bounds_.max_pairs || (pairs_ % period == 0 && bounds_.stops());
    return !has_stopped_;
  }
  [[nodiscard]] bool has_stopped() const { return has_stopped_; }

 private:
  const SubsetSearchBounds& bounds_;
  std::int64_t pairs_ = 0;
  bool has_stopped_ = false;
};

/// Appends the joins that make the product of `subset`. Returns the number of the product.
template <class BestOf>
int append_joins(Subset subset, const BestOf& best_of, std::size_t terms, std::vector<Join>& joins) {
  if (is_single(subset)) {
    return static_cast<int>(first_of(subset));
  }
  const Subset left = best_of(subset).left;
  const int of_left = append_joins(left, best_of, terms, joins);
  const int of_right = append_joins(subset ^ left, best_of, terms, joins);
  joins.push_back({of_left, of_right});
  return static_cast<int>(terms + joins.size() - 1);
}

template <class BestOf>
SearchEnd finish(Subset all, const BestOf& best_of, std::size_t terms, JoinOrder& order) {
  const BestSplit& whole = best_of(all);
  if (whole.seconds == never) {
    return SearchEnd::nothing;
  }
  order.seconds = whole.seconds;
  order.joins.clear();
  append_joins(all, best_of, terms, order.joins);
  return SearchEnd::found;
}

/// Tries to make `x` + `y` of the products `of_x` and `of_y`, and keeps a faster way in `best`.
void try_pair(const SubNetwork& network, Subset x, const BestSplit& of_x, Subset y, const BestSplit& of_y, bool is_all, Seconds below,
              BestSplit& best) {
  const Seconds before = of_x.seconds + of_y.seconds, limit = std::min(below, best.seconds);
  if (before >= limit) {
    return;
  }
  const auto layout_of = [&](Subset subset) { return is_single(subset) ? network.layout(first_of(subset)) : nullptr; };
  const Seconds step = network.seconds({of_x.labels, layout_of(x)}, {of_y.labels, layout_of(y)},
                                       {best.labels, is_all ? network.output_layout() : nullptr}, is_all, limit - before);
  if (before + step < limit) {
    best.seconds = before + step;
    best.left = x;
  }
}

}  // namespace

SearchEnd search_all_subsets(const SubNetwork& network, const SubsetSearchBounds& bounds, JoinOrder& order) {
  const std::size_t terms = network.size();
  const Subset all = only(terms) - 1;
  std::vector<LabelSet> inside(all + 1);  // labels of a subset's tensors
  for (Subset subset = 1; subset <= all; ++subset) {
    inside[subset] = inside[subset & (subset - 1)] | network.labels(first_of(subset));
  }
  std::vector<BestSplit> best(all + 1);
  WorkMeter meter(bounds);
  for (Subset subset = 1; subset <= all; ++subset) {
    BestSplit& of_subset = best[subset];
    if (is_single(subset)) {
      of_subset = {0, 0, network.labels(first_of(subset))};
      continue;
    }
    of_subset.labels = inside[subset] & (inside[all ^ subset] | network.output());
    const Subset first = subset & (~subset + 1);
    for (Subset part = (subset - 1) & subset; part != 0; part = (part - 1) & subset) {
      if ((part & first) == 0) {
        continue;  // the pair is visited as the other part, too
      }
      if (!meter.next()) {
        return SearchEnd::gave_up;
      }
      try_pair(network, part, best[part], subset ^ part, best[subset ^ part], subset == all, bounds.below, of_subset);
    }
  }
  return finish(
      all, [&](Subset subset) -> const BestSplit& { return best[subset]; }, terms, order);
}

namespace {

/// Enumerates pairs of connected subsets that are connected with each other. A pair comes after all pairs that make its parts.
class ConnectedPairs {
 public:
  ConnectedPairs(const SubNetwork& network, const SubsetSearchBounds& bounds)
      : network_(network), bounds_(bounds), meter_(bounds), all_(all_of(network.size())), neighbours_(network.size(), 0) {
    for (std::size_t i = 0; i < network.size(); ++i) {
      for (std::size_t j = 0; j < network.size(); ++j) {
        if (i != j && !(network.labels(i) & network.labels(j)).is_empty()) {
          neighbours_[i] |= only(j);
        }
      }
      best_[only(i)] = {0, 0, network.labels(i)};
    }
  }

  SearchEnd run(JoinOrder& order) {
    for (std::size_t i = network_.size(); i-- > 0 && !meter_.has_stopped();) {
      visit_first(only(i));
      grow_first(only(i), only(i) | (only(i) - 1));
    }
    if (meter_.has_stopped()) {
      return SearchEnd::gave_up;
    }
    best_[all_];
    return finish(
        all_, [&](Subset subset) -> const BestSplit& { return best_.at(subset); }, network_.size(), order);
  }

 private:
  static Subset all_of(std::size_t terms) { return terms == 64 ? ~Subset{0} : only(terms) - 1; }

  [[nodiscard]] Subset neighbours(Subset subset) const {
    Subset result = 0;
    for (Subset rest = subset; rest != 0; rest &= rest - 1) {
      result |= neighbours_[first_of(rest)];
    }
    return result & ~subset;
  }

  [[nodiscard]] bool is_hopeless(Subset subset) const {
    const auto found = best_.find(subset);
    return found == best_.end() || found->second.seconds == never;
  }

  /// Visits every larger connected first part that contains `subset` and none of `excluded`.
  void grow_first(Subset subset, Subset excluded) {
    const Subset around = neighbours(subset) & ~excluded;
    for (Subset more = (~around + 1) & around; more != 0 && !meter_.has_stopped(); more = (more - around) & around) {
      visit_first(subset | more);
    }
    for (Subset more = (~around + 1) & around; more != 0 && !meter_.has_stopped(); more = (more - around) & around) {
      grow_first(subset | more, excluded | around);
    }
  }

  /// Visits every second part for a first part.
  void visit_first(Subset first) {
    if (!meter_.next() || is_hopeless(first)) {
      return;
    }
    const Subset excluded = first | (only(first_of(first)) - 1);
    const Subset around = neighbours(first) & ~excluded;
    for (Subset rest = around; rest != 0 && !meter_.has_stopped();) {
      const auto last = static_cast<std::size_t>(63 - std::countl_zero(rest));
      rest ^= only(last);
      visit_pair(first, only(last));
      grow_second(first, only(last), excluded | (around & (only(last) | (only(last) - 1))));
    }
  }

  void grow_second(Subset first, Subset second, Subset excluded) {
    const Subset around = neighbours(second) & ~excluded;
    for (Subset more = (~around + 1) & around; more != 0 && !meter_.has_stopped(); more = (more - around) & around) {
      visit_pair(first, second | more);
    }
    for (Subset more = (~around + 1) & around; more != 0 && !meter_.has_stopped(); more = (more - around) & around) {
      grow_second(first, second | more, excluded | around);
    }
  }

  void visit_pair(Subset x, Subset y) {
    if (!meter_.next()) {
      return;
    }
    const auto found_x = best_.find(x), found_y = best_.find(y);
    if (found_x == best_.end() || found_y == best_.end()) {
      return;
    }
    const BestSplit &of_x = found_x->second, &of_y = found_y->second;  // elements of an unordered map stay where they are when others come
    if (of_x.seconds + of_y.seconds >= bounds_.below) {
      return;
    }
    BestSplit& of_both = best_.try_emplace(x | y, BestSplit{never, 0, labels_of(x | y)}).first->second;
    try_pair(network_, x, of_x, y, of_y, (x | y) == all_, bounds_.below, of_both);
  }

  [[nodiscard]] LabelSet labels_of(Subset subset) const {
    LabelSet inside, outside = network_.output();
    for (std::size_t i = 0; i < network_.size(); ++i) {
      LabelSet& side = (subset & only(i)) != 0 ? inside : outside;
      side = side | network_.labels(i);
    }
    return inside & outside;
  }

  const SubNetwork& network_;
  const SubsetSearchBounds& bounds_;
  WorkMeter meter_;
  Subset all_;
  std::vector<Subset> neighbours_;
  std::unordered_map<Subset, BestSplit> best_;
};

}  // namespace

SearchEnd search_connected_subsets(const SubNetwork& network, const SubsetSearchBounds& bounds, JoinOrder& order) {
  return ConnectedPairs(network, bounds).run(order);
}

}  // namespace flopcast::contract
