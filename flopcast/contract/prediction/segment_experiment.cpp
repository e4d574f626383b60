#include "flopcast/contract/prediction/segment_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

using measure::Action;
using What = Action::What;

constexpr std::size_t other_memory = 3;  // number of the allocation after those of the three tensors

/// Returns the end of the index range, from 0 on, that a segment uses along one of a tensor's indices.
std::int64_t used(const LoopSegment& segment, Operand operand, std::size_t dimension) {
  std::int64_t end = 1;
  for (const PlacedPart& part : segment.parts) {
    if (part.slice.operand == operand && !part.slice.buffer) {
      end = std::max(end, part.ranges[dimension].end);
    }
  }
  return end;
}

/// A tensor with positive strides whose used part takes no more memory than is sensible.
struct Compact {
  Tensor tensor;
  std::int64_t bytes = 0;
};

/// Reduces strides of more than twice `kept` elements. Each stride keeps its remainder modulo `kept`, so that lines compete for the same
/// cache sets as before.
Compact moved_together(Tensor tensor, const LoopSegment& segment, Operand operand, std::int64_t element, std::int64_t kept) {
  std::vector<std::size_t> order(tensor.strides.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return tensor.strides[x] < tensor.strides[y]; });
  std::int64_t span = 1;
  for (const std::size_t i : order) {
    std::int64_t& stride = tensor.strides[i];
    const std::int64_t least = std::max(span, kept);
    if (stride > 2 * kept && stride > least) {
      stride = std::min(stride, least + ((stride - least) % kept + kept) % kept);
    }
    span += (used(segment, operand, i) - 1) * stride;
  }
  return {std::move(tensor), span * element};
}

Compact compacted(Tensor tensor, const LoopSegment& segment, Operand operand, std::int64_t element) {
  constexpr std::int64_t max_tensor_bytes = std::int64_t{64} << 20;
  constexpr std::int64_t whole = std::int64_t{1} << 60;
  for (std::int64_t& stride : tensor.strides) {
    stride = std::abs(stride);
  }
  Compact compact = moved_together(tensor, segment, operand, element, whole);
  for (std::int64_t kept_bytes = std::int64_t{128} << 10; compact.bytes > max_tensor_bytes && kept_bytes >= 8 << 10; kept_bytes /= 4) {
    compact = moved_together(tensor, segment, operand, element, kept_bytes / element);
  }
  return compact;
}

/// Calls `touch` with regions that together contain the elements of a tensor in these ranges.
template <class Touch>
void for_each_region(const Tensor& tensor, const std::vector<IndexRange>& ranges, std::uintptr_t first, std::int64_t element, Touch touch) {
  struct SegmentDimension {
    std::int64_t step_bytes, count;
  };
  std::vector<SegmentDimension> dimensions;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::int64_t step_bytes = tensor.strides[i] * element;
    first += static_cast<std::uintptr_t>(ranges[i].begin * step_bytes);
    if (ranges[i].end - ranges[i].begin > 1) {
      dimensions.push_back({step_bytes, ranges[i].end - ranges[i].begin});
    }
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const SegmentDimension& x, const SegmentDimension& y) { return x.step_bytes < y.step_bytes; });
  Region region{first, element, 1, element, 0};
  std::vector<SegmentDimension> outside;
  for (const SegmentDimension& dimension : dimensions) {
    if (region.columns == 1 && dimension.step_bytes == region.column_bytes) {
      region.column_bytes *= dimension.count;
    } else if (region.columns == 1) {
      region.columns = dimension.count;
      region.stride_bytes = dimension.step_bytes;
    } else if (dimension.step_bytes == region.columns * region.stride_bytes) {
      region.columns *= dimension.count;
    } else {
      outside.push_back(dimension);
    }
  }
  std::vector<std::int64_t> at(outside.size(), 0);
  for (bool more = true; more;) {
    touch(region);
    more = false;
    for (std::size_t i = 0; i < outside.size() && !more; ++i) {
      region.address += static_cast<std::uintptr_t>(outside[i].step_bytes);
      more = ++at[i] < outside[i].count;
      if (!more) {
        region.address -= static_cast<std::uintptr_t>(outside[i].step_bytes * outside[i].count);
        at[i] = 0;
      }
    }
  }
}

