#include "flopcast/contract/benchmark_candidates.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "flopcast/contract/sample_tensors.hpp"
#include "flopcast/contract/time_model.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/measure/cache_control.hpp"

namespace flopcast::contract {
namespace {

constexpr std::size_t most_tried = 16;
constexpr int rounds = 3;
constexpr double clearly_slower = 1.5;

/// Lengths along M, N, K and the batch.
struct Box {
  std::int64_t m, n, k, batch = 1;
};

Folded beginning(const Folded& folded, const Box& box) {
  return {folded.precision,           beginning(folded.m, box.m),         beginning(folded.n, box.n),
          beginning(folded.k, box.k), beginning(folded.batch, box.batch), folded.swapped};
}

/// The contraction with M in a blocking's order.
Folded in_order_of(const Blocking& blocking, Folded folded) {
  folded.m = Fold(rows_in(blocking.rows, folded));
  folded.crossed = folded.led_by_a = Folded::no_fold();
  return folded;
}

/// One tile, or as much of a large one, or as many small ones, as is quick to time and yet longer than a clock's tick.
Box sample_box(const Folded& folded, const Blocking& blocking) {
  constexpr std::int64_t most_products = 4'000'000, fewest_products = 500'000, most_elements = 1 << 16;
  constexpr Box least = {96, 64, 64};
  if (blocking.kernel == TileKernel::batch) {
    const std::int64_t elements = folded.m.extent * folded.k.extent + folded.k.extent * folded.n.extent + folded.m.extent * folded.n.extent;
    const std::int64_t run = batch_run(folded).length;
    const std::int64_t fitting = std::clamp<std::int64_t>(most_elements / std::max<std::int64_t>(1, elements), 1, folded.batch.extent);
    return {folded.m.extent, folded.n.extent, folded.k.extent, fitting > run ? fitting / run * run : fitting};
  }
  Box box{std::min(blocking.m, folded.m.extent), std::min(blocking.n, folded.n.extent), std::min(blocking.k, folded.k.extent)};
  const auto is_too_large = [&] {
    return box.m * box.n * box.k > most_products || std::max({box.m * box.n, box.m * box.k, box.k * box.n}) > most_elements;
  };
  while (is_too_large()) {
    const std::array<std::pair<double, std::int64_t Box::*>, 3> sides = {
        {{static_cast<double>(box.m) / static_cast<double>(least.m), &Box::m},
         {static_cast<double>(box.n) / static_cast<double>(least.n), &Box::n},
         {static_cast<double>(box.k) / static_cast<double>(least.k), &Box::k}}};
    const auto& [ratio, side] =
        *std::max_element(sides.begin(), sides.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    constexpr std::int64_t vector = 8;
    const std::int64_t halved = (box.*side / 2 + vector - 1) / vector * vector;
    if (ratio <= 1 || halved >= box.*side) {
      break;
    }
    box.*side = halved;
  }
  while (box.m * box.n * box.k < fewest_products && box.m < folded.m.extent && box.m * std::max(box.n, box.k) < most_elements) {
    box.m = std::min(folded.m.extent, 2 * box.m);
  }
  while (box.m * box.n * box.k < fewest_products && box.n < folded.n.extent && box.n * std::max(box.m, box.k) < most_elements) {
    box.n = std::min(folded.n.extent, 2 * box.n);
  }
  while (box.m * box.n * box.k < fewest_products && box.k < folded.k.extent && box.k * std::max(box.m, box.n) < most_elements) {
    box.k = std::min(folded.k.extent, 2 * box.k);  // whole tiles, but for the last
  }
  return box;
}

/// A candidate with what is timed of it.
struct Trial {
  Trial(const Folded& as_folded, const TimeModel& model, const Environment& environment, const TileRates& rates, const Candidate& candidate,
        const FindRoutine& find)
      : expected(model.time(candidate.blocking)),
        whole(in_order_of(candidate.blocking, as_folded)),
        box(sample_box(whole, candidate.blocking)),
        part(beginning(whole, box)),
        blocked(part, serial(candidate.blocking), find) {
    const auto expected_of = [&](std::int64_t k, const Blocking& blocking) {
      const Folded sample = beginning(whole, {box.m, box.n, k, box.batch});
      TimeModel of_sample(sample, environment, rates);
      of_sample.set_working_set(model.working_set_bytes());
      return of_sample.time(blocking);
    };
    const ExpectedTime sample = expected_of(box.k, serial(candidate.blocking));
    if (sample.later > 0) {  // it has several tiles of K
      expected_first = sample.total();
      stands_for = expected.total();
      return;
    }
    expected_first = sample.first;
    stands_for = expected.first;
    if (expected.later > 0) {
      Blocking short_tiles = serial(candidate.blocking);
      short_tiles.k = box.k;
      expected_later = expected_of(std::min(whole.k.extent, 2 * box.k), short_tiles).later;
    }
  }

  [[nodiscard]] Seconds predicted() const {
    return stands_for * first / expected_first + (expected_later > 0 ? expected.later * later / expected_later : 0);
  }

  static Blocking serial(Blocking blocking) {
    blocking.threads = 1;
    blocking.rows = RowOrder::as_c;  // the sample is in that order
    return blocking;
  }

  ExpectedTime expected;
  Folded whole;  ///< in the order of the candidate
  Box box;
  Folded part;
  Blocked blocked;
  Seconds expected_first = 0, expected_later = 0;  ///< of the sample with beta = 0, and with beta = 1
  Seconds stands_for = 0;                          ///< expected of what the sample with beta = 0 is a part of
  Seconds first = std::numeric_limits<Seconds>::infinity(), later = std::numeric_limits<Seconds>::infinity();
};

/// Times trials with operands where the whole contraction finds them.
class Bench {
 public:
  Bench(const Folded& whole, const std::vector<Trial>& trials, const Environment& environment, double working_set_bytes)
      : tensors_(room_for(whole, trials)),
        sweeper_(environment.caches),
        waker_(small_product(), {small, small, small, TileKernel::panels}, {}) {
    for (std::size_t level = 0; level < environment.caches.size(); ++level) {
      if (working_set_bytes > static_cast<double>(environment.caches[level].capacity_bytes)) {
        outgrown_ = static_cast<int>(level);
        outgrows_all_ = level + 1 == environment.caches.size();
      }
    }
    for (const Trial& trial : trials) {
      tensors_.fill(trial.part);
    }
  }

  /// Once untimed: buffers for packing become real memory, which costs more than the sample.
  void touch_buffers(const Trial& trial) const { tensors_.run(trial.blocked, 0.0); }

  void time(Trial& trial) {
    trial.first = std::min(trial.first, seconds(trial, 0.0));
    if (trial.expected_later > 0) {
      trial.later = std::min(trial.later, seconds(trial, 1.0));
    }
  }

 private:
  static Box largest(const std::vector<Trial>& trials) {
    Box box{1, 1, 1};
    for (const Trial& trial : trials) {
      box = {std::max(box.m, trial.box.m), std::max(box.n, trial.box.n), std::max(box.k, trial.box.k),
             std::max(box.batch, trial.box.batch)};
    }
    return box;
  }

  /// What holds the samples of all trials, whatever their order.
  static Folded room_for(const Folded& whole, const std::vector<Trial>& trials) {
    Folded room = beginning(whole, largest(trials));
    for (const Trial& trial : trials) {
      room.m.a.insert(room.m.a.end(), trial.part.m.a.begin(), trial.part.m.a.end());
      room.m.c.insert(room.m.c.end(), trial.part.m.c.begin(), trial.part.m.c.end());
    }
    return room;
  }

  Seconds seconds(const Trial& trial, double beta) {
    if (outgrows_all_ && measure::can_flush_lines()) {
      tensors_.flush(trial.part, true);
    } else if (outgrown_ > 0) {  // what L1 holds doesn't matter
      sweeper_.evict(outgrown_);
    } else {
      tensors_.run(trial.blocked, beta);
    }
    wake_up();
    const std::int64_t begin = clock_.ticks();
    tensors_.run(trial.blocked, beta);
    return clock_.seconds(clock_.ticks() - begin);
  }

  static constexpr std::int64_t small = 24;

  static Folded small_product() { return fold(make_contraction(parse_notation("ab=ai,ib"), {{'a', small}, {'b', small}, {'i', small}})); }

  /// CPUs take some 20 us of vector instructions to run them at full speed again after a while without.
  void wake_up() {
    constexpr Seconds long_enough = 25e-6;
    const std::int64_t begin = clock_.ticks();
    while (clock_.seconds(clock_.ticks() - begin) < long_enough) {
      waker_.run(numbers_.data(), numbers_.data(), result_.data(), 1.0, 0.0);
    }
  }

  SampleTensors tensors_;
  measure::Sweeper sweeper_;
  Blocked waker_;
  std::vector<double> numbers_ = std::vector<double>(small * small, 0.5), result_ = std::vector<double>(small * small);
  machine::WallClock clock_{0.002};
  int outgrown_ = -1;  ///< the largest cache that the whole contraction doesn't fit into
  bool outgrows_all_ = false;
};

}  // namespace

Fold beginning(const Fold& fold, std::int64_t length) {
  length = std::min(length, fold.extent);
  const auto cut = [&](const std::vector<std::int64_t>& offsets) {
    return std::vector<std::int64_t>(offsets.begin(), offsets.begin() + std::min<std::ptrdiff_t>(length, std::ssize(offsets)));
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
                          const FindRoutine& find, const std::function<bool()>& go_on) {
  const TimeModel model(folded, environment, rates);
  promote_each_kernel(all, most_tried);
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < std::min(all.size(), most_tried); ++i) {
    trials.emplace_back(folded, model, environment, rates, all[i], find);
  }
  Bench bench(folded, trials, environment, model.working_set_bytes());
  Seconds best = std::numeric_limits<Seconds>::infinity();
  for (int round = 0; round < rounds; ++round) {
    for (Trial& trial : trials) {
      if (go_on && !go_on()) {
        return false;
      }
      if (round == 0) {
        bench.touch_buffers(trial);
      }
      if (round == 0 || trial.predicted() <= clearly_slower * best) {
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
