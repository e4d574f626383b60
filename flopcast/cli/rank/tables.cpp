#include "flopcast/cli/rank/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/report/spread.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

std::string description(const Ranking& ranking, const std::string& variant) {
  for (const VariantInfo& info : ranking.variants) {
    if (info.variant == variant) {
      return info.description;
    }
  }
  return "the library's own routine, default block size";
}

report::Cell names(const std::vector<std::string>& variants, const PlaceRanking& place) {
  std::vector<std::string> texts;
  for (const std::string& variant : variants) {
    texts.push_back(variant_text(variant, place));
  }
  return counted_cell(texts.size(), fmt::format("{}", fmt::join(texts, " ")));
}

/// A variant in the ranking of one problem in one place.
struct RankedVariant {
  const PlaceRanking* place;
  const tuning::Decision* decision;
  const tuning::VariantRank* rank;
};

/// Adds the columns that drivers have alone: times with other spectra than that of the ranking, if it has one.
void add_driver_columns(Columns<RankedVariant>& columns, const Ranking& ranking) {
  const bool all = ranking.variants.empty();
  for (const auto& [spectrum, name] : kernel::spectrum_names) {
    if (all || (ranking.spectrum && ranking.spectrum != spectrum)) {
      columns.number(fmt::format("{}_seconds", name), name, "s", fmt::format("predicted time of a driver with the {} spectrum", name),
                     [name = std::string(name)](const RankedVariant& row) {
                       for (const tuning::SpectrumTime& time : row.rank->spectra) {
                         if (time.spectrum == name) {
                           return report::Cell(time.seconds, format_seconds(time.seconds) + (time.extrapolated > 0.01 ? " *" : ""));
                         }
                       }
                       return report::Cell("");
                     });
    }
  }
}

/// Returns the columns of variants; `where` adds columns that name the place.
Columns<RankedVariant> variant_columns(const Ranking& ranking, bool where, bool measured) {
  using report::Cell;
  using tuning::VariantRank;
  using Row = RankedVariant;
  const auto forecast = [](const Row& row) -> const tuning::Forecast& { return row.rank->best; };
  Columns<Row> columns;
  if (where) {
    columns.add(blas_column(), [](const Row& row) { return row.place->environment.blas.name; });
    columns.add(shown<&PlaceRanking::threads>(), [](const Row& row) { return row.place->threads; });
    columns.add(size_column(), [](const Row& row) { return kernel::size_text(row.decision->sizes); });
  }
  columns.add(shown<&VariantRank::rank>(), &Row::rank, &VariantRank::rank);
  columns.add(shown<&tuning::Forecast::variant>(), [forecast](const Row& row) {
    return toned(variant_text(forecast(row).variant, *row.place), row.rank->rank == 1 ? report::Tone::good : report::Tone::plain);
  });
  columns.add(titled(shown<&VariantInfo::description>(), ""),
              [&ranking, forecast](const Row& row) { return description(ranking, forecast(row).variant); });
  const bool drivers = is_of_drivers(ranking);
  if (!drivers) {
    columns.add(nb_column(), [forecast](const Row& row) { return nb_cell(forecast(row).blocks); });
  }
  columns.add(shown<&tuning::Forecast::seconds>("", "predicted"), [forecast](const Row& row) {
    return Cell(forecast(row).seconds, format_seconds(forecast(row).seconds) + (forecast(row).extrapolated > 0.01 ? " *" : ""));
  });
  columns.add(interval(shown<&tuning::Forecast::interval>("seconds", "95 % interval")), [forecast](const Row& row) {
    const Interval& range = forecast(row).interval;
    return Cell(range.low, range.high, fmt::format("{} - {}", format_seconds(range.low), format_seconds(range.high)));
  });
  columns.add(predicted_rate_column(), [forecast](const Row& row) { return row.decision->flops / forecast(row).seconds; });
  columns.add(shown<&VariantRank::behind>("", "slower"), &Row::rank, &VariantRank::behind);
  columns.add(shown<&VariantRank::ties>("", "ties with"), [](const Row& row) { return names(row.rank->ties, *row.place); });
  columns.add(shown<&VariantRank::regret>("", "max regret"), &Row::rank, &VariantRank::regret);
  if (drivers || ranking.variants.empty()) {
    add_driver_columns(columns, ranking);
  }
  columns.add(shown<&VariantRank::resident_bytes>("", "memory"), &Row::rank, &VariantRank::resident_bytes);
  if (measured) {
    const auto run_of = [forecast](const Row& row) { return find_measured(*row.decision, forecast(row)); };
    columns.add(shown<&tuning::Measured::median>("measured_seconds"), [run_of](const Row& row) {
      const tuning::Measured* run = run_of(row);
      return run != nullptr ? std::optional(run->median) : std::nullopt;
    });
    columns.add(shown<&tuning::Measured::error>(), [run_of](const Row& row) {
      const tuning::Measured* run = run_of(row);
      return run != nullptr ? Cell(run->error, fmt::format("{:+.1f} %", 100 * run->error)) : Cell("");
    });
  }
  return columns;
}

