#include "flopcast/contract/einsum/pair_method.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace flopcast::contract {
namespace {

using Dimensions = std::vector<LabelDimension>;

LabelDimension in_the_result(std::int64_t extent, std::int64_t a, std::int64_t b, std::int64_t d) { return {0, extent, {a, b, d}, true}; }
LabelDimension summed(std::int64_t extent, std::int64_t a, std::int64_t b) { return {0, extent, {a, b, 0}, false}; }

/// The product of two matrices of 100 rows and columns.
Dimensions product() { return {in_the_result(100, 100, 0, 100), in_the_result(100, 0, 1, 1), summed(100, 1, 100)}; }

constexpr double elements_of_product = 100 * 100;

PairMethod method_of(const Dimensions& dimensions, std::array<bool, 2> conjugated = {}, bool has_tiles = false) {
  return choose_method({dimensions, 2, true, conjugated, elements_of_product, has_tiles});
}

TEST(PairMethod, PlansAProductOfMatrices) {
  const PairMethod method = method_of(product());
  EXPECT_TRUE(method.needs_blas);
  EXPECT_FALSE(method.flips || method.factor);
  EXPECT_EQ(method.preparations, (std::array{Preparation::none, Preparation::none}));
}

TEST(PairMethod, SumsOneOperandWhereItLies) {
  const Dimensions sum = {in_the_result(100, 100, 0, 1), summed(100, 1, 0)};
  PairMethod expected;
  expected.conjugated = {true, false};
  EXPECT_EQ(choose_method({sum, 1, true, {true, false}, 100, false}), expected);
}

TEST(PairMethod, TakesANumberAsAFactor) {
  const Dimensions scaled_b = {summed(7, 1, 0), in_the_result(100, 0, 1, 1)}, scaled_a = {in_the_result(100, 1, 0, 1)};
  PairMethod method = method_of(scaled_b);
  EXPECT_EQ(method.factor, in_a);
  EXPECT_EQ(method.first, in_b);
  EXPECT_EQ(method.preparations, (std::array{Preparation::sum, Preparation::none}));
  EXPECT_FALSE(method.needs_blas);
  method = method_of(scaled_a);
  EXPECT_EQ(method.factor, in_b);
  EXPECT_EQ(method.first, in_a);
  EXPECT_EQ(method.preparations, (std::array{Preparation::none, Preparation::none}));
}

TEST(PairMethod, SumsLabelsOfOneOperandFirst) {
  Dimensions dimensions = product();
  dimensions[0].strides[in_a] = 700;
  dimensions[2].strides[in_a] = 7;
  dimensions.push_back(summed(7, 1, 0));
  const PairMethod method = method_of(dimensions, {true, false});
  EXPECT_TRUE(method.needs_blas);
  EXPECT_EQ(method.preparations, (std::array{Preparation::sum, Preparation::none}));
  EXPECT_TRUE(method.conjugated[in_a]) << "the sum conjugates";
}

TEST(PairMethod, ConjugatesWhatTakesFewestCopies) {
  PairMethod method = method_of(product(), {true, false});
  EXPECT_FALSE(method.flips) << "D would be passed twice";
  EXPECT_EQ(method.preparations, (std::array{Preparation::conjugate, Preparation::none}));
  Dimensions flat = product();  // D has 10 000 elements, A and B 1 000 000 each
  flat[2] = summed(10'000, 1, 100);
  flat[0].strides[in_a] = 10'000;
  method = method_of(flat, {true, true});
  EXPECT_TRUE(method.flips);
  EXPECT_EQ(method.preparations, (std::array{Preparation::none, Preparation::none}));
  EXPECT_EQ(method.conjugated, (std::array{false, false}));
}

TEST(PairMethod, NeedsNoBlasForElementwiseAndTinyProducts) {
  const Dimensions elementwise = {in_the_result(1000, 1, 1, 1), in_the_result(1000, 1000, 0, 1000)};
  const Dimensions dot = {summed(100'000, 1, 1)};
  const Dimensions tiny = {in_the_result(6, 6, 0, 6), in_the_result(6, 0, 1, 1), summed(6, 1, 6)};
  for (const Dimensions& dimensions : {elementwise, dot, tiny}) {
    EXPECT_FALSE(method_of(dimensions).needs_blas);
    EXPECT_TRUE(method_of(dimensions, {}, true).needs_blas) << "tiles are asked for";
  }
}

TEST(PairMethod, DirectSumsBeginWithTheConjugatedOperand) {
  const Dimensions dot = {summed(1000, 1, 1)};
  EXPECT_EQ(method_of(dot, {false, true}).first, in_b);
  EXPECT_EQ(method_of(dot, {true, true}).first, in_a);
  EXPECT_EQ(method_of(dot).first, in_a);
}

TEST(PairMethod, ArrangesALargeOperandOfAPlanWhoseOrderDiffersFromTheResults) {
  using Preparations = std::array<Preparation, 2>;
  // ed,afbdc->acebf with sizes a = b = c = f = 12, d = 10, e = 4
  const Dimensions permuted = {in_the_result(12, 0, 17'280, 6912), in_the_result(12, 0, 1, 576),  in_the_result(4, 10, 0, 144),
                               in_the_result(12, 0, 120, 12),      in_the_result(12, 0, 1440, 1), summed(10, 1, 12)};
  PairMethod method = method_of(permuted);
  EXPECT_TRUE(method.needs_blas);
  EXPECT_EQ(method.preparations, (Preparations{Preparation::none, Preparation::arrange}));
  EXPECT_EQ(method_of(permuted, {}, true).preparations, (Preparations{})) << "tiles are asked for";
  const auto place = [&](std::size_t i) { return place_of_arranged(permuted[i], permuted, in_b); };
  EXPECT_LT(place(4), place(3)) << "D's order";
  EXPECT_LT(place(0), place(5)) << "summed dimensions come last";
  Dimensions as_in_d = permuted;
  for (const std::size_t i : {0, 1, 3, 4}) {
    as_in_d[i].strides[in_b] = 10 * as_in_d[i].strides[in_c];
  }
  EXPECT_EQ(method_of(as_in_d).preparations, (Preparations{}));
  Dimensions often = permuted;
  often[2] = in_the_result(400, 10, 0, 20'736);
  EXPECT_EQ(method_of(often).preparations, (Preparations{})) << "400 products with each element";
}

TEST(PairMethod, ComputesASmallResultInTheOrderOfTheOperandThatIsRead) {
  // ecadb,d->abce column-major, with sizes a = 32, b = 60, c = 6, d = 11, e = 11
  Dimensions vector = {in_the_result(32, 66, 0, 1), in_the_result(60, 23'232, 0, 32), in_the_result(6, 11, 0, 1920),
                       in_the_result(11, 1, 0, 11'520), summed(11, 2112, 1)};
  PairMethod method = method_of(vector);
  EXPECT_TRUE(method.needs_blas);
  EXPECT_EQ(method.preparations, (std::array{Preparation::none, Preparation::none}));
  EXPECT_EQ(method.leader, in_a);
  EXPECT_FALSE(method_of(vector, {}, true).leader) << "tiles are asked for";
  Dimensions matrix = vector;
  matrix.push_back(in_the_result(3, 0, 11, 126'720));
  EXPECT_TRUE(method_of(matrix).leader);
  for (LabelDimension& dimension : matrix) {
    dimension.extent = std::min<std::int64_t>(dimension.extent, 12);
  }
  EXPECT_FALSE(method_of(matrix).leader) << "the operand fits into the caches";
  vector.back().extent = 1;
  EXPECT_FALSE(method_of(vector).leader) << "the result is as large as the operand";
}

TEST(PairMethod, ConjugatesAnArrangedOperandInTheProduct) {
  const Dimensions dot = {summed(100, 1, 70), summed(70, 100, 1)};
  const PairMethod method = method_of(dot, {false, true});
  EXPECT_EQ(method.preparations, (std::array{Preparation::none, Preparation::arrange}));
  EXPECT_EQ(method.first, in_b);
}

TEST(PairMethod, CopiesNoSlidingWindows) {
  const Dimensions windows = {in_the_result(1000, 1, 0, 1), in_the_result(50, 0, 1, 1000), summed(1000, 1, 50)};
  EXPECT_TRUE(method_of(windows).needs_blas) << "nothing is copied";
  const PairMethod method = method_of(windows, {true, false});
  EXPECT_FALSE(method.needs_blas) << "the conjugate of 1999 numbers would take a million";
  EXPECT_EQ(method.preparations, (std::array{Preparation::none, Preparation::none}));
}

TEST(PairMethod, MultipliesBatchesOfMatricesAndVectorsInPlace) {
  const Dimensions batch = {in_the_result(64, 1, 1, 1), in_the_result(200, 64, 0, 64), summed(200, 12'800, 64)};
  EXPECT_FALSE(method_of(batch).needs_blas);
  Dimensions apart = batch;
  apart[0] = in_the_result(64, 40'000, 200, 200);
  apart[1] = in_the_result(200, 1, 0, 1);
  apart[2] = summed(200, 200, 1);
  EXPECT_TRUE(method_of(apart).needs_blas);
}

TEST(PairMethod, ComputesOuterProductsInPlaceAlongLongRows) {
  const Dimensions rows = {in_the_result(200, 0, 1, 1), in_the_result(200, 1, 0, 200)};
  EXPECT_FALSE(method_of(rows).needs_blas);
  Dimensions pairs = rows;
  pairs[0] = in_the_result(2, 0, 1, 1);
  pairs.push_back(in_the_result(100, 0, 2, 400));
  pairs[1].strides[in_c] = 2;
  EXPECT_TRUE(method_of(pairs).needs_blas) << "rows of two elements";
  Dimensions large = rows;
  large[1].extent = 50'000;
  EXPECT_TRUE(method_of(large).needs_blas) << "D is written past the caches";
}

TEST(PairMethod, ArrangesWhatIsReadInAnotherOrder) {
  using Preparations = std::array<Preparation, 2>;
  const Dimensions turned = {in_the_result(50, 8, 1, 1), in_the_result(40, 0, 50, 50), in_the_result(8, 1, 0, 2000)};  // bc,ab->cab
  EXPECT_EQ(method_of(turned).preparations, (Preparations{Preparation::arrange, Preparation::none})) << "A is read 40 times";
  const Dimensions large = {in_the_result(5000, 80, 1, 1), in_the_result(2, 0, 5000, 5000), in_the_result(80, 1, 0, 10'000)};
  EXPECT_EQ(method_of(large).preparations, (Preparations{})) << "a copy would take as long as the product";
  const Dimensions few = {in_the_result(4, 8, 1, 1), in_the_result(40, 0, 4, 4), in_the_result(8, 1, 0, 160)};
  EXPECT_EQ(method_of(few).preparations, (Preparations{})) << "32 numbers are collected before a copy has begun";
  const Dimensions dot = {summed(100, 1, 70), summed(70, 100, 1)}, same = {summed(100, 1, 1), summed(70, 100, 100)};
  EXPECT_EQ(method_of(dot).preparations, (Preparations{Preparation::none, Preparation::arrange}));
  EXPECT_EQ(method_of(same).preparations, (Preparations{}));
  const Dimensions windows = {summed(100, 1, 1), summed(70, 100, 1)};
  EXPECT_EQ(method_of(windows).preparations, (Preparations{})) << "a copy of 169 numbers would take 7000";
}

}  // namespace
}  // namespace flopcast::contract
