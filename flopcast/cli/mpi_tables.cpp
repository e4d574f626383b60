#include "flopcast/cli/mpi_tables.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace flopcast::cli {

using nlohmann::json;

double number(const json& document, const char* name) { return document.at(name).get<double>(); }

std::vector<json> kernels_by_time(const json& profile) {
  std::vector<json> kernels = profile.at("kernels");
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const json& a, const json& b) { return number(a.at("along"), "seconds") > number(b.at("along"), "seconds"); });
  return kernels;
}

report::Cell seconds_cell(Seconds seconds) { return {seconds, format_seconds(seconds)}; }

report::Cell percent(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

}  // namespace flopcast::cli
