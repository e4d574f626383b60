#include "flopcast/contract/planner/tile_plan.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/planner/blas_kernels.hpp"
#include "flopcast/contract/planner/mirror.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Calls `work` with the panel kernel for the precision's type if the type is real.
template <class Work>
void with_panel_kernel(Precision precision, Work&& work) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    if constexpr (std::is_floating_point_v<Element>) {
      work(panel_kernels<Element>().front());
    }
  });
}

/// Length and step of a tile.
using Side = std::pair<std::int64_t, std::int64_t>;

/// Returns the distinct lengths and steps of tiles: usually one or two, whatever the number of tiles.
std::set<Side> sides(const std::vector<Tile>& tiles, std::int64_t Tile::*step) {
  std::set<Side> all;
  for (const Tile& tile : tiles) {
    all.emplace(tile.length, tile.*step);
  }
  return all;
}

/// Returns the letters of the packed tensors, given those of the folded contraction.
std::string letters(const Folded& folded, bool left, bool right, bool result) {
  std::string names;
  names += (folded.swapped ? right : left) ? "A" : "";
  names += (folded.swapped ? left : right) ? "B" : "";
  names += result ? "C" : "";
  return names;
}

std::string packed_in_panels(const TilePlan& plan) {
  bool left = plan.tiling.pack_a, right = plan.tiling.pack_b, result = false;
  const auto irregular = [&](std::int64_t Tile::*step) {
    return std::any_of(plan.k.begin(), plan.k.end(), [&](const Tile& tile) { return tile.*step == 0; });
  };
  left = left || irregular(&Tile::step_a);
  right = right || irregular(&Tile::step_b);
  for (const std::vector<RowPanel>& panels : plan.row_panels) {
    for (const RowPanel& panel : panels) {
      left = left || !panel.vectors_in_a;
      result = result || (!panel.contiguous_c && panel.pieces.empty());  // pieces are written in place
    }
  }
  for (const std::vector<ColumnPanel>& panels : plan.column_panels) {
    right = right || std::any_of(panels.begin(), panels.end(), [](const ColumnPanel& panel) { return panel.step_b == 0; });
  }
  return letters(plan.folded, left, right, result);
}

/// Takes M in the tiling's order, if the contraction has it.
void order_rows(TilePlan& plan) {
  const Fold& rows = rows_in(plan.tiling.rows, plan.folded);
  if (&rows == &plan.folded.m) {
    plan.tiling.rows = RowOrder::as_c;  // the contraction has no other order
  } else {
    plan.folded.m = Fold(rows);
  }
  // frees these tables, which are as long as M
  plan.folded.interleaved = plan.folded.interleaved_long_a = plan.folded.a_major = Folded::no_fold();
}

/// Finds the sizes of the buffers for kernels that multiply whole tiles.
void make_tile_buffers(TilePlan& plan) {
  const std::int64_t element = element_bytes(plan.folded.precision);
  const std::string packed = plan.packed();
  const auto bytes = [&](char operand, std::int64_t rows, std::int64_t columns) {
    return packed.find(operand) == std::string::npos ? 0 : rounded(rows * columns * element);
  };
  const Tiling& tiling = plan.tiling;
  plan.a_slots.bytes = bytes(plan.folded.swapped ? 'B' : 'A', tiling.m, tiling.k);
  plan.b_slots.bytes = bytes(plan.folded.swapped ? 'A' : 'B', tiling.k, tiling.n);
  plan.c_slots.bytes = bytes('C', tiling.m, tiling.n);
}

void check(const TilePlan& plan) {
  for (const std::int64_t length : {plan.tiling.m, plan.tiling.n, plan.tiling.k}) {
    if (length > std::numeric_limits<std::int32_t>::max()) {
      throw bad_input("a tile of length {} exceeds the range of BLAS's 32-bit integers", length);
    }
  }
  if (plan.tiling.mirrored && !is_symmetric_of_one(plan.folded)) {
    throw bad_input("C isn't symmetric even if A and B are the same tensor, so it can't be mirrored");
  }
}

void require_streamable(const TilePlan& plan) {
  const bool contiguous = std::all_of(plan.m.begin(), plan.m.end(), [](const Tile& tile) { return tile.step_c == 1; });
  const bool regular = std::all_of(plan.n.begin(), plan.n.end(), [](const Tile& tile) { return tile.step_c != 0; });
  if (plan.folded.precision != Precision::d || plan.k.size() != 1 || plan.folded.k.extent > longest_streamed_sum || !contiguous ||
      !regular || !can_stream()) {
    throw bad_input(
        "tiles of {} of this contraction don't suit the streaming kernel. It needs a CPU with AVX2 and FMA, double precision, sums of "
        "at most {} products in one tile, and tiles of C with contiguous columns a constant step apart",
        to_string(plan.tiling), longest_streamed_sum);
  }
}

