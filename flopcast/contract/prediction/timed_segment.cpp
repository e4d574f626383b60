#include "flopcast/contract/prediction/timed_segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <compare>
#include <map>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/prediction/micro_benchmark.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// The position of a loop around a segment, with regard to operands that share cache lines between its iterations.
enum class Position : std::uint8_t {
  first,    ///< its first iteration
  aligned,  ///< a later iteration in which such operands reach a new line
  inside,   ///< any other iteration
};

/// One position of each outer loop, and its frequency among all combinations.
struct Situation {
  std::vector<Position> loops;
  double share = 1;
};

/// The cache that holds most of an operand, and the part that the next outer level holds.
struct Residence {
  int level = 0;
  int eighths_outside = 0;
  friend auto operator<=>(const Residence&, const Residence&) = default;  // NOLINT(modernize-use-nullptr): a 0 of the compiler
};

/// The events since the last access to a slice: bytes of touched lines, and kernel calls.
struct Past {
  std::int64_t bytes = 0;
  double calls = 0;
};

constexpr std::int64_t page_bytes = 4096;

/// No outer loop stays on the same lines.
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

class SegmentSelector {
 public:
  SegmentSelector(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                  const LoopSegmentOptions& options)
      : context_(algorithm, contraction, environment), options_(options), call_seconds_(estimated_call_seconds()) {
    for (std::size_t level = 0; level < environment.caches.size(); ++level) {
      capacities_.push_back(capacity_for_placing(environment, level));
    }
    nodes_.push_back(&context_.tree);
    for (const std::size_t i : context_.path) {
      nodes_.push_back(&nodes_.back()->body[i]);
    }
  }

  std::vector<LoopSegment> select() {
    choose_loop();
    const double executions = calls_outside(depth_);
    const std::int64_t length = extent(depth_);
    const bool has_copies = std::any_of(context_.algorithm.copies.begin(), context_.algorithm.copies.end(),
                                        [&](const Copy& copy) { return copy.depth == depth_; });
    const bool matters = has_copies || iterations_ == length || 1.0 / static_cast<double>(length) > 0.1 * options_.min_share;
    const std::int64_t of_first = matters ? std::min(iterations_, length) : 0;
    std::vector<LoopSegment> all;
    if (of_first > 0) {
      add(all, true, of_first, executions);
    }
    if (length > of_first) {
      add(all, false, iterations_, executions * static_cast<double>(length - of_first) / static_cast<double>(iterations_));
    }
    return all;
  }

 private:
  [[nodiscard]] std::int64_t extent(std::size_t depth) const { return context_.contraction.extent(context_.algorithm.loops[depth]); }
  [[nodiscard]] double calls_outside(std::size_t depth) const {
    double calls = 1;
    for (std::size_t l = 0; l < depth; ++l) {
      calls *= static_cast<double>(extent(l));
    }
    return calls;
  }
  [[nodiscard]] double calls_inside(std::size_t depth) const {
    return kernel_calls(context_.algorithm, context_.contraction) / calls_outside(depth + 1);
  }

  [[nodiscard]] Seconds estimated_call_seconds() const {
    constexpr Seconds overhead = 20e-9;
    constexpr double bandwidth = 100e9;  // rather too fast, which makes segments longer
    const Call call = kernel_call(context_.algorithm, context_.contraction).call;
    const double peak = context_.environment.peak_flops > 0 ? context_.environment.peak_flops : 100e9;
    constexpr Seconds new_page = 8e-9;
    double bytes = 0, pages = 0;
    for (const Slice& slice : nodes_of_kernel().touched) {
      bytes += static_cast<double>(line_footprint_bytes(slice, context_.contraction, context_.line_bytes));
      const std::int64_t touched_pages = line_footprint_bytes(slice, context_.contraction, page_bytes) / page_bytes;
      pages += static_cast<double>(touched_pages - 1);
    }
    const bool is_far = footprint_bytes(all_touched(context_.tree, context_.contraction)) > private_bytes();
    return overhead + flops(call) / peak + bytes / bandwidth + (is_far ? pages * new_page : 0);
  }
  /// Returns the capacity of the largest cache that isn't shared.
  [[nodiscard]] std::int64_t private_bytes() const {
    const std::size_t caches = context_.environment.caches.size();
    return context_.environment.caches.empty() ? std::int64_t{1} << 20
                                               : context_.environment.caches[caches < 2 ? 0 : caches - 2].capacity_bytes;
  }
  [[nodiscard]] const Node& nodes_of_kernel() const {
    const Node* node = &context_.tree;
    for (const std::size_t i : context_.path) {
      node = &node->body[i];
    }
    return *node;
  }

