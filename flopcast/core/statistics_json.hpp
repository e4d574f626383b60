#pragma once

#include <array>

#include <nlohmann/json.hpp>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/json.hpp"

/// JSON of intervals: [low, high].
namespace flopcast {

inline void to_json(nlohmann::json& json, const Interval& interval) { json = {interval.low, interval.high}; }
inline void from_json(const nlohmann::json& json, Interval& interval) {
  std::array<double, 2> ends{};
  read_value(json, ends);
  interval = {ends[0], ends[1]};
}

}  // namespace flopcast
