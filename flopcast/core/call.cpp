#include "flopcast/core/call.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

std::int64_t extent(const ArgumentFormula& expression, const Call& call, std::int64_t otherwise = 1) {
  return expression.empty() ? otherwise : std::max<std::int64_t>(0, expression.integer(call.values()));
}

char upper_case(char letter) { return static_cast<char>(letter & ~0x20); }

bool is_flag(const Call& call, int index, char letter) {
  return index >= 0 && upper_case(call.flag(static_cast<std::size_t>(index))) == letter;
}

std::uintptr_t moved(std::uintptr_t address, std::int64_t bytes) { return address + static_cast<std::uintptr_t>(bytes); }

/// Returns the leading dimension or increment of an operand; an operand without one is contiguous.
std::int64_t stride_of(const Call& call, const Argument& argument, std::int64_t rows) {
  if (argument.stride >= 0) {
    return call.arguments[static_cast<std::size_t>(argument.stride)];
  }
  return argument.form == Form::vector ? 1 : rows;
}

void add(Operand& operand, const Region& region) {
  if (!region.empty()) {
    operand.parts.push_back(region);
  }
}

void add_triangle(Operand& operand, std::uintptr_t address, std::int64_t n, char uplo, bool strict, std::int64_t ld, std::int64_t bytes) {
  const bool lower = uplo == 'L' || uplo == 'B';  // B: the factor T of backward reflectors
  add(operand, lower ? lower_trapezoid(address, n, n, ld, bytes, strict) : upper_triangle(address, n, ld, bytes, strict));
}

/// Adds the part of a rows x columns matrix on and above (U, P) or on and below (L, Q) its diagonal; the whole matrix for other letters.
void add_trapezoid(Operand& operand, std::uintptr_t address, std::int64_t rows, std::int64_t columns, char uplo, std::int64_t ld,
                   std::int64_t bytes) {
  if (uplo == 'L' || uplo == 'Q') {
    add(operand, lower_trapezoid(address, rows, columns, ld, bytes));
  } else if (uplo == 'U' || uplo == 'P') {
    const std::int64_t order = std::min(rows, columns);
    add(operand, upper_triangle(address, order, ld, bytes));
    add(operand, rectangle(moved(address, order * ld * bytes), rows, columns - order, ld, bytes));
  } else {
    add(operand, rectangle(address, rows, columns, ld, bytes));
  }
}

/// Adds the part on and above or below the diagonal that ends in the last corner of a rows x columns matrix.
void add_end_trapezoid(Operand& operand, std::uintptr_t address, std::int64_t rows, std::int64_t columns, char uplo, std::int64_t ld,
                       std::int64_t bytes) {
  const std::int64_t order = std::min(rows, columns);
  if (uplo == 'L') {
    add(operand, rectangle(address, rows, columns - order, ld, bytes));
    add(operand, lower_trapezoid(moved(address, ((columns - order) * ld + rows - order) * bytes), order, order, ld, bytes));
  } else {
    add(operand, rectangle(address, rows - order, columns, ld, bytes));
    add(operand, upper_triangle(moved(address, ((columns - order) * ld + rows - order) * bytes), order, ld, bytes));
  }
}

/// Adds the first column below row `first`, then `complete` whole columns, then the other columns below row `first`.
void add_hessenberg(Operand& operand, std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t first,
                    std::int64_t complete, std::int64_t ld, std::int64_t bytes) {
  add(operand, rectangle(moved(address, first * bytes), rows - first, std::min<std::int64_t>(columns, 1), ld, bytes));
  add(operand, rectangle(moved(address, ld * bytes), rows, complete, ld, bytes));
  const std::int64_t before = complete + 1;
  add(operand, rectangle(moved(address, (before * ld + first) * bytes), rows - first, columns - before, ld, bytes));
}