  /// Returns the number of iterations after which each tensor that moves along cache lines has reached a new line; 1 if none does.
  [[nodiscard]] std::int64_t iterations_per_line(std::size_t depth) const {
    std::int64_t most = 1;
    for (const Operand operand : all_operands) {
      most = std::max(most,
                      iterations_per_line(Slice{operand, false, kernel_indices(context_.algorithm, context_.contraction, operand)}, depth));
    }
    return most;
  }
  /// Returns the number of iterations after which the slice has reached a new line; 1 if it moves by whole lines or not at all.
  [[nodiscard]] std::int64_t iterations_per_line(const Slice& slice, std::size_t depth) const {
    const char index = context_.algorithm.loops[depth];
    if (!varies(slice, index, context_.contraction)) {
      return 1;
    }
    const std::int64_t step =
        std::abs(context_.contraction.tensor(slice.operand).stride(index)) * element_bytes(context_.contraction.precision);
    return step > 0 ? std::max<std::int64_t>(1, context_.line_bytes / step) : 1;
  }

  /// Chooses the innermost loop that is long enough for a segment and its lead, or the outermost loop if none is.
  void choose_loop() {
    for (depth_ = context_.algorithm.loops.size(); depth_-- > 0;) {
      const Seconds one = calls_inside(depth_) * call_seconds_;
      const std::int64_t per_line = iterations_per_line(depth_);
      const auto wanted = static_cast<std::int64_t>(std::ceil(options_.timed / one));
      iterations_ = round_up(wanted, per_line);
      lead_ = std::min(static_cast<std::int64_t>(std::ceil(options_.lead / one)), max_lead());
      if (iterations_ + lead_ < extent(depth_) || depth_ == 0) {
        break;
      }
    }
    iterations_ = std::min(iterations_, extent(depth_));
    lead_ = std::min(lead_, extent(depth_));
    if (2 * iterations_ > extent(depth_)) {
      iterations_ = extent(depth_);  // more than half of the loop: the whole loop is taken
    }
  }

  /// Returns the longest useful lead: one that touches twice the private caches' capacity brings them into the loop's state.
  [[nodiscard]] std::int64_t max_lead() const {
    const std::int64_t touched = footprint_bytes(touched_in_iteration(depth_));
    return std::max<std::int64_t>(1, 2 * private_bytes() / std::max<std::int64_t>(1, touched));
  }

  /// Returns all combinations of positions of the outer loops, with their shares.
  [[nodiscard]] std::vector<Situation> situations() const {
    std::vector<Situation> all = {{}};
    for (std::size_t l = 0; l < depth_; ++l) {
      const auto length = static_cast<double>(extent(l));
      const std::int64_t per_line = iterations_per_line(l);
      const double first = 1 / length;
      const std::int64_t later_lines = (extent(l) - 1) / per_line;
      const double aligned = per_line > 1 ? static_cast<double>(later_lines) / length : 0;
      std::vector<Situation> more;
      for (const Situation& one : all) {
        for (const auto& [position, share] :
             {std::pair{Position::inside, 1 - first - aligned}, std::pair{Position::aligned, aligned}, std::pair{Position::first, first}}) {
          if (share > 0) {
            more.push_back(one);
            more.back().loops.push_back(position);
            more.back().share *= share;
          }
        }
      }
      all = std::move(more);
    }
    return all;
  }

  /// Returns whether the lines of a slice were also touched in the previous iteration of the outer loop `depth`.
  [[nodiscard]] bool same_before(const Slice& slice, std::size_t depth, const Situation& situation) const {
    const Position position = situation.loops[depth];
    if (!varies(slice, context_.algorithm.loops[depth], context_.contraction)) {
      return position != Position::first;
    }
    return position == Position::inside && iterations_per_line(slice, depth) > 1;
  }

