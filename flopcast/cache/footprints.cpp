#include "flopcast/cache/footprints.hpp"

#include <unordered_map>

namespace flopcast::cache {
namespace {

bool is_address(Kind kind) { return kind == Kind::data || kind == Kind::work || kind == Kind::pivots || kind == Kind::info; }

/// Returns whether two calls differ in their addresses only.
bool same_footprints(const Call& a, const Call& b) {
  if (a.routine != b.routine) {
    return false;
  }
  const std::vector<Argument>& arguments = a.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (a.arguments[i] != b.arguments[i] && !is_address(arguments[i].kind)) {
      return false;
    }
  }
  return true;
}

/// Returns a hash of all properties of a call that its footprints depend on.
std::uint64_t hash_without_addresses(const Call& call) {
  static constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: spreads neighbouring sizes (Knuth, 6.4)
  auto hash = reinterpret_cast<std::uintptr_t>(call.routine) * odd;
  const std::vector<Argument>& arguments = call.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_address(arguments[i].kind)) {
      hash = ((hash << 5 | hash >> 59) ^ static_cast<std::uint64_t>(call.arguments[i])) * odd;
    }
  }
  return hash;
}

Call without_addresses(Call call) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_address(call.routine->arguments[i].kind)) {
      call.arguments[i] = 0;
    }
  }
  return call;
}

}  // namespace

Footprints::Footprints(const Trace& trace, std::int64_t line_bytes) : calls_(trace.calls), line_bytes_(line_bytes) {
  const auto hash = [this](std::size_t call) { return static_cast<std::size_t>(hash_without_addresses(calls_[call])); };
  const auto same = [this](std::size_t a, std::size_t b) { return same_footprints(calls_[a], calls_[b]); };
  std::unordered_map<std::size_t, std::uint32_t, decltype(hash), decltype(same)> known(0, hash, same);  // key: first call with the pattern
  pattern_of_.reserve(calls_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (i > 0 && same(i, i - 1)) {
      pattern_of_.push_back(pattern_of_.back());
      continue;
    }
    const auto [pattern, is_new] = known.try_emplace(i, static_cast<std::uint32_t>(patterns_.size()));
    pattern_of_.push_back(pattern->second);
    if (is_new) {
      add_pattern(without_addresses(calls_[i]));
    }
  }
}

void Footprints::add_pattern(const Call& call) {
  const Operands all = operands(call);
  const std::size_t first = parts_.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool widened = line_bytes_ > 1 && all[i].parts.size() == 1;  // lines of several parts might overlap
    for (const Region& region : all[i].parts) {
      parts_.push_back({{region, static_cast<std::uint8_t>(i), all[i].access != Access::read}, all[i].argument, widened});
    }
  }
  patterns_.push_back({first, parts_.size() - first, static_cast<std::uint8_t>(all.size())});
}

}  // namespace flopcast::cache
