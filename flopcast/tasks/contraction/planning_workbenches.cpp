#include "flopcast/tasks/contraction/planning_workbenches.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "flopcast/contract/planner/blas_kernels.hpp"
#include "flopcast/contract/planner/time_formula.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"

namespace flopcast {
PlanningWorkbenches::PlanningWorkbenches(machine::LibraryChoice choice, RunContext context)
    : context_(std::move(context)), first_(std::make_shared<const Workbench>(std::move(choice), context_)) {}

const std::shared_ptr<const Workbench>& PlanningWorkbenches::for_threads(int threads) {
  if (threads <= 1) {
    return first_;
  }
  if (of_several_ == nullptr) {
    const bool may_choose = first_->choice().blas.empty() &&
                            contract::takes_turns([this](std::string_view routine) { return first_->libraries().find(routine); });
    const std::optional<std::string> blas = may_choose ? machine::serial_blas_for_several_threads() : std::nullopt;
    if (blas) {
      machine::LibraryChoice choice = first_->choice();
      choice.blas = *blas;
      of_several_ = std::make_shared<const Workbench>(std::move(choice), context_);
    } else {
      of_several_ = first_;
    }
  }
  return of_several_;
}

const contract::Machine& PlanningWorkbenches::machine(int threads, bool fresh) {
  auto found = machines_.find(threads);
  if (found == machines_.end() || fresh) {
    const Workbench& bench = *for_threads(threads);
    const contract::FindRoutine find = [libraries = bench.libraries()](std::string_view routine) { return libraries.find(routine); };
    found = machines_.insert_or_assign(threads, contract::machine_of(find, bench.environment(), bench.store(), threads, fresh)).first;
  }
  return found->second;
}

contract::Plan PlanningWorkbenches::plan(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                                         const PlanRequest& request) {
  contract::Plan shared = plan_on_threads(expression, strides, request);
  if (request.effort != contract::Effort::estimate || for_threads(request.threads) == first_ ||
      !contract::is_short_for_threads(shared.seconds(), request.threads)) {
    return shared;
  }
  PlanRequest of_one = request;
  of_one.threads = 1;
  contract::Plan alone = plan_on_threads(expression, strides, of_one);
  return contract::are_threads_worthwhile(shared.seconds(), alone.seconds()) ? shared : alone;
}

contract::Plan PlanningWorkbenches::plan_on_threads(const contract::SizedExpression& expression, const contract::EinsumStrides& strides,
                                                    const PlanRequest& request) {
  PlanningServices services = tools_of(*for_threads(request.threads), request);
  services.machine = [&] { return machine(request.threads, request.fresh); };
  services.trials = first_->trials();
  return flopcast::plan(services, expression, strides, request, context_);
}

}  // namespace flopcast
