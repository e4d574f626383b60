#include "flopcast/algorithm/variants.hpp"

#include <algorithm>
#include <string>

#include "flopcast/algorithm/view.hpp"

namespace flopcast::algorithm {
namespace {

/// A or B, seen as an upper triangle. A transposed matrix is its adjoint, seen from the end.
struct Coefficient {
  View view;
  char trans;
  SeenFrom seen;
};

Coefficient coefficient(const Script& script, const Call& call, std::string_view name, std::string_view trans_name, std::int64_t order) {
  const View stored{matrix(call, name), order, order};
  return flag(call, trans_name) == 'N' ? Coefficient{stored, 'N', SeenFrom::begin}
                                       : Coefficient{adjoint(stored), script.adjoint(), SeenFrom::end};
}

/// A Sylvester equation whose blocks are solved in the order that a variant chooses; X overwrites C.
class Equation {
 public:
  Equation(const Call& call, const Script& script)
      : script_(script),
        m_(value(call, "m")),
        n_(value(call, "n")),
        isgn_(value(call, "isgn")),
        a_(coefficient(script, call, "A", "trana", m_)),
        b_(coefficient(script, call, "B", "tranb", n_)),
        c_{matrix(call, "C"), m_, n_},
        scale_(matrix(call, "scale")) {}

  [[nodiscard]] Range rows() const { return {0, m_}; }
  [[nodiscard]] Range columns() const { return {0, n_}; }

  [[nodiscard]] std::vector<Cut> row_cuts(std::int64_t nb) const { return cuts(whole_blocks(a_, nb), Direction::up, a_.seen); }
  [[nodiscard]] std::vector<Cut> column_cuts(std::int64_t nb) const { return cuts(whole_blocks(b_, nb), Direction::down, b_.seen); }
  [[nodiscard]] Halves row_halves(const Range& r) const { return halves(a_, r); }
  [[nodiscard]] Halves column_halves(const Range& c) const { return halves(b_, c); }

  /// Computes C(r, c) -= A(r, k) C(k, c).
  void update_along_a(const Range& r, const Range& k, const Range& c) const { gemm(script_, -1.0, a_.view(r, k), c_(k, c), 1.0, c_(r, c)); }
  /// Computes C(r, c) -= isgn C(r, k) B(k, c).
  void update_along_b(const Range& r, const Range& k, const Range& c) const {
    gemm(script_, static_cast<double>(-isgn_), c_(r, k), b_.view(k, c), 1.0, c_(r, c));
  }
  /// Solves for C(r, c) with the diagonal blocks of A and B, by one kernel.
  void solve(const Range& r, const Range& c) {
    const View block = c_(r, c);
    if (block.empty()) {
      return;
    }
    info_ = std::max(info_, script_("trsyl", {a_.trans, b_.trans, isgn_, r.size, c.size, a_.view(r, r).stored, b_.view(c, c).stored,
                                              block.stored, scale_}));
    if (const double scale = script_.read(scale_, 1.0).real(); scale != 1) {
      total_scale_ *= scale;
      scale_all_but(r, c, scale);
    }
  }
  /// Stores the scale of the whole solution; returns info.
  std::int32_t finish() const {
    script_.write(scale_, total_scale_);
    return info_;
  }

 private:
  /// Returns whether rows k-1 and k of a real Schur form belong to one 2 x 2 block.
  [[nodiscard]] bool is_inside_block(const Coefficient& a, std::int64_t k) const {
    return !script_.complex() && script_.read(a.view.stored.at(k, k - 1), 0.0) != 0.0;
  }
  /// Returns boundaries every nb rows, one row later where a 2 x 2 block would be cut.
  [[nodiscard]] std::vector<std::int64_t> whole_blocks(const Coefficient& a, std::int64_t nb) const {
    std::vector<std::int64_t> all = boundaries(a.view.rows, nb);
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
      all[i] += is_inside_block(a, all[i]) ? 1 : 0;
    }
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  [[nodiscard]] Halves halves(const Coefficient& a, const Range& whole) const {
    const std::int64_t size = first_half(whole.size);
    return divide(whole, is_inside_block(a, whole.begin + size) ? size + 1 : size, a.seen);
  }
  /// Scales the rest of the right side after a kernel has scaled its part against overflow.
  void scale_all_but(const Range& r, const Range& c, double scale) const {
    const auto scale_part = [&](std::int64_t from, std::int64_t to, std::int64_t column) {
      if (from < to) {
        script_("scal", {to - from, scale, c_.stored.at(from, column), std::int64_t{1}});
      }
    };
    for (std::int64_t j = 0; j < n_; ++j) {
      const bool inside = j >= c.begin && j < c.end();
      scale_part(0, inside ? r.begin : m_, j);
      scale_part(inside ? r.end() : m_, m_, j);
    }
  }