void add_reflectors(Operand& operand, const Argument& argument, const Call& call, std::uintptr_t address, std::int64_t length,
                    std::int64_t count, std::int64_t ld, std::int64_t bytes) {
  const bool columnwise = !is_flag(call, argument.storev, 'R');
  const bool forward = !is_flag(call, argument.direct, 'B');
  count = std::min(count, length);
  const std::int64_t rest = length - count;
  if (columnwise && forward) {  // unit lower trapezoid
    add(operand, lower_trapezoid(address, length, count, ld, bytes, true));
  } else if (columnwise) {  // rest x count, then a unit upper triangle
    add(operand, rectangle(address, rest, count, ld, bytes));
    add(operand, upper_triangle(moved(address, rest * bytes), count, ld, bytes, true));
  } else if (forward) {  // unit upper triangle, then count x rest
    add(operand, upper_triangle(address, count, ld, bytes, true));
    add(operand, rectangle(moved(address, count * ld * bytes), count, rest, ld, bytes));
  } else {  // count x rest, then a unit lower triangle
    add(operand, rectangle(address, count, rest, ld, bytes));
    add(operand, lower_trapezoid(moved(address, rest * ld * bytes), count, count, ld, bytes, true));
  }
}

/// Adds a band matrix. Column j has the rows max(0, j-upper) ... min(rows-1, j+lower), with row i at row upper+i-j of the storage. The band
/// consists of a wedge on the left (j < upper), full columns, and a wedge on the right, each of which is one region.
void add_band(Operand& operand, std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t lower, std::int64_t upper,
              std::int64_t ld, std::int64_t bytes) {
  columns = std::min(columns, rows + upper);
  if (rows <= 0 || columns <= 0 || lower + upper < 0) {
    return;
  }
  lower = std::min(lower, rows - 1);
  const std::int64_t band = lower + upper + 1;
  const std::int64_t left = std::min(upper, columns);                             // columns cut at the top
  const std::int64_t right = std::clamp<std::int64_t>(rows - lower, 0, columns);  // first column cut at the bottom
  const auto at = [&](std::int64_t column, std::int64_t row) { return moved(address, (column * ld + row) * bytes); };
  const auto piece = [&](std::int64_t from, std::int64_t to) {
    if (from >= to) {
      return;
    }
    const bool top = from < left;       // starts at row upper-j: one row earlier per column
    const bool bottom = from >= right;  // ends at row upper+rows-j: one row earlier per column
    const std::int64_t first = top ? upper - from : 0;
    const std::int64_t end = bottom ? upper + rows - from : band;
    add(operand,
        {at(from, first), (end - first) * bytes, to - from, (ld - (top ? 1 : 0)) * bytes, ((top ? 1 : 0) - (bottom ? 1 : 0)) * bytes});
  };
  const std::int64_t first_cut = std::min(left, right);
  const std::int64_t second_cut = std::max(left, right);
  piece(0, first_cut);
  piece(first_cut, std::min(second_cut, columns));
  piece(std::min(second_cut, columns), columns);
}

/// Adds a triangle of a band matrix. A strict lower triangle is the band of the matrix without its first row and last column, a strict
/// upper one that of the matrix without its first column and last row.
void add_band_triangle(Operand& operand, std::uintptr_t address, std::int64_t n, std::int64_t off_diagonals, char uplo, bool strict,
                       std::int64_t ld, std::int64_t bytes) {
  const std::int64_t less = strict ? 1 : 0;
  if (uplo == 'L') {
    add_band(operand, moved(address, less * bytes), n - less, n - less, off_diagonals - less, 0, ld, bytes);
  } else {
    add_band(operand, moved(address, less * ld * bytes), n - less, n - less, 0, off_diagonals - less, ld, bytes);
  }
}

/// Returns the argument's rows. A workspace is touched as far as it suffices for the routine, however much longer the program has made it.
std::int64_t touched_rows(const Call& call, std::size_t index) {
  const std::vector<Argument>& arguments = call.routine->arguments;
  const std::int64_t rows = extent(arguments[index].rows, call);
  const bool has_size = arguments[index].kind == Kind::work && index + 1 < arguments.size() && arguments[index + 1].kind == Kind::work_size;
  return has_size ? std::min(rows, extent(arguments[index + 1].rows, call, rows)) : rows;
}

