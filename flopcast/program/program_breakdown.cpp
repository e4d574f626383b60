#include "flopcast/program/program_breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "flopcast/kernel/fill.hpp"

namespace flopcast::program {
namespace {

/// Returns whether a routine computes with NaN and Inf for any operands. LAPACK tests the CPU's arithmetic (ieeeck) before singular values
/// by dqds, and before eigenvalues by relatively robust representations.
bool tests_arithmetic(const Routine& routine) {
  static constexpr std::string_view families[] = {"bdsqr",  "bdsdc", "bdsvdx", "gejsv", "gelsd", "gelss", "gesdd", "gesvd", "gesvdq",
                                                  "gesvdx", "gesvj", "ggsvd3", "heevr", "stegr", "stemr", "stevr", "syevr"};
  return std::find(std::begin(families), std::end(families), routine.family) != std::end(families);
}

/// Returns the sum over one call. Iterations make numbers small on their way, so that denormal numbers in iterating routines say nothing
/// about the operands.
CallSum sum_of(const ProgramEvent& event) {
  CallSum sum;
  sum.calls = 1;
  sum.skipped = event.was_skipped() ? 1 : 0;
  sum.blind = event.treatment == protocol::Treatment::executed_blindly || event.treatment == protocol::Treatment::skipped_blindly ? 1 : 0;
  sum.seconds = event.seconds;
  if (event.described()) {
    sum.flops = flops(event.call);
    sum.peak_flops = real_bytes(event.call.routine->precision) == 4 ? sum.flops / 2 : sum.flops;
    sum.described_seconds = event.seconds;
  }
  if (event.described()) {
    sum.invalid_seconds = event.has_nan || (event.met_invalid && !tests_arithmetic(*event.call.routine)) ? event.seconds : 0;
    sum.denormal_seconds =
        event.met_denormals && !kernel::iterates(*event.call.routine) && !tests_arithmetic(*event.call.routine) ? event.seconds : 0;
  }
  return sum;
}

/// Returns the key by which every list is sorted.
auto weight(const CallSum& sum) { return std::tuple(-sum.seconds, -sum.flops, -sum.calls); }

/// Returns equal values for sizes that differ by less than about a factor of two: 0, 1, 2..3, 4..7, ...
std::int64_t magnitude(std::int64_t size) {
  return size <= 0 ? size : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(size)));
}

std::vector<SizeSpan> size_ranges(const Call& call) {
  std::vector<SizeSpan> ranges;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::size) {
      ranges.push_back({argument.name, call.arguments[i], call.arguments[i]});
    }
  }
  return ranges;
}

void add(ShapeSum& shape, const ShapeSum& other) {
  if (shape.sizes.empty()) {
    shape.sizes = other.sizes;
  }
  for (std::size_t i = 0; i < shape.sizes.size(); ++i) {
    shape.sizes[i].low = std::min(shape.sizes[i].low, other.sizes[i].low);
    shape.sizes[i].high = std::max(shape.sizes[i].high, other.sizes[i].high);
  }
  if (other.longest_seconds > shape.longest_seconds) {
    shape.longest = other.longest;
    shape.longest_seconds = other.longest_seconds;
    shape.longest_size_queried = other.longest_size_queried;
  }
  shape.sum += other.sum;
}

/// Returns the sum without its flops and their time, so that first calls count in no rate.
CallSum without_rate(CallSum sum) {
  sum.flops = sum.peak_flops = sum.described_seconds = 0;
  return sum;
}

}  // namespace

