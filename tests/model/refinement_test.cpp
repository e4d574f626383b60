#include "flopcast/model/refinement.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <set>

#include "flopcast/model/model_json.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

using Time = std::function<Seconds(const Sizes&)>;

ModelKey key() { return {"dtrsm", "LLNN", "1", "..", "warm", 1, "here"}; }

/// A source that counts requests and fails if a point is requested twice.
struct CountingSource {
  explicit CountingSource(Time function) : time(std::move(function)) {}
  Time time;
  std::set<Sizes> asked;
  int batches = 0;
  int max_batches = 1000;  ///< the source is interrupted after this many batches

  SampleSource source() {
    return [this](std::span<const Sizes> points) -> std::optional<MeasuredBatch> {
      if (batches == max_batches) {
        return std::nullopt;
      }
      ++batches;
      MeasuredBatch measured;
      for (const Sizes& point : points) {
        EXPECT_TRUE(asked.insert(point).second) << "a point is requested twice";
        measured.seconds.push_back(time(point));
        measured.spent += measured.seconds.back();
      }
      return measured;
    };
  }
};

Seconds cubic(const Sizes& sizes) {
  const auto m = static_cast<double>(sizes[0]);
  const double n = sizes.size() > 1 ? static_cast<double>(sizes[1]) : m;
  return 1e-6 + 1e-10 * m * m * n + 1e-9 * n * m;
}

/// Times that are five times longer above 500 in the first size: an edge that no polynomial follows.
Seconds stepped(const Sizes& sizes) { return cubic(sizes) * (sizes[0] > 500 ? 5 : 1); }

Model refined(CountingSource& source, std::size_t dimensions, RefinementOptions options = {}) {
  const Box domain{Sizes(dimensions, 8), Sizes(dimensions, 1024)};
  const std::vector<std::string> names = {"m", "n", "k"};
  return refine(key(), {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(dimensions)}, {domain},
                total_basis(dimensions, options.degree), options, source.source());
}

double volume(const std::vector<Piece>& pieces) {
  double sum = 0;
  for (const Piece& piece : pieces) {
    double product = 1;
    for (std::size_t d = 0; d < piece.box.dimensions(); ++d) {
      product *= static_cast<double>(piece.box.high[d] - piece.box.low[d]);
    }
    sum += product;
  }
  return sum;
}

TEST(Refinement, APolynomialNeedsOnePiece) {
  for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
    CountingSource source(cubic);
    const Model result = refined(source, dimensions);
    EXPECT_TRUE(result.options.complete);
    EXPECT_EQ(result.pieces.size(), 1U);
    EXPECT_EQ(source.asked.size(), static_cast<std::size_t>(std::pow(5, dimensions)));
    EXPECT_EQ(result.cost.samples, static_cast<std::int64_t>(source.asked.size()));
    EXPECT_GT(result.cost.seconds, 0);
    const Sizes beside(dimensions, 333);
    EXPECT_NEAR(evaluate(result, beside).seconds, cubic(beside), 1e-9 * cubic(beside));
  }
}

TEST(Refinement, SubdividesWhereTheErrorIs) {
  CountingSource source(stepped);
  const Model result = refined(source, 2);
  EXPECT_TRUE(result.options.complete);
  EXPECT_NEAR(volume(result.pieces), 1016.0 * 1016, 1);
  EXPECT_GT(result.pieces.size(), 4U);
  EXPECT_LT(result.pieces.size(), 100U);  // the minimum size alone would allow 1024 pieces
  for (const Piece& piece : result.pieces) {
    const bool at_edge = piece.box.low[0] <= 500 && piece.box.high[0] >= 500;
    EXPECT_TRUE(piece.error.maximum <= 0.05 || (at_edge && piece.box.high[0] - piece.box.low[0] < 64)) << piece.box.low[0];
  }
}

TEST(Refinement, PiecesAreNeverNarrowerThanTheMinimumSize) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> noise(0.5, 1.5);
  CountingSource source([&](const Sizes& sizes) { return cubic(sizes) * noise(random); });  // no polynomial fits
  const Model result = refined(source, 2);
  EXPECT_NEAR(volume(result.pieces), 1016.0 * 1016, 1);
  for (const Piece& piece : result.pieces) {
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_GE(piece.box.high[d] - piece.box.low[d], 32);
      EXPECT_LT(piece.box.high[d] - piece.box.low[d], 80);
    }
  }
}

TEST(Refinement, AllPointsOfALevelAreAskedForAtOnce) {
  CountingSource source(stepped);
  std::vector<RefinementProgress> steps;
  const Model result = refine(key(), {"m", "n"}, {{{8, 8}, {1024, 1024}}}, total_basis(2, 3), {}, source.source(),
                              [&](const RefinementProgress& progress) { steps.push_back(progress); });
  EXPECT_EQ(static_cast<std::size_t>(source.batches), steps.size());
  EXPECT_EQ(steps.front().samples, 0);
  EXPECT_EQ(steps.front().share_done, 0);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_GT(steps[i].share_done, steps[i - 1].share_done - 1e-12);
    EXPECT_EQ(steps[i].level, static_cast<int>(i));
  }
  EXPECT_GT(source.batches, 2);
  EXPECT_LE(source.batches, 6);  // 1016 / 32 can be halved five times at most
  EXPECT_TRUE(result.options.complete);
}

