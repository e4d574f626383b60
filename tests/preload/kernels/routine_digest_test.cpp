#include "flopcast/preload/kernels/routine_digest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <complex>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/preload/common/fortran_call.hpp"

namespace flopcast::preload {
namespace {

/// Arguments as Fortran passes them, with lower-case flags, sizes of 10, 11, ... and vectors without gaps.
struct FortranArguments {
  explicit FortranArguments(const Routine& routine) {
    std::int32_t next = 10;
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      const Argument& argument = routine.arguments[i];
      if (argument.kind == Kind::flag) {
        letters[i] = static_cast<char>(std::tolower(argument.values.front()));
      }
      integers[i] = argument.kind == Kind::increment ? 1 : argument.kind == Kind::sign ? 1 : next++;
      const bool real = argument.kind == Kind::scalar || argument.kind == Kind::real_scalar;
      pointers.push_back(argument.kind == Kind::flag ? static_cast<void*>(&letters[i]) : real ? static_cast<void*>(&number) : &integers[i]);
    }
  }
  FortranArguments(const FortranArguments&) = delete;
  FortranArguments& operator=(const FortranArguments&) = delete;
  ~FortranArguments() = default;

  std::array<char, Call::max_arguments> letters{};
  std::array<std::int32_t, Call::max_arguments> integers{};
  std::complex<double> number = 1;
  std::vector<void*> pointers;
};

TEST(RoutineDigest, KeysOfArgumentsEqualKeysOfCalls) {
  const auto& all = mpi::routine_digests();
  ASSERT_EQ(all.size(), kernel::catalogue().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Routine& routine = kernel::catalogue()[i];
    const FortranArguments arguments(routine);
    EXPECT_EQ(all[i].key_of(arguments.pointers), all[i].key_of(call_of(routine, arguments.pointers))) << routine.name;
    EXPECT_EQ(all[i].decides(), kernel::decides(routine)) << routine.name;
  }
}

TEST(RoutineDigest, KeysDifferExactlyInArgumentsThatTimesDependOn) {
  for (std::size_t i = 0; i < kernel::catalogue().size(); ++i) {
    const Routine& routine = kernel::catalogue()[i];
    const mpi::RoutineDigest& digest = mpi::routine_digests()[i];
    FortranArguments arguments(routine);
    const selective::KernelKey before = digest.key_of(arguments.pointers);
    for (std::size_t at = 0; at < routine.arguments.size(); ++at) {
      const Argument& argument = routine.arguments[at];
      const bool matters = argument.kind == Kind::size || argument.kind == Kind::increment || argument.kind == Kind::sign ||
                           (argument.kind == Kind::flag && argument.values.size() > 1);
      const char letter = arguments.letters[at];
      const std::int32_t integer = arguments.integers[at];
      arguments.letters[at] = argument.kind == Kind::flag ? argument.values.back() : letter;
      arguments.integers[at] = argument.kind == Kind::sign && argument.values == "+-" ? -1 : integer + 1;
      EXPECT_EQ(digest.key_of(arguments.pointers) != before, matters) << routine.name << ", " << argument.name;
      arguments.letters[at] = letter;
      arguments.integers[at] = integer;
    }
  }
}

TEST(RoutineDigest, RecognisesWorkspaceQueries) {
  std::size_t asking = 0;
  for (std::size_t i = 0; i < kernel::catalogue().size(); ++i) {
    const Routine& routine = kernel::catalogue()[i];
    FortranArguments arguments(routine);
    EXPECT_FALSE(mpi::routine_digests()[i].is_workspace_query(arguments.pointers)) << routine.name;
    for (std::size_t at = 0; at < routine.arguments.size(); ++at) {
      arguments.integers[at] = routine.arguments[at].kind == Kind::work_size ? -1 : arguments.integers[at];
    }
    EXPECT_EQ(mpi::routine_digests()[i].is_workspace_query(arguments.pointers), is_workspace_query(routine, arguments.pointers))
        << routine.name;
    asking += is_workspace_query(routine, arguments.pointers) ? 1 : 0;
  }
  EXPECT_GT(asking, 50U) << "LAPACK's blocked routines have work sizes";
}

}  // namespace
}  // namespace flopcast::preload
