#include "flopcast/contract/planner/time_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace flopcast::contract {
namespace {

/// Time of a line from L2 while several others are under way.
constexpr Seconds seconds_per_lost_line = 1e-9;

double as_double(std::int64_t value) { return static_cast<double>(value); }
double count(std::int64_t extent, std::int64_t length) { return std::ceil(as_double(extent) / as_double(length)); }

/// Operands as the formula uses them.
struct Sides {
  double m, n, k, batch, bytes;
};

Sides sides_of(const Folded& folded) {
  return {as_double(folded.m.extent), as_double(folded.n.extent), as_double(folded.k.extent), as_double(folded.batch.extent),
          as_double(element_bytes(folded.precision))};
}

}  // namespace

bool TimeModel::is_regular(const std::vector<std::int64_t>& offsets, std::int64_t length) const {
  const auto [known, is_new] = regular_.emplace(std::pair{offsets.data(), length}, true);
  const auto extent = static_cast<std::int64_t>(offsets.size());
  for (std::int64_t first = 0; is_new && known->second && first < extent; first += length) {
    known->second = constant_step(offsets, first, std::min(length, extent - first)) != 0;
  }
  return known->second;
}

bool TimeModel::is_direct(const std::vector<std::int64_t>& rows, std::int64_t row_length, const std::vector<std::int64_t>& columns,
                          std::int64_t column_length) const {
  // BLAS refuses a leading dimension that is shorter than the contiguous side.
  const auto reaches = [](const std::vector<std::int64_t>& inner, std::int64_t length, const std::vector<std::int64_t>& outer) {
    return starts_at_unit_step(inner) && (outer.size() < 2 || outer[1] - outer[0] >= std::min<std::int64_t>(length, std::ssize(inner)));
  };
  return is_regular(rows, row_length) && is_regular(columns, column_length) &&
         (reaches(rows, row_length, columns) || reaches(columns, column_length, rows));
}

TimeModel::Packing TimeModel::packing(const Tiling& tiling) const {
  const Folded& folded = *folded_;
  const Fold& rows = rows_of(tiling);
  const TileRates& rates = *rates_;
  const auto rate = [&](bool along) { return along ? rates.packed_along : rates.packed_across; };
  const bool across_sums = starts_at_unit_step(folded.k.a);  // in any order of the rows
  const Seconds a = rate(starts_at_unit_step(rows.a) || (is_interleaved(tiling.rows) && !across_sums)),
                b = rate(starts_at_unit_step(folded.k.b));
  const bool c_contiguous = starts_at_unit_step(rows.c), sums_are_dense = splits_k(folded, tiling);
  if (tiling.kernel == TileKernel::streaming) {
    return {a, b, 0};
  }
  if (tiling.kernel == TileKernel::panels) {
    constexpr std::int64_t few_rows = 8;  // shorter runs go through a buffer
    const bool direct_a = !tiling.pack_a && starts_at_unit_step(rows.a) && is_regular(folded.k.a, tiling.k);
    const bool direct_b = !tiling.pack_b && is_regular(folded.k.b, tiling.k);
    const bool scatters = !c_contiguous || (rows.natural.front() < few_rows && rows.natural.size() > 1);
    return {direct_a ? 0 : a, direct_b ? 0 : b, scatters && !sums_are_dense ? rates.packed_across : 0};
  }
  const bool direct_a = is_direct(rows.a, tiling.m, folded.k.a, tiling.k);
  const bool direct_b = is_direct(folded.k.b, tiling.k, folded.n.b, tiling.n);
  const bool direct_c = sums_are_dense || (c_contiguous && is_regular(rows.c, tiling.m) && is_regular(folded.n.c, tiling.n));
  return {direct_a ? 0 : a, direct_b ? 0 : b, direct_c ? 0 : rate(c_contiguous)};
}

bool TimeModel::is_in_place(const Tiling& tiling) const {
  const Packing packed = packing(tiling);
  return packed.a == 0 && packed.b == 0 && packed.c == 0;
}

TimeModel::Packed TimeModel::what_is_packed(const Tiling& tiling) const {
  const Packing packed = packing(tiling);
  return {packed.a > 0, packed.b > 0, packed.c > 0 && tiling.kernel == TileKernel::gemm};
}

bool starts_at_unit_step(const std::vector<std::int64_t>& offsets) { return offsets.size() < 2 || offsets[1] - offsets[0] == 1; }

