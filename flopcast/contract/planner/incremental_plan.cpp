#include "flopcast/contract/planner/incremental_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast::contract {
namespace {

/// A prepared candidate in the form that trials execute.
struct TiledExecution {
  std::shared_ptr<const TiledContraction> tiled;
  void operator()(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) const {
    tiled->run(a, b, c, alpha, beta);
  }
};

/// Returns the candidates, those that are to be tried first.
std::vector<Candidate> candidates_to_try(const Folded& folded, const Machine& machine, int threads, Former former, std::size_t count) {
  std::vector<Candidate> all = candidates(folded, machine.environment, rates_of(machine), threads);
  if (former == Former::added_to) {  // streaming overwrites C
    std::erase_if(all, [](const Candidate& x) { return x.tiling.kernel == TileKernel::streaming || x.tiling.stream_c; });
  }
  promote_each_kernel(all, count);
  return all;
}

}  // namespace

IncrementalPlan::IncrementalPlan(const Contraction& contraction, const Machine& machine, PlanOptions options, Former former)
    : contraction_(contraction), machine_(machine), options_(std::move(options)), former_(former) {
  if (const std::optional<Candidate> known = find_wisdom(contraction_, machine_, options_, former_)) {
    stored_ = {*known};
  }
  if (options_.wisdom != nullptr) {
    keeper_ = options_.trials->keeper(options_.wisdom->path());
    options_.wisdom = nullptr;  // executions may outlive the store, and several threads may execute at once
  }
}

void IncrementalPlan::begin() {
  std::call_once(begins_, [this] {
    trials_ = is_stored() ? nullptr : known_or_new_trials();
    has_begun_.store(true, std::memory_order_release);
  });
}

std::shared_ptr<Trials> IncrementalPlan::known_or_new_trials() const {
  const std::string conditions = wisdom_name(contraction_, machine_, options_, former_);
  const std::string name = is_swapped(contraction_) ? conditions + ", A and B exchanged" : conditions;
  if (options_.fresh) {
    options_.trials->forget(name);
  }
  const std::shared_ptr<Trials> known = options_.trials->find(name);
  return known != nullptr ? known : options_.trials->add(name, new_trials(conditions));
}

std::shared_ptr<Trials> IncrementalPlan::new_trials(const std::string& name) const {
  IncrementalOptions limits;
  limits.max_candidates = std::min(limits.max_candidates, static_cast<std::size_t>(options_.max_measured));
  limits.max_neighbours = std::min(limits.max_neighbours, limits.max_candidates);
  const auto folded = std::make_shared<const Folded>(fold(contraction_));
  TrialServices services;
  services.prepare = [folded, find = machine_.find](const Candidate& candidate) {
    return TiledExecution{std::make_shared<const TiledContraction>(*folded, candidate.tiling, find)};
  };
  services.now = options_.trials->now();
  if (keeper_ != nullptr) {
    services.keep = [keeper = keeper_, name, environment = machine_.environment](const Candidate& chosen) {
      return keeper->keep(name, environment, chosen);
    };
  }
  return std::make_shared<Trials>(candidates_to_try(*folded, machine_, options_.threads, former_, limits.max_candidates),
                                  std::move(services), limits);
}

void IncrementalPlan::execute(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) {
  if (const TiledContraction* const chosen = chosen_.load(std::memory_order_acquire)) {
    chosen->run(a, b, c, alpha, beta);
    return;
  }
  begin();
  is_used_.store(true, std::memory_order_release);
  if (trials_ == nullptr || !trials_->run(a, b, c, alpha, beta)) {
    decided().run(a, b, c, alpha, beta);
  }
}

/// Prepares the choice, which must be made.
const TiledContraction& IncrementalPlan::decided() {
  std::call_once(ends_, [this] {
    if (const std::shared_ptr<const CandidateCall> taken = trials_ == nullptr ? nullptr : trials_->take_decided()) {
      own_chosen_ = taken->target<TiledExecution>()->tiled;
    } else {
      own_chosen_ = std::make_shared<const TiledContraction>(fold(contraction_), considered().front().tiling, machine_.find);
    }
    chosen_.store(own_chosen_.get(), std::memory_order_release);
  });
  return *own_chosen_;
}

std::shared_ptr<const TiledContraction> IncrementalPlan::prepared() {
  if (is_decided()) {
    static_cast<void>(decided());
    return own_chosen_;
  }
  const std::shared_ptr<const CandidateCall> best = trials_->best();
  return best == nullptr ? nullptr : best->target<TiledExecution>()->tiled;
}

std::string IncrementalPlan::explain() const {
  const char* const what = former_ == Former::overwritten ? "beta = 0" : "other beta";
  if (is_stored()) {
    return fmt::format("  {}: chosen before\n", what);
  }
  const Candidate best = trials_->considered().front();
  std::string text = fmt::format("  {}: {}", what, trials_->explain());
  if (best.basis == Basis::execution) {
    text += fmt::format("; {} {}, measured {}", trials_->is_decided() ? "chosen:" : "best so far:", to_string(best.tiling),
                        format_seconds(best.seconds));
  }
  return text + '\n';
}

}  // namespace flopcast::contract
