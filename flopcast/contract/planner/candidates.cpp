#include "flopcast/contract/planner/contraction_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/contract/planner/time_model.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// Returns tile lengths to try: those at which indices end, the `usual` ones that suit the caches, and the whole dimension, if `most`
/// allows.
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

/// Returns lengths near `about`, multiples of `unit`, that cut `extent` into equal tiles up to rounding: moving C costs as much for a short
/// last tile as for a whole one. The number of tiles is a multiple of `sharers`, so that no thread waits for another.
std::set<std::int64_t> equal_lengths(std::int64_t extent, std::initializer_list<std::int64_t> about, std::int64_t unit, int sharers = 1) {
  std::set<std::int64_t> all;
  for (const std::int64_t length : about) {
    if (length < extent) {
      const std::int64_t rounds = std::max<std::int64_t>(1, (extent + sharers * length / 2) / (sharers * length)), tiles = rounds * sharers;
      all.insert(round_up(ceil_div(extent, tiles), unit));
    }
  }
  return all;
}

/// Returns numbers of rows that use whole lines of A if A is contiguous along another index than M's first one: eight or sixteen runs.
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

/// Returns lengths of sums that use whole lines of an operand that is contiguous along an index of K other than the first: as many runs of
/// the preceding indices as a line has elements.
std::set<std::int64_t> runs_for_lines(const Fold& k, std::int64_t of_a_line) {
  constexpr std::int64_t longest = 2048;
  std::set<std::int64_t> all;
  for (std::size_t i = 0; i + 1 < k.natural.size(); ++i) {
    const std::int64_t run = k.natural[i], length = of_a_line * run;
    const auto follows = [&](const std::vector<std::int64_t>& offsets) {
      return offsets[static_cast<std::size_t>(run)] - offsets.front() == 1;
    };
    if (length <= std::min(longest, k.natural[i + 1]) && (follows(k.a) || follows(k.b))) {
      all.insert(length);
    }
  }
  return all;
}

/// Returns the orders of the loops that differ for these numbers of tiles: the position of a loop with a single tile doesn't matter.
std::vector<LoopOrder> different_orders(const PerLoop<std::int64_t>& tiles) {
  std::vector<LoopOrder> orders;
  std::set<std::vector<TileLoop>> seen;
  for (const LoopOrder order : all_loop_orders) {
    std::vector<TileLoop> that_matter;
    for (const TileLoop loop : loops_of(order)) {
      if (tiles[loop] > 1) {
        that_matter.push_back(loop);
      }
    }
    if (seen.insert(that_matter).second) {
      orders.push_back(order);
    }
  }
  return orders;
}

/// Collects tilings with their expected times.
class CandidateCollector {
 public:
  CandidateCollector(const Folded& folded, const Environment& environment, const TileRates& rates, int threads)
      : folded_(folded),
        environment_(environment),
        model_(folded, environment, rates),
        threads_(threads),
        max_of_a_(largest_buffer(folded.m.a, folded.k.a)),
        max_of_b_(largest_buffer(folded.k.b, folded.n.b)) {}

  /// Returns whether the contraction is one gemv on tensors in place. Every other way moves the matrix at least as often.
  [[nodiscard]] bool is_gemv() const { return folded_.n.extent == 1 && is_one_gemm(); }

  /// Adds one gemm call for the whole contraction, or one per thread for its part of M or N. Requires that BLAS can read all of it in
  /// place.
  void add_one_call() {
    const Tiling whole = whole_gemm();
    constexpr std::int64_t unit = 24;  // no kernel splits so many rows or columns except at the end
    for (std::int64_t Tiling::*side : {&Tiling::m, &Tiling::n}) {
      Tiling share = whole;
      share.*side = round_up(ceil_div<std::int64_t>(whole.*side, threads_), unit);
      if (share.*side < whole.*side) {
        add(share);
      }
    }
    if (all_.empty()) {
      add(whole);
    }
    all_.front().is_one_call = true;
    if (may_split_k()) {
      Tiling share = whole;
      share.split_k = true;
      share.k = round_up(ceil_div<std::int64_t>(whole.k, threads_), unit);
      add(share);
    }
  }

