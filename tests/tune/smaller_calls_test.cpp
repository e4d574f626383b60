#include "flopcast/tune/sampling.hpp"

#include <gtest/gtest.h>

#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::tuning {
namespace {

std::int64_t argument(const Call& call, const std::string& name) {
  return call.arguments.at(static_cast<std::size_t>(call.routine->index(name)));
}

Subject subject_of(const Call& call) {
  const Call placed = measure::with_addresses(call);
  Subject subject;
  subject.trace.calls = {placed};
  subject.placements = cache::cache_state(subject.trace, tests::synthetic_environment().caches, cache::Start::filled).placements;
  return subject;
}

TEST(SmallerCalls, KeepFlagsAndNeedLessMemory) {
  const Call call = kernel::parse_call(kernel::require("dgesdd"), {{"jobz", "A"}, {"m", "3000"}, {"n", "1000"}});
  const Call smaller = smaller_call(call, 0.25);
  EXPECT_EQ(flags(smaller), flags(call));
  EXPECT_EQ(argument(smaller, "m"), 750);
  EXPECT_EQ(argument(smaller, "n"), 250);
  EXPECT_EQ(argument(smaller, "lda"), 750);
  EXPECT_EQ(argument(smaller, "ldvt"), 250);
  EXPECT_LT(argument(smaller, "lwork"), argument(call, "lwork") / 4);
  EXPECT_EQ(argument(smaller, "A"), 0);
}

/// A dgesdd of order 30000 takes at least half an hour at this machine's peak of 70 Gflop/s.
TEST(SmallerCalls, StandForThoseThatTakeTooLong) {
  const model::OnDemandModels models(tests::synthetic_environment());
  const std::vector<Subject> long_one = {
      subject_of(kernel::parse_call(kernel::require("dgesdd"), {{"jobz", "A"}, {"m", "30000"}, {"n", "30000"}})),
      subject_of(kernel::parse_call(kernel::require("dgemm"), {{"m", "100"}, {"n", "100"}, {"k", "100"}}))};
  const std::vector<Subject> smaller = smaller_subjects(long_one, tests::synthetic_environment(), models, 0.1);
  ASSERT_EQ(smaller.size(), 3U);
  for (const Subject& subject : smaller) {
    ASSERT_EQ(subject.trace.calls.size(), 1U);
    EXPECT_EQ(subject.trace.calls[0].routine->name, "dgesdd");
    EXPECT_LE(models.seconds(subject.trace.calls[0], subject.placements[0]), 0.1);
  }
  EXPECT_GT(argument(smaller[0].trace.calls[0], "n"), 200);
  EXPECT_LT(argument(smaller[2].trace.calls[0], "n"), argument(smaller[0].trace.calls[0], "n"));
  EXPECT_TRUE(smaller_subjects(long_one, tests::synthetic_environment(), models, 1e6).empty());
}

}  // namespace
}  // namespace flopcast::tuning
