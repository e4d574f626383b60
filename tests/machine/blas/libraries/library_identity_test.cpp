#include "flopcast/core/routine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "tests/message_of.hpp"

namespace flopcast::machine {
namespace {

using tests::message_of;

TEST(IntegerWidth, FollowsTheLibrarysBehaviourUnderAnyName) {
  const std::map<std::string, int> blas = {{"openblas-serial", 4},   {"blis-serial", 4},   {"reference", 4},
                                           {"openblas64-serial", 8}, {"blis64-serial", 8}, {"reference64", 8}};
  for (const auto& [name, bytes] : blas) {
    EXPECT_EQ(integer_bytes(locate(name, Role::blas)), bytes) << name;
    EXPECT_EQ(Library::open(name).identity().integer_bytes, bytes) << name;
  }
  EXPECT_EQ(integer_bytes(locate("reference", Role::lapack)), 4);
  EXPECT_EQ(integer_bytes(locate("reference64", Role::lapack)), 8);
  EXPECT_EQ(integer_bytes("/nowhere/libblas.so.3"), std::nullopt);
  EXPECT_EQ(integer_bytes(locate("libm.so.6", Role::blas)), std::nullopt);
}

TEST(IntegerWidth, IsTakenFromTheLibrarysReportIfNothingCanBeTried) {
  const auto says = [](const char* symbol, void* function) {
    return flopcast::integer_bytes([=](const char* name) { return std::string(symbol) == name ? function : nullptr; }, "scipy_", "_64_");
  };
  const auto wide = +[] { return "OpenBLAS 0.3.29  USE64BITINT DYNAMIC_ARCH"; };
  const auto narrow = +[] { return "OpenBLAS 0.3.29  DYNAMIC_ARCH"; };
  const auto size = +[]() -> std::int64_t { return 64; };
  EXPECT_EQ(says("scipy_openblas_get_config64_", reinterpret_cast<void*>(wide)), 8);
  EXPECT_EQ(says("scipy_openblas_get_config64_", reinterpret_cast<void*>(narrow)), 4);
  EXPECT_EQ(says("bli_info_get_blas_int_type_size", reinterpret_cast<void*>(size)), 8);
  EXPECT_EQ(says("nothing", nullptr), 0);
}

TEST(IntegerWidth, IsFoundUnderOtherNames) {
  const Library library = Library::open(WIDE_NAMES);
  EXPECT_EQ(library.identity().integer_bytes, 8);
  EXPECT_EQ(library.identity().name, "openblas");
  EXPECT_EQ(library.identity().version, "9.8.7");
  EXPECT_NE(library.function("dgemm"), nullptr);
  EXPECT_TRUE(library.defines("ddot"));
  EXPECT_EQ(integer_bytes(WIDE_NAMES), 8);
}

TEST(IntegerWidth, MustBeTheSameInLapackAndBlas) {
  EXPECT_THAT(message_of([] { LibrarySet::open("openblas64-serial", "reference"); }),
              ::testing::HasSubstr("its integers have 32 bits, the other's 64; choose a LAPACK with 64-bit integers"));
  EXPECT_EQ(LibrarySet::open("openblas64-serial", default_lapack(8)).lapack().integer_bytes, 8);
  EXPECT_EQ(default_lapack(8), "reference64");
}

}  // namespace
}  // namespace flopcast::machine
