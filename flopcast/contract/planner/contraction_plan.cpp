#include "flopcast/contract/planner/contraction_plan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/contract/planner/benchmark_candidates.hpp"
#include "flopcast/contract/planner/blas_kernels.hpp"
#include "flopcast/contract/planner/execute_candidates.hpp"
#include "flopcast/contract/planner/incremental_plan.hpp"
#include "flopcast/contract/planner/mirror.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"
#include "flopcast/contract/planner/time_model.hpp"
#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

std::string how_known(const Candidate& candidate, bool from_wisdom) {
  switch (candidate.basis) {
    case Basis::formula: return "expected";
    case Basis::benchmark: return from_wisdom ? "predicted before:" : "predicted";
    case Basis::execution: break;
  }
  return from_wisdom ? "measured before:" : "measured";
}

/// Returns tiles for the case that A and B are one tensor, if C is symmetric and computing half of it pays. The tiles are small enough to
/// leave out most of the other half.
std::optional<Tiling> mirrored_tiling(const Folded& folded, const Tiling& chosen, const TimeModel& model) {
  constexpr std::int64_t fewest = 96, most = 240, shortest_sum = 32, rows = 24, parts = 4;
  if (!is_symmetric_of_one(folded) || folded.m.extent < 2 * fewest || folded.k.extent < shortest_sum) {
    return std::nullopt;
  }
  const std::int64_t side = std::clamp(folded.m.extent / parts / rows * rows, fewest, most);
  Tiling half = chosen;
  half.kernel = is_complex(folded.precision) ? TileKernel::gemm : TileKernel::panels;
  half.rows = RowOrder::as_c;
  half.order = LoopOrder::nkm;
  half.keep_a = half.keep_b = half.keep_c = false;
  half.split_k = false;
  half.stream_c = false;  // the other half is copied from C afterwards
  half.m = half.n = side;
  half.k = std::min<std::int64_t>(chosen.k, 320);
  const double tiles = std::ceil(static_cast<double>(folded.m.extent) / static_cast<double>(side));
  const double computed = (tiles + 1) / (2 * tiles);
  if (computed * model.time(half).total() > model.time(chosen).total()) {
    return std::nullopt;
  }
  half.mirrored = true;
  return half;
}

/// Throws bad_input for a tensor that has elements, but a null pointer.
void require_there(const Contraction& contraction, const std::array<const void*, 3>& tensors) {
  for (const Operand operand : all_operands) {
    if (tensors[static_cast<std::size_t>(operand)] == nullptr && contraction.elements(operand) > 0) {
      throw bad_input("{} of {} is a null pointer, but the tensor has {} elements", letter(operand), to_string(contraction.notation()),
                      contraction.elements(operand));
    }
  }
}

/// Compares candidates with the requested effort. Returns whether the result is worth storing.
bool compare(std::vector<Candidate>& all, const Contraction& contraction, const Folded& folded, const Machine& machine,
             const PlanOptions& options) {
  switch (options.effort) {
    case Effort::estimate:
    case Effort::incremental: return false;  // executions choose, unless there is nothing to compute
    case Effort::microbench:
      return benchmark_candidates(all, folded, machine.environment, rates_of(machine), machine.find, options.cancelled);
    case Effort::measure: break;
  }
  PlanOptions within = options;
  within.time_budget = options.step_budget.value_or(options.time_budget);
  return execute_candidates(all, contraction, folded, machine, rates_of(machine), within);
}

}  // namespace

/// The state that copies of a plan share.
class ContractionPlan::State {
 public:
  Contraction contraction;
  Machine machine;
  int threads = 1;
  bool from_wisdom = false;

  /// The data for executing and explaining, which include tables as long as the folded dimensions.
  struct Ready {
    std::vector<Candidate> considered;  ///< considered candidates, the chosen one first
    ExpectedTime::Parts parts;          ///< parts of the chosen candidate's expected time, with A and B as given by the user
    std::shared_ptr<const TiledContraction> chosen;
    std::unique_ptr<TiledContraction> mirrored;  ///< used instead if A and B are one tensor and C is symmetric; null if this doesn't pay
    std::unique_ptr<TiledContraction> updating;  ///< used instead if C is not overwritten and the chosen kernel streams
  };

