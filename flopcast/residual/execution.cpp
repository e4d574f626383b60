#include "flopcast/residual/execution.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::residual {
namespace {

constexpr std::size_t guard_bytes = 256;

template <class Visit>
void for_each_run(const Call& call, std::size_t argument, Visit visit) {
  for (const Operand& operand : operands(call)) {
    for (const Region& part : operand.parts) {
      for (std::int64_t j = 0; operand.argument == argument && j < part.columns; ++j) {
        const std::int64_t bytes = part.column_bytes + j * part.growth_bytes;
        if (bytes > 0) {
          visit(part.address + static_cast<std::uintptr_t>(j * part.stride_bytes), bytes);
        }
      }
    }
  }
}

std::int64_t value_of(const ArgumentFormula& formula, const Call& call) { return formula.empty() ? 0 : formula.integer(call.values()); }

bool is_lower(const Argument& argument, const Call& call) {
  return (argument.uplo >= 0 ? call.flag(static_cast<std::size_t>(argument.uplo)) : argument.fixed_uplo) == 'L';
}

bool has_unit_diagonal(const Argument& argument, const Call& call) {
  return argument.diag >= 0 && call.flag(static_cast<std::size_t>(argument.diag)) == 'U';
}

/// Returns row and column of element `e` of a packed upper triangle.
std::pair<std::int64_t, std::int64_t> in_packed(std::int64_t e) {
  auto column = static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(e) + 1) - 1) / 2);
  column += (column + 1) * (column + 2) / 2 <= e ? 1 : column * (column + 1) / 2 > e ? -1 : 0;
  return {e - column * (column + 1) / 2, column};
}

/// Returns row and column of the element that lies `e` elements behind the operand's address.
std::pair<std::int64_t, std::int64_t> place_of(std::int64_t e, const Argument& argument, const Call& call) {
  const std::int64_t stride = argument.stride < 0 ? 0 : call.arguments[static_cast<std::size_t>(argument.stride)];
  if (argument.form == Form::packed) {
    const std::int64_t rows = value_of(argument.rows, call);
    const auto [row, column] = in_packed(is_lower(argument, call) ? rows * (rows + 1) / 2 - 1 - e : e);
    return is_lower(argument, call) ? std::pair(rows - 1 - row, rows - 1 - column) : std::pair(row, column);
  }
  if (argument.form == Form::scalar || argument.form == Form::vector || stride == 0) {
    const std::int64_t i = stride == 0 ? e : e / std::abs(stride);
    return {stride < 0 ? value_of(argument.rows, call) - 1 - i : i, 0};
  }
  const bool is_band = argument.form == Form::band || (argument.form == Form::band_triangle && !is_lower(argument, call));
  const bool follows_diagonal = is_band || argument.form == Form::band_triangle;
  return {e % stride - (is_band ? value_of(argument.upper, call) : 0) + (follows_diagonal ? e / stride : 0), e / stride};
}

/// Returns the number at `at` as a T: real or complex, in the routine's precision.
template <class T>
T load(const std::byte* at, bool is_complex, bool is_single) {
  const auto real = [&](std::size_t i) {
    float narrow = 0;
    double wide = 0;
    is_single ? void(std::memcpy(&narrow, at + i * sizeof narrow, sizeof narrow))
              : void(std::memcpy(&wide, at + i * sizeof wide, sizeof wide));
    return is_single ? static_cast<double>(narrow) : wide;
  };
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(real(0));
  } else {
    using Real = typename T::value_type;
    return T(static_cast<Real>(real(0)), is_complex ? static_cast<Real>(real(1)) : Real(0));
  }
}

/// Returns whether the call must not read the values of an operand.
bool is_unread(const Call& call, const Argument& argument) {
  const auto is_zero = [&](std::string_view name) { return call.routine->index(name) >= 0 && scalar(call, name) == 0.0; };
  const bool is_result = argument.access == Access::update && is_zero("beta");
  // trmm and trsm need neither A nor B where alpha is 0.
  const bool is_triangular_product = (call.routine->family == "trmm" || call.routine->family == "trsm") && is_zero("alpha");
  return is_result || is_triangular_product;
}

}  // namespace