/// Cuts the tiles into panels, and finds the sizes of the buffers for packed ones.
void make_panels(TilePlan& plan) {
  if (is_complex(plan.folded.precision)) {
    throw bad_input("the panel kernel multiplies real numbers, not those of precision {}", static_cast<char>(plan.folded.precision));
  }
  with_panel_kernel(plan.folded.precision, [&](const auto& kernel) {
    const std::int64_t element = element_bytes(plan.folded.precision);
    constexpr std::int64_t private_cache = 1 << 20, line = 64;
    const bool is_far = plan.folded.batch.extent * plan.folded.m.extent * plan.folded.k.extent * element > private_cache;
    const RowPanels panels(plan.folded.m, kernel.rows, kernel.lanes, kernel.takes_pieces);
    for (const Tile& tile : plan.m) {
      plan.row_panels.push_back(panels.of(tile.first, tile.length));
      plan.packing_orders.push_back(packing_order(plan.folded.m, plan.row_panels.back(), plan.folded.k.a, is_far ? line / element : 0));
      plan.a_slots.bytes =
          std::max(plan.a_slots.bytes, rounded(packed_elements(plan.row_panels.back(), kernel.lanes, plan.tiling.k) * element));
    }
    for (const Tile& tile : plan.n) {
      plan.column_panels.push_back(column_panels(plan.folded.n, tile.first, tile.length, kernel.columns));
      plan.b_slots.bytes = std::max(plan.b_slots.bytes, rounded(packed_elements(plan.column_panels.back(), plan.tiling.k) * element));
    }
  });
}

/// Creates, for an operand that is to be kept and passes through buffers, a buffer for each of its tiles inside of the loop that doesn't
/// move it.
void keep_tiles(TilePlan& plan) {
  const auto keep = [&](bool& wanted, Slots& slots, TileLoop without) {
    wanted = wanted && slots.bytes > 0 && tiles_inside(plan.tiling.order, without, plan.counts) > 1;
    for (const TileLoop loop : {TileLoop::m, TileLoop::n, TileLoop::k}) {
      if (wanted && runs_inside(plan.tiling.order, loop, without)) {
        slots.step[loop] = slots.count;
        slots.count *= plan.counts[loop];
      }
    }
  };
  const std::string where = plan.packed();
  plan.tiling.keep_a = plan.tiling.keep_a && where.find(plan.folded.swapped ? 'B' : 'A') != std::string::npos;
  plan.tiling.keep_b = plan.tiling.keep_b && plan.packs_b;
  keep(plan.tiling.keep_a, plan.a_slots, loop_without_a);
  keep(plan.tiling.keep_b, plan.b_slots, loop_without_b);
  keep(plan.tiling.keep_c, plan.c_slots, loop_without_c);
  plan.sums_up = writes_c_once(plan.folded, plan.tiling);
}

void leave_out_upper_tiles(TilePlan& plan) {
  plan.first_rows.assign(plan.n.size(), 0);
  for (std::size_t n = 0; n < plan.n.size() && plan.tiling.mirrored; ++n) {
    const auto below = [&](const Tile& rows) { return rows.first + rows.length > plan.n[n].first; };
    plan.first_rows[n] = static_cast<std::size_t>(std::find_if(plan.m.begin(), plan.m.end(), below) - plan.m.begin());
  }
}

/// Lets the parts of a split K sum up in dense buffers.
void split_sums(TilePlan& plan) {
  plan.tiling.split_k = splits_k(plan.folded, plan.tiling);
  if (plan.tiling.split_k) {
    plan.split = SplitResult{plan.folded.m.c, plan.folded.n.c, plan.folded.batch.c};
    make_result_dense(plan.folded);
  }
}

/// Returns the number of parts in which threads share the tiles of M, N or K in an element of the batch. Usually a part is a tile. If the
/// loop over K is outermost, or K is split, each thread takes its share of the tiles.
std::size_t parts_of(const TilePlan& plan) {
  if (plan.sharing == Sharing::sums) {
    return std::min(plan.k.size(), static_cast<std::size_t>(plan.tiling.threads));
  }
  const std::size_t tiles = plan.sharing == Sharing::rows ? plan.m.size() : plan.n.size();
  return plan.loops.front() == TileLoop::k ? std::min(tiles, static_cast<std::size_t>(plan.tiling.threads)) : tiles;
}

}  // namespace