double TimeModel::scattered_share(const Tiling& tiling) const {
  const Fold& rows = rows_of(tiling);
  const auto [known, is_new] = scattered_.emplace(TableAndLength{rows.a.data(), tiling.m}, 0.0);
  if (is_new) {
    known->second = share_of_scattered_rows(rows, tiling.m, folded_->precision);
  }
  return known->second;
}

const PanelCounts& TimeModel::row_panels(const Tiling& tiling) const {
  const Fold& rows = rows_of(tiling);
  const auto [known, is_new] = row_panels_.try_emplace(TableAndLength{rows.a.data(), tiling.m});
  if (is_new) {
    known->second = panels_of_rows(rows, tiling.m, folded_->precision);
  }
  return known->second;
}

const Fold& TimeModel::rows_of(const Tiling& tiling) const { return rows_in(tiling.rows, *folded_); }

std::int64_t TimeModel::run_of(const DimensionPart& side, std::int64_t step) const {
  const auto [known, is_new] = runs_.emplace(std::pair{TableAndLength{side.offsets.data(), side.length}, step}, 1);
  if (!is_new) {
    return known->second;
  }
  std::vector<std::int64_t> tile(side.offsets.begin(),
                                 side.offsets.begin() + std::min<std::int64_t>(side.length, std::ssize(side.offsets)));
  std::sort(tile.begin(), tile.end());
  const auto first = std::adjacent_find(tile.begin(), tile.end(), [&](std::int64_t x, std::int64_t y) { return y - x == step; });
  std::int64_t& run = known->second;
  while (first != tile.end() && first + run != tile.end() && first[run] - first[run - 1] == step) {
    ++run;
  }
  return run;
}

std::int64_t TimeModel::run_of(const DimensionPart& rows, const DimensionPart& columns) const {
  const std::int64_t along_rows = run_of(rows, 1), along_columns = run_of(columns, 1);
  return along_rows >= along_columns ? along_rows * run_of(columns, along_rows) : along_columns * run_of(rows, along_columns);
}

double TimeModel::fetching(const DimensionPart& rows, const DimensionPart& columns) const {
  const double of_a_line = as_double(elements_per_line(folded_->precision));
  const double needed_at_once = as_double(std::max(run_of(rows, 1), run_of(columns, 1)));
  return fetching_factor(folded_->precision, of_a_line, needed_at_once, as_double(run_of(rows, columns)));
}

double TimeModel::working_set_bytes() const {
  const Sides all = sides_of(*folded_);
  return working_set_bytes_ > 0 ? working_set_bytes_ : all.batch * all.bytes * (all.m * all.k + all.k * all.n + all.m * all.n);
}

ExpectedTime TimeModel::time_along_batch(int threads) const {
  const Sides all = sides_of(*folded_);
  const BatchRun run = batch_run(*folded_);
  const Seconds product = product_along_batch(*rates_, folded_->precision, run.is_contiguous(), as_double(run.length));
  const Seconds outer = memory_beside(threads).per_byte(working_set_bytes()) * all.bytes * all.batch;
  const double at_once = std::max(1, threads);
  const Seconds starting = (threads - 1) * start_of_a_thread;
  ExpectedTime time;
  time.first.inside.kernel = all.batch * (all.m * all.n * all.k + 2 * all.m * all.n) * product / at_once + starting;
  time.first.moving = outer / at_once * ExpectedTime::Parts{0, all.m * all.k, all.k * all.n, 2 * all.m * all.n};
  return time;
}

double TimeModel::at_once_of(const Tiling& tiling) const {
  const Folded& folded = *folded_;
  const double rows = as_double(folded.m.extent), height = as_double(std::min(tiling.m, folded.m.extent));
  const double columns = as_double(folded.batch.extent * folded.n.extent),
               width = as_double(std::max<std::int64_t>(1, std::min(tiling.n, folded.n.extent)));
  switch (sharing_of(folded, tiling)) {
    case Sharing::columns: return speedup_of(tiling.threads, columns, width);
    case Sharing::rows: return speedup_of(tiling.threads, as_double(folded.batch.extent) * rows, height);
    case Sharing::sums: return speedup_of(tiling.threads, as_double(folded.k.extent), as_double(tiling.k));
    case Sharing::together: break;
  }
  const bool waits_for_each_other = packs_some_of_b(tiling) || tiling.k < folded.k.extent;
  return speedup_of(tiling.threads, waits_for_each_other ? rows : rows * columns / width, height);
}

