#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/tuning/ranking.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t max_threads = 1024;
constexpr std::size_t coarse_blocks = 5;   // of each variant, to begin with
constexpr std::size_t max_calls = 40'000;  // of a trace: longer ones are those of blocks far too small

std::int64_t largest_size(const Call& call) {
  std::int64_t largest = 0;
  for (const std::int64_t size : sizes(call)) {
    largest = std::max(largest, size);
  }
  return largest;
}

/// The same call of at most `most` rows and columns.
Call shrunk(Call call, std::int64_t most) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::size) {
      call.arguments[i] = std::min(call.arguments[i], most);
    }
  }
  return call;
}

/// The trace of a routine that is a kernel itself: one call.
Trace kernel_trace(const Call& call) {
  Trace trace;
  trace.configuration = algorithm::configuration(call, {});
  trace.allocations = algorithm::operand_allocations(call);
  Call placed = call;
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::data || kind == Kind::work || kind == Kind::pivots) {
      trace.allocations[next].address = virtual_base(next);
      placed.arguments[i] = static_cast<std::int64_t>(virtual_base(next++));
    }
  }
  trace.calls = {placed};
  return trace;
}

/// The library's own routine, as far as it can be compared.
class LibraryRoutine {
 public:
  LibraryRoutine(const interpose::LibraryFiles& files, const RankRequest& request) {
    if (request.library == LibraryRow::none || !request.family.is_lapacks()) {
      return;
    }
    static constexpr std::int64_t small = 64;
    recorder_ = std::make_unique<interpose::Recorder>(files);
    const Call call = shrunk(request.calls.front(), small);
    asks_ = recorder_->block_size_query(call).has_value();
    is_kernel_ = !asks_ && calls_nothing(call);
  }

  /// A routine that neither asks for a block size nor is a kernel by itself is unblocked: slow, and its trace endless.
  [[nodiscard]] bool is_comparable() const { return asks_ || is_kernel_; }
  [[nodiscard]] bool asks() const { return asks_; }
  [[nodiscard]] algorithm::BlockParameters defaults(const Call& call) {
    const std::optional<interpose::BlockSizeQuery> query = asks_ ? recorder_->block_size_query(call) : std::nullopt;
    return query ? query->answers : algorithm::BlockParameters{0, 0, 0};
  }
  [[nodiscard]] Trace trace(const Call& call, const algorithm::BlockParameters& blocks) {
    if (asks_) {
      return recorder_->record(call, blocks);
    }
    return kernel_trace(algorithm::with_workspace(call, {}, algorithm::require(*call.routine)));
  }

 private:
  /// A routine that decides by its data may not come to its end in a recording; then it is made of calls.
  [[nodiscard]] bool calls_nothing(const Call& call) {
    try {
      return recorder_->record(call, std::nullopt).calls.empty();
    } catch (const Error& error) {
      if (error.code() == ExitCode::unusable_measurement) {
        return false;
      }
      throw;
    }
  }

  std::unique_ptr<interpose::Recorder> recorder_;
  bool asks_ = false, is_kernel_ = false;
};

/// Whether LAPACK's crossover changes what a variant does.
bool uses_crossover(const Call& call, const algorithm::Algorithm& variant) {
  static constexpr std::int64_t order = 64, nb = 8;
  const Call small = shrunk(call, order);
  return algorithm::record(small, {nb, 2, 0}, variant).calls != algorithm::record(small, {nb, 2, order / 2}, variant).calls;
}

/// Block sizes that differ for a problem whose largest size is `order`: of those that make it one block, the smallest.
std::vector<std::int64_t> distinct_blocks(const std::vector<std::int64_t>& blocks, std::int64_t order) {
  std::vector<std::int64_t> distinct;
  for (const std::int64_t nb : blocks) {
    if (distinct.empty() || distinct.back() < order) {
      distinct.push_back(nb);
    }
  }
  return distinct;
}

/// Whether a variant makes more kernel calls than can be dealt with.
bool too_many_calls(const Call& call, const algorithm::BlockParameters& blocks, const algorithm::Algorithm& variant) {
  const std::int64_t steps = largest_size(call) / std::max<std::int64_t>(1, blocks.nb);
  return static_cast<std::size_t>(steps * steps) > max_calls / 4 && algorithm::record(call, blocks, variant).calls.size() > max_calls;
}

