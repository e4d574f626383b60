#include "flopcast/program/scaled_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::program {
namespace {

using ShapeNumber = std::uint32_t;

/// The calls of one kind in one recording.
struct KindCalls {
  std::vector<PlacedCall> shapes;                      ///< different calls, by first use
  std::vector<std::pair<Seconds, ShapeNumber>> calls;  ///< start and shape of every call, in order
  std::vector<Seconds> seconds;                        ///< time by shape
  std::map<std::vector<std::int64_t>, ShapeNumber> numbers;
};
using KindKey = std::pair<std::string, std::string>;  ///< routine and flags
using CallsByKind = std::map<KindKey, KindCalls>;

bool is_number(const Argument& argument) {
  return argument.kind == Kind::size || argument.kind == Kind::leading_dimension || argument.kind == Kind::increment ||
         argument.kind == Kind::work_size;
}

/// Raises leading dimensions and sizes of workspaces to the smallest that the call's sizes allow.
void require_room(Call& call) {
  for (std::size_t i = 1; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::leading_dimension) {
      call.arguments[i] = std::max(call.arguments[i], kernel::min_leading_dimension(call, i - 1));
    } else if (argument.kind == Kind::work_size) {
      call.arguments[i] = std::max(call.arguments[i], argument.rows.integer(call.values()));
    }
  }
}

Call without_addresses(Call call) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      call.arguments[i] = 0;
    }
  }
  return call;
}

