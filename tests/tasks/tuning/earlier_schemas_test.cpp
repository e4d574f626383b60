#include <gmock/gmock.h>

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/tasks/tuning/tuning.hpp"
#include "tests/message_of.hpp"
#include "tests/mutation/expect_errors.hpp"

/// Documents written by hand in the form that programs wrote before the schemas' present numbers.
namespace flopcast {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json environment() {
  return json::parse(R"({"cpu": "a CPU", "cores": 2, "caches": [{"name": "L1", "capacity_bytes": 32768, "capacity_low_bytes": 30000,
    "capacity_high_bytes": 33000, "reported_bytes": 32768, "line_bytes": 64, "associativity": 8, "bandwidth": 1e11,
    "latency_seconds": 1e-9}], "memory_bandwidth": 1e10, "peak_flops": 3e10,
    "blas": {"name": "blis", "path": "/lib/blis.so", "version": "0.9.0", "kernels": "haswell", "threading": "serial", "digest": "b"},
    "lapack": {"name": "reference", "path": "/lib/lapack.so", "version": "", "kernels": "", "threading": "", "digest": "l"},
    "threads": 1, "affinity": "0", "fingerprint": "abc"})");
}

json options(const char* time_budget) { return {{"time_budget", time_budget}, {"nb", "16:64:16"}, {"seed", 7}}; }

json cost() { return {{"segments", 1}, {"timings", 2}, {"measuring_seconds", 0.5}}; }

/// One part: flopcast-tune-1 without its schema.
json tuned(const std::string& routine, const std::string& flags) {
  return {{"routine", routine},
          {"flags", flags},
          {"environment", environment()},
          {"options", options("1min")},
          {"decisions",
           {json::parse(R"({"sizes": [300], "default": {"nb": 32, "nbmin": 2, "nx": 128, "seconds": 0.002, "interval": [0.001, 0.003],
             "extrapolated": 0}, "chosen": {"nb": 48, "nbmin": 2, "nx": 128, "seconds": 0.001, "interval": [0.0009, 0.0011],
             "extrapolated": 0.25}, "gain": 1, "ties": [64], "regret": 0.01, "forecasts": [{"nb": 48, "nbmin": 2, "nx": 128,
             "seconds": 0.001, "interval": [0.0009, 0.0011], "extrapolated": 0.25}], "validation": {"measured": [{"nb": 48, "nbmin": 2,
             "nx": 128, "seconds": 0.001, "times": [0.001, 0.0012], "error": 0.125}], "yield": 0.99, "split_half": 0.02,
             "best": {"nb": 56, "nbmin": 2, "nx": 128}}})")}},
          {"cost", cost()},
          {"complete", false}};
}

json tune_document() {
  json document = tuned("dgeqrf", "");
  document["schema"] = "flopcast-tune-1";
  return document;
}

json parts_document() {
  return {{"schema", "flopcast-tune-parts-1"}, {"routine", "dpotri"}, {"parts", {tuned("dtrtri", "U"), tuned("dlauum", "U")}}};
}

json lapack_document() {
  json document = json::parse(R"({"schema": "flopcast-tune-lapack-1", "profile": "p.json", "routines": [
    {"routine": "dpotrf:L", "remark": "", "seconds": 1.5, "decisions": [{"sizes": [300],
      "default": {"nb": 64, "nx": 0, "seconds": 0.002}, "chosen": {"nb": 96, "nx": 0, "seconds": 0.001}, "gain": 1, "regret": 0.01,
      "undecided": false, "validation": {"default_seconds": 0.0021, "chosen_seconds": 0.0011, "best_seconds": 0.001, "best_nb": 112,
      "yield": 0.9, "split_half": 0.03}}]},
    {"routine": "dgeqrf", "remark": "it never asks", "seconds": 0.25, "decisions": []}], "left_out": ["dgerqf", "dormlq:LT"]})");
  document["environment"] = environment();
  return document;
}

