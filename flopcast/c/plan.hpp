#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "flopcast/c/status.hpp"
#include "flopcast/contract/network/plan.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/workbench/workbench.hpp"

/// A plan with the services that its kernels come from.
struct flopcast_plan {
  std::shared_ptr<const flopcast::Workbench> services;
  flopcast::contract::Plan plan;
  flopcast::Precision precision;
  std::size_t operands;
};

namespace flopcast::c {

/// Returns the type of elements of a precision.
flopcast_type type_of(Precision precision);
/// Returns the options of the C interface for a request, whose list of tensors must exist as long. Throws bad_input for a number of threads
/// and a time budget that no plan can have.
flopcast_plan_options options_of(const PlanRequest& request);

/// A plan of the C interface for the interfaces that stand on it. Functions throw what those of the C interface caught.
class OwnedPlan {
 public:
  /// Makes a plan by a function of the C interface, which `make` calls with the place for the plan.
  template <std::invocable<flopcast_plan**> Make>
  explicit OwnedPlan(Make&& make) {
    flopcast_plan* plan = nullptr;
    throw_if_failed(make(&plan));
    plan_.reset(plan);
  }

  void execute(const void* alpha, std::span<const void* const> operands, const void* beta, const void* c, void* d) const {
    throw_if_failed(flopcast_execute(plan_.get(), alpha, static_cast<std::int32_t>(operands.size()), operands.data(), beta, c, d));
  }
  [[nodiscard]] Seconds seconds() const {
    Seconds seconds = 0;
    throw_if_failed(flopcast_plan_seconds(plan_.get(), &seconds));
    return seconds;
  }
  [[nodiscard]] bool is_decided() const {
    std::int32_t decided = 0;
    throw_if_failed(flopcast_plan_decided(plan_.get(), &decided));
    return decided != 0;
  }
  [[nodiscard]] std::string explain() const {
    char* text = nullptr;
    throw_if_failed(flopcast_plan_explain(plan_.get(), &text));
    return std::unique_ptr<char, Destroy>(text).get();
  }
  /// Returns the plan itself, for what the C interface doesn't tell: flops and bytes.
  [[nodiscard]] const contract::Plan& details() const { return plan_->plan; }
  /// Returns whether a number of the plan's type is 0.
  [[nodiscard]] bool is_zero(const void* number) const;

 private:
  struct Destroy {
    void operator()(flopcast_plan* plan) const { flopcast_plan_destroy(plan); }
    void operator()(char* text) const { flopcast_free(text); }
  };

  std::unique_ptr<flopcast_plan, Destroy> plan_;
};

}  // namespace flopcast::c
