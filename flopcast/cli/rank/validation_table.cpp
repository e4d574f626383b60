#include "flopcast/cli/rank/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
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

Columns<tuning::Decision> columns_of(const PlaceRanking& place) {
  using tuning::Check;
  using tuning::Decision;
  Columns<Decision> columns;
  columns.add(size_column(), [](const Decision& d) { return kernel::size_text(d.sizes); });
  columns.text("chosen", "chosen", "variant that was predicted to be the fastest",
               [&place](const Decision& d) { return variant_text(d.chosen.variant, place); });
  const bool blocks = place.decisions.empty() || place.decisions.front().chosen.blocks.nb > 0;
  if (blocks) {
    columns.number("chosen_nb", "nb", "", "block size of the chosen variant", [](const Decision& d) { return d.chosen.blocks.nb; });
  }
  columns.show<&Decision::validation, &Check::chosen_seconds>("", "measured");
  columns.text("fastest_measured", "fastest measured", "variant that was fastest when measured",
               [&place](const Decision& d) { return variant_text(d.validation->best.variant, place); });
  if (blocks) {
    columns.number("best_nb", "nb", "", "block size of the fastest variant",
                   [](const Decision& d) { return d.validation->best.blocks.nb; });
  }
  columns.show<&Decision::validation, &Check::best_seconds>("", "measured");
  columns.show<&Decision::validation, &Check::regret>();
  columns.number("order", "pairs over 3 % in order", "",
                 "pairs of variants that differ by over 3 % when measured, and how many of them were predicted in the right order",
                 Best::large,
                 [](const Decision& d) { return fmt::format("{} of {}", d.validation->order.right, d.validation->order.pairs); });
  columns.show<&Decision::validation, &Check::repeatability>();
  return columns;
}

report::Table validation_table(const PlaceRanking& place) {
  std::vector<tuning::Decision> validated;
  std::copy_if(place.decisions.begin(), place.decisions.end(), std::back_inserter(validated),
               [](const tuning::Decision& d) { return d.validation.has_value(); });
  return columns_of(place).table(validated);
}

}  // namespace

std::vector<report::Column> validation_columns() { return columns_of({}).headings(); }

std::string validation_text(const Ranking& ranking, std::size_t place, const CommonOptions& common) {
  const PlaceRanking& own = ranking.places[place];
  const report::Table table = validation_table(own);
  const std::string where = ranking.places.size() > 1 ? ", " + place_text(own) : "";
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
