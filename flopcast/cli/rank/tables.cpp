#include "flopcast/cli/rank/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

bool has_validations(const PlaceRanking& place) {
  return std::any_of(place.decisions.begin(), place.decisions.end(), [](const tuning::Decision& d) { return d.validation.has_value(); });
}

std::string description(const Ranking& ranking, const std::string& variant) {
  for (const VariantInfo& info : ranking.variants) {
    if (info.variant == variant) {
      return info.description;
    }
  }
  return "the library's own routine, default block size";
}

std::string names(const std::vector<std::string>& variants, const PlaceRanking& place) {
  std::vector<std::string> texts;
  for (const std::string& variant : variants) {
    texts.push_back(variant_text(variant, place));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

/// Returns a row per variant in these places at the sizes of `problems`; `where` adds columns that name the place.
report::Table variants_table(const Ranking& ranking, const std::vector<const PlaceRanking*>& places,
                             const std::vector<std::size_t>& problems, bool where) {
  const bool measured = std::any_of(places.begin(), places.end(), [](const PlaceRanking* place) { return has_validations(*place); });
  report::Table table;
  if (where) {
    table.columns = columns<"rank">({"blas", "threads", "n"});
  }
  add_columns<"rank">(table.columns, {"rank", "variant", "description", "nb", "seconds", "seconds interval", "flops_per_second", "behind",
                                      "ties", "regret"});
  if (measured) {
    add_columns<"rank">(table.columns, {"measured_seconds", "error"});
  }
  for (const PlaceRanking* place : places) {
    for (const std::size_t p : problems) {
      const double work = place->decisions[p].flops;
      for (const tuning::VariantRank& s : place->decisions[p].ranking) {
        std::vector<report::Cell> row;
        if (where) {
          row = {place->environment.blas.name, report::whole(place->threads), kernel::size_text(place->decisions[p].sizes)};
        }
        const report::Tone tone = s.rank == 1 ? report::Tone::good : report::Tone::plain;
        row.insert(
            row.end(),
            {report::whole(static_cast<long long>(s.rank)), report::toned(variant_text(s.best.variant, *place), tone),
             description(ranking, s.best.variant), s.best.blocks.nb > 0 ? report::whole(s.best.blocks.nb) : report::Cell("-"),
             report::Cell(s.best.seconds, format_seconds(s.best.seconds) + (s.best.extrapolated > 0.01 ? " *" : "")),
             report::Cell(s.best.interval.low, s.best.interval.high,
                          fmt::format("{} - {}", format_seconds(s.best.interval.low), format_seconds(s.best.interval.high))),
             report::Cell(work / s.best.seconds, format_flop_rate(work / s.best.seconds)), report::Cell(s.behind, format_percent(s.behind)),
             names(s.ties, *place), report::Cell(s.regret, format_percent(s.regret))});
        if (measured) {
          const tuning::Measured* run = find_measured(place->decisions[p], s.best);
          row.emplace_back(run != nullptr ? report::Cell(run->median, format_seconds(run->median)) : report::Cell(""));
          row.emplace_back(run != nullptr ? report::Cell(run->error, fmt::format("{:+.1f} %", 100 * run->error)) : report::Cell(""));
        }
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
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
  report::Table table;
  table.columns = columns<"rank sizes">({"n"});
  for (const std::string& variant : variants) {
    table.columns.push_back(titled(column<"rank sizes">("VARIANT"), variant_text(variant, place), variant_text(variant, place)));
  }
  add_columns<"rank sizes">(table.columns, {"fastest", "nb", "ties", "max regret"});
  for (const tuning::Decision& d : place.decisions) {
    std::vector<report::Cell> row = {kernel::size_text(d.sizes)};
    for (const std::string& variant : variants) {
      const auto at =
          std::find_if(d.ranking.begin(), d.ranking.end(), [&](const tuning::VariantRank& s) { return s.best.variant == variant; });
      row.push_back(at == d.ranking.end()
                        ? report::Cell("")
                        : report::Cell(at->behind, at->rank == 1 && at->behind == 0 ? "fastest" : "+" + format_percent(at->behind),
                                       at->rank == 1 ? report::Tone::good : report::Tone::plain));
    }
    row.insert(row.end(), {report::Cell(variant_text(d.chosen.variant, place)), report::whole(d.chosen.blocks.nb),
                           report::Cell(names(d.ranking.front().ties, place)), report::Cell(d.regret, format_percent(d.regret))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::size_t> all_problems(const Ranking& ranking) {
  std::vector<std::size_t> all(ranking.joint.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::string where(const Ranking& ranking, std::size_t place) {
  return ranking.places.size() > 1 ? ", " + place_name(ranking.places[place]) : "";
}

}  // namespace

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

std::string variant_text(const std::string& variant, const PlaceRanking& place) {
  return variant.empty() ? place.environment.lapack.name + "'s" : variant;
}

std::string place_name(const PlaceRanking& place) {
  return fmt::format("{} x {}", place.blas.empty() ? place.environment.blas.name : place.blas, place.threads);
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

}  // namespace flopcast::cli
