#include "flopcast/contract/candidates.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "flopcast/contract/streaming.hpp"
#include "flopcast/contract/time_model.hpp"

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

/// Rows that make lines of A whole where another index than M's first one is contiguous there: eight or sixteen times a run.
std::set<std::int64_t> several_runs(const Fold& m) {
  constexpr std::int64_t longest = 8192;
  std::set<std::int64_t> all;
  if (!starts_at_unit_step(m.a)) {
    for (const std::int64_t natural : m.natural) {
      for (const std::int64_t length : {8 * natural, 16 * natural}) {
        if (natural > 1 && length < m.extent && length <= longest) {
          all.insert(length);
        }
      }
    }
  }
  return all;
}

/// Collects blockings with their expected times.
class Collector {
 public:
  Collector(const Folded& folded, const Environment& environment, const TileRates& rates, int threads)
      : folded_(folded), model_(folded, environment, rates), threads_(threads) {}

  void add_gemm() {
    for (const std::int64_t m : lengths(folded_.m, {64, 256, 1024}, longest)) {
      for (const std::int64_t n : lengths(folded_.n, {32, 128, 512}, longest)) {
        for (const std::int64_t k : lengths(folded_.k, {128, 384}, longest)) {
          constexpr std::int64_t most_elements = std::int64_t{1} << 24;
          if (m * n <= most_elements && m * k <= most_elements && k * n <= most_elements) {
            add({m, n, k, TileKernel::gemm, threads_});
          }
        }
      }
    }
  }

  /// A's tile is to stay in L2, a panel of B in L1; packing what could be taken in place helps where leading dimensions are bad.
  void add_panels() {
    std::set<std::int64_t> rows = lengths(folded_.m, {96, 240, 480}, 1024);
    rows.merge(several_runs(folded_.m));
    for (const std::int64_t m : rows) {
      for (const std::int64_t n : lengths(folded_.n, {64, 256, 1024, 4096}, longest)) {
        for (const std::int64_t k : lengths(folded_.k, {64, 192, 320}, 512)) {
          if (m * k > most_packed) {
            continue;
          }
          for (const auto& [a, b] : {std::pair{false, false}, {true, false}, {true, true}}) {
            add({m, n, k, TileKernel::panels, threads_, a, b});
          }
        }
      }
    }
  }

  void add_streaming() {
    for (const std::int64_t m : lengths(folded_.m, {256, 1024}, longest)) {
      for (const std::int64_t n : lengths(folded_.n, {64, 256}, longest)) {
        if (model_.is_regular(folded_.m.c, m) && model_.is_regular(folded_.n.c, n)) {
          add({m, n, std::max<std::int64_t>(1, folded_.k.extent), TileKernel::streaming, threads_});
        }
      }
    }
  }

  std::vector<Candidate> take() {
    std::stable_sort(all_.begin(), all_.end(), [](const Candidate& x, const Candidate& y) { return x.seconds < y.seconds; });
    return std::move(all_);
  }

 private:
  static constexpr std::int64_t longest = 8192;
  static constexpr std::int64_t most_packed = 1 << 18;  ///< elements of a packed tile of A, which is to stay in L2

  void add(const Blocking& blocking) { all_.push_back({blocking, model_.time(blocking).total(), Basis::formula}); }

  const Folded& folded_;
  TimeModel model_;
  int threads_;
  std::vector<Candidate> all_;
};

}  // namespace

bool can_stream(const Folded& folded) {
  return folded.precision == Precision::d && folded.k.extent <= longest_streamed_sum && folded.m.extent > 1 &&
         starts_at_unit_step(folded.m.c) && contract::can_stream();
}

std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, const TileRates& rates, int threads) {
  Collector collector(folded, environment, rates, threads);
  collector.add_gemm();
  if (!is_complex(folded.precision)) {
    collector.add_panels();
  }
  if (contract::can_stream(folded)) {
    collector.add_streaming();
  }
  return collector.take();
}

}  // namespace flopcast::contract
