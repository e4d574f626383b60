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

/// Returns the number of elements from the operand's address to diagonal element i.
std::int64_t diagonal_offset(const Call& call, const Argument& argument, std::int64_t n, std::int64_t i) {
  const char uplo = argument.uplo >= 0 ? call.flag(static_cast<std::size_t>(argument.uplo)) : argument.fixed_uplo;
  const std::int64_t ld = argument.stride >= 0 ? call.arguments[static_cast<std::size_t>(argument.stride)] : n;
  switch (argument.form) {
    case Form::packed: return uplo == 'L' ? i * n - i * (i - 1) / 2 : i * (i + 3) / 2;
    case Form::band_triangle: return i * ld + (uplo == 'L' ? 0 : argument.upper.integer(call.values()));
    case Form::band: return i * ld + argument.upper.integer(call.values());
    default: return i * (ld + 1);
  }
}

/// Diagonal of an operand, and scale of its other elements.
struct Values {
  double scale = 1;
  double diagonal = 0;  ///< 0: the diagonal is random as the other elements
};

Values values_of(const Argument& argument, std::int64_t rows) {
  const double small = 1.0 / (16.0 * static_cast<double>(std::max<std::int64_t>(rows, 1)));
  switch (argument.fill) {
    case Fill::random: return {};
    case Fill::triangular: return {small, 1};
    case Fill::permuted: return {small, 0};
    case Fill::schur: return {small, 1};
    case Fill::schur_apart: return {small, 3};
    // The diagonal is so large that the operand stays definite when earlier kernels have subtracted rank-k updates by operands that grew in
    // rank-k updates themselves.
    case Fill::definite: return {1, 0x1p32 + 2.0 * static_cast<double>(std::max<std::int64_t>(rows, 1))};
    case Fill::reflectors: return {small, 0};
    case Fill::factors: return {small, 2};
    case Fill::zero: return {0, 0};
  }
  return {};
}

/// Fills one operand with numbers of type `Real`.
template <class Real>
class Filler {
 public:
  Filler(const Call& call, const Operand& operand)
      : call_(call),
        operand_(operand),
        argument_(call.routine->arguments[operand.argument]),
        rows_(argument_.rows.empty() ? 1 : argument_.rows.integer(call.values())),
        reals_per_element_(argument_element_bytes(call, operand.argument) / real_size) {}

  void fill(std::uint64_t seed) {
    const Values values = values_of(argument_, rows_);
    RandomStream<Real> random(seed);
    for_each_run(operand_, [&](std::uintptr_t address, std::int64_t bytes) {
      random.write(pointer_to<Real>(address), static_cast<std::size_t>(bytes / real_size), static_cast<Real>(values.scale));
    });
    if (argument_.fill == Fill::schur || argument_.fill == Fill::schur_apart) {
      clear_below_diagonal();
    }
    if (argument_.fill == Fill::permuted) {
      permute_diagonal();
    } else if (values.diagonal != 0) {
      argument_.form == Form::scalar || argument_.form == Form::vector ? set_all(values.diagonal) : set_diagonal(values.diagonal);
    } else if (reals_per_element_ == 2 && is_one_triangle(argument_.form) && argument_.fill == Fill::random) {
      set_diagonal(0.5);  // the diagonal of a Hermitian matrix is real
    }
  }

 private:
  static constexpr auto real_size = static_cast<std::int64_t>(sizeof(Real));

  void set(std::int64_t element, double value) {
    Real* const target = pointer_to<Real>(call_.address(operand_.argument)) + element * reals_per_element_;
    std::fill_n(target, reals_per_element_, Real{0});
    *target = static_cast<Real>(value);
  }
  void set_all(double value) {
    for_each_run(operand_, [&](std::uintptr_t address, std::int64_t bytes) {
      const auto first = static_cast<std::int64_t>(address - call_.address(operand_.argument)) / (reals_per_element_ * real_size);
      for (std::int64_t i = 0; i < bytes / (reals_per_element_ * real_size); ++i) {
        set(first + i, value);
      }
    });
  }
  void set_diagonal(double value) {
    const std::int64_t length = diagonal_length(call_, argument_);
    for (std::int64_t i = 0; i < length; ++i) {
      set(diagonal_offset(call_, argument_, rows_, i), value);
    }
  }
  /// Writes a 1 into every row and column of a square matrix, in the rows s, 2 s, ... of successive columns. The step s is near the golden
  /// section of the order and coprime to the order.
  void permute_diagonal() {
    constexpr double golden_section = 0.618;
    const std::int64_t length = diagonal_length(call_, argument_);
    auto step = std::max<std::int64_t>(1, std::llround(golden_section * static_cast<double>(length)));
    while (std::gcd(step, length) > 1) {
      ++step;
    }
    for (std::int64_t j = 0; j < length; ++j) {
      set(diagonal_offset(call_, argument_, rows_, j) + (j + 1) * step % length - j, 1);
    }
  }
  void clear_below_diagonal() {
    for (std::int64_t j = 0; j < rows_; ++j) {
      for (std::int64_t i = j + 1; i < rows_; ++i) {
        set(diagonal_offset(call_, argument_, rows_, j) + i - j, 0);
      }
    }
  }

  const Call& call_;
  const Operand& operand_;
  const Argument& argument_;
  std::int64_t rows_, reals_per_element_;
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

/// Fills an array of integers that steer the routine, such as jpvt, with 0 or 1.
void fill_integers(const Call& call, const Operand& operand) {
  const std::int64_t value = call.routine->arguments[operand.argument].fill == Fill::zero ? 0 : 1;
  for_each_run(operand, [&](std::uintptr_t address, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes / call.integer_bytes; ++i) {
      write_integer(call, address, i, value);
    }
  });
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

void fill(const Call& call, std::uint64_t seed) {
  for (const Operand& operand : operands(call)) {
    const Argument& argument = call.routine->arguments[operand.argument];
    const std::uint64_t own_seed = seed * 31 + std::uint64_t{977} * operand.argument;
    if (call.address(operand.argument) == 0 || argument.access == Access::write) {
      continue;
    }
    if (argument.kind == Kind::pivots) {
      fill_pivots(call, operand, own_seed);
    } else if (argument.integer) {
      fill_integers(call, operand);
    } else if (real_bytes(call.routine->precision) == 4) {
      Filler<float>(call, operand).fill(own_seed);
    } else {
      Filler<double>(call, operand).fill(own_seed);
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
  static constexpr std::string_view families[] = {"geev", "geevx", "gelsd", "gesdd", "gesvd", "heev", "heevd", "syev", "syevd", "syevr"};
  return std::find(std::begin(families), std::end(families), routine.family) != std::end(families);
}

}  // namespace flopcast::kernel
