#include "flopcast/selective/finalists.hpp"

#include <algorithm>
#include <numeric>

namespace flopcast::selective {

std::vector<std::size_t> finalists_in_doubt(std::span<const PredictedCandidate> all, Seconds affordable, double pace) {
  constexpr std::size_t min_finalists = 2;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return all[x].seconds < all[y].seconds; });
  std::vector<std::size_t> finalists;
  Seconds cost = 0;
  for (const std::size_t i : order) {
    const PredictedCandidate& best = all[order.front()];
    if (all[i].seconds - all[i].half_width > best.seconds + best.half_width) {
      continue;
    }
    cost += all[i].executed ? 0 : pace * all[i].seconds;
    if (finalists.size() >= min_finalists && cost > affordable) {
      break;
    }
    finalists.push_back(i);
  }
  if (finalists.size() < min_finalists) {
    finalists.clear();
  }
  return finalists;
}

}  // namespace flopcast::selective
