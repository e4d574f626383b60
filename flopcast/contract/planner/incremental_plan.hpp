#pragma once

#include <atomic>
#include <complex>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"
#include "flopcast/contract/planner/trials.hpp"
#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

class ChoiceKeeper;

/// The part of an incremental plan that overwrites C, or the part that adds to C. It begins with a stored choice, with trials that the
/// process has begun for an equal contraction, or with new ones. All functions may be called from several threads at once.
class IncrementalPlan {
 public:
  /// Looks for a stored choice. `contraction` and `machine` must exist as long as this object. Requires options.trials.
  IncrementalPlan(const Contraction& contraction, const Machine& machine, PlanOptions options, Former former);

  /// Looks for trials if no choice is stored, and begins new ones if there are none. Does nothing from the second call on. Throws
  /// environment_error if the first candidate needs gemm and no library has it.
  void begin();
  /// C := alpha A B + beta C. Begins if begin() wasn't called. Throws what TiledContraction::run() throws.
  void execute(const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta);

  [[nodiscard]] bool has_begun() const { return has_begun_.load(std::memory_order_acquire); }
  /// Returns whether execute() was called.
  [[nodiscard]] bool is_used() const { return is_used_.load(std::memory_order_acquire); }
  /// Returns whether the choice was found in the store.
  [[nodiscard]] bool is_stored() const { return !stored_.empty(); }
  /// Returns whether the choice is made. Requires has_begun().
  [[nodiscard]] bool is_decided() const { return is_stored() || trials_->is_decided(); }
  /// Returns the considered candidates, the chosen one or the best so far first. Requires has_begun().
  [[nodiscard]] std::vector<Candidate> considered() const { return is_stored() ? stored_ : trials_->considered(); }
  /// Returns the choice or the best candidate so far, prepared; null at the moment of the decision. Requires has_begun().
  [[nodiscard]] std::shared_ptr<const TiledContraction> prepared();
  /// Returns a line on the state of the choice. Requires has_begun().
  [[nodiscard]] std::string explain() const;

 private:
  [[nodiscard]] std::shared_ptr<Trials> known_or_new_trials() const;
  [[nodiscard]] std::shared_ptr<Trials> new_trials(const std::string& name) const;
  const TiledContraction& decided();

  const Contraction& contraction_;
  const Machine& machine_;
  PlanOptions options_;
  Former former_;
  std::vector<Candidate> stored_;         ///< the choice of the store, if there is one
  std::shared_ptr<ChoiceKeeper> keeper_;  ///< null without a store
  std::once_flag begins_, ends_;
  std::atomic<bool> has_begun_ = false, is_used_ = false;
  std::shared_ptr<Trials> trials_;  ///< null with a stored choice
  std::shared_ptr<const TiledContraction> own_chosen_;
  std::atomic<const TiledContraction*> chosen_ = nullptr;  ///< null until the choice is made and prepared
};

}  // namespace flopcast::contract
