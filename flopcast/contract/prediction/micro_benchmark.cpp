#include "flopcast/contract/prediction/micro_benchmark.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/prediction/access_history.hpp"
#include "flopcast/contract/prediction/segment_experiment.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using measure::Action;
using What = Action::What;

constexpr double half_a_call = 0.5;  // smaller numbers of calls are rounding errors
constexpr std::int64_t largest_span_bytes = std::int64_t{1} << 28;

Action on_region(What what, const Region& region) { return {what, region, 0, {}, {}}; }
Action on_call(What what, const Call& call) { return {what, {}, 0, call, {}}; }

/// Reduces large strides of a call that would touch more memory than is sensible. Positions within a page and distances of at least a page
/// are kept.
void fold_strides(Call& call) {
  constexpr std::int64_t fold = 1 << 15;
  for (std::size_t i = 0; i + 1 < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind != Kind::data || argument.stride < 0) {
      continue;
    }
    std::int64_t& stride = call.arguments[static_cast<std::size_t>(argument.stride)];
    const std::int64_t least = argument.form == Form::vector ? 1 : kernel::min_leading_dimension(call, i);
    while (span_elements(call, i) * argument_element_bytes(call, i) > largest_span_bytes && stride > 2 * fold) {
      const std::int64_t folded = stride % fold + fold;
      if (folded < least || folded >= stride) {
        break;
      }
      stride = folded;
    }
  }
}

/// Returns the part of a region that prefetching loads: the beginning of each run.
Region first_lines(Region region, std::int64_t prefetch_bytes) {
  region.column_bytes = std::min(region.column_bytes, prefetch_bytes);
  return region;
}

/// A call with addresses, and the number of the operand that holds each tensor (-1: none).
struct PlacedKernel {
  Call call;
  Operands operands;
  std::array<int, 3> operand = {-1, -1, -1};
};

PlacedKernel placed_kernel(const Algorithm& algorithm, const Contraction& contraction, int threads) {
  KernelCall kernel = kernel_call(algorithm, contraction);
  kernel.call.threads = threads;
  fold_strides(kernel.call);
  PlacedKernel placed{measure::with_addresses(kernel.call), {}, {-1, -1, -1}};
  placed.operands = operands(placed.call);
  for (std::size_t i = 0; i < placed.operands.size(); ++i) {
    for (std::size_t operand = 0; operand < placed.operand.size(); ++operand) {
      if (kernel.argument[operand] == static_cast<int>(placed.operands[i].argument)) {
        placed.operand[operand] = static_cast<int>(i);
      }
    }
  }
  return placed;
}

/// Returns the same call on a few elements of memory of its own. Executed right before the timed call, this copy brings the library's code
/// back into the caches. The accesses to other memory have evicted this code, which stays cached within the algorithm.
Call small_copy(Call call, const Operands& operands) {
  constexpr std::int64_t small = 32;  // large enough for the path of full register tiles, small enough to leave half of L1 alone
  const auto& arguments = call.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == Kind::size) {
      call.arguments[i] = std::min(call.arguments[i], small);
    } else if (arguments[i].kind == Kind::leading_dimension) {
      call.arguments[i] = small;
    } else if (arguments[i].kind == Kind::increment) {
      call.arguments[i] = 1;
    }
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    call.arguments[operands[i].argument] = static_cast<std::int64_t>(virtual_base(operands.size() + i));
  }
  return call;
}

/// Returns the number of calls that bring the vector units back to full speed. CPUs need some 20 us of vector instructions for this after a
/// pause, such as the preparation of memory.
std::int64_t repetitions_to_wake_up(const Call& copy) {
  constexpr Seconds long_enough = 25e-6, call = 50e-9;
  constexpr double usual_rate = 30e9, most = 64;
  return static_cast<std::int64_t>(std::clamp(long_enough / (call + flops(copy) / usual_rate), 1.0, most));
}

/// Turns setup lists into actions on a call's operands. Axpy's factor and dot's result, which are no operands, are left out.
class SetupBuilder {
 public:
  /// `prefetch_bytes` is the largest part of a run that prefetching loads.
  SetupBuilder(const PlacedKernel& kernel, std::int64_t prefetch_bytes)
      : kernel_(kernel), prefetch_bytes_(prefetch_bytes), remote_(virtual_base(2 * kernel.operands.size())) {}

