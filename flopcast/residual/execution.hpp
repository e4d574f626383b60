#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/residual/dense.hpp"

namespace flopcast::residual {

/// Executes a call whose operands have addresses.
using Execute = std::function<kernel::Outcome(const Call&)>;

enum class When : std::uint8_t { before, after };

/// Returns what an operand is filled with before its results are verified: numbers large enough that an error in one of them shows.
/// Triangles remain well-conditioned: their elements outside of the diagonal are at most 1/n. A definite matrix gets the diagonal 2n.
/// Operands and triangles that the call must not read are NaN.
kernel::FillPattern operand_pattern(const Call& call, const Operand& operand);
/// Returns a scalar as the routine gets it: rounded to single precision in routines of single precision.
std::complex<double> scalar(const Call& call, std::string_view name);
/// Returns the place of an operand in a cache line, in bytes: that of its address, or one that depends on `seed` without an address.
std::size_t cache_line_place(const Call& call, std::size_t argument, std::uint64_t seed);

/// A call with memory of its own, whose operands are read before and after. Memory that the call must not read is NaN: whatever surrounds the
/// operands, other triangles, unit diagonals, and operands that a factor of 0 removes.
class Execution {
 public:
  /// Fills the operands. Operands lie at the same place of a cache line as those of `call`, or at another one that depends on `seed` where
  /// the call has no addresses.
  Execution(const Call& call, std::uint64_t seed);

  /// Executes the call. Returns the memory fault or error code that the call left, or "".
  std::string run(const Execute& execute);

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] const kernel::Outcome& outcome() const { return outcome_; }
  [[nodiscard]] bool has(std::string_view name) const { return call_.routine->index(name) >= 0; }
  [[nodiscard]] std::int64_t size(std::string_view name) const { return call_.arguments[index(name)]; }
  /// Returns the letter of a flag; `otherwise` if the routine has no such flag.
  [[nodiscard]] char flag(std::string_view name, char otherwise = 0) const;
  [[nodiscard]] std::complex<double> scalar(std::string_view name) const { return residual::scalar(call_, name); }
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name, When when) const;

  /// Returns rows x columns elements of an operand, from (row, column) on. Elements outside of the footprint are 0, but a unit diagonal is 1.
  template <class T>
  [[nodiscard]] Dense<T> part(std::string_view name, When when, std::int64_t row, std::int64_t column, std::int64_t rows,
                              std::int64_t columns) const;
  /// Returns the matrix or vector that an operand is; a band or packed triangle as a matrix.
  template <class T>
  [[nodiscard]] Dense<T> matrix(std::string_view name, When when) const;

 private:
  struct Block {
    std::size_t argument = 0;
    std::vector<std::byte> before, after;
    std::size_t begin = 0;  ///< begin of the operand's span
  };
  struct Element {
    std::int64_t row = 0, column = 0;
    std::uintptr_t address = 0;  ///< in the memory after the call
  };

  [[nodiscard]] std::size_t index(std::string_view name) const;
  [[nodiscard]] const Block* block_of(std::size_t argument) const;
  template <class Visit>
  void for_each_element(std::size_t argument, Visit visit) const;

  Call call_;
  std::vector<Block> blocks_;
  kernel::Outcome outcome_;
};

}  // namespace flopcast::residual
