#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::selective {

std::size_t KernelKeyHash::operator()(const KernelKey& key) const noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  // two chains of multiplications, as one waits for the other
  std::uint64_t first = (static_cast<std::uint64_t>(key.kind) << 32U | key.routine) * odd;
  std::uint64_t second = odd ^ static_cast<std::uint64_t>(key.size_count);
  for (std::size_t i = 0; i < key.words.size(); i += 2) {
    first = (first ^ static_cast<std::uint64_t>(key.words[i])) * odd;
    second = (second ^ static_cast<std::uint64_t>(key.words[i + 1])) * odd;
  }
  std::uint64_t hash = (first ^ first >> 32U) * odd + (second ^ second >> 29U);
  hash = (hash ^ hash >> 31U) * odd;
  return hash ^ hash >> 29U;
}

std::uint32_t KernelTable::number(const KernelKey& key) {
  std::uint32_t& recent = recent_[KernelKeyHash()(key) % recent_.size()];
  if (recent < kernels_.size() && kernels_[recent].key == key) {
    return recent;
  }
  const auto [place, added] = numbers_.try_emplace(key, static_cast<std::uint32_t>(kernels_.size()));
  if (added) {
    kernels_.push_back({key, {}, {}, {}, 0, 0});
  }
  recent = place->second;
  return recent;
}

void KernelTable::merge(const KernelRecord& kernel) {
  KernelRecord& mine = kernels_[number(kernel.key)];
  mine.executed.merge(kernel.executed);
  mine.in_context.merge(kernel.in_context);
  mine.along.merge(kernel.along);
  mine.skipped += kernel.skipped;
  mine.flops = kernel.flops;
}

}  // namespace flopcast::selective
