#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/einsum/pair_plan.hpp"
#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"

/// Tensor contractions for users, in the manner of FFTW: plan once, execute often.
///
/// const contract::Machine machine = contract::local_machine();
/// const std::vector<std::vector<std::int64_t>> shapes = {{8, 8, 100}, {8, 100, 8, 100}};
/// const contract::Plan plan = contract::plan("ija,jbic->abc", shapes, machine);
/// plan.execute(a, b, c);
namespace flopcast::contract {

/// Plans an expression of any number of operands of type options.precision. Throws what plan_pair() and find_tree() throw, and
/// bad_input if the number of tensors is neither 0 nor that of the operands.
Plan plan(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options = {});

/// Plans an expression in one of the notations of parse_expression() for dense tensors of these shapes in options.order.
Plan plan(std::string_view text, std::span<const std::vector<std::int64_t>> shapes, const Machine& machine,
          const PlanOptions& options = {});

/// Says whether flopcast's planner or NumPy executes the pairs of a path.
enum class Executor : std::uint8_t { planner, numpy };

/// Finds the tree of an expression of dense tensors, one operand or more, without preparing its execution. The tree is that of plan() with
/// effort `estimate`. Where the machine has no gemm, or the tensors have no room in memory, steps aren't planned, and the tree and its times
/// are those of the search.
ContractionTree find_tree(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine,
                          const PlanOptions& options = {});

/// Finds an order of pairwise contractions of dense tensors that is fast if `executor` follows it.
ContractionPath find_path(const SizedExpression& expression, const Machine& machine, Executor executor, const PlanOptions& options = {});

}  // namespace flopcast::contract
