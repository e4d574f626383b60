#include <gmock/gmock.h>

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/message_of.hpp"
#include "tests/mutation/expect_errors.hpp"

/// Documents written by hand in the form that programs wrote before the schemas' present numbers.
namespace flopcast {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json environment() {
  return json::parse(R"({"cpu": "a CPU", "cores": 2, "caches": [], "memory_bandwidth": 1e10, "peak_flops": 3e10,
    "blas": {"name": "blis", "path": "/lib/blis.so", "version": "0.9.0", "kernels": "haswell", "threading": "serial", "digest": "b"},
    "lapack": {"name": "reference", "path": "/lib/lapack.so", "version": "", "kernels": "", "threading": "", "digest": "l"},
    "threads": 1, "affinity": "0", "fingerprint": "abc"})");
}

json profile_document() {
  json document = json::parse(R"({"schema": "flopcast-program-profile-1", "command": ["a.out", "x"],
    "recorded": {"blas": "blis", "lapack": "", "cpu": "a CPU", "threads": null, "kernels": ""},
    "dry_run": true, "finished": true, "damaged": 1, "missing_bytes": 8, "warnings": ["a warning"], "seconds": 2.5,
    "all": {"calls": 7, "seconds": 0.5, "flops": 100, "skipped": 3, "flops_per_second": 400, "of_peak": 0.75},
    "first_calls": {"calls": 0, "seconds": 0, "flops": 0, "skipped": 0},
    "peak": null,
    "routines": [{"calls": 7, "seconds": 0.5, "flops": 100, "skipped": 3, "routine": "dgemm", "described": true}],
    "shapes": [{"calls": 7, "seconds": 0.5, "flops": 100, "skipped": 3, "routine": "dgemm", "flags": "NT", "first_calls": false,
      "sizes": {"k": [4, 5], "m": [1, 2], "n": [3, 3]}, "longest_seconds": 0.125}],
    "threads": [{"calls": 7, "seconds": 0.5, "flops": 100, "skipped": 3, "pid": 1, "tid": 2, "heaviest": "dgemm"}],
    "processes": [{"calls": 7, "seconds": 0.5, "flops": 100, "skipped": 3, "pid": 1, "threads": 1}],
    "what_if": [{"what_if": "threads=2", "failure": "one thread only"},
      {"what_if": "blas=blis,nb", "place": "blis 0.9.0 with 1 thread", "recorded_seconds": 2, "models_seconds": 1.25,
       "predicted_seconds": 1.5, "interval": [1, 2], "gain": null, "extrapolated_share": 0.1, "slow_by_numbers_seconds": 0,
       "shape_seconds": [1.5, null], "blocks": [{"shape": 1, "routine": "dgetrf", "default_nb": 32, "chosen_nb": 64, "chosen_nx": 0,
         "default_seconds": 1, "chosen_seconds": 0.5, "regret": 0.01, "undecided": false, "workspace_allows": 48}],
       "untuned_shapes": 2}]})");
  document["what_if"][1]["environment"] = environment();
  return document;
}

json predict_document() {
  json document = json::parse(R"({"schema": "flopcast-predict-1",
    "options": {"cache": "levels", "start": "repeated", "capacity": "2MiB", "generator": "levels"},
    "predictions": [{"algorithm": "dgeqrf", "parameters": {"n": 100, "nb": 32}, "seconds": 1, "interval": [0.5, 1.5], "flops": 1e6,
      "extrapolated_share": 0.25, "kernels": [{"calls": 3, "flops": 1e6, "seconds": 1, "deviation_seconds": 0.1,
        "extrapolated_seconds": 0.25}], "models_seconds": 0.75, "measured_seconds": 0.875,
      "calls": [{"seconds": 0.5, "relative_error": 0.1, "extrapolated": true}]}]})");
  document["environment"] = environment();
  document["predictions"][0]["kernels"][0]["key"] = json::parse(
      R"({"routine": "dgemm", "flags": "NN", "scalars": "11", "strides": "", "cache": "levels", "threads": 1, "library": "abc"})");
  return document;
}

