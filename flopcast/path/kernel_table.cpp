#include "flopcast/path/kernel_table.hpp"

namespace flopcast::path {

std::size_t KernelKeyHash::operator()(const KernelKey& key) const noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = (static_cast<std::uint64_t>(key.kind) << 32U | key.routine) * odd;
  for (const std::int64_t word : key.words) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * odd;
    hash ^= hash >> 29U;
  }
  return hash;
}

void KernelStatistics::add(double value) noexcept {
  ++count;
  const double difference = value - mean;
  mean += difference / static_cast<double>(count);
  squares += difference * (value - mean);
}

void KernelStatistics::merge(const KernelStatistics& other) noexcept {
  if (other.count == 0) {
    return;
  }
  const double mine = static_cast<double>(count);
  const double theirs = static_cast<double>(other.count);
  const double difference = other.mean - mean;
  count += other.count;
  mean += difference * theirs / (mine + theirs);
  squares += other.squares + difference * difference * mine * theirs / (mine + theirs);
}

std::uint32_t KernelTable::number(const KernelKey& key) {
  const auto [place, added] = numbers_.try_emplace(key, static_cast<std::uint32_t>(kernels_.size()));
  if (added) {
    kernels_.push_back({key, {}, {}, {}, 0, 0});
  }
  return place->second;
}

void KernelTable::merge(const Kernel& kernel) {
  Kernel& mine = kernels_[number(kernel.key)];
  mine.executed.merge(kernel.executed);
  mine.in_context.merge(kernel.in_context);
  mine.along.merge(kernel.along);
  mine.skipped += kernel.skipped;
  mine.flops = kernel.flops;
}

}  // namespace flopcast::path
