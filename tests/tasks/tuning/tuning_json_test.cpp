#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tasks/tuning/tuning_schemas.hpp"
#include "tests/schema_check.hpp"

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
  decision.ranking = {{decision.chosen, 1, 0, {64}, {"2"}, 0.01, 4096, {{"clustered", 1e-3, {9e-4, 1.1e-3}, 0.5}}}};
  decision.ties = {64};
  decision.gain = 1;
  decision.regret = 0.01;
  tuning::Check check;
  check.measured = {{"3", {48, 2, 64}, {1e-3, 1.1e-3}, {1e-3, 1.2e-3, 2e-3}, 1.05e-3, -0.05, 0.01, 2}};
  check.default_seconds = 2e-3;
  check.chosen_seconds = check.best_seconds = 1.05e-3;
  check.best = {"3", {48, 2, 64}};
  check.yield = 1;
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
          kernel::Spectrum::clustered,
          {{"3", "right-looking", true, "symmetric", "scipy.linalg.cholesky(a)"}},
          {{"blis", 2, environment(), {decision()}, {1, 2, 3}, true}},
          {{{300, 200}, {{0, decision().chosen, 0, false}}, 0.02}}};
}

TEST(TuningJson, ResultsReadBackEqual) {
  EXPECT_EQ(tuning_from_json(to_json(tuning())), tuning());
  EXPECT_EQ(tests::schema_violation(to_json(tuning()), tuning_schemas()), "");
  EXPECT_EQ(lapack_tuning_from_json(to_json(lapack())), lapack());
  EXPECT_EQ(tests::schema_violation(to_json(lapack()), tuning_schemas()), "");
  EXPECT_EQ(ranking_from_json(to_json(ranking())), ranking());
  EXPECT_EQ(tests::schema_violation(to_json(ranking()), tuning_schemas()), "");
}

TEST(TuningJson, HasFlatForecastsAndItsSchema) {
  const nlohmann::json json = nlohmann::json::parse(to_json(tuning()));
  EXPECT_EQ(json.at("schema"), "flopcast-tune-3");
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

}  // namespace
}  // namespace flopcast
