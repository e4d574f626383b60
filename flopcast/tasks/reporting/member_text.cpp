#include "flopcast/tasks/reporting/member_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flopcast/support/units.hpp"

namespace flopcast {

std::string member_title(std::string_view name) {
  for (const auto& [whole, title] : {std::pair("seconds", "time"), std::pair("flops_per_second", "rate")}) {
    if (name == whole) {
      return title;
    }
  }
  for (const std::string_view ending : {"_seconds", "_bytes_per_second", "_flops_per_second", "_bytes"}) {
    name.remove_suffix(name.ends_with(ending) ? ending.size() : 0);
  }
  std::string title(name);
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

report::Cell number_cell(double value, std::string_view unit) {
  const std::string text = unit == "s"          ? format_seconds(value)
                           : unit == "B"        ? format_bytes(value)
                           : unit == "B/s"      ? format_bandwidth(value)
                           : unit == "flop/s"   ? format_flop_rate(value)
                           : unit == "fraction" ? format_percent(value)
                           : unit == "%"        ? fmt::format("{:.1f}", value)
                                                : fmt::format("{:.4g}", value);
  return {value, text};
}

}  // namespace flopcast