kernel::FillPattern operand_pattern(const Call& call, const Operand& operand) {
  constexpr double larger = 16;
  const Routine& routine = *call.routine;
  const Argument& argument = routine.arguments[operand.argument];
  kernel::FillPattern pattern = kernel::fill_pattern(call, operand);
  if (argument.integer || argument.kind != Kind::data) {
    return pattern;
  }
  const bool is_matrix = argument.form != Form::vector && argument.form != Form::scalar;
  if (is_unread(call, argument)) {
    pattern = {std::numeric_limits<double>::quiet_NaN()};
  } else if (is_matrix && argument.fill == Fill::definite) {
    pattern.value = 2 * static_cast<double>(value_of(argument.rows, call));
  } else if (is_matrix && argument.fill != Fill::random) {
    pattern.scale *= larger;
  } else if (const int uplo = routine.index("uplo");
             uplo >= 0 && routine.index("w") >= 0 && argument.form == Form::full && argument.access == Access::update) {
    // The matrix whose eigenvalues are wanted: its other triangle isn't read, and its diagonal is real.
    pattern.value = 0.5;
    pattern.count = value_of(argument.rows, call);
    pattern.step = call.arguments[static_cast<std::size_t>(argument.stride)] + 1;
    pattern.other = call.flag(static_cast<std::size_t>(uplo)) == 'L' ? 'U' : 'L';
    pattern.other_value = std::numeric_limits<double>::quiet_NaN();
  }
  return pattern;
}

std::complex<double> scalar(const Call& call, std::string_view name) {
  const auto i = static_cast<std::size_t>(call.routine->index(name));
  const std::complex<double> value = call.scalars[static_cast<std::size_t>(call.arguments[i])];
  return real_bytes(call.routine->precision) == 4 ? std::complex<double>(std::complex<float>(value)) : value;
}

std::size_t cache_line_place(const Call& call, std::size_t argument, std::uint64_t seed) {
  return call.address(argument) != 0 ? call.address(argument) % cache_line_bytes
                                     : static_cast<std::size_t>(argument_element_bytes(call, argument)) * ((seed + argument) % 4);
}

Execution::Execution(const Call& call, std::uint64_t seed) : call_(call) {
  for (const Operand& operand : operands(call_)) {
    const std::size_t i = operand.argument;
    const std::int64_t element = argument_element_bytes(call_, i);
    const std::size_t offset = cache_line_place(call_, i, seed);
    const auto bytes = static_cast<std::size_t>(span_elements(call_, i) * element);
    Block block{i, std::vector<std::byte>(2 * guard_bytes + bytes + 2 * cache_line_bytes, std::byte{0xff}), {}, 0};
    blocks_.push_back(std::move(block));
    Block& placed = blocks_.back();
    const auto base = reinterpret_cast<std::uintptr_t>(placed.before.data());
    placed.begin = round_up(base + guard_bytes, cache_line_bytes) - base + offset;
    call_.arguments[i] = static_cast<std::int64_t>(base + placed.begin);
  }
  kernel::fill(call_, seed, operand_pattern);
  for (Block& block : blocks_) {  // the call works on the memory that was filled
    block.after = block.before;
    block.before.swap(block.after);
  }
}

template <class Visit>
void Execution::for_each_element(std::size_t argument, Visit visit) const {
  const std::int64_t bytes = argument_element_bytes(call_, argument);
  for_each_run(call_, argument, [&](std::uintptr_t address, std::int64_t length) {
    for (std::int64_t at = 0; at < length; at += bytes) {
      const std::uintptr_t here = address + static_cast<std::uintptr_t>(at);
      const auto [row, column] =
          place_of(static_cast<std::int64_t>(here - call_.address(argument)) / bytes, call_.routine->arguments[argument], call_);
      visit(Element{row, column, here});
    }
  });
}

std::string Execution::run(const Execute& execute) {
  outcome_ = execute(call_);
  for (const Block& block : blocks_) {
    std::vector<std::byte> expected = block.after;
    const Argument& argument = call_.routine->arguments[block.argument];
    const auto base = reinterpret_cast<std::uintptr_t>(block.after.data());
    if (argument.access != Access::read) {
      for_each_run(call_, block.argument, [&](std::uintptr_t address, std::int64_t bytes) {
        std::memcpy(expected.data() + (address - base), block.before.data() + (address - base), static_cast<std::size_t>(bytes));
      });
    }
    if (expected != block.before) {
      const auto differs = std::mismatch(expected.begin(), expected.end(), block.before.begin()).first - expected.begin();
      return fmt::format("byte {} of {} was changed, which doesn't belong to the results",
                         differs - static_cast<std::ptrdiff_t>(block.begin), argument.name);
    }
  }
  return outcome_.info == 0 ? "" : fmt::format("info is {}, expected 0", outcome_.info);
}

