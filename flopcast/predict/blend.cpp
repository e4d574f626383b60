#include "flopcast/predict/blend.hpp"

#include <cmath>
#include <numeric>

namespace flopcast::prediction {

Seconds transferred_time(Seconds recorded, Seconds expected_there, Seconds expected_elsewhere) noexcept {
  if (recorded >= expected_there || expected_there <= 0) {
    return expected_elsewhere + (recorded - expected_there);
  }
  return expected_elsewhere * (recorded / expected_there);
}

double cache_association(std::int64_t distance_bytes, std::int64_t capacity_bytes) noexcept {
  if (distance_bytes < 0) {
    return -1;
  }
  const auto capacity = static_cast<double>(capacity_bytes);
  const double relative = (capacity - static_cast<double>(distance_bytes)) / capacity;
  return std::tanh((relative >= 0 ? 4 : 2) * relative);
}

double cache_association(const Placement& placement, std::span<const std::int64_t> operand_bytes, std::int64_t capacity_bytes) noexcept {
  double weighted = 0, all = 0;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    const auto bytes = static_cast<double>(operand_bytes[i]);
    if (bytes > 0) {
      weighted += cache_association(placement[i].distance_bytes, capacity_bytes) * bytes;
      all += bytes;
    }
  }
  return all > 0 ? weighted / all : 1;
}

LevelShares level_shares(const cache::BytesByDistance& bytes_by_level, std::span<const CacheLevel> caches) noexcept {
  const std::int64_t footprint = std::accumulate(bytes_by_level.begin(), bytes_by_level.end(), std::int64_t{0});
  if (footprint <= 0) {
    return {{0, 1}};
  }
  std::int64_t warm = bytes_by_level[0];
  std::size_t level = 1;
  for (; level <= caches.size() && caches[level - 1].capacity_bytes < footprint; ++level) {
    warm += bytes_by_level[level];
  }
  LevelShares shares;
  const auto add = [&](std::size_t at, std::int64_t bytes) {
    if (bytes > 0) {
      shares.push_back({at, static_cast<double>(bytes) / static_cast<double>(footprint)});
    }
  };
  add(0, warm);
  for (; level <= caches.size(); ++level) {
    add(level, bytes_by_level[level]);
  }
  return shares;
}

}  // namespace flopcast::prediction
