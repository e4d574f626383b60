#include "flopcast/tasks/tuning/ranking.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/driver_ranking.hpp"
#include "flopcast/tasks/tuning/tunable_routine.hpp"
#include "flopcast/tune/decision.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

constexpr std::size_t coarse_blocks = 5;   // of each variant, to begin with
constexpr std::size_t max_calls = 40'000;  // of a trace: longer ones are those of blocks far too small

std::int64_t largest_size(const Call& call) {
  std::int64_t largest = 0;
  for (const std::int64_t size : sizes(call)) {
    largest = std::max(largest, size);
  }
  return largest;
}

/// Returns the call with at most `max` rows and columns.
Call shrunk(Call call, std::int64_t max) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::size) {
      call.arguments[i] = std::min(call.arguments[i], max);
    }
  }
  return call;
}

/// Returns the trace of a routine that is a kernel itself: one call.
Trace kernel_trace(const Call& call) {
  Trace trace;
  trace.configuration = algorithm::configuration(call, {});
  Call placed = call;
  trace.allocations = algorithm::place_operands(placed);
  trace.calls = {placed};
  return trace;
}

/// The library's own routine, if it can be compared.
class LibraryRoutine {
 public:
  LibraryRoutine(const TuningServices& services, const RankedCalls& ranked) : services_(services) {
    if (ranked.library == LibraryRow::none || !ranked.family.is_lapacks()) {
      return;
    }
    static constexpr std::int64_t small = 64;
    const Call call = shrunk(ranked.calls.front(), small);
    is_tunable_ = services.block_size_query(call).has_value();
    is_kernel_ = !is_tunable_ && calls_nothing(call);
  }

  /// A routine that neither queries ilaenv nor is a kernel by itself is unblocked: slow, and its trace endless.
  [[nodiscard]] bool is_comparable() const { return is_tunable_ || is_kernel_; }
  [[nodiscard]] bool is_tunable() const { return is_tunable_; }
  [[nodiscard]] algorithm::BlockParameters defaults(const Call& call) const {
    const std::optional<protocol::BlockSizeQuery> query = is_tunable_ ? services_.block_size_query(call) : std::nullopt;
    return query ? query->answers : algorithm::BlockParameters{0, 0, 0};
  }
  [[nodiscard]] Trace trace(const Call& call, const algorithm::BlockParameters& blocks) const {
    if (is_tunable_) {
      return services_.record(call, blocks);
    }
    return kernel_trace(algorithm::with_workspace(call, {}, algorithm::require(*call.routine)));
  }

 private:
  /// A routine that decides by its data may not come to its end in a recording; then it is made of calls.
  [[nodiscard]] bool calls_nothing(const Call& call) const {
    try {
      return services_.record(call, std::nullopt).calls.empty();
    } catch (const Error& error) {
      if (error.code() == ExitCode::unusable_measurement) {
        return false;
      }
      throw;
    }
  }

  const TuningServices& services_;
  bool is_tunable_ = false, is_kernel_ = false;
};

/// Returns whether LAPACK's crossover changes what a variant does.
bool uses_crossover(const Call& call, const algorithm::Algorithm& variant) {
  static constexpr std::int64_t order = 64, nb = 8;
  const Call small = shrunk(call, order);
  return algorithm::record(small, {nb, 2, 0}, variant).calls != algorithm::record(small, {nb, 2, order / 2}, variant).calls;
}

/// Returns the block sizes that differ for a problem whose largest size is `order`. Several that make it one block are one.
std::vector<std::int64_t> distinct_blocks(const std::vector<std::int64_t>& blocks, std::int64_t order) {
  std::vector<std::int64_t> distinct;
  for (const std::int64_t nb : blocks) {
    if (distinct.empty() || distinct.back() < order) {
      distinct.push_back(nb);
    }
  }
  return distinct;
}

/// Returns whether a variant makes more kernel calls than can be dealt with.
bool too_many_calls(const Call& call, const algorithm::BlockParameters& blocks, const algorithm::Algorithm& variant) {
  const std::int64_t steps = largest_size(call) / std::max<std::int64_t>(1, blocks.nb);
  return static_cast<std::size_t>(steps * steps) > max_calls / 4 && algorithm::record(call, blocks, variant).calls.size() > max_calls;
}

