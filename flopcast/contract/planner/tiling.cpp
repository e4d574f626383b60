#include "flopcast/contract/planner/tiling.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

struct Named {
  LoopOrder order;
  std::string_view name;
  std::array<TileLoop, 3> loops;
};

using enum TileLoop;
constexpr std::array<Named, 6> table = {{{LoopOrder::nkm, "nkm", {n, k, m}},
                                         {LoopOrder::nmk, "nmk", {n, m, k}},
                                         {LoopOrder::knm, "knm", {k, n, m}},
                                         {LoopOrder::kmn, "kmn", {k, m, n}},
                                         {LoopOrder::mnk, "mnk", {m, n, k}},
                                         {LoopOrder::mkn, "mkn", {m, k, n}}}};

const Named& entry(LoopOrder order) {
  return *std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.order == order; });
}

/// Names in the order of TileKernel.
constexpr std::array<std::string_view, 4> kernel_names = {"gemm", "panels", "streaming", "batch"};

enum class TileOption : std::uint8_t { rows, streams, splits, loops, kept };

/// Reads one of the options behind the kernel into `tiling`. Returns the option's kind, or nothing if `text` is no option.
std::optional<TileOption> parse_tile_option(std::string_view text, Tiling& tiling) {
  constexpr std::string_view keep = "keep";
  if (const std::optional<RowOrder> rows = row_order(text)) {
    tiling.rows = *rows;
    return TileOption::rows;
  }
  if (text == "streamC") {
    tiling.stream_c = true;
    return TileOption::streams;
  }
  if (text == "splitK") {
    tiling.split_k = true;
    return TileOption::splits;
  }
  if (const std::optional<LoopOrder> order = loop_order(text)) {
    tiling.order = *order;
    return TileOption::loops;
  }
  const std::string_view kept = text.starts_with(keep) ? text.substr(keep.size()) : std::string_view();
  keep_operands(tiling, kept);
  return kept.empty() || kept != kept_operands(tiling) ? std::nullopt : std::optional(TileOption::kept);
}

/// Reads all options. Returns false if one of them is no option, or a kind is given twice.
bool parse_tile_options(std::span<const std::string_view> texts, Tiling& tiling) {
  std::set<TileOption> seen;
  return std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
    const std::optional<TileOption> option = parse_tile_option(text, tiling);
    return option && seen.insert(*option).second;
  });
}

std::string kernel_text(const Tiling& tiling) {
  switch (tiling.kernel) {
    case TileKernel::gemm: return " by gemm";
    case TileKernel::panels: return fmt::format(" in panels{}{}", tiling.pack_a ? ", A packed" : "", tiling.pack_b ? ", B packed" : "");
    case TileKernel::streaming: return " streaming";
    case TileKernel::batch: return " along the batch";
  }
  return "";
}

std::string order_text(RowOrder rows) {
  switch (rows) {
    case RowOrder::as_c: return "";
    case RowOrder::interleaved: return ", lines of A and C interleaved";
    case RowOrder::interleaved_long_a: return ", lines of A and C interleaved along A";
    case RowOrder::a_major: return ", rows as A has them";
  }
  return "";
}

}  // namespace

std::array<TileLoop, 3> loops_of(LoopOrder order) { return entry(order).loops; }

std::string_view to_string(LoopOrder order) { return entry(order).name; }

std::optional<LoopOrder> loop_order(std::string_view name) {
  const auto* found = std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.name == name; });
  return found == table.end() ? std::nullopt : std::optional(found->order);
}

bool runs_inside(LoopOrder order, TileLoop inner, TileLoop outer) {
  const std::array<TileLoop, 3> loops = loops_of(order);
  return std::find(loops.begin(), loops.end(), inner) > std::find(loops.begin(), loops.end(), outer);
}

std::string kept_operands(const Tiling& tiling) {
  return std::string(tiling.keep_a ? "A" : "") + (tiling.keep_b ? "B" : "") + (tiling.keep_c ? "C" : "");
}

