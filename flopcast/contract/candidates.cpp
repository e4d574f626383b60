#include "flopcast/contract/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "flopcast/contract/streaming.hpp"

namespace flopcast::contract {
namespace {

/// Tile lengths worth trying: ends of indices, the caches' sizes, everything; at most `most` elements of buffers.
std::set<std::int64_t> lengths(const Fold& fold, std::initializer_list<std::int64_t> usual, std::int64_t most) {
  std::set<std::int64_t> all;
  for (const std::int64_t natural : fold.natural) {
    if (natural > 1 && natural <= most) {
      all.insert(natural);
    }
  }
  for (const std::int64_t length : usual) {
    if (length < fold.extent) {
      all.insert(length);
    }
  }
  if (fold.extent <= most || all.empty()) {
    all.insert(std::min(fold.extent, most));
  }
  return all;
}

double or_else(double measured, double guess) { return measured > 0 ? measured : guess; }

/// Whether a fold's tiles of this length are a constant step apart inside.
bool is_regular(const std::vector<std::int64_t>& offsets, std::int64_t length) {
  const auto extent = static_cast<std::int64_t>(offsets.size());
  for (std::int64_t first = 0; first < extent; first += length) {
    if (constant_step(offsets, first, std::min(length, extent - first)) == 0) {
      return false;
    }
  }
  return true;
}

bool starts_at_unit_step(const std::vector<std::int64_t>& offsets) { return offsets.size() < 2 || offsets[1] - offsets[0] == 1; }

/// Whether BLAS can take every tile of these two folds where it lies.
bool is_direct(const std::vector<std::int64_t>& rows, std::int64_t row_length, const std::vector<std::int64_t>& columns,
               std::int64_t column_length) {
  return is_regular(rows, row_length) && is_regular(columns, column_length) && (starts_at_unit_step(rows) || starts_at_unit_step(columns));
}

double count(std::int64_t extent, std::int64_t length) { return std::ceil(static_cast<double>(extent) / static_cast<double>(length)); }

}  // namespace

bool can_stream(const Folded& folded) {
  return folded.precision == Precision::d && folded.k.extent <= longest_streamed_sum && folded.m.extent > 1 &&
         starts_at_unit_step(folded.m.c) && contract::can_stream();
}

Seconds expected_seconds(const Folded& folded, const Blocking& blocking, const Environment& environment) {
  constexpr double usual_peak = 50e9, usual_bandwidth = 10e9, streaming_gain = 1.5,
                   pack_rate = 4e9;  // elements-wise copies, bytes per second
  constexpr Seconds call_overhead = 0.3e-6;
  const auto bytes = static_cast<double>(element_bytes(folded.precision));
  const double m = static_cast<double>(folded.m.extent), n = static_cast<double>(folded.n.extent), k = static_cast<double>(folded.k.extent);
  const double batch = static_cast<double>(folded.batch.extent);
  const double m_tiles = count(folded.m.extent, blocking.m), n_tiles = count(folded.n.extent, blocking.n),
               k_tiles = count(folded.k.extent, blocking.k);
  const double memory = or_else(environment.memory_bandwidth, usual_bandwidth);
  const std::size_t levels = environment.caches.size();
  const double last_level = levels > 0 ? or_else(environment.caches.back().bandwidth, 3 * memory) : 3 * memory;
  const double capacity = levels > 0 ? static_cast<double>(environment.caches.back().capacity_bytes) : 32e6;
  const double inner_capacity = levels > 1 ? static_cast<double>(environment.caches[levels - 2].capacity_bytes) : 1e6;
  const double total = batch * bytes * (m * k + k * n + m * n);
  const double outer = total > capacity ? memory : last_level;
  const auto tile = [](std::int64_t length, std::int64_t extent) { return static_cast<double>(std::min(length, extent)); };
  const double mb = tile(blocking.m, folded.m.extent), nb = tile(blocking.n, folded.n.extent), kb = tile(blocking.k, folded.k.extent);

  // gemm loses at short sides: its own packing, the remainder of its register tiles, the start of each sum.
  const double efficiency = blocking.streaming ? 0.35 : mb / (mb + 12) * nb / (nb + 8) * kb / (kb + 12);
  const double arithmetic = (is_complex(folded.precision) ? 8 : 2) * batch * m * n * k;
  Seconds seconds = arithmetic / (or_else(environment.peak_flops, usual_peak) * std::max(efficiency, 1e-3));

  const bool packs_a = blocking.streaming || !is_direct(folded.m.a, blocking.m, folded.k.a, blocking.k);
  const bool packs_b = blocking.streaming || !is_direct(folded.k.b, blocking.k, folded.n.b, blocking.n);
  const bool buffers_c = !(starts_at_unit_step(folded.m.c) && is_regular(folded.m.c, blocking.m) && is_regular(folded.n.c, blocking.n));
  const double a_bytes = batch * m * k * bytes, b_bytes = batch * k * n * bytes, c_bytes = batch * m * n * bytes;
  const double a_rate = m * k * bytes <= inner_capacity ? last_level : outer;
  seconds += a_bytes * n_tiles / a_rate + (packs_a ? a_bytes * n_tiles / pack_rate : 0);
  seconds += b_bytes / outer + (packs_b ? b_bytes / pack_rate : 0);
  if (blocking.streaming) {
    seconds += c_bytes / (outer * (total > capacity ? streaming_gain : 0.3));
  } else {
    const bool stays_inside = mb * nb * bytes <= inner_capacity / 2;
    seconds += (stays_inside ? 2 : 3) * c_bytes * k_tiles / outer + (buffers_c ? c_bytes * k_tiles / pack_rate : 0);
  }
  seconds += batch * m_tiles * n_tiles * k_tiles * call_overhead;
  const double tasks = batch * n_tiles * m_tiles;
  return seconds / std::max(1.0, std::min<double>(blocking.threads, tasks));
}

std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, int threads) {
  constexpr std::int64_t longest = 8192;
  std::vector<Candidate> all;
  const auto add = [&](const Blocking& blocking) {
    all.push_back({blocking, expected_seconds(folded, blocking, environment), Basis::formula});
  };
  for (const std::int64_t m : lengths(folded.m, {64, 256, 1024}, longest)) {
    for (const std::int64_t n : lengths(folded.n, {32, 128, 512}, longest)) {
      for (const std::int64_t k : lengths(folded.k, {128, 384}, longest)) {
        constexpr std::int64_t most_elements = std::int64_t{1} << 24;
        if (m * n <= most_elements && m * k <= most_elements && k * n <= most_elements) {
          add({m, n, k, false, threads});
        }
      }
    }
  }
  if (contract::can_stream(folded)) {
    for (const std::int64_t m : lengths(folded.m, {256, 1024}, longest)) {
      for (const std::int64_t n : lengths(folded.n, {64, 256}, longest)) {
        if (is_regular(folded.m.c, m) && is_regular(folded.n.c, n)) {
          add({m, n, std::max<std::int64_t>(1, folded.k.extent), true, threads});
        }
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) { return x.seconds < y.seconds; });
  return all;
}

}  // namespace flopcast::contract
