#include "flopcast/model/evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flopcast/model/refinement.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

/// Returns a refined model with hundreds of pieces, which steps in the time cause.
Model stepped(std::size_t dimensions) {
  const SampleSource source = [](std::span<const Sizes> points) -> std::optional<Measured> {
    Measured measured;
    for (const Sizes& point : points) {
      double time = 1;
      for (const std::int64_t size : point) {
        time *= 1 + 0.001 * static_cast<double>(size) + (size / 100 % 2 == 0 ? 0.5 : 0);
      }
      measured.seconds.push_back(time);
    }
    return measured;
  };
  const Box domain{Sizes(dimensions, 8), Sizes(dimensions, dimensions < 3 ? 1024 : 400)};
  return refine({"dgemm", "NN", "11", "...", "warm", 1, "here"}, std::vector<std::string>(dimensions, "m"), {domain},
                total_basis(dimensions, 2), {}, source);
}

TEST(Evaluator, AgreesWithALinearSearch) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> size(0, 1200);
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
    const Evaluator evaluator(stepped(dimensions));
    ASSERT_GT(evaluator.model().pieces.size(), 8U);
    for (int i = 0; i < 3000; ++i) {
      Sizes sizes(dimensions);
      for (std::int64_t& entry : sizes) {
        entry = i % 2 == 0 ? size(random) : size(random) / 8 * 8;  // often exactly on faces of pieces
      }
      ASSERT_EQ(evaluator(sizes), evaluate(evaluator.model(), sizes));
    }
  }
}

TEST(Evaluator, AgreesOnEveryCornerOfEveryPiece) {
  const Evaluator evaluator(stepped(2));
  for (const Piece& piece : evaluator.model().pieces) {
    for (const Sizes& corner :
         {piece.box.low, piece.box.high, Sizes{piece.box.low[0], piece.box.high[1]}, Sizes{piece.box.high[0], piece.box.low[1]}}) {
      EXPECT_EQ(evaluator(corner), evaluate(evaluator.model(), corner));
    }
  }
}

}  // namespace
}  // namespace flopcast::model
