#include "flopcast/core/integer_width.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "flopcast/machine/installed.hpp"
#include "flopcast/machine/library_identity.hpp"

namespace flopcast::machine {
namespace {

TEST(IntegerWidth, IsWhatTheLibraryDoesWhateverItsName) {
  const std::map<std::string, int> libraries = {{"libblas.so.3", 4},     {"liblapack.so.3", 4},     {"libblas64.so.3", 8},
                                                {"liblapack64.so.3", 8}, {"libopenblas64.so.0", 8}, {"libblis64.so.4", 8}};
  for (const auto& [name, bytes] : libraries) {
    EXPECT_EQ(integer_bytes(locate(name, Role::blas)), bytes) << name;
  }
  EXPECT_EQ(integer_bytes("/nowhere/libblas.so.3"), std::nullopt);
  EXPECT_EQ(integer_bytes(locate("libm.so.6", Role::blas)), std::nullopt);
}

TEST(IntegerWidth, IsToldByWhatALibrarySaysWhereThereIsNothingToTry) {
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

TEST(IntegerWidth, IsFoundUnderOtherNames) { EXPECT_EQ(integer_bytes(WIDE_NAMES), 8); }

}  // namespace
}  // namespace flopcast::machine