/// Finds the calls that took much longer than similar ones because they were the first of their shape in their process, or the first of
/// their thread.
class FirstCallFinder {
 public:
  FirstCallFinder(const RecordedProgram& program, const BreakdownOptions& options) : options_(options) {
    for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
      bool first_of_thread = true;
      program.visit(t, [&](const ProgramEvent& event) {
        if (event.described() && event.treatment == protocol::Treatment::executed) {
          note(event, program.summary().threads[t].pid, std::exchange(first_of_thread, false));
        }
      });
    }
  }

  [[nodiscard]] std::set<ProgramBreakdown::Identity> found() const {
    std::map<Candidate, const Key*> candidates;  // a call may be the first of its shape and of its thread
    for (const auto& [place, candidate] : first_of_shape_) {
      candidates.try_emplace(candidate, &place.second);
    }
    for (const auto& [candidate, key] : first_of_thread_) {
      candidates.try_emplace(candidate, &key);
    }
    std::map<Key, Typical> others = shapes_;
    for (const auto& [candidate, key] : candidates) {
      others.at(*key).calls -= 1;
      others.at(*key).seconds -= std::get<2>(candidate);
    }
    std::set<ProgramBreakdown::Identity> all;
    for (const auto& [candidate, key] : candidates) {
      const std::optional<Seconds> typical = typical_seconds(candidate, *key, others);
      const Seconds seconds = std::get<2>(candidate);
      if (typical && seconds > options_.first_call_factor * *typical && seconds - *typical > options_.first_call_excess) {
        all.insert(candidate);
      }
    }
    return all;
  }

 private:
  using Key = ProgramBreakdown::Key;
  using Candidate = ProgramBreakdown::Identity;

  /// Sums over the calls of one shape.
  struct Typical {
    std::int64_t calls = 0;
    Seconds seconds = 0;
    double flops = 0;   ///< flops of one call
    Seconds start = 0;  ///< start of the last call
  };

  void note(const ProgramEvent& event, std::uint32_t pid, bool first_of_thread) {
    Key key = ProgramBreakdown::key_of(event);
    const Candidate identity = ProgramBreakdown::identity_of(event);
    Typical& shape = shapes_[key];
    shape.calls += 1;
    shape.seconds += event.seconds;
    shape.start = std::max(shape.start, event.start);
    shape.flops = shape.calls == 1 ? flops(event.call) : shape.flops;
    const auto [at, is_new] = first_of_shape_.try_emplace({pid, key}, identity);
    if (!is_new && event.start < std::get<1>(at->second)) {
      at->second = identity;
    }
    if (first_of_thread) {
      first_of_thread_.emplace_back(identity, std::move(key));
    }
  }

  /// Returns the mean of the other calls of this shape or, where there are none, the least mean of the routine's larger problems that came
  /// later.
  [[nodiscard]] std::optional<Seconds> typical_seconds(const Candidate& candidate, const Key& key,
                                                       const std::map<Key, Typical>& others) const {
    if (const Typical& same = others.at(key); same.calls > 0) {
      return same.seconds / static_cast<double>(same.calls);
    }
    std::optional<Seconds> least;
    for (auto at = shapes_.lower_bound({false, key.name, key.flags, {}}); at != shapes_.end() && at->first.name == key.name; ++at) {
      const auto& [other, sum] = *at;
      if (other.flags == key.flags && other != key && sum.flops >= shapes_.at(key).flops && sum.start > std::get<1>(candidate)) {
        const Seconds mean = sum.seconds / static_cast<double>(sum.calls);
        least = std::min(least.value_or(mean), mean);
      }
    }
    return least;
  }

  const BreakdownOptions& options_;
  std::map<Key, Typical> shapes_;
  std::map<std::pair<std::uint32_t, Key>, Candidate> first_of_shape_;  ///< first call per process
  std::vector<std::pair<Candidate, Key>> first_of_thread_;
};

CallSum& CallSum::operator+=(const CallSum& other) {
  calls += other.calls;
  skipped += other.skipped;
  blind += other.blind;
  flops += other.flops;
  peak_flops += other.peak_flops;
  seconds += other.seconds;
  described_seconds += other.described_seconds;
  invalid_seconds += other.invalid_seconds;
  denormal_seconds += other.denormal_seconds;
  return *this;
}

std::string to_string(const std::vector<SizeSpan>& sizes) {
  std::string text;
  for (const SizeSpan& size : sizes) {
    text += text.empty() ? "" : " ";
    text += size.low == size.high ? fmt::format("{}={}", size.name, size.low) : fmt::format("{}={}..{}", size.name, size.low, size.high);
  }
  return text;
}

ProgramBreakdown::ProgramBreakdown(const RecordedProgram& program, const BreakdownOptions& options) {
  std::map<Key, ShapeSum> exact;
  first_ = FirstCallFinder(program, options).found();
  read(program, exact);
  group(exact, options);
  sort_shapes();
  std::stable_sort(routines_.begin(), routines_.end(),
                   [](const RoutineSum& a, const RoutineSum& b) { return weight(a.sum) < weight(b.sum); });
}

ProgramBreakdown::Key ProgramBreakdown::key_of(const ProgramEvent& event) {
  Key key;
  key.name = event.name;
  if (event.described()) {
    const auto of_call = sizes(event.call);
    key.flags = flags(event.call);
    key.sizes.assign(of_call.begin(), of_call.end());
  }
  return key;
}

