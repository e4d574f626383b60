#include <gtest/gtest.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/sampler.hpp"

namespace flopcast::measure {
namespace {

/// Returns a machine with assumed caches of usual sizes.
Environment environment() {
  Environment environment;
  for (const auto& [name, bytes] : {std::pair{"L1", 32 << 10}, std::pair{"L2", 1 << 20}, std::pair{"L3", 16 << 20}}) {
    CacheLevel level;
    level.name = name;
    level.capacity_bytes = bytes;
    level.associativity = 4;
    environment.caches.push_back(level);
  }
  return environment;
}

class SessionWithBlas : public ::testing::TestWithParam<const char*> {};

TEST_P(SessionWithBlas, SamplesRealRoutinesInEveryCacheState) {
  SessionOptions options;
  options.stop.min_repetitions = options.stop.max_repetitions = 2;
  Session session(machine::LibrarySet::open(GetParam(), "reference"), environment(), options);
  std::vector<SamplePoint> points;
  const auto add = [&](const std::string& routine, const std::map<std::string, std::string>& arguments) {
    const Call call = kernel::parse_call(kernel::require(routine), arguments);
    for (const char* state : {"warm", "cold", "cold:sweep", "cold:fresh"}) {
      points.push_back({call, parse_precondition(state, call, session.environment()), 0});
    }
  };
  add("dgemm", {{"m", "64"}, {"n", "32"}, {"k", "16"}});
  add("strsm", {{"m", "48"}, {"n", "48"}});
  add("zherk", {{"n", "24"}, {"k", "24"}});
  add("ddot", {{"n", "100"}});
  add("dpotrf", {{"n", "64"}});
  add("dgeqr2", {{"m", "64"}, {"n", "16"}});
  const Call gemm = points.front().call;
  points.push_back({gemm, parse_precondition("A=L2,B=memory,C=L3:dirty", gemm, session.environment()), 0});
  points.push_back({gemm, parse_precondition("replay:A,256KiB,B", gemm, session.environment()), 0});

  const std::vector<Sample> samples = sample(session, points);
  ASSERT_EQ(samples.size(), points.size());
  EXPECT_GT(session.reference_time(), 0);
  for (const Sample& one : samples) {
    EXPECT_GE(one.times().size(), 2) << to_string(one.key);
    for (const Repetition& repetition : one.repetitions) {
      EXPECT_GT(repetition.seconds, 0) << to_string(one.key);
      EXPECT_GT(repetition.drift, 0);
    }
    for (const std::string& warning : one.warnings) {
      EXPECT_EQ(warning.find("gave up"), std::string::npos) << warning;
      EXPECT_EQ(warning.find("its time may not hold"), std::string::npos) << warning;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, SessionWithBlas, ::testing::Values("openblas-serial", "reference"),
                         [](const auto& test) { return test.param == std::string("reference") ? "reference" : "openblas"; });

}  // namespace
}  // namespace flopcast::measure
