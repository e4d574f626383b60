#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"

namespace flopcast::algorithm {

using Arguments = std::map<std::string, std::int64_t>;
using Element = std::complex<double>;

constexpr std::int64_t orders[] = {0, 1, 2, 7, 16, 33, 50};

constexpr std::int64_t block_sizes[] = {1, 4, 7, 16, 64};

inline kernel::Function lookup(std::string_view routine) {
  static const machine::LibrarySet libraries = machine::LibrarySet::open("openblas-serial", "reference");
  return libraries.find(routine);
}

inline bool starts_with(const std::string& text, std::string_view beginning) { return text.compare(0, beginning.size(), beginning) == 0; }

/// A call with memory of its own. All of the memory is random, also beside triangles and below columns; operands are well conditioned.
class Problem {
 public:
  Problem(const Routine& routine, const Arguments& arguments, bool dominant = false) {
    call_.routine = &routine;
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      const Argument& argument = routine.arguments[i];
      const auto given = arguments.find(argument.name);
      call_.arguments[i] = given != arguments.end() ? given->second : argument.kind == Kind::work_size ? 64 * 64 + 64 * 50 : 0;
    }
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      if (routine.arguments[i].kind == Kind::leading_dimension) {
        call_.arguments[i] = kernel::min_leading_dimension(call_, i - 1) + 3;
      }
    }
    memory_.resize(routine.arguments.size());
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      const Kind kind = routine.arguments[i].kind;
      if (kind == Kind::data || kind == Kind::work || kind == Kind::pivots) {
        memory_[i].resize(static_cast<std::size_t>(span_elements(call_, i) * argument_element_bytes(call_, i)) / sizeof(double) + 1);
        call_.arguments[i] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory_[i].data()));
        kind == Kind::pivots ? fill_pivots(i) : fill(i, dominant);
      }
    }
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] const Call& call() const { return call_; }
  void by_lapack() { kernel::Invocation(lookup(call_.routine->name), call_).run(); }

  [[nodiscard]] Element get(std::size_t i, std::int64_t element) const {
    const auto parts = static_cast<std::size_t>(parts_of(i));
    const std::size_t at = static_cast<std::size_t>(element) * parts;
    return {real(i, at), parts == 2 ? real(i, at + 1) : 0};
  }
  void set(std::size_t i, std::int64_t element, Element value) {
    const auto parts = static_cast<std::size_t>(parts_of(i));
    const std::size_t at = static_cast<std::size_t>(element) * parts;
    set_real(i, at, value.real());
    if (parts == 2) {
      set_real(i, at + 1, value.imag());
    }
  }
  [[nodiscard]] std::int64_t elements(std::size_t i) const { return memory_[i].empty() ? 0 : span_elements(call_, i); }
  [[nodiscard]] std::int32_t pivot(std::size_t i, std::int64_t k) const {
    std::int32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(memory_[i].data()) + 4 * k, 4);
    return value;
  }

 private:
  [[nodiscard]] bool is_single() const { return real_bytes(call_.routine->precision) == 4; }
  [[nodiscard]] std::int64_t parts_of(std::size_t i) const {
    return argument_element_bytes(call_, i) / real_bytes(call_.routine->precision);
  }
  [[nodiscard]] double real(std::size_t i, std::size_t k) const {
    return is_single() ? reinterpret_cast<const float*>(memory_[i].data())[k] : memory_[i][k];
  }
  void set_real(std::size_t i, std::size_t k, double value) {
    is_single() ? void(reinterpret_cast<float*>(memory_[i].data())[k] = static_cast<float>(value)) : void(memory_[i][k] = value);
  }
  double random() { return std::uniform_real_distribution<double>(-1, 1)(generator_); }

  void fill(std::size_t i, bool dominant) {
    const Argument& argument = call_.routine->arguments[i];
    const bool is_matrix = argument.stride >= 0;
    const std::int64_t ld = is_matrix ? call_.arguments[static_cast<std::size_t>(argument.stride)] : 0;
    const std::int64_t rows = argument.rows.empty() ? 1 : argument.rows.integer(call_.values());
    const std::int64_t columns = argument.columns.empty() ? rows : argument.columns.integer(call_.values());
    const double root = std::sqrt(static_cast<double>(std::max<std::int64_t>(rows, 1)));
    const bool full_scale = argument.fill == Fill::definite || argument.fill == Fill::random;
    for (std::int64_t k = 0; k < elements(i); ++k) {
      set(i, k, (full_scale ? 1 : 0.5 / root) * Element(random(), random()));
    }
    if (!is_matrix || argument.kind != Kind::data) {
      return;
    }
    for (std::int64_t k = 0; k < std::min(rows, columns); ++k) {
      const double between_1_and_2 = 1.5 + 0.5 * random();
      const std::int64_t on_diagonal = k * (ld + 1);
      switch (argument.fill) {
        case Fill::definite: set(i, on_diagonal, 3 * root + 2); break;
        case Fill::schur: set(i, on_diagonal, between_1_and_2); break;
        case Fill::schur_apart: set(i, on_diagonal, 2 + between_1_and_2); break;
        case Fill::triangular: set(i, on_diagonal, between_1_and_2); break;
        default:
          if (argument.form == Form::triangle) {  // Hermitian operand
            set(i, on_diagonal, random());
          } else {  // large elements on the diagonal, or at positions where each row is swapped with another
            const std::int64_t row = dominant ? k : (k + 1) % std::min(rows, columns);
            set(i, row + k * ld, 4 * root);
          }
      }
    }
    if (argument.fill == Fill::schur || argument.fill == Fill::schur_apart) {
      make_schur_form(i, rows, ld);
    }
  }
  /// Sets zeros below the diagonal, in real precisions except for some 2 x 2 blocks with complex eigenvalues.
  void make_schur_form(std::size_t i, std::int64_t n, std::int64_t ld) {
    for (std::int64_t column = 0; column < n; ++column) {
      for (std::int64_t row = column + 1; row < n; ++row) {
        set(i, row + column * ld, 0);
      }
    }
    for (std::int64_t k = 0; !is_complex(call_.routine->precision) && k + 1 < n; k += random() < 0 ? 2 : 3) {
      set(i, (k + 1) * (ld + 1), get(i, k * (ld + 1)));
      set(i, k + (k + 1) * ld, 0.5);
      set(i, k + 1 + k * ld, -0.25);
    }
  }
  void fill_pivots(std::size_t i) {
    const std::int64_t n = span_elements(call_, i);
    for (std::int64_t k = 0; k < n; ++k) {
      const auto row = static_cast<std::int32_t>(k + 1 + (k * 7) % (n - k));
      std::memcpy(reinterpret_cast<char*>(memory_[i].data()) + 4 * k, &row, 4);
    }
  }

  Call call_;
  std::vector<std::vector<double>> memory_;
  std::mt19937 generator_{5};
};

