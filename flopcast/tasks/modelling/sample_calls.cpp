#include "flopcast/tasks/modelling/sample_calls.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

/// The points that a request asks for, and the calls and cache states that they stand for.
struct Points {
  Points(const Environment& environment, std::span<const Call> calls, const SampleRequest& request) {
    if (calls.empty()) {
      throw bad_input("there are no calls to sample");
    }
    for (Call call : calls) {
      call.threads = environment.threads;
      for (const std::string& cache : request.caches) {
        points.push_back({call, measure::parse_precondition(cache, call, environment), request.batch});
        sampled.push_back({call, cache, {}});
      }
    }
  }

  std::vector<measure::SamplePoint> points;
  std::vector<SampledCall> sampled;
};

}  // namespace

void note_speed(Seconds earlier, Seconds now, const RunContext& context) {
  constexpr double usual = 1.2;
  const double ratio = earlier > 0 && now > 0 ? now / earlier : 1;
  if (ratio > usual || ratio < 1 / usual) {
    context.note(fmt::format("note: the reference kernel takes {:.2f} times as long as in the session before", ratio));
  }
}

measure::SessionOptions session_options(const SampleRequest& request) {
  constexpr std::int64_t max_until_precise = 1000;
  measure::SessionOptions session;
  session.clock = request.clock;
  session.seed = request.seed;
  session.normalise = request.normalise;
  session.stop.relative_interval = request.interval;
  if (request.interval > 0) {
    session.stop.max_repetitions = request.repetitions > 0 ? request.repetitions : max_until_precise;
  } else if (request.repetitions > 0) {
    session.stop.min_repetitions = session.stop.max_repetitions = request.repetitions;
  }
  return session;
}

SampleResult sample(measure::Session& session, std::span<const Call> calls, const SampleRequest& request,
                    const std::function<Seconds()>& elapsed, const RunContext& context) {
  auto [points, sampled] = Points(session.environment(), calls, request);
  const auto step = context.step("sampling");
  std::vector<Sample> samples = measure::sample(session, points, [&](std::int64_t done, std::int64_t expected) {
    return step(done, expected) && (request.time_budget <= 0 || elapsed() < request.time_budget);
  });
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sampled[i].sample = std::move(samples[i]);
  }
  const measure::SessionOptions& options = session.options();
  return {session.environment(),
          measure::huge_pages_setting(),
          {options.clock, options.seed, options.normalise, session.reference_time(), options.stop.min_repetitions,
           options.stop.max_repetitions, options.stop.relative_interval, options.stop.confidence},
          std::move(sampled)};
}

std::vector<PlannedSample> plan_samples(const Environment& environment, std::span<const Call> calls, const SampleRequest& request) {
  std::vector<PlannedSample> plan;
  const Points wanted(environment, calls, request);
  for (std::size_t i = 0; i < wanted.points.size(); ++i) {
    const measure::SamplePoint& point = wanted.points[i];
    const measure::Experiment experiment = measure::experiment(point.call, point.precondition, environment, point.batch);
    plan.push_back({point.call, wanted.sampled[i].cache, experiment.batch});
  }
  return plan;
}

}  // namespace flopcast