/// Performs the steps of a segment's experiment, one at a time.
class Runner {
 public:
  enum class SegmentStep : std::uint8_t { fill, touch, lead, timed };

  Runner(const LoopSegment& segment, const Algorithm& algorithm, const Contraction& contraction, FindRoutine find,
         const Environment& environment, std::shared_ptr<measure::Sweeper> sweeper)
      : segment_(segment),
        algorithm_(algorithm),
        contraction_(contraction),
        find_(std::move(find)),
        sweeper_(sweeper != nullptr ? std::move(sweeper) : std::make_shared<measure::Sweeper>(environment.caches)),
        lifetime_(lifetime_in_last_cache(environment)),
        levels_(static_cast<int>(environment.caches.size())) {
    for (const Operand operand : all_operands) {
      Compact compact = compacted(contraction.tensor(operand), segment, operand, element());
      contraction_.tensors[static_cast<std::size_t>(operand)] = compact.tensor;
      bytes_[static_cast<std::size_t>(operand)] = compact.bytes;
    }
  }

  [[nodiscard]] std::int64_t bytes(std::size_t operand) const { return bytes_[operand]; }
  void next(SegmentStep step, int level = 0) {
    step_ = step;
    level_ = level;
    done_in_a_row_ = 0;
  }

  void run(const Execution::Pointers& tensors) {
    if (!execution_) {
      execution_.emplace(algorithm_, contraction_, find_);
      if (lifetime_.is_known() && is_any_in_last_cache()) {
        move_what_has_expired(tensors);
      }
    }
    switch (step_) {
      case SegmentStep::fill: fill(tensors); break;
      case SegmentStep::touch:
        on_parts(tensors, level_,
                 [](const Region& region, bool written) { written ? measure::rewrite_lines(region) : measure::read_lines(region); });
        break;
      case SegmentStep::lead: lead(tensors); break;
      case SegmentStep::timed: timed(tensors, done_in_a_row_++); break;
    }
  }

 private:
  [[nodiscard]] std::int64_t element() const { return element_bytes(contraction_.precision); }

  [[nodiscard]] bool is_any_in_last_cache() const {
    return std::any_of(segment_.parts.begin(), segment_.parts.end(), [&](const PlacedPart& part) { return part.level == levels_ - 1; });
  }

  /// Returns the number of kernel calls in the timed part.
  [[nodiscard]] double calls() const {
    auto calls = static_cast<double>(segment_.iterations);
    for (std::size_t l = segment_.outer.size() + 1; l < algorithm_.loops.size(); ++l) {
      calls *= static_cast<double>(contraction_.extent(algorithm_.loops[l]));
    }
    return calls;
  }

