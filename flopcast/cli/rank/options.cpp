#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/library_options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast::cli {
namespace {

constexpr std::int64_t max_order = 20000;
constexpr std::int64_t max_block = 1024;

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

RankRequest make_request(const RankOptions& options) {
  RankRequest request;
  request.precision = options.precision.front();
  const Routine& routine = *algorithm::find_family(options.family, static_cast<Precision>(request.precision)).routine;
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(routine, options.arguments);
  request.sizes = std::move(arguments.sizes);
  request.flags = std::move(arguments.fixed);
  request.n = orders(options.n, request.sizes, max_order, "rank " + options.family, "--n 500:4000");
  request.nb = parse_sizes(options.blocks, "--nb", 1, max_block);
  request.library = options.no_library ? LibraryRow::none : LibraryRow::default_blocks;
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

void show(const Ranking& ranking, const CommonOptions& common) {
  if (common.json) {
    emit(to_json(ranking) + '\n', common);
  } else if (common.csv) {
    emit(ranking_table(ranking), common);
  } else {
    emit(ranking_text(ranking, common), common);
  }
}

void show_validations(const Ranking& ranking, const CommonOptions& common) {
  const bool rows_at_once = shows_parts(common);
  if (!rows_at_once) {
    show(ranking, common);
  }
  for (std::size_t place = 0; place < ranking.places.size(); ++place) {
    if (rows_at_once) {
      emit(validation_text(ranking, place, common), common);
    }
    if (const std::string summary = validation_summary(ranking.places[place]); !summary.empty()) {
      note(summary, common);
    }
  }
}

void run_rank(const RankOptions& options, const CommonOptions& common) {
  RankRequest request = make_request(options);
  if (!options.figure.empty()) {
    report::require_drawable(options.figure);
  }
  const bool rows_at_once = shows_parts(common);  // else everything is shown together at the end, whatever ends it
  request.decided = [&](const Ranking& ranking) {
    if (!request.validate || rows_at_once || common.output != "-") {
      show(ranking, common);
    }
  };
  request.validated = [&](const Ranking& ranking, std::size_t place, std::size_t problem) {
    if (rows_at_once) {
      emit("\nmeasured: " + problem_text(ranking, place, problem, common), common);
    }
  };
  const Ranking ranking = rank_everywhere(listed_places(options.blas, options.threads, options.libraries, run_context(common)),
                                          options.family, request, run_context(common));
  if (request.validate) {
    show_validations(ranking, common);
  }
  if (!options.figure.empty()) {
    report::draw(ranking_figure(ranking), options.figure);
  }
  throw_if_interrupted("what was ranked and validated is shown, and every sample is kept; run the same command again to go on");
}

}  // namespace

std::vector<std::int64_t> orders(const std::string& n, const std::map<std::string, std::vector<std::int64_t>>& sizes, std::int64_t max,
                                 const std::string& what, const std::string& example) {
  if (!n.empty() && sizes.count("n") > 0) {
    throw usage_error("n is given twice, as n= and as --n");
  }
  if (n.empty() && sizes.empty()) {
    throw usage_error("{}: no sizes given; add {}", what, example);
  }
  return n.empty() ? std::vector<std::int64_t>() : parse_sizes(n, "--n", 1, max);
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : text.empty() ? std::vector<std::string_view>() : split(text, ',')) {
    names.emplace_back(name);
  }
  return names;
}

std::vector<machine::LibraryChoice> listed_places(const std::string& blas, const std::string& threads, const machine::LibraryChoice& common,
                                                  const RunContext& context) {
  static constexpr std::int64_t max_threads = 1024;
  const std::vector<std::string> names = list_of(blas);
  for (const std::string& name : names) {
    if (name.empty()) {
      throw bad_input("--blas: '{}' has an empty name in it", blas);
    }
  }
  return places(names, parse_sizes(threads, "--threads", 1, max_threads), common, context);
}

void add_rank_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RankOptions>();
  OptionSet command = app.add_command("rank", "Rank the variants of an algorithm, each at its own best block size, without running them");
  command.option("family", options->family, "Family such as cholesky or lu, or a LAPACK routine").required();
  command.option("arguments", options->arguments, "Sizes (m=2000:4000) and flags (uplo=U) as name=value; n alone means square");
  command.option("--n", options->n, "Orders: 1000, 500:4000 (16 values), 500:4000:500 or a list");
  command.option("--nb", options->blocks, "Block sizes to choose from; recursions end at nb").show_default();
  command.option("--precision", options->precision, "Precision of a family; a routine's name has its own")
      .show_default()
      .choices({"s", "d", "c", "z"});
  const Option budget = command
                            .option("--time-budget", options->time_budget,
                                    "Time for ranking in all places together; where it is given, --validate has as much again")
                            .show_default();
  command.option("--repetitions", options->repetitions, "Repetitions of long runs in a validation; short ones get more")
      .show_default()
      .range(1, 1000);
  command.flag("--validate", options->validate, "Also run every variant at its best block size, interleaved, and compare");
  command.flag("--validate-all", options->validate_all, "Also run every variant with every block size, interleaved, and compare");
  command.flag("--no-library", options->no_library, "Leave out the library's own routine");
  command.flag("--fresh", options->fresh, "Use no samples of earlier runs");
  command.option("--figure", options->figure, "Draw performance over n into this .svg or .png file");
  add_seed_option(command, options->seed, "Seed of the order of measurements");
  add_library_lists(command, options->libraries, options->blas, options->threads);
  command.footer(footer);
  command.action([options, budget, &common] {
    options->limits_validation = budget.given();
    run_rank(*options, common);
  });
}

}  // namespace flopcast::cli
