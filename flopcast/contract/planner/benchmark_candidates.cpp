#include "flopcast/contract/planner/benchmark_candidates.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

#include "flopcast/contract/planner/sample_tensors.hpp"
#include "flopcast/contract/planner/time_model.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/helper_threads.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

constexpr std::size_t max_tried = 16;
constexpr double infinitely_slower = std::numeric_limits<double>::infinity();
/// index: round; a candidate is timed if its time is at most this multiple of the best one's
constexpr std::array<double, 3> still_tried = {infinitely_slower, 1.5, 1.2};

/// Lengths along M, N, K and the batch.
struct TileBox {
  std::int64_t m, n, k, batch = 1;
};

/// Returns the beginning of the contraction, of the size of `box`, with M in this order.
Folded beginning(const Folded& folded, RowOrder order, const TileBox& box) {
  return {folded.precision,           beginning(rows_in(order, folded), box.m), beginning(folded.n, box.n),
          beginning(folded.k, box.k), beginning(folded.batch, box.batch),       folded.swapped};
}

/// Returns the part of the contraction that is timed. Along M and N it is the second tile, which begins like most tiles do: in the midst of
/// runs if tiles don't end with runs.
Folded sample_of(const Folded& folded, const Tiling& tiling, const TileBox& box) {
  const auto from_second_tile = [](const Fold& fold, std::int64_t tile, std::int64_t length) {
    return part_of(fold, tile + length <= fold.extent ? tile : 0, length);
  };
  Folded sample = beginning(folded, tiling.rows, box);
  sample.m = from_second_tile(rows_in(tiling.rows, folded), tiling.m, box.m);
  sample.n = from_second_tile(folded.n, tiling.n, box.n);
  if (splits_k(folded, tiling)) {
    make_result_dense(sample);
  }
  return sample;
}

