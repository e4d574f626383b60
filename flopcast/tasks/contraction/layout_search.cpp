#include "flopcast/tasks/contraction/layout_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/core/routine.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

/// Axes of one tensor from the slowest to the contiguous one. An axis is a character whose code is the axis' number in the written order.
using AxisOrder = std::string;
/// The orders of all tensors.
using Orders = std::vector<AxisOrder>;

struct SharedTensor {
  std::string name;
  std::vector<std::string> labels;  ///< labels of its first appearance
  std::vector<std::int64_t> shape;
  bool is_free = false;
};

constexpr const char* as_written_text = "as written";

/// A contraction with the numbers of its tensors, the result's last.
struct Term {
  contract::Expression expression;
  std::vector<std::size_t> tensors;
};

AxisOrder written_order(std::size_t axes) {
  AxisOrder order(axes, '\0');
  std::iota(order.begin(), order.end(), '\0');
  return order;
}

template <class Element>
std::vector<Element> permuted(const std::vector<Element>& elements, const AxisOrder& order) {
  std::vector<Element> result;
  std::transform(order.begin(), order.end(), std::back_inserter(result),
                 [&](char axis) { return elements[static_cast<std::size_t>(axis)]; });
  return result;
}

/// Returns the orders that a search tries next to `order`: all for short orders, otherwise those that move one axis.
std::vector<AxisOrder> neighbours(const AxisOrder& order) {
  constexpr std::size_t most_axes_in_full = 4;
  std::vector<AxisOrder> result;
  if (order.size() <= most_axes_in_full) {
    AxisOrder next = written_order(order.size());
    do {
      result.push_back(next);
    } while (std::next_permutation(next.begin(), next.end()));
    return result;
  }
  for (std::size_t from = 0; from < order.size(); ++from) {
    for (std::size_t to = 0; to < order.size(); ++to) {
      AxisOrder moved = order;
      moved.erase(from, 1);
      result.push_back(moved.insert(to, 1, order[from]));
    }
  }
  return result;
}

class LayoutSearch {
 public:
  LayoutSearch(const LayoutServices& services, const LayoutsRequest& request, const RunContext& context)
      : services_(services), request_(request), context_(context), runs_(services.known) {
    for (const std::string& text : request.contractions) {
      add_term(text);
    }
    for (const std::string& names : request.layouts) {
      for (const std::string_view name : split(names, ',')) {
        find(std::string(name)).is_free = true;
      }
    }
  }

  LayoutsResult run() {
    if (!try_all()) {
      descend_from_several();
    }
    return result();
  }

 private:
  using Time = std::function<Seconds(const contract::SizedExpression&)>;
  using Memory = std::map<std::string, Seconds>;  ///< index: text of an expression; all of them have the same sizes

  void add_term(const std::string& text) {
    contract::NamedExpression named = contract::parse_named_expression(text);
    const contract::SizedExpression sized = with_sizes(named.expression);
    Term term{named.expression, {}};
    for (std::size_t i = 0; i < named.operands.size(); ++i) {
      term.tensors.push_back(add_tensor(named.operands[i], named.expression.operands[i], sized));
    }
    term.tensors.push_back(add_tensor(named.result, named.expression.result, sized));
    terms_.push_back(std::move(term));
  }

  [[nodiscard]] contract::SizedExpression with_sizes(const contract::Expression& expression) const {
    return contract::with_extents(expression, request_.sizes);
  }

  /// Returns the number of a tensor, which is new or has the same shape as before.
  std::size_t add_tensor(const std::string& name, const contract::Subscripts& subscripts, const contract::SizedExpression& sized) {
    SharedTensor tensor{name, {}, {}};
    for (const contract::Label label : subscripts.labels) {
      tensor.labels.push_back(contract::name_of(sized.expression, label));
      tensor.shape.push_back(sized.extent(label));
    }
    const auto known = std::find_if(tensors_.begin(), tensors_.end(), [&](const SharedTensor& one) { return one.name == name; });
    if (known == tensors_.end()) {
      tensors_.push_back(std::move(tensor));
      return tensors_.size() - 1;
    }
    if (known->shape != tensor.shape) {
      throw bad_input("tensor {} is {} in one contraction and {} in '{}'; tensors of one name must have one shape", name,
                      fmt::join(known->shape, " x "), fmt::join(tensor.shape, " x "), contract::to_string(sized.expression));
    }
    return static_cast<std::size_t>(known - tensors_.begin());
  }