  /// Returns the seconds per call with the last-level cache's parts in that cache. The shortest of several trials counts, because
  /// disturbances only lengthen a trial.
  Seconds seconds_per_call_from_last_cache(const Execution::Pointers& tensors) {
    static const machine::WallClock clock(1e-3);  // a longer calibration would take as long as a hundred segments
    constexpr int trials = 2;
    Seconds least = std::numeric_limits<Seconds>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
      fill(tensors);
      sweeper_->evict(levels_ - 2);
      on_parts(tensors, 0, [](const Region& region, bool) { measure::read_lines(region); });
      lead(tensors);
      const std::int64_t begin = clock.ticks();
      timed(tensors, 0);
      least = std::min(least, clock.seconds(clock.ticks() - begin) / calls());
    }
    return least;
  }

  /// Moves parts that have expired from a last-level cache that others fill too to memory: those unused for longer than the cache's
  /// lifetime. The unused time follows from the segment's time with these parts in the cache.
  void move_what_has_expired(const Execution::Pointers& tensors) {
    const Seconds per_call = seconds_per_call_from_last_cache(tensors);
    std::vector<PlacedPart> parts;
    for (PlacedPart& part : segment_.parts) {
      const double age = part.calls_since * per_call / lifetime_.surely;
      const double expired = age <= 1 ? 0 : std::log(age) / std::max(1e-3, std::log(lifetime_.at_most / lifetime_.surely));
      const int eighths = part.level == levels_ - 1 ? static_cast<int>(std::lround(8 * std::min(1.0, expired))) : 0;
      add_in_two(parts, std::move(part), eighths);
    }
    segment_.parts = std::move(parts);
  }

  /// Calls `touch` with the regions of the parts in cache `level`, or of all parts if `level` is -1.
  template <class Touch>
  void on_parts(const Execution::Pointers& tensors, int level, Touch touch) {
    for (const PlacedPart& part : segment_.parts) {
      if (level >= 0 && part.level != level) {
        continue;
      }
      const bool written = part.slice.operand == Operand::c || part.slice.buffer;
      const auto on_region = [&](const Region& region) { touch(region, written); };
      if (part.slice.buffer) {
        const std::span<std::byte> buffer = execution_->buffer_of(part.slice.operand);
        const auto size = static_cast<std::int64_t>(buffer.size());
        on_region(Region{reinterpret_cast<std::uintptr_t>(buffer.data()), size, 1, size, 0});
      } else {
        const auto first = reinterpret_cast<std::uintptr_t>(tensors[static_cast<std::size_t>(part.slice.operand)]);
        for_each_region(contraction_.tensor(part.slice.operand), part.ranges, first, element(), on_region);
      }
    }
  }

  /// Writes to all parts, because other experiments have used the memory. Parts that should lie in memory leave the caches.
  void fill(const Execution::Pointers& tensors) {
    for (int level = 0; level < levels_; ++level) {
      on_parts(tensors, level, [&](const Region& region, bool) { write_numbers(region); });
    }
    on_parts(tensors, levels_, [&](const Region& region, bool) {
      constexpr std::int64_t several_lines = 256;
      if (region.column_bytes >= several_lines) {
        measure::write_past_caches(region, pattern());
      } else {
        write_numbers(region);
        measure::flush_lines(region);
      }
    });
  }

  /// Returns the bytes of real numbers that neither are zero (some routines skip zeros) nor grow out of bounds.
  [[nodiscard]] std::uint64_t pattern() const {
    const bool is_single = contraction_.precision == Precision::s || contraction_.precision == Precision::c;
    return is_single ? 0x3f0000003f000000 : 0x3fe0000000000000;  // 0.5 each
  }
  void write_numbers(const Region& region) const {
    with_element(contraction_.precision, [&](auto zero) {
      using Real = decltype(std::abs(zero));
      for (std::int64_t j = 0; j < region.columns; ++j) {
        auto* const numbers = reinterpret_cast<Real*>(region.address + static_cast<std::uintptr_t>(j * region.stride_bytes));
        std::fill_n(numbers, region.column_bytes / static_cast<std::int64_t>(sizeof(Real)), Real(0.5));
      }
    });
  }

  void lead(const Execution::Pointers& tensors) {
    if (segment_.is_first()) {
      const std::int64_t length = contraction_.extent(algorithm_.loops[segment_.outer.size()]);
      execution_->run_iterations(tensors, segment_.previous, length - segment_.lead, length);
    } else {
      execution_->run_iterations(tensors, segment_.outer, segment_.begin - segment_.lead, segment_.begin);
    }
  }

  /// Executes the segment after `position` others.
  void timed(const Execution::Pointers& tensors, std::int64_t position) {
    if (segment_.is_first()) {
      execution_->run_copies(tensors, segment_.previous, true);
      execution_->run_copies(tensors, segment_.outer, false);
    }
    const std::int64_t begin = segment_.begin + position * segment_.iterations;
    execution_->run_iterations(tensors, segment_.outer, begin, begin + segment_.iterations);
  }

  LoopSegment segment_;
  Algorithm algorithm_;
  Contraction contraction_;
  FindRoutine find_;
  std::shared_ptr<measure::Sweeper> sweeper_;
  Lifetime lifetime_;
  int levels_;
  std::array<std::int64_t, 3> bytes_{};
  std::optional<Execution> execution_;
  SegmentStep step_ = SegmentStep::fill;
  int level_ = 0;
  std::int64_t done_in_a_row_ = 0;
};

