#include "flopcast/preload/trace/nan_results.hpp"

#include <cstring>

namespace flopcast::preload {
namespace {

template <class T>
T read(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Tells by the bits, because a comparison would raise an exception of the CPU for a signalling NaN.
bool is_nan(const std::byte* at, std::size_t bytes) noexcept {
  if (bytes == sizeof(std::uint32_t)) {
    return (read<std::uint32_t>(at) & 0x7fffffffU) > 0x7f800000U;
  }
  return (read<std::uint64_t>(at) & 0x7fffffffffffffffU) > 0x7ff0000000000000U;
}

/// A result in memory. Lines are rows, columns or vectors.
struct ResultMatrix {
  const std::byte* begin;
  std::int64_t element, real_bytes;  ///< bytes

  [[nodiscard]] bool line_has_nan(std::int64_t first, std::int64_t step, std::int64_t count) const noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t part = 0; part < element; part += real_bytes) {
        if (is_nan(begin + (first + i * step) * element + part, static_cast<std::size_t>(real_bytes))) {
          return true;
        }
      }
    }
    return false;
  }
};

class ResultArguments {
 public:
  ResultArguments(const std::byte* record, bool wide) noexcept : record_(record), wide_(wide) {}
  [[nodiscard]] std::int64_t integer(std::uint16_t at, std::int64_t without) const noexcept {
    if (at == ExaminedResult::none) {
      return without;
    }
    return wide_ ? read<std::int64_t>(record_ + at) : read<std::int32_t>(record_ + at);
  }
  [[nodiscard]] char letter(std::uint16_t at) const noexcept { return static_cast<char>(read<char>(record_ + at) & ~0x20); }
  [[nodiscard]] const std::byte* address(std::uint16_t at) const noexcept { return read<const std::byte*>(record_ + at); }

 private:
  const std::byte* record_;
  bool wide_;
};

/// Returns whether a NaN lies on the border of a matrix of `rows` and `columns`, or of the triangle `triangle` of it ('L', 'U' or none: '
/// ').
bool border_has_nan(const ResultMatrix& matrix, std::int64_t rows, std::int64_t columns, std::int64_t stride, char triangle) noexcept {
  const std::int64_t last_row = rows - 1, last_column = (columns - 1) * stride;
  return (triangle != 'U' && (matrix.line_has_nan(0, 1, rows) || matrix.line_has_nan(last_row, stride, columns))) ||
         (triangle != 'L' && (matrix.line_has_nan(0, stride, columns) || matrix.line_has_nan(last_column, 1, rows)));
}

bool has_nan(const ExaminedResult& result, const ResultArguments& arguments, std::uint64_t ticks) noexcept {
  constexpr std::uint64_t ticks_per_element = 100;  // 1 % of the call's time, as reading one takes a tick or, in a row, some
  const bool other = result.flag != ExaminedResult::none && arguments.letter(result.flag) != result.letter;
  const std::int64_t rows = arguments.integer(other ? result.other_rows : result.rows, 1);
  const std::int64_t columns = arguments.integer(result.columns, 1);
  std::int64_t stride = arguments.integer(result.stride, result.form == ResultForm::vector ? 1 : rows);
  stride = stride < 0 ? -stride : stride;
  const ResultMatrix matrix{arguments.address(result.address), std::int64_t{result.real_bytes} * result.reals, result.real_bytes};
  const bool is_vector = result.form == ResultForm::vector;
  if (matrix.begin == nullptr || rows < 1 || columns < 1 || stride < (is_vector ? 1 : rows)) {
    return false;
  }
  const auto elements = static_cast<std::uint64_t>(is_vector ? rows : 2 * (rows + columns));
  if (elements > ticks / ticks_per_element) {
    return false;
  }
  if (is_vector) {
    return matrix.line_has_nan(0, stride, rows);
  }
  const char half = result.form != ResultForm::triangle ? ' ' : arguments.letter(result.uplo) == 'L' ? 'L' : 'U';
  return border_has_nan(matrix, rows, columns, stride, half);
}

}  // namespace

bool has_nan_on_border(const ExaminedResult* results, std::size_t count, const std::byte* record, bool wide, std::uint64_t ticks) noexcept {
  const ResultArguments arguments(record, wide);
  for (std::size_t i = 0; i < count; ++i) {
    if (has_nan(results[i], arguments, ticks)) {
      return true;
    }
  }
  return false;
}

}  // namespace flopcast::preload
