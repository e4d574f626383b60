
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/tune/joint_table.hpp"
#include "flopcast/cli/tune/tune_lapack.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/block_tuning.hpp"
#include "flopcast/tasks/tuning/ranking.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/tune/validate.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr std::int64_t largest_size = 20000;
constexpr std::int64_t largest_block = 1024;
constexpr const char* all_of_lapack = "lapack";

struct TuneOptions {
  std::string routine;
  std::string n;
  std::vector<std::string> arguments;
  std::string blocks = "8:128:8,144:256:16";
  std::string time_budget;  ///< empty: 50s, or 10min for all of LAPACK
  std::string figure;
  std::string precisions = "dzsc";
  bool fixed_crossover = false;
  bool validate = false;
  bool save = false;
  bool fresh = false;
  std::string profile;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  std::string variants;  ///< "all", names, or nothing: the library's own routine only
  std::string blas, threads = "1";
  machine::LibraryChoice libraries;
};

std::string budget_text(const TuneOptions& options) { return options.time_budget.empty() ? "50s" : options.time_budget; }

Seconds time_budget(const TuneOptions& options) { return parse_duration(budget_text(options), "--time-budget"); }

/// A validation takes its time unless a budget is given.
Seconds validation_budget(const TuneOptions& options) {
  return options.time_budget.empty() ? std::numeric_limits<Seconds>::infinity() : time_budget(options);
}

/// The calls that the command line asks for.
std::vector<Call> requested_calls(const TuneOptions& options, const Routine& routine) {
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(routine, options.arguments);
  if (!options.n.empty()) {
    if (arguments.sizes.count("n") > 0) {
      throw usage_error("n is given twice, as n= and as --n");
    }
    arguments.sizes["n"] = parse_sizes(options.n, "--n", 1, largest_size);
  }
  if (arguments.sizes.empty()) {
    throw usage_error("tune {}: no sizes given; add --n 200:3200", options.routine);
  }
  return kernel::routine_calls(routine, arguments.sizes, arguments.fixed);
}

