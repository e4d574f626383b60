#include "flopcast/contract/prediction/predicted_time.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace flopcast::contract {

std::vector<std::size_t> ranking(std::span<const AlgorithmForecast> forecasts) {
  std::vector<std::size_t> order(forecasts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return forecasts[x].seconds < forecasts[y].seconds; });
  return order;
}

std::vector<std::size_t> leaders(std::span<const AlgorithmForecast> forecasts) {
  constexpr double close = 1.25;  // predictions err by half of this margin now and then
  std::vector<std::size_t> order = ranking(forecasts);
  const auto behind = std::find_if(order.begin(), order.end(),
                                   [&](std::size_t i) { return forecasts[i].seconds > close * forecasts[order.front()].seconds; });
  order.erase(behind, order.end());
  return order.size() > 1 ? order : std::vector<std::size_t>{};
}

bool ties(const AlgorithmForecast& x, const AlgorithmForecast& y, double floor) {
  const bool overlap = std::fabs(x.seconds - y.seconds) <= normal_quantile(0.975) * (x.deviation + y.deviation);
  return overlap || std::max(x.seconds, y.seconds) <= (1 + floor) * std::min(x.seconds, y.seconds);
}

}  // namespace flopcast::contract
