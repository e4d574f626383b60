#include "flopcast/contract/network/planner_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/planner/panels.hpp"

namespace flopcast::contract {
namespace {

constexpr Seconds unavailable = std::numeric_limits<Seconds>::infinity();  ///< time of a kernel that a step can't use

/// Tiles that the planner considers, in elements: the largest ones of gemm, and usual ones of panels and streams.
constexpr double longest_of_gemm = 8192, rows_of_panels = 240, columns_of_panels = 4096, sums_of_panels = 640;
constexpr double rows_of_streams = 1024, columns_of_streams = 256;

double tiles(double extent, double length) { return extent <= length ? 1 : std::ceil(extent / length); }

/// Returns the access of the same tensor with rows and columns exchanged.
ElementAccess turned(ElementAccess access) {
  if (access.unit == StepRole::rows) {
    access.unit = StepRole::columns;
  } else if (access.unit == StepRole::columns) {
    access.unit = StepRole::rows;
  }
  return access;
}

PairStep turned(const PairStep& step) {
  return {step.columns, step.rows, step.sums, step.batch, turned(step.b), turned(step.a), turned(step.c)};
}

bool is_contiguous_along(StepRole role, const ElementAccess& access, double extent) {
  return access.is_free || access.unit == role || extent == 1;
}

/// Returns rates of NumPy's BLAS, whose own threads share the work of a call.
TileRates with_threads_inside(TileRates rates) {
  rates.gemm_takes_turns = false;
  return rates;
}

}  // namespace

PlannerCost::PlannerCost(const Environment& environment, const TileRates& rates, Precision precision, int threads)
    : environment_(environment),
      rates_(rates),
      formula_(rates_, precision),
      alone_{1, {environment_, rates_, 1}},
      all_{threads, {environment_, rates_, threads}},
      precision_(precision),
      element_bytes_(static_cast<double>(element_bytes(precision))),
      factor_(product_factor(precision)),
      panel_(panel_size(precision)),
      is_complex_(flopcast::is_complex(precision)),
      is_double_(precision == Precision::d),
      can_stream_(contract::can_stream()),
      fastest_product_(
          std::min(rates.of(TileKernel::gemm).per_product, is_complex_ ? unavailable : rates.of(TileKernel::panels).per_product)) {
  if (is_double_ && can_stream_) {
    fastest_product_ = std::min(fastest_product_, rates.of(TileKernel::streaming).per_product);
  }
}

double PlannerCost::fetching(const ElementAccess& access, double elements) const {
  const bool has_neighbours = access.unit != StepRole::batch && access.unit != StepRole::none;
  const double run = access.is_free ? elements : has_neighbours ? access.run : 1, reach = access.is_free ? elements : access.reach;
  return fetching_factor(precision_, std::min(elements, static_cast<double>(elements_per_line(precision_))), std::min(elements, run),
                         reach);
}

double PlannerCost::panels_across(double m, double n) const {
  return std::max(m / static_cast<double>(panel_.rows), n / static_cast<double>(panel_.columns));
}

double PlannerCost::products_in_full_panels(double m, double n) const {
  const auto rows = static_cast<double>(panel_.rows), columns = static_cast<double>(panel_.columns);
  const double high = std::floor(m / rows), wide = std::floor(n / columns);
  const auto rest_of_rows = static_cast<std::int64_t>(m - high * rows), rest_of_columns = static_cast<std::int64_t>(n - wide * columns);
  const auto cycles = [&](std::int64_t height, std::int64_t width) {
    return height > 0 && width > 0 ? cycles_of_panel(height, width, panel_.lanes) : 0;
  };
  const double of_full = cycles(panel_.rows, panel_.columns);
  const double all = high * (wide * of_full + cycles(panel_.rows, rest_of_columns)) + wide * cycles(rest_of_rows, panel_.columns) +
                     cycles(rest_of_rows, rest_of_columns);
  return all / of_full * rows * columns;
}

TiledWork PlannerCost::in_one_tile(const Oriented& step, const Team& team) const {
  TiledWork work;
  work.threads = team.threads;
  work.at_once = std::min<double>(team.threads, std::max(1.0, step.batch * panels_across(step.m, step.n)));
  work.m = step.m;
  work.n = step.n;
  work.k = step.k;
  work.batch = step.batch;
  work.working_set_bytes = step.batch * element_bytes_ * (step.m * step.k + step.k * step.n + step.m * step.n);
  work.a.fetching = fetching(step.a, step.batch * step.m * step.k);
  work.b.fetching = fetching(step.b, step.batch * step.k * step.n);
  return work;
}

/// Sets tiles of at most these lengths. Each tile of A is used, and packed if it is packed, once for each tile of N.
void PlannerCost::set_tiles(TiledWork& work, double rows, double columns, double sums) const {
  work.m_tiles = tiles(work.m, rows);
  work.n_tiles = tiles(work.n, columns);
  work.k_tiles = tiles(work.k, sums);
  work.tile_elements = std::min(work.m, rows) * std::min(work.n, columns);
  work.between = work.m * std::min(work.n, columns);
  work.a.packings = work.n_tiles;
  work.a.again = work.n_tiles - 1;
  work.a.working_set_bytes = element_bytes_ * (work.m * work.k + std::min(work.n, columns) * (work.k + work.m));
}

Seconds PlannerCost::time(const TiledWork& work, const Team& team) const { return formula_.time(work, team.memory).total(); }

Seconds PlannerCost::gemm(const Oriented& step, TiledWork work, const Team& team) const {
  const auto in_place = [](const ElementAccess& access) { return access.is_free || (access.is_matrix && access.unit != StepRole::none); };
  const bool direct_a = in_place(step.a) && step.a.unit != StepRole::batch, direct_b = in_place(step.b) && step.b.unit != StepRole::batch,
             direct_c = in_place(step.c) && step.c_along;
  work.kernel = TileKernel::gemm;
  set_tiles(work, longest_of_gemm, longest_of_gemm, longest_of_gemm);
  work.a.packing = direct_a ? 0 : packing(step.a_along);
  work.b.packing = direct_b ? 0 : packing(step.b_along);
  work.c.packing = direct_c ? 0 : packing(step.c_along);
  work.is_along_sums = direct_a && !step.a_along;
  return time(work, team);
}

Seconds PlannerCost::gemm_in_place(const PairStep& step) const {
  const bool turns = step.rows == 1;  // gemv's vector is the single column
  const Oriented oriented{turns ? step.columns : step.rows, turns ? step.rows : step.columns, step.sums, step.batch, {}, {}, {}};
  return gemm(oriented, in_one_tile(oriented, all_), all_);
}

Seconds PlannerCost::panels(const Oriented& step, TiledWork work, const Team& team) const {
  work.kernel = TileKernel::panels;
  set_tiles(work, rows_of_panels, columns_of_panels, sums_of_panels);
  const bool direct_b = step.b.is_free || step.b.is_matrix || step.b.unit == StepRole::sums;
  work.a.packing = step.a_along ? 0 : rates_.packed_across;
  work.b.packing = direct_b ? 0 : packing(step.b_along);
  work.c.packing = step.c_along ? 0 : rates_.packed_across;
  work.panel_products = products_in_full_panels(step.m, step.n);
  return time(work, team);
}

Seconds PlannerCost::streaming(const Oriented& step, TiledWork work, const Team& team) const {
  if (!can_stream_ || !is_double_ || step.k > static_cast<double>(longest_streamed_sum) || step.m <= 1 || !step.c_along) {
    return unavailable;
  }
  work.kernel = TileKernel::streaming;
  set_tiles(work, rows_of_streams, columns_of_streams, step.k);
  work.at_once = std::min<double>(team.threads, std::max(1.0, step.batch * std::max(work.m_tiles, work.n_tiles)));
  work.a.packing = packing(step.a_along);
  work.b.packing = packing(step.b_along);
  return time(work, team);
}

Seconds PlannerCost::along_batch(const Oriented& step, TiledWork work, const Team& team) const {
  constexpr double max_in_vectors = 1 << 17, max_one_by_one = 1 << 8;
  const auto contiguous = [&](const ElementAccess& access) { return access.is_free || access.unit == StepRole::batch; };
  const bool is_contiguous = contiguous(step.a) && contiguous(step.b) && contiguous(step.c) && !is_complex_;
  if (step.batch <= 1 || step.m * step.n * step.k > (is_contiguous ? max_in_vectors : max_one_by_one)) {
    return unavailable;
  }
  work.kernel = TileKernel::batch;
  work.at_once = team.threads;
  work.along_batch = product_along_batch(rates_, precision_, is_contiguous, step.batch);
  return time(work, team);
}

Seconds PlannerCost::seconds(const PairStep& step, const Team& team) const {
  const Oriented oriented{step.rows,
                          step.columns,
                          step.sums,
                          step.batch,
                          step.a,
                          step.b,
                          step.c,
                          is_contiguous_along(StepRole::rows, step.a, step.rows),
                          is_contiguous_along(StepRole::sums, step.b, step.sums),
                          is_contiguous_along(StepRole::rows, step.c, step.rows)};
  const TiledWork work = in_one_tile(oriented, team);
  const Seconds best = std::min({gemm(oriented, work, team), streaming(oriented, work, team), along_batch(oriented, work, team)});
  return is_complex_ ? best : std::min(best, panels(oriented, work, team));
}

Seconds PlannerCost::seconds(const PairStep& step) const {
  if (step.products() == 0) {
    return 0;
  }
  const bool turns = step.c.is_free ? step.columns > 1 : step.c.unit == StepRole::columns || (step.rows == 1 && step.columns > 1);
  const bool stays = step.c.is_free || !turns;
  Seconds best = unavailable;
  for (const Team* team : {&alone_, &all_}) {
    if (stays) {
      best = std::min(best, seconds(step, *team));
    }
    if (turns) {
      best = std::min(best, seconds(turned(step), *team));
    }
    if (all_.threads == 1) {
      break;
    }
  }
  return best;
}

Seconds PlannerCost::seconds(const SumStep& step) const {
  const double elements = step.kept * step.summed;
  if (elements == 0) {
    return 0;
  }
  const Seconds per_element = step.a.is_free || step.a.unit != StepRole::none ? rates_.packed_along : rates_.packed_across;
  const Seconds outer = alone_.memory.per_byte((elements + step.kept) * element_bytes_) * element_bytes_;
  return rates_.of(TileKernel::panels).call + elements * per_element + outer * (elements * fetching(step.a, elements) + 2 * step.kept);
}

Seconds PlannerCost::at_least(const PairStep& step) const {
  const double bytes = element_bytes_ * (step.elements_of_a() + step.elements_of_b() + step.elements_of_c());
  const Seconds moving = std::min(alone_.memory.per_byte(bytes), all_.memory.per_byte(bytes) / all_.threads);
  return std::max(step.products() * fastest_product_ * factor_ / all_.threads, bytes * moving);
}

NumpyCost::NumpyCost(const Environment& environment, const TileRates& rates, Precision precision, int threads)
    : planner_(environment, with_threads_inside(rates), precision, threads),
      // Loads and stores bound einsum's loops, not the multiplication. So a product takes about as long as moving an element.
      per_loop_product_((is_complex(precision) ? 4 : 1) * rates.packed_along),
      per_copied_element_(rates.packed_across),
      per_gemm_product_(planner_.per_gemm_product()) {}

Seconds NumpyCost::by_loops(const PairStep& step, double products) const {
  return products * per_loop_product_ + planner_.moving(step.elements_of_a() + step.elements_of_b() + 2 * step.elements_of_c());
}

Seconds NumpyCost::copying(const ElementAccess& access, double elements, int sum_labels) const {
  const double copies = !access.is_free && !access.is_matrix ? 1 : sum_labels > 1 ? 0.5 : 0;
  return copies == 0 ? 0 : copies * (elements * per_copied_element_ + planner_.moving(2 * elements));
}

Seconds NumpyCost::seconds(const PairStep& step) const {
  if (step.products() == 0) {
    return 0;
  }
  const bool is_inner = step.rows == 1 && step.columns == 1;
  if (step.batch > 1 || step.sums == 1 || is_inner) {
    return by_loops(step, step.products());
  }
  return copying(step.a, step.elements_of_a(), step.sum_labels) + copying(step.b, step.elements_of_b(), step.sum_labels) +
         planner_.gemm_in_place(step);
}

Seconds NumpyCost::at_least(const PairStep& step) const { return step.products() * std::min(per_gemm_product_, per_loop_product_); }

}  // namespace flopcast::contract
