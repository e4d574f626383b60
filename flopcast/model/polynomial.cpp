#include "flopcast/core/kernel_model.hpp"

#include "flopcast/model/model_json.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::model {
namespace {

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void check(const Polynomial& polynomial) {
  const std::size_t dimensions = polynomial.centre.size();
  if (dimensions == 0 || dimensions > max_sizes || polynomial.scale.size() != dimensions ||
      polynomial.coefficients.size() != polynomial.monomials.size()) {
    throw bad_input("a polynomial has {} centres, {} scales, {} monomials and {} coefficients", dimensions, polynomial.scale.size(),
                    polynomial.monomials.size(), polynomial.coefficients.size());
  }
  if (!finite(polynomial.centre) || !finite(polynomial.scale) || !finite(polynomial.coefficients) ||
      std::any_of(polynomial.scale.begin(), polynomial.scale.end(), [](double s) { return s <= 0; })) {
    throw bad_input("a polynomial has a number that isn't finite, or a scale that isn't positive");
  }
}

Monomial monomial_from_json(const nlohmann::json& json, std::size_t dimensions) {
  const auto exponents = json.get<std::vector<int>>();
  if (exponents.size() != dimensions) {
    throw bad_input("a monomial has {} exponents, expected {}", exponents.size(), dimensions);
  }
  Monomial monomial{};
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (exponents[d] < 0 || exponents[d] > highest_degree) {
      throw bad_input("a monomial has the exponent {}, expected 0 to {}", exponents[d], highest_degree);
    }
    monomial[d] = static_cast<std::uint8_t>(exponents[d]);
  }
  return monomial;
}

}  // namespace

double value(const Polynomial& polynomial, std::span<const double> point) noexcept {
  const std::size_t dimensions = point.size();
  std::array<std::array<double, highest_degree + 1>, max_sizes> powers;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const double x = (point[d] - polynomial.centre[d]) / polynomial.scale[d];
    powers[d][0] = 1;
    for (std::size_t e = 1; e <= highest_degree; ++e) {
      powers[d][e] = powers[d][e - 1] * x;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < polynomial.monomials.size(); ++i) {
    double term = polynomial.coefficients[i];
    for (std::size_t d = 0; d < dimensions; ++d) {
      term *= powers[d][polynomial.monomials[i][d]];
    }
    sum += term;
  }
  return sum;
}

void to_json(nlohmann::json& json, const Polynomial& polynomial) {
  nlohmann::json monomials = nlohmann::json::array();
  for (const Monomial& monomial : polynomial.monomials) {
    monomials.push_back(std::vector<int>(monomial.begin(), monomial.begin() + static_cast<std::ptrdiff_t>(polynomial.centre.size())));
  }
  json = {{"centre", polynomial.centre}, {"scale", polynomial.scale}, {"monomials", monomials}, {"coefficients", polynomial.coefficients}};
}

void from_json(const nlohmann::json& json, Polynomial& polynomial) {
  polynomial = {};
  read_member(json, "centre", polynomial.centre);
  read_member(json, "scale", polynomial.scale);
  read_member(json, "coefficients", polynomial.coefficients);
  for (const nlohmann::json& monomial : json.at("monomials")) {
    polynomial.monomials.push_back(monomial_from_json(monomial, polynomial.centre.size()));
  }
  check(polynomial);
}

}  // namespace flopcast::model