bool TimeModel::packs_some_of_b(const Tiling& tiling) const {
  const std::vector<std::int64_t>& columns = folded_->n.b;
  const bool in_panels = tiling.kernel == TileKernel::panels && tiling.n % panel_.columns == 0 && is_regular(columns, panel_.columns);
  return packing(tiling).b > 0 || !(in_panels || is_regular(columns, tiling.n));
}

TimeModel::OperandTurns TimeModel::turns_of(const Tiling& tiling, TileLoop without, bool keeps) const {
  const PerLoop<std::int64_t> tiles = tile_counts(*folded_, tiling);
  const PerLoop<double> extent = {as_double(folded_->m.extent), as_double(folded_->n.extent), as_double(folded_->k.extent)};
  const auto reached = [&](TileLoop loop) {
    return runs_inside(tiling.order, loop, without) ? extent[loop] : extent[loop] / as_double(tiles[loop]);
  };
  const double m = reached(TileLoop::m), n = reached(TileLoop::n), k = reached(TileLoop::k), turns = as_double(tiles[without]);
  OperandTurns all;
  all.working_set_bytes = (m * k + k * n + m * n) * as_double(element_bytes(folded_->precision));
  const bool one_buffer_does = tiles_inside(tiling.order, without, tiles) == 1;
  all.keeps = keeps && !one_buffer_does;
  all.again = loops_of(tiling.order).back() == without ? 0 : turns - 1;
  all.packings = keeps || one_buffer_does ? 1 : turns;
  return all;
}

Seconds TimeModel::moving(double bytes, const DimensionPart& rows, const DimensionPart& columns, bool is_packed, Seconds outer,
                          Seconds again, const OperandTurns& turns) const {
  const double once = fetching(rows, columns), once_more = is_packed && turns.packings == 1 ? 1 : once;
  return bytes * (once * outer + (turns.again * once_more + (turns.keeps ? 1 : 0)) * again);
}

double TimeModel::lines_lost(std::int64_t depth) const {
  const auto [known, is_new] = lines_lost_.emplace(depth, 0.0);
  if (is_new) {
    known->second = lines_lost_of(depth);
  }
  return known->second;
}

double TimeModel::lines_lost_of(std::int64_t depth) const {
  constexpr std::int64_t enough = 256;  // products; enough to show how lines are distributed over sets
  const Fold &n = folded_->n, &k = folded_->k;
  const std::int64_t columns = std::min(panel_.columns, n.extent), looked_at = std::min({depth, enough, k.extent});
  if (environment_->caches.empty() || looked_at == 0) {
    return 0;
  }
  const CacheLevel& l1 = environment_->caches.front();
  const std::int64_t bytes = l1.reported_bytes > 0 ? l1.reported_bytes : l1.capacity_bytes;
  const std::int64_t ways = l1.associativity > 0 ? l1.associativity : 8, sets = std::max<std::int64_t>(1, bytes / (l1.line_bytes * ways));
  std::set<std::int64_t> lines;
  for (std::int64_t p = 0; p < looked_at; ++p) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t offset = k.b[static_cast<std::size_t>(p)] + n.b[static_cast<std::size_t>(j)];
      lines.insert(offset * element_bytes(folded_->precision) / l1.line_bytes);
    }
  }
  std::map<std::int64_t, std::int64_t> in_set;
  for (const std::int64_t line : lines) {
    ++in_set[line % sets];
  }
  double lost = 0;
  for (const auto& [set, count] : in_set) {
    lost += 2 * count > ways ? as_double(count) : 0;  // A's panel passes through the other half of the set
  }
  return lost * as_double(depth) / as_double(looked_at);
}

TimeModel::TileSizes TimeModel::sizes_of(const Tiling& tiling) const {
  const Folded& folded = *folded_;
  const Sides all = sides_of(folded);
  TileSizes sizes{count(folded.m.extent, tiling.m), count(folded.n.extent, tiling.n), std::max(1.0, count(folded.k.extent, tiling.k))};
  sizes.rows = all.m / std::max(1.0, sizes.m_tiles);
  sizes.columns = all.n / std::max(1.0, sizes.n_tiles);
  sizes.depth = all.k / sizes.k_tiles;
  return sizes;
}