std::vector<Tile> tiles(const Fold& fold, std::int64_t length) {
  std::vector<Tile> all;
  for (std::int64_t first = 0; first < fold.extent; first += length) {
    const std::int64_t now = std::min(length, fold.extent - first);
    all.push_back({first, now, constant_step(fold.a, first, now), constant_step(fold.b, first, now), constant_step(fold.c, first, now)});
  }
  return all;
}

std::string TilePlan::packed() const {
  if (tiling.kernel == TileKernel::batch) {
    return {};
  }
  if (tiling.kernel == TileKernel::panels) {
    return packed_in_panels(*this);
  }
  const bool streams = tiling.kernel == TileKernel::streaming;
  const auto any_not = [](const std::set<Side>& rows, const std::set<Side>& columns, bool transposed_too) {
    return std::any_of(rows.begin(), rows.end(), [&](const Side& row) {
      return std::any_of(columns.begin(), columns.end(), [&](const Side& column) {
        GemmOperand<const double*> matrix;
        return !in_place<const double*>(nullptr, row.first, row.second, column.first, column.second, matrix) ||
               (matrix.transposed && !transposed_too);
      });
    });
  };
  const bool left = streams || any_not(sides(m, &Tile::step_a), sides(k, &Tile::step_a), true);
  const bool right = streams || any_not(sides(k, &Tile::step_b), sides(n, &Tile::step_b), true);
  const bool result = !streams && any_not(sides(m, &Tile::step_c), sides(n, &Tile::step_c), false);
  return letters(folded, left, right, result);
}

std::int64_t TilePlan::split_bytes() const {
  return split ? static_cast<std::int64_t>(parts) * split->elements() * element_bytes(folded.precision) : 0;
}

WorkUnit TilePlan::unit(std::size_t number) const {
  const std::size_t batch = number / parts, part = number - batch * parts;
  WorkUnit unit{static_cast<std::int64_t>(batch), part, {}, counts};
  const TileLoop shared = sharing == Sharing::sums ? TileLoop::k : sharing == Sharing::rows ? TileLoop::m : TileLoop::n;
  const std::size_t tiles = unit.last[shared];
  const auto beginning = [&](std::size_t of) { return tiles == parts ? of : of * tiles / parts; };
  unit.first[shared] = beginning(part);
  unit.last[shared] = beginning(part + 1);
  return unit;
}

void make_result_dense(Folded& folded) {
  const auto number = [](std::vector<std::int64_t>& offsets, std::int64_t step) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      offsets[i] = static_cast<std::int64_t>(i) * step;
    }
  };
  number(folded.m.c, 1);
  number(folded.n.c, folded.m.extent);
  number(folded.batch.c, folded.m.extent * folded.n.extent);
}

TilePlan make_tile_plan(Folded folded, Tiling tiling) {
  TilePlan plan{std::move(folded), tiling};
  if (tiling.kernel == TileKernel::batch) {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    plan.tiling = {all, all, all, TileKernel::batch, tiling.threads};
  }
  plan.tiling = fitted(plan.folded, plan.tiling);
  order_rows(plan);
  check(plan);
  split_sums(plan);
  plan.m = tiles(plan.folded.m, plan.tiling.m);
  plan.n = tiles(plan.folded.n, plan.tiling.n);
  plan.k = tiles(plan.folded.k, plan.tiling.k);
  if (plan.k.empty()) {
    plan.k = {{0, 0, 1, 1, 1}};  // an empty sum: C := beta C
  }
  const bool in_panels = plan.tiling.kernel == TileKernel::panels;
  if (plan.tiling.kernel == TileKernel::streaming) {
    require_streamable(plan);
  }
  plan.tiling.stream_c = plan.tiling.stream_c && in_panels && plan.k.size() == 1 && panels_stream(plan.folded.precision);
  in_panels ? make_panels(plan) : make_tile_buffers(plan);
  plan.packs_b = plan.packed().find(plan.folded.swapped ? 'A' : 'B') != std::string::npos;
  plan.counts = {plan.m.size(), plan.n.size(), plan.k.size()};
  plan.sharing = sharing_of(plan.folded, plan.tiling);
  plan.loops = loops_of(plan.tiling.order);
  plan.parts = parts_of(plan);
  keep_tiles(plan);
  leave_out_upper_tiles(plan);
  return plan;
}

}  // namespace flopcast::contract