Execution::Pointers tensors_of(const Call& carrier) {
  Execution::Pointers tensors{};
  static constexpr std::array<std::string_view, 3> names = {"A", "B", "C"};
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const auto argument = static_cast<std::size_t>(carrier.routine->index(names[t]));
    tensors[t] = reinterpret_cast<std::byte*>(carrier.address(argument));
  }
  return tensors;
}

/// Collects the steps before the clock starts.
class Setup {
 public:
  Setup(std::shared_ptr<Runner> runner, const Call& call) : runner_(std::move(runner)), call_(call) {}

  void announce(Runner::SegmentStep step, int level = 0) {
    actions_.push_back({What::prepare, {}, 0, {}, [runner = runner_, step, level] { runner->next(step, level); }});
  }
  void perform(Runner::SegmentStep step, int level = 0) {
    announce(step, level);
    actions_.push_back({What::perform, {}, 0, call_, {}});
  }

  /// Evicts everything from the caches inside of `level` by touching other memory, of which the share `written` is written. A cache full of
  /// written lines must write them back before new lines come in.
  void push_out(const Environment& environment, int level, double written) {
    const std::int64_t piece = piece_bytes(environment, level);
    const auto part = static_cast<std::int64_t>(written * static_cast<double>(piece));
    if (other_bytes_ < pieces * piece) {  // unwritten pages would all be the same page of zeros
      actions_.push_back({What::write, {virtual_base(other_memory), 1, pieces * piece / page_bytes, page_bytes, 0}, 0, {}, {}});
    }
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::uintptr_t begin = virtual_base(other_memory) + static_cast<std::uintptr_t>(i * piece);
      actions_.push_back({What::write, {begin, part, 1, part, 0}, 0, {}, {}});
      actions_.push_back({What::read, {begin + static_cast<std::uintptr_t>(part), piece - part, 1, piece - part, 0}, 0, {}, {}});
    }
    other_bytes_ = std::max(other_bytes_, pieces * piece);
  }

  [[nodiscard]] std::vector<Action> take() { return std::move(actions_); }
  static std::int64_t max_other_bytes(const Environment& environment) {
    return pieces * piece_bytes(environment, std::max(0, static_cast<int>(environment.caches.size()) - 1));
  }

 private:
  static constexpr std::int64_t pieces = 16, page_bytes = 4096;

  /// Returns a size in whole pages such that all pieces together surely evict the contents of the caches inside of `level`.
  static std::int64_t piece_bytes(const Environment& environment, int level) {
    constexpr double surely = 1.5;
    double bytes = 0;
    for (int i = 0; i < level; ++i) {
      bytes += surely * static_cast<double>(environment.caches[static_cast<std::size_t>(i)].capacity_bytes);
    }
    return (static_cast<std::int64_t>(bytes) / pieces / page_bytes + 1) * page_bytes;
  }

  std::shared_ptr<Runner> runner_;
  const Call& call_;
  std::vector<Action> actions_;
  std::int64_t other_bytes_ = 0;
};

bool any_in(const LoopSegment& segment, int level) {
  return std::any_of(segment.parts.begin(), segment.parts.end(), [&](const PlacedPart& part) { return part.level == level; });
}

}  // namespace

Call carrier_call(Precision precision, int threads) {
  Call call;
  call.routine = &kernel::require(static_cast<char>(precision) + std::string("gemm"));
  std::int64_t tensor = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    switch (call.routine->arguments[i].kind) {
      case Kind::flag: call.arguments[i] = 'N'; break;
      case Kind::size:
      case Kind::leading_dimension: call.arguments[i] = 1; break;
      case Kind::scalar:
        call.arguments[i] = tensor > 0 ? 1 : 0;  // alpha precedes the operands, beta stands between them
        break;
      case Kind::data: call.arguments[i] = static_cast<std::int64_t>(virtual_base(static_cast<std::size_t>(tensor++))); break;
      default: break;
    }
  }
  call.scalars = {1.0, 1.0};
  call.threads = threads;
  return call;
}

