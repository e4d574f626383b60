#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/model_json.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Grid, GaussianNodesAreTheRootsOfLegendrePolynomials) {
  EXPECT_THAT(nodes(Grid::gaussian, 2), ElementsAre(DoubleNear(-1 / std::sqrt(3.0), 1e-14), DoubleNear(1 / std::sqrt(3.0), 1e-14)));
  const double inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3;
  const double outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3;
  EXPECT_THAT(nodes(Grid::gaussian, 5), ElementsAre(DoubleNear(-outer, 1e-14), DoubleNear(-inner, 1e-14), DoubleNear(0, 1e-14),
                                                    DoubleNear(inner, 1e-14), DoubleNear(outer, 1e-14)));
}

TEST(Grid, ChebyshevAndRegularNodes) {
  EXPECT_THAT(nodes(Grid::chebyshev, 2), ElementsAre(DoubleNear(-std::sqrt(0.5), 1e-15), DoubleNear(std::sqrt(0.5), 1e-15)));
  EXPECT_THAT(nodes(Grid::regular, 3), ElementsAre(-1, 0, 1));
  EXPECT_THAT(nodes(Grid::regular, 1), ElementsAre(0));
}

TEST(Grid, NodesAscendWithin) {
  for (const Grid grid : {Grid::gaussian, Grid::chebyshev, Grid::regular}) {
    for (int count = 1; count <= 25; ++count) {
      const std::vector<double> all = nodes(grid, count);
      ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_LE(std::fabs(all[i]), 1);
        EXPECT_TRUE(i == 0 || all[i - 1] < all[i]);
      }
    }
  }
}

TEST(Grid, PointsAreMultiplesOfTheMinimumWidthInsideTheBox) {
  const std::vector<Sizes> points = grid_points({{8, 8}, {1024, 256}}, {5, 5}, Grid::gaussian, 8);
  EXPECT_EQ(points.size(), 25U);
  for (const Sizes& point : points) {
    EXPECT_EQ(point[0] % 8, 0);
    EXPECT_EQ(point[1] % 8, 0);
  }
  EXPECT_THAT(grid_points({{3}, {21}}, {2}, Grid::regular, 8), ElementsAre(Sizes{3}, Sizes{21}));
}

TEST(Grid, PointsThatRoundingMakesEqualAreGivenOnce) {
  EXPECT_THAT(grid_points({{8}, {24}}, {7}, Grid::gaussian, 8), ElementsAre(Sizes{8}, Sizes{16}, Sizes{24}));
  EXPECT_THAT(grid_points({{64, 8}, {64, 24}}, {1, 2}, Grid::regular, 8), ElementsAre(Sizes{64, 8}, Sizes{64, 24}));
}

TEST(Grid, NamesRoundTrip) {
  for (const Grid grid : {Grid::gaussian, Grid::chebyshev, Grid::regular}) {
    EXPECT_EQ(nlohmann::json(grid).get<Grid>(), grid);
  }
  EXPECT_THROW(nlohmann::json("gauss").get<Grid>(), MemberError);
}

}  // namespace
}  // namespace flopcast::model
