#include "flopcast/interpose/program_breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

namespace flopcast::interpose {
namespace {

CallSum sum_of(const ProgramEvent& event) {
  CallSum sum;
  sum.calls = 1;
  sum.skipped = event.treatment == Treatment::skipped || event.treatment == Treatment::skipped_blindly ? 1 : 0;
  sum.seconds = event.seconds;
  if (event.described()) {
    sum.flops = flops(event.call);
    sum.peak_flops = real_bytes(event.call.routine->precision) == 4 ? sum.flops / 2 : sum.flops;
    sum.described_seconds = event.seconds;
  }
  return sum;
}

/// What comes first in every list.
auto weight(const CallSum& sum) { return std::tuple(-sum.seconds, -sum.flops, -sum.calls); }

/// Sizes that differ by less than a factor of two or so: 0, 1, 2..3, 4..7, ...
std::int64_t magnitude(std::int64_t size) {
  return size <= 0 ? size : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(size)));
}

std::vector<SizeRange> size_ranges(const Call& call) {
  std::vector<SizeRange> ranges;
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
  }
  shape.sum += other.sum;
}

}  // namespace

CallSum& CallSum::operator+=(const CallSum& other) {
  calls += other.calls;
  skipped += other.skipped;
  flops += other.flops;
  peak_flops += other.peak_flops;
  seconds += other.seconds;
  described_seconds += other.described_seconds;
  return *this;
}

ProgramBreakdown::ProgramBreakdown(const ProgramTraceFile& file, const BreakdownOptions& options) {
  std::map<Key, ShapeSum> exact;
  read(file, exact);
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

void ProgramBreakdown::read(const ProgramTraceFile& file, std::map<Key, ShapeSum>& exact) {
  std::map<std::uint32_t, RoutineSum> routines;
  for (std::size_t t = 0; t < file.summary().threads.size(); ++t) {
    ThreadSum thread;
    thread.thread = t;
    std::map<std::uint32_t, Seconds> of_thread;
    file.visit(t, [&](const ProgramEvent& event) {
      ShapeSum one;
      one.sum = sum_of(event);
      one.longest = event.call;
      one.longest_seconds = event.seconds;
      ShapeSum& shape = exact[key_of(event)];
      if (shape.sum.calls == 0) {
        shape.name = event.name;
        shape.flags = event.described() ? flags(event.call) : "";
        shape.sizes = event.described() ? size_ranges(event.call) : std::vector<SizeRange>{};
      }
      one.sizes = shape.sizes;
      add(shape, one);
      RoutineSum& routine = routines[event.name];
      routine.name = event.name;
      routine.described = event.described();
      routine.sum += one.sum;
      thread.sum += one.sum;
      of_thread[event.name] += event.seconds;
    });
    if (of_thread.empty()) {  // the file is damaged: nothing of it can be read
      continue;
    }
    all_ += thread.sum;
    thread.heaviest =
        std::max_element(of_thread.begin(), of_thread.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    threads_.push_back(thread);
    const std::uint32_t pid = file.summary().threads[t].pid;
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
    ++different[{key.name, key.flags}];
  }
  std::map<Key, std::size_t> groups;
  for (const auto& [key, shape] : exact) {
    Key joined = key;
    if (different.at({key.name, key.flags}) > options.most_exact_sizes) {
      std::transform(key.sizes.begin(), key.sizes.end(), joined.sizes.begin(), magnitude);
    }
    const auto [at, is_new] = groups.try_emplace(std::move(joined), shapes_.size());
    if (is_new) {
      shapes_.push_back({key.name, key.flags, {}, {}, {}, -1});
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

std::size_t ProgramBreakdown::shape_of(const ProgramEvent& event) const { return index_.at(key_of(event)); }

std::string to_string(const std::vector<SizeRange>& sizes) {
  std::string text;
  for (const SizeRange& size : sizes) {
    text += text.empty() ? "" : " ";
    text += size.low == size.high ? fmt::format("{}={}", size.name, size.low) : fmt::format("{}={}..{}", size.name, size.low, size.high);
  }
  return text;
}

}  // namespace flopcast::interpose