/// Returns a row per variant in these places at the sizes of `problems`; `where` adds columns that name the place.
report::Table variants_table(const Ranking& ranking, const std::vector<const PlaceRanking*>& places,
                             const std::vector<std::size_t>& problems, bool where) {
  const bool measured = std::any_of(places.begin(), places.end(), [](const PlaceRanking* place) { return has_validations(*place); });
  std::vector<RankedVariant> rows;
  std::vector<RoutineSizes> sizes;
  for (const PlaceRanking* place : places) {
    for (const std::size_t p : problems) {
      for (const tuning::VariantRank& rank : place->decisions[p].ranking) {
        rows.push_back({place, &place->decisions[p], &rank});
        sizes.push_back({ranking.routine, place->decisions[p].sizes});
      }
    }
  }
  report::Table table = variant_columns(ranking, where, measured).table(rows);
  return where ? with_size_columns(std::move(table), sizes) : table;
}

/// Returns the columns that compare `variants` at each size.
Columns<tuning::Decision> summary_columns(const std::vector<std::string>& variants, const PlaceRanking& place) {
  using report::Cell;
  using tuning::Decision;
  Columns<Decision> columns;
  columns.add(size_column(), [](const Decision& d) { return kernel::size_text(d.sizes); });
  const report::Column slower = shown<&tuning::VariantRank::behind>("VARIANT");
  for (const std::string& variant : variants) {
    columns.add(titled(slower, variant_text(variant, place), variant_text(variant, place)), [variant](const Decision& d) {
      const auto at =
          std::find_if(d.ranking.begin(), d.ranking.end(), [&](const tuning::VariantRank& s) { return s.best.variant == variant; });
      return at == d.ranking.end() ? Cell("")
                                   : Cell(at->behind, at->rank == 1 && at->behind == 0 ? "fastest" : "+" + format_percent(at->behind),
                                          at->rank == 1 ? report::Tone::good : report::Tone::plain);
    });
  }
  columns.text("fastest", "fastest", "variant with the least predicted time",
               [&place](const Decision& d) { return variant_text(d.chosen.variant, place); });
  if (place.decisions.empty() || place.decisions.front().chosen.blocks.nb > 0) {
    columns.add(nb_column(), [](const Decision& d) { return d.chosen.blocks.nb; });
  }
  columns.add(shown<&tuning::VariantRank::ties>(), [&place](const Decision& d) { return names(d.ranking.front().ties, place); });
  columns.show<&Decision::regret>("max regret");
  return columns;
}

/// Returns how many percent each variant is slower than the fastest, one row per size; variants in the order of the registry.
report::Table summary_table(const Ranking& ranking, const PlaceRanking& place) {
  std::vector<std::string> variants;
  for (const VariantInfo& info : ranking.variants) {
    variants.push_back(info.variant);
  }
  const auto has_library = [](const tuning::Decision& d) { return d.default_.seconds > 0; };
  if (std::any_of(place.decisions.begin(), place.decisions.end(), has_library)) {
    variants.emplace_back();
  }
  return summary_columns(variants, place).table(place.decisions);
}

Columns<VariantInfo> driver_columns() {
  Columns<VariantInfo> columns;
  columns.show<&VariantInfo::variant>("", "driver");
  columns.show<&VariantInfo::needs>();
  columns.show<&VariantInfo::scipy>("", "call");
  return columns;
}

