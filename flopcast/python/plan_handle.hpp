#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/c/plan.hpp"
#include "flopcast/python/array_view.hpp"
#include "flopcast/python/builtin.hpp"
#include "flopcast/python/planner.hpp"
#include "flopcast/python/prepared.hpp"

namespace flopcast::python {

/// Sets a member of the wish's request by its name, as documents have it. Throws bad_input for a text that is no choice of the member, and
/// type_error for a value of another type.
void set_option(PlanWish& wish, const std::string& name, const pybind11::object& value);

/// Returns the executor of a path by its name, `numpy` or `flopcast`. Throws bad_input for other names.
contract::Executor executor_named(const std::string& name);

/// A plan that Python holds.
class PlanHandle {
 public:
  PlanHandle(Planner& planner, const PlanWish& wish);

  /// Computes result := alpha * expression + beta * result, from arrays and the named arguments `out`, `alpha` and `beta`. Returns
  /// NotImplemented if the arrays don't have the planned types, shapes and strides.
  [[nodiscard]] pybind11::object execute(const Arguments& arguments) const;

  [[nodiscard]] const c::OwnedPlan& plan() const { return prepared_.plan; }
  [[nodiscard]] const std::vector<pybind11::ssize_t>& result_shape() const { return prepared_.result.shape; }

 private:
  PreparedExpression prepared_;
  using Numbers = std::vector<std::int64_t>;  // of a Signature
  std::vector<Numbers> operands_;
  Numbers result_;
  bool makes_results_;
};

}  // namespace flopcast::python
