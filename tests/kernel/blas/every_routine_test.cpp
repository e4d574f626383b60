#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/blas/real_libraries.hpp"
#include "tests/kernel/reference/cases.hpp"
#include "tests/kernel/reference/families.hpp"

namespace flopcast::kernel {
namespace {

using reference::Arguments;
using reference::Extent;
using reference::GuardedMemory;

/// A routine of a library, e.g. reference's dgemm.
struct Subject {
  const TestLibrary* library;
  const Routine* routine;
};

/// Puts library and routine into the name of a test.
void PrintTo(const Subject& subject, std::ostream* stream) { *stream << subject.library->name() << "_" << subject.routine->name; }

std::vector<Subject> all_subjects() {
  std::vector<Subject> all;
  for (const TestLibrary& library : test_libraries()) {
    for (const Routine& routine : catalogue()) {
      if (library.name() == "reference" || library.find(routine.name) != nullptr) {
        all.push_back({&library, &routine});
      }
    }
  }
  return all;
}

class EveryRoutine : public testing::TestWithParam<Subject> {
 protected:
  const Routine& routine = *GetParam().routine;
};

INSTANTIATE_TEST_SUITE_P(Library, EveryRoutine, testing::ValuesIn(all_subjects()));
// Without any library there is nothing to test.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryRoutine);

/// Returns whether small differences in the matrix are amplified in the result: elements of a tridiagonal form depend strongly on those of
/// the matrix. reductions_test.cpp checks the backward error.
bool is_sensitive(const std::string& family) {
  return family == "sytd2" || family == "hetd2" || family == "sytrd" || family == "hetrd" || family == "latrd";
}

/// Returns the tolerance. For dsdot it is that of single precision, although the standard requires sums in double precision: OpenBLAS's
/// vector kernels add up 32 products before they widen the sum.
double tolerance(const Call& call) {
  const bool single = real_bytes(call.routine->precision) == 4;
  std::int64_t largest = 1;
  for (const std::int64_t size : sizes(call)) {
    largest = std::max(largest, size);
  }
  const double epsilon = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return 30 * epsilon * static_cast<double>(largest) * (is_sensitive(call.routine->family) ? 1000 : 1);
}

/// Expects the value of every element that the plain algorithm writes.
void expect_results(const Call& call, const Arguments& expected, const GuardedMemory& memory) {
  for (const GuardedMemory::Block& block : memory.blocks()) {
    const reference::Array& array = expected.array(block.argument);
    double scale = 1;
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      scale = array.touched(i) ? std::max(scale, std::abs(array.values[i])) : scale;
    }
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      if (array.written[i]) {
        const std::complex<double> found = reference::element_in_memory(call, block.argument, i);
        ASSERT_LE(std::abs(found - array.values[i]), tolerance(call) * scale)
            << format_call(call) << ": element " << i << " of " << call.routine->arguments[block.argument].name << " is " << found
            << ", expected " << array.values[i];
      }
    }
  }
}

/// Expects unchanged memory outside of the footprint and in operands that are only read.
void expect_rest_untouched(const Call& call, const std::vector<GuardedMemory::Block>& before, const GuardedMemory& memory) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    const GuardedMemory::Block& after = memory.blocks()[b];
    const std::vector<bool> mask = reference::footprint_mask(call, after);
    const Argument& argument = call.routine->arguments[after.argument];
    for (std::size_t i = 0; i < after.bytes.size(); ++i) {
      if (!mask[i] || argument.access == Access::read) {
        ASSERT_EQ(after.bytes[i], before[b].bytes[i])
            << format_call(call) << ": byte " << static_cast<std::int64_t>(i) - 64 << " of " << argument.name << " was changed";
      }
    }
  }
}

