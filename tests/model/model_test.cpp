#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/model_json.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

Piece piece(Box box, Polynomial polynomial, double error) {
  Piece made;
  made.box = std::move(box);
  made.polynomial = std::move(polynomial);
  made.floor = 1e-9;
  made.error = {error, error, error, error};
  made.samples = 5;
  return made;
}

/// Returns a model with n^3 nanoseconds up to 64, then n^2 microseconds up to 128.
Model example() {
  Model model;
  model.key = {"dpotf2", "L", "", ".", "warm", 1, "3f2a91bc77aa"};
  model.generator = "refined";
  model.options.refinement.emplace().degree = 2;
  model.options.cache = "warm";
  model.sizes = {"n"};
  model.domain = {{{8}, {128}}};
  model.pieces = {piece({{8}, {64}}, {{0}, {1}, {Monomial{3}}, {1e-9}}, 0.01),
                  piece({{64}, {128}}, {{0}, {1}, {Monomial{2}}, {1e-6}}, 0.02)};
  model.cost = {10, 0.5};
  return model;
}

TEST(Model, EvaluatesTheMatchingPiece) {
  const Model model = example();
  EXPECT_NEAR(evaluate(model, Sizes{10}).seconds, 1e-6, 1e-18);
  EXPECT_EQ(evaluate(model, Sizes{10}).relative_error, 0.01);
  EXPECT_FALSE(evaluate(model, Sizes{10}).extrapolated);
  EXPECT_NEAR(evaluate(model, Sizes{100}).seconds, 1e-2, 1e-12);
  EXPECT_EQ(evaluate(model, Sizes{100}).relative_error, 0.02);
}

TEST(Model, OnASharedFaceTheFirstPieceHolds) { EXPECT_NEAR(evaluate(example(), Sizes{64}).seconds, 64.0 * 64 * 64 * 1e-9, 1e-12); }

TEST(Model, ExtrapolatesWithTheLocalExponentAndSaysSo) {
  const Estimate above = evaluate(example(), Sizes{256});
  EXPECT_TRUE(above.extrapolated);
  EXPECT_NEAR(above.seconds, 256.0 * 256 * 1e-6, 1e-9);
  EXPECT_NEAR(above.relative_error, 0.02 + 0.5, 1e-12);
  const Estimate below = evaluate(example(), Sizes{4});
  EXPECT_TRUE(below.extrapolated);
  EXPECT_NEAR(below.seconds, 64e-9, 1e-12);
  EXPECT_EQ(evaluate(example(), Sizes{0}).seconds, 0);
  EXPECT_TRUE(evaluate(example(), Sizes{0}).extrapolated);
}

TEST(Model, ExtrapolationStaysFiniteForAbsurdSizes) {
  for (const std::int64_t size : {std::int64_t{1} << 40, std::int64_t{-5}}) {
    const Estimate estimate = evaluate(example(), Sizes{size});
    EXPECT_TRUE(estimate.extrapolated);
    EXPECT_TRUE(std::isfinite(estimate.seconds) && estimate.seconds >= 0);
    EXPECT_TRUE(std::isfinite(estimate.relative_error));
  }
}

TEST(Model, NeverGoesBelowTheFloor) {
  Model model = example();
  model.pieces[0].polynomial.coefficients[0] = -1;
  EXPECT_EQ(evaluate(model, Sizes{10}).seconds, 1e-9);
}

TEST(Model, FootprintsChooseAmongPiecesOfOneBox) {
  Model model = example();
  model.pieces[0].box = model.pieces[1].box = model.domain[0];
  model.footprint = {{0}, {1}, {Monomial{2}}, {8}};  // 8 n^2 bytes
  model.pieces[0].bytes_high = model.pieces[1].bytes_low = 8.0 * 32 * 32;
  EXPECT_NEAR(evaluate(model, Sizes{31}).seconds, 31.0 * 31 * 31 * 1e-9, 1e-15);
  EXPECT_NEAR(evaluate(model, Sizes{32}).seconds, 32.0 * 32 * 1e-6, 1e-15);
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(model).dump()).get<Model>(), model);
}

TEST(Model, WrongNumberOfSizesIsRefused) {
  EXPECT_THROW(evaluate(example(), Sizes{10, 10}), Error);
  EXPECT_THROW(evaluate(example(), Sizes{}), Error);
}

TEST(Model, SurvivesJson) { EXPECT_EQ(nlohmann::json::parse(nlohmann::json(example()).dump()).get<Model>(), example()); }

TEST(Model, ReadsOptionsOfEarlierDocuments) {
  nlohmann::json json = example();
  json["options"] = {{"degree", 3}};
  BuildOptions expected;
  expected.refinement.emplace();
  EXPECT_EQ(json.get<Model>().options, expected);
  json["options"] = {{"degree", "three"}};
  EXPECT_THROW(json.get<Model>(), Error);
}

TEST(Model, RefusesDamagedJson) {
  const auto without = [](const char* member) {
    nlohmann::json json = example();
    json.erase(member);
    return json;
  };
  for (const char* member : {"schema", "key", "generator", "options", "sizes", "domain", "pieces", "cost"}) {
    EXPECT_THROW(without(member).get<Model>(), Error) << member;
  }
  nlohmann::json empty = example();
  empty["pieces"] = nlohmann::json::array();
  EXPECT_THROW(empty.get<Model>(), Error);
  nlohmann::json other = example();
  other["sizes"] = {"m", "n"};
  EXPECT_THROW(other.get<Model>(), Error);
  EXPECT_THROW(nlohmann::json::array().get<Model>(), Error);
}

TEST(Model, NameTellsModelsApart) {
  Model model = example();
  EXPECT_EQ(name(model), "dpotf2.L.warm.refined.3f2a91bc");
  model.key = {"dtrsm", "LLNU", "-", ".p", "cold", 2, "3f2a91bc77aa"};
  EXPECT_EQ(name(model), "dtrsm.LLNU.m._p.cold.x2.refined.3f2a91bc");
}

}  // namespace
}  // namespace flopcast::model
