#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/model_json.hpp"

#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

/// Returns the polynomial 1 + 2 u + 3 u v^2 with u = (m - 10) / 5, v = n.
Polynomial example_polynomial() { return {{10, 0}, {5, 1}, {Monomial{0, 0}, Monomial{1, 0}, Monomial{1, 2}}, {1, 2, 3}}; }

TEST(Polynomial, SumsItsMonomials) {
  EXPECT_EQ(value(example_polynomial(), std::vector<double>{10, 7}), 1);
  EXPECT_EQ(value(example_polynomial(), std::vector<double>{15, 2}), 1 + 2 + 12);
  EXPECT_EQ(value(example_polynomial(), std::vector<double>{5, 2}), 1 - 2 - 12);
}

TEST(Polynomial, SurvivesJson) {
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(example_polynomial()).dump()).get<Polynomial>(), example_polynomial());
}

TEST(Polynomial, RefusesDamagedJson) {
  const auto with = [](const char* member, const nlohmann::json& value) {
    nlohmann::json json = example_polynomial();
    json[member] = value;
    return json;
  };
  EXPECT_THROW(with("coefficients", {1, 2}).get<Polynomial>(), Error);
  EXPECT_THROW(with("scale", {0, 1}).get<Polynomial>(), Error);
  EXPECT_THROW(with("scale", {1}).get<Polynomial>(), Error);
  EXPECT_THROW(with("monomials", {{0, 0}, {1, 0}, {1, 9}}).get<Polynomial>(), Error);
  EXPECT_THROW(with("monomials", {{0, 0}, {1, 0}, {1}}).get<Polynomial>(), Error);
  EXPECT_THROW(with("coefficients", {1, 2, nullptr}).get<Polynomial>(), nlohmann::json::exception);
}

}  // namespace
}  // namespace flopcast::model