  const Script& script_;
  std::int64_t m_, n_, isgn_;
  Coefficient a_, b_;
  View c_;
  Matrix scale_;
  double total_scale_ = 1;
  std::int32_t info_ = 0;
};

/// Time of the update of the right side by a block of X: lazy, before the updated block is solved, or eager, at once.
enum class Update { lazy, eager };

/// Solves columns c for all rows, block by block from the last row on: `solve_panel` solves a range of rows.
template <class SolvePanel>
void along_a(const Equation& equation, Update update, std::int64_t nb, const Range& c, SolvePanel solve_panel) {
  for (const Cut& r : equation.row_cuts(nb)) {
    if (update == Update::lazy) {
      equation.update_along_a(r[1], r[2], c);
    }
    solve_panel(r[1]);
    if (update == Update::eager) {
      equation.update_along_a(r[0], r[1], c);
    }
  }
}

/// Solves rows r for all columns, block by block from the first column on: `solve_panel` solves a range of columns.
template <class SolvePanel>
void along_b(const Equation& equation, Update update, std::int64_t nb, const Range& r, SolvePanel solve_panel) {
  for (const Cut& c : equation.column_cuts(nb)) {
    if (update == Update::lazy) {
      equation.update_along_b(r, c[0], c[1]);
    }
    solve_panel(c[1]);
    if (update == Update::eager) {
      equation.update_along_b(r, c[1], c[2]);
    }
  }
}

enum class Outside { a, b };

std::int32_t blocked(Outside outside, Update update_a, Update update_b, const Call& call, const BlockParameters& blocks,
                     const Script& script) {
  Equation equation(call, script);
  const std::int64_t nb = blocks.nb <= 1 ? std::max<std::int64_t>({1, value(call, "m"), value(call, "n")}) : blocks.nb;
  if (outside == Outside::a) {
    along_a(equation, update_a, nb, equation.columns(),
            [&](const Range& r) { along_b(equation, update_b, nb, r, [&](const Range& c) { equation.solve(r, c); }); });
  } else {
    along_b(equation, update_b, nb, equation.rows(),
            [&](const Range& c) { along_a(equation, update_a, nb, c, [&](const Range& r) { equation.solve(r, c); }); });
  }
  return equation.finish();
}

/// Halves the larger of A and B until both have at most `largest` rows.
void recurse(Equation& equation, const Range& r, const Range& c, std::int64_t largest) {
  if (std::max(r.size, c.size) <= largest) {
    equation.solve(r, c);
  } else if (r.size >= c.size) {
    const auto [first, second] = equation.row_halves(r);
    recurse(equation, second, c, largest);
    equation.update_along_a(first, second, c);
    recurse(equation, first, c, largest);
  } else {
    const auto [first, second] = equation.column_halves(c);
    recurse(equation, r, first, largest);
    equation.update_along_b(r, first, second);
    recurse(equation, r, second, largest);
  }
}

/// Minimum order of the recursion: two rows, so that a 2 x 2 block stays whole.
std::int32_t recursive(const Call& call, const BlockParameters& blocks, const Script& script) {
  Equation equation(call, script);
  recurse(equation, equation.rows(), equation.columns(), std::max<std::int64_t>(2, blocks.nb));
  return equation.finish();
}

Algorithm variant(Outside outside, Update update_a, Update update_b) {
  const std::string a = update_a == Update::lazy ? "15" : "16";
  const std::string b = update_b == Update::lazy ? "17" : "18";
  const std::string words_a = update_a == Update::lazy ? "lazily along A" : "eagerly along A";
  const std::string words_b = update_b == Update::lazy ? "lazily along B" : "eagerly along B";
  return {"trsyl", outside == Outside::a ? a + "-" + b : b + "-" + a,
          outside == Outside::a ? words_a + ", inside it " + words_b : words_b + ", inside it " + words_a,
          std::bind_front(blocked, outside, update_a, update_b),
          outside == Outside::a && update_a == Update::eager && update_b == Update::eager};
}

}  // namespace

std::vector<Algorithm> trsyl_algorithms() {
  std::vector<Algorithm> all;
  for (const Outside outside : {Outside::a, Outside::b}) {
    for (const Update update_a : {Update::lazy, Update::eager}) {
      for (const Update update_b : {Update::lazy, Update::eager}) {
        all.push_back(variant(outside, update_a, update_b));
      }
    }
  }
  all.push_back({"trsyl", "recursive", "halves of the larger of A and B until nb", recursive});
  return all;
}

}  // namespace flopcast::algorithm