/// Returns a call's alternatives with the variants of its family and, if wanted, the library's routine.
tuning::Problem make_problem(const Call& call, const RankedCalls& ranked, const LibraryRoutine& library) {
  tuning::Problem problem;
  problem.call = call;
  const std::vector<std::int64_t> blocks = distinct_blocks(ranked.blocks, largest_size(call));
  algorithm::BlockParameters default_blocks;
  if (library.is_comparable()) {
    default_blocks = library.defaults(call);
    problem.default_ = tuning::Alternative{.blocks = default_blocks};
    if (ranked.library == LibraryRow::tuned && library.is_tunable()) {
      for (const std::int64_t nb : blocks) {
        problem.alternatives.push_back({"", {nb, default_blocks.nbmin, default_blocks.nx}});
      }
    }
  }
  for (const algorithm::Algorithm* variant : ranked.family.variants) {
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
        "{} of this library never queries ilaenv for a block size, so there is nothing to choose; give variants to compare "
        "flopcast's own algorithms",
        call.routine->name);
  }
  return problem;
}

/// Returns the names of the kernels that the alternatives call, as a small problem shows them.
std::set<std::string> kernels(const RankedCalls& ranked, const std::vector<tuning::Problem>& problems, const LibraryRoutine& library) {
  static constexpr std::int64_t order = 96, nb = 16;
  std::set<std::string> names;
  for (const algorithm::Algorithm* variant : ranked.family.variants) {
    for (const std::int64_t size : {nb, order}) {  // unblocked and blocked
      for (const Call& kernel : algorithm::record(shrunk(ranked.calls.front(), size), {nb, 2, 0}, *variant).calls) {
        names.insert(kernel.routine->name);
      }
    }
  }
  if (library.is_comparable()) {
    names.insert(ranked.family.routine->name);
    const Call& call = problems.front().call;
    for (const Call& kernel : library.trace(call, library.defaults(call)).calls) {
      names.insert(kernel.routine->name);
    }
  }
  return names;
}

void note_warnings(const std::vector<tuning::Decision>& decisions, const RunContext& context) {
  std::map<std::string, std::vector<std::string>> runs;  // by what is odd about them
  for (const tuning::Decision& decision : decisions) {
    for (const tuning::RunWarning& warning : decision.validation ? decision.validation->warnings : std::vector<tuning::RunWarning>()) {
      runs[warning.text].push_back(warning.run);
    }
  }
  for (const auto& [text, which] : runs) {
    const std::string others = which.size() > 1 ? " and " + counted(which.size() - 1, "other") : "";
    context.note(fmt::format("warning: n = {}{}: {}", which.front(), others, text));
  }
}

}  // namespace

PlaceRanker::PlaceRanker(TuningSession& session, const RankedCalls& ranked, const RankRequest& request, const RunContext& context)
    : session_(session), ranked_(ranked), request_(request), context_(context), begin_(session.services().clock()) {
  const LibraryRoutine library(session.services(), ranked);
  for (Call call : ranked.calls) {
    call.threads = session.services().environment.threads;
    problems_.push_back(make_problem(call, ranked, library));
    context_.throw_if_cancelled("nothing was measured");
  }
}

PlaceRanking PlaceRanker::decide(Seconds budget) {
  const auto elapsed = [&] { return session_.services().clock() - begin_; };
  tuning::BlockSizeOptions options;
  options.time_budget = std::max(0.0, budget - elapsed());
  options.coarse_blocks = coarse_blocks;
  options.tune_crossover = request_.tune_crossover;
  const LibraryRoutine library(session_.services(), ranked_);
  const auto record = [&](const Call& call, const tuning::Alternative& alternative) {
    Trace trace = alternative.variant.empty() ? library.trace(call, alternative.blocks)
                                              : algorithm::record(call, alternative.blocks, alternative.variant);
    for (Call& kernel : trace.calls) {
      kernel.threads = call.threads;
    }
    return trace;
  };
  tuning::BlockSizeResult result =
      session_.tune("ranking " + ranked_.family.name(), problems_, record, kernels(ranked_, problems_, library), options);
  note_cost(result, elapsed(), context_);
  tell_undecided("the ranking", result.decisions, "another variant may be the best", context_);
  return {"",
          session_.services().environment.threads,
          session_.services().environment,
          std::move(result.decisions),
          result.cost,
          result.complete};
}

void PlaceRanker::validate(PlaceRanking& ranking, Seconds budget, const std::function<void(std::size_t problem)>& validated) {
  const TuningServices& services = session_.services();
  const LibraryRoutine library(services, ranked_);
  const auto runtime = std::make_shared<algorithm::Runtime>(services.find_function);
  tuning::Runners runners;
  runners.set_blocks = [&](const Call& call, const algorithm::BlockParameters& blocks) {
    if (library.is_tunable()) {
      services.set_blocks(call.routine->name, blocks);
    }
  };
  runners.execute = [&](const Call& call, const tuning::Alternative& alternative) {
    return algorithm::execute(call, alternative.blocks, runtime, algorithm::require(*call.routine, alternative.variant));
  };
  ValidationOptions options;
  options.extent = *request_.validate;
  options.time_budget = budget;
  options.validated = validated;
  session_.validate("validating " + ranked_.family.name(), problems_, ranking.decisions, runners, options);
  note_warnings(ranking.decisions, context_);
}

