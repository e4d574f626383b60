#include "flopcast/roofline/gemm_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/roofline/gemm_roof.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::roofline {
namespace {

GemmSetup setup(std::int64_t elements) {
  GemmSetup setup;
  setup.library = machine::default_blas();
  setup.elements = elements;
  return setup;
}

TEST(GemmProcess, TimesDgemmAndReportsTheLoadedLibrary) {
  const GemmShape shape{60, 40, 20};
  GemmProcess process(setup(shape.elements()));
  EXPECT_FALSE(process.library().path.empty());
  EXPECT_GT(process.time(shape, 1, 10), 0);
}

TEST(GemmProcess, TimesSgemm) {
  const GemmShape shape{60, 40, 20};
  GemmSetup single = setup(shape.elements());
  single.routine = "sgemm";
  EXPECT_GT(GemmProcess(single).time(shape, 1, 10), 0);
}

TEST(GemmProcess, ReportsWhyALibraryCannotBeOpened) {
  GemmSetup wrong = setup(10);
  wrong.library = "/no/such/library.so";
  try {
    GemmProcess process(wrong);
    FAIL() << "a missing library was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), testing::HasSubstr("/no/such/library.so"));
  }
}

TEST(GemmProcess, RefusesASpaceThatDoesNotFitInMemory) {
  try {
    GemmProcess process(setup(std::int64_t{1} << 48U));
    FAIL() << "two pebibytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("available"));
  }
}

TEST(GemmProcess, ReportsThatTheProcessDied) {
  GemmProcess process(setup(10));
  EXPECT_THROW(process.time({4096, 4096, 4096}, 0, 1), Error) << "far beyond its operands";
}

TEST(GemmRoof, IsAShapeOfTheSpaceWithAllMeasurements) {
  const GemmSpace space = gemm_space({16, 64}, {32}, {16, 48});
  const GemmRoof roof = find_gemm_roof(setup(0), space, {.confirmed = 2, .confirmation_rounds = 2, .time_budget = 2});
  EXPECT_THAT(space.shapes, testing::Contains(roof.shape));
  EXPECT_GT(roof.flops.median(), 0);
  EXPECT_FALSE(roof.trials.empty());
  EXPECT_TRUE(roof.confirmed);
}

TEST(GemmRoof, IsFoundInFewRounds) {
  const GemmSpace space = gemm_space({16, 64}, {32}, {16, 48});
  const GemmRoof roof = find_gemm_roof(setup(0), space, {.tolerance = 0, .max_rounds = 3, .confirmed = 0});
  EXPECT_THAT(space.shapes, testing::Contains(roof.shape));
  EXPECT_EQ(roof.trials.size(), space.shapes.size());
  EXPECT_FALSE(roof.confirmed);
}

}  // namespace
}  // namespace flopcast::roofline
