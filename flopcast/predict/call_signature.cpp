#include "flopcast/predict/call_signature.hpp"

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
    const WordSequence& key = keys_[slots_[at].number - 1];
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

std::span<const std::uint64_t> CallSignature::operator()(const Call& call) {
  const EncodedArguments& layout = this->layout(call.routine);
  std::size_t size = 0;
  words_[size++] = reinterpret_cast<std::uintptr_t>(call.routine);
  words_[size++] = static_cast<std::uint64_t>(call.threads);
  for (const std::uint8_t i : layout.arguments) {
    words_[size++] = static_cast<std::uint64_t>(call.arguments[i]);
  }
  for (std::size_t i = 0; i < layout.scalars; ++i) {
    words_[size++] = std::bit_cast<std::uint64_t>(call.scalars[i].real());
    words_[size++] = std::bit_cast<std::uint64_t>(call.scalars[i].imag());
  }
  return std::span(words_).first(size);
}

const CallSignature::EncodedArguments& CallSignature::layout(const Routine* routine) {
  const auto known =
      std::find_if(layouts_.begin(), layouts_.end(), [&](const EncodedArguments& layout) { return layout.routine == routine; });
  if (known != layouts_.end()) {
    return *known;
  }
  EncodedArguments layout{routine, {}, 0};
  for (std::size_t i = 0; i < routine->arguments.size(); ++i) {
    switch (routine->arguments[i].kind) {
      case Kind::data:
      case Kind::work:
      case Kind::pivots:
      case Kind::info: break;
      case Kind::scalar:
      case Kind::real_scalar: ++layout.scalars; break;
      default: layout.arguments.push_back(static_cast<std::uint8_t>(i));
    }
  }
  return layouts_.emplace_back(std::move(layout));
}

std::int64_t rounded_distance(std::int64_t distance_bytes) noexcept {
  if (distance_bytes < 16) {
    return distance_bytes;
  }
  const int shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(distance_bytes))) - 4;
  return ((distance_bytes + (std::int64_t{1} << (shift - 1))) >> shift) << shift;
}

std::uint64_t word(const OperandState& state) noexcept {
  return static_cast<std::uint64_t>(rounded_distance(state.distance_bytes)) << 8U | static_cast<std::uint64_t>(state.level) << 1U |
         (state.dirty ? 1U : 0U);
}

}  // namespace flopcast::prediction