namespace {

/// Returns the family with these variants only. Throws bad_input for an unknown one.
algorithm::FamilyRoutine with_variants(algorithm::FamilyRoutine family, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const algorithm::Algorithm* variant : family.variants) {
    names.push_back(variant->variant);
  }
  std::vector<const algorithm::Algorithm*> chosen;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw bad_input("{} has no variant '{}', only {}", family.name(), name, fmt::join(names, ", "));
    }
    chosen.push_back(family.variants[static_cast<std::size_t>(at - names.begin())]);
  }
  family.variants = std::move(chosen);
  return family;
}

Ranking empty_ranking(const RankedCalls& ranked, const RankRequest& request) {
  Ranking ranking;
  ranking.family = ranked.family.name();
  ranking.routine = ranked.family.routine->name;
  ranking.flags = flags(ranked.calls.front());
  ranking.options = with_members_of<TuningSettings>(request);
  for (const algorithm::Algorithm* variant : ranked.family.variants) {
    ranking.variants.push_back({variant->variant, variant->description, variant->is_default});
  }
  return ranking;
}

/// A place and what ranking in it needs, alive at once.
struct OpenPlace {
  OpenPlace(const Workbench& bench, const RankedCalls& ranked, const RankRequest& request, const RunContext& context)
      : session(opened(bench, request), bench.store(), {request.repetitions, request.seed, request.fresh}, context),
        ranker(session, ranked, request, context) {}
  static const Workbench& opened(const Workbench& bench, const RankRequest& request) {
    bench.open(request.validate.has_value());
    return bench;
  }
  TuningSession session;
  PlaceRanker ranker;
};

/// Ranks in the places of `benches`, each of which is opened anew for its validation, so that only one is open at a time.
class Ranker {
 public:
  Ranker(const RankRequest& request, const RunContext& context, const TuningObserver<Ranking>& observer)
      : ranked_(ranked_calls(request)), request_(request), context_(context), observer_(observer) {}

  /// Ranks on a workbench that is open already.
  Ranking run(const Workbench& bench) {
    result_ = empty_ranking(ranked_, request_);
    OpenPlace place(bench, ranked_, request_, context_);
    add(place.ranker.decide(request_.time_budget), bench.choice());
    finish_decisions();
    if (request_.validate) {
      place.ranker.validate(result_.places.front(), validation_share(), validated(0));
    }
    return std::move(result_);
  }

  Ranking run(std::vector<machine::LibraryChoice> places) {
    places_ = std::move(places);
    for (const machine::LibraryChoice& place : places_) {
      choose_kernels(place, context_);
    }
    result_ = empty_ranking(ranked_, request_);
    decide();
    finish_decisions();
    if (request_.validate) {
      validate();
    }
    return std::move(result_);
  }

 private:
  void add(PlaceRanking place, const machine::LibraryChoice& choice) {
    place.blas = choice.blas;
    place.threads = choice.threads;
    result_.places.push_back(std::move(place));
  }

  void decide() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const machine::LibraryChoice& choice = places_[i];
      if (places_.size() > 1) {
        context_.note(fmt::format("{} with {} ({} of {})", choice.blas.empty() ? "the default BLAS" : choice.blas,
                                  counted(choice.threads, "thread"), i + 1, places_.size()));
      }
      try {
        const Workbench bench(choice, context_);
        add(OpenPlace(bench, ranked_, request_, context_).ranker.decide(request_.time_budget / static_cast<double>(places_.size())),
            choice);
      } catch (const Cancelled&) {
        if (result_.places.empty()) {
          throw;
        }
        return;
      }
    }
  }

  void finish_decisions() {
    result_.joint = joint_decisions(result_.places);
    if (observer_.decided) {
      observer_.decided(result_);
    }
  }

  std::function<void(std::size_t)> validated(std::size_t place) {
    return [this, place](std::size_t problem) {
      if (observer_.validated) {
        observer_.validated(result_, place, problem);
      }
    };
  }

  [[nodiscard]] Seconds validation_share() const {
    return request_.validation_budget ? *request_.validation_budget / static_cast<double>(result_.places.size())
                                      : ValidationOptions().time_budget;
  }

  void validate() {
    try {
      for (std::size_t i = 0; i < result_.places.size(); ++i) {
        const Workbench bench(places_[i], context_);
        OpenPlace(bench, ranked_, request_, context_).ranker.validate(result_.places[i], validation_share(), validated(i));
      }
    } catch (const Cancelled&) {  // while the libraries of a place were opened: the result has what is there
      return;
    }
  }

  std::vector<machine::LibraryChoice> places_;
  RankedCalls ranked_;
  const RankRequest& request_;
  const RunContext& context_;
  const TuningObserver<Ranking>& observer_;
  Ranking result_;
};

}  // namespace

