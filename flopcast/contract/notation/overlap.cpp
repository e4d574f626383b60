#include "flopcast/contract/notation/overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// The address range of a tensor: the first byte of its lowest and of its highest element.
struct ByteSpan {
  ByteSpan(const void* first, std::int64_t bytes)
      : lowest(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first))), highest(lowest), element_bytes(bytes) {}
  void extend(const Axis& axis) {
    const std::int64_t reach = (axis.extent - 1) * axis.stride * element_bytes;
    empty = empty || axis.extent == 0;
    (reach < 0 ? lowest : highest) += reach;
  }
  [[nodiscard]] bool meets(const ByteSpan& other) const {
    return !empty && !other.empty && lowest < other.highest + element_bytes && other.lowest < highest + element_bytes;
  }

  std::int64_t lowest, highest, element_bytes;
  bool empty = false;
};

ByteSpan span_of(std::span<const Axis> axes, const void* first, std::int64_t element_bytes) {
  ByteSpan span(first, element_bytes);
  for (const Axis& axis : axes) {
    span.extend(axis);
  }
  return span;
}

Axis axis_of(const Contraction& contraction, Operand operand, std::size_t i) {
  const Tensor& tensor = contraction.tensor(operand);
  return {tensor.strides[i], contraction.extent(tensor.indices[i])};
}

ByteSpan span_of(const Contraction& contraction, Operand operand, const void* first) {
  ByteSpan span(first, element_bytes(contraction.precision));
  for (std::size_t i = 0; i < contraction.tensor(operand).indices.size(); ++i) {
    span.extend(axis_of(contraction, operand, i));
  }
  return span;
}

std::vector<Axis> axes_of(const Contraction& contraction, Operand operand) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < contraction.tensor(operand).indices.size(); ++i) {
    axes.push_back(axis_of(contraction, operand, i));
  }
  return axes;
}

/// An index of either tensor, as multiples 0 ... most of a step.
struct OverlapTerm {
  std::int64_t step = 0, most = 0;
};

/// Decides whether a sum of one multiple of every term can lie in an interval. The largest steps are tried first. The reach of the smaller
/// steps and their greatest common divisor leave few multiples of each to try.
class SumFinder {
 public:
  explicit SumFinder(std::vector<OverlapTerm> terms) : terms_(std::move(terms)) {
    std::sort(terms_.begin(), terms_.end(), [](const OverlapTerm& x, const OverlapTerm& y) { return x.step > y.step; });
    reach_.resize(terms_.size() + 1);
    divisor_.resize(terms_.size() + 1);
    for (std::size_t i = terms_.size(); i-- > 0;) {
      reach_[i] = reach_[i + 1] + terms_[i].step * terms_[i].most;
      divisor_[i] = std::gcd(divisor_[i + 1], terms_[i].step);
    }
  }

  /// Returns true also if the answer would take too long.
  bool may_lie_in(std::int64_t low, std::int64_t high, std::size_t from = 0) {
    low = std::max<std::int64_t>(low, 0);
    high = std::min(high, reach_[from]);
    if (low > high) {
      return false;
    }
    if (from == terms_.size() || --steps_left_ < 0) {
      return true;
    }
    if (high / divisor_[from] * divisor_[from] < low) {
      return false;
    }
    const OverlapTerm& term = terms_[from];
    const std::int64_t least = std::max<std::int64_t>(0, (low - reach_[from + 1] + term.step - 1) / term.step);
    for (std::int64_t multiple = std::min(term.most, high / term.step); multiple >= least; --multiple) {
      if (may_lie_in(low - multiple * term.step, high - multiple * term.step, from + 1)) {
        return true;
      }
    }
    return false;
  }

 private:
  std::vector<OverlapTerm> terms_;
  std::vector<std::int64_t> reach_, divisor_;  ///< reach and greatest common divisor of each term and all later ones
  int steps_left_ = 100'000;                   ///< limits the search to less than a millisecond
};

/// Returns the address differences of two tensors' elements as multiples of positive steps above the least difference.
std::vector<OverlapTerm> terms(std::span<const Axis> x, std::span<const Axis> y, std::int64_t element_bytes) {
  std::vector<OverlapTerm> all;
  for (const std::span<const Axis>& axes : {x, y}) {
    for (const Axis& axis : axes) {
      const std::int64_t step = std::abs(axis.stride) * element_bytes;
      if (const std::int64_t most = axis.extent - 1; step > 0 && most > 0) {
        all.push_back({step, most});
      }
    }
  }
  return all;
}

}  // namespace

bool may_share_addresses(std::span<const Axis> axes) {
  std::vector<OverlapTerm> later;  // differences -(extent - 1) ... extent - 1 of the indices before this one, counted from the least
  std::int64_t least = 0;
  for (const Axis& axis : axes) {
    const std::int64_t step = std::abs(axis.stride), most = axis.extent - 1;
    if (most < 1) {
      continue;
    }
    std::vector<OverlapTerm> all = later;  // plus 1 ... extent - 1 of this index: distinct elements differ by such a vector or its negative
    all.push_back({step, most - 1});
    if (step == 0 || SumFinder(std::move(all)).may_lie_in(least - step, least - step)) {
      return true;
    }
    later.push_back({step, 2 * most});
    least += step * most;
  }
  return false;
}

bool may_share_bytes(std::span<const Axis> x_axes, const void* x, std::span<const Axis> y_axes, const void* y, std::int64_t element_bytes) {
  const ByteSpan x_span = span_of(x_axes, x, element_bytes), y_span = span_of(y_axes, y, element_bytes);
  if (!x_span.meets(y_span)) {
    return false;
  }
  const std::int64_t least = x_span.lowest - y_span.highest;
  return SumFinder(terms(x_axes, y_axes, element_bytes)).may_lie_in(-element_bytes + 1 - least, element_bytes - 1 - least);
}

void require_apart(const Contraction& contraction, const void* a, const void* b, const void* c) {
  const std::int64_t element = element_bytes(contraction.precision);
  const ByteSpan result = span_of(contraction, Operand::c, c);
  for (const auto& [operand, first] : {std::pair{Operand::a, a}, {Operand::b, b}}) {
    const ByteSpan span = span_of(contraction, operand, first);
    if (result.meets(span) && may_share_bytes(axes_of(contraction, Operand::c), c, axes_of(contraction, operand), first, element)) {
      throw bad_input("C overlaps {} in memory: {} bytes of {} begin {} bytes from C's first byte; C needs memory of its own",
                      letter(operand), span.highest + element - span.lowest, letter(operand), span.lowest - result.lowest);
    }
  }
}

}  // namespace flopcast::contract