  SharedTensor& find(const std::string& name) {
    for (SharedTensor& tensor : tensors_) {
      if (tensor.name == name) {
        return tensor;
      }
    }
    std::vector<std::string> names;
    std::transform(tensors_.begin(), tensors_.end(), std::back_inserter(names), [](const SharedTensor& one) { return one.name; });
    throw bad_input("no contraction has a tensor '{}'; expected some of {}", name, fmt::join(names, ", "));
  }

  [[nodiscard]] Orders written() const {
    Orders orders;
    for (const SharedTensor& tensor : tensors_) {
      orders.push_back(written_order(tensor.labels.size()));
    }
    return orders;
  }

  [[nodiscard]] contract::Expression ordered(const Term& term, const Orders& orders) const {
    contract::Expression expression = term.expression;
    for (std::size_t i = 0; i < term.tensors.size(); ++i) {
      contract::Subscripts& subscripts = i < expression.operands.size() ? expression.operands[i] : expression.result;
      subscripts.labels = permuted(subscripts.labels, orders[term.tensors[i]]);
    }
    return expression;
  }

  [[nodiscard]] const char* what_is_kept() const {
    return services_.keep ? "times of runs are kept; run it again to go on" : "nothing is kept of an unfinished comparison";
  }

  Seconds seconds(const contract::Expression& expression, const Time& time, Memory& memory) {
    const auto [place, is_new] = memory.try_emplace(contract::to_string(expression), 0);
    if (is_new) {
      context_.throw_if_cancelled(what_is_kept());
      place->second = time(with_sizes(expression));
    }
    return place->second;
  }

  /// Returns the time of a copy of tensor `t` from its written order, or to it for a result.
  Seconds conversion(std::size_t t, const AxisOrder& order, const Time& time, Memory& memory) {
    const AxisOrder written = written_order(order.size());
    if (tensors_[t].is_free || order == written) {
      return 0;
    }
    for (const Term& term : terms_) {
      for (std::size_t i = 0; i < term.tensors.size(); ++i) {
        if (term.tensors[i] == t) {
          const contract::Subscripts& from = i < term.expression.operands.size() ? term.expression.operands[i] : term.expression.result;
          if (std::set(from.labels.begin(), from.labels.end()).size() == from.labels.size()) {
            return seconds({{{from.labels}}, {permuted(from.labels, order)}, true}, time, memory);
          }
        }
      }
    }
    return std::numeric_limits<Seconds>::infinity();  // only diagonals of the tensor are used: it stays as it is
  }

  Seconds total(const Orders& orders, const Time& time, Memory& memory) {
    Seconds sum = 0;
    for (const Term& term : terms_) {
      sum += seconds(ordered(term, orders), time, memory);
    }
    sum *= static_cast<double>(request_.executions);
    for (std::size_t t = 0; t < orders.size(); ++t) {
      sum += conversion(t, orders[t], time, memory);
    }
    return sum;
  }

  void keep(const LayoutRuns& runs) const {
    if (services_.keep) {
      services_.keep(runs);
    }
  }

  const std::vector<Seconds>& runs_of(const contract::SizedExpression& expression) {
    const auto [place, is_new] = runs_.try_emplace(contract::to_string(expression.expression));
    if (is_new) {
      place->second = services_.measured(expression);
      if (place->second.empty()) {
        throw Cancelled(std::string("interrupted; ") + what_is_kept());
      }
      keep(runs_);
    }
    return place->second;
  }

  /// Returns the time that contractions take whose tensors `orders` leave in their written order; total() includes it.
  Seconds unchanged(const Orders& orders, const Time& time, Memory& memory) {
    const auto is_unchanged = [&](std::size_t t) { return orders[t] == written_order(orders[t].size()); };
    Seconds sum = 0;
    for (const Term& term : terms_) {
      const bool counts = std::all_of(term.tensors.begin(), term.tensors.end(), is_unchanged);
      sum += counts ? seconds(ordered(term, orders), time, memory) : 0;
    }
    return static_cast<double>(request_.executions) * sum;
  }

  Seconds estimate(const Orders& orders) {
    const auto [place, is_new] = estimated_.try_emplace(orders, 0);
    if (is_new) {
      place->second = total(orders, services_.estimated, estimates_);
    }
    return place->second;
  }

