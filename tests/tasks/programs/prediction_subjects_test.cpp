#include "flopcast/tasks/programs/prediction_subjects.hpp"

#include "flopcast/tasks/programs/predict.hpp"

#include <gmock/gmock.h>

#include "flopcast/support/error.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/tasks/programs/fake_what_if.hpp"

namespace flopcast::tests {
namespace {

using testing::ElementsAre;

TEST(ParseProblems, SeparatesSizesBlocksAndFlags) {
  const LapackProblems problems = parse_problems("dpotrf", {"uplo=L", "n=100,200", "nb=32,64", "nx=0"});
  EXPECT_THAT(problems.sizes.at("n"), ElementsAre(100, 200));
  EXPECT_THAT(problems.nb, ElementsAre(32, 64));
  EXPECT_THAT(problems.nx, ElementsAre(0));
  EXPECT_EQ(problems.arguments.at("uplo"), "L");
  EXPECT_THROW(parse_problems("dpotrf", {"n=100", "nb=0"}), Error);
}

}  // namespace
}  // namespace flopcast::tests
