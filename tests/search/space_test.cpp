#include "flopcast/search/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::search {
namespace {

TEST(Space, EnumeratesWithTheLastParameterFastest) {
  const std::vector<Parameter> parameters = {{"m", {1, 2}}, {"nb", {32, 8, 16}}};
  const Space space("dgemm", parameters);
  ASSERT_EQ(space.size(), 6U);
  EXPECT_EQ(space[0], (Configuration{"dgemm", {{"m", 1}, {"nb", 32}}}));
  EXPECT_EQ(space[1], (Configuration{"dgemm", {{"m", 1}, {"nb", 8}}}));
  EXPECT_EQ(space[5], (Configuration{"dgemm", {{"m", 2}, {"nb", 16}}}));
}

TEST(Space, KeepsConfigurationsThatTheConstraintAdmits) {
  const std::vector<Parameter> parameters = {{"m", {1, 2, 3}}, {"n", {1, 2, 3}}};
  const Space space("dgemm", parameters, [](const Configuration& it) { return it.parameters.at("m") == it.parameters.at("n"); });
  EXPECT_EQ(space.size(), 3U);
}

TEST(Space, HasTheSizesOfPaper003) {
  const std::vector<std::int64_t> wide = {64, 128, 256, 512, 1024, 2048, 4096}, narrow = {500, 1000, 2000, 4000};
  const std::vector<Parameter> full = {{"n", wide}, {"m", wide}, {"k", {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}}};
  const std::vector<Parameter> reduced = {{"n", narrow}, {"m", {512, 1024, 2048, 4096}}, {"k", {64, 128, 256, 512, 1024, 2048}}};
  EXPECT_EQ(Space("dgemm", full).size(), 539U);
  EXPECT_EQ(Space("dgemm", reduced).size(), 96U);
}

TEST(Space, WithoutParametersIsOneConfiguration) { EXPECT_EQ(Space("dpotrf", {}).size(), 1U); }

TEST(Space, RefusesInvalidSpaces) {
  const auto make = [](std::vector<Parameter> parameters, const Constraint& admits = {}) { Space("dgemm", parameters, admits); };
  EXPECT_THROW(make({{"", {1}}}), Error);
  EXPECT_THROW(make({{"m", {}}}), Error);
  EXPECT_THROW(make({{"m", {1, 1}}}), Error);
  EXPECT_THROW(make({{"m", {1}}, {"m", {2}}}), Error);
  EXPECT_THROW(make({{"m", {1}}}, [](const Configuration&) { return false; }), Error);
  std::vector<std::int64_t> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<std::int64_t>(i);
  }
  EXPECT_THROW(make({{"m", many}, {"n", many}, {"k", many}, {"l", many}}), Error);
}

}  // namespace
}  // namespace flopcast::search
