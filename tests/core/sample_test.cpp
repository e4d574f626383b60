#include "flopcast/core/sample.hpp"
#include "flopcast/core/documents.hpp"

#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

Sample small_sample() {
  Sample sample;
  sample.key = {"dtrsm", "LLNU", "1", "..", "placed", 2, "a1b2"};
  sample.sizes = {256, 100};
  sample.strides = {264, 264};
  sample.placement = {{4096, 0, true}, {-1, 3, false}};
  sample.batch = 3;
  sample.repetitions = {{2e-6, 1.25, 0.5, false}, {9e-6, 1, 0.6, true}, {1e-6, 0.5, 0.7, false}};
  sample.state = {490000.25, 5e-4, 0.06, 0.03};
  sample.warnings = {"preempted once"};
  return sample;
}

TEST(Sample, SurvivesARoundTripThroughJson) {
  const Sample sample = small_sample();
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(sample).dump()).get<Sample>(), sample);
}

TEST(Sample, CountsOnlyValidRepetitions) {
  EXPECT_EQ(small_sample().times(), (std::vector<Seconds>{1.6e-6, 2e-6}));
  EXPECT_TRUE(Sample{}.times().empty());
}

TEST(Sample, IsRelatedToTheReferenceOfAnotherSession) {
  Sample sample = small_sample();
  sample.relate_to(4e-4);  // a machine that is a fifth faster
  EXPECT_DOUBLE_EQ(sample.times()[0], 0.8 * 1.6e-6);
  EXPECT_DOUBLE_EQ(sample.times()[1], 0.8 * 2e-6);
  sample.relate_to(4e-4);
  EXPECT_DOUBLE_EQ(sample.times()[1], 0.8 * 2e-6);
  Sample unrelated = small_sample();
  unrelated.state.reference = 0;
  unrelated.relate_to(4e-4);
  EXPECT_DOUBLE_EQ(unrelated.times()[0], 1.6e-6);
}

TEST(Sample, OfBeforeSessionsWereKeptHasTheStateBesideItsRepetitions) {
  Sample sample = small_sample();
  sample.state.session = 0;
  sample.find_state(490000.30);
  EXPECT_NEAR(sample.state.session, 490000 + 1.0 / 6, 1e-9) << "the ten minutes in which it was stored";
  EXPECT_DOUBLE_EQ(sample.state.reference, 0.875 * 5e-4) << "median of the drifts that count: 1.25 and 0.5";
  EXPECT_DOUBLE_EQ(sample.repetitions[0].drift, 1.25 / 0.875);
  const Sample known = small_sample();
  Sample same = known;
  same.find_state(490001);
  EXPECT_EQ(same, known);
}

TEST(ModelKey, KeepsZeroSizesThroughJson) {
  ModelKey key = small_sample().key;
  key.zeros = "k";
  EXPECT_EQ(nlohmann::json(key).get<ModelKey>(), key);
  EXPECT_EQ(to_string(key), "dtrsm LLNU scalars:1 strides:.. k=0 placed x2");
  EXPECT_FALSE(nlohmann::json(small_sample().key).contains("zeros")) << "keys in older stores have none";
}

TEST(Sample, RefusesMoreOperandsThanACallHas) {
  nlohmann::json json = small_sample();
  for (std::size_t i = 0; i < max_operands; ++i) {
    json["placement"].push_back(json["placement"][0]);
  }
  EXPECT_THROW(json.get<Sample>(), MemberError);
}

TEST(Sample, RefusesADamagedDocument) {
  nlohmann::json json = small_sample();
  json["key"].erase("flags");
  EXPECT_THROW(json.get<Sample>(), nlohmann::json::exception);
}

TEST(ModelKey, IsShownWithoutItsLibrary) { EXPECT_EQ(to_string(small_sample().key), "dtrsm LLNU scalars:1 strides:.. placed x2"); }

}  // namespace
}  // namespace flopcast
