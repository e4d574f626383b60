#include "flopcast/tune/kept_segments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/model/artifacts.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::tuning {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class KeptSegments : public ::testing::Test {
 protected:
  KeptSegment kept(const TimedSegment& segment) const { return cut(trace_, placements_, segment); }

  /// The experiment of the whole trace's segment.
  [[nodiscard]] measure::Experiment original(const TimedSegment& segment) const {
    return experiment(trace_, placements_, segment, environment_);
  }

  tests::OwnFolder folder_;
  model::Store store_ = model::Store::open(folder_.path() / "flopcast.db");
  Environment environment_ = tests::synthetic_environment();
  Trace trace_ =
      algorithm::record(kernel::parse_call(kernel::require("dgeqrf"), {{"m", "300"}, {"n", "300"}, {"lda", "300"}}), {32, 2, 128});
  std::vector<Placement> placements_ = cache::cache_state(trace_, environment_.caches, cache::Start::filled).placements;
};

void expect_equal(const measure::Experiment& a, const measure::Experiment& b) {
  EXPECT_EQ(a.timed, b.timed);
  EXPECT_EQ(a.memory, b.memory);
  ASSERT_EQ(a.setup.size(), b.setup.size());
  for (std::size_t i = 0; i < a.setup.size(); ++i) {
    EXPECT_EQ(a.setup[i].what, b.setup[i].what) << i;
    EXPECT_EQ(a.setup[i].call, b.setup[i].call) << i;
    EXPECT_EQ(a.setup[i].region, b.setup[i].region) << i;
    EXPECT_EQ(a.setup[i].level, b.setup[i].level) << i;
  }
}

TEST_F(KeptSegments, MakeTheExperimentOfTheWholeTrace) {
  for (const TimedSegment& segment : {TimedSegment{0, 0, 2}, TimedSegment{0, 3, 4}, TimedSegment{2, 5, 7}}) {
    const KeptSegment part = kept(segment);
    EXPECT_LE(part.trace.calls.size(), segment.end - segment.context + 1);
    expect_equal(experiment(part.trace, part.placements, part.segment, environment_), original(segment));
  }
}

TEST_F(KeptSegments, HaveTheAllocationsThatTheirCallsUse) {
  const std::size_t used = trace_.allocations.size();
  for (const char* name : {"other", "more"}) {
    trace_.allocations.insert(trace_.allocations.begin(), {name, virtual_base(100 + trace_.allocations.size()), 1 << 20});
  }
  const KeptSegment part = kept({0, 0, 3});
  ASSERT_EQ(part.trace.allocations.size(), used);
  EXPECT_EQ(part.trace.allocations[0].address, virtual_base(0));
  EXPECT_EQ(part.trace.allocations[0].name, trace_.allocations[2].name);
  EXPECT_EQ(part.trace.calls[0], trace_.calls[0]) << "the first operand lies where it did";
}

TEST_F(KeptSegments, ReadBackEqual) {
  const std::vector<KeptSegment> all = {kept({2, 5, 7}), kept({0, 0, 1})};
  keep_segments(store_, environment_, all);
  EXPECT_THAT(kept_segments(store_, environment_), ::testing::UnorderedElementsAreArray(all));
  Environment other = environment_;
  other.fingerprint = "another";
  EXPECT_THAT(kept_segments(store_, other), IsEmpty());
  other = environment_;
  other.threads = 2;
  EXPECT_THAT(kept_segments(store_, other), IsEmpty());
}

TEST_F(KeptSegments, AreSoManyPerKernelAtMost) {
  const std::string first = trace_.calls[0].routine->name;
  std::vector<KeptSegment> all;
  for (std::size_t at = 0; at + 1 < trace_.calls.size(); ++at) {
    if (trace_.calls[at].routine->name == first) {
      all.push_back(kept({at > 0 ? at - 1 : 0, at, at + 1}));
    }
  }
  ASSERT_GT(all.size(), 4U);
  keep_segments(store_, environment_, std::span(all).first(3), 4);
  EXPECT_THAT(kept_segments(store_, environment_), SizeIs(3));
  keep_segments(store_, environment_, std::span(all).subspan(3), 4);
  EXPECT_THAT(kept_segments(store_, environment_), SizeIs(4));
  keep_segments(store_, environment_, std::vector{kept({0, 1, 2})}, 4);
  EXPECT_THAT(kept_segments(store_, environment_), SizeIs(5)) << "another kernel has its own";
}

TEST_F(KeptSegments, AreNamedWhereTheyAreDamaged) {
  keep_segments(store_, environment_, std::vector{kept({2, 5, 7})});
  const std::string name = artifact_names(store_, model::artifact::sampled_segment).front();
  const nlohmann::json good = *find_artifact(store_, model::artifact::sampled_segment, name);
  const auto message_with = [&](const char* member, const nlohmann::json& value) {
    nlohmann::json damaged = good;
    damaged[member] = value;
    put_artifact(store_, model::artifact::sampled_segment, name, damaged);
    return tests::bad_input_of([&] { static_cast<void>(kept_segments(store_, environment_)); });
  };
  EXPECT_THAT(message_with("end", 900), HasSubstr("member end"));
  EXPECT_THAT(message_with("begin", -1), HasSubstr("member begin"));
  EXPECT_THAT(message_with("placements", nlohmann::json::array()), HasSubstr("member placements"));
  EXPECT_THAT(message_with("placements", {{{1, 1, 0}}, {{1, 1, 0}}}), HasSubstr("member placements"));
  EXPECT_THAT(message_with("trace", 5), HasSubstr("not a trace"));
}

}  // namespace
}  // namespace flopcast::tuning