/// Reads the calls of one recording.
CallsByKind calls_of(const RecordedProgram& program, const RunContext& context) {
  CallsByKind kinds;
  for (std::size_t thread = 0; thread < program.summary().threads.size(); ++thread) {
    context.throw_if_cancelled("nothing was predicted");
    std::vector<ProgramEvent> events;
    program.visit(thread, [&](const ProgramEvent& event) {
      if (event.described()) {
        events.push_back(event);
      }
    });
    const Trace trace = to_trace(events);
    cache::AccessTracker tracker(trace, {cache::Start::filled, 0, {}, cache_line_bytes});
    for (const ProgramEvent& event : events) {
      const cache::CallAccess& access = tracker.next();
      KindCalls& kind = kinds[{event.call.routine->name, flags(event.call)}];
      std::vector<std::int64_t> numbers;
      for (std::size_t i = 0; i < event.call.routine->arguments.size(); ++i) {
        if (is_number(event.call.routine->arguments[i])) {
          numbers.push_back(event.call.arguments[i]);
        }
      }
      const auto [number, is_new] = kind.numbers.try_emplace(std::move(numbers), static_cast<ShapeNumber>(kind.shapes.size()));
      if (is_new) {
        kind.shapes.emplace_back().call = without_addresses(event.call);
        kind.seconds.push_back(0);
      }
      Placement& placement = kind.shapes[number->second].placement;  // the last one counts: memory is touched first in the first one
      placement.clear();
      for (const cache::OperandAccess& operand : access) {
        placement.push_back({operand.distance_bytes, 0, operand.dirty});
      }
      kind.calls.emplace_back(event.start, number->second);
      kind.seconds[number->second] += event.seconds;
    }
  }
  for (auto& [key, kind] : kinds) {
    std::stable_sort(kind.calls.begin(), kind.calls.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return kinds;
}

auto work(const PlacedCall& placed) { return std::tuple(flops(placed.call), footprint_bytes(placed.call)); }

/// Aligned shapes by recording, and the number of calls of each, which `classes` classes share equally.
struct CallAlignment {
  std::vector<ShapeNumber> shapes;
  std::vector<double> counts;
  double classes = 1;
  std::vector<std::pair<ShapeNumber, double>> next = {};  ///< the shape whose sizes have this share; empty: none have
};

/// Finds the growth of one kind's calls.
class KindScaler {
 public:
  KindScaler(std::vector<const KindCalls*> recordings, const std::vector<double>& parameters, double parameter)
      : recordings_(std::move(recordings)), parameters_(parameters), parameter_(parameter) {
    for (const KindCalls* one : recordings_) {
      std::vector<double>& counts = counts_.emplace_back(one->shapes.size(), 0);
      for (const auto& [start, shape] : one->calls) {
        counts[shape] += 1;
      }
    }
  }

  /// Returns the classes of the alignment that leaves least unexplained, and how much it leaves: the mean relative misfit of sizes and
  /// numbers, by the time of the calls in the largest recording.
  [[nodiscard]] std::pair<std::vector<CallClass>, double> classes() const {
    static constexpr double preference = 0.01;  // of an earlier alignment, which knows more about each call
    std::pair<std::vector<CallClass>, double> best{{}, std::numeric_limits<double>::infinity()};
    for (const auto align : {&KindScaler::by_first_use, &KindScaler::by_ratio, &KindScaler::by_rank}) {
      std::vector<CallClass> all;
      const std::vector<CallAlignment> aligned = (this->*align)();
      std::transform(aligned.begin(), aligned.end(), std::back_inserter(all), [this](const CallAlignment& one) { return class_of(one); });
      if (const double misfit = misfit_of(aligned, all); misfit + preference < best.second) {
        best = {std::move(all), misfit};
      }
    }
    return best;
  }

 private:
  static constexpr double tolerance = 0.05;
  static constexpr std::size_t most_shapes = 64;
  using Counts = std::vector<std::vector<double>>;  ///< number of calls by recording and shape

  /// Aligns shapes in the order of their first use.
  [[nodiscard]] std::vector<CallAlignment> by_first_use() const {
    const std::size_t count = counts_[0].size();
    if (count > most_shapes || !std::all_of(counts_.begin(), counts_.end(), [&](const auto& one) { return one.size() == count; })) {
      return {};
    }
    std::vector<CallAlignment> all(count);
    for (std::size_t shape = 0; shape < count; ++shape) {
      for (const std::vector<double>& counts : counts_) {
        all[shape].shapes.push_back(static_cast<ShapeNumber>(shape));
        all[shape].counts.push_back(counts[shape]);
      }
    }
    return all;
  }

  /// Aligns shapes whose every size is constant or proportional to the parameter, and all others by rank.
  [[nodiscard]] std::vector<CallAlignment> by_ratio() const {
    std::vector<CallAlignment> all;
    Counts others = counts_;
    const auto sizes_of = [&](std::size_t r, ShapeNumber shape) { return sizes(recordings_[r]->shapes[shape].call); };
    for (ShapeNumber first = 0; first < std::min(counts_[0].size(), most_shapes); ++first) {
      CallAlignment alignment{{first}, {counts_[0][first]}};
      for (std::size_t r = 1; r < recordings_.size(); ++r) {
        for (ShapeNumber shape = 0; shape < std::min(counts_[r].size(), most_shapes) && alignment.shapes.size() == r; ++shape) {
          const auto here = sizes_of(r, shape), before = sizes_of(0, first);
          const double ratio = parameters_[r] / parameters_[0];
          const bool fits = std::equal(here.begin(), here.end(), before.begin(), [&](std::int64_t a, std::int64_t b) {
            return a == b || std::fabs(static_cast<double>(a) - ratio * static_cast<double>(b)) < ratio;
          });
          if (fits && others[r][shape] > 0) {
            alignment.shapes.push_back(shape);
            alignment.counts.push_back(counts_[r][shape]);
          }
        }
      }
      if (alignment.shapes.size() == recordings_.size()) {
        for (std::size_t r = 0; r < recordings_.size(); ++r) {
          others[r][alignment.shapes[r]] = 0;
        }
        all.push_back(std::move(alignment));
      }
    }
    const std::vector<CallAlignment> rest = by_rank_of(others);
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }

  [[nodiscard]] std::vector<CallAlignment> by_rank() const { return by_rank_of(counts_); }

  /// Aligns calls at the same quantiles of the work, each for an equal share of these calls.
  [[nodiscard]] std::vector<CallAlignment> by_rank_of(const Counts& counts) const {
    std::vector<std::vector<ShapeNumber>> ordered;
    std::size_t most = 0;
    for (std::size_t r = 0; r < recordings_.size(); ++r) {
      std::vector<ShapeNumber>& order = ordered.emplace_back();
      for (const auto& [start, shape] : recordings_[r]->calls) {
        if (counts[r][shape] > 0) {
          order.push_back(shape);
        }
      }
      if (order.empty()) {
        return {};
      }
      const std::vector<PlacedCall>& shapes = recordings_[r]->shapes;
      std::stable_sort(order.begin(), order.end(), [&](ShapeNumber a, ShapeNumber b) { return work(shapes[a]) < work(shapes[b]); });
      most = std::max(most, order.size());
    }
    std::vector<CallAlignment> all(std::min(most, most_shapes));
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::vector<ShapeNumber>& order : ordered) {
        const auto last = static_cast<double>(order.size() - 1);
        const double rank = std::clamp((static_cast<double>(i) + 0.5) / static_cast<double>(all.size()) * (last + 1) - 0.5, 0.0, last);
        const auto below = static_cast<std::size_t>(rank);
        all[i].shapes.push_back(order[below]);
        all[i].next.emplace_back(order[std::min(below + 1, order.size() - 1)], rank - static_cast<double>(below));
        all[i].counts.push_back(static_cast<double>(order.size()));
        all[i].classes = static_cast<double>(all.size());
      }
    }
    return all;
  }

  /// Returns the share of the largest recording's time that the classes don't explain.
  [[nodiscard]] double misfit_of(const std::vector<CallAlignment>& aligned, const std::vector<CallClass>& classes) const {
    const std::vector<Seconds>& seconds = recordings_.back()->seconds;
    Seconds explained = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const ShapeNumber shape = aligned[i].shapes.back();
      explained += seconds[shape] / counts_.back()[shape] * classes[i].counts.back() *
                   std::max(0.0, 1 - classes[i].size_misfit - classes[i].count_misfit);
    }
    const Seconds all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    return all > 0 ? std::fabs(1 - explained / all) : 0;
  }

  [[nodiscard]] Growth growth_of(const std::vector<double>& values) const {
    std::vector<GrowthPoint> points;
    for (std::size_t r = 0; r < values.size(); ++r) {
      points.push_back({parameters_[r], values[r]});
    }
    const double rounding = 0.5 / std::max(1.0, *std::min_element(values.begin(), values.end()));
    const std::optional<Growth> exact = exact_growth(points, parameter_);
    return exact ? *exact : smooth_growth(points, parameter_, std::max(tolerance, std::min(0.5, rounding)), Measured::size);
  }

  /// Returns the call of a class in recording `r`, whose numbers may lie between those of two shapes.
  [[nodiscard]] PlacedCall recorded_call(const CallAlignment& aligned, std::size_t r) const {
    PlacedCall recorded = recordings_[r]->shapes[aligned.shapes[r]];
    for (std::size_t i = 0; !aligned.next.empty() && i < recorded.call.routine->arguments.size(); ++i) {
      if (is_number(recorded.call.routine->arguments[i])) {
        std::int64_t& number = recorded.call.arguments[i];
        const auto& [next, share] = aligned.next[r];
        number += std::llround(share * static_cast<double>(recordings_[r]->shapes[next].call.arguments[i] - number));
      }
    }
    return recorded;
  }

  [[nodiscard]] CallClass class_of(const CallAlignment& aligned) const {
    CallClass result;
    result.count = growth_of(aligned.counts);
    result.count_misfit = std::max(0.0, result.count.misfit - 0.5 / aligned.counts.front());  // beyond rounding
    for (double* number : {&result.count.value, &result.count.interval.low, &result.count.interval.high}) {
      *number /= aligned.classes;
    }
    for (const double count : aligned.counts) {
      result.counts.push_back(count / aligned.classes);
    }
    for (std::size_t r = 0; r < recordings_.size(); ++r) {
      result.recorded.push_back(recorded_call(aligned, r));
    }
    result.scaled = result.recorded.back();
    Call& call = result.scaled.call;
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      const Argument& argument = call.routine->arguments[i];
      if (!is_number(argument)) {
        continue;
      }
      std::vector<double> values;
      for (const PlacedCall& one : result.recorded) {
        values.push_back(static_cast<double>(one.call.arguments[i]));
      }
      const bool is_stride = argument.kind == Kind::increment && values.front() < 0;  // -1 walks backwards
      const Growth growth = is_stride ? Growth{"", values.back(), {}, 0} : growth_of(values);
      call.arguments[i] = std::llround(growth.value);
      if (argument.kind == Kind::size) {
        result.sizes += fmt::format("{}{}={}", result.sizes.empty() ? "" : " ", argument.name, growth.formula);
        result.size_misfit = std::max(result.size_misfit, growth.misfit);
      }
    }
    require_room(call);
    scale_distances(result);
    return result;
  }

  /// Lets distances grow as they did between the two largest recordings.
  void scale_distances(CallClass& result) const {
    static constexpr double steepest = 3;
    const std::size_t last = recordings_.size() - 1;
    const Placement& before = result.recorded[last - 1].placement;
    for (std::size_t i = 0; i < result.scaled.placement.size(); ++i) {
      std::int64_t& distance = result.scaled.placement[i].distance_bytes;
      const double ratio = static_cast<double>(std::max<std::int64_t>(distance, 1)) /
                           static_cast<double>(i < before.size() ? std::max<std::int64_t>(before[i].distance_bytes, 1) : 1);
      const double power = std::log(ratio) / std::log(parameters_[last] / parameters_[last - 1]);
      distance = std::llround(static_cast<double>(distance) * std::pow(parameter_ / parameters_[last], std::clamp(power, 0.0, steepest)));
    }
  }

  std::vector<const KindCalls*> recordings_;
  const std::vector<double>& parameters_;
  double parameter_;
  Counts counts_;
};

