#include "flopcast/machine/libraries/elf_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/machine/libraries/installed_libraries.hpp"

namespace flopcast::machine {
namespace {

TEST(ElfFile, ReadsNamesWithoutLoading) {
  const ElfFile file(locate("libm.so.6", Role::blas));
  EXPECT_EQ(file.soname(), "libm.so.6");
  EXPECT_THAT(file.needed(), ::testing::Contains("libc.so.6"));
  EXPECT_TRUE(file.defines("cos"));
  EXPECT_FALSE(file.defines("dgemm_"));
  EXPECT_FALSE(file.calls_through_linker("cos")) << "it calls its own directly";
  EXPECT_EQ(file.rpath(), "");
  EXPECT_THAT(file.digest(), ::testing::MatchesRegex("(build-id|fnv):[0-9a-f]+"));
}

TEST(ElfFile, RefusesOtherFiles) {
  EXPECT_THROW(ElfFile("/dev/null"), Error);
  EXPECT_THROW(ElfFile("/etc"), Error);
  EXPECT_THROW(ElfFile("/nowhere"), Error);
}

}  // namespace
}  // namespace flopcast::machine