  std::vector<Action> build(const std::vector<OperandHistory>& histories, const std::vector<SetupAccess>& list) {
    actions_ = {on_call(What::fill, kernel_.call)};
    key_.clear();
    if (list.empty()) {
      actions_.push_back(on_call(What::execute, kernel_.call));
      key_ = "warm";
      return actions_;
    }
    flush_what_is_not_in(histories, list);
    bool begun = false;  // leading accesses to other memory would only evict data that have been flushed
    for (const SetupAccess& access : list) {
      begun = begun || access.operand >= 0;
      if (access.operand >= 0) {
        touch(histories[static_cast<std::size_t>(access.operand)], access.prefetch);
      } else if (begun) {
        actions_.push_back(on_region(What::read, {remote_, access.bytes, 1, access.bytes, 0}));
        remote_ += static_cast<std::uintptr_t>(access.bytes);
        key_ += fmt::format("[{}]", access.bytes);
      }
    }
    const Call copy = small_copy(kernel_.call, kernel_.operands);
    actions_.insert(actions_.end(), static_cast<std::size_t>(repetitions_to_wake_up(copy)), on_call(What::execute, copy));
    return actions_;
  }

  /// Returns a key of the actions built last.
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  [[nodiscard]] const flopcast::Operand* operand_of(const OperandHistory& history) const {
    const int i = kernel_.operand[static_cast<std::size_t>(history.slice.operand)];
    return i < 0 ? nullptr : &kernel_.operands[static_cast<std::size_t>(i)];
  }

  void flush_what_is_not_in(const std::vector<OperandHistory>& histories, const std::vector<SetupAccess>& list) {
    for (std::size_t i = 0; i < histories.size(); ++i) {
      const bool stays = std::any_of(list.begin(), list.end(), [&](const SetupAccess& access) {
        return access.operand == static_cast<int>(i) && (!access.prefetch || histories[i].is_wholly_prefetched());
      });
      if (const flopcast::Operand* operand = operand_of(histories[i]); !stays && operand != nullptr) {
        for (const Region& part : operand->parts) {
          actions_.push_back(on_region(What::flush, part));
        }
        key_ += fmt::format("-{}", letter(histories[i].slice.operand));
      }
    }
  }

  void touch(const OperandHistory& history, bool prefetch) {
    const flopcast::Operand* operand = operand_of(history);
    if (operand == nullptr) {
      return;
    }
    const bool writes = operand->access != Access::read && !prefetch;
    for (const Region& part : operand->parts) {
      actions_.push_back(on_region(writes ? What::write : What::read, prefetch ? first_lines(part, prefetch_bytes_) : part));
    }
    key_ += fmt::format("{}{}", letter(history.slice.operand), prefetch ? "'" : "");
  }

  const PlacedKernel& kernel_;
  std::int64_t prefetch_bytes_;
  std::uintptr_t remote_;
  std::vector<Action> actions_;
  std::string key_;
};

/// Returns the number of warm calls that are timed together, because single ones are too short for the clock. The numbers in an updated
/// operand grow slowly.
std::int64_t warm_batch(const Call& call, const Environment& environment) {
  constexpr Seconds long_enough = 20e-6, overhead = 30e-9;
  constexpr double most = 1000;
  const double peak = environment.peak_flops > 0 ? environment.peak_flops : 100e9;
  const Seconds estimate = overhead + flops(call) / peak + static_cast<double>(footprint_bytes(call)) / 200e9;
  return static_cast<std::int64_t>(std::clamp(std::ceil(long_enough / estimate), 1.0, most));
}

/// Returns two experiments with warm operands: the call alone, and many calls in a row. Returns none for calls that are long enough.
std::vector<NamedExperiment> isolation(const Call& call, const Environment& environment) {
  constexpr std::int64_t fewest = 4;  // calls of 5 us and more lose less than 2 % alone
  const std::int64_t batch = warm_batch(call, environment);
  if (batch < fewest) {
    return {};
  }
  measure::Experiment alone;
  alone.setup = {on_call(What::fill, call), on_call(What::execute, call)};
  alone.timed = {call};
  alone.memory = measure::memory_of(alone.timed, alone.setup);
  measure::Experiment together = alone;
  together.batch = batch;
  const std::string name = kernel::format_call(call);
  return {{name + " alone", std::move(alone)}, {name + " together", std::move(together)}};
}

/// Makes all micro-benchmarks of one algorithm.
class MicroBenchmarkBuilder {
 public:
  MicroBenchmarkBuilder(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                        const BenchmarkOptions& options)
      : context_(algorithm, contraction, environment), options_(options), kernel_(placed_kernel(algorithm, contraction, options.threads)) {
    const std::int64_t capacity_bytes = environment.caches.empty() ? std::int64_t{32} << 20 : environment.caches.back().capacity_bytes;
    limit_bytes_ = static_cast<std::int64_t>(options.capacity_factor * static_cast<double>(capacity_bytes));
  }

