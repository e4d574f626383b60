#include "flopcast/kernel/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <random>
#include <string_view>

#include "flopcast/core/work_size.hpp"

namespace flopcast::kernel {
namespace {

// Two primes, so that the pair of tables repeats after 67 million numbers only.
constexpr std::size_t table_size = 8191;
constexpr std::size_t sign_table_size = 8179;

/// Random numbers, uniform in [-1, 1] and odd multiples of 2^-23. None is zero, and products of a few of them are far from denormal even in
/// single precision.
template <class Real>
const std::array<Real, table_size>& random_table() {
  static const std::array<Real, table_size> table = [] {
    std::array<Real, table_size> values{};
    std::minstd_rand generator(1);
    for (Real& value : values) {
      value = static_cast<Real>(std::ldexp(2.0 * static_cast<double>(generator() >> 8U) + 1.0, -23) - 1.0);
    }
    return values;
  }();
  return table;
}

/// Random signs with another period than the table of numbers. Thus no two columns of a matrix are alike, although the table of numbers
/// repeats.
template <class Real>
const std::array<Real, sign_table_size>& sign_table() {
  static const std::array<Real, sign_table_size> table = [] {
    std::array<Real, sign_table_size> values{};
    std::minstd_rand generator(2);
    for (Real& value : values) {
      value = (generator() >> 8U & 1U) != 0 ? Real{1} : Real{-1};
    }
    return values;
  }();
  return table;
}

/// An endless sequence of random numbers, as fast as memory.
template <class Real>
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : at_(seed % table_size), sign_at_(seed % sign_table_size) {}

  void write(Real* target, std::size_t count, Real scale) {
    while (count > 0) {
      const std::size_t some = std::min({count, table_size - at_, sign_table_size - sign_at_});
      const Real* source = random_table<Real>().data() + at_;
      std::transform(source, source + some, sign_table<Real>().data() + sign_at_, target,
                     [scale](Real value, Real sign) { return scale * sign * value; });
      target += some;
      count -= some;
      at_ = (at_ + some) % table_size;
      sign_at_ = (sign_at_ + some) % sign_table_size;
    }
  }

 private:
  std::size_t at_, sign_at_;
};

template <class T>
T* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

template <class Visitor>
void for_each_run(const Operand& operand, Visitor visit) {
  for (const Region& part : operand.parts) {
    for (std::int64_t j = 0; j < part.columns; ++j) {
      const std::int64_t bytes = part.column_bytes + j * part.growth_bytes;
      if (bytes > 0) {
        visit(part.address + static_cast<std::uintptr_t>(j * part.stride_bytes), bytes);
      }
    }
  }
}

/// Returns the order of the diagonal of a matrix operand within the footprint; 0 for vectors and for a unit diagonal, which isn't touched.
std::int64_t diagonal_length(const Call& call, const Argument& argument) {
  const bool unit = argument.diag >= 0 && call.flag(static_cast<std::size_t>(argument.diag)) == 'U';
  if (unit || argument.form == Form::scalar || argument.form == Form::vector || argument.form == Form::reflectors ||
      argument.form == Form::hessenberg) {
    return 0;
  }
  const std::int64_t rows = argument.rows.integer(call.values());
  return argument.columns.empty() ? rows : std::min(rows, argument.columns.integer(call.values()));
}

bool is_one_triangle(Form form) { return form == Form::triangle || form == Form::packed || form == Form::band_triangle; }

/// Sets the place of the diagonal of an operand with `rows` rows.
void set_diagonal(FillPattern& pattern, const Call& call, const Argument& argument, std::int64_t rows) {
  const char uplo = argument.uplo >= 0 ? call.flag(static_cast<std::size_t>(argument.uplo)) : argument.fixed_uplo;
  const std::int64_t ld = argument.stride >= 0 ? call.arguments[static_cast<std::size_t>(argument.stride)] : rows;
  pattern.count = diagonal_length(call, argument);
  switch (argument.form) {
    case Form::packed:
      pattern.step = uplo == 'L' ? rows : 2;
      pattern.growth = uplo == 'L' ? -1 : 1;
      break;
    case Form::band_triangle:
      pattern.first = uplo == 'L' ? 0 : argument.upper.integer(call.values());
      pattern.step = ld;
      break;
    case Form::band:
      pattern.first = argument.upper.integer(call.values());
      pattern.step = ld;
      break;
    default: pattern.step = ld + 1;
  }
}

/// Sets the places of all elements of a scalar or a vector.
void set_all(FillPattern& pattern, const Call& call, const Operand& operand) {
  const std::int64_t element = argument_element_bytes(call, operand.argument);
  for (const Region& part : operand.parts) {
    pattern.first = static_cast<std::int64_t>(part.address - call.address(operand.argument)) / element;
    pattern.step = part.columns == 1 ? 1 : part.stride_bytes / element;
    pattern.count = part.bytes() / element;
  }
}

/// Returns a step near the golden section of `order` and coprime to `order`.
std::int64_t coprime_step(std::int64_t order) {
  constexpr double golden_section = 0.618;
  auto step = std::max<std::int64_t>(1, std::llround(golden_section * static_cast<double>(order)));
  while (std::gcd(step, order) > 1) {
    ++step;
  }
  return step;
}

/// Sets the largest random number and the value of the diagonal.
void set_values(FillPattern& pattern, const Argument& argument, std::int64_t rows) {
  const double order = static_cast<double>(std::max<std::int64_t>(rows, 1));
  const double small = 1.0 / (16.0 * order);
  const auto set = [&pattern](double scale, double value) {
    pattern.scale = scale;
    pattern.value = value;
  };
  switch (argument.fill) {
    case Fill::random: break;
    case Fill::triangular:
    case Fill::permuted:
    case Fill::schur: set(small, 1); break;
    case Fill::schur_apart: set(small, 3); break;
    // The diagonal is so large that the operand stays definite when earlier kernels have subtracted rank-k updates by operands that grew in
    // rank-k updates themselves.
    case Fill::definite: set(1, 0x1p32 + 2.0 * order); break;
    case Fill::reflectors: set(small, 0); break;
    case Fill::factors: set(small, 2); break;
    case Fill::zero: set(0, 0); break;
  }
}

/// Fills one operand with numbers of type `Real`.
template <class Real>
class Filler {
 public:
  Filler(const Call& call, const Operand& operand, const FillPattern& pattern)
      : call_(call), operand_(operand), pattern_(pattern), reals_per_element_(argument_element_bytes(call, operand.argument) / real_size) {}