  /// Returns the bytes of all lines of these slices, or only of C.
  [[nodiscard]] std::int64_t footprint_bytes(const std::vector<Slice>& touched, bool written_only = false) const {
    std::int64_t sum = 0;
    for (const Slice& slice : touched) {
      if (!written_only || slice.operand == Operand::c) {
        sum += line_footprint_bytes(slice, context_.contraction, context_.line_bytes);
      }
    }
    return sum;
  }
  [[nodiscard]] std::vector<Slice> touched_in_loop(std::size_t depth) const {
    return all_touched(*nodes_[depth + 1], context_.contraction);
  }
  [[nodiscard]] std::vector<Slice> touched_in_iteration(std::size_t depth) const {
    std::vector<Slice> all;
    for (const Node& node : nodes_[depth + 1]->body) {
      merge(all, all_touched(node, context_.contraction));
    }
    return all;
  }

  /// Returns what happened between the last access to a slice's lines and the segment with its lead. The last access was in the previous
  /// iteration of the innermost outer loop that stays on the same lines and isn't at its first iteration. Inside of that loop, the
  /// outermost loop that moves to other lines has touched everything since. Without such a loop, the last access was in the previous
  /// execution of the whole algorithm.
  [[nodiscard]] Past past(const Slice& slice, const Situation& situation) const {
    std::size_t last = nowhere;
    for (std::size_t l = depth_; l-- > 0 && last == nowhere;) {
      last = same_before(slice, l, situation) ? l : nowhere;
    }
    for (std::size_t l = last == nowhere ? 0 : last + 1; l <= depth_; ++l) {
      if (varies(slice, context_.algorithm.loops[l], context_.contraction)) {
        return {footprint_bytes(touched_in_loop(l)), kernel_calls(context_.algorithm, context_.contraction) / calls_outside(l)};
      }
    }
    return {footprint_bytes(touched_in_iteration(depth_)), calls_inside(depth_)};
  }

  /// Returns where lines lie that were last used `distance` bytes ago. Except for the innermost cache, capacities aren't sharp: addresses
  /// are spread unevenly over the sets, and replacement is only approximately least recently used.
  [[nodiscard]] Residence residence(std::int64_t distance) const {
    const auto inside = [&](std::int64_t capacity) { return distance <= capacity; };
    const auto found = std::find_if(capacities_.begin(), capacities_.end(), inside);
    Residence residence{static_cast<int>(found - capacities_.begin()), 0};
    if (found != capacities_.end() && residence.level > 0) {
      const double filled = static_cast<double>(distance) / static_cast<double>(*found);
      const double outside = std::log(filled / options_.surely_inside) / std::log(options_.surely_outside / options_.surely_inside);
      residence.eighths_outside = static_cast<int>(std::lround(8 * std::clamp(outside, 0.0, 1.0)));
    }
    return residence;
  }

  static void add_part(std::vector<PlacedPart>& parts, PlacedPart part, Residence residence) {
    part.level = residence.level;
    add_in_two(parts, std::move(part), residence.eighths_outside);
  }