void keep_operands(Tiling& tiling, std::string_view letters) {
  const auto has = [&](char operand) { return letters.find(operand) != std::string_view::npos; };
  tiling.keep_a = has('A');
  tiling.keep_b = has('B');
  tiling.keep_c = has('C');
}

std::string_view to_string(TileKernel kernel) { return kernel_names[static_cast<std::size_t>(kernel)]; }

std::optional<TileKernel> tile_kernel(std::string_view name) {
  const auto* found = std::find(kernel_names.begin(), kernel_names.end(), name);
  return found == kernel_names.end() ? std::nullopt : std::optional(static_cast<TileKernel>(found - kernel_names.begin()));
}

std::string to_string(const Tiling& tiling) {
  std::string how = kernel_text(tiling) + order_text(tiling.rows);
  if (tiling.stream_c) {
    how += ", C streamed";
  }
  if (tiling.split_k) {
    how += ", K split";
  }
  if (tiling.order != LoopOrder::nkm) {
    how += fmt::format(", loops {}", to_string(tiling.order));
  }
  if (const std::string kept = kept_operands(tiling); !kept.empty()) {
    how += fmt::format(", {} kept", kept);
  }
  return fmt::format("{} x {} x {}{}{}{}", tiling.m, tiling.n, tiling.k, how, tiling.mirrored ? ", mirrored" : "",
                     tiling.threads > 1 ? fmt::format(" on {} threads", tiling.threads) : "");
}

double speedup_of(int threads, double extent, double length) {
  const double before = std::ceil(extent / length) - 1;  // number of tiles before the last one
  const double rounds = std::floor(before / threads), last = before == rounds * threads ? extent - before * length : length;
  return extent > 0 ? extent / (rounds * length + last) : 1;
}

bool splits_k(const Folded& folded, const Tiling& tiling) {
  const bool can_split = tiling.kernel == TileKernel::gemm || tiling.kernel == TileKernel::panels;
  return tiling.split_k && can_split && !tiling.mirrored && tiling.threads > 1 && tiling.k < folded.k.extent;
}

Sharing sharing_of(const Folded& folded, const Tiling& tiling) {
  if (splits_k(folded, tiling)) {
    return Sharing::sums;
  }
  struct TilingSide {
    double extent, length;
  };
  const auto side = [&](const Fold& fold, std::int64_t length) {
    return TilingSide{static_cast<double>(fold.extent), static_cast<double>(std::min(length, fold.extent))};
  };
  constexpr double enough = 4;  // number of tiles per thread
  const auto batch = static_cast<double>(folded.batch.extent);
  const auto is_shared_well = [&](const TilingSide& outer, const TilingSide& inner) {
    return tiling.threads == 1 || batch * outer.extent >= enough * tiling.threads * outer.length ||
           speedup_of(tiling.threads, batch * outer.extent, outer.length) > speedup_of(tiling.threads, inner.extent, inner.length);
  };
  const TilingSide rows = side(folded.m, tiling.m), columns = side(folded.n, tiling.n);
  if (runs_inside(tiling.order, TileLoop::n, TileLoop::m)) {
    return is_shared_well(rows, columns) ? Sharing::rows : Sharing::columns;
  }
  const bool rows_are_innermost = loops_of(tiling.order).back() == TileLoop::m;
  return is_shared_well(columns, rows) ? Sharing::columns : rows_are_innermost ? Sharing::together : Sharing::rows;
}

PerLoop<std::int64_t> tile_counts(const Folded& folded, const Tiling& tiling) {
  const auto count = [](const Fold& fold, std::int64_t length) {  // an empty dimension may have one empty tile
    return fold.extent == 0 ? 1 : ceil_div(fold.extent, length);
  };
  return {count(folded.m, tiling.m), count(folded.n, tiling.n), count(folded.k, tiling.k)};
}

bool writes_c_once(const Folded& folded, const Tiling& tiling) {
  return tiling.keep_c || tiles_inside(tiling.order, loop_without_c, tile_counts(folded, tiling)) == 1;
}