  void add_gemm() {
    if (is_one_gemm()) {
      add_one_call();
    }
    add_gemm(lengths(folded_.m, {64, 256, 1024}, longest), RowOrder::as_c);
    if (folded_.a_major.extent > 0) {
      add_gemm(lengths(folded_.a_major, {}, longest), RowOrder::a_major);
    }
  }

  /// Adds tilings of the panel kernel. A's tile should stay in L2 and a panel of B in L1. Packing operands that could be read in place
  /// helps if their leading dimensions cause cache conflicts.
  void add_panels() {
    const std::int64_t unit = std::max<std::int64_t>(24, panel_size(folded_.precision).rows);
    std::set<std::int64_t> rows = lengths(folded_.m, {}, 1024);
    rows.merge(equal_lengths(folded_.m.extent, {96, 240, 480}, unit, threads_));
    rows.merge(several_runs(folded_.m));
    add_panels(rows, RowOrder::as_c);
    for (const RowOrder order : {RowOrder::interleaved, RowOrder::interleaved_long_a}) {
      constexpr std::int64_t longest_interleaved = 6144;  // long runs of A and of C pay more than staying in L2
      if (const Fold& interleaved = rows_in(order, folded_); &interleaved != &folded_.m) {
        add_panels(lengths(interleaved, {}, longest_interleaved), order);
      }
    }
    if (folded_.a_major.extent > 0) {
      add_panels(lengths(folded_.a_major, {}, 2048), RowOrder::a_major);
    }
  }

  void add_panels(const std::set<std::int64_t>& rows, RowOrder order) {
    constexpr std::int64_t unit = 8, longest_sum = 768;  // a panel of B fills L1
    std::set<std::int64_t> sums = lengths(folded_.k, {}, longest_sum);
    sums.merge(equal_lengths(folded_.k.extent, {64, 192, 320, 640}, unit));
    sums.merge(runs_for_lines(folded_.k, elements_per_line(folded_.precision)));
    const auto fits = [&](const Tiling& tiling) { return tiling.m * tiling.k <= (is_interleaved(order) ? 2 : 1) * max_packed; };
    Tiling panels;
    panels.kernel = TileKernel::panels;
    panels.threads = threads_;
    panels.rows = order;
    std::vector<Tiling> all = product({panels}, &Tiling::m, rows);
    all = product(all, &Tiling::n, lengths(folded_.n, {64, 256, 1024, 4096}, longest));
    all = product(all, &Tiling::k, sums);
    std::erase_if(all, std::not_fn(fits));
    for (bool Tiling::*choice : {&Tiling::pack_a, &Tiling::pack_b, &Tiling::stream_c}) {
      all = product(all, choice, std::array{false, true});
    }
    for (const Tiling& tiling : all) {
      if (is_distinct(tiling)) {
        add(tiling);
      }
    }
  }

  void add_streaming() {
    for (const std::int64_t m : lengths(folded_.m, {256, 1024}, longest)) {
      for (const std::int64_t n : lengths(folded_.n, {64, 256}, longest)) {
        // Partly written lines cost more than whole ones, which matters for short columns.
        constexpr std::int64_t line = 8, long_column = 64;
        const bool whole_lines = m % line == 0 || m >= long_column;
        if (whole_lines && model_.is_regular(folded_.m.c, m) && model_.is_regular(folded_.n.c, n)) {
          add({m, n, std::max<std::int64_t>(1, folded_.k.extent), TileKernel::streaming, threads_});
        }
      }
    }
  }

  /// Adds the batch kernel if the products are small. Larger ones use enough lines of their own, and executing them with this kernel would
  /// take longer than all other trials.
  void add_batch() {
    constexpr std::int64_t max_in_vectors = 1 << 17, max_one_by_one = 1 << 8;
    const bool in_vectors = batch_run(folded_).is_contiguous() && !is_complex(folded_.precision);
    if (folded_.m.extent * folded_.n.extent * folded_.k.extent <= (in_vectors ? max_in_vectors : max_one_by_one)) {
      add({folded_.m.extent, folded_.n.extent, folded_.k.extent, TileKernel::batch, threads_});
    }
  }

