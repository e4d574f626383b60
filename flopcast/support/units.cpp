#include "flopcast/support/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

std::string three_digits(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 99.95) {
    return fmt::format("{:.0f}", value);
  }
  return magnitude >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

/// Builds the error for a wrong value: usage_error for an option ("--time-budget"), otherwise bad_input for a file or a word of it.
template <class... Args>
Error bad_value(std::string_view what, fmt::format_string<std::string_view&, Args...> text, Args&&... args) {
  return {what.substr(0, 2) == "--" ? ExitCode::usage : ExitCode::bad_input, fmt::format(text, what, std::forward<Args>(args)...)};
}

std::pair<double, std::string_view> number_and_suffix(std::string_view text, std::string_view what, std::string_view expected) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) {
    throw bad_value(what, "{}: '{}' is not {}", text, expected);
  }
  std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  while (!suffix.empty() && suffix.front() == ' ') {
    suffix.remove_prefix(1);
  }
  return {value, suffix};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t at = text.find(separator, start);
    parts.push_back(text.substr(start, at == std::string_view::npos ? at : at - start));
    if (at == std::string_view::npos) {
      return parts;
    }
    start = at + 1;
  }
}

std::string format_percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string format_seconds(Seconds seconds) {
  const double magnitude = std::fabs(seconds);
  if (magnitude == 0) {
    return "0 s";
  }
  if (magnitude < 0.9995e-6) {
    return three_digits(seconds * 1e9) + " ns";
  }
  if (magnitude < 0.9995e-3) {
    return three_digits(seconds * 1e6) + " µs";
  }
  if (magnitude < 0.9995) {
    return three_digits(seconds * 1e3) + " ms";
  }
  return three_digits(seconds) + " s";
}

std::string format_bytes(double bytes) {
  static constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return (bytes == std::floor(bytes) ? fmt::format("{:.0f}", bytes) : three_digits(bytes)) + " " + units[unit];
}

std::string format_flop_rate(double flops_per_second) { return three_digits(flops_per_second * 1e-9) + " GFLOP/s"; }
std::string format_bandwidth(double bytes_per_second) { return three_digits(bytes_per_second * 1e-9) + " GB/s"; }

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with("ss") ? "es" : "s");
}

Seconds parse_duration(std::string_view text, std::string_view what) {
  static constexpr std::string_view expected = "a duration such as 2us, 30s, 5min or 1h";
  const auto [value, suffix] = number_and_suffix(text, what, expected);
  if (suffix.empty() || suffix == "s") {
    return value;
  }
  if (suffix == "ms") {
    return value * 1e-3;
  }
  if (suffix == "us" || suffix == "µs") {
    return value * 1e-6;
  }
  if (suffix == "ns") {
    return value * 1e-9;
  }
  if (suffix == "min" || suffix == "m") {
    return value * 60;
  }
  if (suffix == "h") {
    return value * 3600;
  }
  throw bad_value(what, "{}: '{}' is not {}", text, expected);
}

double parse_fraction(std::string_view text, std::string_view what, double minimum, double maximum) {
  static constexpr std::string_view expected = "a share such as 5% or 0.05";
  const auto [value, suffix] = number_and_suffix(text, what, expected);
  if (!suffix.empty() && suffix != "%") {
    throw bad_value(what, "{}: '{}' is not {}", text, expected);
  }
  const double fraction = suffix.empty() ? value : value / 100;
  if (fraction < minimum || fraction > maximum) {
    throw bad_value(what, "{}: {} is out of range; expected a share from {:g} to {:g}", text, minimum, maximum);
  }
  return fraction;
}

std::int64_t parse_bytes(std::string_view text, std::string_view what) {
  static constexpr std::string_view expected = "a number of bytes such as 48KiB, 2MiB or 1GiB";
  const auto [value, suffix] = number_and_suffix(text, what, expected);
  double factor = 1;
  if (suffix == "KiB" || suffix == "K") {
    factor = 1024.0;
  } else if (suffix == "MiB" || suffix == "M") {
    factor = 1024.0 * 1024;
  } else if (suffix == "GiB" || suffix == "G") {
    factor = 1024.0 * 1024 * 1024;
  } else if (!suffix.empty() && suffix != "B") {
    throw bad_value(what, "{}: '{}' is not {}", text, expected);
  }
  if (value * factor > 9e18) {
    throw bad_value(what, "{}: '{}' is more bytes than any machine has", text);
  }
  return static_cast<std::int64_t>(value * factor);
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last, std::int64_t step) {
  if (step <= 0) {
    throw bad_input("a range with the step {}; expected a positive one", step);
  }
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value += step) {
    values.push_back(value);
  }
  return values;
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t minimum, std::int64_t maximum) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw bad_input("{}: {} is out of range; expected an integer from {} to {}", what, text, minimum, maximum);
  }
  if (error != std::errc() || rest != text.data() + text.size()) {
    throw bad_input("{}: '{}' is not an integer; expected one from {} to {}", what, text, minimum, maximum);
  }
  if (value < minimum || value > maximum) {
    throw bad_input("{}: {} is out of range; expected an integer from {} to {}", what, value, minimum, maximum);
  }
  return value;
}

std::vector<std::int64_t> parse_sizes(std::string_view text, std::string_view what, std::int64_t minimum, std::int64_t maximum) {
  static constexpr std::int64_t max_steps = 15;
  static constexpr std::size_t max_values = 100'000;
  std::vector<std::int64_t> sizes;
  for (const std::string_view item : split(text, ',')) {
    const std::vector<std::string_view> parts = split(item, ':');
    if (parts.size() > 3) {
      throw bad_input("{}: '{}' is not a size, FIRST:LAST or FIRST:LAST:STEP", what, item);
    }
    const std::int64_t first = parse_integer(parts[0], what, minimum, maximum);
    const std::int64_t last = parts.size() > 1 ? parse_integer(parts[1], what, minimum, maximum) : first;
    if (last < first) {
      throw bad_input("{}: the range {} ends before it starts", what, item);
    }
    if (parts.size() == 2) {
      const std::int64_t steps = std::max<std::int64_t>(1, std::min(max_steps, last - first));
      for (std::int64_t i = 0; i <= steps; ++i) {
        sizes.push_back(first + (last - first) * i / steps);
      }
      continue;
    }
    if (sizes.size() > max_values) {
      throw bad_input("{}: more than {} values given; give fewer ranges, or larger steps", what, max_values);
    }
    const std::int64_t step = parts.size() > 2 ? parse_integer(parts[2], fmt::format("{} (step)", what), 1, maximum) : 1;
    if ((last - first) / step > 100000) {
      throw bad_input("{}: the range {} has more than 100000 values; give a larger step", what, item);
    }
    for (std::int64_t value = first; value <= last; value += step) {
      sizes.push_back(value);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance <= std::max<std::size_t>(1, name.size() / 3)) {
      ranked.emplace_back(distance, candidate);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, candidate] : ranked) {
    if (distance > ranked.front().first || nearest.size() == 3) {
      break;
    }
    nearest.push_back(candidate);
  }
  return nearest;
}

}  // namespace flopcast
