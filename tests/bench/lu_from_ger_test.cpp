#include "bench/baselines/lu_from_ger.hpp"

#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::bench {
namespace {

using namespace model;

/// Returns a model with n^2 seconds for 1 <= n <= 100.
Model square() {
  Model model;
  model.sizes = {"n"};
  model.domain = {{{1}, {100}}};
  Piece piece;
  piece.box = model.domain[0];
  piece.polynomial = {{0}, {1}, {Monomial{2}}, {1}};
  piece.error.deviation = 0.03;
  model.pieces = {piece};
  return model;
}

/// Returns a model with m n seconds in two sizes.
Model rectangular() {
  Model model = square();
  model.sizes = {"m", "n"};
  model.domain = {{{1, 1}, {100, 100}}};
  model.pieces[0].box = model.domain[0];
  model.pieces[0].polynomial = {{0, 0}, {1, 1}, {Monomial{1, 1}}, {1}};
  return model;
}

TEST(LuFromGer, SumsTheRankOneUpdates) {
  for (const Model& ger : {square(), rectangular()}) {
    EXPECT_DOUBLE_EQ(lu_from_ger(ger, 2).seconds, 1);
    EXPECT_DOUBLE_EQ(lu_from_ger(ger, 5).seconds, 1 + 4 + 9 + 16);
    EXPECT_DOUBLE_EQ(lu_from_ger(ger, 101).seconds, 338350);
    EXPECT_NEAR(lu_from_ger(ger, 50).relative_error, 0.03, 1e-12);
    EXPECT_FALSE(lu_from_ger(ger, 101).extrapolated);
    EXPECT_TRUE(lu_from_ger(ger, 102).extrapolated);
  }
}

TEST(LuFromGer, RefusesOrdersAndModelsThatDoNotSuit) {
  EXPECT_THROW(lu_from_ger(square(), 1), Error);
  Model model = square();
  model.sizes = {"m", "n", "k"};
  EXPECT_THROW(lu_from_ger(model, 5), Error);
}

TEST(LuFromGer, DeviationIsRelativeToTheMeasurement) { EXPECT_DOUBLE_EQ((Deviation{100, 1.5, 1.0}.relative()), 0.5); }

}  // namespace
}  // namespace flopcast::bench