/// Returns why the classes aren't fit for a prediction; empty if they are.
std::string refusal_of(const std::vector<CallClass>& classes, double misfit, const std::vector<const KindCalls*>& recordings) {
  static constexpr double max_misfit = 0.2;
  for (const CallClass& one : classes) {
    if (const std::string fault = fault_of(one.scaled.call); !fault.empty()) {
      return fmt::format("calls would be impossible: {}", fault);
    }
  }
  if (misfit <= max_misfit) {
    return "";
  }
  std::vector<std::size_t> counts;
  std::transform(recordings.begin(), recordings.end(), std::back_inserter(counts), [](const KindCalls* one) { return one->calls.size(); });
  return fmt::format("its {} calls, or their sizes, follow no formula of the parameter", fmt::join(counts, ", "));
}

}  // namespace

std::vector<ScaledKind> scale_calls(const std::vector<ParameterRecording>& recordings, std::int64_t parameter, const RunContext& context) {
  std::vector<double> parameters;
  std::vector<CallsByKind> all;
  std::map<KindKey, std::vector<const KindCalls*>> by_kind;
  for (const ParameterRecording& recording : recordings) {
    parameters.push_back(static_cast<double>(recording.parameter));
    all.push_back(calls_of(*recording.program, context));
  }
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (const auto& [key, calls] : all[r]) {
      by_kind[key].resize(all.size(), nullptr);
      by_kind[key][r] = &calls;
    }
  }
  std::vector<ScaledKind> kinds;
  for (const auto& [key, calls] : by_kind) {
    ScaledKind kind{key.first, key.second, {}, {}, ""};
    std::vector<double> lacking;
    for (std::size_t r = 0; r < calls.size(); ++r) {
      kind.seconds.push_back(calls[r] != nullptr ? std::accumulate(calls[r]->seconds.begin(), calls[r]->seconds.end(), 0.0) : 0);
      if (calls[r] == nullptr) {
        lacking.push_back(parameters[r]);
      }
    }
    if (lacking.empty()) {
      double misfit = 0;
      std::tie(kind.classes, misfit) = KindScaler(calls, parameters, static_cast<double>(parameter)).classes();
      kind.refusal = refusal_of(kind.classes, misfit, calls);
    } else {
      kind.refusal = fmt::format("it isn't called where the parameter is {}", fmt::join(lacking, ", "));
    }
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace flopcast::program
