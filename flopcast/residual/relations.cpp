#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string_view>
#include <type_traits>

#include "flopcast/residual/check_call.hpp"
#include "flopcast/residual/product_relations.hpp"

namespace flopcast::residual {
namespace {

/// LAPACK's own test programs allow 30 roundings of the size of the matrix (LAPACK working note 41). Inverses, orthogonal transformations and
/// eigenvalues have this factor.
constexpr double lapack = 30;

/// Factor of the bound for factorizations of indefinite matrices, whose pivots of order 2 take several roundings each.
constexpr double indefinite = 8;

/// The relations that define the results of a call, as they stand in the catalogue's operations.
template <class T>
class Relations {
 public:
  explicit Relations(const Execution& made) : made_(made), family_(made.call().routine->family) {}

  /// Adds the relations of the routine, if anything is known about its results.
  void add() {
    for (const ProductRelation& known : product_relations(made_.call())) {
      std::vector<Term> terms;
      for (const ProductRelation::Term& term : known.terms) {
        Factors factors;
        std::transform(term.matrices.begin(), term.matrices.end(), std::back_inserter(factors),
                       [this](const MatrixReference& of) { return Factor<T>(matrix(of)); });
        terms.push_back({number(term.factor), factors.empty() ? Factors{one(T(1))} : std::move(factors)});
      }
      vanishes(known.text, std::move(terms), known.safety);
    }
    if (const auto found = table().find(family_); found != table().end()) {
      found->second(*this);
    }
  }
  static bool knows(const std::string& family) { return table().count(family) > 0 || has_product_relations(family); }
  [[nodiscard]] const std::vector<Relation<T>>& all() const { return all_; }

 private:
  using Matrix = Dense<T>;
  using Term = typename Relation<T>::Term;
  using Factors = std::vector<Factor<T>>;
  using Q = std::shared_ptr<const BlockReflectors<T>>;
  using R = Relations;
  using Table = std::map<std::string, std::function<void(R&)>>;
  static constexpr bool is_complex = !std::is_floating_point_v<T>;

  // --- Operands ---

  [[nodiscard]] bool has(std::string_view name) const { return made_.has(name); }
  [[nodiscard]] Matrix before(std::string_view name) const { return made_.template matrix<T>(name, When::before); }
  [[nodiscard]] Matrix after(std::string_view name) const { return made_.template matrix<T>(name, When::after); }
  [[nodiscard]] std::int64_t size(std::string_view name) const { return made_.size(name); }
  [[nodiscard]] char flag(std::string_view name, char otherwise = 0) const { return made_.flag(name, otherwise); }
  [[nodiscard]] bool is_left() const { return flag("side", 'L') == 'L'; }
  [[nodiscard]] bool is_lower() const { return flag("uplo") == 'L'; }
  [[nodiscard]] static T number(std::complex<double> value) {
    if constexpr (is_complex) {
      return T(value);
    } else {
      return T(value.real());
    }
  }
  [[nodiscard]] T scalar(std::string_view name) const { return number(made_.scalar(name)); }
  [[nodiscard]] T result() const { return number(made_.outcome().value); }
  [[nodiscard]] static Matrix one(T value) {
    return {1, 1, [&](auto, auto) { return value; }};
  }
  [[nodiscard]] static Matrix eye(std::int64_t n) { return unit_matrix<T>(n, n); }

  /// Returns the whole of a symmetric or Hermitian matrix of which a triangle is stored. Imaginary parts of a Hermitian operand's diagonal
  /// don't count, but those of a result do.
  [[nodiscard]] Matrix whole(const Matrix& a, bool hermitian, When when = When::before) const {
    return {a.rows(), a.rows(), [&, lower = is_lower()](auto i, auto j) {
              const bool stored = lower ? i >= j : i <= j;
              const T value = stored ? a(i, j) : a(j, i);
              return i == j && hermitian && when == When::before ? T(std::real(value)) : stored || !hermitian ? value : conjugate(value);
            }};
  }
  [[nodiscard]] static Matrix triangle(const Matrix& a, bool lower, bool unit = false) {
    return {a.rows(), a.columns(), [&](auto i, auto j) { return i == j && unit ? T(1) : i == j || (i > j) == lower ? a(i, j) : T(0); }};
  }
  [[nodiscard]] static Matrix diagonal(const Matrix& d, std::int64_t rows, std::int64_t columns) {
    return {rows, columns, [&](auto i, auto j) { return i == j && i < d.rows() ? d(i, 0) : T(0); }};
  }
  /// Returns the diagonal with so many diagonals below and above.
  [[nodiscard]] static Matrix banded(const Matrix& a, std::int64_t below, std::int64_t above) {
    return {a.rows(), a.columns(), [&](auto i, auto j) { return i - j <= below && j - i <= above ? a(i, j) : T(0); }};
  }
  [[nodiscard]] static Matrix stacked(const Matrix& a, const Matrix& b) {
    return {a.rows() + b.rows(), b.columns(), [&](auto i, auto j) { return i < a.rows() ? a(i, j) : b(i - a.rows(), j); }};
  }
  [[nodiscard]] Matrix matrix(const MatrixReference& of) const {
    if (of.name.empty()) {
      return one(result());
    }
    const Matrix all = made_.template matrix<T>(of.name, of.when), a = of.stored == 0 ? all : triangle(all, of.stored == 'L');
    return op(of.other == '0' ? a : whole(a, of.other == 'C', of.when), of.op);
  }
  /// Returns |Re x| + |Im x| of each element, the absolute value of a real vector.
  [[nodiscard]] static Matrix absolute(const Matrix& x) {
    return {x.rows(), x.columns(), [&](auto i, auto j) { return T(std::abs(std::real(x(i, j))) + std::abs(std::imag(x(i, j)))); }};
  }

