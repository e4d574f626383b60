#include "flopcast/measure/sampler.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "flopcast/core/statistics.hpp"

namespace flopcast::measure {
namespace {

bool is_stride(Kind kind) { return kind == Kind::leading_dimension || kind == Kind::increment; }

/// Returns whether the values form two groups, each of at least a quarter of the values. The gap between them must be wider than 5 % of the
/// median and than both groups together.
bool has_two_peaks(const std::vector<double>& sorted) {
  constexpr std::size_t fewest = 8;
  constexpr double relative_gap = 0.05;
  const std::size_t n = sorted.size();
  if (n < fewest) {
    return false;
  }
  for (std::size_t i = n / 4; i <= n - n / 4; ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    const double groups = (sorted[i - 1] - sorted.front()) + (sorted.back() - sorted[i]);
    if (gap > relative_gap * median(sorted) && gap > groups) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> doubts(std::span<const Seconds> times) {
  constexpr double wide = 0.1;
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) {
    return {"not measured"};
  }
  const Summary summary = summarise(sorted);
  const double spread = (summary.third_quartile - summary.first_quartile) / summary.median;
  if (has_two_peaks(sorted)) {
    return {fmt::format("times lie in two groups, around {} and {}: the machine runs at two speeds; look at the raw repetitions",
                        format_seconds(quantile(sorted, 0.125)), format_seconds(quantile(sorted, 0.875)))};
  }
  if (spread > wide) {
    return {fmt::format("half of the times spread over more than {:.0f} % of the median: stop other programs or take more repetitions",
                        100 * wide)};
  }
  return {};
}

Sample empty_sample(const Call& call, std::string cache, const Environment& environment) {
  Sample sample;
  sample.key = model_key(call, std::move(cache), environment.fingerprint);
  for (const std::int64_t size : sizes(call)) {
    sample.sizes.push_back(size);
  }
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_stride(call.routine->arguments[i].kind)) {
      sample.strides.push_back(call.arguments[i]);
    }
  }
  return sample;
}

std::vector<Sample> sample(Session& session, std::span<const SamplePoint> points, const Progress& progress) {
  std::vector<Experiment> experiments;
  experiments.reserve(points.size());
  for (const SamplePoint& point : points) {
    experiments.push_back(experiment(point.call, point.precondition, session.environment(), point.batch));
  }
  std::vector<Timings> timings = session.run(experiments, progress);
  std::vector<Sample> samples;
  samples.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Sample one = empty_sample(points[i].call, cache_name(points[i].precondition), session.environment());
    one.placement = points[i].precondition.placement;
    one.batch = experiments[i].batch;
    one.repetitions = std::move(timings[i].calls.front());
    one.state = timings[i].state;
    one.warnings = std::move(timings[i].warnings);
    const std::vector<std::string> more = doubts(one.times());
    one.warnings.insert(one.warnings.end(), more.begin(), more.end());
    samples.push_back(std::move(one));
  }
  return samples;
}

std::vector<Sample> sample(Session& session, std::span<const Call> calls, const Precondition& precondition, const Progress& progress) {
  std::vector<SamplePoint> points;
  points.reserve(calls.size());
  for (const Call& call : calls) {
    points.push_back({call, precondition, 0});
  }
  return sample(session, points, progress);
}

}  // namespace flopcast::measure