/// The places and the joint decisions of flopcast-rank-1 and flopcast-joint-1.
json places() {
  json places = json::parse(R"([{"threads": 2, "decisions": [{"sizes": [200, 100],
    "chosen": {"nb": 48, "nbmin": 2, "nx": 0, "variant": "3", "seconds": 0.001, "interval": [0.0009, 0.0011], "extrapolated": 0},
    "default": {"nb": 64, "nbmin": 2, "nx": 0, "seconds": 0.0015, "interval": [0.001, 0.002], "extrapolated": 0}, "gain": 0.5,
    "regret": 0.02,
    "ranking": [{"nb": 48, "nbmin": 2, "nx": 0, "variant": "3", "seconds": 0.001, "interval": [0.0009, 0.0011], "extrapolated": 0,
      "rank": 1, "behind": 0, "ties": [], "block_ties": [64], "regret": 0.02}],
    "forecasts": [{"nb": 48, "nbmin": 2, "nx": 0, "variant": "3", "seconds": 0.001, "interval": [0.0009, 0.0011], "extrapolated": 0}],
    "validation": {"measured": [{"nb": 48, "nbmin": 2, "nx": 0, "variant": "3", "seconds": 0.0011, "times": [0.0011], "error": -0.1}],
      "best": {"nb": 48, "nbmin": 2, "nx": 0, "variant": "3"}, "regret": 0.25, "split_half": 0.04, "order": {"pairs": 3, "right": 2},
      "warnings": ["200x100 variant 3: the first run: slow", "disturbed"]}}], "complete": true}])");
  places[0]["environment"] = environment();
  places[0]["cost"] = cost();
  return places;
}

json joint() {
  return json::parse(R"([{"sizes": [200, 100], "ranking": [{"nb": 48, "nbmin": 2, "nx": 0, "variant": "3", "seconds": 0.001,
    "interval": [0.0009, 0.0011], "extrapolated": 0, "place": 0, "blas": "blis", "threads": 2, "behind": 0.125, "tied": true}],
    "regret": 0.02}])");
}

json rank_document() {
  return {{"schema", "flopcast-rank-1"}, {"family", "cholesky"},
          {"routine", "dpotrf"},         {"flags", "L"},
          {"options", options("60s")},   {"variants", {{{"variant", "3"}, {"description", "right-looking"}, {"lapack", true}}}},
          {"places", places()},          {"joint", joint()}};
}

json joint_document() {
  return {{"schema", "flopcast-joint-1"}, {"routine", "dpotrf"}, {"options", options("50s")}, {"places", places()}, {"joint", joint()}};
}

template <class Read>
std::string message(Read read, const json& document) {
  return tests::bad_input_of([&] { static_cast<void>(read(document.dump())); });
}
std::string tuning_error(const json& document) { return message(tuning_from_json, document); }
std::string lapack_error(const json& document) { return message(lapack_tuning_from_json, document); }
std::string ranking_error(const json& document) { return message(ranking_from_json, document); }

TEST(EarlierSchemas, OneTunedRoutine) {
  const Tuning tuning = tuning_from_json(tune_document().dump());
  EXPECT_EQ(tuning.routine, "dgeqrf");
  EXPECT_EQ(tuning.environment.blas.name, "blis");
  EXPECT_EQ(tuning.environment.blas.integer_bytes, 4);
  EXPECT_EQ(tuning.options, (TuningSettings{60, {16, 32, 48, 64}, 7}));
  ASSERT_EQ(tuning.parts.size(), 1U);
  EXPECT_EQ(tuning.parts[0].name(), "dgeqrf");
  EXPECT_EQ(tuning.parts[0].cost.timings, 2);
  EXPECT_FALSE(tuning.parts[0].complete);
  const tuning::Decision& decision = tuning.parts[0].decisions.at(0);
  EXPECT_EQ(decision.default_.blocks, (algorithm::BlockParameters{32, 2, 128}));
  EXPECT_EQ(decision.chosen.blocks.nb, 48);
  EXPECT_EQ(decision.chosen.interval.high, 0.0011);
  EXPECT_THAT(decision.ties, ElementsAre(64));
  ASSERT_TRUE(decision.validation);
  EXPECT_EQ(decision.validation->gain_kept, 0.99);
  EXPECT_EQ(decision.validation->repeatability, 0.02);
  EXPECT_EQ(decision.validation->best.blocks.nb, 56);
  EXPECT_THAT(decision.validation->measured.at(0).times, ElementsAre(0.001, 0.0012));
}