Operand operand_of(const Call& call, std::size_t index) {
  const Argument& argument = call.routine->arguments[index];
  Operand operand;
  operand.argument = static_cast<std::uint8_t>(index);
  operand.access = argument.access;
  const std::int64_t bytes = argument_element_bytes(call, index);
  const std::int64_t rows = touched_rows(call, index);
  const std::int64_t columns = extent(argument.columns, call);
  const std::int64_t offset = extent(argument.offset, call, 0);
  const std::int64_t stride = stride_of(call, argument, rows);
  const std::int64_t before =
      (extent(argument.column_offset, call, 0) * stride + offset * (argument.form == Form::vector ? std::abs(stride) : 1)) * bytes;
  const std::uintptr_t address = moved(call.address(index), before);
  const char uplo = argument.uplo >= 0 ? upper_case(call.flag(static_cast<std::size_t>(argument.uplo))) : argument.fixed_uplo;
  const bool strict = is_flag(call, argument.diag, 'U');
  switch (argument.form) {
    case Form::scalar: add(operand, {address, bytes, 1, bytes, 0}); break;
    case Form::vector: add(operand, strided_vector(address, rows, stride, bytes)); break;
    case Form::full: add(operand, rectangle(address, rows, columns, stride, bytes)); break;
    case Form::triangle: add_triangle(operand, address, rows, uplo, strict, stride, bytes); break;
    case Form::trapezoid: add_trapezoid(operand, address, rows, columns, uplo, stride, bytes); break;
    case Form::end_trapezoid: add_end_trapezoid(operand, address, rows, columns, uplo, stride, bytes); break;
    case Form::hessenberg:
      add_hessenberg(operand, address, rows, columns, extent(argument.lower, call), extent(argument.upper, call), stride, bytes);
      break;
    case Form::packed: add(operand, strided_vector(address, rows * (rows + 1) / 2, 1, bytes)); break;
    case Form::band:
      add_band(operand, address, rows, columns, extent(argument.lower, call), extent(argument.upper, call), stride, bytes);
      break;
    case Form::band_triangle: add_band_triangle(operand, address, rows, extent(argument.upper, call), uplo, strict, stride, bytes); break;
    case Form::reflectors: add_reflectors(operand, argument, call, address, rows, columns, stride, bytes); break;
  }
  return operand;
}

}  // namespace

bool is_operand(const Argument& argument) {
  return argument.kind == Kind::data || argument.kind == Kind::work || argument.kind == Kind::pivots;
}

bool has_integers(const Argument& argument) { return argument.kind == Kind::pivots || argument.integer; }

std::int64_t argument_element_bytes(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  if (has_integers(argument)) {
    return call.integer_bytes;
  }
  return argument.real ? real_bytes(call.routine->precision) : element_bytes(call.routine->precision);
}

Operands operands(const Call& call) {
  Operands all;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      all.push_back(operand_of(call, i));
    }
  }
  return all;
}

std::int64_t footprint_bytes(const Call& call) {
  std::int64_t sum = 0;
  for (const Operand& operand : operands(call)) {
    sum += operand.bytes();
  }
  return sum;
}

double flops(const Call& call) {
  const bool complex = is_complex(call.routine->precision);
  const double multiplications = call.routine->multiplications.value(call.values());
  const double additions = call.routine->additions.value(call.values());
  return std::max(0.0, multiplications) * (complex ? 6 : 1) + std::max(0.0, additions) * (complex ? 2 : 1);
}

InlineVector<std::int64_t, 6> sizes(const Call& call) {
  InlineVector<std::int64_t, 6> all;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::size) {
      all.push_back(call.arguments[i]);
    }
  }
  return all;
}

std::string flags(const Call& call) {
  std::string all;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::flag) {
      all.push_back(call.flag(i));
    } else if (kind == Kind::sign) {
      const bool digits = call.routine->arguments[i].values != "+-";
      all.push_back(digits ? static_cast<char>('0' + call.arguments[i] % 10) : call.arguments[i] < 0 ? '-' : '+');
    }
  }
  return all;
}

std::int64_t span_elements(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  const std::int64_t rows = extent(argument.rows, call);
  const std::int64_t before = extent(argument.column_offset, call, 0);
  const std::int64_t columns = extent(argument.columns, call) + before;
  const std::int64_t stride = stride_of(call, argument, rows);
  switch (argument.form) {
    case Form::scalar: return 1;
    case Form::vector: return rows <= 0 ? 0 : 1 + (extent(argument.offset, call, 0) + rows - 1) * std::abs(stride);
    case Form::packed: return rows * (rows + 1) / 2;
    case Form::full:
    case Form::trapezoid:
    case Form::end_trapezoid:
    case Form::hessenberg:
    case Form::band: return columns * stride;
    case Form::triangle:
    case Form::band_triangle: return (rows + before) * stride;
    case Form::reflectors: return is_flag(call, argument.storev, 'R') ? rows * stride : columns * stride;
  }
  return 0;
}

