#include "flopcast/contract/planner/contraction_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::contract {
namespace {

/// Times products of one tile with operands in the caches.
class TileTimer {
 public:
  explicit TileTimer(const FindRoutine& find) : find_(find) {}

  /// Returns the time of the fastest of a few runs, because disturbances only slow a run down.
  [[nodiscard]] Seconds time(TileKernel kernel, std::int64_t m, std::int64_t n, std::int64_t k, bool pack, bool across = false) const {
    constexpr int runs = 5;
    const Contraction contraction =
        make_contraction(parse_notation(across ? "ab=ia,ib" : "ab=ai,ib"), {{'a', m}, {'b', n}, {'i', k}}, Precision::d);
    Workspace tensors(contraction);
    const TiledContraction tiled(fold(contraction), {m, n, k, kernel, 1, pack, pack}, find_);
    Seconds fastest = std::numeric_limits<Seconds>::infinity();
    for (int run = 0; run < runs; ++run) {
      const std::int64_t begin = clock_.ticks();
      tiled.run(tensors.tensor(Operand::a), tensors.tensor(Operand::b), tensors.tensor(Operand::c), 1.0, 0.0);
      fastest = std::min(fastest, clock_.seconds(clock_.ticks() - begin));
    }
    return fastest;
  }

  /// Returns the rates from shapes in which one term after the other dominates. The time of the terms found so far is subtracted.
  [[nodiscard]] KernelRates rates(TileKernel kernel, std::int64_t depth) const {
    constexpr std::int64_t large = 144, tiny = 4;
    const bool pack = kernel == TileKernel::panels;
    KernelRates rates;
    const auto residual = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
      return time(kernel, m, n, k, pack) - rates.of(static_cast<double>(m), static_cast<double>(n), static_cast<double>(k));
    };
    const auto found = [](Seconds seconds, std::int64_t count) { return std::max(0.0, seconds / static_cast<double>(count)); };
    rates.call = found(residual(tiny, tiny, tiny), 1);
    rates.per_product = found(residual(large, large, depth), large * large * depth);
    rates.per_c = found(residual(large, large, tiny), large * large);
    rates.per_a = found(residual(large, tiny, depth), large * depth);
    rates.per_b = found(residual(tiny, large, depth), depth * large);
    rates.per_product = 0;  // found again, without the time of the other terms
    rates.per_product = found(residual(large, large, depth), large * large * depth);
    return rates;
  }

  /// Returns the rates of the streaming kernel. Stores past the caches take the memory's time, which other parts of the model account for.
  /// So only the additional time of longer sums counts as the kernel's own.
  [[nodiscard]] KernelRates streaming_rates() const {
    constexpr std::int64_t large = 144, tiny = 4;
    constexpr std::int64_t longer = longest_streamed_sum - tiny;
    KernelRates rates;
    rates.call = time(TileKernel::streaming, tiny, tiny, tiny, true);
    const Seconds difference =
        time(TileKernel::streaming, large, large, longest_streamed_sum, true) - time(TileKernel::streaming, large, large, tiny, true);
    rates.per_product = std::max(0.0, difference) / static_cast<double>(large * large * longer);
    return rates;
  }

 private:
  const FindRoutine& find_;
  machine::WallClock clock_{0.002};
};

nlohmann::json to_json(const TileRates& rates) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const KernelRates& one : rates.kernels) {
    kernels.push_back({one.call, one.per_c, one.per_a, one.per_b, one.per_product});
  }
  return {
      {"kernels", std::move(kernels)}, {"gemv", rates.gemv}, {"packed_along", rates.packed_along}, {"packed_across", rates.packed_across}};
}

