#include "flopcast/preload/mpi/callbacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "flopcast/preload/mpi/prefixed_names.hpp"
#include "flopcast/preload/mpi/session.hpp"

namespace flopcast::preload::mpi {

ProgramCallback::ProgramCallback() noexcept {
  TracingSession* all = session();
  traced_ = all != nullptr && all->gate.is_inside_mpi();
  if (traced_) {
    CallGate::enter_callback();
    called_ = all->clock.called();
    entered_ = all->clock.now();
    all->clock.return_to_program();
  }
}

ProgramCallback::~ProgramCallback() {
  TracingSession* all = session();
  if (traced_ && all != nullptr) {
    all->ledger.leave_program();
    all->clock.exclude_since(entered_, called_);
    CallGate::leave_callback();
  }
}

bool is_own_operation(MPI_Op op) noexcept {
  const std::array ones_of_mpi = {MPI_MAX,  MPI_MIN,  MPI_SUM,    MPI_PROD,   MPI_LAND,    MPI_BAND,  MPI_LOR,    MPI_BOR,
                                  MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP, MPI_OP_NULL};
  return std::find(ones_of_mpi.begin(), ones_of_mpi.end(), op) == ones_of_mpi.end();
}

namespace {

/// An operation of C or Fortran. All of its arguments are pointers, which are passed on.
using Operation = void (*)(void*, void*, void*, void*);

constexpr std::size_t max_operations = 256;
constinit std::array<std::atomic<Operation>, max_operations> operations{};

/// Executes operation `number`. MPI gives an operation nothing by which one function could tell them apart.
template <std::size_t number>
void execute(void* in, void* in_and_out, void* count, void* type) {
  const ProgramCallback computing;
  operations[number].load(std::memory_order_relaxed)(in, in_and_out, count, type);
}

template <std::size_t... numbers>
constexpr std::array<Operation, sizeof...(numbers)> all_executions(std::index_sequence<numbers...> /*all*/) {
  return {execute<numbers>...};
}

/// Returns the function that executes `operation`, which stays the same for ever; `operation` itself if there are too many. Kernels in it
/// are seen in any case.
Operation traced(Operation operation) noexcept {
  static constexpr std::array<Operation, max_operations> executions = all_executions(std::make_index_sequence<max_operations>());
  static std::mutex making;
  const std::lock_guard turn(making);
  for (std::size_t i = 0; i < max_operations && operation != nullptr; ++i) {
    const Operation known = operations[i].load(std::memory_order_relaxed);
    if (known == nullptr) {
      operations[i].store(operation, std::memory_order_relaxed);
    }
    if (known == nullptr || known == operation) {
      return executions[i];
    }
  }
  return operation;
}

}  // namespace
}  // namespace flopcast::preload::mpi

using namespace flopcast::preload::mpi;

extern "C" {

#pragma GCC visibility push(default)

// The compiler would turn a call of PMPI_Op_create into a jump, which looks like a call by the program.
int MPI_Op_create(MPI_User_function* operation, int commutes, MPI_Op* made) {
  const Operation own = traced(reinterpret_cast<Operation>(operation));
  static const auto next = function_of_mpi<decltype(PMPI_Op_create)>("PMPI_Op_create");
  return next(reinterpret_cast<MPI_User_function*>(own), commutes, made);
}

#if MPI_VERSION >= 4
int MPI_Op_create_c(MPI_User_function_c* operation, int commutes, MPI_Op* made) {
  const Operation own = traced(reinterpret_cast<Operation>(operation));
  static const auto next = function_of_mpi<decltype(PMPI_Op_create_c)>("PMPI_Op_create_c");
  return next(reinterpret_cast<MPI_User_function_c*>(own), commutes, made);
}
#endif

#pragma GCC visibility pop
}