  /// Estimates all combinations of orders if there are few. Returns false otherwise.
  bool try_all() {
    constexpr double most = 20'000;
    double count = 1;
    for (const SharedTensor& tensor : tensors_) {
      count *= std::tgamma(static_cast<double>(tensor.labels.size()) + 1);
    }
    if (count > most) {
      return false;
    }
    Orders orders = written();
    for (std::size_t t = 0; t < orders.size();) {
      estimate(orders);
      for (t = 0; t < orders.size() && !std::next_permutation(orders[t].begin(), orders[t].end()); ++t) {
      }
    }
    is_exhaustive_ = true;
    return true;
  }

  /// Improves orders by changing one tensor, or two of one contraction, until nothing is faster.
  void descend(Orders orders) {
    constexpr std::size_t most_pairs = 600;
    Seconds best = estimate(orders);
    const auto try_orders = [&](const Orders& next) {
      if (const Seconds seconds = estimate(next); seconds < best) {
        best = seconds;
        orders = next;
      }
    };
    for (Seconds before = std::numeric_limits<Seconds>::infinity(); best < before;) {
      before = best;
      for (const Term& term : terms_) {
        for (const std::size_t t : term.tensors) {
          for (const std::size_t u : term.tensors) {
            const std::vector<AxisOrder> first = neighbours(orders[t]), second = neighbours(orders[u]);
            const bool both = t < u && first.size() * second.size() <= most_pairs;
            for (const AxisOrder& order : first) {
              Orders next = orders;
              next[t] = order;
              for (std::size_t i = 0; i < (both ? second.size() : 1); ++i) {
                next[u] = both ? second[i] : next[u];
                try_orders(next);
              }
            }
          }
        }
      }
    }
  }

  void descend_from_several() {
    constexpr int random_starts = 8;
    descend(written());
    std::mt19937 random(1);
    for (int start = 0; start < random_starts; ++start) {
      Orders orders = written();
      for (AxisOrder& order : orders) {
        std::shuffle(order.begin(), order.end(), random);
      }
      descend(std::move(orders));
    }
  }

  [[nodiscard]] std::ptrdiff_t changes(const Orders& orders) const {
    return std::count_if(orders.begin(), orders.end(), [](const AxisOrder& order) { return order != written_order(order.size()); });
  }

  /// A combination that is predicted carefully, and measured if wanted.
  struct Compared {
    Orders orders;
    Seconds seconds = 0;
    std::optional<Seconds> measured = {};
    [[nodiscard]] Seconds decisive() const { return measured.value_or(seconds); }
  };