TEST(EarlierSchemas, OneTunedRoutineWithDamage) {
  json document = tune_document();
  document["decisions"][0]["chosen"]["seconds"] = "soon";
  EXPECT_THAT(tuning_error(document), AllOf(HasSubstr("tuning is damaged: member decisions[0].chosen.seconds"), HasSubstr("\"soon\"")));
  document = tune_document();
  document["options"]["time_budget"] = "soon";
  EXPECT_THAT(tuning_error(document), AllOf(HasSubstr("tuning is damaged: member options.time_budget"), HasSubstr("soon")));
  document = tune_document();
  document.erase("decisions");
  EXPECT_THAT(tuning_error(document), HasSubstr("tuning is damaged: member decisions"));
}

TEST(EarlierSchemas, TunedRoutinesBelowAnother) {
  const Tuning tuning = tuning_from_json(parts_document().dump());
  EXPECT_EQ(tuning.routine, "dpotri");
  EXPECT_EQ(tuning.environment.cpu, "a CPU");
  EXPECT_EQ(tuning.options.time_budget, 60);
  ASSERT_EQ(tuning.parts.size(), 2U);
  EXPECT_EQ(tuning.parts[0].name(), "dtrtri:U");
  EXPECT_EQ(tuning.parts[1].name(), "dlauum:U");
  EXPECT_EQ(tuning.parts[1].decisions.at(0).validation->gain_kept, 0.99);
}

TEST(EarlierSchemas, TunedRoutinesBelowAnotherWithDamage) {
  json document = parts_document();
  document["parts"][1]["options"]["nb"] = "16:x";
  EXPECT_THAT(tuning_error(document), HasSubstr("tuning is damaged: member parts[1].options.nb"));
  document = parts_document();
  document["parts"][0]["environment"]["cores"] = -0.5;
  EXPECT_THAT(tuning_error(document), HasSubstr("tuning is damaged: member parts[0].environment.cores"));
  document["parts"] = 5;
  EXPECT_THAT(tuning_error(document), HasSubstr("tuning is damaged: member parts"));
}

TEST(EarlierSchemas, AllOfLapack) {
  const LapackTuning tuning = lapack_tuning_from_json(lapack_document().dump());
  EXPECT_EQ(tuning.environment.fingerprint, "abc");
  EXPECT_EQ(tuning.profile, "p.json");
  EXPECT_THAT(tuning.left_out, ElementsAre("dgerqf", "dormlq:LT"));
  ASSERT_EQ(tuning.routines.size(), 2U);
  EXPECT_EQ(tuning.routines[0].routine, "dpotrf");
  EXPECT_EQ(tuning.routines[0].flags, "L");
  EXPECT_EQ(tuning.routines[0].seconds, 1.5);
  const tuning::Decision& decision = tuning.routines[0].decisions.at(0);
  EXPECT_EQ(decision.default_.blocks.nb, 64);
  EXPECT_EQ(decision.chosen.seconds, 0.001);
  ASSERT_TRUE(decision.validation);
  EXPECT_EQ(decision.validation->default_seconds, 0.0021);
  EXPECT_EQ(decision.validation->best.blocks.nb, 112);
  EXPECT_EQ(decision.validation->gain_kept, 0.9);
  EXPECT_EQ(decision.validation->repeatability, 0.03);
  EXPECT_EQ(tuning.routines[1].name(), "dgeqrf");
  EXPECT_EQ(tuning.routines[1].remark, "it never asks");
  EXPECT_THAT(tuning.routines[1].decisions, IsEmpty());
}

TEST(EarlierSchemas, AllOfLapackWithDamage) {
  json document = lapack_document();
  document["routines"][1]["routine"] = 5;
  EXPECT_THAT(lapack_error(document), HasSubstr("tuning of LAPACK is damaged: member routines[1].routine"));
  document = lapack_document();
  document["routines"][0]["decisions"][0]["validation"]["best_seconds"] = "0.001";
  EXPECT_THAT(lapack_error(document), HasSubstr("tuning of LAPACK is damaged: member routines[0].decisions[0].validation.best_seconds"));
  for (const char* name : {"yield", "split_half", "best_nb"}) {
    document = lapack_document();
    document["routines"][0]["decisions"][0]["validation"][name] = "0.001";
    EXPECT_THAT(lapack_error(document), HasSubstr(std::string("member routines[0].decisions[0].validation.") + name));
  }
  document = lapack_document();
  document.erase("routines");
  EXPECT_THAT(lapack_error(document), HasSubstr("tuning of LAPACK is damaged: member routines"));
}