  /// Adds tilings that split K, where the model expects them to be faster than sharing M or N. Only the best few are added.
  void add_split_k() {
    constexpr std::size_t max_added = 8;
    if (!may_split_k()) {
      return;
    }
    sort();
    const std::size_t usual = all_.size();
    const Seconds best = all_.front().seconds;
    for (std::size_t i = 0; i < usual && all_[i].seconds < 2 * threads_ * best; ++i) {
      Tiling split = all_[i].tiling;
      split.split_k = true;
      if (splits_k(folded_, split) && split != all_[i].tiling) {
        if (const Seconds seconds = model_.time(split).total(); seconds < best) {
          all_.push_back({split, seconds, Basis::formula});
        }
      }
    }
    keep_fastest_after(usual, max_added);
  }

  /// Adds the tiles of promising candidates with other orders of the loops and with kept operands. Only the best few are added, and only
  /// where the model expects about the speed of the best candidate in the usual order, or more.
  void add_other_loops() {
    constexpr double promising = 1.5, about = 1.01;
    constexpr std::size_t max_tiles = 64, max_added = 8;
    sort();
    const std::size_t usual = all_.size();
    const Seconds best = usual == 0 ? 0 : all_.front().seconds;
    for (std::size_t i = 0; i < std::min(usual, max_tiles) && all_[i].seconds <= promising * best; ++i) {
      for (const Tiling& other : other_loops(all_[i].tiling)) {
        if (const Seconds seconds = model_.time(other).total(); seconds <= about * best) {
          all_.push_back({other, seconds, Basis::formula});
        }
      }
    }
    keep_fastest_after(usual, max_added);
  }

  std::vector<Candidate> take() {
    sort();
    return std::move(all_);
  }

 private:
  /// Returns every tiling of `some` with every value of `choice`. The last choice of several products varies fastest.
  template <class Value, class Values>
  static std::vector<Tiling> product(const std::vector<Tiling>& some, Value Tiling::*choice, const Values& values) {
    std::vector<Tiling> all;
    all.reserve(some.size() * std::size(values));
    for (const Tiling& tiling : some) {
      for (const Value value : values) {
        all.push_back(tiling);
        all.back().*choice = value;
      }
    }
    return all;
  }

  /// Returns whether no other candidate in panels is executed alike: an operand that must be packed needs no second candidate that asks for
  /// it, and C is streamed only where this may pay.
  [[nodiscard]] bool is_distinct(const Tiling& tiling) const {
    const Fold& rows = rows_in(tiling.rows, folded_);
    const bool may_read_a = starts_at_unit_step(rows.a) && model_.is_regular(folded_.k.a, tiling.k);
    const bool may_read_b = model_.is_regular(folded_.k.b, tiling.k);
    const bool may_stream = tiling.k >= folded_.k.extent && pays_to_stream_c(rows);
    return (!tiling.pack_a || may_read_a) && (!tiling.pack_b || may_read_b) && (!tiling.stream_c || may_stream);
  }

  static constexpr std::int64_t longest = 8192;
  static constexpr std::int64_t max_elements = std::int64_t{1} << 24;  ///< largest number of elements of the buffers for one operand
  static constexpr std::int64_t max_packed = 1 << 18;  ///< largest number of elements of a packed tile of A, which should stay in L2

  /// Returns the largest number of elements of the buffers for an operand: as many as the memory that the operand spans has room for. The
  /// elements of sliding windows lie over each other, and a copy of them would need far more memory.
  static std::int64_t largest_buffer(const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
    constexpr std::int64_t least = 1 << 14;  // tiles that the caches hold
    const auto span = [](const std::vector<std::int64_t>& offsets) {
      const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
      return offsets.empty() ? 0 : *high - *low;
    };
    return std::clamp(span(rows) + span(columns) + 1, least, max_elements);
  }

