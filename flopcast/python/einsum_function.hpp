#pragma once

#include <pybind11/pybind11.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/python/array_view.hpp"
#include "flopcast/python/builtin.hpp"
#include "flopcast/python/planner.hpp"
#include "flopcast/python/prepared.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::python {

/// Python's functions by which einsum computes without a plan.
struct NumpysFunctions {
  pybind11::object c_einsum;   ///< NumPy's einsum without its search of an order
  pybind11::object with_blas;  ///< NumPy's einsum that calls BLAS where it can
  pybind11::object otherwise;  ///< the function for all calls that aren't planned
  /// Function of subscripts, a tuple of arrays and a value of `optimize`: returns the axes of NumPy's result from the outermost inwards.
  /// With None, no call that names a search of an order is planned.
  pybind11::object searched_axes;
};

/// Einsum of NumPy arrays with plans that are kept: later calls with the same subscripts, types, shapes and strides find them.
///
/// Sums and small products are planned at once. Others go to NumPy until the time that they have taken there is as long as opening the
/// planner's libraries takes. Types that aren't planned, and single operands of which NumPy makes a view, always go to NumPy. Where NumPy may
/// be faster, the calls after the first are computed both ways for a few times, and NumPy does later ones if it was faster.
///
/// Whoever computes, the caller sees one result: type, order in memory and class are those of NumPy's einsum with the same arguments. A
/// computation for comparison reads the operands, writes to memory of its own, and takes no more memory than the operands and the result do.
/// An exception there ends the comparison only.
class EinsumFunction {
 public:
  /// With `is_row_major`, results are in row-major order and always arrays, as numpy.tensordot's.
  EinsumFunction(std::shared_ptr<Planner> planner, NumpysFunctions numpy, bool is_row_major);

  /// Returns the einsum of a call with NumPy's arguments.
  pybind11::object einsum(const Arguments& arguments);
  /// Returns the einsum by a plan, or NotImplemented where NumPy is to compute it. Arguments are subscripts and arrays; `out`, `alpha`,
  /// `beta` and `threads` may be named: out := alpha * einsum + beta * out.
  pybind11::object planned(const Arguments& arguments);

  /// Forgets all plans.
  void clear() {
    entries_.clear();
    count_ = 0;
    bytes_ = 0;
  }
  /// Returns the number of calls for which a choice is kept.
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  /// The search of an order that a call names, on which the order of NumPy's result in memory depends. `any`: none is named; NumPy doesn't
  /// search, but flopcast may.
  enum class Search : std::uint8_t { any, none, greedy, optimal };
  /// Subscripts and arrays of a call that may have a plan.
  struct EinsumCall {
    PyObject* subscripts;
    std::span<PyObject* const> operands;
    PyObject* out = nullptr;
    int threads = 0;              ///< 0: as many as the BLAS has now
    bool names_optimize = false;  ///< NumPy's einsum without its search doesn't know this argument
    Search search = Search::any;
  };
  enum class Way : std::uint8_t {
    plan,
    numpy,      ///< c_einsum
    with_blas,  ///< NumPy's einsum that calls BLAS
    elsewhere,  ///< `otherwise`, with conversions and searches of an order
  };
  struct Choice {
    Way way = Way::elsewhere;
    bool until_open = false;  ///< to be made again once the planner is open
    std::shared_ptr<const PreparedExpression> prepared = {};
    std::shared_ptr<const NewResult> result = {};  ///< the array that NumPy's result becomes: a new result, or one like `out`
    int trials = 0;  ///< calls that are still to be computed by the plan and by NumPy; the shortest time decides
    Seconds of_plan = std::numeric_limits<Seconds>::infinity(), of_numpy = of_plan;  ///< shortest time of the trials
  };
  /// A choice with the call that it is for.
  struct KeptChoice {
    pybind11::object subscripts;
    std::vector<std::int64_t> signature;
    Choice choice;
  };

  pybind11::object tried(const EinsumCall& call, const Signature& signature, const PreparedExpression& plan, const NewResult& result);
  [[nodiscard]] std::optional<Seconds> numpys_seconds(const EinsumCall& call, const NewResult& result) const;
  [[nodiscard]] pybind11::object computed(const PreparedExpression& plan, const EinsumCall& call) const;
  [[nodiscard]] pybind11::object by_blas(const EinsumCall& call, PyObject* out, const NewResult& expected) const;
  [[nodiscard]] bool makes_numbers(const EinsumCall& call) const;
  [[nodiscard]] std::vector<std::int64_t> new_strides(const EinsumCall& call, const contract::SizedExpression& expression,
                                                      const std::vector<std::vector<std::int64_t>>& strides) const;
  [[nodiscard]] std::optional<Search> search_named(PyObject* optimize) const;
  [[nodiscard]] std::optional<EinsumCall> plain_call(const Arguments& arguments) const;
  bool sign(const EinsumCall& call, Signature& signature) const;
  KeptChoice* find(const EinsumCall& call, const Signature& signature);
  Choice choice_for(const EinsumCall& call, const Signature& signature);
  [[nodiscard]] int threads_of(const EinsumCall& call) const { return call.threads > 0 ? call.threads : threads_.now(); }
  [[nodiscard]] Choice choose(const EinsumCall& call);
  [[nodiscard]] Choice choose_for_type(const EinsumCall& call, Precision precision);
  [[nodiscard]] std::optional<Choice> choose_without_plan(const EinsumCall& call, const contract::SizedExpression& expression,
                                                          Precision precision, bool needs_tools);
  bool set_strides(PlanWish& wish, const EinsumCall& call, const contract::SizedExpression& expression) const;

  std::shared_ptr<Planner> planner_;
  NumpysFunctions numpy_;
  bool is_row_major_;
  BlasThreads threads_;
  std::unordered_map<std::uint64_t, std::vector<KeptChoice>> entries_;  ///< the key is the hash of subscripts and signature
  std::size_t count_ = 0;
  double bytes_ = 0;  ///< memory that the plans keep, roughly
};

/// Returns the axes of NumPy's result in its order "K", from the outermost inwards, without a search of an order. `strides` are those of the
/// operands, in any unit.
std::vector<std::size_t> kept_axes(const contract::SizedExpression& expression, const std::vector<std::vector<std::int64_t>>& strides);

}  // namespace flopcast::python