json run_document() {
  return json::parse(R"({"schema": "flopcast-run-1", "exit_code": 3, "processes": 1, "blas": "/lib/blas",
    "settings": {"OPENBLAS_CORETYPE": "Haswell"},
    "routines": [{"routine": "dgeqrf", "flags": "L", "questions": 2, "smallest": 10, "largest": 20, "told": 64, "short_workspaces": 1,
      "allowed": 32, "other_questions": 3, "other_options": "U", "lapack": "/lib/lapack", "what_happened": "a clause"}]})");
}

template <class Read>
std::string message(Read read, const json& document) {
  return tests::bad_input_of([&] { static_cast<void>(read(document.dump())); });
}

TEST(EarlierSchemas, ProgramProfile) {
  const ProgramProfile profile = program_profile_from_json(profile_document().dump());
  EXPECT_THAT(profile.command, ElementsAre("a.out", "x"));
  EXPECT_EQ(profile.started, 0);
  EXPECT_EQ(profile.recorded, (ProgramProfile::Place{"blis", "", "a CPU", std::nullopt, ""}));
  EXPECT_TRUE(profile.dry_run);
  EXPECT_EQ(profile.missing_bytes, 8U);
  EXPECT_THAT(profile.warnings, ElementsAre("a warning"));
  EXPECT_EQ(profile.all.skipped, 3);
  EXPECT_EQ(profile.all.flops_per_second, 400);
  EXPECT_EQ(profile.first_calls, CallTotals());
  EXPECT_FALSE(profile.peak);
  EXPECT_EQ(profile.routines.at(0).routine, "dgemm");
  EXPECT_THAT(profile.shapes.at(0).sizes, ElementsAre(SizeSpan{"m", 1, 2}, SizeSpan{"n", 3, 3}, SizeSpan{"k", 4, 5}));
  EXPECT_EQ(profile.shapes[0].longest_seconds, 0.125);
  EXPECT_EQ(profile.threads.at(0).tid, 2U);
  EXPECT_EQ(profile.processes.at(0).threads, 1U);
  EXPECT_EQ(profile.processes[0].program, "");
  ASSERT_EQ(profile.what_if.size(), 2U);
  EXPECT_EQ(profile.what_if[0].failure, "one thread only");
  const WhatIfResult& answer = profile.what_if[1];
  EXPECT_EQ(answer.question, parse_what_if("blas=blis,nb"));
  EXPECT_EQ(answer.predicted, 1.5);
  EXPECT_EQ(answer.environment.fingerprint, "abc");
  EXPECT_FALSE(answer.gain);
  EXPECT_THAT(answer.shapes, ElementsAre(1.5, std::nullopt));
  EXPECT_EQ(answer.blocks.at(0), (BlockChoice{1, "dgetrf", 32, 64, 0, 1, 0.5, 0.01, false, 48}));
}

TEST(EarlierSchemas, ProgramProfileWithDamage) {
  json document = profile_document();
  document["shapes"][0]["flags"] = 17;
  EXPECT_THAT(message(program_profile_from_json, document), HasSubstr("program profile is damaged: member shapes[0].flags"));
  document = profile_document();
  document["what_if"][1]["blocks"][0].erase("regret");
  EXPECT_THAT(message(program_profile_from_json, document), HasSubstr("program profile is damaged: member what_if[1].blocks[0].regret"));
}