/// A call's alternatives with the variants of its family and, if wanted, the library's routine.
tuning::Problem make_problem(const Call& call, const RankRequest& request, LibraryRoutine& library) {
  tuning::Problem problem;
  problem.call = call;
  const std::vector<std::int64_t> blocks = distinct_blocks(request.blocks, largest_size(call));
  algorithm::BlockParameters default_blocks;
  if (library.is_comparable()) {
    default_blocks = library.defaults(call);
    problem.default_ = tuning::Alternative{.blocks = default_blocks};
    if (request.library == LibraryRow::tuned && library.asks()) {
      for (const std::int64_t nb : blocks) {
        problem.alternatives.push_back({"", {nb, default_blocks.nbmin, default_blocks.nx}});
      }
    }
  }
  for (const algorithm::Algorithm* variant : request.family.variants) {
    const std::int64_t nx =
        uses_crossover(call, *variant) ? (default_blocks.nx > 0 ? default_blocks.nx : algorithm::BlockParameters{}.nx) : 0;
    for (const std::int64_t nb : blocks) {
      const algorithm::BlockParameters parameters{nb, 2, nx};
      if (nb == blocks.back() || !too_many_calls(call, parameters, *variant)) {
        problem.alternatives.push_back({variant->variant, parameters});
      }
    }
  }
  if (!problem.default_ && problem.alternatives.empty()) {
    throw bad_input(
        "{} of this library never asks ilaenv for a block size, so there is nothing to choose; --variant all compares flopcast's "
        "own algorithms",
        call.routine->name);
  }
  return problem;
}

/// Everything that ranking in one place needs, alive at once.
class Place {
 public:
  Place(const RankRequest& request, const machine::LibraryChoice& libraries, const RunContext& context, model::Store& store)
      : request_(request),
        context_(context),
        bench_(Workbench::opened(libraries, context, request.validate.has_value())),
        library_(bench_.files(), request),
        session_(bench_, store, {request.repetitions, request.seed, request.fresh}, context),
        runtime_(std::make_shared<algorithm::Runtime>([this](std::string_view routine) { return bench_.libraries().find(routine); })) {
    ranking_.libraries = libraries;
    ranking_.environment = bench_.environment();
    ranking_.settings = bench_.settings();
    for (Call call : request.calls) {
      call.threads = libraries.threads;
      ranking_.problems.push_back(make_problem(call, request, library_));
      context_.throw_if_cancelled("nothing was measured");
    }
  }

  Ranking decide(Seconds budget) {
    tuning::BlockSizeOptions options;
    options.time_budget = std::max(0.0, budget - watch_.elapsed());
    options.coarse_blocks = coarse_blocks;
    options.tune_crossover = request_.tune_crossover;
    ranking_.result = session_.tune(
        "ranking " + request_.family.name(), ranking_.problems,
        [this](const Call& call, const tuning::Alternative& alternative) { return trace(call, alternative); }, kernels(), options);
    note_cost(ranking_.result, watch_.elapsed(), context_);
    return std::move(ranking_);
  }

  /// Runs what was decided about in this place.
  void validate(Ranking& ranking, Seconds budget, const std::function<void(const Ranking&, std::size_t)>& validated) {
    ranking.checks.resize(ranking.problems.size());
    ValidationOptions options;
    options.extent = *request_.validate;
    options.time_budget = budget;
    options.validated = [&](std::size_t problem, const tuning::Check& check) {
      ranking.checks[problem] = check;
      validated(ranking, problem);
    };
    session_.validate("validating " + request_.family.name(), ranking.problems, ranking.result.decisions, runners(), options);
    tell_of_warnings(ranking.checks);
  }

 private:
  Trace trace(const Call& call, const tuning::Alternative& alternative) {
    Trace trace = alternative.variant.empty() ? library_.trace(call, alternative.blocks)
                                              : algorithm::record(call, alternative.blocks, alternative.variant);
    for (Call& kernel : trace.calls) {
      kernel.threads = call.threads;
    }
    return trace;
  }

