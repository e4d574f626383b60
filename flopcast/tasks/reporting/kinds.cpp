#include "flopcast/tasks/reporting/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/field.hpp"
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

std::vector<std::string> place_words(const Environment& environment) {
  std::vector<std::string> words;
  if (!environment.blas.path.empty()) {
    words = {"--blas", environment.blas.path};
  }
  if (const LibraryIdentity& lapack = environment.lapack; !lapack.path.empty() && lapack.name != "reference") {
    words.insert(words.end(), {"--lapack", lapack.path});
  }
  if (environment.threads > 1) {
    words.insert(words.end(), {"--threads", std::to_string(environment.threads)});
  }
  return words;
}

std::vector<std::string> problem_words(const std::string& routine, std::string_view flags,
                                       const std::vector<std::vector<std::int64_t>>& problems) {
  const Routine* found = kernel::find(routine);
  if (found == nullptr || problems.empty()) {
    return {};
  }
  std::vector<std::string> words = {routine}, flag_names, size_names, needed_sizes;
  for (const Argument& argument : found->arguments) {
    if (argument.kind == Kind::flag) {
      flag_names.push_back(argument.name);
    } else if (argument.kind == Kind::size) {
      size_names.push_back(argument.name);
      needed_sizes.insert(needed_sizes.end(), argument.rows.empty() ? 1 : 0, argument.name);
    }
  }
  for (std::size_t i = 0; flag_names.size() == flags.size() && i < flags.size(); ++i) {
    words.push_back(fmt::format("{}={}", flag_names[i], flags[i]));
  }
  const std::size_t count = problems.front().size();
  if (count < size_names.size()) {
    size_names = std::move(needed_sizes);
  }
  const auto is_square = [](const auto& sizes) { return !sizes.empty() && std::equal(sizes.begin() + 1, sizes.end(), sizes.begin()); };
  if (std::all_of(problems.begin(), problems.end(), is_square)) {
    size_names = {"n"};
  }
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < size_names.size(); ++i) {
    SizeList sizes;
    for (const std::vector<std::int64_t>& problem : problems) {
      if (problem.size() != count || size_names.size() > count) {
        return {};
      }
      if (std::find(sizes.begin(), sizes.end(), problem[i]) == sizes.end()) {
        sizes.push_back(problem[i]);
      }
    }
    combinations *= sizes.size();
    words.push_back(fmt::format("{}={}", size_names[i], to_text(sizes)));
  }
  return combinations == problems.size() ? words : std::vector<std::string>();
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
