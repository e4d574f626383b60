#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/candidates.hpp"
#include "flopcast/contract/contraction.hpp"
#include "flopcast/contract/execute.hpp"
#include "flopcast/contract/tile_rates.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/model/store.hpp"

/// Tensor contractions for users, in the way of FFTW: plan once, execute often.
///
///     const contract::Machine machine = contract::local_machine();
///     const contract::Plan plan = contract::plan("ija,jbic->abc", {{8, 8, 100}, {8, 100, 8, 100}, {100, 100, 100}}, machine);
///     plan.execute(a, b, c);
namespace flopcast::contract {

/// Where contractions run: BLAS's routines, and what is known of the machine.
struct Machine {
  FindRoutine find;  ///< may be called as long as a plan for this machine lives, which has a copy
  Environment environment;
  std::optional<TileRates> rates = {};  ///< of the kernels; without them they are guessed from the environment
};

/// This machine with `blas` (empty: one that several threads may call, if it is installed) on one thread. Caches are taken from an earlier
/// measurement, or measured first (seconds); kernels are timed (milliseconds). Throws as LibrarySet::open and machine::detect.
Machine local_machine(const std::string& blas = {});

/// How a plan is chosen.
enum class Effort : std::uint8_t {
  estimate,    ///< by a model of kernels and memory: milliseconds at most, nothing runs
  microbench,  ///< the best by that model are predicted from a tile of each, timed at the real strides: tens of milliseconds
  measure      ///< the best by that formula are executed on tensors of the planner's own: as long as PlanOptions::time_budget at most
};

struct PlanOptions {
  Effort effort = Effort::estimate;
  int threads = 1;          ///< of the contraction's own, around a BLAS on one thread; of OpenBLAS's single-threaded build they take turns
  Seconds time_budget = 2;  ///< for measuring
  int most_measured = 12;   ///< candidates that are executed; as many neighbours of the fastest may come on top
  Precision precision = Precision::d;
  Order order = Order::row_major;  ///< of dense tensors, where no strides are given; row-major is what NumPy and C have
  model::Store* wisdom =
      nullptr;  ///< measured choices are kept there and found again, also by other processes, by who asks for the same effort and budget
  std::optional<Blocking> tiles = {};  ///< these are taken, and nothing is chosen
  bool fresh = false;                  ///< measure again what is kept there, and replace it
  /// Asked before every execution while measuring; false: take the best of what is known, and keep nothing in the store.
  std::function<bool()> go_on = {};
};

/// A contraction made ready: execute() on any buffers, often, and from several threads at once. A choice that was kept is made ready
/// (tables as long as the folded sides are filled) by the first call that needs it, whichever that is.
class Plan {
 public:
  /// C := alpha A B + beta C, of tensors that are all there. Where A and B are one tensor (a == b), C is symmetric and beta = 0, half of C is computed. Throws bad_input
  /// if C overlaps A or B or real numbers are to be scaled by complex ones, environment_error if memory for packing isn't there; C is
  /// untouched then.
  void execute(const void* a, const void* b, void* c, std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0) const;
  /// What was chosen, why, and what else was considered; several lines.
  [[nodiscard]] std::string explain() const;
  /// What was considered, the chosen one first.
  [[nodiscard]] const std::vector<Candidate>& considered() const;
  /// Bytes that execute() allocates for packing.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  /// Expected time of execute().
  [[nodiscard]] Seconds seconds() const;
  [[nodiscard]] const Contraction& contraction() const;

 private:
  friend Plan plan(const Contraction&, const Machine&, const PlanOptions&);
  class State;
  explicit Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Chooses how to compute `contraction`. Throws bad_input as make_contraction, environment_error if no library has gemm (of a choice that
/// was kept the first use does).
Plan plan(const Contraction& contraction, const Machine& machine, const PlanOptions& options = {});

/// Sizes along every index of A, B and C, in the notation's order.
struct Shapes {
  std::vector<std::int64_t> a, b, c;
};
/// The same for dense tensors of these shapes in options.order. Throws bad_input if a shape contradicts the notation or another one.
Plan plan(std::string_view notation, const Shapes& shapes, const Machine& machine, const PlanOptions& options = {});

/// einsum of two dense row-major operands: the result's elements, its shape in `shape`.
std::vector<double> einsum(std::string_view notation, std::span<const double> a, const std::vector<std::int64_t>& shape_a,
                           std::span<const double> b, const std::vector<std::int64_t>& shape_b, const Machine& machine,
                           std::vector<std::int64_t>* shape = nullptr);

}  // namespace flopcast::contract
