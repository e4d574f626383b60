#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast::search {

/// The result of a comparison with a reference.
enum class Verdict : std::uint8_t {
  faster,  ///< certainly cheaper than the reference
  slower,  ///< certainly dearer
  same,    ///< certainly within the tolerance of the reference
  unsure   ///< none of the others is certain
};

inline constexpr std::array verdict_names{std::pair{Verdict::faster, "faster"}, std::pair{Verdict::slower, "slower"},
                                          std::pair{Verdict::same, "same"}, std::pair{Verdict::unsure, "unsure"}};
std::string to_string(Verdict verdict);

/// A candidate's cost over that of the reference in the same round.
struct ReferenceRatio {
  Verdict verdict = Verdict::unsure;
  std::optional<double> ratio;       ///< median of the rounds; nothing without a round that has both
  std::optional<Interval> interval;  ///< interval of the median; nothing with too few rounds
  friend bool operator==(const ReferenceRatio&, const ReferenceRatio&) = default;

  [[nodiscard]] bool is_above(double limit) const { return interval && interval->low > limit; }
};

}  // namespace flopcast::search

namespace flopcast {

template <>
struct EnumNames<search::Verdict> {
  static constexpr auto names = search::verdict_names;
};

}  // namespace flopcast