Seconds TimeModel::gemv_time(const Tiling& tiling, const TileSizes& sizes) const {
  if (tiling.kernel != TileKernel::gemm || sizes.columns > 1) {  // a contraction with a single row is folded the other way round
    return 0;
  }
  const bool along_sums = starts_at_unit_step(folded_->k.a) && !what_is_packed(tiling).a;
  return time_of_gemv(*rates_, folded_->precision, along_sums, sizes.rows, sizes.depth);
}

Seconds TimeModel::multiplying(const Tiling& tiling, const TileSizes& sizes) const {
  const double tiles = as_double(folded_->batch.extent) * sizes.m_tiles * sizes.n_tiles;
  const Seconds by_gemv = gemv_time(tiling, sizes);
  return tiles * (by_gemv > 0
                      ? by_gemv
                      : rates_without_packing(*rates_, tiling.kernel, folded_->precision).of(sizes.rows, sizes.columns, sizes.depth));
}

Seconds TimeModel::losses_in_panels(const Tiling& tiling, const TileSizes& sizes) const {
  const Folded& folded = *folded_;
  const double batch = as_double(folded.batch.extent);
  Seconds lost = 0;
  if (!tiling.pack_b && is_regular(folded.k.b, tiling.k)) {
    lost += batch * count(folded.m.extent, panel_.rows) * count(folded.n.extent, panel_.columns) *
            lines_lost(std::min(tiling.k, folded.k.extent)) * seconds_per_lost_line;
  }
  const double products = products_in_full_panels(row_panels(tiling), panels_of(folded.n.extent, tiling.n, panel_.columns), panel_);
  return lost + batch * rates_without_packing(*rates_, tiling.kernel, folded_->precision).per_product *
                    (products - as_double(folded.m.extent * folded.n.extent)) * sizes.depth;
}

Seconds TimeModel::kernel_time(const Tiling& tiling, const TileSizes& sizes) const {
  switch (tiling.kernel) {
    case TileKernel::panels: return multiplying(tiling, sizes) + losses_in_panels(tiling, sizes);
    case TileKernel::gemm:
    case TileKernel::streaming:
    case TileKernel::batch: break;
  }
  return multiplying(tiling, sizes);
}

ExpectedTime::Parts TimeModel::packing_time(const Tiling& tiling, const TileSizes& sizes, const Packing& packed,
                                            const AllTurns& turns) const {
  const Sides all = sides_of(*folded_);
  const Sharing sharing = sharing_of(*folded_, tiling);
  const auto packings = [&](const OperandTurns& operand, Sharing where_each_packs_for_itself, double tiles_shared) {
    const double packers = sharing == where_each_packs_for_itself ? std::min<double>(tiling.threads, tiles_shared) : 1;
    return std::max(operand.packings, packers);
  };
  Seconds of_a = packed.a;
  if (tiling.kernel == TileKernel::panels && packed.a == 0) {  // some panels may still have to be packed
    of_a = scattered_share(tiling) * (rates_->packed_along + rates_->packed_across) / 2;
  }
  return {0, all.batch * of_a * all.m * sizes.depth * packings(turns.a, Sharing::columns, sizes.n_tiles),
          all.batch * packed.b * sizes.depth * all.n * packings(turns.b, Sharing::rows, sizes.m_tiles), 0};
}

/// Data come from outside of the private caches: A once per tile of N, unless it stays inside or the loop over N is innermost, B likewise.
ExpectedTime::Parts TimeModel::moving_time(const Tiling& tiling, const TileSizes& sizes, const Packing& packed,
                                           const AllTurns& turns) const {
  const Folded& folded = *folded_;
  const Sides all = sides_of(folded);
  const MemoryTimes memory = memory_beside(tiling.threads);
  const double a_bytes = all.batch * all.m * sizes.depth * all.bytes, b_bytes = all.batch * sizes.depth * all.n * all.bytes;
  const double total = working_set_bytes();
  const Seconds outer = memory.per_byte(total);
  ExpectedTime::Parts parts;
  parts.a = moving(a_bytes, {rows_of(tiling).a, tiling.m}, {folded.k.a, tiling.k}, packed.a > 0, outer,
                   memory.per_byte(turns.a.working_set_bytes), turns.a);
  parts.b = moving(b_bytes, {folded.n.b, tiling.n}, {folded.k.b, tiling.k}, packed.b > 0, outer, memory.per_byte(turns.b.working_set_bytes),
                   turns.b);
  // Kernels' rates were measured on tiles that use A and B repeatedly. With few columns or rows, the other operand comes from L2 only once.
  const Seconds inside = tiling.kernel == TileKernel::streaming ? 0 : memory.per_byte_inside(total);
  const bool is_included = gemv_time(tiling, sizes) > 0;
  parts.a += sizes.columns < as_double(panel_.columns) && !is_included ? a_bytes * inside : 0;
  parts.b += sizes.rows < as_double(panel_.columns) ? b_bytes * inside : 0;
  return parts;
}