  /// Sets the choice. A stored choice is prepared when it is first needed, so that planning costs nothing for unused plans.
  void choose(std::vector<Candidate> considered) { first_.considered = std::move(considered); }
  /// Lets executions make the choice. Throws what IncrementalPlan::begin() throws.
  void choose_incrementally(PlanOptions options) {
    if (options.trials == nullptr) {
      options.trials = std::make_shared<TrialMemory>();
    }
    for (const Former former : {Former::overwritten, Former::added_to}) {
      incremental_.push_back(std::make_unique<IncrementalPlan>(contraction, machine, options, former));
    }
    incremental_.front()->begin();
    choose(incremental_.front()->considered());
    from_wisdom = incremental_.front()->is_stored();
  }

  void execute(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
    const bool overwrites = beta == 0.0;
    if (!incremental_.empty() && !(overwrites && a == b && first().mirrored != nullptr)) {
      incremental_[overwrites ? 0 : 1]->execute(a, b, c, alpha, beta);
      return;
    }
    const Ready& ready = first();
    if (overwrites && a == b && ready.mirrored != nullptr) {
      has_mirrored_.store(true, std::memory_order_relaxed);
      ready.mirrored->run(a, b, c, alpha, beta);
      return;
    }
    (overwrites || ready.updating == nullptr ? *ready.chosen : *ready.updating).run(a, b, c, alpha, beta);
  }

  /// Returns the choice, which the model has made while an incremental choice isn't made.
  const Ready& ready() const { return is_decided_later() ? later() : first(); }
  void make_ready(const Folded& folded) const {
    std::call_once(first_is_prepared_, [&] { prepare(first_, folded); });
  }
  [[nodiscard]] Seconds seconds() const {
    return incremental_.empty() ? first_.considered.front().seconds : incremental_.front()->considered().front().seconds;
  }
  [[nodiscard]] bool is_decided() const {
    if (incremental_.empty()) {
      return true;
    }
    const IncrementalPlan &overwriting = *incremental_.front(), &adding = *incremental_.back();
    const bool is_unused = !adding.is_used() && !has_mirrored_.load(std::memory_order_relaxed);
    const bool is_overwriting_open = (overwriting.is_used() || is_unused) && !overwriting.is_decided();
    return !is_overwriting_open && !(adding.is_used() && !adding.is_decided());
  }
  /// Returns a line for each part of an incremental choice that has begun.
  [[nodiscard]] std::string explain_trials() const {
    std::string text;
    for (const auto& part : incremental_) {
      text += part->has_begun() ? part->explain() : "";
    }
    return text;
  }

 private:
  /// Returns whether executions have chosen since the plan was made.
  [[nodiscard]] bool is_decided_later() const { return !incremental_.empty() && !from_wisdom && incremental_.front()->is_decided(); }
  const Ready& first() const {
    std::call_once(first_is_prepared_, [this] { prepare(first_, fold(contraction)); });
    return first_;
  }
  const Ready& later() const {
    std::call_once(later_is_prepared_, [this] {
      later_.considered = incremental_.front()->considered();
      prepare(later_, fold(contraction));
    });
    return later_;
  }
  void prepare(Ready& ready, const Folded& folded) const;
  /// Returns what executions have prepared, if it has these tiles.
  [[nodiscard]] std::shared_ptr<const TiledContraction> prepared_by_executions(const Tiling& tiling) const {
    const std::shared_ptr<const TiledContraction> prepared = incremental_.empty() ? nullptr : incremental_.front()->prepared();
    return prepared != nullptr && prepared->tiling() == tiling ? prepared : nullptr;
  }

