#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/machine/caches/shared_bandwidth.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {
class Store;
}

namespace flopcast::contract {

/// The time model of a kernel for a tile of m x n x k whose operands lie in the caches: call + per_c m n + per_a m k + per_b k n +
/// per_product m n k. All rates are in seconds.
struct KernelRates {
  Seconds call = 0;
  Seconds per_c = 0, per_a = 0, per_b = 0;  ///< per element, for packing (or the library's equivalent) and for reading and writing C
  Seconds per_product = 0;
  friend bool operator==(const KernelRates&, const KernelRates&) = default;

  [[nodiscard]] Seconds of(double m, double n, double k) const {
    return call + per_c * m * n + per_a * m * k + per_b * k * n + per_product * m * n * k;
  }
};

/// Rates of all kernels on one machine, for double precision.
struct TileRates {
  std::array<KernelRates, 3> kernels;           ///< index: TileKernel without batch; panels and streaming include packing of both operands
  Seconds packed_along = 0, packed_across = 0;  ///< seconds for packing an element along the contiguous index of its operand, and across it
  /// Numbers of sums for which a product of a matrix and a vector is timed. Libraries switch between functions there.
  static constexpr std::array<std::int64_t, 3> gemv_lengths = {256, 1024, 1600};
  /// Seconds of gemv for a product. Indices: whether the matrix is contiguous along the sums, and the number of sums.
  std::array<std::array<Seconds, gemv_lengths.size()>, 2> gemv = {};
  /// The shares of the outer bandwidths that threads leave each other, measured with the machine's caches. Empty: threads don't disturb
  /// each other.
  std::vector<machine::BandwidthShare> bandwidth_shares;
  bool gemm_takes_turns = false;  ///< one thread at a time may call the library, so that gemm gains nothing by several
  friend bool operator==(const TileRates&, const TileRates&) = default;

  [[nodiscard]] const KernelRates& of(TileKernel kernel) const { return kernels[static_cast<std::size_t>(kernel)]; }
  /// Returns the seconds of gemv for a product. Between two numbers of sums that were timed, the longer time counts.
  [[nodiscard]] Seconds of_gemv(bool along_sums, double rows) const;
};

/// Measures the rates with a few small products of every kernel, which takes some milliseconds.
TileRates measure_tile_rates(const FindRoutine& find);

/// Returns rates that are measured once per machine and library and kept in `store`; `fresh` measures again.
TileRates tile_rates_in(model::Store& store, const std::string& fingerprint, const FindRoutine& find, bool fresh = false);

/// Returns rates for a machine without measured kernels, estimated from its peak and the bandwidth of its caches.
TileRates assumed_tile_rates(const Environment& environment);

}  // namespace flopcast::contract
namespace flopcast::contract {

/// The source of a candidate's time. A later value is more trustworthy.
enum class Basis : std::uint8_t { formula, benchmark, execution };

/// A tiling with its expected time.
struct Candidate {
  Tiling tiling;
  Seconds seconds = 0;
  Basis basis = Basis::formula;
  bool is_one_call = false;  ///< one library gemm per thread, on the tensors in place: users don't expect a plan to be slower than this
};

/// Returns the tilings that may be the fastest for `folded`, by rising expected time. Tiles end where indices of the notation end, suit
/// the caches, or take a whole dimension. The kernels are gemm and those of flopcast that can compute the contraction. A few candidates
/// have other orders of the loops or kept tiles, where the model expects about the speed of the best other candidate or more. A contraction
/// that is too short for threads to pay is tried on one thread, too.
std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, const TileRates& rates, int threads);

/// Returns whether the loops over tiles run in another order than nkm, or tiles are kept for more than one product.
bool has_other_loops(const Tiling& tiling);

/// Moves candidates of different kinds to the front, so that no kind whose time the model gets wrong fills all of the `count` places that
/// are tried. Moved are the best three of every kernel, the best of each order of rows, with C streamed and not, unless clearly slower, and
/// two with other loops if there is room. The kernels take turns, because a budget may end after two executions; clearly slower ones come
/// last. The first candidate stays first, and one call of gemm comes second.
void promote_each_kernel(std::vector<Candidate>& all, std::size_t count);

/// Returns whether the streaming kernel can compute the contraction on this CPU: double precision, short sums, contiguous columns of C.
bool can_stream(const Folded& folded);

}  // namespace flopcast::contract

namespace flopcast::model {
class Store;
}

