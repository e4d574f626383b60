#include "flopcast/core/kernel_model.hpp"

#include "flopcast/model/model_json.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

/// Returns the position at which to cut [low, high], or nothing if the halves would be too narrow.
std::optional<std::int64_t> cut(std::int64_t low, std::int64_t high, std::int64_t min_size, std::int64_t min_width) {
  const std::int64_t middle = low + (high - low) / 2;
  const std::int64_t at = (middle + min_width / 2) / min_width * min_width;
  if (at - low < min_size || high - at < min_size) {
    return std::nullopt;
  }
  return at;
}

double log_distance(const Box& box, std::span<const std::int64_t> sizes) {
  double sum = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t inside = std::clamp(sizes[d], box.low[d], box.high[d]);
    sum += std::fabs(
        std::log(static_cast<double>(std::max<std::int64_t>(1, sizes[d])) / static_cast<double>(std::max<std::int64_t>(1, inside))));
  }
  return sum;
}

}  // namespace

bool Box::contains(std::span<const std::int64_t> sizes) const noexcept {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < low[d] || sizes[d] > high[d]) {
      return false;
    }
  }
  return true;
}

void check(const Box& box) {
  if (box.low.empty() || box.low.size() > max_sizes || box.low.size() != box.high.size()) {
    throw bad_input("a domain has {} lower and {} upper bounds; expected 1 to {} of each", box.low.size(), box.high.size(), max_sizes);
  }
  for (std::size_t d = 0; d < box.low.size(); ++d) {
    if (box.low[d] < 0 || box.low[d] > box.high[d]) {
      throw bad_input("size {} of a domain ranges from {} to {}; expected 0 <= first <= last", d + 1, box.low[d], box.high[d]);
    }
  }
}

Sizes nearest_point(const Box& box, std::span<const std::int64_t> sizes) {
  Sizes nearest(sizes.begin(), sizes.end());
  for (std::size_t d = 0; d < nearest.size(); ++d) {
    nearest[d] = std::clamp(nearest[d], box.low[d], box.high[d]);
  }
  return nearest;
}

const Box& nearest_box(std::span<const Box> boxes, std::span<const std::int64_t> sizes) {
  return *std::min_element(boxes.begin(), boxes.end(),
                           [&](const Box& a, const Box& b) { return log_distance(a, sizes) < log_distance(b, sizes); });
}

std::vector<Box> subdivide(const Box& box, std::int64_t min_size, std::int64_t min_width) {
  std::vector<Box> parts = {box};
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    const std::optional<std::int64_t> at = cut(box.low[d], box.high[d], min_size, min_width);
    if (!at) {
      continue;
    }
    const std::size_t count = parts.size();
    for (std::size_t i = 0; i < count; ++i) {
      parts.push_back(parts[i]);
      parts[i].high[d] = *at;
      parts.back().low[d] = *at;
    }
  }
  return parts;
}

void to_json(nlohmann::json& json, const Box& box) {
  json = nlohmann::json::object();
  write_fields(json, box);
}

void from_json(const nlohmann::json& json, Box& box) {
  read_fields(json, box);
  try {
    check(box);
  } catch (const Error& error) {
    throw MemberError("", error.what());
  }
}

}  // namespace flopcast::model