TEST(Refinement, ReusesSamplesOfEnclosingBoxes) {
  CountingSource with(stepped);
  CountingSource without(stepped);
  RefinementOptions options;
  const Model a = refined(with, 2, options);
  options.reuse = false;
  const Model b = refined(without, 2, options);
  std::int64_t fitted = 0;
  std::int64_t fitted_alone = 0;
  for (const Piece& piece : a.pieces) {
    fitted += piece.samples;
  }
  for (const Piece& piece : b.pieces) {
    fitted_alone += piece.samples;
    EXPECT_LE(piece.samples, 25);
  }
  EXPECT_GT(fitted, fitted_alone);
}

TEST(Refinement, AnInterruptionKeepsThePiecesSoFar) {
  CountingSource source(stepped);
  source.max_batches = 2;
  const Model result = refined(source, 2);
  EXPECT_FALSE(result.options.complete);
  EXPECT_NEAR(volume(result.pieces), 1016.0 * 1016, 1);
  EXPECT_FALSE(evaluate(result, Sizes{500, 500}).extrapolated);
}

TEST(Refinement, AnInterruptionBeforeTheFirstFitLeavesNoPieces) {
  CountingSource source(stepped);
  source.max_batches = 0;
  const Model result = refined(source, 2);
  EXPECT_FALSE(result.options.complete);
  EXPECT_TRUE(result.pieces.empty());
}

TEST(Refinement, AResumedRefinementRepeatsNoSampleAndEndsTheSame) {
  CountingSource whole(stepped);
  const Model expected = refined(whole, 2);

  CountingSource first(stepped);
  first.max_batches = 3;
  refined(first, 2);
  std::map<Sizes, Seconds> known;
  for (const Sizes& point : first.asked) {
    known[point] = stepped(point);
  }
  CountingSource second(stepped);
  const Box domain{{8, 8}, {1024, 1024}};
  const Model result = refine(key(), {"m", "n"}, {domain}, total_basis(2, 3), {}, with_known(second.source(), known));
  EXPECT_EQ(result.pieces, expected.pieces);
  EXPECT_EQ(first.asked.size() + second.asked.size(), whole.asked.size());
  for (const Sizes& point : second.asked) {
    EXPECT_FALSE(first.asked.contains(point));
  }
}

TEST(Refinement, SeveralDomainsAreRefinedSeparately) {
  CountingSource source(cubic);
  const std::vector<Box> domain = {{{8}, {128}}, {{1000}, {3000}}};
  const Model result = refine(key(), {"m"}, domain, total_basis(1, 3), {}, source.source());
  EXPECT_EQ(result.pieces.size(), 2U);
  EXPECT_FALSE(evaluate(result, Sizes{100}).extrapolated);
  EXPECT_TRUE(evaluate(result, Sizes{500}).extrapolated);
  EXPECT_FALSE(evaluate(result, Sizes{2000}).extrapolated);
}

TEST(Refinement, AFixedSizeTakesOnePointAndIsNotCut) {
  CountingSource source(stepped);
  const Model result = refine(key(), {"m", "n"}, {{{8, 64}, {1024, 64}}}, total_basis(2, 3), {}, source.source());
  for (const Piece& piece : result.pieces) {
    EXPECT_EQ(piece.box.low[1], 64);
    EXPECT_EQ(piece.box.high[1], 64);
  }
  EXPECT_TRUE(evaluate(result, Sizes{100, 65}).extrapolated);
}

TEST(Refinement, NarrowDomainsLowerTheDegree) {
  CountingSource source(cubic);
  const Model result = refine(key(), {"m"}, {{{8}, {17}}}, total_basis(1, 3), {}, source.source());
  EXPECT_EQ(result.pieces.size(), 1U);
  EXPECT_LE(source.asked.size(), 3U);
}

TEST(Refinement, ErrorTypesDecideWhenToRefine) {
  std::size_t pieces_before = 1000000;
  for (const ErrorType type : {ErrorType::maximum, ErrorType::mean, ErrorType::median}) {
    CountingSource source(stepped);
    RefinementOptions options;
    options.error_type = type;
    const std::size_t pieces = refined(source, 2, options).pieces.size();
    EXPECT_LE(pieces, pieces_before);
    pieces_before = pieces;
  }
}

TEST(Refinement, DepthCanBeLimited) {
  CountingSource source(stepped);
  RefinementOptions options;
  options.max_depth = 1;
  EXPECT_EQ(refined(source, 2, options).pieces.size(), 4U);
}

TEST(Refinement, OptionsSurviveJsonAndAreChecked) {
  RefinementOptions options;
  options.grid = Grid::chebyshev;
  options.error_type = ErrorType::median;
  options.basis = BasisKind::adapted;
  BuildOptions written;
  written.refinement = options;
  BuildOptions read;
  read_options(options_json(written), "refined", read);
  EXPECT_EQ(read, written);

  CountingSource source(cubic);
  options = {};
  options.min_width = 0;
  EXPECT_THROW(refined(source, 1, options), Error);
  options = {};
  options.error_bound = std::nan("");
  EXPECT_THROW(refined(source, 1, options), Error);
  options = {};
  options.oversampling = -1;
  EXPECT_THROW(refined(source, 1, options), Error);
  EXPECT_THROW(nlohmann::json("max").get<ErrorType>(), MemberError);
  EXPECT_THROW(refine(key(), {"m"}, {}, total_basis(1, 3), {}, source.source()), Error);
  EXPECT_THROW(refine(key(), {"m"}, {{{8, 8}, {9, 9}}}, total_basis(1, 3), {}, source.source()), Error);
  EXPECT_TRUE(source.asked.empty());
}

}  // namespace
}  // namespace flopcast::model