/// Returns the size of a sample: one tile, a part of a large tile, or several small tiles. The sample is quick to time, yet longer than a
/// tick of the clock.
TileBox sample_box(const Folded& folded, const Tiling& tiling) {
  constexpr std::int64_t max_products = 4'000'000, fewest_products = 500'000, max_elements = 1 << 16;
  constexpr TileBox least = {96, 64, 64};
  if (tiling.kernel == TileKernel::batch) {
    const std::int64_t elements = folded.m.extent * folded.k.extent + folded.k.extent * folded.n.extent + folded.m.extent * folded.n.extent;
    const std::int64_t run = batch_run(folded).length;
    const std::int64_t fitting = std::clamp<std::int64_t>(max_elements / std::max<std::int64_t>(1, elements), 1, folded.batch.extent);
    return {folded.m.extent, folded.n.extent, folded.k.extent, fitting > run ? fitting / run * run : fitting};
  }
  TileBox box{std::min(tiling.m, folded.m.extent), std::min(tiling.n, folded.n.extent), std::min(tiling.k, folded.k.extent)};
  // Rows in another order than C's, and sums over several runs of K, begin in the midst of lines and use these up within a tile. A part of
  // such a tile would fetch lines in vain.
  const bool may_cut_rows = tiling.rows == RowOrder::as_c, may_cut_sums = box.k <= folded.k.natural.front();
  const auto is_too_large = [&] {
    return box.m * box.n * box.k > max_products || std::max({box.m * box.n, box.m * box.k, box.k * box.n}) > max_elements;
  };
  while (is_too_large()) {
    const std::array<std::pair<double, std::int64_t TileBox::*>, 3> sides = {
        {{may_cut_rows ? static_cast<double>(box.m) / static_cast<double>(least.m) : 0, &TileBox::m},
         {static_cast<double>(box.n) / static_cast<double>(least.n), &TileBox::n},
         {may_cut_sums ? static_cast<double>(box.k) / static_cast<double>(least.k) : 0, &TileBox::k}}};
    const auto& [ratio, side] =
        *std::max_element(sides.begin(), sides.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    constexpr std::int64_t vector = 8;
    const std::int64_t halved = round_up(box.*side / 2, vector);
    if (ratio <= 1 || halved >= box.*side) {
      break;
    }
    box.*side = halved;
  }
  const auto grow = [&](std::int64_t TileBox::*side, std::int64_t extent, std::int64_t other_side) {
    while (box.m * box.n * box.k < fewest_products && box.*side < extent && box.*side * other_side < max_elements) {
      box.*side = std::min(extent, 2 * box.*side);
    }
  };
  grow(&TileBox::m, folded.m.extent, std::max(box.n, box.k));
  grow(&TileBox::n, folded.n.extent, std::max(box.m, box.k));
  grow(&TileBox::k, folded.k.extent, std::max(box.m, box.n));  // whole tiles, except for the last one
  return box;
}

/// The times of a sample with its operands far away, and immediately afterwards.
struct Times {
  PartTimes far, near;
  Seconds reference = 0;  ///< time of a small product immediately before, on the slowest thread
};

PartTimes min_of(const PartTimes& x, const PartTimes& y) {
  return {std::min(x.pack_a, y.pack_a), std::min(x.pack_b, y.pack_b), std::min(x.rest, y.rest)};
}

/// A sample and the whole that it is a part of. Packing and moving have other shares in a sample than in the whole, whose tiles are longer.
/// So each part's time is predicted as the model's time for the whole, multiplied by the sample's ratio of measured to modelled time.
class Sampled {
 public:
  void set(const ExpectedTime::Share& sample, const ExpectedTime::Share& whole) {
    packs_a_ = sample.inside.a > 0;
    packs_b_ = sample.inside.b > 0;
    sample_ = {grouped(sample.moving), grouped(sample.inside)};
    whole_ = {grouped(whole.moving), grouped(whole.inside)};
  }
  [[nodiscard]] bool is_set() const { return sample_.near.rest > 0; }

  [[nodiscard]] Seconds predicted(const PartTimes& timed_far, const PartTimes& timed_near) const {
    const auto corrected = [](Seconds whole, Seconds sample, Seconds timed) { return sample > 0 ? whole * timed / sample : 0; };
    const PartTimes far = grouped(timed_far), near = min_of(grouped(timed_near), far);
    Seconds sum = 0;
    for (const auto part : {&PartTimes::pack_a, &PartTimes::pack_b, &PartTimes::rest}) {
      sum += corrected(whole_.near.*part, sample_.near.*part, near.*part) +
             corrected(whole_.far.*part, sample_.far.*part, far.*part - near.*part);
    }
    return sum;
  }

 private:
  /// Adds the times of operands that are not packed to `rest`, because they are read while multiplying.
  [[nodiscard]] PartTimes grouped(const ExpectedTime::Parts& parts) const {
    return grouped(PartTimes{parts.a, parts.b, parts.kernel + parts.c});
  }
  [[nodiscard]] PartTimes grouped(const PartTimes& times) const {
    return {packs_a_ ? times.pack_a : 0, packs_b_ ? times.pack_b : 0,
            times.rest + (packs_a_ ? 0 : times.pack_a) + (packs_b_ ? 0 : times.pack_b)};
  }

  bool packs_a_ = false, packs_b_ = false;
  Times sample_, whole_;  ///< expected times; `far` is the additional time of moving
};

/// A candidate and its sample.
struct TileTrial {
  TileTrial(const Folded& whole, const TimeModel& model, const Environment& environment, const TileRates& rates, const Candidate& candidate,
            const FindRoutine& find)
      : expected(model.time(candidate.tiling)),
        box(sample_box(whole, candidate.tiling)),
        part(sample_of(whole, candidate.tiling, box)),
        threads(std::max(1, candidate.tiling.threads)),
        tiled(part, serial(candidate.tiling), find) {
    const auto expected_of = [&](std::int64_t k, const Tiling& tiling) {
      Folded sample = beginning(whole, candidate.tiling.rows, {box.m, box.n, k, box.batch});
      if (splits_k(whole, candidate.tiling)) {
        make_result_dense(sample);
      }
      TimeModel of_sample(sample, environment, rates);
      of_sample.set_working_set(model.working_set_bytes());
      of_sample.set_neighbours(candidate.tiling.threads);
      return of_sample.time(tiling);
    };
    const ExpectedTime sample = expected_of(box.k, serial(candidate.tiling));
    if (sample.later.parts().sum() > 0) {  // the sample has several tiles of K
      first.set(sample.first + sample.later, expected.first + expected.later);
      return;
    }
    if (expected.first.inside.c > 0 && expected.later.inside.c == 0) {  // C is written once, as in the sample
      first.set(sample.first, expected.first + expected.later);
      return;
    }
    first.set(sample.first, expected.first);
    if (expected.later.parts().sum() > 0) {
      Tiling short_tiles = serial(candidate.tiling);
      short_tiles.k = box.k;
      later.set(expected_of(std::min(whole.k.extent, 2 * box.k), short_tiles).later, expected.later);
    }
  }

  [[nodiscard]] Seconds predicted() const {
    return first.predicted(first_far, near) + (later.is_set() ? later.predicted(later_far, near) : 0);
  }

  static Tiling serial(Tiling tiling) {
    tiling.threads = 1;
    tiling.rows = RowOrder::as_c;  // the sample's M already has the candidate's order
    return tiling;
  }

  ExpectedTime expected;
  TileBox box;
  Folded part;  ///< the sample, with M in the order of the candidate
  int threads;  ///< threads that compute the sample at once, each on its own tensors
  TiledContraction tiled;
  Sampled first, later;  ///< `first` with beta = 0, `later` with beta = 1
  PartTimes first_far = never, later_far = never, near = never;

 private:
  static constexpr Seconds infinite = std::numeric_limits<Seconds>::infinity();
  static constexpr PartTimes never{infinite, infinite, infinite};
};

/// One thread's tensors for timing samples.
class TrialLane {
 public:
  TrialLane(const Folded& room, const Environment& environment) : tensors_(room), sweeper_(environment.caches) {}

  void fill(const Folded& part) { tensors_.fill(part); }
  void run(const TiledContraction& tiled, double beta) const { tensors_.run(tiled, beta); }
  [[nodiscard]] PartTimes run_timed(const TiledContraction& tiled, double beta, const machine::WallClock& clock) const {
    return tensors_.run_timed(tiled, beta, clock);
  }
  void flush(const Folded& part) const { tensors_.flush(part, true); }
  void evict(int level) { sweeper_.evict(level); }

  /// Executes small products until the vector units run at full speed again, which takes CPUs some 20 us after a pause. Returns the
  /// shortest time of one small product.
  Seconds wake_up(const machine::WallClock& clock, const TiledContraction& waker) {
    constexpr Seconds long_enough = 25e-6;
    constexpr int at_once = 8;
    Seconds least = std::numeric_limits<Seconds>::infinity();
    const std::int64_t begin = clock.ticks();
    for (std::int64_t last = begin, now = begin; clock.seconds(now - begin) < long_enough; last = now) {
      for (int i = 0; i < at_once; ++i) {
        waker.run(numbers_.data(), numbers_.data(), result_.data(), 1.0, 0.0);
      }
      now = clock.ticks();
      least = std::min(least, clock.seconds(now - last) / at_once);
    }
    return least;
  }

  static constexpr std::int64_t small = 24;
  static Folded small_product() { return fold(make_contraction(parse_notation("ab=ai,ib"), {{'a', small}, {'b', small}, {'i', small}})); }

 private:
  SampleTensors tensors_;
  measure::Sweeper sweeper_;
  std::vector<double> numbers_ = std::vector<double>(small * small, 0.5), result_ = std::vector<double>(small * small);
};

/// A barrier at which threads begin their work at the same time, if there is a core for each.
class TileStart {
 public:
  explicit TileStart(std::size_t threads) : missing_(static_cast<std::ptrdiff_t>(threads)) {}
  void give_up() { --missing_; }
  void wait() {
    --missing_;
    constexpr int often = 10'000;
    for (int i = 0; missing_ > 0; ++i) {
      if (i > often) {
        std::this_thread::yield();
      }
    }
  }

 private:
  std::atomic<std::ptrdiff_t> missing_;
};

/// Times trials with operands where the whole contraction finds them, on as many threads at once as the candidate has, because threads
/// share bandwidth, caches and the clock frequency.
class Bench {
 public:
  Bench(const Folded& whole, const std::vector<TileTrial>& trials, const Environment& environment, double working_set_bytes)
      : waker_(TrialLane::small_product(), {TrialLane::small, TrialLane::small, TrialLane::small, TileKernel::panels}, {}) {
    for (std::size_t level = 0; level < environment.caches.size(); ++level) {
      const bool is_last = level + 1 == environment.caches.size();
      const auto capacity = static_cast<double>(environment.caches[level].capacity_bytes);
      if (is_last ? share_outside(working_set_bytes, capacity) > 0.5 : working_set_bytes > capacity) {
        outgrown_ = static_cast<int>(level);
        outgrows_all_ = is_last;
      }
    }
    const Folded room = room_for(whole, trials);
    int threads = 1;
    for (const TileTrial& trial : trials) {
      threads = std::max(threads, trial.threads);
    }
    lanes_.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      lanes_.emplace_back(room, environment);
    }
    in_lanes(lanes_.size(), [&](std::size_t i) {
      for (const TileTrial& trial : trials) {
        if (static_cast<int>(i) < trial.threads) {
          lanes_[i].fill(trial.part);
        }
      }
    });
  }

  /// Executes the sample once untimed, so that the buffers for packing get real memory, which costs more time than the sample.
  void touch_buffers(const TileTrial& trial) {
    in_lanes(static_cast<std::size_t>(trial.threads), [&](std::size_t i) { lanes_[i].run(trial.tiled, 0.0); });
  }

  void time(TileTrial& trial) {
    const Times first = times_at_speed(trial, Beta::zero);
    trial.first_far = min_of(trial.first_far, first.far);
    trial.near = min_of(trial.near, first.near);
    if (trial.later.is_set()) {
      trial.later_far = min_of(trial.later_far, times_at_speed(trial, Beta::one).far);
    }
  }

 private:
  static TileBox largest(const std::vector<TileTrial>& trials) {
    TileBox box{1, 1, 1};
    for (const TileTrial& trial : trials) {
      box = {std::max(box.m, trial.box.m), std::max(box.n, trial.box.n), std::max(box.k, trial.box.k),
             std::max(box.batch, trial.box.batch)};
    }
    return box;
  }

  /// Returns a part of the contraction that contains the samples of all trials in any order of M.
  static Folded room_for(const Folded& whole, const std::vector<TileTrial>& trials) {
    Folded room = beginning(whole, RowOrder::as_c, largest(trials));
    const auto add = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& offsets) {
      to.insert(to.end(), offsets.begin(), offsets.end());
    };
    for (const TileTrial& trial : trials) {
      add(room.m.a, trial.part.m.a);
      add(room.m.c, trial.part.m.c);
      add(room.n.b, trial.part.n.b);
      add(room.n.c, trial.part.n.c);
    }
    return room;
  }

  /// Runs `work` for [0, count), one thread each; threads that the system refuses are skipped.
  static void in_lanes(std::size_t count, const std::function<void(std::size_t)>& work) {
    machine::run_with_helpers(count, work, [](std::size_t) {});
  }

  enum class Beta : std::uint8_t { zero, one };

  /// Times the trial, and repeats it a few times while the core is clearly slower than it was for other trials, for example because another
  /// program uses its other hyperthread. Candidates must be compared at one speed.
  Times times_at_speed(const TileTrial& trial, Beta beta) {
    constexpr int most = 4;
    constexpr double clearly_slower = 1.15;
    Times least = times(trial, beta);
    min_reference_ = std::min(min_reference_, least.reference);
    for (int i = 1; i < most && least.reference > clearly_slower * min_reference_; ++i) {
      const Times again = times(trial, beta);
      min_reference_ = std::min(min_reference_, again.reference);
      least = again.reference < least.reference ? again : least;
    }
    return least;
  }

  /// Returns the mean over the threads. Operands near at hand are timed with beta = 0 only.
  Times times(const TileTrial& trial, Beta beta) {
    const auto threads = static_cast<std::size_t>(trial.threads);
    TileStart start(threads);
    std::vector<Times> taken(threads);
    std::vector<std::exception_ptr> failures(threads);
    std::size_t refused = 0;
    machine::run_with_helpers(
        threads,
        [&](std::size_t i) {
          try {
            taken[i] = times(trial, beta, lanes_[i], start);
          } catch (...) {
            failures[i] = std::current_exception();
          }
        },
        [&](std::size_t) {
          start.give_up();
          ++refused;
        });
    for (const std::exception_ptr& failure : failures) {
      if (failure) {
        std::rethrow_exception(failure);
      }
    }
    Times mean;
    for (const Times& one : taken) {
      mean.reference = std::max(mean.reference, one.reference);
      for (const auto when : {&Times::far, &Times::near}) {
        for (const auto part : {&PartTimes::pack_a, &PartTimes::pack_b, &PartTimes::rest}) {
          mean.*when.*part += one.*when.*part / static_cast<double>(threads - refused);
        }
      }
    }
    return mean;
  }

  /// Puts the operands where the whole contraction finds them. Returns the time of a small product immediately afterwards.
  Seconds make_ready(const TileTrial& trial, TrialLane& lane) const {
    if (outgrows_all_ && measure::can_flush_lines()) {
      lane.flush(trial.part);
    } else if (outgrown_ > 0) {  // L1's contents don't matter
      lane.evict(outgrown_);
    } else {
      lane.run(trial.tiled, 0.0);
    }
    return lane.wake_up(clock_, waker_);
  }

  Times times(const TileTrial& trial, Beta beta, TrialLane& lane, TileStart& start) const {
    Times taken;
    try {
      taken.reference = make_ready(trial, lane);
    } catch (...) {
      start.give_up();
      throw;
    }
    start.wait();
    taken.far = lane.run_timed(trial.tiled, beta == Beta::zero ? 0.0 : 1.0, clock_);
    if (beta == Beta::zero) {
      taken.near = lane.run_timed(trial.tiled, 0.0, clock_);
    }
    return taken;
  }

  std::vector<TrialLane> lanes_;
  TiledContraction waker_;
  machine::WallClock clock_{0.002};
  int outgrown_ = -1;  ///< number of the largest cache that is smaller than the whole contraction, -1: none
  bool outgrows_all_ = false;
  Seconds min_reference_ = std::numeric_limits<Seconds>::infinity();  ///< smallest Times::reference so far, when the core was fastest
};

}  // namespace

