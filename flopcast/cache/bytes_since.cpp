#include "flopcast/cache/bytes_since.hpp"

#include <bit>

namespace flopcast::cache {

void BytesSince::add(std::int64_t time, std::int64_t bytes) noexcept {
  total_ += bytes;
  for (auto i = static_cast<std::size_t>(time) + 1; i < tree_.size(); i += i & (~i + 1)) {
    tree_[i] += bytes;
  }
}

std::int64_t BytesSince::since(std::int64_t time) const noexcept {
  std::int64_t sum = total_;
  for (auto i = static_cast<std::size_t>(time); i > 0; i &= i - 1) {
    sum -= tree_[i];
  }
  return sum;
}

std::int64_t BytesSince::first_beyond(std::int64_t limit) const noexcept {
  std::int64_t sum = total_;
  std::size_t position = 0;
  for (std::size_t step = std::bit_floor(tree_.size()); step > 0; step /= 2) {
    const std::size_t next = position + step;
    if (next < tree_.size() && sum - tree_[next] > limit) {
      position = next;
      sum -= tree_[next];
    }
  }
  return sum;
}

}  // namespace flopcast::cache