/// The calls for every value of the flags that the command line leaves open, those that the routine takes by default first: programs call it
/// with any of them. Flags of more than two values (what is to be computed) keep their default.
std::vector<Call> calls_for_open_flags(const TuneOptions& options, const Routine& routine) {
  const kernel::RoutineArguments given = kernel::parse_routine_arguments(routine, options.arguments);
  std::vector<TuneOptions> variants = {options};
  for (const Argument& argument : routine.arguments) {
    if (argument.kind != Kind::flag || argument.values.size() != 2 || given.fixed.count(argument.name) > 0) {
      continue;
    }
    std::vector<TuneOptions> extended;
    for (const TuneOptions& variant : variants) {
      for (const char letter : argument.values) {
        extended.push_back(variant);
        extended.back().arguments.push_back(fmt::format("{}={}", argument.name, letter));
      }
    }
    variants = std::move(extended);
  }
  std::vector<Call> calls = requested_calls(options, routine);
  if (variants.size() == 1) {
    return calls;
  }
  for (const TuneOptions& variant : variants) {
    const std::vector<Call> more = requested_calls(variant, routine);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

std::string block_text(const algorithm::BlockParameters& blocks, bool with_crossover) {
  return with_crossover ? fmt::format("{} / {}", blocks.nb, blocks.nx) : fmt::format("{}", blocks.nb);
}

bool has_crossover(const std::vector<tuning::Decision>& decisions) {
  return std::any_of(decisions.begin(), decisions.end(), [](const tuning::Decision& d) { return d.default_.blocks.nx != 0; });
}

/// Blank where it was not run.
std::vector<report::Cell> measured_cells(const tuning::Decision& decision, const tuning::Check& check, bool crossover) {
  if (!check.complete) {
    return {"", "", "", "", ""};
  }
  const double error = decision.chosen.seconds / check.chosen_seconds - 1;
  return {{check.default_seconds, format_seconds(check.default_seconds)},
          {check.chosen_seconds, format_seconds(check.chosen_seconds)},
          {error, fmt::format("{:+.1f} %", 100 * error)},
          block_text(check.best.blocks, crossover),
          {check.gain_kept, format_percent(check.gain_kept)}};
}

report::Table decision_table(const std::vector<tuning::Decision>& decisions, const std::vector<tuning::Check>& checks) {
  using report::Align;
  const bool crossover = has_crossover(decisions);
  const std::string nb = crossover ? "nb / nx" : "nb";
  report::Table table;
  table.columns = {{"n", Align::right, "n"},
                   {"default " + nb, Align::right, "default_nb"},
                   {"predicted", Align::right, "default_seconds"},
                   {"chosen " + nb, Align::right, "chosen_nb"},
                   {"predicted", Align::right, "chosen_seconds"},
                   {"gain", Align::right, "gain"},
                   {"ties", Align::left, "ties"},
                   {"regret at worst", Align::right, "regret"}};
  if (!checks.empty()) {
    table.columns.insert(table.columns.end(), {{"measured default", Align::right, "measured_default_seconds"},
                                               {"measured chosen", Align::right, "measured_chosen_seconds"},
                                               {"error", Align::right, "error"},
                                               {"best " + nb, Align::right, "best_nb"},
                                               {"yield", Align::right, "yield"}});
  }
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const tuning::Decision& d = decisions[i];
    std::vector<report::Cell> row = {kernel::size_text(d.sizes),
                                     block_text(d.default_.blocks, crossover),
                                     {d.default_.seconds, format_seconds(d.default_.seconds)},
                                     block_text(d.chosen.blocks, crossover),
                                     {d.chosen.seconds, format_seconds(d.chosen.seconds) + (d.chosen.extrapolated > 0.01 ? " *" : "")},
                                     {d.gain, format_percent(d.gain), d.gain > 0.01 ? report::Tone::good : report::Tone::plain},
                                     fmt::format("{}", fmt::join(d.ties, " ")),
                                     {d.regret, format_percent(d.regret)}};
    if (!checks.empty()) {
      const std::vector<report::Cell> measured = measured_cells(d, checks[i], crossover);
      row.insert(row.end(), measured.begin(), measured.end());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What was tuned of one entry.
struct Tuned {
  TunableRoutine tunable;
  tuning::BlockSizeResult result;
  std::vector<tuning::Check> checks;
};

/// The headings of what was measured, with room for rows that come one by one.
report::Table validation_table(const std::vector<Tuned>& all) {
  using report::Align;
  static constexpr std::size_t sizes_width = 11, name_width = 10, blocks_width = 9;
  report::Table table;
  if (all.size() > 1) {
    table.columns.push_back({"asks", Align::left, "", false, name_width});
  }
  const bool crossover = std::any_of(all.begin(), all.end(), [](const Tuned& tuned) { return has_crossover(tuned.result.decisions); });
  table.columns.insert(table.columns.end(), {{"n", Align::right, "", false, sizes_width},
                                             {"measured default"},
                                             {"measured chosen"},
                                             {"error", Align::right, "", false, blocks_width},
                                             {crossover ? "best nb / nx" : "best nb", Align::right, "", false, blocks_width},
                                             {"yield", Align::right, "", false, blocks_width}});
  return table;
}

std::vector<report::Cell> validation_row(const std::vector<Tuned>& all, const Tuned& tuned, std::size_t problem,
                                         const tuning::Check& check) {
  std::vector<report::Cell> row;
  if (all.size() > 1) {
    row.emplace_back(tuned.tunable.name());
  }
  const tuning::Decision& decision = tuned.result.decisions[problem];
  row.emplace_back(kernel::size_text(decision.sizes));
  const std::vector<report::Cell> measured = measured_cells(decision, check, has_crossover(tuned.result.decisions));
  row.insert(row.end(), measured.begin(), measured.end());
  return row;
}

/// Headings and all rows that there are; nothing without rows.
std::string validation_text(const std::vector<Tuned>& all, const CommonOptions& common) {
  report::Table table = validation_table(all);
  for (const Tuned& tuned : all) {
    for (std::size_t p = 0; p < tuned.checks.size(); ++p) {
      if (tuned.checks[p].complete) {
        table.rows.push_back(validation_row(all, tuned, p, tuned.checks[p]));
      }
    }
  }
  return table.rows.empty() ? "" : "\nMeasured, interleaved:\n\n" + render(table, common);
}

nlohmann::json document(const TuneOptions& options, const Environment& environment, const Tuned& tuned) {
  const tuning::BlockSizeResult& result = tuned.result;
  const std::vector<tuning::Check>& checks = tuned.checks;
  nlohmann::json decisions = nlohmann::json::array();
  for (std::size_t i = 0; i < result.decisions.size(); ++i) {
    const tuning::Decision& d = result.decisions[i];
    nlohmann::json forecasts = nlohmann::json::array();
    for (const tuning::Forecast& forecast : d.forecasts) {
      forecasts.push_back(to_json(forecast));
    }
    nlohmann::json decision = {
        {"sizes", d.sizes},   {"default", to_json(d.default_)},   {"chosen", to_json(d.chosen)}, {"gain", d.gain}, {"ties", d.ties},
        {"regret", d.regret}, {"forecasts", std::move(forecasts)}};
    if (i < checks.size() && checks[i].complete) {
      nlohmann::json measured = nlohmann::json::array();
      for (const tuning::Measured& m : checks[i].measured) {
        nlohmann::json item = to_json(m.blocks);
        item.update({{"seconds", m.median}, {"times", m.times}, {"error", m.error}});
        measured.push_back(std::move(item));
      }
      decision["validation"] = {{"measured", std::move(measured)},
                                {"yield", checks[i].gain_kept},
                                {"split_half", checks[i].repeatability},
                                {"best", to_json(checks[i].best.blocks)}};
    }
    decisions.push_back(std::move(decision));
  }
  return {{"schema", "flopcast-tune-1"},
          {"routine", tuned.tunable.routine->name},
          {"flags", tuned.tunable.options},
          {"environment", environment},
          {"options", {{"time_budget", budget_text(options)}, {"nb", options.blocks}, {"seed", options.seed}}},
          {"decisions", std::move(decisions)},
          {"cost", {{"segments", result.cost.segments}, {"timings", result.cost.timings}, {"measuring_seconds", result.cost.measuring}}},
          {"complete", result.complete}};
}

/// Predicted (and measured) time over block size, relative to the best, one curve per size.
report::Figure figure(const std::string& routine, const std::vector<tuning::Decision>& decisions,
                      const std::vector<tuning::Check>& checks) {
  report::Figure picture;
  picture.title = routine + ": time by block size, relative to the chosen one";
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
    if (!checks.empty() && checks[i].chosen_seconds > 0) {
      report::Series measured{.title = "n = " + kernel::size_text(decisions[i].sizes) + " measured",
                              .style = report::Series::Style::points};
      for (const tuning::Measured& m : checks[i].measured) {
        measured.x.push_back(static_cast<double>(m.blocks.nb));
        measured.y.push_back(m.median / checks[i].chosen_seconds);
      }
      picture.series.push_back(std::move(measured));
    }
  }
  return picture;
}

void summarise_validation(const std::vector<tuning::Check>& checks, const CommonOptions& common) {
  std::vector<double> yields;
  std::vector<double> errors;
  std::vector<double> noise;
  for (const tuning::Check& check : checks) {
    if (!check.complete) {
      continue;
    }
    yields.push_back(check.gain_kept);
    noise.push_back(check.repeatability);
    for (const tuning::Measured& measured : check.measured) {
      errors.push_back(std::fabs(measured.error));
    }
  }
  if (yields.empty()) {
    return;
  }
  note(
      fmt::format("validation: yield median {:.1f} %, worst {:.1f} %; prediction error median {:.1f} %, 95th percentile {:.1f} %; "
                  "measuring twice differs by {:.1f} %",
                  100 * median(yields), 100 * quantile(yields, 0), 100 * median(errors), 100 * quantile(errors, 0.95), 100 * median(noise)),
      common);
}

/// Throws usage_error for the name of a family: without variants there is nothing to choose from.
void refuse_family(const std::string& name) {
  if (kernel::find(name) != nullptr) {
    return;
  }
  const std::vector<algorithm::Family>& families = algorithm::families();
  if (std::any_of(families.begin(), families.end(), [&](const algorithm::Family& family) {
        return family.name == name || std::find(family.others.begin(), family.others.end(), name) != family.others.end();
      })) {
    throw usage_error("tune {}: that is a family of algorithms; add --variant all to choose among them, or name a LAPACK routine", name);
  }
}

/// The family with the variants asked for: "all", or names separated by commas; none for an empty list.
algorithm::FamilyRoutine chosen_family(const TuneOptions& options) {
  if (options.variants.empty()) {
    return {nullptr, &kernel::require(options.routine), {}};
  }
  algorithm::FamilyRoutine family = algorithm::find_family(options.routine);
  if (options.variants == "all") {
    return family;
  }
  std::vector<const algorithm::Algorithm*> chosen;
  std::vector<std::string> names;
  for (const algorithm::Algorithm* variant : family.variants) {
    names.push_back(variant->variant);
  }
  for (const std::string_view name : split(options.variants, ',')) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw bad_input("{} has no variant '{}', only {}", family.name(), name, fmt::join(names, ", "));
    }
    chosen.push_back(family.variants[static_cast<std::size_t>(at - names.begin())]);
  }
  family.variants = std::move(chosen);
  return family;
}

void show_joint(const TuneOptions& options, const RankRequest& request, const std::vector<Ranking>& rankings, const CommonOptions& common) {
  if (!common.json) {
    emit(joint_table(rankings), common);
    return;
  }
  nlohmann::json places_json = nlohmann::json::array();
  for (const Ranking& ranking : rankings) {
    places_json.push_back(to_json(ranking));
  }
  emit(nlohmann::json{{"schema", "flopcast-joint-1"},
                      {"routine", request.family.routine->name},
                      {"options", {{"time_budget", budget_text(options)}, {"nb", options.blocks}, {"seed", options.seed}}},
                      {"places", std::move(places_json)},
                      {"joint", joint_json(rankings)}},
       common);
}

/// Variant, block size, threads and library together.
void run_joint(const TuneOptions& options, const std::vector<machine::LibraryChoice>& where, const CommonOptions& common) {
  if (options.save || !options.profile.empty() || !options.figure.empty()) {
    throw usage_error(
        "a profile holds block sizes of one library's own routine: --save, --profile and --figure don't go with --variant, "
        "nor with several --threads or --blas");
  }
  RankRequest request;
  request.family = chosen_family(options);
  request.calls = requested_calls(options, *request.family.routine);
  if (options.variants == "all") {
    request.family = algorithm::applicable(request.family, request.calls.front());
  }
  request.blocks = parse_sizes(options.blocks, "--nb", 1, largest_block);
  request.library = LibraryRow::tuned;
  request.time_budget = time_budget(options);
  request.repetitions = options.repetitions;
  request.seed = options.seed;
  request.fresh = options.fresh;
  request.tune_crossover = !options.fixed_crossover;
  if (options.validate) {
    request.validate = tuning::Extent::ranking;
  }
  request.validation_budget = validation_budget(options);
  std::vector<Ranking> rankings = rank_everywhere(request, where, run_context(common));
  if (!request.validate || shows_parts(common) || common.output != "-") {
    show_joint(options, request, rankings, common);
  }
  if (request.validate) {
    validate_everywhere(request, rankings, run_context(common), [](const Ranking&, std::size_t) {});
    if (shows_parts(common)) {
      emit(std::string("\nmeasured\n\n"), common);
    }
    show_joint(options, request, rankings, common);
  }
  throw_if_interrupted("what was tuned and validated is shown, and every sample is kept; run the same command again to go on");
}

/// Throws bad_input for routines without anything to tune.
void require_asking(const std::vector<TunableRoutine>& all, const Routine& routine, const interpose::Recorder& recorder) {
  if (!all.empty()) {
    return;
  }
  const std::filesystem::path& asked = recorder.loaded().lapack.empty() ? recorder.loaded().blas : recorder.loaded().lapack;
  const bool is_reference = asked.filename().string().rfind("liblapack.so", 0) == 0;
  throw bad_input("{} of {} never asks ilaenv for a block size, so there is nothing to tune{}", routine.name, asked.string(),
                  is_reference ? "" : "; the reference LAPACK's may: --lapack reference");
}

void show(const TuneOptions& options, const Environment& environment, const std::vector<Tuned>& all, const CommonOptions& common) {
  if (all.size() == 1) {
    if (common.json) {
      emit(document(options, environment, all.front()), common);
    } else if (common.csv) {
      emit(decision_table(all.front().result.decisions, all.front().checks), common);
    } else {
      emit(render(decision_table(all.front().result.decisions, {}), common) + validation_text(all, common), common);
    }
    return;
  }
  if (common.csv) {
    report::Table table;
    for (const Tuned& tuned : all) {
      report::Table part = decision_table(tuned.result.decisions, tuned.checks);
      table.columns = std::move(part.columns);
      for (std::vector<report::Cell>& row : part.rows) {
        row.insert(row.begin(), tuned.tunable.name());
        table.rows.push_back(std::move(row));
      }
    }
    table.columns.insert(table.columns.begin(), {"asks", report::Align::left});
    emit(table, common);
    return;
  }
  nlohmann::json parts = nlohmann::json::array();
  std::string text;
  for (const Tuned& tuned : all) {
    parts.push_back(document(options, environment, tuned));
    text += fmt::format("{}{}\n\n", text.empty() ? "" : "\n", tuned.tunable.name()) +
            render(decision_table(tuned.result.decisions, {}), common);
  }
  if (common.json) {
    emit(nlohmann::json{{"schema", "flopcast-tune-parts-1"}, {"routine", options.routine}, {"parts", std::move(parts)}}, common);
  } else {
    emit(text + validation_text(all, common), common);
  }
}

/// Keeps what was decided in the profile.
void save(const std::string& profile, const Workbench& bench, const std::vector<Tuned>& all, const CommonOptions& common) {
  for (const Tuned& tuned : all) {
    if (const std::string remark = interpose::save_profile(profile, make_profile(bench, tuned.tunable, tuned.result.decisions));
        !remark.empty()) {
      note(remark, common);
    }
    const auto& decisions = tuned.result.decisions;
    if (const auto open = std::count_if(decisions.begin(), decisions.end(), tuning::is_undecided); open > 0) {
      note(fmt::format(
               "{} is undecided for {} of {} sizes, where over 10 % may be lost: the profile keeps LAPACK's own block sizes there; a "
               "larger --time-budget decides",
               tuned.tunable.name(), open, decisions.size()),
           common);
    }
  }
  note(fmt::format("profile saved to {}; run a program with it: flopcast run -- COMMAND", profile), common);
}

/// Shows each row as soon as its runs are there, or everything together at the end, whatever ends it.
void validate(const TuneOptions& options, const Workbench& bench, TuningSession& session, std::vector<Tuned>& all,
              const CommonOptions& common) {
  const bool rows_at_once = shows_parts(common);
  const report::Table headings = validation_table(all);
  bool has_rows = false;
  for (Tuned& tuned : all) {
    ValidationOptions how;
    how.time_budget = validation_budget(options) / static_cast<double>(all.size());
    how.validated = [&](std::size_t problem, const tuning::Check& check) {
      if (rows_at_once) {
        const report::Table row = {headings.columns, {validation_row(all, tuned, problem, check)}};
        emit((has_rows ? "" : "\nMeasured, interleaved:\n\n" + render(headings, common)) + report::rows_text(row, use_color(common)),
             common);
        has_rows = true;
      }
    };
    tuned.checks = validate_blocks(tuned.tunable, tuned.result, bench, session, how);
  }
  if (!rows_at_once) {
    show(options, bench.environment(), all, common);
  }
  for (const Tuned& tuned : all) {
    summarise_validation(tuned.checks, common);
  }
}

void run_tune_block_size(const TuneOptions& options, const CommonOptions& common) {
  const Stopwatch watch;
  refuse_family(options.routine);
  const Routine& routine = kernel::require(options.routine);  // before anything is opened
  const std::vector<Call> calls = calls_for_open_flags(options, routine);
  tuning::BlockSizeOptions tuning;
  tuning.time_budget = time_budget(options);
  tuning.tune_crossover = !options.fixed_crossover;
  if (!options.figure.empty()) {
    report::require_drawable(options.figure);
  }
  const std::string profile = !options.profile.empty() ? options.profile : options.save ? interpose::default_profile_file() : "";
  if (!profile.empty()) {
    interpose::require_profile_writable(profile);
  }
  model::Store store = open_store(run_context(common));
  const Workbench bench = Workbench::opened(options.libraries, run_context(common), options.validate);
  const Stopwatch since_open;
  interpose::Recorder recorder(bench.files());
  std::vector<TunableRoutine> entries =
      tunable_routines(calls, parse_sizes(options.blocks, "--nb", 1, largest_block), options.libraries.threads, recorder);
  require_asking(entries, routine, recorder);
  if (entries.size() > 1 || entries.front().routine != &routine) {
    std::vector<std::string> names;
    for (const TunableRoutine& entry : entries) {
      names.push_back(entry.name());
    }
    note(fmt::format("{} asks ilaenv through {}: tuning that", routine.name, fmt::join(names, ", ")), common);
  }
  tuning.time_budget = std::max(0.0, tuning.time_budget - since_open.elapsed()) / static_cast<double>(entries.size());
  TuningSession session(bench, store, {options.repetitions, options.seed, options.fresh}, run_context(common));
  std::vector<Tuned> all;
  for (TunableRoutine& entry : entries) {
    Tuned tuned{std::move(entry), {}, {}};
    try {
      tuned.result = tune_blocks(tuned.tunable, recorder, session, tuning);
    } catch (const Cancelled&) {
      if (all.empty()) {
        throw;
      }
      break;  // what was tuned before is shown
    }
    note_cost(tuned.result, watch.elapsed(), run_context(common));
    all.push_back(std::move(tuned));
  }
  if (!options.validate || shows_parts(common) || common.output != "-") {
    show(options, bench.environment(), all, common);
  }
  if (!profile.empty()) {
    save(profile, bench, all, common);
  }
  if (options.validate && !interrupted()) {
    validate(options, bench, session, all, common);
  } else if (options.validate && !shows_parts(common) && common.output == "-") {
    show(options, bench.environment(), all, common);
  }
  if (!options.figure.empty()) {
    report::draw(figure(all.front().tunable.name(), all.front().result.decisions, all.front().checks), options.figure);
  }
  throw_if_interrupted("the tuning is shown, with the rows that were validated by then");
}

LapackRequest lapack_request(const TuneOptions& options) {
  if (!options.arguments.empty() || !options.figure.empty()) {
    throw usage_error("tune lapack: arguments of one routine and --figure don't go with all of LAPACK; --n, --nb and --precision do");
  }
  LapackRequest request;
  request.precisions = options.precisions;
  if (!options.n.empty()) {
    request.orders = parse_sizes(options.n, "--n", 1, largest_size);
  }
  request.blocks = parse_sizes(options.blocks, "--nb", 1, largest_block);
  request.time_budget = options.time_budget.empty() ? request.time_budget : time_budget(options);
  request.tuning = {options.repetitions, options.seed, options.fresh};
  request.tune_crossover = !options.fixed_crossover;
  request.validate = options.validate;
  request.limits_validation = !options.time_budget.empty();
  request.profile = options.profile.empty() ? interpose::default_profile_file() : options.profile;
  return request;
}

void run_tune(TuneOptions options, const CommonOptions& common) {
  const std::vector<machine::LibraryChoice> where = places(options.threads, options.blas, options.libraries, run_context(common));
  if (where.size() > 1 || !options.variants.empty()) {
    run_joint(options, where, common);
    return;
  }
  options.libraries = where.front();
  if (options.routine == all_of_lapack) {
    tune_lapack(lapack_request(options), options.libraries, common);
    return;
  }
  run_tune_block_size(options, common);
}

}  // namespace

