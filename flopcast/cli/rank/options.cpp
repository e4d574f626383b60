
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/tune/joint_table.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/ranking.hpp"
#include "flopcast/tune/joint.hpp"

namespace flopcast::cli {
namespace {

constexpr std::int64_t largest_order = 20000;
constexpr std::int64_t largest_block = 1024;

constexpr const char* footer = R"(Families: cholesky, trtri, lauum, lu, lu-nopivot, sygst, sylvester, qr; or a routine of
any precision, such as zpotrf. In recursive variants nb is the order at which the recursion ends.

Examples:
  flopcast rank cholesky --n 300,600 --nb 32,64,96 --time-budget 4s
  flopcast rank dtrtri uplo=U --n 300 --nb 32,64 --time-budget 4s --validate)";

struct RankOptions {
  std::string family;
  std::vector<std::string> arguments;
  std::string n;
  std::string blocks = "16:64:8,80:128:16,160,192,256";
  std::string time_budget = "60s";
  bool limits_validation = false;  ///< the time budget was given
  std::string threads = "1";
  std::string blas;
  std::string precision = "d";
  std::string figure;
  bool validate = false;
  bool validate_all = false;
  bool no_library = false;
  bool fresh = false;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  machine::LibraryChoice libraries;
};

/// The request as the command line makes it; everything in it is checked.
RankRequest make_request(const RankOptions& options) {
  RankRequest request;
  request.family = algorithm::find_family(options.family, static_cast<Precision>(options.precision.front()));
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(*request.family.routine, options.arguments);
  if (!options.n.empty()) {
    if (arguments.sizes.count("n") > 0) {
      throw usage_error("n is given twice, as n= and as --n");
    }
    arguments.sizes["n"] = parse_sizes(options.n, "--n", 1, largest_order);
  }
  if (arguments.sizes.empty()) {
    throw usage_error("rank {}: no sizes given; add --n 500:4000", options.family);
  }
  request.calls = kernel::routine_calls(*request.family.routine, arguments.sizes, arguments.fixed);
  request.family = algorithm::applicable(request.family, request.calls.front());
  request.blocks = parse_sizes(options.blocks, "--nb", 1, largest_block);
  request.library = options.no_library ? LibraryRow::none : LibraryRow::standard;
  request.time_budget = parse_duration(options.time_budget, "--time-budget");
  request.validation_budget = options.limits_validation ? request.time_budget : request.validation_budget;
  request.repetitions = options.repetitions;
  request.seed = options.seed;
  request.fresh = options.fresh;
  if (options.validate || options.validate_all) {
    request.validate = options.validate_all ? tuning::Extent::all : tuning::Extent::ranking;
  }
  return request;
}

/// The standing's measured run, or nullptr.
const tuning::Measured* find_measured(const Ranking& ranking, std::size_t problem, const tuning::Forecast& forecast) {
  if (ranking.checks.empty()) {
    return nullptr;
  }
  for (const tuning::Measured& measured : ranking.checks[problem].measured) {
    if (measured.variant == forecast.variant && measured.blocks == forecast.blocks) {
      return &measured;
    }
  }
  return nullptr;
}

std::string description(const RankRequest& request, const std::string& variant) {
  return variant.empty() ? "the library's own routine, default block size"
                         : algorithm::require(*request.family.routine, variant).description;
}

std::string names(const std::vector<std::string>& variants, const Ranking& ranking) {
  std::vector<std::string> texts;
  for (const std::string& variant : variants) {
    texts.push_back(variant_text(variant, ranking));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

/// What is known of each variant at the sizes of `problems`; with `where` also in which place.
report::Table standings_table(const RankRequest& request, const std::vector<const Ranking*>& rankings,
                              const std::vector<std::size_t>& problems, bool where) {
  using report::Align;
  const bool measured = std::any_of(rankings.begin(), rankings.end(), [](const Ranking* r) { return !r->checks.empty(); });
  report::Table table;
  if (where) {
    table.columns = {{"BLAS", Align::left, "blas"}, {"threads"}, {"n"}};
  }
  table.columns.insert(table.columns.end(), {{"rank"},
                                             {"variant", Align::left},
                                             {"", Align::left, "description"},
                                             {"nb"},
                                             {"predicted", Align::right, "seconds"},
                                             {"95 % interval", Align::right, "seconds", true},
                                             {"rate", Align::right, "flops_per_second"},
                                             {"slower", Align::right, "behind"},
                                             {"ties with", Align::left, "ties"},
                                             {"regret at worst", Align::right, "regret"}});
  if (measured) {
    table.columns.insert(table.columns.end(), {{"measured", Align::right, "measured_seconds"}, {"error", Align::right, "error"}});
  }
  for (const Ranking* ranking : rankings) {
    for (const std::size_t p : problems) {
      const double work = flops(ranking->problems[p].call);
      for (const tuning::VariantRank& s : ranking->result.decisions[p].ranking) {
        std::vector<report::Cell> row;
        if (where) {
          row = {ranking->environment.blas.name, report::whole(ranking->libraries.threads),
                 kernel::size_text(ranking->result.decisions[p].sizes)};
        }
        const report::Tone tone = s.rank == 1 ? report::Tone::good : report::Tone::plain;
        row.insert(
            row.end(),
            {report::whole(static_cast<long long>(s.rank)), report::toned(variant_text(s.best.variant, *ranking), tone),
             description(request, s.best.variant), s.best.blocks.nb > 0 ? report::whole(s.best.blocks.nb) : report::Cell("-"),
             report::Cell(s.best.seconds, format_seconds(s.best.seconds) + (s.best.extrapolated > 0.01 ? " *" : "")),
             report::Cell(s.best.interval.low, s.best.interval.high,
                          fmt::format("{} - {}", format_seconds(s.best.interval.low), format_seconds(s.best.interval.high))),
             report::Cell(work / s.best.seconds, format_flop_rate(work / s.best.seconds)), report::Cell(s.behind, format_percent(s.behind)),
             names(s.ties, *ranking), report::Cell(s.regret, format_percent(s.regret))});
        if (measured) {
          const tuning::Measured* run = find_measured(*ranking, p, s.best);
          row.emplace_back(run != nullptr ? report::Cell(run->median, format_seconds(run->median)) : report::Cell(""));
          row.emplace_back(run != nullptr ? report::Cell(run->error, fmt::format("{:+.1f} %", 100 * run->error)) : report::Cell(""));
        }
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
}

/// How many percent each variant is slower than the fastest, one row per size; variants in the order of the registry.
report::Table summary_table(const RankRequest& request, const Ranking& ranking) {
  std::vector<std::string> variants;
  for (const algorithm::Algorithm* variant : request.family.variants) {
    variants.push_back(variant->variant);
  }
  const auto has_library = [](const tuning::Decision& d) { return d.default_.seconds > 0; };
  if (std::any_of(ranking.result.decisions.begin(), ranking.result.decisions.end(), has_library)) {
    variants.emplace_back();
  }
  report::Table table;
  table.columns = {{"n"}};
  for (const std::string& variant : variants) {
    table.columns.push_back({variant_text(variant, ranking)});
  }
  table.columns.insert(table.columns.end(), {{"fastest", report::Align::left}, {"nb"}, {"ties", report::Align::left}, {"regret at worst"}});
  for (const tuning::Decision& d : ranking.result.decisions) {
    std::vector<report::Cell> row = {kernel::size_text(d.sizes)};
    for (const std::string& variant : variants) {
      const auto at =
          std::find_if(d.ranking.begin(), d.ranking.end(), [&](const tuning::VariantRank& s) { return s.best.variant == variant; });
      row.push_back(at == d.ranking.end()
                        ? report::Cell("")
                        : report::Cell(at->behind, at->rank == 1 && at->behind == 0 ? "fastest" : "+" + format_percent(at->behind),
                                       at->rank == 1 ? report::Tone::good : report::Tone::plain));
    }
    row.insert(row.end(), {report::Cell(variant_text(d.chosen.variant, ranking)), report::whole(d.chosen.blocks.nb),
                           report::Cell(names(d.ranking.front().ties, ranking)), report::Cell(d.regret, format_percent(d.regret))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// One row per size: what was chosen and what the runs say about that.
report::Table validation_table(const Ranking& ranking) {
  using report::Align;
  report::Table table;
  table.columns = {{"n"},
                   {"chosen", Align::left},
                   {"nb", Align::right, "chosen_nb"},
                   {"measured", Align::right, "chosen_seconds"},
                   {"fastest measured", Align::left},
                   {"nb", Align::right, "best_nb"},
                   {"measured", Align::right, "best_seconds"},
                   {"regret"},
                   {"pairs over 3 % in order", Align::right, "order"},
                   {"measuring twice differs by", Align::right, "split_half"}};
  for (std::size_t p = 0; p < ranking.checks.size(); ++p) {
    const tuning::Decision& d = ranking.result.decisions[p];
    const tuning::Check& check = ranking.checks[p];
    if (!check.complete) {
      continue;
    }
    const tuning::OrderCheck order = tuning::check_order(d, check);
    const double regret = check.chosen_seconds > 0 ? check.chosen_seconds / check.best_seconds - 1 : 0;
    table.rows.push_back({kernel::size_text(d.sizes),
                          variant_text(d.chosen.variant, ranking),
                          report::whole(d.chosen.blocks.nb),
                          {check.chosen_seconds, format_seconds(check.chosen_seconds)},
                          variant_text(check.best.variant, ranking),
                          report::whole(check.best.blocks.nb),
                          {check.best_seconds, format_seconds(check.best_seconds)},
                          {regret, format_percent(regret)},
                          fmt::format("{} of {}", order.right, order.pairs),
                          {check.repeatability, format_percent(check.repeatability)}});
  }
  return table;
}

void note_validation(const Ranking& ranking, const CommonOptions& common) {
  std::vector<double> regrets;
  std::vector<double> errors;
  tuning::OrderCheck order;
  for (std::size_t p = 0; p < ranking.checks.size(); ++p) {
    const tuning::Check& check = ranking.checks[p];
    const tuning::OrderCheck own = tuning::check_order(ranking.result.decisions[p], check);
    order.pairs += own.pairs;
    order.right += own.right;
    if (check.chosen_seconds > 0) {
      regrets.push_back(check.chosen_seconds / check.best_seconds - 1);
    }
    for (const tuning::Measured& measured : check.measured) {
      errors.push_back(std::fabs(measured.error));
    }
  }
  if (!regrets.empty()) {
    note(fmt::format("validation: regret median {:.1f} %, worst {:.1f} %; {} of {} pairs in order; prediction error median {:.1f} %, worst "
                     "{:.1f} %",
                     100 * median(regrets), 100 * quantile(regrets, 1), order.right, order.pairs, 100 * median(errors),
                     100 * quantile(errors, 1)),
         common);
  }
}

std::vector<std::size_t> all_problems(const RankRequest& request) {
  std::vector<std::size_t> all(request.calls.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  return all;
}

std::string standings_text(const RankRequest& request, const Ranking& ranking, std::size_t problem, const std::string& where,
                           const CommonOptions& common) {
  return fmt::format("{} of n = {}{}\n\n", request.family.name(), kernel::size_text(ranking.result.decisions[problem].sizes), where) +
         render(standings_table(request, {&ranking}, {problem}, false), common);
}

std::string validation_text(const Ranking& ranking, const std::string& where, const CommonOptions& common) {
  const report::Table table = validation_table(ranking);
  return table.rows.empty() ? "" : fmt::format("\nvalidation{}\n\n", where) + render(table, common);
}

std::string text(const RankRequest& request, const std::vector<Ranking>& rankings, const CommonOptions& common) {
  std::string out;
  for (const Ranking& ranking : rankings) {
    const std::string where = rankings.size() > 1 ? ", " + place_text(ranking) : "";
    for (const std::size_t p : all_problems(request)) {
      out += (out.empty() ? "" : "\n") + standings_text(request, ranking, p, where, common);
    }
    if (request.calls.size() > 1) {
      out += fmt::format("\nslower than the fastest{}\n\n", where) + render(summary_table(request, ranking), common);
    }
    out += validation_text(ranking, where, common);
  }
  const auto recursive = [](const algorithm::Algorithm* variant) { return variant->variant == "recursive"; };
  if (std::any_of(request.family.variants.begin(), request.family.variants.end(), recursive)) {
    out += "\nnb of recursive: the order at which the recursion ends\n";
  }
  if (rankings.size() > 1) {
    out += "\nall together\n\n" + render(joint_table(rankings), common);
  }
  return out;
}

nlohmann::json document(const RankOptions& options, const RankRequest& request, const std::vector<Ranking>& rankings) {
  nlohmann::json json = {{"schema", "flopcast-rank-1"},
                         {"family", request.family.name()},
                         {"routine", request.family.routine->name},
                         {"flags", flags(request.calls.front())},
                         {"options", {{"time_budget", options.time_budget}, {"nb", options.blocks}, {"seed", options.seed}}}};
  json["variants"] = nlohmann::json::array();
  for (const algorithm::Algorithm* variant : request.family.variants) {
    json["variants"].push_back({{"variant", variant->variant}, {"description", variant->description}, {"lapack", variant->is_default}});
  }
  json["places"] = nlohmann::json::array();
  for (const Ranking& ranking : rankings) {
    json["places"].push_back(to_json(ranking));
  }
  json["joint"] = joint_json(rankings);
  return json;
}

/// Performance over n, one curve per variant; what was measured as points (paper 000, Fig. 11).
report::Figure figure(const RankRequest& request, const std::vector<Ranking>& rankings) {
  using report::Series;
  static constexpr double giga = 1e9;
  report::Figure picture;
  picture.title = request.family.name() + ": variants at their best block sizes (lines predicted, points measured)";
  picture.x = {"n", false};
  picture.y = {"GFLOP/s", false};
  for (const Ranking& ranking : rankings) {
    std::map<std::string, std::pair<Series, Series>> curves;
    for (std::size_t p = 0; p < ranking.problems.size(); ++p) {
      const double work = flops(ranking.problems[p].call) / giga;
      const auto n = static_cast<double>(ranking.result.decisions[p].sizes.back());
      for (const tuning::VariantRank& standing : ranking.result.decisions[p].ranking) {
        auto& [predicted, measured] = curves[standing.best.variant];
        predicted.x.push_back(n);
        predicted.y.push_back(work / standing.best.seconds);
        if (const tuning::Measured* run = find_measured(ranking, p, standing.best)) {
          measured.x.push_back(n);
          measured.y.push_back(work / run->median);
        }
      }
    }
    for (auto& [variant, pair] : curves) {
      const std::string title = variant_text(variant, ranking) + (rankings.size() > 1 ? ", " + place_text(ranking) : "");
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

void show(const RankOptions& options, const RankRequest& request, const std::vector<Ranking>& rankings, const CommonOptions& common) {
  if (common.json) {
    emit(document(options, request, rankings), common);
  } else if (common.csv) {
    std::vector<const Ranking*> all;
    for (const Ranking& ranking : rankings) {
      all.push_back(&ranking);
    }
    emit(standings_table(request, all, all_problems(request), true), common);
  } else {
    emit(text(request, rankings, common), common);
  }
}

/// Shows each size as soon as its runs are there, or everything together at the end, whatever ends it.
void validate(const RankOptions& options, const RankRequest& request, std::vector<Ranking>& rankings, const CommonOptions& common) {
  const bool rows_at_once = shows_parts(common);
  const auto where = [&](const Ranking& ranking) { return rankings.size() > 1 ? ", " + place_text(ranking) : std::string(); };
  validate_everywhere(request, rankings, run_context(common), [&](const Ranking& ranking, std::size_t problem) {
    if (rows_at_once) {
      emit("\nmeasured: " + standings_text(request, ranking, problem, where(ranking), common), common);
    }
  });
  if (!rows_at_once) {
    show(options, request, rankings, common);
  }
  for (const Ranking& ranking : rankings) {
    if (rows_at_once) {
      emit(validation_text(ranking, where(ranking), common), common);
    }
    note_validation(ranking, common);
  }
}

void run_rank(const RankOptions& options, const CommonOptions& common) {
  const RankRequest request = make_request(options);
  if (!options.figure.empty()) {
    report::require_drawable(options.figure);
  }
  std::vector<Ranking> rankings =
      rank_everywhere(request, places(options.threads, options.blas, options.libraries, run_context(common)), run_context(common));
  const bool rows_at_once = shows_parts(common);
  if (!request.validate || rows_at_once || common.output != "-") {
    show(options, request, rankings, common);
  }
  if (request.validate) {
    validate(options, request, rankings, common);
  }
  if (!options.figure.empty()) {
    report::draw(figure(request, rankings), options.figure);
  }
  throw_if_interrupted("what was ranked and validated is shown, and every sample is kept; run the same command again to go on");
}

}  // namespace

void add_rank_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RankOptions>();
  OptionSet command = app.add_command("rank", "Rank the variants of an algorithm, each at its own best block size, without running them");
  command.option("family", options->family, "family such as cholesky or lu, or a LAPACK routine").required();
  command.option("arguments", options->arguments, "name=value: sizes (m=2000:4000), flags (uplo=U); n alone means square");
  command.option("--n", options->n, "orders: 1000, 500:4000 (16 values), 500:4000:500 or a list");
  command.option("--nb", options->blocks, "block sizes to choose from; recursions end at nb").show_default();
  command.option("--precision", options->precision, "of a family; a routine's name says its own")
      .show_default()
      .choices({"s", "d", "c", "z"});
  const Option budget = command
                            .option("--time-budget", options->time_budget,
                                    "for ranking, everywhere together; where it is given, --validate has as much again")
                            .show_default();
  command.option("--repetitions", options->repetitions, "of long runs in a validation, short ones get more").show_default().range(1, 1000);
  command.flag("--validate", options->validate, "also run every variant at its best block size, interleaved, and compare");
  command.flag("--validate-all", options->validate_all, "the same with every block size that was predicted");
  command.flag("--no-library", options->no_library, "leave out the library's own routine");
  command.flag("--fresh", options->fresh, "do not use samples of earlier runs");
  command.option("--figure", options->figure, "draw performance over n into this .svg or .png file");
  add_seed_option(command, options->seed, "of the order of measurements");
  add_library_lists(command, options->libraries, options->blas, options->threads);
  command.footer(footer);
  command.action([options, budget, &common] {
    options->limits_validation = budget.given();
    run_rank(*options, common);
  });
}

}  // namespace flopcast::cli
