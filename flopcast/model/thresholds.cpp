#include "flopcast/model/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flopcast::model {
namespace {

/// Returns the sizes at `share` of the way from the lowest to the highest sizes, evenly in their logarithms.
Sizes along(const Box& domain, double share) {
  Sizes sizes;
  for (std::size_t d = 0; d < domain.dimensions(); ++d) {
    const double low = std::log(static_cast<double>(std::max<std::int64_t>(1, domain.low[d])));
    const double high = std::log(static_cast<double>(std::max<std::int64_t>(1, domain.high[d])));
    sizes.push_back(std::clamp<std::int64_t>(std::llround(std::exp(low + share * (high - low))), domain.low[d], domain.high[d]));
  }
  return sizes;
}

std::int64_t distance(const Sizes& a, const Sizes& b) {
  std::int64_t most = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    most = std::max(most, std::abs(a[d] - b[d]));
  }
  return most;
}

/// A probe: its sizes, and whether several threads worked there.
struct ThresholdLook {
  double share = 0;  ///< position on the way, 0 to 1
  Sizes sizes;
  bool several = false;
};

std::optional<ThresholdLook> look(const Box& domain, double share, const TeamProbe& probe) {
  // Reading the clocks adds a little. A caller that spins until busy cores let its helpers work hides most of the helpers' work.
  static constexpr double alone = 1.2;
  ThresholdLook result{share, along(domain, share), false};
  const std::optional<double> team = probe(result.sizes);
  if (!team) {
    return std::nullopt;
  }
  result.several = *team > alone;
  return result;
}

/// Returns the number of leading probes with one thread only. If single probes contradict, returns the largest number that the fewest
/// probes contradict: spinning threads look like working ones, never the other way round.
std::size_t alone_until(const std::vector<ThresholdLook>& looks) {
  std::size_t best = 0;
  std::size_t fewest = looks.size() + 1;
  for (std::size_t split = 0; split <= looks.size(); ++split) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < looks.size(); ++i) {
      wrong += looks[i].several != (i >= split) ? 1U : 0U;
    }
    if (wrong <= fewest) {
      fewest = wrong;
      best = split;
    }
  }
  return best;
}

/// Returns the coordinate at `share` of the way from `anchor` to `to`, rounded towards the anchor.
std::int64_t between(std::int64_t anchor, std::int64_t to, double share, std::int64_t min_width, std::int64_t low, std::int64_t high) {
  const double at = static_cast<double>(anchor) + share * static_cast<double>(to - anchor);
  const double units = at / static_cast<double>(min_width);
  const double rounded = to >= anchor ? std::floor(units) : std::ceil(units);
  return std::clamp(static_cast<std::int64_t>(rounded) * min_width, low, high);
}

}  // namespace

double product_of_sizes(std::span<const std::int64_t> sizes) noexcept {
  double product = 1;
  for (const std::int64_t size : sizes) {
    product *= static_cast<double>(size);
  }
  return product;
}

Polynomial product_polynomial(std::size_t sizes) {
  Polynomial polynomial;
  polynomial.centre.assign(sizes, 0.0);
  polynomial.scale.assign(sizes, 1.0);
  Monomial all{};
  std::fill_n(all.begin(), sizes, std::uint8_t{1});
  polynomial.monomials = {all};
  polynomial.coefficients = {1};
  return polynomial;
}

std::optional<std::vector<double>> find_thresholds(const Box& domain, std::int64_t min_width, const TeamProbe& probe) {
  static constexpr int probes = 9;
  static constexpr int max_steps = 40;
  std::vector<ThresholdLook> looks;
  for (int i = 0; i < probes; ++i) {
    std::optional<ThresholdLook> next = look(domain, static_cast<double>(i) / (probes - 1), probe);
    if (!next) {
      return std::nullopt;
    }
    looks.push_back(std::move(*next));
  }
  const std::size_t split = alone_until(looks);
  if (split == 0 || split == looks.size()) {
    return std::vector<double>{};
  }
  ThresholdLook low = looks[split - 1];
  ThresholdLook high = looks[split];
  for (int step = 0; distance(low.sizes, high.sizes) > std::max<std::int64_t>(1, min_width) && step < max_steps; ++step) {
    std::optional<ThresholdLook> middle = look(domain, (low.share + high.share) / 2, probe);
    if (!middle) {
      return std::nullopt;
    }
    (middle->several ? high : low) = std::move(*middle);
  }
  return low.sizes == high.sizes ? std::vector<double>{}
                                 : std::vector<double>{std::sqrt(product_of_sizes(low.sizes) * product_of_sizes(high.sizes))};
}

bool Side::contains(std::span<const std::int64_t> sizes) const noexcept {
  const double product = product_of_sizes(sizes);
  return product >= low && product < high;
}

bool Side::meets(const Box& box) const noexcept { return product_of_sizes(box.low) < high && product_of_sizes(box.high) >= low; }

std::vector<Side> sides(std::span<const double> thresholds) {
  std::vector<Side> all(1);
  for (const double threshold : thresholds) {
    all.back().high = threshold;
    all.push_back({threshold, std::numeric_limits<double>::infinity()});
  }
  return all;
}

std::optional<Sizes> moved_to(const Side& side, const Box& box, const Sizes& point, std::int64_t min_width) {
  static constexpr int steps = 30;
  if (side.contains(point)) {
    return point;
  }
  const Sizes& anchor = product_of_sizes(point) >= side.high ? box.low : box.high;
  const auto at = [&](double share) {
    Sizes sizes;
    for (std::size_t d = 0; d < point.size(); ++d) {
      sizes.push_back(between(anchor[d], point[d], share, min_width, box.low[d], box.high[d]));
    }
    return sizes;
  };
  const bool too_much = product_of_sizes(point) >= side.high;
  const auto beyond = [&](const Sizes& sizes) {
    return too_much ? product_of_sizes(sizes) >= side.high : product_of_sizes(sizes) < side.low;
  };
  double near = 0;
  double far = 1;
  for (int step = 0; step < steps; ++step) {
    const double middle = (near + far) / 2;
    (beyond(at(middle)) ? far : near) = middle;
  }
  for (const Sizes& sizes : {at(near), anchor}) {
    if (side.contains(sizes)) {
      return sizes;
    }
  }
  return std::nullopt;
}

}  // namespace flopcast::model