measure::Experiment segment_experiment(const LoopSegment& segment, const Algorithm& algorithm, const Contraction& contraction,
                                       const Environment& environment, FindRoutine find, int threads, std::int64_t repetitions,
                                       std::shared_ptr<measure::Sweeper> sweeper) {
  constexpr Seconds long_segment = 150e-6;  // noise weighs less on long segments
  const auto levels = static_cast<int>(environment.caches.size());
  const auto runner = std::make_shared<Runner>(segment, algorithm, contraction, std::move(find), environment, std::move(sweeper));
  const Call call = carrier_call(contraction.precision, threads);
  Setup setup(runner, call);
  setup.perform(Runner::SegmentStep::fill);
  for (int level = levels - 1; level > 0; --level) {
    const bool outermost = level == levels - 1;
    if (!any_in(segment, level) && !(outermost && any_in(segment, levels))) {
      continue;
    }
    const int rounds = outermost && any_in(segment, level) ? 2 : 1;  // last-level caches may keep only lines that are used again
    for (int round = 0; round < rounds; ++round) {
      setup.perform(Runner::SegmentStep::touch, level);
      setup.push_out(environment, level, outermost ? segment.written : 0);
    }
  }
  setup.perform(Runner::SegmentStep::touch, 0);
  setup.perform(Runner::SegmentStep::lead);
  setup.announce(Runner::SegmentStep::timed);
  measure::Experiment experiment;
  experiment.timed.assign(static_cast<std::size_t>(segment.in_a_row), call);
  const std::int64_t wanted = segment.estimate < long_segment ? repetitions : 2 * fewest_preparations;
  experiment.max_repetitions = std::max(fewest_preparations, ceil_div(wanted, segment.in_a_row));
  experiment.writes_before_reading = true;
  experiment.setup = setup.take();
  experiment.perform = [runner](const Call& where) {
    runner->run(tensors_of(where));
    return 0;
  };
  // All experiments use the same order, so that they find pages that others have made real, which costs as much time as many a segment.
  experiment.memory.push_back({"other memory", virtual_base(other_memory), Setup::max_other_bytes(environment)});
  for (std::size_t t = other_memory; t-- > 0;) {
    experiment.memory.push_back({std::string(1, letter(all_operands[t])), virtual_base(t), runner->bytes(t)});
  }
  return experiment;
}

std::string segment_key(const LoopSegment& segment, const Algorithm& algorithm, const Contraction& contraction) {
  const std::size_t depth = segment.outer.size();
  std::string key = fmt::format("{} {}", kernel::format_call(kernel_call(algorithm, contraction).call), to_string(contraction.notation()));
  for (std::size_t l = depth; l < algorithm.loops.size(); ++l) {
    key += fmt::format(" {}={}", algorithm.loops[l], contraction.extent(algorithm.loops[l]));
  }
  for (const Copy& copy : algorithm.copies) {
    key += fmt::format(" {}'{}", letter(copy.operand), copy.depth >= depth ? static_cast<std::int64_t>(copy.depth - depth) : -1);
  }
  key += fmt::format(" {}..+{} x {} after {} written {:.1f}", segment.begin, segment.iterations, segment.in_a_row, segment.lead,
                     segment.written);
  for (const PlacedPart& part : segment.parts) {
    key += fmt::format(" {}{}{}@{:.0f}", letter(part.slice.operand), part.slice.buffer ? "~" : "", part.level, part.calls_since);
    for (std::size_t i = 0; i < part.ranges.size(); ++i) {
      key += fmt::format(",{}:{}*{}", part.ranges[i].begin, part.ranges[i].end, contraction.tensor(part.slice.operand).strides[i]);
    }
  }
  return key;
}

}  // namespace flopcast::contract
