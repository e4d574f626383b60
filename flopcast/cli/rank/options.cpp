#include <memory>
#include <string>
#include <vector>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/library_options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/tuning_options.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Families: cholesky, trtri, lauum, lu, lu-nopivot, sygst, sylvester, qr; or a routine of
any precision, such as zpotrf. In recursive variants nb is the order at which the recursion ends.

Examples:
  flopcast rank cholesky --n 300,600 --nb 32,64,96 --time-budget 4s
  flopcast rank dtrtri uplo=U --n 300 --nb 32,64 --time-budget 4s --validate)";

struct RankOptions {
  std::string family;
  std::string precision = "d";
  bool validate_all = false;
  bool no_library = false;
  TuningOptions shared = {.blocks = "16:64:8,80:128:16,160,192,256", .time_budget = "60s"};
};

RankRequest make_request(const RankOptions& options) {
  const char precision = options.precision.front();
  const Routine& routine = *algorithm::find_family(options.family, static_cast<Precision>(precision)).routine;
  auto request = routine_request<RankRequest>(options.shared, routine, "rank " + options.family, "--n 500:4000");
  request.precision = precision;
  request.library = options.no_library ? LibraryRow::none : LibraryRow::default_blocks;
  if (options.shared.validate || options.validate_all) {
    request.validate = options.validate_all ? tuning::Extent::all : tuning::Extent::ranking;
  }
  return request;
}

void show_ranking(const Ranking& ranking, const CommonOptions& common) { show(ranking, ranking_table, ranking_text, common); }

void show_validations(const Ranking& ranking, const CommonOptions& common) {
  const bool rows_at_once = shows_parts(common);
  if (!rows_at_once) {
    show_ranking(ranking, common);
  }
  for (std::size_t place = 0; place < ranking.places.size(); ++place) {
    if (rows_at_once) {
      emit_wrapped(validation_text(ranking, place, common), common);
    }
    if (const std::string summary = validation_summary(ranking.places[place]); !summary.empty()) {
      note(summary, common);
    }
  }
}

void run_rank(const RankOptions& options, const CommonOptions& common) {
  RankRequest request = make_request(options);
  const std::string& figure = options.shared.figure;
  if (!figure.empty()) {
    report::require_drawable(figure);
  }
  const bool rows_at_once = shows_parts(common);  // else everything is shown together at the end, whatever ends it
  request.decided = [&](const Ranking& ranking) {
    if (shows_decisions(request.validate.has_value(), common)) {
      show_ranking(ranking, common);
    }
  };
  request.validated = [&](const Ranking& ranking, std::size_t place, std::size_t problem) {
    if (rows_at_once) {
      emit_wrapped("\nmeasured: " + problem_text(ranking, place, problem, common), common);
    }
  };
  const RunContext context = keeping_if_possible(run_context(common));
  const Ranking ranking = rank_everywhere(listed_places(options.shared, context), options.family, request, context);
  if (request.validate) {
    show_validations(ranking, common);
  }
  if (!figure.empty()) {
    report::draw(ranking_figure(ranking), figure);
  }
  throw_if_interrupted("what was ranked and validated is shown, and every sample is kept; run the same command again to go on");
}

}  // namespace

void add_rank_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RankOptions>();
  TuningOptions& shared = options->shared;
  OptionSet command = app.add_command("rank", "Rank the variants of an algorithm, each at its own best block size, without running them");
  command.option("family", options->family, "Family such as cholesky or lu, or a LAPACK routine").required().completes(ValueKind::routine);
  command.option("arguments", shared.arguments, "Sizes (m=2000:4000) and flags (uplo=U) as name=value; n alone means square");
  command.option("--n", shared.n, "Orders: 1000, 500:4000 (16 values), 500:4000:500 or a list");
  command.option("--nb", shared.blocks, "Block sizes to choose from; recursions end at nb").show_default();
  command.option("--precision", options->precision, "Precision of a family; a routine's name has its own")
      .show_default()
      .choices({"s", "d", "c", "z"});
  add_time_budget_option(command, shared, "Time for ranking in all places together; where it is given, --validate has as much again");
  add_repetitions_option(command, shared);
  command.flag("--validate", shared.validate, "Also run every variant at its best block size, interleaved, and compare");
  command.flag("--validate-all", options->validate_all, "Also run every variant with every block size, interleaved, and compare");
  command.flag("--no-library", options->no_library, "Leave out the library's own routine");
  command.flag("--fresh", shared.fresh, "Use no samples of earlier runs");
  command.option("--figure", shared.figure, "Draw performance over n into this .svg or .png file").placeholder("FILE");
  add_seed_option(command, shared.seed, "Seed of the order of measurements");
  add_library_lists(command, shared.libraries, shared.blas, shared.threads);
  command.footer(footer);
  command.action([options, &common] { run_rank(*options, common); });
}

}  // namespace flopcast::cli
