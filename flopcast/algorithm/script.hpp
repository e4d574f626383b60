#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::algorithm {

/// Takes the calls of an algorithm in order and gives back LAPACK's info of each; a recording sink answers 0.
using Sink = std::function<std::int32_t(const Call&)>;

/// Finds the routine called e.g. "dgemm" in a library; nullptr if it has none.
using FunctionLookup = std::function<kernel::Function(std::string_view)>;

/// Executes every call on the memory that it names; throws environment_error if the library lacks the routine.
Sink executor(FunctionLookup lookup);

/// A column-major matrix or a contiguous vector (ld = 0) at a real or virtual address.
struct Matrix {
  std::uintptr_t address = 0;
  std::int64_t ld = 0;  ///< elements
  std::int64_t element_bytes = 8;

  /// The sub-matrix that begins at `row` and `column`, counted from 0.
  [[nodiscard]] Matrix at(std::int64_t row, std::int64_t column = 0) const noexcept {
    return {address + static_cast<std::uintptr_t>((row + column * ld) * element_bytes), ld, element_bytes};
  }
};

/// An argument as an algorithm writes it; a matrix stands for its address and, where the interface wants one, its leading dimension.
using Item = std::variant<char, std::int64_t, double, Matrix>;

/// Turns the lines of an algorithm into calls of one precision.
class Script {
 public:
  Script(Precision precision, Sink sink);

  /// Calls e.g. `("gemm", {'N', 'T', m, n, k, -1.0, a, b, 1.0, c})`, info left out; returns the kernel's info.
  std::int32_t operator()(std::string_view family, std::initializer_list<Item> items) const;

  [[nodiscard]] bool complex() const noexcept { return is_complex(precision_); }
  /// The flag of the conjugate transpose in this precision.
  [[nodiscard]] char adjoint() const noexcept { return complex() ? 'C' : 'T'; }

 private:
  Precision precision_;
  Sink sink_;
};

/// Operand argument `i` of `call` with its leading dimension.
Matrix matrix(const Call& call, std::size_t i);
/// Value of the integer argument `name`; throws internal_error if the routine has none.
std::int64_t value(const Call& call, std::string_view name);
/// Index of argument `name`; throws internal_error if the routine has none.
std::size_t index(const Call& call, std::string_view name);

}  // namespace flopcast::algorithm
