#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/routine.hpp"

namespace flopcast::contract {

/// The three tensors of C := A B; values are indices into arrays of three.
enum class Place : std::uint8_t { a, b, c };
inline constexpr std::array<Place, 3> places = {Place::a, Place::b, Place::c};
/// 'A', 'B' or 'C'.
char letter(Place place);

/// Which indices each tensor has, in the order in which the notation names them.
struct Notation {
  std::string a, b, c;
  friend bool operator==(const Notation&, const Notation&) = default;
};

/// Reads `abc=ai,ibc` (paper 002's names of files), `C_abc := A_ai B_ibc` (its text; braces and spaces are allowed) or einsum's
/// `ai,ibc->abc`; an index is one letter, a scalar has none. Throws bad_input if it is none of these, an index is repeated within a tensor,
/// is in one tensor only, or is in C alone.
Notation parse_notation(std::string_view text);

/// `abc=ai,ibc`.
std::string to_string(const Notation& notation);

/// Number of elements along every index.
using Extents = std::map<char, std::int64_t>;

/// Reads `a=400`, `a=b=c=400`, and several of these separated by commas. Throws bad_input naming an index that is given twice with
/// different values, is unknown, is missing, or whose size is not in [1, 2^31 - 1] (BLAS takes 32-bit integers).
Extents parse_extents(std::span<const std::string> words, const Notation& notation);

/// How a tensor lies in memory unless strides are given.
enum class Order : std::uint8_t { column_major, row_major };

/// One tensor: element (i0, i1, ...) lies `strides[0] i0 + strides[1] i1 + ...` elements from its first.
struct Tensor {
  std::string indices;
  std::vector<std::int64_t> strides;

  [[nodiscard]] bool has(char index) const { return indices.find(index) != std::string::npos; }
  /// 0 for an index that it doesn't have.
  [[nodiscard]] std::int64_t stride(char index) const;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// What an index does: free in A or B, contracted, or in all three tensors.
enum class Role : std::uint8_t { free_a, free_b, contracted, batch };

/// C := alpha A B + beta C with sizes and strides.
struct Contraction {
  Precision precision = Precision::d;
  Extents extents;
  std::array<Tensor, 3> tensors;  ///< by Place

  [[nodiscard]] const Tensor& tensor(Place place) const { return tensors[static_cast<std::size_t>(place)]; }
  [[nodiscard]] std::int64_t extent(char index) const { return extents.at(index); }
  [[nodiscard]] Notation notation() const { return {tensors[0].indices, tensors[1].indices, tensors[2].indices}; }
  [[nodiscard]] Role role(char index) const;
  /// Indices of one role: contracted ones as A has them, the others as C has them.
  [[nodiscard]] std::string indices(Role role) const;
  /// Every index once: contracted ones, then those of C.
  [[nodiscard]] std::string indices() const;
  /// Elements of a tensor.
  [[nodiscard]] std::int64_t elements(Place place) const;
  friend bool operator==(const Contraction&, const Contraction&) = default;
};

/// Dense tensors in the given order. Throws bad_input if an extent is missing or negative, or a tensor has more bytes than an address can
/// hold.
Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision = Precision::d,
                             Order order = Order::column_major);

/// The same with strides in elements, in the order of the notation's indices; an empty list means dense in `order`. Throws bad_input if
/// their number is wrong, or if two elements of C would lie at one address.
Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision, Order order,
                             const std::array<std::vector<std::int64_t>, 3>& strides);

/// Floating-point operations: a multiplication and an addition for every combination of all indices; a complex pair counts 8.
double flops(const Contraction& contraction);

}  // namespace flopcast::contract
