#include "flopcast/cli/roofline/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

using report::Cell;
using report::Column;
using report::Table;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Rates;
using roofline::Roofline;

namespace {

/// Returns half the width of the median's 95 % interval in percent of the median. Beyond 100 %, a number would say no more.
std::string spread(const Rates& rates) {
  if (rates.samples.size() == 1) {
    return "one sample";
  }
  const Interval interval = rates.interval();
  const double percent = 50 * (interval.high - interval.low) / rates.median();
  return percent > 100 ? "> 100 %" : fmt::format("{:.1f} %", percent);
}

/// Adds a column with a rate for each number of threads, and behind each its spread if `with_spread`. `find` returns the rates of a row with
/// so many threads, and the rate to show; nullptr without such rates.
template <class Row, class Find>
void add_rates(Columns<Row>& columns, const std::vector<int>& counts, bool with_spread, Find find) {
  for (const int threads : counts) {
    const std::string title = threads == 0 ? "THREADS" : counted(threads, "thread");
    columns.number(title, title, "", "rate with so many threads", Best::large, [=](const Row& row) { return find(row, threads).first; });
    if (with_spread) {
      columns.add(spread_column(), [=](const Row& row) {
        const Rates* rates = find(row, threads).second;
        return rates == nullptr ? "" : spread(*rates);
      });
    }
  }
}

Columns<ComputeRoof> compute_columns(const Roofline& roofline, const std::vector<int>& counts) {
  Columns<ComputeRoof> columns;
  columns.show<&ComputeRoof::name>("ceiling");
  add_rates(columns, counts, false, [&roofline](const ComputeRoof& first, int threads) -> std::pair<std::string, const Rates*> {
    const auto found = std::find_if(roofline.compute.begin(), roofline.compute.end(),
                                    [&](const ComputeRoof& roof) { return roof.threads == threads && roof.name == first.name; });
    return found == roofline.compute.end() ? std::pair("", nullptr) : std::pair(format_flop_rate(found->ceiling()), &found->flops);
  });
  columns.add(spread_column(), [](const ComputeRoof& roof) { return spread(roof.flops); });
  columns.add(shown<&ComputeRoof::instructions_per_cycle>("per cycle"),
              [](const ComputeRoof& roof) { return fmt::format("{:.2f}", roof.instructions_per_cycle); });
  columns.number("clock", "clock", "Hz", "the clock right after the loop", Best::large,
                 [](const ComputeRoof& roof) { return fmt::format("{:.2f} GHz", median(roof.clocks) * 1e-9); });
  return columns;
}

Columns<BandwidthRoof> bandwidth_columns(const Roofline& roofline, const std::vector<int>& counts) {
  Columns<BandwidthRoof> columns;
  columns.show<&BandwidthRoof::level>();
  columns.add(shown<&BandwidthRoof::stream>(),
              [](const BandwidthRoof& roof) { return roof.stream + (roof.nontemporal ? " non-temporal" : ""); });
  add_rates(columns, counts, true, [&roofline](const BandwidthRoof& first, int threads) -> std::pair<std::string, const Rates*> {
    const BandwidthRoof* roof = find_bandwidth(roofline, first.level, first.stream, threads, first.nontemporal);
    return roof == nullptr ? std::pair("", nullptr) : std::pair(format_bandwidth(roof->bytes.attained()), &roof->bytes);
  });
  columns.add(shown<&BandwidthRoof::moved_per_byte>("moved_per_byte", "moved / counted"),
              [](const BandwidthRoof& roof) { return fmt::format("{:.2f}", roof.moved_per_byte); });
  columns.add(shown<&BandwidthRoof::working_set_bytes>("working set"),
              [](const BandwidthRoof& roof) { return format_bytes(static_cast<double>(roof.working_set_bytes)); });
  return columns;
}

/// The triads of one length by their number of threads.
using TriadLength = std::pair<const std::int64_t, std::map<int, const BandwidthRoof*>>;

Columns<TriadLength> triad_columns(const std::vector<int>& counts) {
  Columns<TriadLength> columns;
  columns.add(shown<&BandwidthRoof::working_set_bytes>("length"), &TriadLength::first);
  add_rates(columns, counts, true, [](const TriadLength& length, int threads) -> std::pair<std::string, const Rates*> {
    const auto found = length.second.find(threads);
    return found == length.second.end() ? std::pair("", nullptr)
                                        : std::pair(format_bandwidth(found->second->bytes.attained()), &found->second->bytes);
  });
  return columns;
}

Columns<GemmRoof> gemm_columns(const Roofline& roofline) {
  Columns<GemmRoof> columns;
  columns.add(shown<&GemmRoof::library>("gemm of"), [](const GemmRoof& roof) { return library_text(roof.library); });
  columns.show<&GemmRoof::routine>();
  columns.add(shown<&LibraryIdentity::kernels>(), &GemmRoof::library, &LibraryIdentity::kernels);
  columns.show<&GemmRoof::threads>();
  columns.add(numbers(shown<&GemmRoof::shape>("best m x n x k")), [](const GemmRoof& roof) { return to_string(roof.shape); });
  columns.add(roof_rate_column(), [](const GemmRoof& roof) { return roof.flops.attained(); });
  columns.add(spread_column(), [](const GemmRoof& roof) { return spread(roof.flops); });
  columns.number("of FMA", "of FMA", "fraction", "the rate over that of the best loop of multiply-adds in registers", Best::large,
                 [&roofline](const GemmRoof& roof) {
                   const ComputeRoof* peak = best_compute(roofline, roof.threads, roofline::precision(roof.routine));
                   return peak == nullptr ? Cell("") : percent(roof.flops.attained() / peak->ceiling());
                 });
  columns.add(shown<&GemmRoof::possible_gain>("left to gain"),
              [](const GemmRoof& roof) { return roof.error_probability < 1 ? percent(roof.possible_gain) : Cell("not bounded"); });
  columns.show<&GemmRoof::evaluations>();
  columns.show<&GemmRoof::ending>("search");
  columns.add(shown<&GemmRoof::seconds>("took"), [](const GemmRoof& roof) { return format_seconds(roof.seconds); });
  return columns;
}

/// Returns the roofs with the least number of threads, one for each row.
template <class Roof>
std::vector<Roof> first_roofs(const std::vector<Roof>& roofs, const std::vector<int>& counts) {
  std::vector<Roof> first;
  std::copy_if(roofs.begin(), roofs.end(), std::back_inserter(first), [&](const Roof& roof) { return roof.threads == counts.front(); });
  return first;
}

}  // namespace