  void add_gemm(const std::set<std::int64_t>& rows, RowOrder order) {
    for (const std::int64_t m : rows) {
      for (const std::int64_t n : lengths(folded_.n, {32, 128, 512}, longest)) {
        for (const std::int64_t k : lengths(folded_.k, {128, 384}, longest)) {
          if (m * n <= max_elements && m * k <= max_of_a_ && k * n <= max_of_b_ && !is_whole_in_place({m, n, k})) {
            add({m, n, k, TileKernel::gemm, threads_, false, false, false, order});
          }
        }
      }
    }
  }
  [[nodiscard]] Tiling whole_gemm() const {
    const auto all_of = [](const Fold& fold) { return std::max<std::int64_t>(1, fold.extent); };
    return {all_of(folded_.m), all_of(folded_.n), all_of(folded_.k), TileKernel::gemm, threads_};
  }
  /// Returns whether the contraction is one gemm on tensors in place.
  [[nodiscard]] bool is_one_gemm() const { return folded_.batch.extent == 1 && model_.is_in_place(whole_gemm()); }
  /// Returns whether `tiling` is the single call that add_one_call() adds.
  [[nodiscard]] bool is_whole_in_place(const Tiling& tiling) const {
    const Tiling whole = whole_gemm();
    return !all_.empty() && all_.front().is_one_call && tiling.m >= whole.m && tiling.n >= whole.n && tiling.k >= whole.k;
  }

  /// Returns whether C's lines would be read from outside of the caches before they are overwritten, and most panels of these rows have
  /// whole lines.
  [[nodiscard]] bool pays_to_stream_c(const Fold& rows) const {
    return panels_stream(folded_.precision) && starts_at_unit_step(rows.c) && rows.natural.front() >= panel_size(folded_.precision).rows &&
           !environment_.caches.empty() &&
           share_outside(model_.working_set_bytes(), static_cast<double>(environment_.caches.back().capacity_bytes)) > 0;
  }
  /// Returns whether C is small enough, and the sums are long enough, that adding the threads' sums costs little.
  [[nodiscard]] bool may_split_k() const {
    constexpr std::int64_t longest_result = 1 << 18, shortest_part = 512;  // elements
    const std::int64_t result = folded_.batch.extent * folded_.m.extent * folded_.n.extent;
    return threads_ > 1 && threads_ * result <= longest_result && folded_.k.extent >= threads_ * shortest_part;
  }

  /// Removes all but the `count` fastest of the candidates from number `first` on.
  void keep_fastest_after(std::size_t first, std::size_t count) {
    std::stable_sort(all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end(), is_faster);
    all_.resize(std::min(all_.size(), first + count));
  }
  static bool is_faster(const Candidate& x, const Candidate& y) { return x.seconds < y.seconds; }
  void sort() { std::stable_sort(all_.begin(), all_.end(), is_faster); }

  /// Returns whether the tiles of an operand are needed more than once and buffers for all of them have at most `most` elements.
  [[nodiscard]] static bool may_keep(LoopOrder order, TileLoop without, const PerLoop<std::int64_t>& tiles, std::int64_t elements_of_tile,
                                     std::int64_t most) {
    const std::int64_t count = tiles_inside(order, without, tiles);
    return tiles[without] > 1 && count > 1 && count * elements_of_tile <= most;
  }

  /// Returns `usual` with all other orders of the loops and choices of kept operands that make a difference.
  [[nodiscard]] std::vector<Tiling> other_loops(const Tiling& usual) const {
    std::vector<Tiling> all;
    if (usual.kernel == TileKernel::batch || usual.kernel == TileKernel::streaming) {
      return all;
    }
    const PerLoop<std::int64_t> tiles = tile_counts(folded_, usual);
    const auto [packs_a, packs_b, packs_c] = model_.what_is_packed(usual);
    for (const LoopOrder order : different_orders(tiles)) {
      const bool keeps_a = packs_a && may_keep(order, loop_without_a, tiles, usual.m * usual.k, max_of_a_),
                 keeps_b = packs_b && may_keep(order, loop_without_b, tiles, usual.k * usual.n, max_of_b_),
                 keeps_c = packs_c && may_keep(order, loop_without_c, tiles, usual.m * usual.n, max_elements);
      std::vector<Tiling> of_order = {usual};
      of_order.front().order = order;
      for (const auto& [keeps, keep] : {std::pair{keeps_a, &Tiling::keep_a}, {keeps_b, &Tiling::keep_b}, {keeps_c, &Tiling::keep_c}}) {
        for (std::size_t i = 0, without = keeps ? of_order.size() : 0; i < without; ++i) {
          of_order.push_back(of_order[i]);
          of_order.back().*keep = true;
        }
      }
      all.insert(all.end(), of_order.begin(), of_order.end());
    }
    std::erase(all, usual);
    return all;
  }

  void add(const Tiling& tiling) { all_.push_back({tiling, model_.time(tiling).total(), Basis::formula}); }

