#include "flopcast/cli/mpi/tables.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "flopcast/support/json.hpp"

namespace flopcast::cli {

using nlohmann::json;

std::vector<std::reference_wrapper<const json>> kernels_by_time(const json& profile, std::size_t most) {
  std::vector<std::pair<Seconds, std::reference_wrapper<const json>>> timed;
  for_each_element(profile, "kernels", [&](const json& kernel) {
    timed.emplace_back(at_place("along", [&] { return number(kernel.at("along"), "seconds"); }), kernel);
  });
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::reference_wrapper<const json>> kernels;
  for (std::size_t i = 0; i < std::min(most, timed.size()); ++i) {
    kernels.push_back(timed[i].second);
  }
  return kernels;
}

report::Cell seconds_cell(Seconds seconds) { return {seconds, format_seconds(seconds)}; }

report::Cell percent(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

}  // namespace flopcast::cli
