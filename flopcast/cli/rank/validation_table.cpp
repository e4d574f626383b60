#include "flopcast/cli/rank/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/validation_errors.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

report::Table validation_table(const PlaceRanking& place) {
  report::Table table;
  table.columns = columns<"rank validation">(
      {"n", "chosen", "chosen_nb", "chosen_seconds", "fastest measured", "best_nb", "best_seconds", "regret", "order", "repeatability"});
  for (const tuning::Decision& d : place.decisions) {
    if (!d.validation) {
      continue;
    }
    const tuning::Check& check = *d.validation;
    table.rows.push_back({kernel::size_text(d.sizes),
                          variant_text(d.chosen.variant, place),
                          report::whole(d.chosen.blocks.nb),
                          {check.chosen_seconds, format_seconds(check.chosen_seconds)},
                          variant_text(check.best.variant, place),
                          report::whole(check.best.blocks.nb),
                          {check.best_seconds, format_seconds(check.best_seconds)},
                          {check.regret, format_percent(check.regret)},
                          fmt::format("{} of {}", check.order.right, check.order.pairs),
                          {check.repeatability, format_percent(check.repeatability)}});
  }
  return table;
}

}  // namespace

std::string validation_text(const Ranking& ranking, std::size_t place, const CommonOptions& common) {
  const PlaceRanking& own = ranking.places[place];
  const report::Table table = validation_table(own);
  const std::string where = ranking.places.size() > 1 ? ", " + place_name(own) : "";
  return table.rows.empty() ? ""
                            : fmt::format("\nvalidation{}\n\n", where) + render(table, common) +
                                  "\nrepeatability: how much two measurements of the same run differ\n";
}

std::string validation_summary(const PlaceRanking& place) {
  std::vector<double> regrets;
  ValidationErrors errors;
  tuning::OrderCheck order;
  for (const tuning::Decision& decision : place.decisions) {
    if (!decision.validation) {
      continue;
    }
    const tuning::Check& check = *decision.validation;
    order.pairs += check.order.pairs;
    order.right += check.order.right;
    if (check.chosen_seconds > 0) {
      regrets.push_back(check.regret);
    }
    errors.add(check);
  }
  if (regrets.empty()) {
    return "";
  }
  return fmt::format("validation: regret median {:.1f} %, worst {:.1f} %; {} of {} pairs in order; {}", 100 * median(regrets),
                     100 * quantile(regrets, 1), order.right, order.pairs, errors.text());
}

}  // namespace flopcast::cli
