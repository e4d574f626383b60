#include "flopcast/predict/id_table.hpp"

#include <algorithm>
#include <bit>

namespace flopcast::prediction {
namespace {

std::uint64_t hash_of(std::span<const std::uint64_t> words) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio (Knuth, volume 3, section 6.4)
  std::uint64_t hash = words.size();
  for (const std::uint64_t word : words) {
    hash = (std::rotl(hash, 23) ^ word) * odd;
  }
  return hash ^ (hash >> 32U);
}

}  // namespace

std::pair<std::size_t, bool> IdTable::id(std::span<const std::uint64_t> words) {
  const std::uint64_t hash = hash_of(words);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash != hash) {
      continue;
    }
    const Key& key = keys_[slots_[at].number - 1];
    if (std::ranges::equal(words, std::span(words_).subspan(key.begin, key.size))) {
      return {slots_[at].number - 1, false};
    }
  }
  keys_.push_back({hash, words_.size(), words.size()});
  words_.insert(words_.end(), words.begin(), words.end());
  slots_[at] = {hash, keys_.size()};
  if (2 * keys_.size() > slots_.size()) {
    grow();
  }
  return {keys_.size() - 1, true};
}

void IdTable::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::size_t at = keys_[i].hash & (slots_.size() - 1);
    while (slots_[at].number != 0) {
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {keys_[i].hash, i + 1};
  }
}

}  // namespace flopcast::prediction
