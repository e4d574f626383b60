#include "flopcast/tune/coverage.hpp"

#include <algorithm>

#include "flopcast/support/division.hpp"

namespace flopcast::tuning {
namespace {

constexpr std::int64_t max_columns = 12;
constexpr std::int64_t max_rows = 8;

}  // namespace

Coverage::Coverage(const Operand& operand) {
  for (const Region& part : operand.parts) {
    const std::int64_t columns = std::min(part.columns, max_columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t column = (2 * c + 1) * part.columns / (2 * columns);
      const std::int64_t length = part.column_bytes + column * part.growth_bytes;
      if (length <= 0) {
        continue;
      }
      const std::int64_t rows = std::min(length, max_rows);
      const double weight = static_cast<double>(length) / static_cast<double>(rows * columns) * static_cast<double>(part.columns);
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t offset = column * part.stride_bytes + (2 * r + 1) * length / (2 * rows);
        uncovered_.push_back({part.address + static_cast<std::uintptr_t>(offset), weight});
        total_ += weight;
      }
    }
  }
}

bool Coverage::add(const Call& call) {
  const double before = covered_;
  for (const Operand& operand : operands(call)) {
    for (const Region& part : operand.parts) {
      const Region lines = whole_lines(part, cache_line_bytes);
      const auto touched = [&](const Probe& probe) {
        const bool inside = lines.contains(probe.byte);
        covered_ += inside ? probe.weight : 0;
        return inside;
      };
      uncovered_.erase(std::remove_if(uncovered_.begin(), uncovered_.end(), touched), uncovered_.end());
    }
  }
  return covered_ > before;
}

bool Coverage::complete() const noexcept {
  static constexpr double enough = 0.85;
  return share() >= enough;
}

}  // namespace flopcast::tuning
