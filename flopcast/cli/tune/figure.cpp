#include "flopcast/cli/tune/tables.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "flopcast/kernel/routine_problem.hpp"

namespace flopcast::cli {

report::Figure tuning_figure(const RoutineTuning& part) {
  const std::vector<tuning::Decision>& decisions = part.decisions;
  report::Figure picture;
  picture.title = part.name() + ": time by block size, relative to the chosen one";
  picture.x = {"block size nb", false};
  picture.y = {"time / time of the chosen", false};
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    report::Series predicted{.title = "n = " + kernel::size_text(decisions[i].sizes) + " predicted", .style = report::Series::Style::line};
    std::map<std::int64_t, Seconds> best;
    for (const tuning::Forecast& forecast : decisions[i].forecasts) {
      const auto [at, is_new] = best.try_emplace(forecast.blocks.nb, forecast.seconds);
      at->second = std::min(at->second, forecast.seconds);
    }
    for (const auto& [nb, seconds] : best) {
      predicted.x.push_back(static_cast<double>(nb));
      predicted.y.push_back(seconds / decisions[i].chosen.seconds);
    }
    picture.series.push_back(std::move(predicted));
    if (const auto& check = decisions[i].validation; check && check->chosen_seconds > 0) {
      report::Series measured{.title = "n = " + kernel::size_text(decisions[i].sizes) + " measured",
                              .style = report::Series::Style::points};
      for (const tuning::Measured& m : check->measured) {
        measured.x.push_back(static_cast<double>(m.blocks.nb));
        measured.y.push_back(m.median / check->chosen_seconds);
      }
      picture.series.push_back(std::move(measured));
    }
  }
  return picture;
}

}  // namespace flopcast::cli
