#include "flopcast/contract/network/einsum_steps.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "flopcast/contract/einsum/pair_plan.hpp"

namespace flopcast::contract {

PrepareStep einsum_steps(const Machine& machine, PlanOptions options, std::vector<Plan>* made) {
  return [&machine, made, options = std::move(options)](const StepCall& call) -> StepFunction {
    std::vector<Subscripts> operands = {{call.a.labels, {}, call.a.conjugated}};
    EinsumStrides strides{{call.a.strides}, call.c.strides};
    if (call.b) {
      operands.push_back({call.b->labels, {}, call.b->conjugated});
      strides.operands.push_back(call.b->strides);
    }
    PlanOptions of_step = options;
    of_step.precision = call.precision;
    const std::size_t count = operands.size();
    const Expression expression = make_expression(std::move(operands), Subscripts{call.c.labels});
    const Plan plan = plan_pair(with_extents(expression, call.extents), strides, machine, of_step);
    if (made != nullptr) {
      made->push_back(plan);
    }
    return [plan, count](const void* a, const void* b, void* c, std::complex<double> alpha, std::complex<double> beta) {
      const std::array<const void*, 2> both = {a, b};
      plan.execute(std::span(both.data(), count), c, alpha, beta);
    };
  };
}

}  // namespace flopcast::contract