  const Folded& folded_;
  const Environment& environment_;
  TimeModel model_;
  int threads_;
  std::int64_t max_of_a_, max_of_b_;  ///< largest numbers of elements of the buffers for A and B
  std::vector<Candidate> all_;
};

}  // namespace

bool can_stream(const Folded& folded) {
  return folded.precision == Precision::d && folded.k.extent <= longest_streamed_sum && folded.m.extent > 1 &&
         starts_at_unit_step(folded.m.c) && contract::can_stream();
}

namespace {

std::vector<Candidate> candidates_on(int threads, const Folded& folded, const Environment& environment, const TileRates& rates) {
  CandidateCollector collector(folded, environment, rates, threads);
  if (collector.is_gemv()) {
    collector.add_one_call();
    return collector.take();
  }
  collector.add_gemm();
  if (!is_complex(folded.precision)) {
    collector.add_panels();
  }
  if (contract::can_stream(folded)) {
    collector.add_streaming();
  }
  if (folded.batch.extent > 1) {
    collector.add_batch();
  }
  collector.add_split_k();
  collector.add_other_loops();
  return collector.take();
}

}  // namespace

std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, const TileRates& rates, int threads) {
  std::vector<Candidate> all = candidates_on(threads, folded, environment, rates);
  if (threads > 1 && is_short_for_threads(all.front().seconds, threads)) {
    std::vector<Candidate> alone = candidates_on(1, folded, environment, rates);
    if (!are_threads_worthwhile(all.front().seconds, alone.front().seconds)) {
      return alone;
    }
    all.insert(all.end(), alone.begin(), alone.end());
    std::stable_sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) { return x.seconds < y.seconds; });
  }
  return all;
}

bool has_other_loops(const Tiling& tiling) { return tiling.order != LoopOrder::nkm || !kept_operands(tiling).empty(); }

void promote_each_kernel(std::vector<Candidate>& all, std::size_t count) {
  constexpr std::size_t of_each = 3, of_each_with_other_loops = 2;
  constexpr double clearly_slower = 1.5;
  std::array<std::array<std::size_t, 2>, 4> seen{};                  // by kernel, then by whether the loops differ from the usual ones
  std::set<std::tuple<TileKernel, RowOrder, bool, bool>> ways_seen;  // ways of going through C
  std::vector<Candidate> promoted, others;
  std::vector<std::pair<std::size_t, Candidate>> by_turn;
  for (const Candidate& candidate : all) {
    if (candidate.is_one_call) {
      continue;
    }
    const bool is_other = has_other_loops(candidate.tiling);
    const std::size_t number = seen[static_cast<std::size_t>(candidate.tiling.kernel)][is_other ? 1 : 0]++;
    const bool is_slow = candidate.seconds > clearly_slower * all.front().seconds;
    const Tiling& tiling = candidate.tiling;
    const bool is_first_of_its_way = ways_seen.emplace(tiling.kernel, tiling.rows, tiling.stream_c, tiling.split_k).second;
    if (number < (is_other ? of_each_with_other_loops : of_each) || (is_first_of_its_way && !is_slow)) {
      by_turn.emplace_back(is_slow ? of_each : is_first_of_its_way ? std::min<std::size_t>(number, 1) : number, candidate);
    } else {
      others.push_back(candidate);
    }
  }
  std::stable_sort(by_turn.begin(), by_turn.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  for (const auto& [turn, candidate] : by_turn) {
    promoted.push_back(candidate);
  }
  const auto one_call = std::find_if(all.begin(), all.end(), [](const Candidate& candidate) { return candidate.is_one_call; });
  if (one_call != all.end()) {
    promoted.insert(promoted.begin() + (one_call == all.begin() || promoted.empty() ? 0 : 1), *one_call);
  }
  // candidates with other loops give way first, because the model treats them like the usual ones otherwise
  while (promoted.size() > count) {
    const auto last = std::find_if(promoted.rbegin(), promoted.rend(), [](const Candidate& x) { return has_other_loops(x.tiling); });
    if (last == promoted.rend()) {
      break;
    }
    others.insert(others.begin(), *last);
    promoted.erase(std::next(last).base());
  }
  promoted.insert(promoted.end(), others.begin(), others.end());
  all = std::move(promoted);
}

}  // namespace flopcast::contract