/// Expects equal data operands, except for rounding, also outside of the routine's outputs.
inline void expect_equal(const Problem& found, const Problem& expected, const std::string& what) {
  const Routine& routine = *found.call().routine;
  const double epsilon =
      real_bytes(routine.precision) == 4 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Kind kind = routine.arguments[i].kind;
    for (std::int64_t k = 0; kind == Kind::pivots && k < expected.elements(i); ++k) {
      ASSERT_EQ(found.pivot(i, k), expected.pivot(i, k)) << what << ": pivot " << k;
    }
    double largest = 1;
    for (std::int64_t k = 0; kind == Kind::data && k < expected.elements(i); ++k) {
      largest = std::max(largest, std::abs(expected.get(i, k)));
    }
    for (std::int64_t k = 0; kind == Kind::data && k < expected.elements(i); ++k) {
      ASSERT_LE(std::abs(found.get(i, k) - expected.get(i, k)), 300 * epsilon * largest)
          << what << ": element " << k << " of " << routine.arguments[i].name << " is " << found.get(i, k) << ", expected "
          << expected.get(i, k);
    }
  }
}

inline std::string text(const Call& call, const Algorithm& algorithm, std::int64_t nb) {
  return kernel::format_call(call) + " by " + algorithm.variant + ", nb " + std::to_string(nb);
}

/// Checks that every variant of `routine` with every block size has LAPACK's result.
inline void check(const Routine& routine, const Arguments& arguments) {
  Problem expected(routine, arguments);
  expected.by_lapack();
  for (const Algorithm* algorithm : variants(routine)) {
    if (starts_with(algorithm->variant, "nopivot")) {
      continue;
    }
    for (const std::int64_t nb : block_sizes) {
      Problem found(routine, arguments);
      ASSERT_EQ(execute(found.call(), {.nb = nb, .nbmin = 2, .nx = 0}, lookup, *algorithm), 0) << text(found.call(), *algorithm, nb);
      ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected, text(found.call(), *algorithm, nb)));
    }
  }
}

inline const Routine& routine_of(Precision precision, const std::string& family) {
  return kernel::require(static_cast<char>(precision) + family);
}

class Variants : public testing::TestWithParam<Precision> {
 protected:
  [[nodiscard]] const Routine& routine(const std::string& family) const { return routine_of(GetParam(), family); }
  [[nodiscard]] char adjoint() const { return is_complex(GetParam()) ? 'C' : 'T'; }
};

}  // namespace flopcast::algorithm