  /// Returns the largest absolute value (M), the Frobenius norm (F, E), the norm of sums of rows (I) or of columns (others).
  [[nodiscard]] static double norm(const Matrix& of, char kind) {
    const Matrix a = kind == 'I' ? transposed(of) : of;
    double largest_sum = 0, largest = 0, squares = 0;
    for (std::int64_t j = 0; j < a.columns(); ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < a.rows(); ++i) {
        const auto size = static_cast<double>(std::abs(a(i, j)));
        sum += size, squares += size * size, largest = std::max(largest, size);
      }
      largest_sum = std::max(largest_sum, sum);
    }
    return kind == 'M' ? largest : kind == 'F' || kind == 'E' ? std::sqrt(squares) : largest_sum;
  }
  /// Returns the inverse of a triangle.
  [[nodiscard]] static Matrix inverted(const Matrix& a, bool lower) {
    const std::int64_t n = a.rows();
    Matrix x = eye(n);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t k = lower ? step : n - 1 - step;
        x(k, j) = x(k, j) == T(0) ? T(0) : x(k, j) / a(k, k);
        for (std::int64_t i = lower ? k + 1 : 0; x(k, j) != T(0) && i < (lower ? n : k); ++i) {
          x(i, j) -= a(i, k) * x(k, j);
        }
      }
    }
    return x;
  }

  // --- Relations ---

  void vanishes(std::string text, std::vector<Term> terms, double safety = 1) {
    const std::int64_t columns = terms.front().factors.back().columns;
    all_.push_back({std::move(text), columns, std::move(terms), safety, false});
  }
  /// Adds a relation with LAPACK's factor, whose error is bounded by the norms of the matrices and not element by element.
  void vanishes_in_norm(std::string text, std::vector<Term> terms, double safety = lapack) {
    vanishes(std::move(text), std::move(terms), safety);
    all_.back().normwise = true;
  }
  /// Adds the relation that two matrices are equal: exactly, or as far as `safety` roundings allow.
  void equal(std::string text, const Matrix& a, const Matrix& b, double safety = 0) {
    vanishes(std::move(text), {{T(1), {a}}, {T(-1), {b}}}, safety);
  }
  void unitary(std::string text, const Matrix& q, double safety = lapack) {
    vanishes_in_norm(std::move(text), {{T(1), {adjoint(q), q}}, {T(-1), {eye(q.columns())}}}, safety);
  }
  void inverse(const Factors& factors, const Matrix& x) {
    vanishes_in_norm("A X - I", {{T(1), joined(factors, {x})}, {T(-1), {eye(x.rows())}}});
  }
  void solution(const Factors& factors, double safety = 4) {
    vanishes("op(A) X - B", {{T(1), joined(factors, {after("B")})}, {T(-1), {before("B")}}}, safety);
  }
  void product(const Factors& factors, const Matrix& a, double safety) { vanishes("factors - A", {{T(1), factors}, {T(-1), {a}}}, safety); }
  /// The estimate of |A^-1| doesn't exceed |A^-1|, and reaches a tenth of |A^-1| (Higham, Accuracy and Stability of Numerical Algorithms, 15.3).
  void condition(const Matrix& inverse, T size_of_a) {
    if (inverse.rows() > 0 && size_of_a == T(0)) {
      return equal("rcond - 0", after("rcond"), one(T(0)));
    }
    const auto rcond = static_cast<double>(std::real(after("rcond")(0, 0)));
    const double ratio = inverse.rows() == 0 ? rcond : rcond * static_cast<double>(std::real(size_of_a)) * norm(inverse, flag("norm", '1'));
    equal("rcond |A| |A^-1| - 1 to 10", one(T(ratio)), one(T(std::clamp(ratio, 1.0, inverse.rows() == 0 ? 1.0 : 10.0))),
          lapack * static_cast<double>(inverse.rows() + 1));
  }
  /// Elements that a panel's factorization leaves for its caller don't change.
  template <class Where>
  void keeps(const Matrix& from, const Matrix& to, Where where) {
    const auto part = [&](const Matrix& a) {
      return Matrix(a.rows(), a.columns(), [&](auto i, auto j) { return where(i, j) ? a(i, j) : T(0); });
    };
    equal("other columns of A - A", part(to), part(from));
  }
  static Factors joined(Factors factors, const Factors& more) {
    factors.insert(factors.end(), more.begin(), more.end());
    return factors;
  }
  void rotated(T h11, T h12, T h21, T h22) {
    vanishes("x - (h11 x + h12 y)", {{T(1), {after("x")}}, {-h11, {before("x")}}, {-h12, {before("y")}}});
    vanishes("y - (h21 x + h22 y)", {{T(1), {after("y")}}, {-h21, {before("x")}}, {-h22, {before("y")}}});
  }

  // --- Triangular factorizations ---

  /// Returns L and L', or U' and U.
  [[nodiscard]] Factors cholesky(const Matrix& a) const {
    const Matrix r = triangle(a, is_lower());
    return is_lower() ? Factors{r, adjoint(r)} : Factors{adjoint(r), r};
  }
  static void swap_rows(Matrix& a, std::int64_t i, std::int64_t k) {
    for (std::int64_t j = 0; j < a.columns() && a.contains(i, j) && a.contains(k, j); ++j) {
      std::swap(a(i, j), a(k, j));
    }
  }
  /// Returns P, L and U, with op of their product.
  [[nodiscard]] Factors lu(const Matrix& a, When pivots, char trans = 'N') const {
    const std::int64_t count = std::min(a.rows(), a.columns());
    Matrix p = eye(a.rows());
    const std::vector<std::int64_t> swaps = made_.integers("ipiv", pivots);
    for (std::int64_t k = static_cast<std::int64_t>(swaps.size()) - 1; k >= 0; --k) {
      swap_rows(p, k, swaps[static_cast<std::size_t>(k)] - 1);
    }
    const Matrix l = triangle(block(a, 0, 0, a.rows(), count), true, true), u = triangle(block(a, 0, 0, count, a.columns()), false);
    return trans == 'N' ? Factors{p, l, u} : Factors{op(u, trans), op(l, trans), op(p, trans)};
  }
  /// A = M D M^T, or M D M' of a Hermitian A, with M = P1 L1 P2 L2 ... for L, or the same from the last column on for U. Returns these
  /// factors. Their bound has a linear polynomial of the order as its factor (Higham 2002, theorem 11.4). Both triangles take the same steps
  /// from opposite ends: the reason why this is one function.
  Factors symmetric_indefinite() {
    const bool hermitian = family_[0] == 'h' || family_ == "lahef", lower = is_lower();
    const Matrix f = after("A"), both = whole(f, hermitian);
    const std::vector<std::int64_t> pivots = made_.integers("ipiv", When::after);
    const std::int64_t n = f.rows(), without_pivot = lower ? 0 : n - static_cast<std::int64_t>(pivots.size());
    // A panel ends after kb columns. Then D has the rest of the matrix.
    const std::int64_t kb =
        has("kb") ? std::clamp<std::int64_t>(made_.integers("kb", When::after).front(), 0, static_cast<std::int64_t>(pivots.size())) : n;
    Matrix m = eye(n),
           d(n, n, [&](auto i, auto j) { return (lower ? std::min(i, j) >= kb : std::max(i, j) < n - kb) ? both(i, j) : T(0); });
    for (std::int64_t step = n - kb, count = 1; step < n; step += count) {  // from the last elimination back to the first
      const std::int64_t last = lower ? n - 1 - step : step, pivot = pivots[static_cast<std::size_t>(last - without_pivot)];
      count = pivot < 0 ? std::min<std::int64_t>(2, n - step) : 1;
      const std::int64_t first = lower ? last - count + 1 : last;
      for (std::int64_t c = first; c < first + count; ++c) {
        for (std::int64_t j = 0; j < n; ++j) {
          d(j, c) = j >= first && j < first + count ? both(j, c) : T(0);
          for (std::int64_t i = lower ? first + count : 0; i < (lower ? n : first); ++i) {
            m(i, j) += f(i, c) * m(c, j);
          }
        }
      }
      swap_rows(m, count == 1 || lower ? last : first, std::abs(pivot) - 1);
    }
    Factors factors = {m, d, op(m, hermitian ? 'C' : 'T')};
    product(factors, whole(before("A"), hermitian), indefinite);
    return factors;
  }

  // --- Orthogonal transformations ---

  /// How a routine stores its reflectors: QR, or LQ (the adjoint of QR), QL (from the last one to the first) and RQ (the adjoint of QL).
  struct Storage {
    bool by_rows = false, from_last = false;
  };
  [[nodiscard]] Storage storage() const {
    const std::string end = family_.substr(family_[0] == 'g' ? 2 : 3, 2);  // of geqrf, ormqr, org2l
    const auto is = [&](std::initializer_list<std::string_view> ends) { return std::find(ends.begin(), ends.end(), end) != ends.end(); };
    return {is({"lq", "l2", "rq", "r2"}) || flag("vect") == 'P', is({"ql", "2l", "rq", "r2"}) || (end == "tr" && flag("uplo") == 'U')};
  }
  /// Returns the reflectors below the diagonal of the columns of `a`, as QR has them, or QL with `from_last`. `shift` rows of 0 stand above
  /// them, in `rows` rows together.
  [[nodiscard]] static Q reflectors(const Matrix& a, const Matrix& tau, bool from_last = false, std::int64_t shift = 0,
                                    std::int64_t rows = -1) {
    const Matrix stored = from_last ? reversed(a, true) : a;
    const Matrix v(a.rows(), tau.rows(), [&](auto i, auto j) { return i > j ? stored(i, j) : T(i == j ? 1 : 0); });
    return std::make_shared<const BlockReflectors<T>>(
        BlockReflectors<T>{block(from_last ? reversed(v, false) : v, -shift, 0, rows < 0 ? a.rows() : rows, v.columns()),
                           transposed(from_last ? reversed(tau, false) : tau), 1});
  }
  /// Returns block reflectors with the vectors `v` and the upper triangles in `t`.
  [[nodiscard]] static Q blocks(const Matrix& v, const Matrix& t, std::int64_t width) {
    const std::int64_t w = std::max<std::int64_t>(width, 1);
    return std::make_shared<const BlockReflectors<T>>(
        BlockReflectors<T>{v, {t.rows(), v.columns(), [&](auto i, auto j) { return i <= j % w ? t(i, j) : T(0); }}, w});
  }
  /// Returns the vectors of one block reflector, as larfb takes them.
  [[nodiscard]] Matrix block_vectors() const {
    const Matrix v = flag("storev") == 'R' ? adjoint(before("V")) : before("V");
    const bool forward = flag("direct") != 'B';
    const std::int64_t shift = forward ? 0 : v.rows() - v.columns();
    return {v.rows(), v.columns(), [&](auto i, auto j) {
              return i == j + shift ? T(1) : (forward ? i > j : i < j + shift) ? v(i, j) : T(0);
            }};
  }
  /// T + T' = T' V' V T for each block, so that Q is unitary.
  void unitary_reflectors(const Q& q) {
    for (std::int64_t first = 0; first < q->v.columns(); first += q->width) {
      const std::int64_t count = std::min(q->width, q->v.columns() - first);
      const Matrix v = block(q->v, 0, first, q->v.rows(), count), t = block(q->t, 0, first, count, count);
      vanishes("T + T' - T' V' V T", {{T(1), {t}}, {T(1), {adjoint(t)}}, {T(-1), {adjoint(t), adjoint(v), v, t}}}, lapack);
    }
  }
  /// Returns the columns of A in the order of jpvt.
  [[nodiscard]] Matrix permuted() const {
    const Matrix a = before("A");
    const std::vector<std::int64_t> columns = made_.integers("jpvt", When::after);
    return {a.rows(), a.columns(), [&](auto i, auto j) {
              const std::int64_t from = columns[static_cast<std::size_t>(j)] - 1;
              return a.contains(i, from) ? a(i, from) : T(0);
            }};
  }
  /// A = Q R with the R of a QR, or the L of a QL factorization.
  void orthogonal_product(const Q& q, const Matrix& to, const Matrix& from, bool from_last = false) {
    const std::int64_t shift = from_last ? to.rows() - to.columns() : 0;
    const Matrix r(to.rows(), to.columns(), [&](auto i, auto j) { return (from_last ? i >= j + shift : i <= j) ? to(i, j) : T(0); });
    product({{q, false}, r}, from, lapack);
    unitary_reflectors(q);
  }
  /// C := op(Q) C or C op(Q).
  void multiplied(const Q& q, bool is_adjoint, const Matrix& from, const Matrix& to) {
    vanishes("C - op(Q) C", {{T(1), {to}}, {T(-1), is_left() ? Factors{{q, is_adjoint}, from} : Factors{from, {q, is_adjoint}}}}, lapack);
  }
  /// The Q of orgqr and its like. The stored reflectors begin in row `shift` and column `column`, with `shift` rows of the identity above.
  /// All families are told apart in one list of numbers: the reason why this is one function.
  void generated() {
    const auto [by_rows, from_last] = storage();
    const Matrix from = by_rows ? adjoint(before("A")) : before("A"), to = by_rows ? adjoint(after("A")) : after("A");
    const std::string end = family_.substr(3);
    const bool is_shifted = end == "tr" || (end == "br" && (by_rows ? size("k") >= size("n") : size("k") > size("m")));
    const std::int64_t count = end == "hr"  ? size("ihi") - size("ilo")
                               : is_shifted ? std::max<std::int64_t>(from.rows() - 1, 0)
                                            : size("k");
    const std::int64_t shift = end == "hr" ? size("ilo") : is_shifted && !from_last ? 1 : 0;
    const std::int64_t column = end == "hr" ? shift - 1 : !from_last ? 0 : is_shifted ? 1 : from.columns() - count;
    const std::int64_t length = end == "hr" || is_shifted ? count : from.rows();
    const Q q = reflectors(block(from, shift, column, length, count), before("tau"), from_last, shift, from.rows());
    const std::int64_t first = from_last ? from.rows() - from.columns() : 0;
    const Matrix unit(from.rows(), from.columns(), [&](auto i, auto j) { return T(i == j + first ? 1 : 0); });
    vanishes("Q - H1 ... Hk", {{T(1), {to}}, {T(-1), {{q, false}, unit}}}, lapack);
  }

  // --- Eigenvalues, singular values, least squares ---

  /// The sums of the numbers and of their squares, where no vectors show more.
  void power_sums(const Matrix& numbers, const Matrix& a) {
    const Matrix ones(1, numbers.rows(), [](auto, auto) { return T(1); }), square = residual::product(a, a);
    const Matrix squares(numbers.rows(), 1, [&](auto i, auto) { return numbers(i, 0) * numbers(i, 0); });
    const auto trace = [](const Matrix& of) { return Matrix(of.rows(), 1, [&](auto i, auto) { return of(i, i); }); };
    vanishes("sum of eigenvalues - trace", {{T(1), {ones, numbers}}, {T(-1), {ones, trace(a)}}}, lapack);
    vanishes("sum of squares of eigenvalues - trace of A^2", {{T(1), {ones, squares}}, {T(-1), {ones, trace(square)}}}, lapack);
  }
  void symmetric_eigenvalues() {
    const Matrix a = whole(before("A"), true), v = has("Z") ? after("Z") : after("A");
    const std::int64_t count = flag("range", 'A') == 'A' ? a.rows() : 1;  // il and iu are 1
    const Matrix w = block(after("w"), 0, 0, count, 1);
    if (has("m")) {
      equal("m - number of eigenvalues", one(T(static_cast<double>(made_.integers("m", When::after).front()))),
            one(T(static_cast<double>(count))));
    }
    if (flag("jobz") == 'V') {
      vanishes_in_norm("A V - V diag(w)", {{T(1), {a, v}}, {T(-1), {v, diagonal(w, count, count)}}});
      // Vectors by relatively robust representations are orthogonal up to a multiple of the others' error (Dhillon and Parlett 2004).
      unitary("V' V - I", v, has("m") ? 10 * lapack : lapack);
    } else if (count == a.rows()) {
      power_sums(w, a);
    }
  }
  /// A complex pair of eigenvalues of a real matrix has a 2 x 2 block, and its vector two columns.
  void general_eigenvalues() {
    const Matrix a = before("A"), w = after(has("w") ? "w" : "wr"), imaginary = has("w") ? Matrix(w.rows(), 1) : after("wi");
    const Matrix b(w.rows(), w.rows(), [&](auto i, auto j) {
      return i == j ? w(i, 0) : std::abs(i - j) == 1 && std::real(imaginary(std::min(i, j), 0)) > 0 ? imaginary(i, 0) : T(0);
    });
    if (flag("jobvl") == 'V') {
      vanishes_in_norm("A' VL - VL W'", {{T(1), {adjoint(a), after("VL")}}, {T(-1), {after("VL"), adjoint(b)}}});
    }
    if (flag("jobvr") == 'V') {
      vanishes_in_norm("A VR - VR W", {{T(1), {a, after("VR")}}, {T(-1), {after("VR"), b}}});
    } else if (has("w")) {
      power_sums(w, a);
    }
  }
  void singular_values() {
    if (std::min(size("m"), size("n")) == 0) {
      return;  // nothing is set
    }
    const bool by_jacobi = has("sva");
    const Matrix a = before("A"), s = after(by_jacobi ? "sva" : "s");
    const char left = flag("jobu", flag("jobz")), right = flag(by_jacobi ? "jobv" : "jobvt", flag("jobz", 'N'));
    const bool in_a = left == 'O', is_tall = a.rows() >= a.columns();
    const Matrix u = in_a && is_tall ? after("A") : after("U");
    const Matrix v = by_jacobi ? after("V") : adjoint(in_a && !is_tall ? after("A") : after("VT"));
    if (left != 'N') {
      unitary("U' U - I", u);
    }
    if (right != 'N') {
      unitary("V' V - I", v);
    }
    if (left != 'N' && right != 'N') {
      vanishes_in_norm("A V - U diag(s)", {{T(1), {a, v}}, {T(-1), {u, diagonal(s, u.columns(), v.columns())}}});
    } else {
      const Matrix squares(s.rows(), 1, [&](auto i, auto) { return s(i, 0) * s(i, 0); });
      power_sums(squares, is_tall ? residual::product(adjoint(a), a) : residual::product(a, adjoint(a)));
    }
  }
  /// A solution of full rank: of the normal equations, or of the equations themselves where they have several solutions.
  void least_squares() {
    const Matrix a = op(before("A"), flag("trans", 'N'));
    const Matrix x = block(after("B"), 0, 0, a.columns(), size("nrhs")), b = block(before("B"), 0, 0, a.rows(), size("nrhs"));
    if (has("rank") && made_.integers("rank", When::after).front() < std::min(a.rows(), a.columns())) {
      return;
    }
    const Factors normal = a.rows() > a.columns() ? Factors{adjoint(a)} : Factors{};
    vanishes_in_norm("A' (A X - B), or A X - B", {{T(1), joined(normal, {a, x})}, {T(-1), joined(normal, {b})}});
  }

  // The table keeps its own layout. Relations of a family stand in the family's entry, where they are read: the reason why this is one
  // function.
  // clang-format off
  static const Table& table() {
    static const Table known = by_family<std::function<void(R&)>>({
        {"rotmg", [](R& r) {  // H [x1; y1] = [x1; 0], H' diag(d1, d2) H = diag(d1, d2)
           const Matrix param = r.after("param"), from[] = {r.before("d1"), r.before("d2")}, to[] = {r.after("d1"), r.after("d2")};
           const double flag = static_cast<double>(std::real(param(0, 0)));
           const auto h = [&](std::int64_t i, bool given, T otherwise) { return given ? param(i, 0) : otherwise; };
           const T h11 = h(1, flag == -1 || flag == 1, T(1)), h21 = h(2, flag == -1 || flag == 0, T(flag == 1 ? -1 : 0));
           const T h12 = h(3, flag == -1 || flag == 0, T(flag == 1 ? 1 : 0)), h22 = h(4, flag == -1 || flag == 1, T(1));
           const T y1 = r.scalar("y1");
           r.vanishes("x1 - (h11 x1 + h12 y1)", {{T(1), {r.after("x1")}}, {-h11, {r.before("x1")}}, {-h12, {one(y1)}}}, 8);
           r.vanishes("h21 x1 + h22 y1", {{h21, {r.before("x1")}}, {h22, {one(y1)}}}, 8);
           r.vanishes("h11^2 d1 + h21^2 d2 - d1", {{h11 * h11, {to[0]}}, {h21 * h21, {to[1]}}, {T(-1), {from[0]}}}, 8);
           r.vanishes("h12^2 d1 + h22^2 d2 - d2", {{h12 * h12, {to[0]}}, {h22 * h22, {to[1]}}, {T(-1), {from[1]}}}, 8);
           r.vanishes("h11 h12 d1 + h21 h22 d2", {{h11 * h12, {to[0]}}, {h21 * h22, {to[1]}}}, 8);
         }},
        {"nrm2", [](R& r) { r.vanishes("result^2 - x' x", {{r.result(), {one(r.result())}}, {T(-1), {adjoint(r.before("x")), r.before("x")}}}, 2); }},
        {"asum", [](R& r) {
           const Matrix sizes = absolute(r.before("x")), ones(1, sizes.rows(), [](auto, auto) { return T(1); });
           r.vanishes("result - sum of |x|", {{T(1), {one(r.result())}}, {T(-1), {ones, sizes}}});
         }},
        {"iamax", [](R& r) {
           const Matrix sizes = absolute(r.before("x"));
           const auto found = static_cast<std::int64_t>(std::real(r.result())) - 1;
           T largest(0);
           for (std::int64_t i = 0; i < sizes.rows(); ++i) {
             largest = std::real(sizes(i, 0)) > std::real(largest) ? sizes(i, 0) : largest;
           }
           sizes.contains(found, 0) ? r.equal("|x_result| - largest |x|", one(sizes(found, 0)), one(largest), 1)
                                    : r.equal("result - index", one(r.result()), one(T(sizes.rows() == 0 ? 0 : -1)));
         }},
        {"rot", [](R& r) { r.rotated(r.scalar("c"), r.scalar("s"), -r.scalar("s"), r.scalar("c")); }},
        {"rotm", [](R& r) { r.rotated(T(1), r.before("param")(3, 0), r.before("param")(2, 0), T(1)); }},  // filled with the flag 0
        {"rotg", [](R& r) {
           const Matrix a = r.before("a"), b = r.before("b"), unit = one(T(1));
           const T c = r.after("c")(0, 0), s = r.after("s")(0, 0);
           r.vanishes("r - (c a + s b)", {{T(1), {r.after("a")}}, {-c, {a}}, {-s, {b}}}, 8);
           r.vanishes("c b - s' a", {{c, {b}}, {-conjugate(s), {a}}}, 8);
           r.vanishes("c^2 + |s|^2 - 1", {{c * c, {unit}}, {s * conjugate(s), {unit}}, {T(-1), {unit}}}, 8);
         }},

        {"potrs", [](R& r) { r.solution(r.cholesky(r.before("A"))); }},
        {"potri", [](R& r) { r.inverse(r.cholesky(r.before("A")), r.whole(r.after("A"), true, When::after)); }},
        {"posv", [](R& r) { r.product(r.cholesky(r.after("A")), r.whole(r.before("A"), true), 2); r.solution(r.cholesky(r.after("A"))); }},
        {"getf2 getrf2 getrf", [](R& r) { r.product(r.lu(r.after("A"), When::after), r.before("A"), 2); }},
        {"getrs", [](R& r) { r.solution(r.lu(r.before("A"), When::before, r.flag("trans"))); }},
        {"getri", [](R& r) { r.inverse(r.lu(r.before("A"), When::before), r.after("A")); }},
        {"gesv", [](R& r) {
           if (r.size("nrhs") > 0) {  // without a right side OpenBLAS doesn't factor A
             r.product(r.lu(r.after("A"), When::after), r.before("A"), 2);
             r.solution(r.lu(r.after("A"), When::after));
           }
         }},
        {"laorhr", [](R& r) {
           const Matrix a = r.after("A");
           const std::int64_t k = std::min(a.rows(), a.columns());
           r.vanishes("L U + S - A", {{T(1), {triangle(block(a, 0, 0, a.rows(), k), true, true), triangle(block(a, 0, 0, k, a.columns()), false)}},
                                      {T(1), {diagonal(r.after("d"), a.rows(), a.columns())}}, {T(-1), {r.before("A")}}}, 2);
         }},
        {"sytf2 hetf2 sytrf hetrf lasyf lahef", [](R& r) { r.symmetric_indefinite(); }},
        {"sysv hesv", [](R& r) { r.solution(r.symmetric_indefinite(), indefinite); }},
        {"trtrs", [](R& r) { r.solution({op(r.before("A"), r.flag("trans"))}); }},
        {"trti2 trtri", [](R& r) { r.inverse({r.before("A")}, r.after("A")); }},
        {"lauu2 lauum", [](R& r) {
           const Matrix a = triangle(r.before("A"), r.is_lower());
           r.product(r.is_lower() ? Factors{adjoint(a), a} : Factors{a, adjoint(a)}, r.whole(r.after("A"), true, When::after), 1);
         }},
        {"sygs2 hegs2 sygst hegst", [](R& r) {
           const Matrix b = triangle(r.before("B"), r.is_lower()), l = r.is_lower() ? b : adjoint(b);  // B = L L'
           const Matrix a = r.whole(r.before("A"), true), c = r.whole(r.after("A"), true, When::after);
           r.size("itype") == 1 ? r.product({l, c, adjoint(l)}, a, lapack) : r.product({adjoint(l), a, l}, c, lapack);
         }},
        {"trsyl", [](R& r) {
           const Matrix x = r.after("C");
           r.vanishes("op(A) X + isgn X op(B) - scale C", {{T(1), {op(r.before("A"), r.flag("trana")), x}},
                                                           {T(static_cast<double>(r.size("isgn"))), {x, op(r.before("B"), r.flag("tranb"))}},
                                                           {-r.after("scale")(0, 0), {r.before("C")}}}, 4);
         }},
        {"laswp", [](R& r) {  // the filled pivots stay within the rows k1 to k2
           const std::vector<std::int64_t> pivots = r.made_.integers("ipiv", When::before);
           const std::int64_t first = r.size("k1") - 1, count = r.size("k2") - first;
           Matrix expected = r.before("A");
           for (std::int64_t step = 0; step < count; ++step) {
             const std::int64_t i = r.size("incx") > 0 ? step : count - 1 - step;
             swap_rows(expected, i, pivots[static_cast<std::size_t>(i)] - 1 - first);
           }
           r.equal("A - P A", r.after("A"), expected);
         }},
        {"lacpy", [](R& r) { r.equal("B - A", r.after("B"), r.before("A")); }},
        {"laset", [](R& r) {
           const Matrix a = r.after("A");
           const char uplo = r.flag("uplo");
           r.equal("A - alpha, beta", a, {a.rows(), a.columns(), [&](auto i, auto j) {
             return i == j ? r.scalar("beta") : uplo == 'A' || (uplo == 'L') == (i > j) ? r.scalar("alpha") : T(0);
           }});
         }},
        {"lange", [](R& r) {
           const Matrix a = r.before("A");
           r.equal("result - norm", one(r.result()), one(T(norm(a, r.flag("norm")))), 2 * static_cast<double>(a.rows() + a.columns()));
         }},
        {"gecon", [](R& r) {
           const Matrix a = r.before("A");
           r.condition(residual::product(inverted(triangle(a, false), false), inverted(triangle(a, true, true), true)), r.scalar("anorm"));
         }},
        {"pocon", [](R& r) {
           const Matrix x = inverted(triangle(r.before("A"), r.is_lower()), r.is_lower());
           r.condition(r.is_lower() ? residual::product(adjoint(x), x) : residual::product(x, adjoint(x)), r.scalar("anorm"));
         }},
        {"trcon", [](R& r) {
           const Matrix a = r.before("A");
           r.condition(inverted(a, r.is_lower()), T(norm(a, r.flag("norm"))));
         }},
        {"gebal", [](R& r) {  // rows are swapped from the last one on, then from the first one on
           const Matrix a = r.before("A"), b = r.after("A"), scale = r.after("scale");
           const std::int64_t n = a.rows(), ilo = std::min(r.made_.integers("ilo", When::after).front() - 1, n);
           const std::int64_t ihi = std::max<std::int64_t>(r.made_.integers("ihi", When::after).front(), 0);
           Matrix p = eye(n);  // P'
           const auto swap = [&](std::int64_t j) { swap_rows(p, j, static_cast<std::int64_t>(std::real(scale(j, 0))) - 1); };
           for (std::int64_t j = n - 1; j >= ihi; --j) { swap(j); }
           for (std::int64_t j = 0; j < ilo; ++j) { swap(j); }
           const Matrix m(n, n, [&](auto i, auto j) { return p(j, i) * (j >= ilo && j < ihi ? scale(j, 0) : T(1)); });
           r.vanishes("A P D - P D B", {{T(1), {a, m}}, {T(-1), {m, b}}});
         }},

        {"geqr2 geqr2p geqrf gelq2 gelqf geql2 geqlf gerq2 gerqf geqp3", [](R& r) {
           const auto [by_rows, from_last] = r.storage();
           const Matrix a = r.before("A"), from = by_rows ? adjoint(a) : a, to = by_rows ? adjoint(r.after("A")) : r.after("A");
           const std::int64_t k = std::min(to.rows(), to.columns());
           r.orthogonal_product(reflectors(block(to, 0, from_last ? to.columns() - k : 0, to.rows(), k), r.after("tau"), from_last), to,
                                r.has("jpvt") ? r.permuted() : from, from_last);
         }},
        {"laqp2 laqps", [](R& r) {
           const Matrix to = r.after("A");
           const std::int64_t m = to.rows(), offset = r.size("offset"), all = std::min(m - offset, to.columns());
           const std::int64_t k = r.has("kb") ? std::clamp<std::int64_t>(r.made_.integers("kb", When::after).front(), 0, all) : all;
           const Q q = reflectors(block(to, offset, 0, m - offset, k), block(r.after("tau"), 0, 0, k, 1), false, offset, m);
           const Matrix upper(m, to.columns(), [&](auto i, auto j) { return j >= k || i <= j + offset ? to(i, j) : T(0); });
           r.product({{q, false}, upper}, r.permuted(), lapack);
           r.unitary_reflectors(q);
         }},
        {"geqrt geqrt2 geqrt3", [](R& r) {
           const Matrix a = r.after("A");
           const std::int64_t k = std::min(a.rows(), a.columns());
           r.orthogonal_product(blocks(triangle(block(a, 0, 0, a.rows(), k), true, true), r.after("T"), r.has("nb") ? r.size("nb") : k), a, r.before("A"));
         }},
        {"tpqrt", [](R& r) {
           if (std::min(r.size("m"), r.size("n")) == 0) {
             return;  // nothing is done
           }
           const std::int64_t n = r.size("n"), full_rows = r.size("m") - r.size("l");
           const auto pentagon = [&](const Matrix& b) { return Matrix(b.rows(), n, [&](auto i, auto j) { return i - full_rows <= j ? b(i, j) : T(0); }); };
           const Matrix v = stacked(eye(n), pentagon(r.after("B")));
           r.orthogonal_product(blocks(v, r.after("T"), r.size("nb")), block(r.after("A"), 0, 0, v.rows(), n), stacked(triangle(r.before("A"), false), pentagon(r.before("B"))));
         }},
        {"tpmqrt", [](R& r) {
           if (std::min({r.size("m"), r.size("n"), r.size("k")}) == 0) {
             return;  // nothing is done
           }
           const std::int64_t k = r.size("k"), full_rows = (r.is_left() ? r.size("m") : r.size("n")) - r.size("l");
           const Matrix stored = r.before("V"), v(stored.rows(), k, [&](auto i, auto j) { return i - full_rows <= j ? stored(i, j) : T(0); });
           const auto both = [&](const Matrix& a, const Matrix& b) { return r.is_left() ? stacked(a, b) : transposed(stacked(transposed(a), transposed(b))); };
           r.multiplied(blocks(stacked(eye(k), v), r.before("T"), r.size("nb")), r.flag("trans") != 'N', both(r.before("A"), r.before("B")), both(r.after("A"), r.after("B")));
         }},
        {"gemqrt", [](R& r) {
           r.multiplied(blocks(triangle(r.before("V"), true, true), r.before("T"), r.size("nb")), r.flag("trans") != 'N', r.before("C"), r.after("C"));
         }},
        {"orm2r ormqr orml2 ormlq orm2l ormql ormr2 ormrq ormhr ormtr ormbr unm2r unmqr unml2 unmlq unm2l unmql unmr2 unmrq unmhr unmtr unmbr", [](R& r) {
           const auto [by_rows, from_last] = r.storage();
           const Matrix a = by_rows ? adjoint(r.before("A")) : r.before("A");
           // LQ and RQ have the adjoint of H1 H2 ..., but P is this product itself.
           r.multiplied(reflectors(a, r.before("tau"), from_last), (r.flag("trans") != 'N') != (by_rows && !r.has("vect")), r.before("C"), r.after("C"));
         }},
        {"org2r orgqr orgl2 orglq org2l orgql orgr2 orgrq orghr orgtr orgbr ung2r ungqr ungl2 unglq ung2l ungql ungr2 ungrq unghr ungtr ungbr", &R::generated},
        {"larf", [](R& r) {
           const auto q = std::make_shared<const BlockReflectors<T>>(BlockReflectors<T>{r.before("v"), one(r.scalar("tau")), 1});
           r.multiplied(q, false, r.before("C"), r.after("C"));
         }},
        {"larfb", [](R& r) {
           const auto q = std::make_shared<const BlockReflectors<T>>(BlockReflectors<T>{r.block_vectors(), r.before("T"), std::max<std::int64_t>(r.size("k"), 1)});
           r.multiplied(q, r.flag("trans") != 'N', r.before("C"), r.after("C"));
         }},
        {"larft", [](R& r) {
           const Matrix v = r.block_vectors(), tau = r.before("tau");
           const bool backward = r.flag("direct") == 'B';
           const auto reversed_columns = [&](const Matrix& of) { return backward ? transposed(reversed(transposed(of), false)) : of; };
           const auto each = std::make_shared<const BlockReflectors<T>>(BlockReflectors<T>{reversed_columns(v), reversed_columns(transposed(tau)), 1});
           const auto together = std::make_shared<const BlockReflectors<T>>(BlockReflectors<T>{v, r.after("T"), std::max<std::int64_t>(v.columns(), 1)});
           r.vanishes("I - V T V' - H1 ... Hk", {{T(1), {{together, false}}}, {T(-1), {{each, false}}}}, lapack);
         }},
        {"larfg", [](R& r) {
           const Matrix from = stacked(r.before("alpha"), r.before("x")), x = r.after("x");
           const Q q = reflectors(stacked(one(T(1)), x), r.after("tau"));
           r.vanishes("H [beta; 0] - [alpha; x]", {{T(1), {{q, false}, stacked(r.after("alpha"), Matrix(x.rows(), 1))}}, {T(-1), {from}}}, lapack);
           r.unitary_reflectors(q);
         }},
        {"gehd2 gehrd", [](R& r) {
           const std::int64_t n = r.size("n"), ilo = r.size("ilo"), h = std::max<std::int64_t>(r.size("ihi") - ilo, 0);
           const auto part = [&](When when) { return r.made_.template part<T>("A", when, 0, 0, n, n); };
           const Matrix to = part(When::after);
           const Q q = reflectors(block(to, ilo, ilo - 1, h, h), block(r.after("tau"), r.family_ == "gehrd" ? ilo - 1 : 0, 0, h, 1), false, ilo, n);
           const Matrix hessenberg(n, n, [&](auto i, auto j) { return i <= j + 1 ? to(i, j) : T(0); });
           r.vanishes("Q H - A Q", {{T(1), {{q, false}, hessenberg}}, {T(-1), {part(When::before), {q, false}}}}, lapack);
           r.unitary_reflectors(q);
         }},
        {"lahr2", [](R& r) {  // rows from k on of the first nb columns of Q' (A - Y V') are Hessenberg
           const std::int64_t n = r.size("n"), k = r.size("k"), nb = r.size("nb"), rows = n - k;
           const auto part = [&](When when) { return r.made_.template part<T>("A", when, 0, 0, n, rows + 1); };
           const Matrix from = part(When::before), to = part(When::after), y = r.after("Y");
           const Q q = reflectors(block(to, k, 0, rows, nb), r.after("tau"));
           const Matrix v = block(q->v, -1, 0, rows + 1, nb), hessenberg(rows, nb, [&](auto i, auto j) { return i <= j ? to(k + i, j) : T(0); });
           r.vanishes("Y - A V T", {{T(1), {y}}, {T(-1), {from, v, triangle(r.after("T"), false)}}}, lapack);
           r.vanishes("Q H - (A - Y V')", {{T(1), {{q, false}, hessenberg}}, {T(-1), {block(from, k, 0, rows, nb)}},
                                           {T(1), {block(y, k, 0, rows, nb), adjoint(block(v, 0, 0, nb, nb))}}}, lapack);
           r.keeps(from, to, [&](auto i, auto j) { return i < k || j >= nb; });
           r.unitary_reflectors(q);
         }},
        {"sytd2 hetd2 sytrd hetrd latrd", [](R& r) {
           const Matrix to = r.after("A"), e = r.after("e"), tau = r.after("tau"), a = r.whole(r.before("A"), true);
           const bool is_panel = r.has("nb");
           const std::int64_t n = a.rows(), k = e.rows(), lower = r.is_lower() ? 1 : 0, nb = is_panel ? r.size("nb") : n;
           const std::int64_t first_e = lower == 1 ? 0 : std::max<std::int64_t>(n - 1 - k, 0);
           const Q q = reflectors(lower == 1 ? block(to, 1, 0, n - 1, k) : block(to, 0, n - k, n - 1, k), tau, lower == 0, lower, n);
           const auto is_rest = [&](auto i, auto j) { return lower == 1 ? std::min(i, j) >= nb : std::max(i, j) < n - nb; };
           Matrix update(n, n);  // V W', whose columns the rest lacks
           if (is_panel) {
             const Matrix w = block(r.after("W"), 0, nb - k, n, k), last_first = transposed(reversed(transposed(w), false));
             update = residual::product(q->v, adjoint(lower == 1 ? block(r.after("W"), 0, 0, n, k) : last_first));
           }
           const Matrix d = is_panel ? Matrix(n, 1, [&](auto i, auto) { return to(i, i); }) : r.after("d");
           const Matrix t(n, n, [&](auto i, auto j) {
             return is_rest(i, j)            ? a(i, j) - update(i, j) - conjugate(update(j, i))
                    : i == j                 ? d(i, 0)
                    : std::abs(i - j) == 1   ? e(std::min(i, j) - first_e, 0)
                                             : T(0);
           });
           r.vanishes("Q T - A Q", {{T(1), {{q, false}, t}}, {T(-1), {a, {q, false}}}}, lapack);
           // A panel has ones beside its diagonal, where the reflectors begin.
           const auto diagonals = [&](const Matrix& of, bool ones) {
             return Matrix(n, n, [&](auto i, auto j) {
               const bool is_beside = i - j == (lower == 1 ? 1 : -1);
               return is_rest(i, j) || !(i == j || is_beside) ? T(0) : is_beside && ones ? T(1) : of(i, j);
             });
           };
           r.equal("diagonals of A - d, e", diagonals(to, false), diagonals(t, is_panel));
           const bool is_lower = lower == 1;
           r.keeps(triangle(a, is_lower), triangle(to, is_lower), is_rest);
           r.unitary_reflectors(q);
         }},
        {"gebd2 gebrd labrd", [](R& r) {
           const Matrix a = r.before("A"), to = r.after("A"), d = r.after("d"), e = r.after("e");
           const bool is_panel = r.has("nb");
           const std::int64_t m = to.rows(), n = to.columns(), k = std::min(m, n), upper = m >= n ? 1 : 0, lower = 1 - upper, nb = is_panel ? r.size("nb") : k;
           const std::int64_t left = std::max<std::int64_t>(std::min(nb, k - lower), 0), right = std::max<std::int64_t>(std::min(nb, k - upper), 0);
           const Q q = reflectors(block(to, lower, 0, m - lower, left), block(r.after("tauq"), 0, 0, left, 1), false, lower, m);
           const Q p = reflectors(adjoint(block(to, 0, upper, right, n - upper)), block(r.after("taup"), 0, 0, right, 1), false, upper, n);
           const auto is_rest = [&](auto i, auto j) { return std::min(i, j) >= nb; };
           Matrix update(m, n);  // V Y' + X U', which the rest lacks
           if (is_panel) {
             update = sum(residual::product(q->v, adjoint(block(r.after("Y"), 0, 0, n, left))), T(1),
                          residual::product(block(r.after("X"), 0, 0, m, right), adjoint(p->v)));
           }
           const auto is_beside = [&](auto i, auto j) { return j == i + upper - lower && std::min(i, j) < e.rows(); };
           const Matrix b(m, n, [&](auto i, auto j) {
             return is_rest(i, j) ? a(i, j) - update(i, j) : i == j ? d(i, 0) : is_beside(i, j) ? e(std::min(i, j), 0) : T(0);
           });
           r.vanishes("Q B - A P", {{T(1), {{q, false}, b}}, {T(-1), {a, {p, false}}}}, lapack);
           // A panel has ones on these diagonals, where the reflectors begin. No reflector follows the last element of the main diagonal, and
           // complex routines don't return it there.
           const bool has_last = !(is_panel && R::is_complex);
           const auto diagonals = [&](const Matrix& of, bool ones) {
             return Matrix(m, n, [&](auto i, auto j) {
               return is_rest(i, j) || !(i == j || is_beside(i, j)) || (i == j && i == k - 1 && !has_last) ? T(0) : ones && (i != j || i < k - 1) ? T(1) : of(i, j);
             });
           };
           r.equal("diagonals of A - d, e", diagonals(to, false), diagonals(b, is_panel));
           r.keeps(a, to, is_rest);
           r.unitary_reflectors(q);
           r.unitary_reflectors(p);
         }},

        {"syev heev syevd heevd syevr heevr syevx heevx", &R::symmetric_eigenvalues},
        {"geev geevx", &R::general_eigenvalues},
        {"gesdd gesvd gejsv", &R::singular_values},
        {"gels gelsd gelsy", &R::least_squares},
    });
    return known;
  }
  // clang-format on

  const Execution& made_;
  const std::string& family_;
  std::vector<Relation<T>> all_;
};