  /// Names of the kernels that the alternatives call, as a small problem shows them.
  std::set<std::string> kernels() {
    static constexpr std::int64_t order = 96, nb = 16;
    std::set<std::string> names;
    for (const algorithm::Algorithm* variant : request_.family.variants) {
      for (const std::int64_t size : {nb, order}) {  // unblocked and blocked
        for (const Call& kernel : algorithm::record(shrunk(request_.calls.front(), size), {nb, 2, 0}, *variant).calls) {
          names.insert(kernel.routine->name);
        }
      }
    }
    if (library_.is_comparable()) {
      names.insert(request_.family.routine->name);
      for (const Call& kernel : library_.trace(ranking_.problems.front().call, library_.defaults(ranking_.problems.front().call)).calls) {
        names.insert(kernel.routine->name);
      }
    }
    return names;
  }

  tuning::Runners runners() {
    tuning::Runners runners;
    runners.set_blocks = [&](const Call& call, const algorithm::BlockParameters& blocks) {
      if (library_.asks()) {
        bench_.set_blocks(call.routine->name, blocks);
      }
    };
    runners.execute = [&](const Call& call, const tuning::Alternative& alternative) {
      return algorithm::execute(call, alternative.blocks, runtime_, algorithm::require(*call.routine, alternative.variant));
    };
    return runners;
  }

  void tell_of_warnings(const std::vector<tuning::Check>& checks) const {
    std::map<std::string, std::vector<std::string>> runs;  // by what is odd about them
    for (const tuning::Check& check : checks) {
      for (const tuning::RunWarning& warning : check.warnings) {
        runs[warning.text].push_back(warning.run);
      }
    }
    for (const auto& [text, which] : runs) {
      const std::string others = which.size() > 1 ? fmt::format(" and {} others", which.size() - 1) : "";
      context_.note(fmt::format("warning: n = {}{}: {}", which.front(), others, text));
    }
  }

  const RankRequest& request_;
  RunContext context_;
  Workbench bench_;
  Stopwatch watch_;  ///< since the libraries are open and the machine is known
  LibraryRoutine library_;
  TuningSession session_;
  std::shared_ptr<algorithm::Runtime> runtime_;
  Ranking ranking_;
};

nlohmann::json standing_json(const tuning::VariantRank& standing) {
  nlohmann::json json = to_json(standing.best);
  json.update({{"rank", standing.rank},
               {"behind", standing.behind},
               {"ties", standing.ties},
               {"block_ties", standing.block_ties},
               {"regret", standing.regret}});
  return json;
}

nlohmann::json validation_json(const tuning::Decision& decision, const tuning::Check& check) {
  nlohmann::json measured = nlohmann::json::array();
  for (const tuning::Measured& m : check.measured) {
    nlohmann::json item = to_json(m.blocks);
    item.update({{"variant", m.variant}, {"seconds", m.median}, {"times", m.times}, {"error", m.error}});
    measured.push_back(std::move(item));
  }
  nlohmann::json best = to_json(check.best.blocks);
  best["variant"] = check.best.variant;
  const tuning::OrderCheck order = tuning::check_order(decision, check);
  nlohmann::json warnings = nlohmann::json::array();
  for (const tuning::RunWarning& warning : check.warnings) {
    warnings.push_back(warning.run + ": " + warning.text);
  }
  return {{"measured", std::move(measured)},
          {"best", std::move(best)},
          {"regret", check.chosen_seconds > 0 ? check.chosen_seconds / check.best_seconds - 1 : 0},
          {"split_half", check.repeatability},
          {"order", {{"pairs", order.pairs}, {"right", order.right}}},
          {"warnings", std::move(warnings)}};
}

}  // namespace

std::vector<machine::LibraryChoice> places(const std::string& threads, const std::string& blas,
                                           const machine::LibraryChoice& common_options, const RunContext& context) {
  const std::vector<std::int64_t> counts = parse_sizes(threads, "--threads", 1, max_threads);
  const auto most = static_cast<int>(*std::max_element(counts.begin(), counts.end()));
  const std::string libraries = blas.empty() && most > 1 ? machine::default_blas(most) : blas;
  std::vector<machine::LibraryChoice> all;
  for (const std::string_view library : split(libraries, ',')) {
    if (library.empty() && !blas.empty()) {
      throw bad_input("--blas: '{}' has an empty name in it", blas);
    }
    const bool serial = counts.size() > 1 && !library.empty() && machine::has_one_thread(library);
    for (const std::int64_t count : counts) {
      if (serial && count > 1) {
        context.note(fmt::format("{} has one thread only: left out with {}", library, count));
        continue;
      }
      machine::LibraryChoice options = common_options;
      options.blas = library;
      options.threads = static_cast<int>(count);
      all.push_back(options);
    }
  }
  if (all.empty()) {
    throw bad_input("none of {} can have {} threads", libraries, threads);
  }
  return all;
}

