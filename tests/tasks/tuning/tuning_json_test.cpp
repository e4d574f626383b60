#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast {
namespace {

using ::testing::HasSubstr;

tuning::Forecast forecast(const std::string& variant, Seconds seconds) {
  return {variant, {48, 2, 64}, seconds, {0.9 * seconds, 1.1 * seconds}, 0.25};
}

tuning::Decision decision() {
  tuning::Decision decision;
  decision.sizes = {300, 200};
  decision.flops = 1e7;
  decision.default_ = forecast("", 2e-3);
  decision.chosen = forecast("3", 1e-3);
  decision.forecasts = {decision.default_, decision.chosen};
  decision.ranking = {{decision.chosen, 1, 0, {64}, {"2"}, 0.01}};
  decision.ties = {64};
  decision.gain = 1;
  decision.regret = 0.01;
  tuning::Check check;
  check.measured = {{"3", {48, 2, 64}, {1e-3, 1.1e-3}, {1e-3, 1.2e-3, 2e-3}, 1.05e-3, -0.05, 0.01, 2}};
  check.default_seconds = 2e-3;
  check.chosen_seconds = check.best_seconds = 1.05e-3;
  check.best = {"3", {48, 2, 64}};
  check.gain_kept = 1;
  check.repeatability = 0.1;
  check.order = {3, 2};
  check.warnings = {{"300 library, nb 48", "results aren't finite"}};
  decision.validation = check;
  return decision;
}

Environment environment() {
  Environment environment;
  environment.cpu = "a CPU";
  environment.fingerprint = "abc";
  environment.blas.name = "blis";
  return environment;
}

Tuning tuning() {
  return {"dgeqrf",
          environment(),
          {{"OPENBLAS_CORETYPE", "Haswell"}},
          {50, {16, 48}, 7},
          {{"dgeqrf", "L", {{300, 200}}, {decision()}, {10, 40, 0.5}, false}}};
}

LapackTuning lapack() { return {environment(), "p.json", {{"dpotrf", "L", "a remark", 1.5, {decision()}}}, {"dgerqf"}}; }

Ranking ranking() {
  return {"cholesky",
          "dpotrf",
          "L",
          {60, {48}, 1},
          {{"3", "right-looking", true}},
          {{"blis", 2, environment(), {decision()}, {1, 2, 3}, true}},
          {{{300, 200}, {{0, decision().chosen, 0, false}}, 0.02}}};
}

TEST(TuningJson, ResultsReadBackEqual) {
  EXPECT_EQ(tuning_from_json(to_json(tuning())), tuning());
  EXPECT_EQ(lapack_tuning_from_json(to_json(lapack())), lapack());
  EXPECT_EQ(ranking_from_json(to_json(ranking())), ranking());
}

TEST(TuningJson, HasFlatForecastsAndItsSchema) {
  const nlohmann::json json = nlohmann::json::parse(to_json(tuning()));
  EXPECT_EQ(json.at("schema"), "flopcast-tune-2");
  const nlohmann::json& chosen = json.at("parts")[0].at("decisions")[0].at("chosen");
  EXPECT_EQ(chosen.at("nb"), 48);
  EXPECT_EQ(chosen.at("variant"), "3");
  EXPECT_EQ(chosen.at("interval").size(), 2U);
}

TEST(TuningJson, NamesTheMemberThatIsWrong) {
  nlohmann::json json = nlohmann::json::parse(to_json(tuning()));
  json["parts"][0]["decisions"][0]["chosen"]["seconds"] = "soon";
  try {
    tuning_from_json(json.dump());
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("parts[0].decisions[0].chosen.seconds"));
  }
  EXPECT_THROW(tuning_from_json(R"({"schema": "flopcast-tune-9"})"), Error);
  EXPECT_THROW(ranking_from_json("{"), Error);
}

/// Documents as they were before the schema's present number.
nlohmann::json old_decision() {
  return nlohmann::json::parse(R"({"sizes": [300], "default": {"nb": 32, "nx": 128, "seconds": 0.002, "interval": [0.001, 0.003],
      "extrapolated": 0}, "chosen": {"nb": 48, "nx": 128, "seconds": 0.001, "interval": [0.0009, 0.0011], "extrapolated": 0}, "gain": 1,
      "ties": [64], "regret": 0.01, "forecasts": [], "validation": {"measured": [{"nb": 48, "nx": 128, "seconds": 0.001,
      "times": [0.001], "error": 0}], "yield": 0.99, "split_half": 0.02, "best": {"nb": 56, "nx": 128}}})");
}

TEST(TuningJson, ReadsTheSchemasBefore) {
  nlohmann::json one = {{"schema", "flopcast-tune-1"},
                        {"routine", "dgeqrf"},
                        {"flags", ""},
                        {"environment", nlohmann::json::parse(to_json(tuning())).at("environment")},
                        {"options", {{"time_budget", "1min"}, {"nb", "16:64:16"}, {"seed", 1}}},
                        {"decisions", {old_decision()}},
                        {"cost", {{"segments", 1}, {"timings", 2}, {"measuring_seconds", 0.5}}},
                        {"complete", true}};
  const Tuning single = tuning_from_json(one.dump());
  EXPECT_EQ(single.options.time_budget, 60);
  EXPECT_EQ(single.options.nb, range(16, 64, 16));
  ASSERT_EQ(single.parts.size(), 1U);
  const tuning::Decision& decision = single.parts[0].decisions.at(0);
  EXPECT_EQ(decision.chosen.blocks.nb, 48);
  EXPECT_EQ(decision.validation->gain_kept, 0.99);
  EXPECT_EQ(decision.validation->repeatability, 0.02);
  EXPECT_EQ(decision.validation->best.blocks.nb, 56);

  const nlohmann::json parts = {{"schema", "flopcast-tune-parts-1"}, {"routine", "dpotri"}, {"parts", {one, one}}};
  EXPECT_EQ(tuning_from_json(parts.dump()).parts.size(), 2U);
  EXPECT_EQ(tuning_from_json(parts.dump()).routine, "dpotri");
}

}  // namespace
}  // namespace flopcast
