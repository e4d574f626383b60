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

/// Which monomials a fit may use. Every basis holds the divisors of its monomials, so that shifting the origin changes nothing.
enum class BasisKind : std::uint8_t {
  total,    ///< all whose exponents add up to at most the degree (paper 000's polynomials of degree 3)
  tensor,   ///< all whose every exponent is at most the degree
  adapted,  ///< the divisors of the monomials of the kernel's flops and footprint: {1, m, n, k, mn, mk, nk, mnk} for gemm
};

/// `total`, `tensor`, `adapted`; the second throws bad_input naming these.
std::string_view to_string(BasisKind kind);
BasisKind parse_basis_kind(std::string_view text);

std::vector<Monomial> total_basis(std::size_t dimensions, int degree);
std::vector<Monomial> tensor_basis(std::size_t dimensions, int degree);

/// The divisors of all monomials of `function` over `domain`, found from its finite differences; where it is a polynomial only piecewise
/// (`min(m, n)`), of all its pieces. Exponents are at most 3; fixed dimensions of `domain` have exponent 0.
std::vector<Monomial> divisors(const std::function<double(std::span<const std::int64_t>)>& function, const Box& domain);

/// The basis adapted to the flops and the operands' bytes of `call`, whose sizes are replaced.
std::vector<Monomial> adapted_basis(const Call& call, const Box& domain);

/// The basis of `kind` for `domain`; `call` (its flags matter) is needed for the adapted one, `degree` for the others.
std::vector<Monomial> basis(BasisKind kind, int degree, const Call& call, const Box& domain);

/// Largest exponent of every dimension.
std::vector<int> degrees(const std::vector<Monomial>& monomials, std::size_t dimensions);

/// `call` with its size arguments replaced; leading dimensions stay as they are.
Call with_sizes(Call call, std::span<const std::int64_t> sizes);

}  // namespace flopcast::model
