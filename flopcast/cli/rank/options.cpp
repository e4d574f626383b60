#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/tuning_options.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Families: cholesky, trtri, lauum, lu, lu-nopivot, sygst, sylvester, qr; or a routine of
any precision, such as zpotrf. In recursive variants nb is the order at which the recursion ends.
Jobs of LAPACK's drivers: eigh, svd, lstsq, solve, inverse. Drivers are executed to be timed.

Examples:
  flopcast rank cholesky --n 300,600 --nb 32,64,96 --time-budget 4s
  flopcast rank dtrtri uplo=U --n 300 --nb 32,64 --time-budget 4s --validate
  flopcast rank eigh --n 50,100 --time-budget 4s
  flopcast rank svd m=200 n=50 --no-vectors --time-budget 4s)";

struct RankOptions {
  RankRequest request;
  SharedTuningOptions shared;
};

void show_ranking(const Ranking& ranking, const CommonOptions& common) { show(ranking, ranking_table, ranking_text, common); }

void show_validations(const Ranking& ranking, const CommonOptions& common) {
  const bool rows_at_once = shows_parts(common);
  if (!rows_at_once) {
    show_ranking(ranking, common);
  }
  for (std::size_t place = 0; place < ranking.places.size(); ++place) {
    if (rows_at_once && !is_of_drivers(ranking)) {  // drivers are shown with their validation
      emit_wrapped(validation_text(ranking, place, common), common);
    }
    if (const std::string summary = validation_summary(ranking.places[place]); !summary.empty()) {
      note(summary, common);
    }
  }
}

void run_rank(const RankOptions& options, const CommonOptions& common) {
  const std::string& family = options.request.family;
  RankRequest request = options.request;
  if (const std::vector<std::string> jobs = driver_jobs(); std::find(jobs.begin(), jobs.end(), family) != jobs.end()) {
    for (const std::string& word : options.shared.arguments) {
      const auto [name, value] = kernel::split_argument(word);
      parse_text(value, name, request.sizes[name]);
    }
  } else {
    const Routine& routine = *algorithm::find_family(family, request.precision).routine;
    request = routine_request(options.shared, std::move(request), routine, "rank " + family, "--n 500:4000");
  }
  name_places(options.shared, request);
  const bool rows_at_once = shows_parts(common);  // else everything is shown together at the end, whatever ends it
  TuningObserver<Ranking> observer;
  observer.decided = [&](const Ranking& ranking) {
    if (shows_decisions(request.validate.has_value(), common)) {
      show_ranking(ranking, common);
    }
  };
  observer.validated = [&](const Ranking& ranking, std::size_t place, std::size_t problem) {
    if (rows_at_once) {
      emit_wrapped("\nmeasured: " + problem_text(ranking, place, problem, common), common);
    }
  };
  const RunContext context = keeping_if_possible(run_context(common));
  const Ranking ranking = rank(Workbench(options.shared.libraries, context), request, context, observer);
  if (request.validate) {
    show_validations(ranking, common);
  }
  write_result_files(ranking, options.shared.files, common);
  throw_if_interrupted("what was ranked and validated is shown, and every sample is kept; run the same command again to go on");
}

}  // namespace

void add_rank_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RankOptions>();
  RankRequest& request = options->request;
  OptionSet command = app.add_command("rank", "Rank variants of an algorithm, or LAPACK's drivers of one job");
  add_tuning_request(command, request, options->shared);
  command.flag(
      "--validate", [&request] { request.validate = request.validate.value_or(tuning::Extent::ranking); },
      "Also execute what was predicted, and compare: every variant at its best block size, interleaved");
  command
      .flag(
          "--validate-all", [&request] { request.validate = tuning::Extent::all; },
          "Also execute what was predicted, and compare: every variant with every block size, interleaved")
      .rare();
  command.flag(
      "--no-library", [&request] { request.library = LibraryRow::none; }, "Leave out the library's own routine");
  command.footer(footer);
  command.action([options, &common] { run_rank(*options, common); });
}

}  // namespace flopcast::cli
