#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/blas/real_libraries.hpp"
#include "tests/kernel/reference/arguments.hpp"
#include "tests/kernel/reference/cases.hpp"
#include "tests/kernel/reference/dense.hpp"

/// Parts shared by the tests of whole factorizations and drivers: a call whose operands are read by name before and after the call.
namespace flopcast::kernel {

using reference::Complex;
using reference::Dense;
using reference::dense;

/// One call with memory of its own, whose operands are read by name, before and after.
class Execution {
 public:
  Execution(const TestLibrary& library, const std::string& routine, const std::map<std::string, std::string>& arguments)
      : library_(library), call_(parse_call(require(routine), arguments)), memory_(call_) {
    reference::prepare(call_, 5);
  }
  void run() {
    Invocation invocation(library_.find(call_.routine->name), call_);
    invocation.run();
    ASSERT_EQ(invocation.outcome().info, 0) << format_call(call_);
  }
  [[nodiscard]] Complex element(const char* name, std::int64_t i, std::int64_t j = 0) const {
    const auto argument = static_cast<std::size_t>(call_.routine->index(name));
    const int stride = call_.routine->arguments[argument].stride;
    const std::int64_t ld = stride < 0 ? 0 : call_.arguments[static_cast<std::size_t>(stride)];
    return reference::element_in_memory(call_, argument, static_cast<std::size_t>(i + j * ld));
  }
  [[nodiscard]] Dense matrix(const char* name, std::int64_t m, std::int64_t n) const {
    return dense(m, n, [&](std::int64_t i, std::int64_t j) { return element(name, i, j); });
  }
  /// Returns the whole of a symmetric or Hermitian matrix of which one triangle is stored.
  [[nodiscard]] Dense symmetric(const char* name, std::int64_t n, bool lower, bool hermitian) const {
    return dense(n, n, [&](std::int64_t i, std::int64_t j) {
      const bool stored = lower ? i >= j : i <= j;
      return stored ? element(name, i, j) : hermitian ? std::conj(element(name, j, i)) : element(name, j, i);
    });
  }
  /// Writes a matrix, with the precision of the routine.
  void set(const char* name, const Dense& values) const {
    const auto argument = static_cast<std::size_t>(call_.routine->index(name));
    const std::int64_t ld = call_.arguments[static_cast<std::size_t>(call_.routine->arguments[argument].stride)];
    for (std::int64_t j = 0; j < values.columns; ++j) {
      for (std::int64_t i = 0; i < values.rows; ++i) {
        const std::uintptr_t base = call_.address(argument);
        switch (call_.routine->precision) {
          case Precision::s: reinterpret_cast<float*>(base)[i + j * ld] = static_cast<float>(values(i, j).real()); break;
          case Precision::d: reinterpret_cast<double*>(base)[i + j * ld] = values(i, j).real(); break;
          case Precision::c: reinterpret_cast<std::complex<float>*>(base)[i + j * ld] = std::complex<float>(values(i, j)); break;
          case Precision::z: reinterpret_cast<Complex*>(base)[i + j * ld] = values(i, j); break;
        }
      }
    }
  }
  /// Copies operand `name` of another execution.
  void take(const char* name, const Execution& from, const char* other) {
    const auto here = static_cast<std::size_t>(call_.routine->index(name)),
               there = static_cast<std::size_t>(from.call_.routine->index(other));
    for (const Operand& operand : operands(call_)) {
      if (operand.argument == here) {
        for (const Region& part : operand.parts) {
          for (std::int64_t j = 0; j < part.columns; ++j) {
            const std::uintptr_t target = part.address + static_cast<std::uintptr_t>(j * part.stride_bytes);
            const auto* source = reinterpret_cast<const char*>(from.call_.address(there) + (target - call_.address(here)));
            std::copy_n(source, part.column_bytes + j * part.growth_bytes, reinterpret_cast<char*>(target));
          }
        }
      }
    }
  }
  [[nodiscard]] const Call& call() const { return call_; }

 private:
  const TestLibrary& library_;
  Call call_;
  reference::GuardedMemory memory_;
};

inline void expect_equal(const Dense& a, const Dense& b, const Execution& made) {
  const bool single = real_bytes(made.call().routine->precision) == 4;
  const double epsilon = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double tolerance = 30 * epsilon * static_cast<double>(std::max<std::int64_t>(1, std::max(a.rows, a.columns)));
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns, b.columns);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_LE(std::abs(a.values[i] - b.values[i]), tolerance) << format_call(made.call()) << ": element " << i;
  }
}

struct Precise {
  const TestLibrary* library;
  char precision;
  [[nodiscard]] bool complex() const { return precision == 'c' || precision == 'z'; }
  /// Returns the name of a routine in this precision: "dsytrd" for "sytrd", "zhetrd" for "hetrd".
  [[nodiscard]] std::string name(const char* real_family, const char* complex_family) const {
    return precision + std::string(complex() ? complex_family : real_family);
  }
};
inline void PrintTo(const Precise& subject, std::ostream* stream) { *stream << subject.library->name() << "_" << subject.precision; }

/// Returns every library with a LAPACK, in every precision.
inline std::vector<Precise> every_precision() {
  std::vector<Precise> all;
  for (const TestLibrary& library : test_libraries()) {
    for (const char precision : {'s', 'd', 'c', 'z'}) {
      if (library.find("dgehrd") != nullptr) {
        all.push_back({&library, precision});
      }
    }
  }
  return all;
}

}  // namespace flopcast::kernel