/// C comes from outside of the private caches once per tile of K.
TimeModel::TimesOfC TimeModel::moving_time_of_c(const Tiling& tiling, const TileSizes& sizes, const OperandTurns& turns) const {
  const Folded& folded = *folded_;
  const Sides all = sides_of(folded);
  const MemoryTimes memory = memory_beside(tiling.threads);
  const double height = as_double(std::min(tiling.m, folded.m.extent)), width = as_double(std::min(tiling.n, folded.n.extent));
  const double c_bytes = all.batch * all.m * all.n * all.bytes;
  const double until_next = (runs_inside(tiling.order, TileLoop::m, TileLoop::k) ? all.m : height) *
                            (runs_inside(tiling.order, TileLoop::n, TileLoop::k) ? all.n : width);
  const bool stays_inside = until_next * all.bytes <= memory.inner_capacity() / 2;  // C's tiles until the next tile of K
  const Seconds outer = memory.per_byte(working_set_bytes());
  const Seconds read = c_bytes * outer, written = c_bytes * outer;
  const bool streams = tiling.kernel == TileKernel::streaming || (tiling.stream_c && sizes.k_tiles == 1);
  // gemm clears a large C before it adds to it, and reads it once more.
  const bool passes_twice = tiling.kernel == TileKernel::gemm && height * width * all.bytes > memory.inner_capacity() / 2;
  const Seconds kept = turns.keeps ? c_bytes * memory.per_byte(turns.working_set_bytes) : 0;  // buffers that don't stay inside
  return {(streams ? c_bytes * memory.per_byte_of_memory() : read + written) + (passes_twice ? read : 0) + kept,
          stays_inside ? 0 : read + written};
}

ExpectedTime TimeModel::time(const Tiling& tiling) const {
  const Folded& folded = *folded_;
  if (folded.m.extent == 0 || folded.n.extent == 0 || folded.k.extent == 0 || folded.batch.extent == 0) {
    return {};  // there is nothing to multiply
  }
  if (tiling.kernel == TileKernel::batch) {
    return time_along_batch(tiling.threads);
  }
  const bool is_gemm = tiling.kernel == TileKernel::gemm;
  const TileSizes sizes = sizes_of(tiling);
  const Packing packed = packing(tiling);
  const AllTurns turns{turns_of(tiling, loop_without_a, tiling.keep_a && packed.a > 0),
                       turns_of(tiling, loop_without_b, tiling.keep_b && packed.b > 0),
                       turns_of(tiling, loop_without_c, tiling.keep_c && packed.c > 0 && is_gemm)};
  ExpectedTime::Share slab;  // all tiles of one tile of K
  slab.inside = packing_time(tiling, sizes, packed, turns);
  slab.inside.kernel = kernel_time(tiling, sizes);
  slab.moving = moving_time(tiling, sizes, packed, turns);
  const TimesOfC c = moving_time_of_c(tiling, sizes, turns.c);
  const double at_once = at_once_of(tiling);
  slab.inside.kernel *= is_gemm && rates_->gemm_takes_turns ? at_once : 1;  // one thread multiplies while the others wait
  const auto slabs = [&](double slabs_of_k, Seconds buffered, Seconds moved) {
    slab.inside.c = buffered;
    slab.moving.c = moved;
    return ExpectedTime::Share{slabs_of_k / at_once * slab.inside, slabs_of_k / at_once * slab.moving};
  };
  const Sides all = sides_of(folded);
  const Seconds buffered = all.batch * packed.c * all.m * all.n;
  const bool sums_up = is_gemm && writes_c_once(folded, tiling);
  ExpectedTime time{slabs(1, buffered, c.first), slabs(sizes.k_tiles - 1, sums_up ? 0 : buffered, c.later)};
  time.first.inside.kernel += (tiling.threads - 1) * start_of_a_thread;
  if (splits_k(folded, tiling)) {
    time.first.inside.c += tiling.threads * all.batch * all.m * all.n * rates_->packed_across;  // adding the parts
  }
  return time;
}

}  // namespace flopcast::contract
