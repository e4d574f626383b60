#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/model/box.hpp"
#include "flopcast/model/polynomial.hpp"

namespace flopcast::model {

/// The monomials that a fit may use. Every basis contains the divisors of its monomials, so that a shift of the origin changes nothing.
enum class BasisKind : std::uint8_t {
  total,    ///< all monomials whose exponents add up to at most the degree (paper 000's polynomials of degree 3)
  tensor,   ///< all monomials whose exponents are each at most the degree
  adapted,  ///< the divisors of the monomials of the kernel's flops and footprint: {1, m, n, k, mn, mk, nk, mnk} for gemm
};

std::vector<Monomial> total_basis(std::size_t dimensions, int degree);
std::vector<Monomial> tensor_basis(std::size_t dimensions, int degree);

/// Returns the divisors of all monomials of `function` over `domain`, found from its finite differences. If the function is a polynomial
/// only piecewise, such as min(m, n), the monomials of all its pieces count. Exponents are at most 3; fixed dimensions of `domain` have
/// exponent 0.
std::vector<Monomial> divisors(const std::function<double(std::span<const std::int64_t>)>& function, const Box& domain);

/// Returns the basis that is adapted to the flops and the operands' bytes of `call`, whose sizes are replaced.
std::vector<Monomial> adapted_basis(const Call& call, const Box& domain);

/// Returns the basis of `kind` for `domain`. The adapted basis needs `call`, whose flags matter; the others need `degree`.
std::vector<Monomial> basis(BasisKind kind, int degree, const Call& call, const Box& domain);

/// Returns the largest exponent in every dimension.
std::vector<int> degrees(const std::vector<Monomial>& monomials, std::size_t dimensions);

/// Returns `call` with its size arguments replaced; leading dimensions stay unchanged.
Call with_sizes(Call call, std::span<const std::int64_t> sizes);

}  // namespace flopcast::model