void expect_ranked_place(const Ranking& ranking) {
  ASSERT_EQ(ranking.places.size(), 1U);
  const PlaceRanking& place = ranking.places[0];
  EXPECT_EQ(place.threads, 2);
  EXPECT_EQ(place.environment.lapack.name, "reference");
  EXPECT_EQ(place.cost.segments, 1);
  const tuning::Decision& decision = place.decisions.at(0);
  EXPECT_EQ(decision.default_.seconds, 0.0015);
  EXPECT_EQ(decision.chosen.variant, "3");
  EXPECT_EQ(decision.ranking.at(0).rank, 1);
  EXPECT_EQ(decision.ranking[0].best, decision.chosen);
  ASSERT_TRUE(decision.validation);
  EXPECT_EQ(decision.validation->regret, 0.25);
  EXPECT_EQ(decision.validation->repeatability, 0.04);
  EXPECT_EQ(decision.validation->order, (tuning::OrderCheck{3, 2}));
  EXPECT_EQ(decision.validation->best.variant, "3");
  EXPECT_THAT(decision.validation->warnings,
              ElementsAre(tuning::RunWarning{"200x100 variant 3", "the first run: slow"}, tuning::RunWarning{"disturbed", "disturbed"}));
  ASSERT_EQ(ranking.joint.size(), 1U);
  EXPECT_THAT(ranking.joint[0].sizes, ElementsAre(200, 100));
  EXPECT_EQ(ranking.joint[0].regret, 0.02);
  EXPECT_EQ(ranking.joint[0].ranking.at(0), (tuning::JointRank{0, decision.chosen, 0.125, true}));
}

TEST(EarlierSchemas, RankedVariants) {
  const Ranking ranking = ranking_from_json(rank_document().dump());
  EXPECT_EQ(ranking.family, "cholesky");
  EXPECT_EQ(ranking.routine, "dpotrf");
  EXPECT_EQ(ranking.flags, "L");
  EXPECT_EQ(ranking.options, (TuningSettings{60, {16, 32, 48, 64}, 7}));
  EXPECT_THAT(ranking.variants, ElementsAre(VariantInfo{"3", "right-looking", true}));
  expect_ranked_place(ranking);
}

TEST(EarlierSchemas, RankedVariantsWithDamage) {
  json document = rank_document();
  document["places"][0]["decisions"][0]["validation"]["warnings"][1] = 17;
  EXPECT_THAT(ranking_error(document), HasSubstr("ranking is damaged: member places[0].decisions[0].validation.warnings[1]"));
  document = rank_document();
  document["options"].erase("nb");
  EXPECT_THAT(ranking_error(document), HasSubstr("ranking is damaged: member options.nb"));
}

TEST(EarlierSchemas, JointDecisions) {
  const Ranking ranking = ranking_from_json(joint_document().dump());
  EXPECT_EQ(ranking.family, "");
  EXPECT_EQ(ranking.routine, "dpotrf");
  EXPECT_EQ(ranking.options.time_budget, 50);
  EXPECT_THAT(ranking.variants, IsEmpty());
  expect_ranked_place(ranking);
}

TEST(EarlierSchemas, JointDecisionsWithDamage) {
  json document = joint_document();
  document["joint"][0]["ranking"][0]["place"] = "blis";
  EXPECT_THAT(ranking_error(document), HasSubstr("ranking is damaged: member joint[0].ranking[0].place"));
  document = joint_document();
  document["places"] = nullptr;
  EXPECT_THAT(ranking_error(document), HasSubstr("ranking is damaged: member places"));
}

TEST(EarlierSchemas, WithAnyDamageAreReadOrRefused) {
  for (const json& document : {tune_document(), parts_document()}) {
    testing::expect_errors_of_mutations(document.dump(), "tuning",
                                        [](const std::string& text) { static_cast<void>(tuning_from_json(text)); });
  }
  testing::expect_errors_of_mutations(lapack_document().dump(), "tuning of LAPACK",
                                      [](const std::string& text) { static_cast<void>(lapack_tuning_from_json(text)); });
  for (const json& document : {rank_document(), joint_document()}) {
    testing::expect_errors_of_mutations(document.dump(), "ranking",
                                        [](const std::string& text) { static_cast<void>(ranking_from_json(text)); });
  }
}

}  // namespace
}  // namespace flopcast
