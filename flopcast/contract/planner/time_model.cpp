#include "flopcast/contract/planner/time_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace flopcast::contract {
namespace {

/// Time of a line from L2 while several others are under way.
constexpr Seconds seconds_per_lost_line = 1e-9;

double as_double(std::int64_t value) { return static_cast<double>(value); }

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

/// All conditions under which a kernel takes an operand as it lies stand here: the reason why this is one function.
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
  const double m = as_double(folded_->m.extent), n = as_double(folded_->n.extent), k = as_double(folded_->k.extent);
  const double elements = as_double(folded_->batch.extent) * (m * k + k * n + m * n);
  return working_set_bytes_ > 0 ? working_set_bytes_ : elements * as_double(element_bytes(folded_->precision));
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

void TimeModel::set_turns(TiledWork::OperandWork& operand, const Tiling& tiling, TileLoop without, bool keeps) const {
  const PerLoop<std::int64_t> tiles = tile_counts(*folded_, tiling);
  const PerLoop<double> extent = {as_double(folded_->m.extent), as_double(folded_->n.extent), as_double(folded_->k.extent)};
  const auto reached = [&](TileLoop loop) {
    return runs_inside(tiling.order, loop, without) ? extent[loop] : extent[loop] / as_double(tiles[loop]);
  };
  const double m = reached(TileLoop::m), n = reached(TileLoop::n), k = reached(TileLoop::k), turns = as_double(tiles[without]);
  operand.working_set_bytes = (m * k + k * n + m * n) * as_double(element_bytes(folded_->precision));
  const bool one_buffer_does = tiles_inside(tiling.order, without, tiles) == 1;
  operand.keeps = keeps && !one_buffer_does;
  operand.again = loops_of(tiling.order).back() == without ? 0 : turns - 1;
  operand.packings = keeps || one_buffer_does ? 1 : turns;
  operand.is_always_packed = operand.packing > 0 && operand.packings == 1;
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

TiledWork TimeModel::work_of(const Tiling& tiling) const {
  const Folded& folded = *folded_;
  const PerLoop<std::int64_t> tiles = tile_counts(folded, tiling);
  TiledWork work;
  work.kernel = tiling.kernel;
  work.threads = std::max(1, tiling.threads);
  work.m = as_double(folded.m.extent);
  work.n = as_double(folded.n.extent);
  work.k = as_double(folded.k.extent);
  work.batch = as_double(folded.batch.extent);
  work.working_set_bytes = working_set_bytes();
  if (tiling.kernel == TileKernel::batch) {
    const BatchRun run = batch_run(folded);
    work.along_batch = product_along_batch(*rates_, folded.precision, run.is_contiguous(), as_double(run.length));
    work.at_once = work.threads;
    return work;
  }
  work.at_once = at_once_of(tiling);
  work.m_tiles = as_double(tiles[TileLoop::m]);
  work.n_tiles = as_double(tiles[TileLoop::n]);
  work.k_tiles = as_double(tiles[TileLoop::k]);
  const double height = as_double(std::min(tiling.m, folded.m.extent)), width = as_double(std::min(tiling.n, folded.n.extent));
  work.tile_elements = height * width;
  work.between = (runs_inside(tiling.order, TileLoop::m, TileLoop::k) ? work.m : height) *
                 (runs_inside(tiling.order, TileLoop::n, TileLoop::k) ? work.n : width);
  const Packing packed = packing(tiling);
  work.a.packing = packed.a;
  work.b.packing = packed.b;
  work.c.packing = packed.c;
  const bool is_gemm = tiling.kernel == TileKernel::gemm;
  set_turns(work.a, tiling, loop_without_a, tiling.keep_a && packed.a > 0);
  set_turns(work.b, tiling, loop_without_b, tiling.keep_b && packed.b > 0);
  set_turns(work.c, tiling, loop_without_c, tiling.keep_c && packed.c > 0 && is_gemm);
  const Sharing sharing = sharing_of(folded, tiling);
  work.a.packers = sharing == Sharing::columns ? std::min<double>(tiling.threads, work.n_tiles) : 1;
  work.b.packers = sharing == Sharing::rows ? std::min<double>(tiling.threads, work.m_tiles) : 1;
  work.a.fetching = fetching({rows_of(tiling).a, tiling.m}, {folded.k.a, tiling.k});
  work.b.fetching = fetching({folded.n.b, tiling.n}, {folded.k.b, tiling.k});
  work.is_along_sums = starts_at_unit_step(folded.k.a) && packed.a == 0;
  work.streams_c = tiling.stream_c && tiles[TileLoop::k] == 1;
  work.writes_c_once = writes_c_once(folded, tiling);
  work.splits_sums = splits_k(folded, tiling);
  if (tiling.kernel == TileKernel::panels) {
    add_panels(tiling, work);
  }
  return work;
}

void TimeModel::add_panels(const Tiling& tiling, TiledWork& work) const {
  const Folded& folded = *folded_;
  work.panel_products = products_in_full_panels(row_panels(tiling), panels_of(folded.n.extent, tiling.n, panel_.columns), panel_);
  if (work.a.packing == 0) {  // some panels may still have to be packed
    work.a.packing = scattered_share(tiling) * (rates_->packed_along + rates_->packed_across) / 2;
  }
  if (!tiling.pack_b && is_regular(folded.k.b, tiling.k)) {
    work.conflicts = work.batch * as_double(ceil_div(folded.m.extent, panel_.rows)) * as_double(ceil_div(folded.n.extent, panel_.columns)) *
                     lines_lost(std::min(tiling.k, folded.k.extent)) * seconds_per_lost_line;
  }
}

ExpectedTime TimeModel::time(const Tiling& tiling) const {
  if (folded_->m.extent == 0 || folded_->n.extent == 0 || folded_->k.extent == 0 || folded_->batch.extent == 0) {
    return {};  // there is nothing to multiply
  }
  const TiledWork work = work_of(tiling);
  return TimeFormula(*rates_, folded_->precision).time(work, memory_beside(work.threads));
}

}  // namespace flopcast::contract