Fold beginning(const Fold& fold, std::int64_t length) { return part_of(fold, 0, std::min(length, fold.extent)); }

Fold part_of(const Fold& fold, std::int64_t first, std::int64_t length) {
  const auto cut = [&](const std::vector<std::int64_t>& offsets) {
    return offsets.empty() ? offsets : std::vector<std::int64_t>(offsets.begin() + first, offsets.begin() + first + length);
  };
  Fold part{cut(fold.a), cut(fold.b), cut(fold.c), length, {}};
  for (const std::int64_t natural : fold.natural) {
    if (part.natural.empty() || part.natural.back() < length) {
      part.natural.push_back(std::min(natural, length));
    }
  }
  return part;
}

bool benchmark_candidates(std::vector<Candidate>& all, const Folded& folded, const Environment& environment, const TileRates& rates,
                          const FindRoutine& find, const std::function<bool()>& cancelled) {
  const TimeModel model(folded, environment, rates);
  promote_each_kernel(all, max_tried);
  std::vector<TileTrial> trials;
  trials.reserve(max_tried);
  for (std::size_t i = 0; i < std::min(all.size(), max_tried); ++i) {
    trials.emplace_back(folded, model, environment, rates, all[i], find);
  }
  Bench bench(folded, trials, environment, model.working_set_bytes());
  Seconds best = std::numeric_limits<Seconds>::infinity();
  for (std::size_t round = 0; round < still_tried.size(); ++round) {
    for (TileTrial& trial : trials) {
      if (cancelled()) {
        return false;
      }
      if (round == 0) {
        bench.touch_buffers(trial);
      }
      if (round == 0 || trial.predicted() <= still_tried[round] * best) {
        bench.time(trial);
        best = std::min(best, trial.predicted());
      }
    }
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    all[i].seconds = trials[i].predicted();
    all[i].basis = Basis::benchmark;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& x, const Candidate& y) { return x.basis != y.basis ? x.basis > y.basis : x.seconds < y.seconds; });
  return true;
}

}  // namespace flopcast::contract