  void fill(std::uint64_t seed) {
    RandomStream<Real> random(seed);
    for_each_run(operand_, [&](std::uintptr_t address, std::int64_t bytes) {
      random.write(pointer_to<Real>(address), static_cast<std::size_t>(bytes / real_size), static_cast<Real>(pattern_.scale));
    });
    for (std::int64_t i = 0; i < pattern_.count; ++i) {
      const std::int64_t element = pattern_.first + i * pattern_.step + pattern_.growth * i * (i - 1) / 2;
      for (std::int64_t j = i + 1; pattern_.other != 0 && j < pattern_.count; ++j) {
        set(element + (j - i) * (pattern_.other == 'L' ? 1 : pattern_.step - 1), pattern_.other_value);
      }
      set(pattern_.row_step != 0 ? element + (i + 1) * pattern_.row_step % pattern_.count - i : element, pattern_.value);
    }
  }

 private:
  static constexpr auto real_size = static_cast<std::int64_t>(sizeof(Real));

  void set(std::int64_t element, double value) {
    Real* const target = pointer_to<Real>(call_.address(operand_.argument)) + element * reals_per_element_;
    std::fill_n(target, reals_per_element_, Real{0});
    *target = static_cast<Real>(value);
  }

  const Call& call_;
  const Operand& operand_;
  FillPattern pattern_;
  std::int64_t reals_per_element_;
};

/// Writes integer number `i` of those at `address`.
void write_integer(const Call& call, std::uintptr_t address, std::int64_t i, std::int64_t value) {
  if (call.integer_bytes == 8) {
    pointer_to<std::int64_t>(address)[i] = value;
  } else {
    pointer_to<std::int32_t>(address)[i] = static_cast<std::int32_t>(value);
  }
}

/// Row offset+i is swapped with one of itself and those after it, up to the last.
void fill_pivots(const Call& call, const Operand& operand, std::uint64_t seed) {
  const Argument& argument = call.routine->arguments[operand.argument];
  const std::int64_t count = operand.bytes() / call.integer_bytes;
  const std::int64_t offset = argument.offset.empty() ? 0 : argument.offset.integer(call.values());
  std::minstd_rand generator(static_cast<std::minstd_rand::result_type>(seed % 2147483646 + 1));
  for (std::int64_t i = 0; i < count; ++i) {
    write_integer(call, call.address(operand.argument), offset + i, offset + i + 1 + static_cast<std::int64_t>(generator()) % (count - i));
  }
}

/// Fills an array of integers that steer the routine, such as jpvt.
void fill_integers(const Call& call, const Operand& operand) {
  const FillPattern pattern = fill_pattern(call, operand);
  for (std::int64_t i = 0; i < pattern.count; ++i) {
    write_integer(call, call.address(operand.argument), pattern.first + i * pattern.step,
                  static_cast<std::int64_t>(pattern.value) + i * static_cast<std::int64_t>(pattern.increase));
  }
}

void write_number(const Call& call, std::size_t argument, std::uintptr_t address, double value) {
  if (call.routine->arguments[argument].integer) {
    write_integer(call, address, 0, static_cast<std::int64_t>(value));
    return;
  }
  const bool single = real_bytes(call.routine->precision) == 4;
  std::memset(pointer_to<char>(address), 0, static_cast<std::size_t>(argument_element_bytes(call, argument)));
  single ? void(*pointer_to<float>(address) = static_cast<float>(value)) : void(*pointer_to<double>(address) = value);
}

/// Rounds `value` up or down, depending on the sizes of the call, so that the mean over many sizes is `value`.
double dithered(const Call& call, double value) {
  std::uint64_t hash = 0;
  for (const std::int64_t size : sizes(call)) {
    hash = (hash ^ static_cast<std::uint64_t>(size)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return std::floor(value + std::ldexp(static_cast<double>(hash >> 11U), -53));
}

void skip_operand(const Call& call, const Operand& operand) {
  const Argument& argument = call.routine->arguments[operand.argument];
  if (argument.kind == Kind::pivots && argument.access == Access::write) {
    const std::int64_t offset = argument.offset.empty() ? 0 : argument.offset.integer(call.values());
    for (std::int64_t i = offset; i < offset + operand.bytes() / call.integer_bytes; ++i) {
      write_integer(call, call.address(operand.argument), i, i + 1);
    }
  } else if (!argument.skipped.empty()) {
    const double formula = argument.skipped.value(call.values());
    const double value = argument.integer ? dithered(call, formula) : formula;
    const std::int64_t element = argument_element_bytes(call, operand.argument);
    for_each_run(operand, [&](std::uintptr_t address, std::int64_t bytes) {
      for (std::int64_t at = 0; at < bytes; at += element) {
        write_number(call, operand.argument, address + static_cast<std::uintptr_t>(at), value);
      }
    });
  }
}

}  // namespace

FillPattern fill_pattern(const Call& call, const Operand& operand) {
  const Argument& argument = call.routine->arguments[operand.argument];
  FillPattern pattern;
  if (argument.integer) {
    set_all(pattern, call, operand);
    pattern.value = pattern.increase = argument.fill == Fill::zero ? 0 : 1;  // columns in their order
    return pattern;
  }
  const std::int64_t rows = argument.rows.empty() ? 1 : argument.rows.integer(call.values());
  set_values(pattern, argument, rows);
  const bool complex = argument_element_bytes(call, operand.argument) == 2 * real_bytes(call.routine->precision);
  if (pattern.value == 0 && complex && is_one_triangle(argument.form) && argument.fill == Fill::random) {
    pattern.value = 0.5;  // the diagonal of a Hermitian matrix is real
  }
  if (pattern.value != 0) {
    argument.form == Form::scalar || argument.form == Form::vector ? set_all(pattern, call, operand)
                                                                   : set_diagonal(pattern, call, argument, rows);
  }
  pattern.row_step = argument.fill == Fill::permuted ? coprime_step(pattern.count) : 0;
  pattern.other = argument.fill == Fill::schur || argument.fill == Fill::schur_apart ? 'L' : 0;
  return pattern;
}

void fill(const Call& call, std::uint64_t seed) { fill(call, seed, fill_pattern); }

void fill(const Call& call, std::uint64_t seed, const PatternOf& pattern_of) {
  for (const Operand& operand : operands(call)) {
    const Argument& argument = call.routine->arguments[operand.argument];
    const std::uint64_t own_seed = operand_seed(seed, operand.argument);
    if (call.address(operand.argument) == 0 || argument.access == Access::write) {
      continue;
    }
    if (argument.kind == Kind::pivots) {
      fill_pivots(call, operand, own_seed);
    } else if (argument.integer) {
      fill_integers(call, operand);
    } else if (real_bytes(call.routine->precision) == 4) {
      Filler<float>(call, operand, pattern_of(call, operand)).fill(own_seed);
    } else {
      Filler<double>(call, operand, pattern_of(call, operand)).fill(own_seed);
    }
  }
}

Outcome skip(const Call& call) {
  for (const Operand& operand : operands(call)) {
    if (call.address(operand.argument) != 0) {
      skip_operand(call, operand);
    }
  }
  const std::vector<Argument>& arguments = call.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == Kind::info && call.address(i) != 0) {
      write_integer(call, call.address(i), 0, 0);
    } else if (arguments[i].kind == Kind::work_size && call.arguments[i] == -1 && call.address(i - 1) != 0) {
      const double elements = arguments[i].rows.value(call.values());
      const bool single = !arguments[i - 1].integer && real_bytes(call.routine->precision) == 4;
      write_number(call, i - 1, call.address(i - 1), single ? answer_for<float>(elements) : elements);
    }
  }
  Outcome outcome;
  if (call.routine->returns != Returns::nothing) {
    const bool index_into_nothing = call.routine->returns == Returns::integer && call.arguments[0] < 1;
    outcome.value = index_into_nothing ? 0 : 1;
  }
  return outcome;
}

bool decides(const Routine& routine) noexcept {
  return routine.returns != Returns::nothing ||
         std::any_of(routine.arguments.begin(), routine.arguments.end(), [](const Argument& a) { return a.kind == Kind::pivots; });
}

bool iterates(const Routine& routine) noexcept {
  static constexpr std::string_view families[] = {"geev",  "geevx", "gejsv", "gelsd", "gesdd", "gesvd", "heev",
                                                  "heevd", "heevr", "heevx", "syev",  "syevd", "syevr", "syevx"};
  return std::find(std::begin(families), std::end(families), routine.family) != std::end(families);
}

}  // namespace flopcast::kernel
