#include "flopcast/algorithm/partition.hpp"

#include <algorithm>
#include <utility>

namespace flopcast::algorithm {

std::vector<std::int64_t> boundaries(std::int64_t n, std::int64_t nb) {
  std::vector<std::int64_t> all;
  for (std::int64_t j = 0; j < n; j += nb) {
    all.push_back(j);
  }
  all.push_back(n);
  return all;
}

std::vector<Cut> cuts(const std::vector<std::int64_t>& boundaries, Direction direction, SeenFrom seen) {
  const std::int64_t n = boundaries.back();
  std::vector<Cut> all;
  for (std::size_t i = 1; i < boundaries.size(); ++i) {
    const std::int64_t begin = boundaries[i - 1];
    const std::int64_t end = boundaries[i];
    all.push_back({Range{0, begin}, Range{begin, end - begin}, Range{end, n - end}});
    if (seen == SeenFrom::end) {
      std::swap(all.back()[0], all.back()[2]);
    }
  }
  if ((direction == Direction::up) != (seen == SeenFrom::end)) {
    std::reverse(all.begin(), all.end());
  }
  return all;
}

std::vector<Cut> cuts(std::int64_t n, std::int64_t nb, Direction direction, SeenFrom seen) {
  return cuts(boundaries(n, nb), direction, seen);
}

Halves divide(const Range& whole, std::int64_t size, SeenFrom seen) {
  const Range top{whole.begin, size};
  const Range bottom{whole.begin + size, whole.size - size};
  return seen == SeenFrom::begin ? Halves{top, bottom} : Halves{bottom, top};
}

}  // namespace flopcast::algorithm
