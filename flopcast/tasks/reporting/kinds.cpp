#include "flopcast/tasks/reporting/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast {

std::string date_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (seconds <= 0 || localtime_r(&time, &parts) == nullptr) {
    return "";
  }
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

std::string seconds_text(const Interval& interval) {
  return fmt::format("{} to {}", format_seconds(interval.low), format_seconds(interval.high));
}

report::Bar time_bar(std::string label, Seconds seconds, const std::optional<Interval>& interval, bool reference) {
  const std::string text = format_seconds(seconds) + (interval ? " (" + seconds_text(*interval) + ")" : "");
  return {std::move(label), std::max(0.0, seconds), text, interval, reference};
}

std::vector<std::size_t> spread_indices(std::size_t count, std::size_t max_count) {
  std::vector<std::size_t> indices(std::min(count, max_count));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = indices.size() > 1 ? i * (count - 1) / (indices.size() - 1) : 0;
  }
  return indices;
}

report::Strips parts_picture(std::string caption, std::vector<std::string> series, const std::vector<PartsRow>& rows) {
  static constexpr std::size_t bins = 200;
  report::Strips strips{std::move(caption), std::move(series), {}};
  for (const PartsRow& row : rows) {
    strips.end = std::max(strips.end, std::accumulate(row.parts.begin(), row.parts.end(), 0.0));
  }
  for (const PartsRow& row : rows) {
    report::Strips::BinRow& strip = strips.strips.emplace_back();
    strip.label = row.label;
    strip.bins.assign(bins, std::vector<double>(strips.series.size(), 0.0));
    double begin = 0;  // of a part, in bins
    for (std::size_t part = 0; part < row.parts.size(); ++part) {
      const double end = begin + (strips.end > 0 ? row.parts[part] / strips.end * static_cast<double>(bins) : 0);
      for (auto bin = static_cast<std::size_t>(begin); bin < bins && static_cast<double>(bin) < end; ++bin) {
        const auto low = static_cast<double>(bin);
        strip.bins[bin][part] = std::min(end, low + 1) - std::max(begin, low);
      }
      begin = end;
    }
  }
  return strips;
}

report::Trust trust_of(const std::vector<std::string>& remarks, report::Trust otherwise) {
  const auto is_noisy = [](const std::string& remark) { return remark.starts_with(noisy_machine); };
  return std::any_of(remarks.begin(), remarks.end(), is_noisy) ? report::Trust::noisy : otherwise;
}

void add_picture(PageContents& contents, const std::function<report::Picture()>& draw) {
  try {
    contents.pictures.push_back(draw());
  } catch (const Error& error) {
    contents.warnings.emplace_back(error.what());
  }
}

}  // namespace flopcast