  mutable std::once_flag first_is_prepared_, later_is_prepared_;
  mutable Ready first_;                                        ///< the choice when the plan was made
  mutable Ready later_;                                        ///< the choice that executions have made, for facts about it
  std::vector<std::unique_ptr<IncrementalPlan>> incremental_;  ///< empty, or for C overwritten and C added to
  mutable std::atomic<bool> has_mirrored_ = false;             ///< an execution mirrored half of C, for which there is nothing to choose
};

void ContractionPlan::State::prepare(Ready& ready, const Folded& folded) const {
  const TileRates rates = rates_of(machine);
  const TimeModel model(folded, machine.environment, rates);
  const Tiling tiling = ready.considered.front().tiling;
  ready.parts = model.time(tiling).parts();
  if (folded.swapped) {
    std::swap(ready.parts.a, ready.parts.b);
  }
  ready.chosen = prepared_by_executions(fitted(folded, tiling));
  if (ready.chosen == nullptr) {
    ready.chosen = std::make_shared<const TiledContraction>(folded, tiling, machine.find);
  }
  for (Candidate& candidate : ready.considered) {
    candidate.tiling = fitted(folded, candidate.tiling);
  }
  ready.considered.front().tiling = ready.chosen->tiling();  // the prepared tiling, without settings that have no effect
  if (tiling.kernel == TileKernel::streaming) {
    const std::vector<Candidate> all = candidates(folded, machine.environment, rates, threads);
    const auto plain =
        std::find_if(all.begin(), all.end(), [](const Candidate& candidate) { return candidate.tiling.kernel != TileKernel::streaming; });
    ready.updating = std::make_unique<TiledContraction>(folded, plain->tiling, machine.find);
  }
  if (const std::optional<Tiling> half = mirrored_tiling(folded, tiling, model)) {
    ready.mirrored = std::make_unique<TiledContraction>(folded, *half, machine.find);
  }
}

void ContractionPlan::execute(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
  require_there(state_->contraction, {a, b, c});
  require_apart(state_->contraction, a, b, c);
  if (!is_complex(state_->contraction.precision) && (alpha.imag() != 0 || beta.imag() != 0)) {
    throw bad_input("{} of real numbers can't be scaled by a complex alpha or beta", to_string(state_->contraction.notation()));
  }
  state_->execute(a, b, c, alpha, beta);
}

std::string ContractionPlan::explain() const {
  const State::Ready& ready = state_->ready();
  const Candidate& chosen = ready.considered.front();
  const std::string packed = ready.chosen->packed();
  std::string text =
      fmt::format("{}: tiles of M x N x K = {}; packs {}; {} {}, {} of workspace\n", to_string(state_->contraction.notation()),
                  to_string(chosen.tiling), packed.empty() ? "nothing" : packed, how_known(chosen, state_->from_wisdom),
                  format_seconds(chosen.seconds), format_bytes(static_cast<double>(workspace_bytes())));
  if (const Seconds sum = ready.parts.sum(); sum > 0) {
    const ExpectedTime::Parts& parts = ready.parts;
    text += fmt::format("  by the model: multiplying {}, A {}, B {}, C {}\n", format_percent(parts.kernel / sum),
                        format_percent(parts.a / sum), format_percent(parts.b / sum), format_percent(parts.c / sum));
  }
  text += state_->explain_trials();
  if (ready.mirrored != nullptr) {
    text += fmt::format("  where A and B are one tensor: {}, the other half of C mirrored\n", to_string(ready.mirrored->tiling()));
  }
  constexpr std::size_t most = 4;
  for (std::size_t i = 1; i < std::min(most, ready.considered.size()); ++i) {
    const Candidate& other = ready.considered[i];
    text += fmt::format("  instead of {}: {} {}\n", to_string(other.tiling), how_known(other, false), format_seconds(other.seconds));
  }
  return text;
}

const std::vector<Candidate>& ContractionPlan::considered() const { return state_->ready().considered; }
std::int64_t ContractionPlan::workspace_bytes() const { return state_->ready().chosen->workspace_bytes(); }
Seconds ContractionPlan::seconds() const { return state_->seconds(); }
bool ContractionPlan::is_decided() const { return state_->is_decided(); }
const Contraction& ContractionPlan::contraction() const { return state_->contraction; }