/// Returns columns that add up `group` columns each, with random signs.
template <class T>
Dense<T> probe(std::int64_t columns, std::int64_t group) {
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(columns + 1));
  Dense<T> signs(columns, (columns + group - 1) / group);
  for (std::int64_t i = 0; i < columns; ++i) {
    signs(i, i / group) = T(group == 1 || (random() >> 8U) % 2 == 0 ? 1 : -1);
  }
  return signs;
}

double largest_of(const Dense<double>& values) {
  double largest = 0;
  for (std::int64_t j = 0; j < values.columns(); ++j) {
    for (std::int64_t i = 0; i < values.rows(); ++i) {
      largest = std::max(largest, values(i, j));
    }
  }
  return largest;
}

/// Keeps an element's error in `check` if the error is larger against its bound than the one there. A fault is larger than all others.
void keep_worse(double error, double bound, const std::string& text, CallCheck& check) {
  const bool fails = !(error <= bound);
  if (fails ? check.fault.empty() || error / bound > check.error / check.bound || std::isnan(error)
            : check.fault.empty() && bound > 0 && error / bound > (check.bound > 0 ? check.error / check.bound : 0)) {
    check.error = error;
    check.bound = bound;
    check.fault = fails ? text : "";
  }
}

/// Evaluates a relation on groups of columns. Keeps the element whose error is largest against its bound in `check`.
template <class T>
void evaluate(const Relation<T>& relation, std::int64_t group, double unit, double tiny, CallCheck& check) {
  if (relation.terms.empty()) {
    return;
  }
  const Dense<T> columns = probe<T>(relation.columns, group);
  const Dense<double> sizes = magnitudes(columns);
  Dense<T> total;
  Dense<double> bounds;
  double steps = static_cast<double>(relation.terms.size());
  for (const typename Relation<T>::Term& term : relation.terms) {
    Dense<T> value = columns;
    Dense<double> bound = sizes;
    double own_steps = 0;
    for (auto factor = term.factors.rbegin(); factor != term.factors.rend(); ++factor) {
      value = factor->apply(value);
      bound = factor->bound(bound);
      own_steps += factor == term.factors.rbegin() ? 0 : static_cast<double>(factor->steps);
    }
    steps = std::max(steps, own_steps + static_cast<double>(relation.terms.size()));
    total = sum(Dense<T>(value.rows(), value.columns(), [&](auto i, auto j) { return total.contains(i, j) ? total(i, j) : T(0); }),
                term.factor, value);
    bounds = sum(Dense<double>(bound.rows(), bound.columns(), [&](auto i, auto j) { return bounds.contains(i, j) ? bounds(i, j) : 0.0; }),
                 static_cast<double>(std::abs(term.factor)), bound);
  }
  constexpr double complex_steps = 4;  // roundings of a complex product and sum, each up to 2 sqrt(2) units (Higham 2002, lemma 3.5)
  const double allowed = relation.safety * unit * steps * (std::is_floating_point_v<T> ? 1 : complex_steps);
  if (relation.normwise) {
    bounds = {bounds.rows(), bounds.columns(), [largest = largest_of(bounds)](auto, auto) { return largest; }};
  }
  for (std::int64_t j = 0; j < total.columns(); ++j) {
    for (std::int64_t i = 0; i < total.rows(); ++i) {
      const auto error = static_cast<double>(std::abs(total(i, j)));
      const double bound = allowed * bounds(i, j) + (relation.safety > 0 ? tiny * steps : 0);
      keep_worse(error, bound, relation.text, check);
    }
  }
}