namespace flopcast::contract {

/// The environment in which contractions run: BLAS routines and the known properties of the machine.
struct Machine {
  FindRoutine find;  ///< may be called during the lifetime of any plan for this machine, which holds a copy
  Environment environment;
  std::optional<TileRates> rates = {};  ///< rates of the kernels; if missing, assumed from the environment
};

/// Returns the local machine with the library `blas` on one thread. An empty `blas` selects an installed library that several threads may
/// call, if there is one. Caches are taken from an earlier measurement or measured first (seconds); kernels are timed (milliseconds).
/// Throws what LibrarySet::open and machine::detect throw.
Machine local_machine(const std::string& blas = {});

/// Returns one core of a present machine, without routines, for predictions before the real machine is known: 50 GFLOP/s, caches of 32 KiB,
/// 1 MiB and 16 MiB, 10 GB/s to the memory.
const Machine& usual_machine();

/// Returns the machine on which `find`'s library runs on one thread. The rates of the kernels come from `store`, or are measured (milliseconds)
/// and kept there; `fresh` measures again. For a plan on several threads, the bandwidths that they leave each other are looked up too.
Machine machine_of(FindRoutine find, const Environment& environment, model::Store& store, int threads, bool fresh = false);

/// The effort with which a plan is chosen. The C interfaces have the same numbers.
enum class Effort : std::uint8_t {
  estimate,    ///< a model of kernels and memory decides; nothing is executed; milliseconds at most
  microbench,  ///< a tile of each of the model's best candidates is timed at the real strides; tens of milliseconds
  measure,     ///< the model's best candidates are executed on tensors of the planner's own; PlanOptions::time_budget at most
  /// The model chooses first. Then each execution by the user tries one of the model's best candidates and is timed, until the fastest is
  /// known: after 2 to 80 executions. Executions with beta = 0 and others choose separately.
  incremental
};
class TrialMemory;

/// Returns the rates of the kernels on a machine.
TileRates rates_of(const Machine& machine);

constexpr int max_plan_threads = 1024;
/// Throws bad_input unless a plan can use this number of threads: 1 to max_plan_threads.
void require_possible_threads(int threads);

/// The way in which an expression of any number of operands is planned.
struct PlanOptions {
  Effort effort = Effort::estimate;
  int threads = 1;  ///< threads of the contraction, around a BLAS on one thread; they call OpenBLAS's single-threaded build in turns
  Duration time_budget = 2;  ///< seconds for measuring, of all steps together
  /// Candidates that are executed, followed by at most as many neighbours of the fastest one. Effort::incremental executes at most 8 and 4
  /// neighbours.
  int max_measured = 12;
  Precision precision = Precision::d;
  Order order = Order::row_major;  ///< order of dense tensors, if no strides are given; NumPy and C use row_major
  model::Store* wisdom =
      nullptr;  ///< store in which measured choices are kept and found again, also by other processes, for the same effort and budget
  std::optional<Tiling> tiles = {};  ///< if set, these tiles are used, and nothing is chosen
  bool fresh = false;                ///< measure stored choices again and replace them
  /// Largest number of bytes of all intermediates that exist at once, for three operands and more. Labels are cut into blocks where nothing
  /// else fits. Intermediates never take more than half of the available memory.
  ByteLimit max_bytes = std::numeric_limits<double>::infinity();
  /// One number per operand, for three operands and more. Operands with equal numbers from 0 on are one tensor. Empty: none are.
  std::vector<int> tensors = {};
  /// Polled before every execution while measuring, as RunContext::cancelled. Once it returns true, the plan takes the best candidate that is
  /// known, and stores nothing.
  std::function<bool()> cancelled = [] { return false; };
  /// For Effort::incremental: what was measured so far, which plans of equal contractions share; null: the plan and its copies share it.
  std::shared_ptr<TrialMemory> trials = nullptr;
  /// Seconds of time_budget for one step of three operands and more, set by the plan of all steps. Choices of such steps are kept apart.
  std::optional<Seconds> step_budget = {};
};

/// A prepared contraction: execute() may be called often, on any buffers, and from several threads at once. A stored choice is prepared by
/// the first call that needs it, whichever that is; this fills tables as long as the folded dimensions.
///
/// With Effort::incremental, execute() makes the choice: one thread at a time tries the next candidate, others use the best so far. The
/// decision is kept in a store that is opened at the path of PlanOptions::wisdom. An error there is told by explain() only. If A and B are
/// one tensor and half of C is mirrored, an execution tries nothing, and there is nothing to choose.
class ContractionPlan {
 public:
  /// C := alpha A B + beta C on complete tensors. If A and B are one tensor (a == b), C is symmetric and beta = 0, half of C may be
  /// computed and mirrored. Throws bad_input if C overlaps A or B, if a pointer to elements is null, or if real numbers are to be scaled by
  /// complex ones. Throws environment_error if memory for packing is not available. C is unchanged after an exception.
  void execute(const void* a, const void* b, void* c, std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0) const;
  /// Returns several lines of text: the choice, its reason, and other candidates.
  [[nodiscard]] std::string explain() const;
  /// Returns whether the choice is final. With Effort::incremental the answer is false until the choice is made for the values of beta (0 or
  /// others) with which the plan was executed.
  [[nodiscard]] bool is_decided() const;
  /// Returns the considered candidates, the chosen one first. Before an incremental choice is made, the model's favourite is the first.
  [[nodiscard]] const std::vector<Candidate>& considered() const;
  /// Returns the bytes that execute() allocates for packing with considered().front().
  [[nodiscard]] std::int64_t workspace_bytes() const;
  /// Returns the expected time of execute(); the best time so far of an incremental choice.
  [[nodiscard]] Seconds seconds() const;
  [[nodiscard]] const Contraction& contraction() const;

 private:
  friend ContractionPlan plan_contraction(const Contraction&, const Machine&, const PlanOptions&);
  class State;
  explicit ContractionPlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Chooses how to compute `contraction`. Throws bad_input for options out of range and for tiles that don't suit the contraction. Throws
/// environment_error if the plan needs gemm and no library has it; a plan with a stored choice throws at its first use instead.
ContractionPlan plan_contraction(const Contraction& contraction, const Machine& machine, const PlanOptions& options = {});

}  // namespace flopcast::contract