TEST(EarlierSchemas, Predictions) {
  const Predictions predictions = predictions_from_json(predict_document().dump());
  EXPECT_EQ(predictions.environment.fingerprint, "abc");
  EXPECT_EQ(predictions.options.method, prediction::Method::levels);
  EXPECT_EQ(predictions.options.start, cache::Start::repeated);
  EXPECT_EQ(predictions.options.capacity_bytes, 2 * 1024 * 1024);
  EXPECT_EQ(predictions.options.generator, "levels");
  ASSERT_EQ(predictions.predictions.size(), 1U);
  const Prediction& prediction = predictions.predictions[0];
  EXPECT_EQ(prediction.parameters.at("nb"), 32);
  EXPECT_EQ(prediction.interval.high, 1.5);
  EXPECT_EQ(prediction.kernels.at(0).key.routine, "dgemm");
  EXPECT_EQ(prediction.kernels[0].deviation, 0.1);
  EXPECT_EQ(prediction.by_models, 0.75);
  EXPECT_EQ(prediction.recorded, 0.875);
  ASSERT_TRUE(prediction.calls);
  EXPECT_EQ(prediction.calls->at(0), (Prediction::Call{"", "", {}, 0.5, 0.1, true}));
}

TEST(EarlierSchemas, PredictionsWithTheDefaultsOfTheCommandLine) {
  json document = predict_document();
  document["options"] = {{"cache", "placed"}, {"start", ""}, {"capacity", ""}, {"generator", "refined"}};
  for (const char* name : {"calls", "models_seconds", "measured_seconds"}) {
    document["predictions"][0].erase(name);
  }
  const Predictions predictions = predictions_from_json(document.dump());
  EXPECT_EQ(predictions.options, PredictionOptions());
  EXPECT_FALSE(predictions.predictions.at(0).calls);
}

TEST(EarlierSchemas, PredictionsWithDamage) {
  json document = predict_document();
  document["predictions"][0]["kernels"][0]["key"]["threads"] = "one";
  EXPECT_THAT(message(predictions_from_json, document), HasSubstr("predictions is damaged: member predictions[0].kernels[0].key.threads"));
  document = predict_document();
  document["options"]["start"] = "soon";
  EXPECT_THAT(message(predictions_from_json, document), HasSubstr("predictions is damaged: member options.start"));
  document = predict_document();
  document["options"]["capacity"] = "big";
  EXPECT_THAT(message(predictions_from_json, document), HasSubstr("predictions is damaged: member options.capacity"));
  document["options"]["capacity"] = 5;
  EXPECT_THAT(message(predictions_from_json, document), HasSubstr("predictions is damaged: member options.capacity"));
}

TEST(EarlierSchemas, OutcomesOfRuns) {
  RunOutcome expected;
  expected.exit_code = 3;
  expected.processes = 1;
  expected.blas = "/lib/blas";
  expected.settings = {{"OPENBLAS_CORETYPE", "Haswell"}};
  expected.routines = {{"dgeqrf", "L", 2, 10, 20, 64, 1, 32, 3, "U", "/lib/lapack", "a clause"}};
  EXPECT_EQ(run_outcome_from_json(run_document().dump()), expected);
}

TEST(EarlierSchemas, OutcomesOfRunsWithDamage) {
  json document = run_document();
  document["routines"][0]["told"] = "64";
  EXPECT_THAT(message(run_outcome_from_json, document), HasSubstr("run report is damaged: member routines[0].told"));
  document = run_document();
  document["routines"][0].erase("questions");
  EXPECT_THAT(message(run_outcome_from_json, document), HasSubstr("run report is damaged: member routines[0].queries"));
}

TEST(EarlierSchemas, WithAnyDamageAreReadOrRefused) {
  testing::expect_errors_of_mutations(profile_document().dump(), "program profile",
                                      [](const std::string& text) { static_cast<void>(program_profile_from_json(text)); });
  testing::expect_errors_of_mutations(predict_document().dump(), "predictions",
                                      [](const std::string& text) { static_cast<void>(predictions_from_json(text)); });
  testing::expect_errors_of_mutations(run_document().dump(), "run report",
                                      [](const std::string& text) { static_cast<void>(run_outcome_from_json(text)); });
}

}  // namespace
}  // namespace flopcast
