#pragma once

#include <cstddef>
#include <cstdint>

/// Finds NaN in the results of recorded calls. The CPU raises no exception where a quiet NaN is added or multiplied.
namespace flopcast::preload {

/// Layout of a result's elements.
enum class ResultForm : std::uint8_t { vector, full, triangle };

/// A result of a routine, described by the places of its arguments in the record, in bytes.
struct ExaminedResult {
  static constexpr std::uint16_t none = 0xffff;
  std::uint16_t address;
  std::uint16_t rows, columns;  ///< none: 1
  std::uint16_t stride;         ///< leading dimension or increment; none: contiguous
  std::uint16_t flag;           ///< flag that chooses between two numbers of rows; none: `rows`
  std::uint16_t other_rows;     ///< rows where `flag` isn't `letter`
  std::uint16_t uplo;           ///< flag of a triangle
  char letter;
  ResultForm form;
  std::uint8_t real_bytes, reals;  ///< bytes of a real number, and real numbers per element
};

/// Returns whether a result on the border of its matrix is NaN. NaN among the operands of a product, a solve or a factorization reaches the
/// first or last row or column of the result, so that few elements tell. Results whose border would take over about 1 % of `ticks`, the
/// call's duration, aren't looked at. `record` has the arguments, with integers of 8 bytes where `wide`.
bool has_nan_on_border(const ExaminedResult* results, std::size_t count, const std::byte* record, bool wide, std::uint64_t ticks) noexcept;

}  // namespace flopcast::preload
