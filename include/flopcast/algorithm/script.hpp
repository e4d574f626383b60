#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::algorithm {

/// Finds a routine such as "dgemm" in a library; returns nullptr if the library lacks it.
using FunctionLookup = std::function<kernel::Function(std::string_view)>;

/// A column-major matrix or a contiguous vector (ld = 0) at a real or virtual address.
struct Matrix {
  std::uintptr_t address = 0;
  std::int64_t ld = 0;  ///< elements
  std::int64_t element_bytes = 8;

  /// Returns the sub-matrix that begins at `row` and `column`, counted from 0.
  [[nodiscard]] Matrix at(std::int64_t row, std::int64_t column = 0) const noexcept {
    return {address + static_cast<std::uintptr_t>((row + column * ld) * element_bytes), ld, element_bytes};
  }
};

/// An argument as an algorithm writes it. A matrix stands for its address and, where the interface has one, its leading dimension.
using Item = std::variant<char, std::int64_t, double, std::complex<double>, Matrix>;

/// Resources that executions of algorithms share, so that only the first one pays for them: addresses of routines and memory for local
/// matrices. Serves one execution at a time.
class Runtime {
 public:
  explicit Runtime(FunctionLookup lookup) : lookup_(std::move(lookup)) {}

  /// Throws environment_error if the library lacks the routine.
  kernel::Function function(const Routine& routine);
  /// Begins an execution and releases the local memory of the one before.
  void restart() noexcept { used_ = 0; }
  std::uintptr_t allocate(std::int64_t bytes);

 private:
  FunctionLookup lookup_;
  std::vector<std::pair<const Routine*, kernel::Function>> functions_;  ///< few entries, searched linearly
  std::vector<std::vector<double>> memory_;
  std::size_t used_ = 0;
};

/// Turns the lines of an algorithm into calls of one precision, which are executed or recorded. Data that an algorithm's control flow depends
/// on (pivots, the blocks of a Schur form) are read through the script too, since a recording has no data.
class Script {
 public:
  /// Constructs a script that executes every call on the memory of its operands. A call throws environment_error if the library lacks the
  /// routine.
  static Script executing(Precision precision, FunctionLookup lookup);
  /// Constructs a script that executes every call and reuses the resources of earlier executions.
  static Script executing(Precision precision, const std::shared_ptr<Runtime>& runtime);
  /// Constructs a script that appends every call to `trace`, which must outlive the script. The info of every kernel is 0.
  static Script recording(Precision precision, Trace& trace);

  /// Makes a call such as `("gemm", {'N', 'T', m, n, k, -1.0, a, b, 1.0, c})`, without the argument info; returns the kernel's info.
  std::int32_t operator()(std::string_view family, std::initializer_list<Item> items) const;
  /// Returns the call without making it, as input of another algorithm.
  [[nodiscard]] Call call(std::string_view family, std::initializer_list<Item> items) const;

  [[nodiscard]] bool complex() const noexcept { return is_complex(precision_); }
  /// Returns the flag of the conjugate transpose in this precision.
  [[nodiscard]] char adjoint() const noexcept { return complex() ? 'C' : 'T'; }

  /// Allocates a local matrix that lives as long as the script. A recording names its memory local0, local1, ...
  [[nodiscard]] Matrix local(std::int64_t rows, std::int64_t columns) const;

  /// Returns whether there is data; false when recording.
  [[nodiscard]] bool executes() const noexcept { return executes_; }
  /// Returns the first element of `matrix`, or `otherwise` when recording.
  [[nodiscard]] std::complex<double> read(const Matrix& matrix, std::complex<double> otherwise) const;
  /// Sets the first element of `matrix`; does nothing when recording.
  void write(const Matrix& matrix, std::complex<double> value) const;
  /// Returns the first pivot of `ipiv` (a row, counted from 1), or `otherwise` when recording.
  [[nodiscard]] std::int64_t read_pivot(const Matrix& ipiv, std::int64_t otherwise) const;
  /// Sets the first pivot of `ipiv`; does nothing when recording.
  void write_pivot(const Matrix& ipiv, std::int64_t row) const;

 private:
  using Sink = std::function<std::int32_t(const Call&)>;
  using Allocate = std::function<std::uintptr_t(std::int64_t bytes)>;
  Script(Precision precision, bool executes, Sink sink, Allocate allocate);

  [[nodiscard]] const Routine& routine(std::string_view family) const;

  Precision precision_;
  bool executes_;
  std::shared_ptr<std::vector<std::pair<std::string, const Routine*>>> routines_;  ///< routines called so far, by family; few entries
  Sink sink_;
  Allocate allocate_;
};

/// Returns operand argument `i` of `call` with its leading dimension.
Matrix matrix(const Call& call, std::size_t i);
/// Returns operand argument `name` of `call` with its leading dimension; throws internal_error if the routine has none.
Matrix matrix(const Call& call, std::string_view name);
/// Returns the value of the integer argument `name`; throws internal_error if the routine has none.
std::int64_t value(const Call& call, std::string_view name);
/// Returns the letter of the flag `name`; throws internal_error if the routine has none.
char flag(const Call& call, std::string_view name);
/// Returns the index of argument `name`; throws internal_error if the routine has none.
std::size_t index(const Call& call, std::string_view name);

}  // namespace flopcast::algorithm
