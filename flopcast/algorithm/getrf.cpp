#include "flopcast/algorithm/variants.hpp"

#include <algorithm>

#include "flopcast/algorithm/view.hpp"

namespace flopcast::algorithm {
namespace {

/// A rectangular matrix cut into blocks. Row blocks and column blocks differ in size where A isn't square.
struct Partition {
  View whole;
  Cut rows, columns;

  [[nodiscard]] View operator()(std::size_t i, std::size_t j) const { return whole(rows.at(i), columns.at(j)); }
  /// Returns the row blocks 1 and 2 as one view.
  [[nodiscard]] View below(std::size_t j) const { return whole(join(rows[1], rows[2]), columns.at(j)); }
};

Triangle unit_lower(const View& a) { return {a, 'L', 'U'}; }
Triangle upper(const View& a) { return {a, 'U', 'N'}; }

View operand(const Call& call) { return {matrix(call, "A"), value(call, "m"), value(call, "n")}; }

/// Returns the cuts along the diagonal and a last one for the remainder: rows below if m > n, columns on the right if n > m.
std::vector<Partition> partitions(const View& a, std::int64_t nb) {
  const std::int64_t order = std::min(a.rows, a.columns);
  std::vector<Partition> all;
  for (const Cut& cut : cuts(order, nb, Direction::down)) {
    all.push_back({a, cut, cut});
    all.back().rows[2].size += a.rows - order;
    all.back().columns[2].size += a.columns - order;
  }
  if (a.rows != a.columns) {
    const auto remainder = [order](std::int64_t size) { return Cut{Range{0, order}, Range{order, size - order}, Range{size, 0}}; };
    all.push_back({a, remainder(a.rows), remainder(a.columns)});
  }
  return all;
}

std::int32_t first_info(std::int32_t before, std::int32_t info, std::int64_t offset) {
  return before != 0 || info == 0 ? before : info + static_cast<std::int32_t>(offset);
}

// ---- Partial pivoting.

/// Swaps rows of `a` by the pivots of `rows`; rows and pivots count from the beginning of `a`.
void swap_rows(const Script& script, const View& a, const Range& columns, const Range& pivots, const Matrix& ipiv) {
  if (columns.size > 0 && pivots.size > 0) {
    script("laswp", {columns.size, a.stored.at(0, columns.begin), pivots.begin + 1, pivots.end(), ipiv, std::int64_t{1}});
  }
}

/// Converts pivots that count from row `offset` to pivots that count from row 0.
void count_from_top(const Script& script, const Matrix& ipiv, std::int64_t count, std::int64_t offset) {
  for (std::int64_t i = 0; i < count; ++i) {
    script.write_pivot(ipiv.at(i), script.read_pivot(ipiv.at(i), 0) + offset);
  }
}

std::int32_t factor(const Script& script, const View& a, const Matrix& ipiv, std::string_view kernel) {
  return a.empty() ? 0 : script(kernel, {a.rows, a.columns, a.stored, ipiv});
}

/// Returns the rows whose pivots the panel determines.
Range pivots_of(const Partition& a) { return {a.rows[1].begin, std::min(a.rows[1].size, a.columns[1].size)}; }

/// Factors the panel [A11; A21] = P L U; its pivots count from the top of A.
std::int32_t factor_panel(const Script& script, const Partition& a, const Matrix& ipiv) {
  const Range pivots = pivots_of(a);
  const std::int32_t info = factor(script, a.below(1), ipiv.at(pivots.begin), "getrf2");
  count_from_top(script, ipiv.at(pivots.begin), pivots.size, pivots.begin);
  return info;
}

using PivotedStep = std::int32_t (*)(const Script& script, const Partition& a, const Matrix& ipiv);

std::int32_t left_looking(const Script& script, const Partition& a, const Matrix& ipiv) {
  swap_rows(script, a.whole, a.columns[1], a.rows[0], ipiv);
  trsm(script, 'L', 1.0, unit_lower(a(0, 0)), a(0, 1));
  gemm(script, -1.0, a.below(0), a(0, 1), 1.0, a.below(1));
  const std::int32_t info = factor_panel(script, a, ipiv);
  swap_rows(script, a.whole, a.columns[0], pivots_of(a), ipiv);
  return info;
}

std::int32_t crout(const Script& script, const Partition& a, const Matrix& ipiv) {
  gemm(script, -1.0, a.below(0), a(0, 1), 1.0, a.below(1));
  const std::int32_t info = factor_panel(script, a, ipiv);
  swap_rows(script, a.whole, a.columns[0], pivots_of(a), ipiv);
  swap_rows(script, a.whole, a.columns[2], pivots_of(a), ipiv);
  gemm(script, -1.0, a(1, 0), a(0, 2), 1.0, a(1, 2));
  trsm(script, 'L', 1.0, unit_lower(a(1, 1)), a(1, 2));
  return info;
}

std::int32_t right_looking(const Script& script, const Partition& a, const Matrix& ipiv) {
  const std::int32_t info = factor_panel(script, a, ipiv);
  swap_rows(script, a.whole, a.columns[0], pivots_of(a), ipiv);
  swap_rows(script, a.whole, a.columns[2], pivots_of(a), ipiv);
  trsm(script, 'L', 1.0, unit_lower(a(1, 1)), a(1, 2));
  gemm(script, -1.0, a(2, 1), a(1, 2), 1.0, a(2, 2));
  return info;
}

std::int32_t pivoted(PivotedStep step, const Call& call, const BlockParameters& blocks, const Script& script) {
  const View a = operand(call);
  const Matrix ipiv = matrix(call, "ipiv");
  if (blocks.nb <= 1 || blocks.nb >= std::min(a.rows, a.columns)) {
    return factor(script, a, ipiv, "getrf2");
  }
  std::int32_t info = 0;
  for (const Partition& partition : partitions(a, blocks.nb)) {
    info = first_info(info, step(script, partition, ipiv), partition.rows[1].begin);
  }
  return info;
}

std::int32_t recurse(const Script& script, const View& a, const Matrix& ipiv, std::int64_t smallest) {
  const std::int64_t order = std::min(a.rows, a.columns);
  if (order <= smallest) {
    return factor(script, a, ipiv, "getf2");
  }
  const Range all{0, a.rows};
  const auto [top, bottom] = divide(all, first_half(order));
  const auto [left, right] = divide({0, a.columns}, top.size);
  const std::int32_t info = recurse(script, a(all, left), ipiv, smallest);
  swap_rows(script, a, right, top, ipiv);
  trsm(script, 'L', 1.0, unit_lower(a(top, left)), a(top, right));
  gemm(script, -1.0, a(bottom, left), a(top, right), 1.0, a(bottom, right));
  const std::int32_t later_info = recurse(script, a(bottom, right), ipiv.at(top.size), smallest);
  count_from_top(script, ipiv.at(top.size), order - top.size, top.size);
  swap_rows(script, a, left, {top.size, order - top.size}, ipiv);
  return first_info(info, later_info, top.size);
}

std::int32_t recursive(const Call& call, const BlockParameters& blocks, const Script& script) {
  return recurse(script, operand(call), matrix(call, "ipiv"), std::max<std::int64_t>(1, blocks.nb));
}

// ---- No pivoting.

/// Factors A = L U by columns. A recording has no data and takes the reciprocal of every pivot to be 1/2.
std::int32_t factor_unblocked(const Script& script, const View& a) {
  for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    const std::int64_t below = a.rows - k - 1;
    const std::int64_t right = a.columns - k - 1;
    const Matrix pivot = a.stored.at(k, k);
    const std::complex<double> value = script.read(pivot, 2.0);
    if (value == 0.0) {
      return static_cast<std::int32_t>(k + 1);
    }
    if (below > 0) {
      script("scal", {below, 1.0 / value, pivot.at(1), std::int64_t{1}});
    }
    if (below > 0 && right > 0) {
      script(script.complex() ? "geru" : "ger",
             {below, right, -1.0, pivot.at(1), std::int64_t{1}, pivot.at(0, 1), pivot.ld, pivot.at(1, 1)});
    }
  }
  return 0;
}

using PlainStep = std::int32_t (*)(const Script& script, const Partition& a);

std::int32_t plain_1(const Script& script, const Partition& a) {
  trsm(script, 'L', 1.0, unit_lower(a(0, 0)), a(0, 1));
  trsm(script, 'R', 1.0, upper(a(0, 0)), a(1, 0));
  gemm(script, -1.0, a(1, 0), a(0, 1), 1.0, a(1, 1));
  return factor_unblocked(script, a(1, 1));
}

std::int32_t plain_2(const Script& script, const Partition& a) {
  trsm(script, 'R', 1.0, upper(a(0, 0)), a(1, 0));
  gemm(script, -1.0, a(1, 0), a(0, 1), 1.0, a(1, 1));
  const std::int32_t info = factor_unblocked(script, a(1, 1));
  gemm(script, -1.0, a(1, 0), a(0, 2), 1.0, a(1, 2));
  trsm(script, 'L', 1.0, unit_lower(a(1, 1)), a(1, 2));
  return info;
}

std::int32_t plain_3(const Script& script, const Partition& a) {
  trsm(script, 'L', 1.0, unit_lower(a(0, 0)), a(0, 1));
  gemm(script, -1.0, a(1, 0), a(0, 1), 1.0, a(1, 1));
  const std::int32_t info = factor_unblocked(script, a(1, 1));
  gemm(script, -1.0, a(2, 0), a(0, 1), 1.0, a(2, 1));
  trsm(script, 'R', 1.0, upper(a(1, 1)), a(2, 1));
  return info;
}

std::int32_t plain_4(const Script& script, const Partition& a) {
  gemm(script, -1.0, a(1, 0), a(0, 1), 1.0, a(1, 1));
  const std::int32_t info = factor_unblocked(script, a(1, 1));
  gemm(script, -1.0, a(1, 0), a(0, 2), 1.0, a(1, 2));
  trsm(script, 'L', 1.0, unit_lower(a(1, 1)), a(1, 2));
  gemm(script, -1.0, a(2, 0), a(0, 1), 1.0, a(2, 1));
  trsm(script, 'R', 1.0, upper(a(1, 1)), a(2, 1));
  return info;
}

std::int32_t plain_5(const Script& script, const Partition& a) {
  const std::int32_t info = factor_unblocked(script, a(1, 1));
  trsm(script, 'L', 1.0, unit_lower(a(1, 1)), a(1, 2));
  trsm(script, 'R', 1.0, upper(a(1, 1)), a(2, 1));
  gemm(script, -1.0, a(2, 1), a(1, 2), 1.0, a(2, 2));
  return info;
}

std::int32_t plain(PlainStep step, const Call& call, const BlockParameters& blocks, const Script& script) {
  const View a = operand(call);
  const std::int64_t order = std::min(a.rows, a.columns);
  const Matrix ipiv = matrix(call, "ipiv");
  for (std::int64_t i = 0; i < order; ++i) {
    script.write_pivot(ipiv.at(i), i + 1);
  }
  if (blocks.nb <= 1 || blocks.nb >= order) {
    return factor_unblocked(script, a);
  }
  for (const Partition& partition : partitions(a, blocks.nb)) {
    if (const std::int32_t info = step(script, partition); info != 0) {
      return info + static_cast<std::int32_t>(partition.rows[1].begin);
    }
  }
  return 0;
}

Algorithm with_pivoting(const char* name, const char* description, PivotedStep step, bool is_default = false) {
  return {"getrf", name, description, std::bind_front(pivoted, step), is_default};
}

Algorithm without_pivoting(const char* name, const char* description, PlainStep step) {
  return {"getrf", name, description, std::bind_front(plain, step)};
}

}  // namespace

std::vector<Algorithm> getrf_algorithms() {
  return {with_pivoting("3", "left-looking: swaps, trsm and gemm before each panel", left_looking),
          with_pivoting("4", "Crout: gemm before each panel and after it", crout),
          with_pivoting("5", "right-looking: trsm, gemm with what remains", right_looking, true),
          {"getrf", "recursive", "left and right half until nb, then getf2", recursive},
          without_pivoting("nopivot-1", "no pivoting, bordered: trsm, trsm, gemm", plain_1),
          without_pivoting("nopivot-2", "no pivoting, row by row of blocks", plain_2),
          without_pivoting("nopivot-3", "no pivoting, left-looking", plain_3),
          without_pivoting("nopivot-4", "no pivoting, Crout", plain_4),
          without_pivoting("nopivot-5", "no pivoting, right-looking", plain_5)};
}

}  // namespace flopcast::algorithm