void ProgramBreakdown::read(const RecordedProgram& program, std::map<Key, ShapeSum>& exact) {
  std::map<std::uint32_t, RoutineSum> routines;
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    ThreadSum thread;
    thread.thread = t;
    std::map<std::uint32_t, Seconds> of_thread;
    program.visit(t, [&](const ProgramEvent& event) {
      ShapeSum one;
      one.sum = sum_of(event);
      one.longest = event.call;
      one.longest_seconds = event.seconds;
      one.longest_size_queried = event.size_was_queried;
      const bool first = is_first_call(event);
      if (first) {
        one.sum = without_rate(one.sum);
      }
      ShapeSum& shape = exact[shape_key(event)];
      if (shape.sum.calls == 0) {
        shape.name = event.name;
        shape.flags = event.described() && !first ? flags(event.call) : "";
        shape.first_calls = first;
      }
      const bool known = shape.sum.calls > 0 && !first;  // then all calls have the same sizes
      one.sizes = known ? shape.sizes : event.described() ? size_ranges(event.call) : std::vector<SizeSpan>{};
      add(shape, one);
      if (first) {
        first_calls_ += one.sum;
      } else {
        RoutineSum& routine = routines[event.name];
        routine.name = event.name;
        routine.described = event.described();
        routine.sum += one.sum;
      }
      thread.sum += one.sum;
      of_thread[event.name] += event.seconds;
    });
    if (of_thread.empty()) {  // the file is damaged, and no call of the thread can be read
      continue;
    }
    all_ += thread.sum;
    thread.heaviest =
        std::max_element(of_thread.begin(), of_thread.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    threads_.push_back(thread);
    const std::uint32_t pid = program.summary().threads[t].pid;
    auto process = std::find_if(processes_.begin(), processes_.end(), [&](const ProcessSum& p) { return p.pid == pid; });
    if (process == processes_.end()) {
      process = processes_.insert(process, ProcessSum{pid, 0, {}});
    }
    ++process->threads;
    process->sum += thread.sum;
  }
  for (const auto& [name, routine] : routines) {
    routines_.push_back(routine);
  }
}

void ProgramBreakdown::group(const std::map<Key, ShapeSum>& exact, const BreakdownOptions& options) {
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> different;
  for (const auto& [key, shape] : exact) {
    different[{key.name, key.flags}] += key.first ? 0 : 1;
  }
  std::map<Key, std::size_t> groups;
  for (const auto& [key, shape] : exact) {
    Key joined = key;
    if (different.at({key.name, key.flags}) > options.max_exact_sizes) {
      std::transform(key.sizes.begin(), key.sizes.end(), joined.sizes.begin(), magnitude);
    }
    const auto [at, is_new] = groups.try_emplace(std::move(joined), shapes_.size());
    if (is_new) {
      shapes_.push_back({key.name, key.flags, {}, {}, key.first, {}, -1, false});
    }
    add(shapes_[at->second], shape);
    index_[key] = at->second;
  }
}

void ProgramBreakdown::sort_shapes() {
  std::vector<std::size_t> order(shapes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight(shapes_[a].sum) < weight(shapes_[b].sum); });
  std::vector<ShapeSum> sorted;
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(shapes_[order[i]]));
  }
  shapes_ = std::move(sorted);
  for (auto& [key, at] : index_) {
    at = place[at];
  }
}

std::vector<ThreadCalls> described_calls(const RecordedProgram& program, const ProgramBreakdown& breakdown) {
  std::vector<ThreadCalls> all;
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    std::vector<ProgramEvent> events;
    ThreadCalls thread;
    thread.thread = t;
    program.visit(t, [&](const ProgramEvent& event) {
      if (event.described()) {
        events.push_back(event);
        thread.shapes.push_back(breakdown.shape_of(event));
      }
    });
    if (!events.empty()) {
      thread.trace = to_trace(events);
      if (program.summary().dry_run) {
        thread.trace.measured.clear();
      }
      thread.pauses = flopcast::program::pauses(events);
      all.push_back(std::move(thread));
    }
  }
  return all;
}

Seconds own_code_seconds(const ProgramSummary& summary, const ProgramBreakdown& breakdown) {
  Seconds longest = 0;
  for (const ThreadSum& thread : breakdown.threads()) {
    longest = std::max(longest, thread.sum.seconds);
  }
  return std::max(0.0, summary.seconds - longest);
}

}  // namespace flopcast::program
