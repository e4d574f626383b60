// Statements on models of section 2 of Peise and Bientinesi, Cache-aware Performance Modeling and Prediction for Dense Linear Algebra, 2014.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/model/refinement.hpp"

namespace flopcast::model {
namespace {

/// Section 2.3: m, n in [8, 1024].
const Box domain{{8, 8}, {1024, 1024}};

/// Time like dtrsm's: efficiency rises with both sizes, with steps at the block sizes of a library and beyond a cache.
Seconds trsm_like(const Sizes& sizes) {
  const auto m = static_cast<double>(sizes[0]);
  const auto n = static_cast<double>(sizes[1]);
  const double blocking = (m < 200 ? 0.75 : 1) * (n < 380 ? 0.8 : 1) * (m > 700 ? 0.85 : 1);
  const double efficiency = m / (m + 12) * n / (n + 6) * blocking;
  return 200e-9 + m * m * n / (12e9 * efficiency);
}

Model model_of(const RefinementOptions& options, std::set<Sizes>* sampled = nullptr) {
  const SampleSource source = [sampled](std::span<const Sizes> points) -> std::optional<MeasuredBatch> {
    MeasuredBatch measured;
    for (const Sizes& point : points) {
      measured.seconds.push_back(trsm_like(point));
      if (sampled != nullptr) {
        sampled->insert(point);
      }
    }
    return measured;
  };
  return refine({}, {"m", "n"}, {domain}, total_basis(2, options.degree), options, source);
}

/// Errors "in each point of the covered domain that is a multiple of 8 along both m and n" (section 2.4).
std::vector<double> errors_on_multiples_of_8(const Model& model) {
  std::vector<double> errors;
  for (std::int64_t m = 8; m <= 1024; m += 8) {
    for (std::int64_t n = 8; n <= 1024; n += 8) {
      errors.push_back(std::fabs(evaluate(model, Sizes{m, n}).seconds / trsm_like({m, n}) - 1));
    }
  }
  return errors;
}

TEST(Peise2014Models, DefaultsAreThoseOfSection22) {
  const RefinementOptions options;
  EXPECT_EQ(options.min_width, 8);
  EXPECT_EQ(options.grid, Grid::gaussian);
  EXPECT_EQ(options.error_bound, 0.05);
  EXPECT_EQ(options.min_size, 32);
  EXPECT_EQ(options.degree, 3);
  EXPECT_EQ(options.oversampling, 1);
  EXPECT_EQ(options.error_type, ErrorType::maximum);
}

TEST(Peise2014Models, OversamplingByOneGivesFivePointsPerDimension) {
  EXPECT_EQ(grid_counts(total_basis(2, 3), domain, 1), (std::vector<int>{5, 5}));
  EXPECT_EQ(grid_counts(total_basis(2, 3), domain, 0), (std::vector<int>{4, 4}));  // Fig. 4a: "4 (i.e., oversampling of 0)"
  EXPECT_EQ(grid_points(domain, {5, 5}, Grid::gaussian, 8).size(), 25U);
}

TEST(Peise2014Models, CoordinatesAreMultiplesOfEight) {
  std::set<Sizes> sampled;
  model_of({}, &sampled);
  for (const Sizes& point : sampled) {
    EXPECT_EQ(point[0] % 8, 0);
    EXPECT_EQ(point[1] % 8, 0);
  }
}

TEST(Peise2014Models, SubSpacesAreSplitIntoFourAndNeverNarrowerThan32) {
  EXPECT_EQ(subdivide(domain, 32, 8).size(), 4U);
  const Model model = model_of({});
  for (const Piece& piece : model.pieces) {
    EXPECT_GE(piece.box.high[0] - piece.box.low[0], 32);
    EXPECT_GE(piece.box.high[1] - piece.box.low[1], 32);
  }
}

TEST(Peise2014Models, TheFineModelIsFinerAndBetterThanTheRoughOne) {
  RefinementOptions rough;  // section 2.3: 4 grid points along each axis, average error
  rough.oversampling = 0;
  rough.error_type = ErrorType::mean;
  const Model coarse = model_of(rough);
  const Model fine = model_of({});
  EXPECT_GT(fine.pieces.size(), coarse.pieces.size());
  EXPECT_GT(fine.cost.samples, coarse.cost.samples);
  EXPECT_LT(summarise(errors_on_multiples_of_8(fine)).mean, summarise(errors_on_multiples_of_8(coarse)).mean);
}

TEST(Peise2014Models, ErrorsAreMostlyWellBelowTwoPercent) {
  const Summary errors = summarise(errors_on_multiples_of_8(model_of({})));
  EXPECT_LT(errors.median, 0.01);
  EXPECT_LT(errors.third_quartile, 0.02);
}

TEST(Peise2014Models, FlagsAndSpecialScalarsHaveSubModelsOfTheirOwn) {
  const Routine& trsm = kernel::require("dtrsm");
  std::set<ModelKey> keys;
  for (const char* side : {"L", "R"}) {
    for (const char* alpha : {"-1", "0", "1", "0.5", "2.5"}) {
      for (const char* cache : {"warm", "cold"}) {
        keys.insert(model_key(kernel::parse_call(trsm, {{"side", side}, {"alpha", alpha}, {"m", "64"}, {"n", "64"}}), cache, ""));
      }
    }
  }
  EXPECT_EQ(keys.size(), 2U * 4U * 2U);  // 0.5 and 2.5 are both the general case
}

TEST(Peise2014Models, SizesShareASubModel) {
  const Routine& trsm = kernel::require("dtrsm");
  EXPECT_EQ(model_key(kernel::parse_call(trsm, {{"m", "64"}, {"n", "64"}}), "warm", ""),
            model_key(kernel::parse_call(trsm, {{"m", "1000"}, {"n", "8"}}), "warm", ""));
}

}  // namespace
}  // namespace flopcast::model