std::size_t Execution::index(std::string_view name) const {
  const int found = call_.routine->index(name);
  if (found < 0) {
    throw internal_error("{} has no argument {}", call_.routine->name, name);
  }
  return static_cast<std::size_t>(found);
}

const Execution::Block* Execution::block_of(std::size_t argument) const {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.argument == argument; });
  return found == blocks_.end() ? nullptr : &*found;
}

char Execution::flag(std::string_view name, char otherwise) const { return has(name) ? call_.flag(index(name)) : otherwise; }

std::vector<std::int64_t> Execution::integers(std::string_view name, When when) const {
  std::vector<std::int64_t> all;
  const Block& block = *block_of(index(name));
  for_each_element(index(name), [&](const Element& element) {
    std::int64_t value = 0;
    const std::size_t at = element.address - reinterpret_cast<std::uintptr_t>(block.after.data());
    std::memcpy(&value, (when == When::before ? block.before : block.after).data() + at, static_cast<std::size_t>(call_.integer_bytes));
    all.push_back(call_.integer_bytes == 8 ? value : static_cast<std::int32_t>(value));
  });
  return all;
}

template <class T>
Dense<T> Execution::part(std::string_view name, When when, std::int64_t row, std::int64_t column, std::int64_t rows,
                         std::int64_t columns) const {
  const std::size_t i = index(name);
  const Argument& argument = call_.routine->arguments[i];
  const bool single = real_bytes(call_.routine->precision) == 4;
  const bool complex = argument_element_bytes(call_, i) == 2 * real_bytes(call_.routine->precision);
  Dense<T> result(rows, columns);
  const Block* block = block_of(i);
  for_each_element(i, [&](const Element& element) {
    if (result.contains(element.row - row, element.column - column)) {
      const std::size_t at = element.address - reinterpret_cast<std::uintptr_t>(block->after.data());
      result(element.row - row, element.column - column) =
          load<T>((when == When::before ? block->before : block->after).data() + at, complex, single);
    }
  });
  for (std::int64_t k = 0; has_unit_diagonal(argument, call_) && k < value_of(argument.rows, call_); ++k) {
    if (result.contains(k - row, k - column)) {
      result(k - row, k - column) = T(1);
    }
  }
  return result;
}

template <class T>
Dense<T> Execution::matrix(std::string_view name, When when) const {
  const Argument& argument = call_.routine->arguments[index(name)];
  const std::int64_t rows = argument.form == Form::scalar ? 1 : value_of(argument.rows, call_);
  const bool is_vector = argument.form == Form::scalar || argument.form == Form::vector;
  const std::int64_t columns = is_vector ? 1 : argument.columns.empty() ? rows : value_of(argument.columns, call_);
  if (argument.form == Form::reflectors && flag("storev", 'C') == 'R') {
    return part<T>(name, when, 0, 0, columns, rows);
  }
  return part<T>(name, when, value_of(argument.offset, call_), value_of(argument.column_offset, call_), rows, columns);
}

template Dense<double> Execution::part(std::string_view, When, std::int64_t, std::int64_t, std::int64_t, std::int64_t) const;
template Dense<long double> Execution::part(std::string_view, When, std::int64_t, std::int64_t, std::int64_t, std::int64_t) const;
template Dense<std::complex<double>> Execution::part(std::string_view, When, std::int64_t, std::int64_t, std::int64_t, std::int64_t) const;
template Dense<std::complex<long double>> Execution::part(std::string_view, When, std::int64_t, std::int64_t, std::int64_t,
                                                          std::int64_t) const;
template Dense<double> Execution::matrix(std::string_view, When) const;
template Dense<long double> Execution::matrix(std::string_view, When) const;
template Dense<std::complex<double>> Execution::matrix(std::string_view, When) const;
template Dense<std::complex<long double>> Execution::matrix(std::string_view, When) const;

}  // namespace flopcast::residual