/// Known crashes in libraries. OpenBLAS 0.3.21 on AVX-512: trtri of order 139 in single precision reads its packed buffer by an aligned
/// load (movaps in trsm_kernel_RT) from an unaligned address.
bool is_known_to_crash(const Subject& subject) {
  const std::string& family = subject.routine->family;
  return subject.library->name() == "openblas" && real_bytes(subject.routine->precision) == 4 && (family == "trtri" || family == "potri");
}

/// Known wrong results of libraries. OpenBLAS 0.3.21 with its kernels for Cooper Lake, which it also uses on AMD's Zen 5: scasum leaves out
/// elements for most n from 9 on.
bool is_known_to_be_wrong(const Subject& subject) {
  return subject.routine->name == "scasum" && subject.library->kernels() == "Cooperlake";
}

/// Returns at most eight calls, evenly chosen.
std::vector<Call> some_of(const std::vector<Call>& calls) {
  const std::size_t step = std::max<std::size_t>(1, calls.size() / 8);
  std::vector<Call> some;
  for (std::size_t i = 0; i < calls.size(); i += step) {
    some.push_back(calls[i]);
  }
  return some;
}

bool has_own_test(const std::string& family) { return family == "rotg" || family == "rotmg" || reference::is_spectral(family); }

void check(const Routine& routine, Function function, const std::vector<Call>& calls, int integer_bytes = 4) {
  for (Call call : calls) {
    call.integer_bytes = integer_bytes;
    const GuardedMemory memory(call);
    reference::prepare(call);
    Arguments expected(call);
    if (!has_own_test(routine.family)) {
      reference::find(routine.family)(expected);
    }
    const std::vector<GuardedMemory::Block> before = memory.blocks();
    Invocation invocation(function, call);
    invocation.run();
    ASSERT_EQ(invocation.outcome().info, 0) << format_call(call);
    ASSERT_NO_FATAL_FAILURE(expect_rest_untouched(call, before, memory));
    if (has_own_test(routine.family)) {
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(expect_results(call, expected, memory));
    if (routine.returns != Returns::nothing) {
      const double scale = std::max(1.0, std::abs(expected.result.value()));
      ASSERT_LE(std::abs(invocation.outcome().value - expected.result.value()), tolerance(call) * scale) << format_call(call);
    }
  }
}

TEST_P(EveryRoutine, AgreesWithThePlainAlgorithm) {
  const Function function = GetParam().library->find(routine.name);
  ASSERT_NE(function, nullptr) << "the reference implementation has every routine of the catalogue";
  if (is_known_to_be_wrong(GetParam())) {
    GTEST_SKIP() << "a known bug of this library";
  }
  check(routine, function, reference::cases(routine, Extent::small));
  check(routine, function, some_of(reference::cases(routine, Extent::medium)));
}

TEST_P(EveryRoutine, AgreesWithThePlainAlgorithmWhereItIsBlocked) {
  const Function function = GetParam().library->find(routine.name);
  ASSERT_NE(function, nullptr);
  if (is_known_to_crash(GetParam()) || is_known_to_be_wrong(GetParam())) {
    GTEST_SKIP() << "a known bug of this library";
  }
  check(routine, function, some_of(reference::cases(routine, Extent::large)));
}

/// Returns true if the routine's memory contains integers, or its result is one.
bool keeps_integers(const Routine& routine) {
  return routine.returns == Returns::integer || std::any_of(routine.arguments.begin(), routine.arguments.end(), has_integers);
}

/// Integers that are passed as numbers are the same for libraries of either width; arrays and results aren't.
TEST(WideIntegers, AreReadAndWrittenInFull) {
  for (const TestLibrary& library : wide_libraries()) {
    ASSERT_FALSE(library.empty()) << library.name() << " is not installed";
    ASSERT_EQ(library.integer_bytes(), 8);
    for (const Routine& routine : catalogue()) {
      if (const Function function = library.find(routine.name); function != nullptr && keeps_integers(routine)) {
        ASSERT_NO_FATAL_FAILURE(check(routine, function, some_of(reference::cases(routine, Extent::small)), 8)) << library.name();
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::kernel