void require_possible_threads(int threads) {
  if (threads < 1 || threads > max_plan_threads) {
    throw bad_input("a plan can't use {} threads; expected 1 to {}", threads, max_plan_threads);
  }
}

TileRates rates_of(const Machine& machine) { return machine.rates ? *machine.rates : assumed_tile_rates(machine.environment); }

Machine local_machine(const std::string& blas) {
  const std::string name = blas.empty() ? machine::default_blas(2) : blas;
  const int integer_bytes = machine::Library::open(name).identity().integer_bytes;
  const machine::LibrarySet libraries = machine::LibrarySet::open(name, machine::default_lapack(integer_bytes));
  libraries.set_threads(1);
  const FindRoutine find = [libraries](std::string_view routine) { return libraries.find(routine); };
  Environment environment = machine::detect(libraries, 1, {});
  TileRates rates = measure_tile_rates(find);
  rates.bandwidth_shares = machine::bandwidth_shares_if_measurable(machine::detect_topology());
  rates.gemm_takes_turns = takes_turns(find);
  return {find, std::move(environment), std::move(rates)};
}

const Machine& usual_machine() {
  static const Machine usual = [] {
    Machine machine;
    for (const auto& [bytes, bandwidth] : {std::pair{1 << 15, 100e9}, {1 << 20, 50e9}, {1 << 24, 20e9}}) {
      CacheLevel level;
      level.capacity_bytes = bytes;
      level.bandwidth = bandwidth;
      machine.environment.caches.push_back(level);
    }
    machine.environment.memory_bandwidth = 10e9;
    machine.environment.peak_flops = 50e9;
    return machine;
  }();
  return usual;
}

Machine machine_of(FindRoutine find, const Environment& environment, model::Store& store, int threads, bool fresh) {
  TileRates rates = tile_rates_in(store, environment.fingerprint, find, fresh);
  if (threads > 1) {
    rates.bandwidth_shares = machine::bandwidth_shares_if_measurable(machine::detect_topology());
  }
  rates.gemm_takes_turns = takes_turns(find);
  return {std::move(find), environment, std::move(rates)};
}

ContractionPlan plan_contraction(const Contraction& contraction, const Machine& machine, const PlanOptions& options) {
  require_possible_threads(options.threads);
  if (!(options.time_budget >= 0)) {
    throw bad_input("a plan can't have a time budget of {} s; 0 or more is needed", static_cast<Seconds>(options.time_budget));
  }
  if (options.max_measured < 1) {
    throw bad_input("a plan can't measure {} candidates; at least 1 is needed", options.max_measured);
  }
  auto state = std::make_shared<ContractionPlan::State>();
  state->contraction = contraction;
  state->machine = machine;
  state->threads = options.threads;
  if (options.effort == Effort::incremental && !options.tiles && flops(contraction) > 0) {
    state->choose_incrementally(options);
    return ContractionPlan(std::move(state));
  }
  const std::optional<Candidate> known = options.tiles ? std::nullopt : find_wisdom(contraction, machine, options);
  if (known) {
    state->choose({*known});
    state->from_wisdom = true;
    return ContractionPlan(std::move(state));
  }
  const Folded folded = fold(contraction);
  const TileRates rates = rates_of(machine);
  if (options.tiles) {
    state->choose({{*options.tiles, TimeModel(folded, machine.environment, rates).time(*options.tiles).total(), Basis::formula}});
  } else {
    std::vector<Candidate> considered = candidates(folded, machine.environment, rates, options.threads);
    if (flops(contraction) > 0 && compare(considered, contraction, folded, machine, options)) {
      keep_wisdom(contraction, machine, options, considered.front());
    }
    state->choose(std::move(considered));
  }
  state->make_ready(folded);
  return ContractionPlan(std::move(state));
}

}  // namespace flopcast::contract