std::vector<std::int64_t> ranked_block_sizes() {
  std::vector<std::int64_t> all = range(16, 64, 8);
  for (const std::int64_t nb : {80, 96, 112, 128, 160, 192, 256}) {
    all.push_back(nb);
  }
  return all;
}

RankedCalls ranked_calls(const RankRequest& request) {
  const RankRequest usual;
  if (!request.vectors || request.values != usual.values || request.spectrum != usual.spectrum) {
    throw bad_input("{} is no job of drivers, for which alone vectors, values and spectra are chosen; such jobs are eigh and svd",
                    request.family);
  }
  RankedCalls ranked;
  ranked.library = request.library;
  ranked.blocks = request.nb;
  const bool library_only = request.variants && request.variants->empty();
  if (library_only) {
    ranked.family = {nullptr, &kernel::require(request.family), {}};
  } else {
    ranked.family = algorithm::find_family(request.family, request.precision);
  }
  ranked.calls = kernel::routine_calls(*ranked.family.routine, named_sizes(request.family, request.n, request.sizes), request.flags);
  if (!library_only) {
    ranked.family =
        request.variants ? with_variants(ranked.family, *request.variants) : algorithm::applicable(ranked.family, ranked.calls.front());
  }
  return ranked;
}

std::vector<tuning::JointDecision> joint_decisions(const std::vector<PlaceRanking>& places) {
  std::vector<tuning::JointDecision> all;
  for (std::size_t p = 0; p < places.front().decisions.size(); ++p) {
    std::vector<tuning::Decision> decisions;
    for (const PlaceRanking& place : places) {
      decisions.push_back(place.decisions[p]);
    }
    all.push_back(tuning::join(decisions));
  }
  return all;
}

std::vector<machine::LibraryChoice> places(const std::vector<std::string>& blas, const std::vector<std::int64_t>& threads,
                                           const machine::LibraryChoice& common, const RunContext& context) {
  const std::vector<std::int64_t> counts = threads.empty() ? std::vector<std::int64_t>{common.threads} : threads;
  const auto max_threads = static_cast<int>(*std::max_element(counts.begin(), counts.end()));
  const std::string by_default = common.blas.empty() && max_threads > 1 ? machine::default_blas(max_threads) : common.blas;
  const std::vector<std::string> libraries = blas.empty() ? std::vector<std::string>{by_default} : blas;
  std::vector<machine::LibraryChoice> all;
  for (const std::string& library : libraries) {
    const bool serial = counts.size() > 1 && !library.empty() && machine::has_one_thread(library);
    for (const std::int64_t count : counts) {
      if (serial && count > 1) {
        context.note(fmt::format("{} has one thread only: skipped with {}", library, count));
        continue;
      }
      machine::LibraryChoice choice = common;
      choice.blas = library;
      choice.threads = static_cast<int>(count);
      all.push_back(choice);
    }
  }
  if (all.empty()) {
    throw bad_input("none of {} can have {} threads", fmt::join(libraries, ","), fmt::join(counts, ","));
  }
  return all;
}

std::string variant_text(const std::string& variant, const PlaceRanking& place) {
  return variant.empty() ? place.environment.lapack.name + "'s" : variant;
}

std::string place_text(const PlaceRanking& place) {
  return fmt::format("{} x {}", place.blas.empty() ? place.environment.blas.name : place.blas, place.threads);
}

Ranking rank(const Workbench& bench, const RankRequest& request, const RunContext& context, const TuningObserver<Ranking>& observer) {
  if (is_driver_job(request.family)) {
    return rank_drivers(bench, request, context, observer);
  }
  Ranker ranker(request, context, observer);
  return request.blas.empty() && request.threads.empty() ? ranker.run(bench)
                                                         : ranker.run(places(request.blas, request.threads, bench.choice(), context));
}

Ranking tune_jointly(const Workbench& bench, RankRequest request, const RunContext& context, const TuningObserver<Ranking>& observer) {
  request.library = LibraryRow::tuned;
  if (request.validate) {
    request.validate = tuning::Extent::ranking;
  }
  return rank(bench, request, context, observer);
}

}  // namespace flopcast
