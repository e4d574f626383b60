#include "tests/kernel/reference/arguments.hpp"

#include <cstring>
#include <stdexcept>

#include "flopcast/support/error.hpp"

namespace flopcast::kernel::reference {
namespace {

template <class T>
T value_at(std::uintptr_t address, std::size_t i) {
  T value;
  std::memcpy(&value, reinterpret_cast<const T*>(address) + i, sizeof(T));
  return value;
}

}  // namespace

Number Array::load(std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  if (i < 0 || at >= values.size()) {
    throw std::out_of_range("element outside of the operand");
  }
  read_before_written[at] = read_before_written[at] || !written[at];
  read[at] = true;
  return values[at];
}

void Array::store(std::int64_t i, Number value) {
  const auto at = static_cast<std::size_t>(i);
  if (i < 0 || at >= values.size()) {
    throw std::out_of_range("element outside of the operand");
  }
  written[at] = true;
  values[at] = value.value();
}

bool Matrix::stored(std::int64_t i, std::int64_t j) const {
  if (layout_ != Layout::band) {
    return true;
  }
  const std::int64_t row = swapped_ ? j : i, column = swapped_ ? i : j;
  return row - column <= lower_ && column - row <= upper_;
}

std::int64_t Matrix::index(std::int64_t i, std::int64_t j) const {
  const std::int64_t row = first_row_ + step_ * (swapped_ ? j : i);
  const std::int64_t column = first_column_ + step_ * (swapped_ ? i : j);
  switch (layout_) {
    case Layout::full: return row + column * ld_;
    case Layout::packed_lower: return row + column * (2 * order_ - column - 1) / 2;
    case Layout::packed_upper: return row + column * (column + 1) / 2;
    case Layout::band: return upper_ + row - column + column * ld_;
  }
  return -1;
}

Matrix Matrix::transposed() const {
  Matrix view = *this;
  view.swapped_ = !swapped_;
  return view;
}

Matrix Matrix::adjoint() const {
  Matrix view = transposed();
  view.conjugated_ = !conjugated_;
  return view;
}

Matrix Matrix::op(char trans) const { return trans == 'N' ? *this : trans == 'T' ? transposed() : adjoint(); }

Matrix Matrix::from(std::int64_t i, std::int64_t j) const {
  Matrix view = *this;
  view.first_row_ += step_ * (swapped_ ? j : i);
  view.first_column_ += step_ * (swapped_ ? i : j);
  return view;
}

Matrix Matrix::reversed(std::int64_t rows, std::int64_t columns) const {
  Matrix view = from(rows - 1, columns - 1);
  view.step_ = -step_;
  return view;
}

Arguments::Arguments(const Call& call) : call_(call) {
  for (const Operand& operand : operands(call)) {
    Array& array = arrays_[operand.argument];
    const auto count = static_cast<std::size_t>(span_elements(call, operand.argument));
    for (std::size_t i = 0; i < count; ++i) {
      array.values.push_back(element_in_memory(call, operand.argument, i));
    }
    array.read.resize(count);
    array.written.resize(count);
    array.read_before_written.resize(count);
  }
}

std::size_t Arguments::at(std::string_view name) const {
  const int index = call_.routine->index(name);
  if (index < 0) {
    throw std::invalid_argument(fmt::format("no argument {} in {}", name, call_.routine->name));
  }
  return static_cast<std::size_t>(index);
}

Number Arguments::scalar(std::string_view name) const { return call_.scalars.at(static_cast<std::size_t>(call_.arguments[at(name)])); }

Matrix Arguments::matrix(std::string_view name) {
  const Argument& argument = call_.routine->arguments[at(name)];
  const auto extent = [&](const ArgumentFormula& expression) { return expression.empty() ? 0 : expression.integer(call_.values()); };
  const std::int64_t rows = extent(argument.rows);
  const std::int64_t ld = argument.stride >= 0 ? call_.arguments[static_cast<std::size_t>(argument.stride)] : rows;
  const bool lower = argument.uplo >= 0 && call_.flag(static_cast<std::size_t>(argument.uplo)) == 'L';
  Array* array = &arrays_.at(at(name));
  const std::int64_t diagonals = extent(argument.upper);
  switch (argument.form) {
    case Form::packed: return {array, lower ? Matrix::Layout::packed_lower : Matrix::Layout::packed_upper, rows, 0, 0, 0};
    case Form::band: return {array, Matrix::Layout::band, rows, ld, extent(argument.lower), diagonals};
    case Form::band_triangle: return {array, Matrix::Layout::band, rows, ld, lower ? diagonals : 0, lower ? 0 : diagonals};
    default: return {array, Matrix::Layout::full, rows, ld, 0, 0};
  }
}

Vector Arguments::vector(std::string_view name) {
  const Argument& argument = call_.routine->arguments[at(name)];
  const std::int64_t n = argument.rows.empty() ? 1 : argument.rows.integer(call_.values());
  const std::int64_t step = argument.stride >= 0 ? call_.arguments[static_cast<std::size_t>(argument.stride)] : 1;
  return {&arrays_.at(at(name)), step < 0 ? -(n - 1) * step : 0, step};
}

std::complex<double> element_in_memory(const Call& call, std::size_t argument, std::size_t i) {
  const Argument& description = call.routine->arguments[argument];
  const std::uintptr_t address = call.address(argument);
  if (has_integers(description)) {
    return static_cast<double>(call.integer_bytes == 8 ? value_at<std::int64_t>(address, i) : value_at<std::int32_t>(address, i));
  }
  const bool complex = is_complex(call.routine->precision) && !description.real;
  if (real_bytes(call.routine->precision) == 4) {
    return complex ? std::complex<double>(value_at<std::complex<float>>(address, i)) : value_at<float>(address, i);
  }
  return complex ? value_at<std::complex<double>>(address, i) : value_at<double>(address, i);
}

}  // namespace flopcast::kernel::reference