  /// Returns the combinations of the least estimates by rising predicted time. Of those that tie with the fastest, the one that changes the
  /// fewest tensors comes first.
  std::vector<Compared> fastest() {
    constexpr std::size_t most_predicted = 40, most_measured = 8;
    std::vector<std::pair<Seconds, Orders>> all;
    for (const auto& [orders, seconds] : estimated_) {
      all.emplace_back(seconds, orders);
    }
    const std::size_t count = std::min(most_predicted, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
    std::vector<Compared> compared;
    for (std::size_t i = 0; i < count; ++i) {
      compared.push_back({all[i].second, total(all[i].second, services_.predicted, predictions_)});
    }
    const Orders as_written = written();
    if (std::none_of(compared.begin(), compared.end(), [&](const Compared& one) { return one.orders == as_written; })) {
      compared.push_back({as_written, total(as_written, services_.predicted, predictions_)});
    }
    sort(compared);
    if (request_.validate) {
      measure(compared, most_measured);
    }
    return compared;
  }

  void sort(std::vector<Compared>& compared) const {
    constexpr double tie = 1.02;  // neighbouring predictions differ by as much without a reason
    std::stable_sort(compared.begin(), compared.end(), [](const Compared& x, const Compared& y) { return x.decisive() < y.decisive(); });
    const Seconds limit = tie * compared.front().decisive();
    const auto tied = std::find_if(compared.begin(), compared.end(), [&](const Compared& one) { return one.decisive() > limit; });
    std::stable_sort(compared.begin(), tied, [&](const Compared& x, const Compared& y) { return changes(x.orders) < changes(y.orders); });
  }

  /// Runs the written combination and the first `count`, then those that differ from the fastest in one tensor, until none is faster or the
  /// time budget is over. Nothing else is compared any more. Runs are kept unless the comparison is complete.
  void measure(std::vector<Compared>& compared, std::size_t count) {
    const Seconds begin = services_.now();
    bool is_cut = false;
    const auto is_over = [&] { return is_cut = is_cut || services_.now() - begin > request_.time_budget; };
    const auto progress = context_.step("combinations run");
    std::map<Orders, Compared> run;
    const auto time = [&](const Orders& orders) -> const Compared& {
      const auto [place, is_new] = run.try_emplace(orders);
      if (is_new) {
        place->second = {orders, total(orders, services_.predicted, predictions_), total(orders, measured_, measurements_)};
        progress(static_cast<std::int64_t>(run.size()), 0);
      }
      return place->second;
    };
    Compared best = time(written());
    const auto improve = [&](const Orders& orders) {
      constexpr double noticeable = 0.98;
      const Compared& next = time(orders);
      const bool is_faster = *next.measured < noticeable * *best.measured;
      best = is_faster ? next : best;
      return is_faster;
    };
    for (std::size_t i = 0; i < std::min(count, compared.size()) && (i == 0 || !is_over()); ++i) {
      improve(compared[i].orders);
    }
    for (bool is_improved = true; is_improved;) {
      is_improved = false;
      for (std::size_t t = 0; t < tensors_.size(); ++t) {
        for (const AxisOrder& order : neighbours(best.orders[t])) {
          if (is_over()) {
            break;
          }
          Orders next = best.orders;
          next[t] = order;
          is_improved = improve(next) || is_improved;
        }
      }
    }
    compared.clear();
    for (const auto& [orders, one] : run) {
      compared.push_back(one);
    }
    sort(compared);
    if (is_cut) {
      context_.note("the time budget ended the runs, and faster orders may be left; run it again to go on");
    } else {
      keep({});
    }
  }

  /// Returns the 95 % interval of the speed-up over the written orders. Contractions that keep their orders don't contribute to its width.
  Interval speed_up_interval(const Compared& compared) {
    const Orders as_written = written();
    const auto rest = [&](const Orders& orders, const Time& time, Memory& memory) {
      return total(orders, time, memory) - unchanged(compared.orders, time, memory);
    };
    if (compared.orders == as_written) {
      return {1, 1};
    }
    if (compared.measured) {
      const Seconds same = unchanged(compared.orders, measured_, measurements_);
      return {(same + rest(as_written, low_, lowest_)) / (same + rest(compared.orders, high_, highest_)),
              (same + rest(as_written, high_, highest_)) / (same + rest(compared.orders, low_, lowest_))};
    }
    if (!speed_up_error_) {
      speed_up_error_ = services_.speed_up_error();
    }
    const Seconds same = unchanged(compared.orders, services_.predicted, predictions_);
    const Seconds before = rest(as_written, services_.predicted, predictions_);
    const double factor = std::exp(prediction::z95_two_sided * *speed_up_error_);
    return {(same + before / factor) / compared.seconds, (same + before * factor) / compared.seconds};
  }

  [[nodiscard]] std::string text(std::size_t t, const AxisOrder& order) const {
    return fmt::format("{}", fmt::join(permuted(tensors_[t].labels, order), ""));
  }
  ComparedOrders summary(const Compared& compared, Seconds as_written) {
    std::vector<std::string> changed;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (compared.orders[t] != written_order(compared.orders[t].size())) {
        changed.push_back(tensors_[t].name + '=' + text(t, compared.orders[t]));
      }
    }
    return {changed.empty() ? as_written_text : fmt::format("{}", fmt::join(changed, " ")), compared.seconds, compared.measured,
            as_written / compared.decisive(), speed_up_interval(compared)};
  }
  /// Returns a contraction as a formula.
  [[nodiscard]] std::string text(const Term& term, const Orders& orders) const {
    const contract::Expression expression = ordered(term, orders);
    const auto tensor = [&](std::size_t i, const contract::Subscripts& subscripts) {
      std::string result = tensors_[term.tensors[i]].name + (subscripts.labels.empty() ? "" : "_");
      for (const contract::Label label : subscripts.labels) {
        result += contract::name_of(expression, label);
      }
      return subscripts.conjugated ? "conj(" + result + ')' : result;
    };
    std::string result = tensor(expression.operands.size(), expression.result) + " :=";
    for (std::size_t i = 0; i < expression.operands.size(); ++i) {
      result += ' ' + tensor(i, expression.operands[i]);
    }
    return result;
  }