TileRates rates_from_json(const nlohmann::json& json) {
  TileRates rates;
  for (std::size_t i = 0; i < rates.kernels.size(); ++i) {
    const nlohmann::json& one = json.at("kernels").at(i);
    rates.kernels[i] = {element<double>(one, 0), element<double>(one, 1), element<double>(one, 2), element<double>(one, 3),
                        element<double>(one, 4)};
  }
  for (std::size_t along = 0; along < rates.gemv.size(); ++along) {
    for (std::size_t i = 0; i < TileRates::gemv_lengths.size(); ++i) {
      rates.gemv[along][i] = element<double>(json.at("gemv").at(along), i);
    }
  }
  read_member(json, "packed_along", rates.packed_along);
  read_member(json, "packed_across", rates.packed_across);
  return rates;
}

}  // namespace

Seconds TileRates::of_gemv(bool along_sums, double rows) const {
  const std::array<Seconds, gemv_lengths.size()>& times = gemv[along_sums ? 1 : 0];
  std::size_t above = 0;
  while (above + 1 < times.size() && rows > static_cast<double>(gemv_lengths[above])) {
    ++above;
  }
  const bool is_between = above > 0 && rows < static_cast<double>(gemv_lengths[above]);
  return is_between ? std::max(times[above - 1], times[above]) : times[above];
}

TileRates measure_tile_rates(const FindRoutine& find) {
  constexpr std::int64_t large = 144, tiny = 4;
  const TileTimer timer(find);
  TileRates rates;
  const auto measure = [&](TileKernel kernel, std::int64_t depth) {
    rates.kernels[static_cast<std::size_t>(kernel)] = timer.rates(kernel, depth);
  };
  measure(TileKernel::gemm, large);
  measure(TileKernel::panels, large);
  if (can_stream()) {
    rates.kernels[static_cast<std::size_t>(TileKernel::streaming)] = timer.streaming_rates();
  }
  for (const bool along_sums : {false, true}) {
    constexpr std::int64_t depth = 40;
    for (std::size_t i = 0; i < TileRates::gemv_lengths.size(); ++i) {
      const std::int64_t rows = TileRates::gemv_lengths[i];
      rates.gemv[along_sums ? 1 : 0][i] =
          timer.time(TileKernel::gemm, rows, 1, depth, false, along_sums) / static_cast<double>(rows * depth);
    }
  }
  const auto per_element = [&](bool across) {
    const Seconds packed = timer.time(TileKernel::panels, large, tiny, large, true, across);
    const Seconds in_place = timer.time(TileKernel::panels, large, tiny, large, false);
    return std::max(0.0, packed - in_place) / static_cast<double>(large * large + large * tiny);
  };
  rates.packed_along = per_element(false);
  rates.packed_across = per_element(true);
  return rates;
}

TileRates tile_rates_in(model::Store& store, const std::string& fingerprint, const FindRoutine& find, bool fresh) {
  if (const std::optional<nlohmann::json> found =
          fresh ? std::nullopt : find_artifact(store, model::artifact::contraction_rates, fingerprint)) {
    try {
      return rates_from_json(*found);
    } catch (const nlohmann::json::exception&) {  // written by another version: measured again and replaced
    }
  }
  TileRates rates = measure_tile_rates(find);
  put_artifact(store, model::artifact::contraction_rates, fingerprint, to_json(rates));
  return rates;
}

TileRates assumed_tile_rates(const Environment& environment) {
  constexpr double flops_per_product = 2, elements_moved = 2, bytes = 8;
  constexpr double usual_peak = 16e9;  // flops per second if the peak is unknown: a slow core, so that memory is not overrated
  constexpr double short_of_peak = 0.8;
  constexpr double flops_per_packed_element = 16;  // moving an element costs about as much as this many flops on present machines
  constexpr double flops_per_call = 4000;
  const double peak = short_of_peak * (environment.peak_flops > 0 ? environment.peak_flops : usual_peak);
  const double bandwidth = environment.caches.empty() ? 0 : environment.caches.front().bandwidth;
  const Seconds moved = std::max(flops_per_packed_element / peak, bandwidth > 0 ? elements_moved * bytes / bandwidth : 0);
  const KernelRates all{flops_per_call / peak, moved, moved, moved, flops_per_product / peak};
  return {{all, all, all}, moved, 2 * moved};
}

}  // namespace flopcast::contract