std::vector<std::size_t> all_problems(const Ranking& ranking) {
  std::vector<std::size_t> all(ranking.joint.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::string where(const Ranking& ranking, std::size_t place) {
  return ranking.places.size() > 1 ? ", " + place_text(ranking.places[place]) : "";
}

}  // namespace

bool is_of_drivers(const Ranking& ranking) { return !ranking.variants.empty() && !ranking.variants.front().scipy.empty(); }

bool has_validations(const PlaceRanking& place) {
  return std::any_of(place.decisions.begin(), place.decisions.end(), [](const tuning::Decision& d) { return d.validation.has_value(); });
}

const tuning::Measured* find_measured(const tuning::Decision& decision, const tuning::Forecast& forecast) {
  if (!decision.validation) {
    return nullptr;
  }
  for (const tuning::Measured& measured : decision.validation->measured) {
    if (measured.variant == forecast.variant && measured.blocks == forecast.blocks) {
      return &measured;
    }
  }
  return nullptr;
}

report::Table ranking_table(const Ranking& ranking) {
  std::vector<const PlaceRanking*> all;
  for (const PlaceRanking& place : ranking.places) {
    all.push_back(&place);
  }
  return variants_table(ranking, all, all_problems(ranking), true);
}

std::string problem_text(const Ranking& ranking, std::size_t place, std::size_t problem, const CommonOptions& common) {
  return fmt::format("{} of n = {}{}\n\n", ranking.family, kernel::size_text(ranking.joint[problem].sizes), where(ranking, place)) +
         render(variants_table(ranking, {&ranking.places[place]}, {problem}, false), common);
}

std::string ranking_text(const Ranking& ranking, const CommonOptions& common) {
  std::string out;
  for (std::size_t place = 0; place < ranking.places.size(); ++place) {
    for (const std::size_t p : all_problems(ranking)) {
      out += (out.empty() ? "" : "\n") + problem_text(ranking, place, p, common);
    }
    if (ranking.joint.size() > 1) {
      out += fmt::format("\nslower than the fastest{}\n\n", where(ranking, place)) +
             render(summary_table(ranking, ranking.places[place]), common);
    }
    out += validation_text(ranking, place, common);
  }
  if (is_of_drivers(ranking)) {
    out +=
        "\n" + render(driver_columns().table(ranking.variants), common) +
        fmt::format("\n{}memory: operands, results, and the work space that the driver asks for\n",
                    ranking.spectrum ? fmt::format("ranked by matrices with a {} spectrum; other columns show how far time depends on it\n",
                                                   to_string(*ranking.spectrum))
                                     : "");
  }
  const auto recursive = [](const VariantInfo& info) { return info.variant == "recursive"; };
  if (std::any_of(ranking.variants.begin(), ranking.variants.end(), recursive)) {
    out += "\nnb of recursive: the order at which the recursion ends\n";
  }
  if (ranking.places.size() > 1) {
    report::Table joint = joint_table(ranking);
    joint.footnote.clear();  // stands below everything
    out += "\nall together\n\n" + render(joint, common);
  }
  return out + '\n' + prediction_legend("predicted", "lie within the interval beside it");
}

report::Column blas_column() { return shown<&LibraryIdentity::name>("blas", "BLAS"); }
report::Column size_column() { return numbers(shown<&tuning::Decision::sizes>("n")); }
report::Column nb_column() { return shown<&algorithm::BlockParameters::nb>(); }
report::Cell nb_cell(const algorithm::BlockParameters& blocks) { return blocks.nb > 0 ? report::whole(blocks.nb) : report::Cell("-"); }
report::Column size_part_column() { return number_column("SIZE", "SIZE", "", "in CSV: one size of the problem, where not all are square"); }

report::Table with_size_columns(report::Table table, const std::vector<RoutineSizes>& problems) {
  const auto is_square = [](const RoutineSizes& one) { return std::set(one.sizes.begin(), one.sizes.end()).size() < 2; };
  if (std::all_of(problems.begin(), problems.end(), is_square)) {
    return table;
  }
  std::vector<std::map<std::string, std::string>> values;
  std::transform(problems.begin(), problems.end(), std::back_inserter(values),
                 [](const RoutineSizes& one) { return kernel::named_sizes(one.routine, one.sizes); });
  return report::spread(std::move(table), size_column().name, values);
}

report::Column predicted_rate_column() {
  return number_column("flops_per_second", "rate", "flop/s", "flops of the operation over the predicted time");
}

std::vector<TableColumns> rank_tables() {
  const PlaceRanking place;
  TableColumns variants = {"rank", variant_columns({}, true, true).headings()};
  variants.with({size_part_column()});
  return {variants,
          {"rank sizes", summary_columns({"VARIANT"}, place).headings()},
          {"rank drivers", driver_columns().headings()},
          {"rank validation", validation_columns()},
          {"rank together", joint_columns()}};
}

}  // namespace flopcast::cli