void add_tune_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<TuneOptions>();
  OptionSet command = app.add_command("tune", "Choose the block size of a LAPACK routine without running it");
  command
      .option("routine", options->routine,
              "LAPACK routine, such as dgeqrf; lapack: all of them; with --variant also a family, such as cholesky")
      .required();
  command.option("arguments", options->arguments,
                 "name=value: sizes (m=2000:4000), flags (uplo=U; both of two values where none is given); n alone means square");
  command.option("--n", options->n, "orders: 1000, 200:3200 (16 values), 200:3200:100 or a list");
  command.option("--nb", options->blocks, "block sizes to choose from").show_default();
  command.option("--time-budget,--budget", options->time_budget,
                 "for tuning (50s, for lapack 10min); where it is given, --validate has as much again");
  command.option("--repetitions", options->repetitions, "of long runs in a validation, short ones get more").show_default().range(1, 1000);
  command.flag("--fixed-crossover", options->fixed_crossover, "keep LAPACK's crossover nx instead of choosing it too");
  command.flag("--validate", options->validate, "also run the routine with every block size, interleaved, and compare");
  command.flag("--save", options->save, "keep the result in the profile that 'flopcast run' uses");
  command.option("--profile", options->profile, "keep it in this profile instead");
  command.flag("--fresh", options->fresh, "do not use samples of earlier runs");
  command.option("--figure", options->figure, "draw time over block size into this .svg or .png file");
  add_seed_option(command, options->seed, "of the order of measurements");
  command.option("--precision", options->precisions, "of lapack: letters of s, d, c, z, the most used first").show_default();
  command.option("--variant", options->variants,
                 "choose among these variants too (all, or names that 'flopcast rank' shows), beside the library's own routine");
  add_library_lists(command, options->libraries, options->blas, options->threads);
  command.footer(
      "Examples:\n  flopcast tune dgeqrf --n 200:800:200 --nb 16,32,64 --time-budget 5s\n"
      "  flopcast tune cholesky --n 300,600 --nb 32,64 --variant all --time-budget 4s\n"
      "  flopcast tune lapack --n 100,200 --precision d --profile lapack.json --budget 5s");
  command.action([options, &common] { run_tune(*options, common); });
}

}  // namespace flopcast::cli