  /// Returns the slices that kernel calls and copies within the loop touch.
  [[nodiscard]] std::vector<Slice> slices() const {
    std::vector<Slice> all = nodes_.back()->touched;
    for (const Copy& copy : context_.algorithm.copies) {
      if (copy.depth >= depth_) {
        Slice operand{copy.operand, false, kernel_indices(context_.algorithm, context_.contraction, copy.operand)};
        std::sort(operand.whole.begin(), operand.whole.end());
        all.push_back(operand);
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<IndexRange> ranges(const Slice& slice, const std::vector<std::int64_t>& outer, IndexRange along) const {
    std::vector<IndexRange> all;
    if (slice.buffer) {
      return all;
    }
    for (const char index : context_.contraction.tensor(slice.operand).indices) {
      const std::size_t l = context_.algorithm.loops.find(index);
      if (l == std::string::npos || l > depth_) {
        all.push_back({0, context_.contraction.extent(index)});
      } else {
        all.push_back(l == depth_ ? along : IndexRange{outer[l], outer[l] + 1});
      }
    }
    return all;
  }

  /// Returns the share of written lines among those that have gone through the caches: the lines of the innermost loop that exceeds all
  /// caches but the last.
  [[nodiscard]] double written_share() const {
    const std::size_t caches = context_.environment.caches.size();
    const std::int64_t inner_bytes = caches < 2 ? 0 : context_.environment.caches[caches - 2].capacity_bytes;
    std::vector<Slice> touched;
    for (std::size_t l = depth_ + 1; l-- > 0;) {
      touched = touched_in_loop(l);
      if (footprint_bytes(touched) > inner_bytes) {
        break;
      }
    }
    return static_cast<double>(footprint_bytes(touched, true)) / static_cast<double>(std::max<std::int64_t>(1, footprint_bytes(touched)));
  }

  [[nodiscard]] std::vector<std::int64_t> positions(const Situation& situation) const {
    std::vector<std::int64_t> all;
    for (std::size_t l = 0; l < depth_; ++l) {
      const Position position = situation.loops[l];
      all.push_back(position == Position::first ? 0 : position == Position::aligned ? iterations_per_line(l) : 1);
    }
    return all;
  }

  /// Returns the previous iteration in the order of execution; the last iteration of all precedes the first one.
  [[nodiscard]] std::vector<std::int64_t> one_before(std::vector<std::int64_t> outer) const {
    for (std::size_t l = outer.size(); l-- > 0;) {
      if (outer[l] > 0) {
        --outer[l];
        break;
      }
      outer[l] = extent(l) - 1;
    }
    return outer;
  }

  [[nodiscard]] LoopSegment made(const Situation& situation, bool first, std::int64_t iterations) const {
    LoopSegment segment;
    segment.what = fmt::format("{} {}", first ? "first of" : "segment of", context_.algorithm.loops.substr(depth_));
    segment.outer = positions(situation);
    segment.iterations = iterations;
    segment.estimate = static_cast<double>(iterations) * calls_inside(depth_) * call_seconds_;
    segment.lead = lead_;
    segment.begin = first ? 0 : std::min(lead_, extent(depth_) - iterations);
    if (!first) {
      segment.lead = std::min(lead_, segment.begin);
      segment.in_a_row = std::min(max_in_a_row(segment), (extent(depth_) - segment.begin) / iterations);
    }
    segment.previous = one_before(segment.outer);
    segment.written = written_share();
    for (const Slice& slice : slices()) {
      const Past before = past(slice, situation);
      const IndexRange along{segment.begin - (first ? 0 : segment.lead), segment.end()};
      add_part(segment.parts, {slice, ranges(slice, segment.outer, along), before.bytes, before.calls}, residence(before.bytes));
      if (first && !slice.buffer) {
        const IndexRange end{extent(depth_) - segment.lead, extent(depth_)};
        add_part(segment.parts, {slice, ranges(slice, segment.previous, end), before.bytes, before.calls}, residence(before.bytes));
      }
    }
    return segment;
  }

  [[nodiscard]] std::int64_t max_in_a_row(const LoopSegment& segment) const {
    constexpr std::int64_t enough = 8;
    std::int64_t bytes = 0;
    for (const Slice& slice : touched_in_iteration(depth_)) {
      if (varies(slice, context_.algorithm.loops[depth_], context_.contraction)) {  // neighbouring iterations may share pages
        const std::int64_t step = std::abs(context_.contraction.tensor(slice.operand).stride(context_.algorithm.loops[depth_])) *
                                  element_bytes(context_.contraction.precision);
        bytes +=
            segment.iterations * (line_footprint_bytes(slice, context_.contraction, page_bytes) / page_bytes) * std::min(step, page_bytes);
      }
    }
    const auto by_time = static_cast<std::int64_t>(std::min<double>(enough, options_.in_a_row / segment.estimate));
    return std::max<std::int64_t>(1, std::min(by_time, options_.in_a_row_bytes / std::max<std::int64_t>(1, bytes)));
  }

  /// Adds one segment for all situations in which the parts lie in the same caches.
  void add(std::vector<LoopSegment>& all, bool first, std::int64_t iterations, double count) const {
    std::map<std::vector<Residence>, std::pair<Situation, double>> different;  // the most frequent situation, and the total share
    for (const Situation& situation : situations()) {
      std::vector<Residence> residences;
      for (const Slice& slice : slices()) {
        residences.push_back(residence(past(slice, situation).bytes));
      }
      auto& [likely, share] = different[residences];
      share += situation.share;
      if (likely.loops.empty() || situation.share > likely.share) {
        likely = situation;
      }
    }
    double total = 0;
    for (const auto& [residences, one] : different) {
      total += one.second > options_.min_share ? one.second : 0;
    }
    for (const auto& [residences, one] : different) {
      if (one.second > options_.min_share) {
        all.push_back(made(one.first, first, iterations));
        all.back().count = count * one.second / total;
      }
    }
  }

  AlgorithmContext context_;
  const LoopSegmentOptions& options_;
  std::vector<const Node*> nodes_;
  std::vector<std::int64_t> capacities_;
  Seconds call_seconds_;
  std::size_t depth_ = 0;
  std::int64_t iterations_ = 1, lead_ = 1;
};

}  // namespace

std::int64_t line_footprint_bytes(const Slice& slice, const Contraction& contraction, std::int64_t line_bytes) {
  const std::int64_t element = element_bytes(contraction.precision);
  if (slice.buffer) {
    return slice_bytes(slice, contraction);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // step in bytes, and number of steps
  for (const char index : slice.whole) {
    steps.emplace_back(std::abs(contraction.tensor(slice.operand).stride(index)) * element, contraction.extent(index));
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t run_bytes = element, runs = 1;  // a run: adjacent lines without a gap
  for (const auto& [step, count] : steps) {
    if (runs == 1 && step < run_bytes + line_bytes) {
      run_bytes += (count - 1) * step;
    } else {
      runs *= count;
    }
  }
  return runs * round_up(run_bytes, line_bytes);
}

void add_in_two(std::vector<PlacedPart>& parts, PlacedPart part, int eighths_outside) {
  const auto longest = std::max_element(part.ranges.begin(), part.ranges.end(),
                                        [](const IndexRange& x, const IndexRange& y) { return x.end - x.begin < y.end - y.begin; });
  const std::int64_t length = longest == part.ranges.end() ? 1 : longest->end - longest->begin;
  const std::int64_t outside = length * eighths_outside / 8;
  if (length < 2 || outside == 0 || outside == length) {
    part.level += eighths_outside > 4 ? 1 : 0;
    parts.push_back(std::move(part));
    return;
  }
  const std::int64_t cut = longest->end - outside;
  PlacedPart far = part;
  far.ranges[static_cast<std::size_t>(longest - part.ranges.begin())].begin = cut;
  far.level += 1;
  longest->end = cut;
  parts.push_back(std::move(part));
  parts.push_back(std::move(far));
}

namespace {

/// Returns whether a cache keeps as much data of slow access patterns as of fast ones.
bool has_capacity(const CacheLevel& cache) {
  constexpr double about = 1.5;
  const auto serial = static_cast<double>(cache.serial_chase_bytes);
  const auto parallel = static_cast<double>(cache.parallel_chase_bytes);
  return serial > 0 && parallel > 0 && std::max(serial, parallel) <= about * std::min(serial, parallel);
}

}  // namespace

std::int64_t capacity_for_placing(const Environment& environment, std::size_t level) {
  const CacheLevel& cache = environment.caches[level];
  if (level + 1 < environment.caches.size() || !has_capacity(cache)) {
    return cache.capacity_bytes;
  }
  const std::int64_t streamed = cache.reported_bytes > 0
                                    ? std::min(std::max(cache.capacity_bytes, cache.capacity_high_bytes), cache.reported_bytes)
                                    : cache.capacity_bytes;
  const std::int64_t chased = std::max(cache.serial_chase_bytes, cache.parallel_chase_bytes);
  return std::max<std::int64_t>(chased, std::llround(std::sqrt(static_cast<double>(chased) * static_cast<double>(streamed))));
}

Lifetime lifetime_in_last_cache(const Environment& environment) {
  constexpr double elastic = 2;
  if (environment.caches.size() < 2) {
    return {};
  }
  const CacheLevel& cache = environment.caches.back();
  if (cache.capacity_low_bytes <= 0 || cache.bandwidth <= 0 || cache.latency_seconds <= 0 || has_capacity(cache)) {
    return {};
  }
  const Seconds streamed = static_cast<double>(cache.capacity_bytes) / cache.bandwidth;
  const Seconds chased = static_cast<double>(cache.capacity_low_bytes) / static_cast<double>(cache.line_bytes) * cache.latency_seconds;
  const Lifetime lifetime{std::min(streamed, chased), std::max(streamed, chased)};
  const double capacities_differ = static_cast<double>(cache.capacity_bytes) / static_cast<double>(cache.capacity_low_bytes);
  const bool is_lifetime = capacities_differ > elastic && lifetime.at_most / lifetime.surely < capacities_differ;
  return is_lifetime ? lifetime : Lifetime{};
}

std::vector<LoopSegment> timed_segments(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                                        const LoopSegmentOptions& options) {
  assert(!algorithm.loops.empty());
  return SegmentSelector(algorithm, contraction, environment, options).select();
}

}  // namespace flopcast::contract
