#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/c/plan.hpp"
#include "flopcast/c/workbench.hpp"
#include "flopcast/contract/network/plan.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

/// The Python module `_flopcast`: contractions of NumPy arrays and predictions inside of the Python process.
namespace flopcast::python {

/// Arrays and options of a plan.
struct PlanWish {
  std::string subscripts;
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<std::vector<std::int64_t>> strides;           ///< in elements
  std::optional<std::vector<std::int64_t>> result_strides;  ///< in elements; nothing: a new array in row-major order
  PlanRequest request;
};

/// Returns the expression of arrays of these shapes, for what is asked before there is a plan. Throws what contract::parse_expression() and
/// contract::with_shapes() throw.
contract::SizedExpression sized_expression(const std::string& subscripts, const std::vector<std::vector<std::int64_t>>& shapes);

/// The services with which this process plans contractions and predicts. Libraries and store are opened when they are first needed. Where nothing
/// can be kept in the user's folders, this process alone keeps it (keeping_if_possible()). All functions may be called from several threads.
class Planner {
 public:
  explicit Planner(RunContext context);

  /// Waits until no other thread is within the planner, for some seconds at most, since a forked child would find what the thread was making
  /// half made for ever.
  void before_fork();
  void after_fork_in_parent();
  /// Makes the planner of a forked child usable: its libraries are opened anew when they are needed. The parent's services are left as they
  /// are, because its store isn't for two processes, and another thread of the parent may have been changing them.
  void after_fork_in_child();

  /// Returns whether plans can be made without the time for opening libraries and measuring caches.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  /// Opens the libraries. Caches are measured unless they were measured before (up to 15 s). An error is told once: plans throw the same
  /// error until the libraries are opened again by this function.
  void open();

  /// Adds time that contractions took elsewhere because the libraries aren't open. Opening pays once this time, with the time that the
  /// next contraction is expected to take, is as long as opening takes. Returns whether opening pays.
  bool pays(Seconds spent, Seconds expected);

  /// Plans a wish, whose result has `result_rank` axes, with the choices that the store keeps. Without `needs_libraries`, no libraries are
  /// opened, and the plan may call no BLAS. Throws what flopcast_plan_einsum() caught.
  c::OwnedPlan plan(const PlanWish& wish, std::size_t result_rank, bool needs_libraries = true);
  /// Returns the pairs of an expression of dense tensors as contract::ContractionTree::path() gives them. While the libraries aren't open,
  /// steps are predicted for a usual machine, unless pays() says that the expressions take long enough for opening.
  std::vector<std::vector<int>> path(const contract::SizedExpression& expression, PlanRequest request, contract::Executor executor);

  /// Answers a request in this process (flopcast::ask()). The libraries of the last request stay open.
  std::string answer(const std::string& request);

 private:
  void open_locked();
  void open_place();
  void throw_if_cancelled() const { context_.throw_if_cancelled("nothing is kept of an unfinished choice"); }

  /// A workbench with the libraries that it was made for.
  struct OpenWorkbench {
    machine::LibraryChoice libraries;
    Workbench bench;
  };

  /// The members that one thread at a time uses.
  struct OpenServices {
    std::timed_mutex mutex;  ///< held while any of the following is used
    std::unique_ptr<flopcast_workbench> bench;
    std::unique_ptr<OpenWorkbench> asked;
    std::optional<Error> failure;          ///< reason for which the libraries couldn't be opened
    flopcast_workbench without_libraries;  ///< for use without the mutex
  };

  RunContext context_;
  std::unique_ptr<OpenServices> services_ = std::make_unique<OpenServices>();
  bool is_forking_ = false;  ///< before_fork() holds the mutex
  std::atomic<bool> is_open_ = false, has_failed_ = false;
  std::atomic<Seconds> spent_ = 0;
  std::atomic<Seconds> opening_seconds_ = -1;  ///< expected time of opening; below 0: not known yet
};

/// Number of threads of the BLAS that NumPy loaded.
class BlasThreads {
 public:
  /// Looks for the BLAS among the libraries that the process has loaded.
  BlasThreads();
  /// Returns the present number of threads, within those that a plan can use; 1 if no loaded library tells one.
  [[nodiscard]] int now() const { return ask_ != nullptr ? std::clamp(ask_(), 1, contract::max_plan_threads) : 1; }

 private:
  int (*ask_)() = nullptr;
};

}  // namespace flopcast::python
