#include "flopcast/workbench/kernel_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <optional>

#include <nlohmann/json.hpp>

#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Clears the variables that select kernels, until the end of a test.
class KernelChoices : public testing::Test {
 protected:
  KernelChoices() { KernelVariables::clear(); }
  KernelVariables users_;
};

TEST_F(KernelChoices, SettingsAreWrittenAsBeforeACommand) {
  EXPECT_EQ(format_settings({}), "");
  EXPECT_EQ(format_settings({{"OPENBLAS_CORETYPE", "Zen"}, {"BLIS_ARCH_TYPE", "3"}}), "BLIS_ARCH_TYPE=3 OPENBLAS_CORETYPE=Zen");
}

TEST_F(KernelChoices, VariablesOfOtherLibrariesAreNotInForce) {
  ASSERT_EQ(setenv("BLIS_ARCH_TYPE", "3", 1), 0);
  EXPECT_THAT(in_force("/lib/openblas-pthread/libblas.so.3"), IsEmpty());
  EXPECT_THAT(in_force("/lib/blis/libblas.so.3"), ElementsAre(Pair("BLIS_ARCH_TYPE", "3")));
}

TEST_F(KernelChoices, VariablesAreRestored) {
  ASSERT_EQ(setenv("OPENBLAS_CORETYPE", "Zen", 1), 0);
  {
    const KernelVariables before;
    KernelVariables::clear();
    EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);
    ASSERT_EQ(setenv("BLIS_ARCH_TYPE", "0", 1), 0);
  }
  EXPECT_STREQ(std::getenv("OPENBLAS_CORETYPE"), "Zen");
  EXPECT_EQ(std::getenv("BLIS_ARCH_TYPE"), nullptr);
}

TEST_F(KernelChoices, SettingsForKernelsAreThoseOfTheirLibrary) {
  EXPECT_THAT(settings_for("/lib/blis/libblas.so.3", "skx"), ElementsAre(Pair("BLIS_ARCH_TYPE", "0")));
  EXPECT_THAT(settings_for("/lib/openblas-serial/libblas.so.3", "Haswell"), ElementsAre(Pair("OPENBLAS_CORETYPE", "Haswell")));
  EXPECT_THAT(settings_for("/lib/openblas-serial/libblas.so.3", "Cooperlake"), ElementsAre(Pair("OPENBLAS_CORETYPE", "Cooperlake")))
      << "its variable takes all names that it reports";
  EXPECT_THAT(settings_for("/lib/openblas-serial/libblas.so.3", ""), IsEmpty());
  EXPECT_THAT(settings_for("/lib/blis/libblas.so.3", "Cooperlake"), IsEmpty());
  EXPECT_THAT(settings_for("/lib/blas/libblas.so.3", "skx"), IsEmpty());
}

TEST_F(KernelChoices, KeysAreReadOnTheirOwnCpuOnly) {
  const std::optional<TriedLibrary> library = tried_library("A CPU @ 2 GHz /lib/my blas/libblas.so 1234", "A CPU @ 2 GHz");
  ASSERT_TRUE(library);
  EXPECT_EQ(library->cpu, "A CPU @ 2 GHz");
  EXPECT_EQ(library->file, "/lib/my blas/libblas.so");
  EXPECT_EQ(library->bytes, 1234U);
  EXPECT_FALSE(tried_library("A CPU @ 2 GHz /lib/libblas.so 1234", "Another CPU"));
  for (const char* key :
       {"", "A CPU", "A CPU ", "A CPU 1234", "A CPU /lib/libblas.so", "A CPU /lib/libblas.so 12x", "A CPU /lib/libblas.so "}) {
    EXPECT_FALSE(tried_library(key, "A CPU")) << key;
  }
}

TEST_F(KernelChoices, StoredResultsAreCheckedAndShown) {
  const json chosen_well = {{"kernels", "Haswell"}, {"dgemm_flops_per_second", 1e10}};
  json better = chosen_well;
  better["better"] = {{"setting", "OPENBLAS_CORETYPE=SkylakeX"}, {"dgemm_flops_per_second", 2e10}};
  EXPECT_NO_THROW(require_kernel_choice(chosen_well));
  EXPECT_NO_THROW(require_kernel_choice(better));
  EXPECT_EQ(kernel_choice_text(chosen_well), "Haswell");
  EXPECT_EQ(kernel_choice_text(better), "Haswell, better with OPENBLAS_CORETYPE=SkylakeX");
  EXPECT_EQ(kernel_choice_text({{"kernels", ""}, {"dgemm_flops_per_second", 1e10}}), "its own kernels");
  better["better"]["setting"] = "LD_PRELOAD=/tmp/another.so";
  EXPECT_THROW(require_kernel_choice(better), MemberError);
  better["better"].erase("setting");
  EXPECT_THROW(require_kernel_choice(better), MemberError);
  EXPECT_THROW(require_kernel_choice({{"kernels", 3}, {"dgemm_flops_per_second", 1e10}}), MemberError);
  EXPECT_THROW(require_kernel_choice({{"kernels", "Haswell"}}), MemberError);
}

}  // namespace
}  // namespace flopcast