Tiling fitted(const Folded& folded, Tiling tiling) {
  const auto fit = [](std::int64_t length, const Fold& fold) {
    return std::clamp<std::int64_t>(length, 1, std::max<std::int64_t>(1, fold.extent));
  };
  tiling.m = fit(tiling.m, folded.m);
  tiling.n = fit(tiling.n, folded.n);
  tiling.k = fit(tiling.k, folded.k);
  return tiling;
}

bool are_neighbours(const Tiling& x, const Tiling& y) {
  const int different = (x.m != y.m ? 1 : 0) + (x.n != y.n ? 1 : 0) + (x.k != y.k ? 1 : 0) + (x.pack_a != y.pack_a ? 1 : 0) +
                        (x.pack_b != y.pack_b ? 1 : 0) + (x.stream_c != y.stream_c ? 1 : 0);
  return x.kernel == y.kernel && x.threads == y.threads && x.rows == y.rows && x.order == y.order && x.split_k == y.split_k &&
         kept_operands(x) == kept_operands(y) && different == 1;
}

Tiling parse_tiles(const std::string& text, int threads, std::string_view what) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  if (text == "whole") {
    return {longest, longest, longest, TileKernel::gemm, threads};
  }
  if (text == "batch") {
    return {longest, longest, longest, TileKernel::batch, threads};
  }
  const std::vector<std::string_view> parts = split(text, ':');
  const std::vector<std::string_view> sides = split(parts.front(), 'x');
  const std::optional<TileKernel> kernel = parts.size() > 1 ? tile_kernel(parts[1]) : TileKernel::gemm;
  Tiling tiling;
  if (sides.size() != 3 || !kernel || *kernel == TileKernel::batch ||
      !parse_tile_options(std::span(parts).subspan(std::min<std::size_t>(parts.size(), 2)), tiling)) {
    throw bad_input(
        "{} '{}' is neither whole nor batch nor tiles of M, N and K such as 96x512x64, 96x512x64:panels, "
        "96x512x64:panels:interleaved, "
        "96x512x64:panels:streamC, 96x512x64:panels:splitK, 96x512x64:gemm:A, 96x512x64:gemm:nmk, 96x512x64:panels:mkn:keepB or "
        "96x512x8:streaming",
        what, text);
  }
  tiling.m = parse_integer(sides[0], fmt::format("{}: M", what), 1, longest);
  tiling.n = parse_integer(sides[1], fmt::format("{}: N", what), 1, longest);
  tiling.k = parse_integer(sides[2], fmt::format("{}: K", what), 1, longest);
  tiling.kernel = *kernel;
  tiling.threads = threads;
  return tiling;
}

std::string to_text(const Tiling& tiling) {
  if (tiling.kernel == TileKernel::batch) {
    return "batch";
  }
  std::string text = fmt::format("{}x{}x{}:{}", tiling.m, tiling.n, tiling.k, to_string(tiling.kernel));
  const auto add = [&](bool is_asked, std::string_view option) { text += is_asked ? fmt::format(":{}", option) : ""; };
  const std::string kept = kept_operands(tiling);
  add(tiling.rows != RowOrder::as_c, to_string(tiling.rows));
  add(tiling.stream_c, "streamC");
  add(tiling.split_k, "splitK");
  add(tiling.order != LoopOrder::nkm, to_string(tiling.order));
  add(!kept.empty(), "keep" + kept);
  return text;
}

void require_row_order(const Tiling& tiling, const Contraction& contraction, std::string_view what) {
  if (tiling.rows == RowOrder::as_c) {
    return;
  }
  const Folded folded = fold(contraction);
  if (&rows_in(tiling.rows, folded) == &folded.m) {
    throw bad_input(
        "{} ask for another order of rows. {} has no other order of its rows, because A and C are contiguous along one index of M", what,
        to_string(contraction.notation()));
  }
}

}  // namespace flopcast::contract