  LayoutsResult result() {
    constexpr std::size_t most_shown = 10;
    std::vector<Compared> compared = fastest();
    const Orders as_written = written(), chosen = compared.front().orders;
    LayoutsResult result;
    result.combinations = static_cast<std::int64_t>(estimated_.size());
    result.is_exhaustive = is_exhaustive_;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      const double elements = std::accumulate(tensors_[t].shape.begin(), tensors_[t].shape.end(), 1.0,
                                              [](double product, std::int64_t size) { return product * static_cast<double>(size); });
      result.tensors.push_back({tensors_[t].name, text(t, as_written[t]), text(t, chosen[t]), tensors_[t].is_free,
                                elements * static_cast<double>(element_bytes(request_.precision)),
                                conversion(t, chosen[t], services_.predicted, predictions_)});
    }
    for (const Term& term : terms_) {
      result.contractions.push_back({text(term, chosen), seconds(ordered(term, as_written), services_.predicted, predictions_),
                                     seconds(ordered(term, chosen), services_.predicted, predictions_)});
    }
    const Compared& before = *std::find_if(compared.begin(), compared.end(), [&](const Compared& one) { return one.orders == as_written; });
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (i == 0 || (compared[i].orders != as_written && result.compared.size() < most_shown)) {
        result.compared.push_back(summary(compared[i], before.decisive()));
      }
    }
    if (chosen != as_written) {
      result.compared.push_back(summary(before, before.decisive()));
    }
    return result;
  }

  const LayoutServices& services_;
  const LayoutsRequest& request_;
  const RunContext& context_;
  std::vector<SharedTensor> tensors_;
  std::vector<Term> terms_;
  std::map<Orders, Seconds> estimated_;
  LayoutRuns runs_;
  const Time measured_ = [this](const contract::SizedExpression& expression) { return median(runs_of(expression)); };
  const Time low_ = [this](const contract::SizedExpression& expression) { return median_interval(runs_of(expression)).low; };
  const Time high_ = [this](const contract::SizedExpression& expression) { return median_interval(runs_of(expression)).high; };
  Memory estimates_, predictions_, measurements_, lowest_, highest_;
  std::optional<double> speed_up_error_;
  bool is_exhaustive_ = false;
};

}  // namespace

double measured_speed_up_error(const LayoutServices& services, const LayoutsRequest& like, const RunContext& context) {
  struct Case {
    const char* contraction;
    LabelSizes sizes;
  };
  // Long and short sums, batches, many labels, and tensors of 0.1 to 8 MB; executions of a few milliseconds at most.
  const std::vector<Case> cases = {{"ai,ibc->abc", LabelSizes{{'a', 64}, {'b', 24}, {'c', 40}, {'i', 8}}},
                                   {"ija,ijb->ab", LabelSizes{{'a', 60}, {'b', 80}, {'i', 12}, {'j', 30}}},
                                   {"abi,ic->abc", LabelSizes{{'a', 20}, {'b', 150}, {'c', 40}, {'i', 5}}},
                                   {"abk,ack->bc", LabelSizes{{'a', 9}, {'b', 60}, {'c', 50}, {'k', 40}}},
                                   {"kab,kc->kabc", LabelSizes{{'a', 12}, {'b', 30}, {'c', 16}, {'k', 20}}},
                                   {"abk,kc->cab", LabelSizes{{'a', 40}, {'b', 200}, {'c', 16}, {'k', 128}}}};
  LayoutsRequest request = like;
  request.layouts = {"A,B,C"};
  request.executions = 1;
  request.validate = true;
  request.time_budget = 1;
  RunContext quiet;
  quiet.cancelled = context.cancelled;
  std::vector<double> errors;
  for (const Case& each : cases) {
    request.contractions = {each.contraction};
    request.sizes = each.sizes;
    const std::vector<ComparedOrders> compared = LayoutSearch(services, request, quiet).run().compared;
    const auto is_written = [](const ComparedOrders& one) { return one.orders == as_written_text; };
    const Seconds written = std::find_if(compared.begin(), compared.end(), is_written)->seconds;
    for (const ComparedOrders& one : compared) {
      if (!is_written(one)) {
        errors.push_back(std::abs(std::log(one.speed_up / (written / one.seconds))));
      }
    }
  }
  return quantile(errors, prediction::default_confidence) / prediction::z95_two_sided;
}

LayoutsResult choose_layouts(const LayoutServices& services, const LayoutsRequest& request, const RunContext& context) {
  return LayoutSearch(services, request, context).run();
}

}  // namespace flopcast