template <class T>
CallCheck check_in(const Call& call, const Execute& execute, std::uint64_t seed) {
  constexpr double max_operations = 1e8;
  Execution made(call, seed);
  CallCheck check;
  check.fault = made.run(execute);
  check.has_relation = has_relation(*call.routine);
  if (check.fails()) {
    return check;
  }
  Relations<T> relations(made);
  relations.add();
  const bool single = real_bytes(call.routine->precision) == 4;
  const double unit = single ? std::numeric_limits<float>::epsilon() / 2.0 : std::numeric_limits<double>::epsilon() / 2;
  const double tiny = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  for (const Relation<T>& relation : relations.all()) {
    const auto group = static_cast<std::int64_t>(std::ceil(std::max(1.0, flops(call) / max_operations)));
    evaluate(relation, std::min(group, std::max<std::int64_t>(relation.columns, 1)), unit, tiny, check);
  }
  return check;
}

}  // namespace

bool has_relation(const Routine& routine) { return Relations<double>::knows(routine.family); }

CallCheck check_call(const Call& call, const Execute& execute, std::uint64_t seed) {
  switch (call.routine->precision) {
    case Precision::s: return check_in<double>(call, execute, seed);
    case Precision::d: return check_in<long double>(call, execute, seed);
    case Precision::c: return check_in<std::complex<double>>(call, execute, seed);
    case Precision::z: return check_in<std::complex<long double>>(call, execute, seed);
  }
  return {};
}

}  // namespace flopcast::residual
