#include <map>
#include <utility>

#include "flopcast/cli/rank/tables.hpp"

namespace flopcast::cli {

report::Figure ranking_figure(const Ranking& ranking) {
  using report::Series;
  static constexpr double giga = 1e9;
  report::Figure picture;
  picture.title = ranking.family + ": variants at their best block sizes (lines predicted, points measured)";
  picture.x = {"n", false};
  picture.y = {"GFLOP/s", false};
  for (const PlaceRanking& place : ranking.places) {
    std::map<std::string, std::pair<Series, Series>> curves;
    for (std::size_t p = 0; p < place.decisions.size(); ++p) {
      const double work = place.decisions[p].flops / giga;
      const auto n = static_cast<double>(place.decisions[p].sizes.back());
      for (const tuning::VariantRank& rank : place.decisions[p].ranking) {
        auto& [predicted, measured] = curves[rank.best.variant];
        predicted.x.push_back(n);
        predicted.y.push_back(work / rank.best.seconds);
        if (const tuning::Measured* run = find_measured(place.decisions[p], rank.best)) {
          measured.x.push_back(n);
          measured.y.push_back(work / run->median);
        }
      }
    }
    for (auto& [variant, pair] : curves) {
      const std::string title = variant_text(variant, place) + (ranking.places.size() > 1 ? ", " + place_name(place) : "");
      pair.first.title = title;
      pair.first.style = Series::Style::line;
      pair.second.title = title + " measured";
      pair.second.style = Series::Style::points;
      picture.series.push_back(std::move(pair.first));
      if (!pair.second.x.empty()) {
        picture.series.push_back(std::move(pair.second));
      }
    }
  }
  return picture;
}

}  // namespace flopcast::cli
