#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/reference/cases.hpp"
#include "tests/kernel/reference/families.hpp"

namespace flopcast {

/// Puts the routine's name into the name of its test.
void PrintTo(const Routine* routine, std::ostream* stream) { *stream << routine->name; }

}  // namespace flopcast

namespace flopcast::kernel {
namespace {

using reference::Arguments;
using reference::Extent;
using reference::GuardedMemory;

class EveryRoutine : public testing::TestWithParam<const Routine*> {
 protected:
  const Routine& routine = *GetParam();
};

std::vector<const Routine*> all_routines() {
  std::vector<const Routine*> all;
  for (const Routine& routine : catalogue()) {
    all.push_back(&routine);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRoutine, testing::ValuesIn(all_routines()));

std::vector<Call> small_and_medium_cases(const Routine& routine) {
  std::vector<Call> calls = reference::cases(routine, Extent::small);
  const std::vector<Call> medium = reference::cases(routine, Extent::medium);
  calls.insert(calls.end(), medium.begin(), medium.end());
  return calls;
}

bool is_one_of(const std::string& family, const std::set<std::string>& families) { return families.count(family) > 0; }

/// Generators of rotations, and iterative routines.
bool counts_depend_on_data(const std::string& family) { return is_one_of(family, {"rotg", "rotmg"}) || reference::is_spectral(family); }

/// Families whose formula is of leading order only, as the table says, or of another order of operations.
bool counts_are_approximate(const std::string& family) {
  return is_one_of(family, {"geqrt", "geqrt2", "geqrt3", "gemqrt", "tpqrt", "tpmqrt", "sytf2", "sytrf", "lasyf", "hetf2", "hetrf", "lahef",
                            "lahr2", "labrd", "latrd", "laqps", "laqp2"});
}

/// The formulae of working note 41 count the last reflector like the others, although it may have length 1 and be applied to nothing.
bool counts_short_reflectors(const std::string& family) {
  return is_one_of(family, {"larfg", "geqr2", "geqr2p", "geqrf", "geql2", "geqlf", "gelq2", "gelqf", "gerq2", "gerqf", "gehd2", "gehrd",
                            "gebd2", "gebrd", "sytd2", "sytrd", "hetd2", "hetrd"});
}

/// Returns whether a size is 0, so that the routine may return at once.
bool has_empty_size(const Call& call) {
  const auto all = sizes(call);
  return std::find(all.begin(), all.end(), 0) != all.end();
}

/// Returns whether the footprint contains elements that a plain algorithm need not touch; the tables name them. Some lie in matrices: norms
/// of whole matrices, scratch columns, unit diagonals among packed elements, lower halves of blocks of T and of pentagons. Others are
/// vector elements that meet no element of a band, the pivot that a panel may or may not factor, and diagonals of X, Y and W. The last ones
/// are columns that may be swapped, and the remains of the matrix after drivers of eigenvalues.
bool footprint_is_larger(const Call& call) {
  if (has_empty_size(call) || reference::is_spectral(call.routine->family)) {
    return true;
  }
  const bool unit_packed = is_one_of(call.routine->family, {"tpmv", "tpsv"}) && flags(call).back() == 'U';
  return unit_packed || is_one_of(call.routine->family, {"trsyl", "geqrt", "geqrt2", "gemqrt", "tpqrt", "tpmqrt", "gbmv", "lasyf", "lahef",
                                                         "labrd", "latrd", "laqps", "laqp2"});
}

/// Multiplications by Q, which temporarily write a 1 beside each reflector.
bool puts_ones_on_diagonal(const std::string& family) { return family.size() == 5 && is_one_of(family.substr(0, 3), {"orm", "unm"}); }

std::string what(const Call& call) { return format_call(call); }

TEST_P(EveryRoutine, HasAReferenceAndCases) {
  EXPECT_NE(reference::find(routine.family), nullptr) << "write the plain algorithm in tests/kernel/reference";
  EXPECT_GE(reference::cases(routine, Extent::small).size(), 3U);
  EXPECT_GE(reference::cases(routine, Extent::medium).size(), 1U);
  EXPECT_GE(reference::cases(routine, Extent::large).size(), 1U);
}

TEST_P(EveryRoutine, CountsTheOperationsOfThePlainAlgorithm) {
  if (counts_depend_on_data(routine.family)) {
    GTEST_SKIP() << "depends on the data";
  }
  for (Call call : small_and_medium_cases(routine)) {
    if (has_empty_size(call)) {
      continue;
    }
    const GuardedMemory memory(call);
    reference::prepare(call);
    Arguments arguments(call);
    reference::tally() = {};
    reference::find(routine.family)(arguments);
    const reference::Repetitions counted = reference::tally();
    const double multiplications = std::max(0.0, routine.multiplications.value(call.values()));
    const double additions = std::max(0.0, routine.additions.value(call.values()));
    double tolerance = 1e-9 * (1 + counted.multiplications);
    if (counts_short_reflectors(routine.family)) {
      tolerance = 16 + std::abs(static_cast<double>(sizes(call)[0] - (sizes(call).size() > 1 ? sizes(call)[1] : 0)));
    } else if (counts_are_approximate(routine.family)) {
      const auto all = sizes(call);
      tolerance = 0.1 * counted.multiplications + 10 * static_cast<double>(*std::max_element(all.begin(), all.end()));
    }
    EXPECT_NEAR(multiplications, counted.multiplications, tolerance) << what(call);
    EXPECT_NEAR(additions, counted.additions, tolerance) << what(call);
    const bool complex = is_complex(routine.precision);
    EXPECT_DOUBLE_EQ(flops(call), multiplications * (complex ? 6 : 1) + additions * (complex ? 2 : 1)) << what(call);
  }
}

TEST_P(EveryRoutine, TouchesItsFootprint) {
  for (Call call : small_and_medium_cases(routine)) {
    const GuardedMemory memory(call);
    reference::prepare(call);
    Arguments arguments(call);
    reference::find(routine.family)(arguments);
    for (const GuardedMemory::Block& block : memory.blocks()) {
      const Argument& argument = routine.arguments[block.argument];
      const std::vector<bool> mask = reference::footprint_mask(call, block);
      const reference::Array& array = arguments.array(block.argument);
      const auto bytes = static_cast<std::size_t>(argument_element_bytes(call, block.argument));
      if (argument.kind == Kind::work) {
        continue;
      }
      for (std::size_t i = 0; i < array.values.size(); ++i) {
        const bool inside = mask[block.begin + i * bytes];
        ASSERT_EQ(inside, mask[block.begin + (i + 1) * bytes - 1]) << what(call);
        const bool touched = array.touched(i);
        if (touched != inside && !(inside && footprint_is_larger(call))) {
          FAIL() << what(call) << ": element " << i << " of " << argument.name << (touched ? " isn't" : " is") << " in the footprint";
        }
        if (argument.access == Access::read && !puts_ones_on_diagonal(routine.family)) {
          ASSERT_FALSE(array.written[i]) << what(call) << ": " << argument.name << " is said to be read only";
        }
        if (argument.access == Access::write) {
          ASSERT_FALSE(array.read_before_written[i]) << what(call) << ": " << argument.name << " is said to be written only";
        }
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::kernel