  std::vector<MicroBenchmark> build() {
    const bool in_segments = has(Stage::segments) && !context_.algorithm.loops.empty();
    const std::size_t depth = in_segments ? add_segments() : context_.algorithm.loops.size() + 1;
    if (!in_segments) {
      add_kernel();
    }
    for (const Copy& copy : context_.algorithm.copies) {
      if (copy.depth >= depth) {
        continue;  // segments contain this copy
      }
      add_copy(copy, NodeKind::copy_in);
      if (copy.operand == Operand::c) {
        add_copy(copy, NodeKind::copy_out);
      }
    }
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool has(Stage stage) const { return options_.stage >= stage; }

  /// Adds the segments. Returns the number of loops around them.
  std::size_t add_segments() {
    const std::vector<LoopSegment> all = timed_segments(context_.algorithm, context_.contraction, context_.environment);
    for (const LoopSegment& segment : all) {
      MicroBenchmark benchmark;
      benchmark.what = segment.what;
      benchmark.calls = segment.count;
      benchmark.experiment = segment_experiment(segment, context_.algorithm, context_.contraction, context_.environment, options_.find,
                                                options_.threads, options_.repetitions, options_.sweeper);
      benchmark.alike = true;
      benchmark.key = segment_key(segment, context_.algorithm, context_.contraction);
      all_.push_back(std::move(benchmark));
    }
    return all.front().outer.size();
  }

  void add_kernel() {
    const double calls = kernel_calls(context_.algorithm, context_.contraction);
    double others = calls;
    if (has(Stage::first_iterations) && !context_.algorithm.loops.empty()) {
      others -= add_first_iterations(calls);
    }
    const std::vector<OperandHistory> known =
        histories(context_.tree, context_.path, context_.contraction, context_.line_bytes, 0, options_.prefetched_lines);
    if (has(Stage::failures)) {
      if (const double failing = failing_calls(calls, known); failing > 0) {
        add("kernel, new line", failing, known, {limit_bytes_, true, true});
        others -= failing;
      }
    }
    if (others > half_a_call) {
      add("kernel", others, known, {limit_bytes_, has(Stage::prefetching), false});
    }
  }

  /// Adds the first iterations of the innermost loop, and of outer loops as long as they matter. Returns the number of calls in these
  /// iterations.
  double add_first_iterations(double calls) {
    const std::size_t depth = context_.algorithm.loops.size();
    std::vector<double> counts;  // counts[s]: number of calls that are the first of the s + 1 innermost loops
    double share = 1;
    for (std::size_t s = 0; s < depth; ++s) {
      share /= static_cast<double>(context_.contraction.extent(context_.algorithm.loops[depth - 1 - s]));
      if (s > 0 && share <= options_.first_share) {
        break;
      }
      counts.push_back(calls * share);
    }
    for (std::size_t s = 0; s < counts.size(); ++s) {
      const double count = counts[s] - (s + 1 < counts.size() ? counts[s + 1] : 0);
      if (count > half_a_call) {
        const std::vector<OperandHistory> known = histories(context_.tree, context_.path, context_.contraction, context_.line_bytes, s + 1);
        add(fmt::format("kernel, first of {}", context_.algorithm.loops.substr(depth - 1 - s)), count, known, {limit_bytes_, false, false});
      }
    }
    return counts.front();
  }

  /// Returns the number of calls in which the innermost loop reaches a new line. First iterations are skipped if they are counted already.
  [[nodiscard]] double failing_calls(double calls, const std::vector<OperandHistory>& known) const {
    const bool shares =
        std::any_of(known.begin(), known.end(), [](const OperandHistory& history) { return history.prefetched && history.shares_lines; });
    if (!shares) {
      return 0;
    }
    const std::int64_t length = context_.contraction.extent(context_.algorithm.loops.back());
    const std::int64_t per_line = std::max<std::int64_t>(1, context_.line_bytes / element_bytes(context_.contraction.precision));
    const std::int64_t lines = has(Stage::first_iterations) ? (length - 1) / per_line : ceil_div(length, per_line);
    return calls / static_cast<double>(length) * static_cast<double>(lines);
  }

  void add(std::string what, double calls, const std::vector<OperandHistory>& known, const SetupOptions& setup) {
    SetupBuilder builder(kernel_, options_.prefetched_lines * context_.line_bytes);
    MicroBenchmark benchmark;
    benchmark.what = std::move(what);
    benchmark.calls = calls;
    const std::vector<SetupAccess> list = has(Stage::distance) ? setup_list(known, setup) : std::vector<SetupAccess>{};
    benchmark.experiment.setup = builder.build(known, list);
    benchmark.experiment.timed = {kernel_.call};
    benchmark.experiment.memory = measure::memory_of(benchmark.experiment.timed, benchmark.experiment.setup);
    benchmark.experiment.batch = list.empty() ? warm_batch(kernel_.call, context_.environment) : 1;
    benchmark.key = kernel::format_call(kernel_.call) + ' ' + builder.key();
    if (!list.empty()) {
      benchmark.isolation = isolation(kernel_.call, context_.environment);
    }
    const auto same = std::find_if(all_.begin(), all_.end(), [&](const MicroBenchmark& other) { return other.key == benchmark.key; });
    if (same != all_.end()) {
      same->calls += calls;
      same->what += " and " + benchmark.what.substr(benchmark.what.find(", ") == std::string::npos ? 0 : benchmark.what.find(", ") + 2);
    } else {
      all_.push_back(std::move(benchmark));
    }
  }

  /// Adds neighbouring columns of a copy, one call each. The operand is where the algorithm has left it; the buffer has just been used.
  void add_copy(const Copy& copy, NodeKind kind) {
    const bool back = kind == NodeKind::copy_out;
    const Tensor buffer = kernel_tensor(context_.algorithm, context_.contraction, copy.operand);
    const std::int64_t bytes = element_bytes(context_.contraction.precision);
    const std::int64_t columns = context_.contraction.extent(buffer.indices[1]);
    const std::int64_t timed = std::min(columns, options_.max_columns);
    const std::int64_t operand_step = folded_step(context_.contraction.tensor(copy.operand).stride(buffer.indices[1])) * bytes;
    MicroBenchmark benchmark;
    benchmark.what = fmt::format("copy {} {}", back ? "back to" : "of", letter(copy.operand));
    benchmark.calls = 1;
    for (std::size_t i = 0; i < copy.depth; ++i) {
      benchmark.calls *= static_cast<double>(context_.contraction.extent(context_.algorithm.loops[i]));
    }
    benchmark.scale = static_cast<double>(columns) / static_cast<double>(timed);
    const Call first = column_copy(context_.algorithm, context_.contraction, copy.operand, back);
    const auto x = static_cast<std::size_t>(first.routine->index("x")), y = static_cast<std::size_t>(first.routine->index("y"));
    for (std::int64_t j = 0; j < timed; ++j) {
      Call call = first;
      call.arguments[back ? y : x] = static_cast<std::int64_t>(virtual_base(0)) + j * operand_step;
      call.arguments[back ? x : y] = static_cast<std::int64_t>(virtual_base(1)) + j * buffer.strides[1] * bytes;
      benchmark.experiment.timed.push_back(call);
    }
    const Call& first_column = benchmark.experiment.timed.front();
    const bool far = is_far(kind, copy);
    benchmark.experiment.setup = copy_setup(benchmark.experiment.timed, far, back);
    benchmark.experiment.memory = measure::memory_of(benchmark.experiment.timed, benchmark.experiment.setup);
    benchmark.isolation = isolation(first_column, context_.environment);
    benchmark.key = fmt::format("{} {} columns {} apart {}", kernel::format_call(first), timed, operand_step, far ? "far" : "near");
    all_.push_back(std::move(benchmark));
  }

  [[nodiscard]] static std::int64_t folded_step(std::int64_t stride) {
    constexpr std::int64_t fold = 1 << 15;
    return stride > 2 * fold ? stride % fold + fold : stride;
  }

  /// Returns whether a copy finds its operand outside of all caches.
  [[nodiscard]] bool is_far(NodeKind kind, const Copy& copy) const {
    if (!has(Stage::distance)) {
      return false;
    }
    const std::vector<std::size_t> path = path_to(context_.tree, kind, copy.operand);
    const std::vector<OperandHistory> known = histories(context_.tree, path, context_.contraction, context_.line_bytes);
    return known.front().distance_bytes > limit_bytes_;
  }

  [[nodiscard]] static std::vector<Action> copy_setup(const std::vector<Call>& calls, bool far, bool back) {
    std::vector<Action> actions;
    for (const Call& call : calls) {
      actions.push_back(on_call(What::fill, call));
    }
    for (const Call& call : calls) {
      for (const flopcast::Operand& operand : operands(call)) {
        const bool is_buffer = (operand.access == Access::read) == back;
        for (const Region& part : operand.parts) {
          actions.push_back(on_region(far && !is_buffer ? What::flush : What::read, part));
        }
      }
    }
    return actions;
  }

  AlgorithmContext context_;
  const BenchmarkOptions& options_;
  PlacedKernel kernel_;
  std::int64_t limit_bytes_ = 0;
  std::vector<MicroBenchmark> all_;
};

}  // namespace

std::vector<MicroBenchmark> micro_benchmarks(const Algorithm& algorithm, const Contraction& contraction, const Environment& environment,
                                             const BenchmarkOptions& options) {
  return MicroBenchmarkBuilder(algorithm, contraction, environment, options).build();
}

}  // namespace flopcast::contract
