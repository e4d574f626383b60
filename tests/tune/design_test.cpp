#include "flopcast/tune/design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::tuning {
namespace {

Environment machine() {
  Environment environment;
  environment.caches = {{.name = "L1", .capacity_bytes = 48 << 10, .bandwidth = 100e9},
                        {.name = "L2", .capacity_bytes = 2 << 20, .bandwidth = 50e9}};
  environment.memory_bandwidth = 12e9;
  environment.peak_flops = 70e9;
  environment.fingerprint = "test";
  return environment;
}

Subject subject(std::int64_t n, std::int64_t nb) {
  const Call call = kernel::parse_call(kernel::require("dpotrf"), {{"uplo", "L"}, {"n", std::to_string(n)}});
  Subject subject;
  subject.trace = algorithm::record(call, {.nb = nb}, "");
  subject.placements = cache::cache_state(subject.trace, machine().caches, cache::Start::filled).placements;
  return subject;
}

Seconds smooth(const Call& call) { return 1e-6 + flops(call) / 50e9; }

/// Times of a machine on which every combination of sizes is up to 10 % faster or slower than a smooth function predicts.
Seconds rough(const Call& call) {
  std::size_t seed = 0;
  for (const std::int64_t size : sizes(call)) {
    seed = seed * 1000003 + static_cast<std::size_t>(size);
  }
  const double uniform = static_cast<double>(std::hash<std::string>{}(std::to_string(seed)) % 1000) / 500 - 1;
  return smooth(call) * std::exp(0.1 * uniform);
}

struct Measured {
  std::size_t segments = 0;
  bool reached = false;    ///< the target was reached
  double worst_error = 0;  ///< relative error of a subject's total
  bool nothing_twice = true;
};

/// Measures the picks of the design, without noise, until the design ends.
Measured measure(std::vector<Subject>& subjects, const std::function<Seconds(const Call&)>& truth, double target) {
  Measured result;
  model::OnDemandModels models(machine());
  std::set<Pick> measured;
  DesignOptions options;
  options.target = target;
  options.budget = 1e9;
  options.measured = &measured;
  for (int round = 0; round < 40 && !result.reached; ++round) {
    const std::vector<Pick> picks = choose_segments(subjects, models, options);
    result.reached = picks.empty();
    for (const Pick& pick : picks) {
      const Subject& of = subjects[pick.subject];
      for (std::size_t at = pick.segment.begin; at < pick.segment.end; ++at) {
        models.add(of.trace.calls[at], of.placements[at], std::vector<Seconds>(3, truth(of.trace.calls[at])));
      }
      result.nothing_twice = measured.insert(pick).second && result.nothing_twice;
      ++result.segments;
    }
    models.fit();
  }
  for (const Subject& of : subjects) {
    Seconds sum = 0;
    for (const Call& call : of.trace.calls) {
      sum += model::returns_at_once(call) ? models.baseline().overhead : truth(call);
    }
    result.worst_error = std::max(result.worst_error, std::fabs(models.total(of.trace.calls, of.placements).seconds / sum - 1));
  }
  return result;
}

std::vector<Subject> several() {
  std::vector<Subject> subjects;
  for (const std::int64_t n : {400, 600, 800}) {
    for (const std::int64_t nb : {32, 48, 64}) {
      subjects.push_back(subject(n, nb));
    }
  }
  return subjects;
}

TEST(Design, KnowsSmoothKernelsFromFewStretches) {
  std::vector<Subject> subjects = several();
  std::size_t calls = 0;
  for (const Subject& of : subjects) {
    calls += of.trace.calls.size();
  }
  const Measured measured = measure(subjects, smooth, 0.01);
  EXPECT_TRUE(measured.reached);
  EXPECT_TRUE(measured.nothing_twice);
  EXPECT_LT(measured.worst_error, 0.03);
  EXPECT_LT(measured.segments, calls / 4);
}

TEST(Design, MeasuresMorePlacesWhereEachDeviatesByItself) {
  std::vector<Subject> subjects = several();
  const Measured few = measure(subjects, smooth, 0.01);
  const Measured many = measure(subjects, rough, 0.01);
  EXPECT_TRUE(many.reached);
  EXPECT_TRUE(many.nothing_twice);
  EXPECT_GT(many.segments, few.segments);
  EXPECT_LT(many.worst_error, 0.03) << "three standard deviations";
}

TEST(Design, KnownPlacesAreNotChosenAgain) {
  std::vector<Subject> subjects{subject(256, 64)};
  model::OnDemandModels models(machine());
  const Subject& only = subjects.front();
  for (std::size_t at = 0; at < only.trace.calls.size(); ++at) {
    models.add(only.trace.calls[at], only.placements[at], std::vector<Seconds>(3, rough(only.trace.calls[at])));
  }
  models.fit();
  DesignOptions options;
  options.target = 1e-6;
  EXPECT_TRUE(choose_segments(subjects, models, options).empty());
}

TEST(Design, MostPointsLimitsAnyNumberOfPlaces) {
  std::vector<Subject> subjects = several();
  model::OnDemandModels models(machine());
  DesignOptions options;
  options.max_points = 3;
  options.budget = 1e9;
  EXPECT_FALSE(choose_segments(subjects, models, options).empty());
}

TEST(Design, WithoutSubjectsNothingIsChosen) {
  model::OnDemandModels models(machine());
  EXPECT_TRUE(choose_segments({}, models, {}).empty());
}

}  // namespace
}  // namespace flopcast::tuning