std::vector<Ranking> rank_everywhere(const RankRequest& request, const std::vector<machine::LibraryChoice>& places,
                                     const RunContext& context) {
  for (const machine::LibraryChoice& place : places) {
    choose_kernels(place, context);
  }
  model::Store store = open_store(context);
  std::vector<Ranking> rankings;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places.size() > 1) {
      context.note(fmt::format("{} with {} thread{} ({} of {})", places[i].blas.empty() ? "the default BLAS" : places[i].blas,
                               places[i].threads, places[i].threads == 1 ? "" : "s", i + 1, places.size()));
    }
    try {
      rankings.push_back(Place(request, places[i], context, store).decide(request.time_budget / static_cast<double>(places.size())));
    } catch (const Cancelled&) {
      if (rankings.empty()) {
        throw;
      }
      break;
    }
  }
  return rankings;
}

void validate_everywhere(const RankRequest& request, std::vector<Ranking>& rankings, const RunContext& context,
                         const std::function<void(const Ranking& ranking, std::size_t problem)>& validated) {
  model::Store store = open_store(context);
  const Seconds share = request.validation_budget / static_cast<double>(rankings.size());
  try {
    for (Ranking& ranking : rankings) {
      Place(request, ranking.libraries, context, store).validate(ranking, share, validated);
    }
  } catch (const Cancelled&) {  // while the libraries of a place were opened: what is there is shown
    return;
  }
}

std::string place_text(const Ranking& ranking) {
  return fmt::format("{} x {}", ranking.libraries.blas.empty() ? ranking.environment.blas.name : ranking.libraries.blas,
                     ranking.libraries.threads);
}

std::string variant_text(const std::string& variant, const Ranking& ranking) {
  return variant.empty() ? ranking.environment.lapack.name + "'s" : variant;
}

nlohmann::json to_json(const algorithm::BlockParameters& blocks) { return {{"nb", blocks.nb}, {"nbmin", blocks.nbmin}, {"nx", blocks.nx}}; }

nlohmann::json to_json(const tuning::Forecast& forecast) {
  nlohmann::json json = to_json(forecast.blocks);
  if (!forecast.variant.empty()) {
    json["variant"] = forecast.variant;
  }
  json.update({{"seconds", forecast.seconds},
               {"interval", {forecast.interval.low, forecast.interval.high}},
               {"extrapolated", forecast.extrapolated}});
  return json;
}

nlohmann::json to_json(const Ranking& ranking) {
  nlohmann::json decisions = nlohmann::json::array();
  for (std::size_t i = 0; i < ranking.result.decisions.size(); ++i) {
    const tuning::Decision& d = ranking.result.decisions[i];
    nlohmann::json standings = nlohmann::json::array();
    for (const tuning::VariantRank& standing : d.ranking) {
      standings.push_back(standing_json(standing));
    }
    nlohmann::json forecasts = nlohmann::json::array();
    for (const tuning::Forecast& forecast : d.forecasts) {
      forecasts.push_back(to_json(forecast));
    }
    nlohmann::json decision = {{"sizes", d.sizes},   {"chosen", to_json(d.chosen)},     {"gain", d.gain},
                               {"regret", d.regret}, {"ranking", std::move(standings)}, {"forecasts", std::move(forecasts)}};
    if (d.default_.seconds > 0) {
      decision["default"] = to_json(d.default_);
    }
    if (i < ranking.checks.size() && ranking.checks[i].complete) {
      decision["validation"] = validation_json(d, ranking.checks[i]);
    }
    decisions.push_back(std::move(decision));
  }
  return {{"environment", ranking.environment},
          {"threads", ranking.libraries.threads},
          {"decisions", std::move(decisions)},
          {"cost",
           {{"segments", ranking.result.cost.segments},
            {"timings", ranking.result.cost.timings},
            {"measuring_seconds", ranking.result.cost.measuring}}},
          {"complete", ranking.result.complete}};
}

}  // namespace flopcast