std::vector<int> thread_counts(const Roofline& roofline) {
  std::set<int> counts;
  for (const ComputeRoof& roof : roofline.compute) {
    counts.insert(roof.threads);
  }
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    counts.insert(roof.threads);
  }
  return {counts.begin(), counts.end()};
}

std::string library_text(const LibraryIdentity& library) {
  return fmt::format("{} {}{}", library.name, library.version, library.threading.empty() ? "" : " " + library.threading);
}

Cell percent(double share) { return {share, fmt::format("{:.1f} %", 100 * share)}; }

Column spread_column() {
  return number_column("+-", "+-", "%", "half the 95 % interval of the median, in percent of the median", Best::small);
}
Column roof_rate_column() {
  return number_column("rate", "rate", "flop/s", "flops per second; in --csv flops or bytes per second, as the unit says");
}

Table compute_table(const Roofline& roofline) {
  const std::vector<int> counts = thread_counts(roofline);
  return compute_columns(roofline, counts).table(first_roofs(roofline.compute, counts));
}

Table bandwidth_table(const Roofline& roofline) {
  const std::vector<int> counts = thread_counts(roofline);
  return bandwidth_columns(roofline, counts).table(first_roofs(roofline.bandwidth, counts));
}

Table triad_table(const Roofline& roofline) {
  std::map<std::int64_t, std::map<int, const BandwidthRoof*>> lengths;
  for (const BandwidthRoof& roof : roofline.triad_lengths) {
    lengths[roof.working_set_bytes][roof.threads] = &roof;
  }
  return triad_columns(thread_counts(roofline)).table(std::vector<TriadLength>(lengths.begin(), lengths.end()));
}

Table gemm_table(const Roofline& roofline) { return gemm_columns(roofline).table(roofline.gemm); }

std::vector<Column> measured_roof_columns() {
  const Roofline none;
  return TableColumns{"", compute_columns(none, {0}).headings()}
      .with(bandwidth_columns(none, {0}).headings())
      .with(triad_columns({0}).headings())
      .with(gemm_columns(none).headings())
      .columns;
}

std::string ties_text(const Roofline& roofline) {
  constexpr std::size_t max_named = 6;
  std::string text;
  for (const GemmRoof& roof : roofline.gemm) {
    std::vector<std::string> names;
    for (const roofline::GemmTrial& trial : roof.trials) {
      if (trial.state == "tie" && trial.shape != roof.shape) {
        names.push_back(to_string(trial.shape));
      }
    }
    if (names.empty()) {
      continue;
    }
    const std::size_t more = names.size() - std::min(names.size(), max_named);
    names.resize(names.size() - more);
    text += fmt::format("- {} of {}, {}: {}{} (that a shape besides all of them is the best has a probability of {:.2g} % at most)\n",
                        roof.routine, library_text(roof.library), counted(roof.threads, "thread"), fmt::join(names, ", "),
                        more > 0 ? fmt::format(" and {} more", more) : "", 100 * roof.error_probability);
  }
  return text.empty() ? "" : "Shapes that tie with the best one, which isn't certainly faster:\n\n" + text + '\n';
}

}  // namespace flopcast::cli