namespace {

/// Returns true if an operand spans and holds no more than max_operand_bytes, estimated from above in numbers that don't overflow.
bool is_addressable(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  const auto of = [&call](const ArgumentFormula& expression, double otherwise) {
    return expression.empty() ? otherwise : std::max(0.0, expression.value(call.values()));
  };
  const double rows = of(argument.rows, 1);
  const double columns = of(argument.columns, 1);
  const double before = of(argument.column_offset, 0) + of(argument.offset, 0);
  const double band = of(argument.lower, 0) + of(argument.upper, 0);
  const double stride = argument.stride >= 0 ? std::abs(static_cast<double>(call.arguments[static_cast<std::size_t>(argument.stride)])) : 1;
  double held = rows * columns;
  switch (argument.form) {
    case Form::scalar:
    case Form::vector: held = rows; break;
    case Form::triangle:
    case Form::packed: held = rows * rows; break;
    case Form::band:
    case Form::band_triangle: held = std::max(rows, columns) * (band + 1); break;
    default: break;
  }
  const double spanned = (rows + columns + before + band) * std::max(stride, 1.0);
  return std::max(held, spanned) * static_cast<double>(argument_element_bytes(call, i)) <= static_cast<double>(max_operand_bytes) &&
         call.address(i) < std::numeric_limits<std::uintptr_t>::max() - 2 * static_cast<std::uintptr_t>(max_operand_bytes);
}

/// Returns true if a column of an operand reaches into the next one.
bool columns_overlap(const Operand& operand) {
  return std::any_of(operand.parts.begin(), operand.parts.end(), [](const Region& part) {
    const std::int64_t longest = std::max(part.column_bytes, part.column_bytes + (part.columns - 2) * part.growth_bytes);
    return part.columns > 1 && longest > part.stride_bytes;
  });
}

std::string fault_of_value(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  const std::int64_t value = call.arguments[i];
  switch (argument.kind) {
    case Kind::flag:
      if (value <= ' ' || value > '~') {
        return fmt::format("{} is no letter", argument.name);
      }
      break;
    case Kind::size:
    case Kind::leading_dimension:
      if (value < 0 || value > max_operand_bytes) {
        return fmt::format("{} is {}", argument.name, value);
      }
      break;
    case Kind::data:
    case Kind::work:
    case Kind::pivots:
    case Kind::info:
    case Kind::scalar:
    case Kind::real_scalar: break;
    default:
      if (value < -max_operand_bytes || value > max_operand_bytes) {
        return fmt::format("{} is {}", argument.name, value);
      }
  }
  return "";
}

}  // namespace

std::string fault_of(const Call& call) {
  const std::vector<Argument>& arguments = call.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string fault = fault_of_value(call, i); !fault.empty()) {
      return fault;
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_operand(arguments[i]) && !is_addressable(call, i)) {
      return fmt::format("{} spans more than can be addressed", arguments[i].name);
    }
  }
  for (const Operand& operand : operands(call)) {
    if (columns_overlap(operand)) {
      return fmt::format("columns of {} overlap", arguments[operand.argument].name);
    }
  }
  return "";
}

std::string to_string(const Call& call) {
  std::string text = call.routine->name + "(";
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    text += i > 0 ? ", " : "";
    switch (call.routine->arguments[i].kind) {
      case Kind::flag: text += call.flag(i); break;
      case Kind::scalar:
      case Kind::real_scalar: {
        const std::complex<double> value = call.scalars[static_cast<std::size_t>(call.arguments[i])];
        text += value.imag() == 0 ? fmt::format("{}", value.real()) : fmt::format("({},{})", value.real(), value.imag());
        break;
      }
      case Kind::data:
      case Kind::work:
      case Kind::pivots:
      case Kind::info: text += fmt::format("{:#x}", call.address(i)); break;
      default: text += fmt::format("{}", call.arguments[i]);
    }
  }
  return text + ")";
}

}  // namespace flopcast
