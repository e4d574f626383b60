#pragma once

/// Models of kernels, polynomials on boxes of sizes, and the options of building them.
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {

/// The size arguments of a call, in the order of the interface.
using Sizes = std::vector<std::int64_t>;

/// An upper bound for the number of sizes of any routine (tpmqrt has five: m, n, k, l, nb).
inline constexpr std::size_t max_sizes = 6;

/// A hyper-cuboid of sizes, both ends included: low[d] <= sizes[d] <= high[d]. A dimension with low = high is fixed.
struct Box {
  Sizes low, high;

  [[nodiscard]] std::size_t dimensions() const noexcept { return low.size(); }
  [[nodiscard]] bool contains(std::span<const std::int64_t> sizes) const noexcept;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Throws bad_input unless `box` has 1 to max_sizes dimensions and 0 <= low <= high in each.
void check(const Box& box);

/// Returns the point of `box` that is nearest to `sizes`.
Sizes nearest_point(const Box& box, std::span<const std::int64_t> sizes);

/// Returns the box with the smallest distance to `sizes`: the sum over the dimensions of |log(size / nearest size inside)|. Requires at
/// least one box.
const Box& nearest_box(std::span<const Box> boxes, std::span<const std::int64_t> sizes);

/// Cuts `box` into halves of roughly equal size in every dimension in which both halves are at least `min_size` wide (Peise and Bientinesi
/// 2014, section 2.2). Cuts lie at multiples of `min_width`. Returns up to 2^d boxes that share their faces, or only `box` itself if no
/// dimension can be cut.
std::vector<Box> subdivide(const Box& box, std::int64_t min_size, std::int64_t min_width);

/// The exponents of a monomial, one per size; those beyond the number of sizes are 0.
using Monomial = std::array<std::uint8_t, max_sizes>;

/// The highest exponent of a size: the complexity of a kernel is at most O(n^3) (Iakymchuk 2011), and one more for safety.
inline constexpr int highest_degree = 4;

/// A polynomial in several sizes: sum over i of coefficients[i] * product over d of ((sizes[d] - centre[d]) / scale[d]) ^ monomials[i][d].
struct Polynomial {
  std::vector<double> centre, scale;
  std::vector<Monomial> monomials;
  std::vector<double> coefficients;
  friend bool operator==(const Polynomial&, const Polynomial&) = default;
};

/// Returns the value at `point`, which has as many coordinates as the polynomial has sizes.
double value(const Polynomial& polynomial, std::span<const double> point) noexcept;

/// The monomials that a fit may use. Every basis contains the divisors of its monomials, so that a shift of the origin changes nothing.
enum class BasisKind : std::uint8_t {
  total,    ///< all monomials whose exponents add up to at most the degree (polynomials of degree 3 as in Peise and Bientinesi 2014)
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

/// The distribution of sampling points along each dimension of a box (Peise and Bientinesi 2014, section 2.2).
enum class Grid : std::uint8_t {
  gaussian,   ///< roots of the Legendre polynomial
  chebyshev,  ///< roots of the Chebyshev polynomial, denser at the ends
  regular,    ///< evenly spaced, both ends included
};

/// Returns `count` ascending nodes in [-1, 1]; a single node is 0.
std::vector<double> nodes(Grid grid, int count);

/// Returns the Cartesian product of counts[d] nodes along every dimension of `box`, rounded to multiples of `min_width` and kept inside
/// the box. Points that become equal are returned once.
std::vector<Sizes> grid_points(const Box& box, const std::vector<int>& counts, Grid grid, std::int64_t min_width);

/// Relative errors |polynomial - sample| / sample of a fit over its samples.
struct FitError {
  double maximum = 0, mean = 0, median = 0;
  /// Standard deviation of the samples around the fit: root of the sum of squared errors / (samples - monomials). 1 if the fit has as many
  /// monomials as samples, because its errors then carry no information.
  double deviation = 0;
  friend bool operator==(const FitError&, const FitError&) = default;
};

struct Fit {
  Polynomial polynomial;
  FitError error;
};

/// Returns the polynomial over `monomials` with the least sum of squared relative errors at `points`, by QR with column pivoting of the
/// columns scaled to unit length. Sizes are centred and scaled by `box`. Monomials that the points can't distinguish get no share: powers
/// of a size with too few distinct values, and columns that depend on others. Throws bad_input unless there are points and as many positive
/// finite times.
Fit fit_relative(std::span<const Monomial> monomials, const Box& box, std::span<const Sizes> points, std::span<const Seconds> seconds);

/// The estimate of a model for one call.
struct Estimate {
  Seconds seconds = 0;
  double relative_error = 0;  ///< one standard deviation, relative to seconds
  bool extrapolated = false;  ///< the call lies outside of the sampled domain
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// The error of a fit over its samples that is compared with the bound.
enum class ErrorType : std::uint8_t { maximum, mean, median };

/// Parameters of adaptive refinement. The defaults are those of Peise and Bientinesi 2014, section 2.2, unless another source is given.
struct RefinementOptions {
  std::int64_t min_width = 8;   ///< coordinates of sampling points are multiples of this width
  Grid grid = Grid::gaussian;   ///< distribution of the points of the Cartesian product
  Fraction error_bound = 0.05;  ///< a box whose fit has a larger error is subdivided
  std::int64_t min_size = 32;   ///< no box becomes narrower than this
  int degree = 3;               ///< degree of the polynomials
  int oversampling = 1;         ///< points per dimension beyond the degree + 1 that a fit needs
  ErrorType error_type = ErrorType::maximum;
  BasisKind basis = BasisKind::total;
  bool reuse = true;   ///< samples of enclosing and neighbouring boxes count too if they lie in a box (flopcast)
  int max_depth = 32;  ///< largest number of subdivisions of the domain; the minimum size ends refinement earlier (flopcast)
  friend bool operator==(const RefinementOptions&, const RefinementOptions&) = default;
};

/// Parameters of models by memory level.
struct LevelsOptions {
  int measurements = 6;        ///< number per memory level: "4 - 6 measurements on each memory level" (Iakymchuk 2011)
  std::int64_t min_width = 8;  ///< coordinates of sampling points are multiples of this width (Peise and Bientinesi 2014, section 2.2)
  friend bool operator==(const LevelsOptions&, const LevelsOptions&) = default;
};

/// Throws bad_input that names the option, its value and the expected range.
void check(const RefinementOptions& options);
void check(const LevelsOptions& options);

/// All options that a model was built with.
struct BuildOptions {
  std::optional<RefinementOptions> refinement;   ///< set in a refined model
  std::optional<LevelsOptions> levels;           ///< set in a model by memory level
  std::vector<double> thresholds;                ///< products of all sizes at which the library changes its threads
  std::map<std::string, std::string> arguments;  ///< flags, scalars and leading dimensions that the user fixed, by name
  std::string cache;                             ///< state of the caches, as parse_precondition reads it; empty if it isn't known
  bool complete = true;                          ///< false: the time budget ended before all pieces were as accurate as asked for
  friend bool operator==(const BuildOptions&, const BuildOptions&) = default;
};

/// A polynomial for the execution time in a part of a model's domain.
struct Piece {
  Box box;
  /// The piece holds where the footprint lies in [bytes_low, bytes_high): a memory level of Iakymchuk 2011, or a side of a threshold. By
  /// default it holds everywhere in the box.
  double bytes_low = 0, bytes_high = std::numeric_limits<double>::infinity();
  Polynomial polynomial;  ///< seconds
  Seconds floor = 0;      ///< lower bound of estimates: half of the smallest sample, because a polynomial may dip below 0 between samples
  FitError error;
  std::int64_t samples = 0;  ///< number of points that the polynomial was fitted to
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// The cost of building a model.
struct Cost {
  std::int64_t samples = 0;  ///< number of measured points
  Seconds seconds = 0;       ///< time spent on measuring
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// The execution time of all calls that share a key, as a function of their sizes: a sub-model of Peise and Bientinesi 2014, section 2.1.
/// It holds for the machine and library whose fingerprint is in the key.
struct Model {
  ModelKey key;
  std::string generator;  ///< "refined" (Peise and Bientinesi 2014), "levels" (Iakymchuk 2011)
  BuildOptions options;
  std::vector<std::string> sizes;  ///< names of the size arguments: "m", "n"
  std::vector<Box> domain;         ///< the sampled domain, which the pieces cover
  /// footprint that decides between pieces: bytes or (options "thresholds") the product of all sizes; empty if no piece depends on it
  Polynomial footprint;
  std::vector<Piece> pieces;  ///< on a shared face the first piece holds
  Cost cost;
  friend bool operator==(const Model&, const Model&) = default;
};

/// Returns the time of a call with `sizes` (one per Model::sizes).
///
/// Outside of the domain, the time at the nearest point of the domain is multiplied by the product over the sizes of (size / nearest
/// size)^p. p is the local exponent there (d log seconds / d log size, kept within 0 to 3). Such an estimate is marked as extrapolated, and
/// its error grows by 0.5 for every doubling. Throws bad_input if the number of sizes is wrong.
Estimate evaluate(const Model& model, std::span<const std::int64_t> sizes);

/// Returns whether `piece` of `model` holds at `sizes`.
bool holds(const Model& model, const Piece& piece, std::span<const std::int64_t> sizes) noexcept;

/// Returns the name by which users refer to a model, such as `dtrsm.LLNU.1.warm.refined.3f2a91bc`. Its parts are the routine, flags,
/// classes of scalars (m for -1), cache state, generator and the first eight letters of the fingerprint. Strides follow the scalars if one
/// is unusual, and threads follow the cache state if not one.
std::string name(const Model& model);

}  // namespace flopcast::model
