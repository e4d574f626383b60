#include "flopcast/contract/network/planner_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/time_model.hpp"

namespace flopcast::contract {
namespace {

constexpr Seconds unavailable = std::numeric_limits<Seconds>::infinity();  ///< time of a kernel that a step can't use

/// Tiles that the planner considers, in elements: the largest ones of gemm, and usual ones of panels and streams.
constexpr double longest_of_gemm = 8192, rows_of_panels = 240, columns_of_panels = 4096, sums_of_panels = 640;
constexpr double rows_of_streams = 1024, columns_of_streams = 256;

double tiles(double extent, double length) { return std::max(1.0, std::ceil(extent / length)); }

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

double PlannerCost::bytes_of(const Oriented& step) const {
  return step.batch * element_bytes_ * (step.m * step.k + step.k * step.n + step.m * step.n);
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

Seconds PlannerCost::kernel(TileKernel which, double m, double n, double k) const {
  return rates_without_packing(rates_, which, precision_).of(m, n, k);
}

Seconds PlannerCost::gemm(const Oriented& step, const Team& team) const {
  const auto& [m, n, k, batch, a, b, c, a_along, b_along, c_along] = step;
  const auto rate = [&](bool along) { return along ? rates_.packed_along : rates_.packed_across; };
  const auto in_place = [](const ElementAccess& access) { return access.is_free || (access.is_matrix && access.unit != StepRole::none); };
  const bool direct_a = in_place(a) && a.unit != StepRole::batch, direct_b = in_place(b) && b.unit != StepRole::batch,
             direct_c = in_place(c) && c_along;
  const double m_tiles = tiles(m, longest_of_gemm), n_tiles = tiles(n, longest_of_gemm), k_tiles = tiles(k, longest_of_gemm);
  Seconds multiplying = kernel(TileKernel::gemm, m / m_tiles, n / n_tiles, k / k_tiles);
  if (n == 1) {
    const Seconds by_gemv = time_of_gemv(rates_, precision_, direct_a && !a_along, m / m_tiles, k / k_tiles);
    multiplying = by_gemv > 0 ? by_gemv : multiplying;
  }
  const Seconds packing = (direct_a ? 0 : m * k * n_tiles * rate(a_along)) + (direct_b ? 0 : k * n * m_tiles * rate(b_along)) +
                          (direct_c ? 0 : m * n * k_tiles * rate(c_along));
  const Seconds outer = team.memory.per_byte(bytes_of(step)) * element_bytes_;
  const bool passes_twice = m * n * element_bytes_ > team.memory.inner_capacity() / 2;
  const Seconds moving = outer * (m * k * n_tiles * fetching(a, batch * m * k) + k * n * m_tiles * fetching(b, batch * k * n) +
                                  m * n * (2 * k_tiles + (passes_twice ? 1 : 0)));
  const double at_once = std::min<double>(team.threads, std::max(1.0, batch * panels_across(m, n)));
  const double multiplying_at_once = rates_.gemm_takes_turns ? 1 : at_once;
  return batch * (m_tiles * n_tiles * k_tiles * multiplying / multiplying_at_once + (packing + moving) / at_once);
}

Seconds PlannerCost::gemm_in_place(const PairStep& step) const {
  const bool turns = step.rows == 1;  // gemv's vector is the single column
  return gemm({turns ? step.columns : step.rows, turns ? step.rows : step.columns, step.sums, step.batch, {}, {}, {}}, all_);
}

Seconds PlannerCost::panels(const Oriented& step, const Team& team) const {
  const auto& [m, n, k, batch, a, b, c, a_along, b_along, c_along] = step;
  const auto rate = [&](bool along) { return along ? rates_.packed_along : rates_.packed_across; };
  const double m_tiles = tiles(m, rows_of_panels), n_tiles = tiles(n, columns_of_panels), k_tiles = tiles(k, sums_of_panels);
  const Seconds multiplying = m_tiles * n_tiles * k_tiles * kernel(TileKernel::panels, m / m_tiles, n / n_tiles, k / k_tiles) +
                              rates_.of(TileKernel::panels).per_product * factor_ * (products_in_full_panels(m, n) - m * n) * k;
  const bool direct_b = b.is_free || b.is_matrix || b.unit == StepRole::sums;
  const Seconds packing = (a_along ? 0 : m * k * n_tiles * rates_.packed_across) + (direct_b ? 0 : k * n * rate(b_along)) +
                          (c_along ? 0 : m * n * k_tiles * rates_.packed_across);
  const Seconds outer = team.memory.per_byte(bytes_of(step)) * element_bytes_;
  const Seconds again = team.memory.per_byte(element_bytes_ * (m * k + n_tiles * columns_of_panels * (k + m))) * element_bytes_;
  const Seconds moving = outer * (m * k * fetching(a, batch * m * k) + k * n * fetching(b, batch * k * n) + 2 * m * n * k_tiles) +
                         again * m * k * (n_tiles - 1);
  const double at_once = std::min<double>(team.threads, std::max(1.0, batch * panels_across(m, n)));
  return batch * (multiplying + packing + moving) / at_once;
}

Seconds PlannerCost::streaming(const Oriented& step, const Team& team) const {
  const auto& [m, n, k, batch, a, b, c, a_along, b_along, c_along] = step;
  if (!can_stream_ || !is_double_ || k > static_cast<double>(longest_streamed_sum) || m <= 1 || !c_along) {
    return unavailable;
  }
  const auto rate = [&](bool along) { return along ? rates_.packed_along : rates_.packed_across; };
  const double m_tiles = tiles(m, rows_of_streams), n_tiles = tiles(n, columns_of_streams);
  const Seconds multiplying = m_tiles * n_tiles * kernel(TileKernel::streaming, m / m_tiles, n / n_tiles, k);
  const Seconds packing = m * k * n_tiles * rate(a_along) + k * n * rate(b_along);
  const Seconds outer = team.memory.per_byte(bytes_of(step)) * element_bytes_;
  const Seconds moving = outer * (m * k * fetching(a, batch * m * k) + k * n * fetching(b, batch * k * n)) +
                         m * n * element_bytes_ * team.memory.per_byte_of_memory();
  const double at_once = std::min<double>(team.threads, std::max(1.0, batch * std::max(m_tiles, n_tiles)));
  return batch * (multiplying + packing + moving) / at_once;
}

/// The formula of TimeModel::time_along_batch, with its limits on the products' size.
Seconds PlannerCost::along_batch(const Oriented& step, const Team& team) const {
  constexpr double max_in_vectors = 1 << 17, max_one_by_one = 1 << 8;
  const auto contiguous = [&](const ElementAccess& access) { return access.is_free || access.unit == StepRole::batch; };
  const bool is_contiguous = contiguous(step.a) && contiguous(step.b) && contiguous(step.c) && !is_complex_;
  const double products = step.m * step.n * step.k;
  if (step.batch <= 1 || products > (is_contiguous ? max_in_vectors : max_one_by_one)) {
    return unavailable;
  }
  const Seconds product = product_along_batch(rates_, precision_, is_contiguous, step.batch);
  const Seconds outer = team.memory.per_byte(bytes_of(step)) * element_bytes_;
  const double moved = step.m * step.k + step.k * step.n + 2 * step.m * step.n;
  return step.batch * ((products + 2 * step.m * step.n) * product + outer * moved) / team.threads;
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
  Seconds best = std::min(gemm(oriented, team), streaming(oriented, team));
  best = std::min(best, along_batch(oriented, team));
  if (!is_complex_) {
    best = std::min(best, panels(oriented, team));
  }
  return best + (team.threads - 1) * start_of_a_thread;
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
