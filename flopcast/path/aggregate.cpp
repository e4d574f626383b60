#include "flopcast/path/aggregate.hpp"

#include <algorithm>
#include <cstddef>

namespace flopcast::path {

std::optional<Aggregate> Aggregate::of_dimensions(std::vector<Dimension> dimensions) {
  std::sort(dimensions.begin(), dimensions.end(), [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  std::vector<Dimension> joined;
  for (const Dimension& dimension : dimensions) {
    if (dimension.size == 1) {
      continue;
    }
    if (dimension.stride < 1 || dimension.size < 1) {
      return std::nullopt;
    }
    const std::int64_t reach = joined.empty() ? 0 : std::int64_t{joined.back().stride} * joined.back().size;
    if (dimension.stride < reach) {
      return std::nullopt;
    }
    if (dimension.stride == reach) {
      joined.back().size *= dimension.size;
    } else {
      joined.push_back(dimension);
    }
  }
  return Aggregate(std::move(joined));
}

std::optional<Aggregate> Aggregate::of_ranks(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::vector<Dimension> dimensions;
  while (ranks.size() > 1) {
    const int stride = ranks[1] - ranks[0];
    std::size_t run = 2;
    while (run < ranks.size() && ranks[run] - ranks[run - 1] == stride) {
      ++run;
    }
    if (ranks.size() % run != 0) {
      return std::nullopt;
    }
    std::vector<int> starts;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] - ranks[i - i % run] != static_cast<int>(i % run) * stride) {
        return std::nullopt;
      }
      if (i % run == 0) {
        starts.push_back(ranks[i]);
      }
    }
    dimensions.push_back({stride, static_cast<std::int32_t>(run)});
    ranks = std::move(starts);
  }
  return of_dimensions(std::move(dimensions));
}

std::optional<Aggregate> Aggregate::combined(const Aggregate& a, const Aggregate& b) {
  std::vector<Dimension> all = a.dimensions_;
  all.insert(all.end(), b.dimensions_.begin(), b.dimensions_.end());
  return of_dimensions(std::move(all));
}

std::int64_t Aggregate::processes() const noexcept {
  std::int64_t product = 1;
  for (const Dimension& dimension : dimensions_) {
    product *= dimension.size;
  }
  return product;
}

bool Aggregate::covers(int ranks) const noexcept {
  return ranks == 1 ? dimensions_.empty() : dimensions_.size() == 1 && dimensions_.front() == Dimension{1, ranks};
}

int stride_of(std::span<const int> ranks) noexcept {
  const int stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  for (std::size_t i = 2; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride) {
      return 0;
    }
  }
  return stride;
}

}  // namespace flopcast::path
