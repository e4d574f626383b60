#pragma once

#include <complex>

#include "flopcast/core/call.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::kernel {

/// A routine's address from the dynamic linker; its real type is the Fortran interface of its catalogue entry.
using Function = void (*)();

/// Results of a call.
struct Outcome {
  std::complex<double> value{};  ///< result of a function (dot, nrm2, ...); an integer result as its value
  std::int32_t info = 0;         ///< LAPACK's return code; 0 for routines without one
};

/// A call whose arguments are laid out as the Fortran ABI wants them, ready to be made many times; the cost of run() over a direct call
/// is a few nanoseconds. Integers lie so that routines with 32-bit and with 64-bit ones
/// read them alike; arrays of them are the call's. gfortran's complex results, hidden string lengths last.
class Invocation {
 public:
  /// Prepares `call`, which holds real addresses of sufficiently large operands.
  Invocation(Function function, const Call& call);

  /// Executes the call.
  void run() noexcept { runner_(*this); }
  /// Moves operand `argument` to `address` (set_address), or changes the scalar `argument` (set_scalar), for calls on one slice after
  /// another.
  void set_address(std::size_t argument, std::uintptr_t address) noexcept { fixed_[argument] = address; }
  void set_scalar(std::size_t argument, std::complex<double> value) noexcept;
  /// Returns the results of the last run().
  [[nodiscard]] Outcome outcome() const noexcept;

 private:
  friend struct TypedRunners;
  static constexpr std::size_t max_pointers = Call::max_arguments + 6;  // arguments, then lengths of at most six flags

  /// An argument by value; its pointer in the argument list points here.
  union Slot {
    char flag;
    FortranInteger integer;
    float s;
    double d;
    std::complex<float> c;
    std::complex<double> z;
    Slot() : z() {}
  };

  [[nodiscard]] void* pointer(std::size_t i) noexcept;

  Function function_;
  Call call_;
  std::array<Slot, Call::max_arguments> slots_;
  std::array<std::uintptr_t, max_pointers> fixed_{};  ///< addresses and lengths; 0 for arguments in slots_
  std::size_t pointers_ = 0;
  std::complex<double> value_{};
  void (*runner_)(Invocation&) noexcept = nullptr;
};

}  // namespace flopcast::kernel
