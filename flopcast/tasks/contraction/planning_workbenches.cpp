#include "flopcast/tasks/contraction/planning_workbenches.hpp"

#include <optional>
#include <string>
#include <utility>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"

namespace flopcast {
namespace {

bool takes_turns(const Workbench& bench) {
  const auto gemm = bench.libraries().find("dgemm");
  return gemm != nullptr && !machine::may_be_called_by_several_threads(reinterpret_cast<const void*>(gemm));
}

}  // namespace

PlanningWorkbenches::PlanningWorkbenches(machine::LibraryChoice choice, RunContext context)
    : context_(std::move(context)), first_(std::make_shared<const Workbench>(std::move(choice), context_)) {}

const std::shared_ptr<const Workbench>& PlanningWorkbenches::for_threads(int threads) {
  if (threads <= 1) {
    return first_;
  }
  if (of_several_ == nullptr) {
    const bool may_choose = first_->choice().blas.empty() && takes_turns(*first_);
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

}  // namespace flopcast
