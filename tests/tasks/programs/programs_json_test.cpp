#include <gmock/gmock.h>

#include <array>
#include <string>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/recording_document.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/message_of.hpp"
#include "tests/schema_check.hpp"

/// Documents read back equal.

namespace flopcast {
namespace {

using testing::HasSubstr;

WhatIfResult answer() {
  WhatIfResult result;
  result.question = parse_what_if("blas=blis,nb");
  result.place = "blis 0.9.0 with 1 thread";
  result.environment.cpu = "a CPU";
  result.shapes = {1.5, std::nullopt};
  result.recorded = 2;
  result.by_models = 1.25;
  result.predicted = 1.5;
  result.interval = {1, 2};
  result.gain = 1.0 / 3;
  result.blocks = {{1, "dgetrf", 32, 64, 0, 1, 0.5, 0.01, false, 48}};
  result.untuned_shapes = 2;
  return result;
}

WhatIfResult failure() {
  WhatIfResult result;
  result.question = parse_what_if("threads=2");
  result.failure = "one thread only";
  result.failure_code = 3;
  return result;
}

CallTotals totals(std::int64_t calls) { return {{calls, 1, 2, 100, 50, 0.5, 0.25, 0.125, 0.0625}, 400, 0.75}; }

ProgramProfile profile() {
  ProgramProfile profile;
  profile.command = {"a.out", "x"};
  profile.started = 1000;
  profile.recorded = {"blis", "reference", "a CPU", 2, "haswell"};
  profile.warnings = {"a warning"};
  profile.all = totals(7);
  profile.peak = PeakRate{1e9, "the best dgemm"};
  profile.routines = {{totals(7), "dgemm", true}};
  profile.shapes = {{totals(7), "dgemm", "NT", false, {{"m", 1, 2}, {"n", 3, 3}, {"k", 4, 5}}, 0.125}};
  profile.threads = {{totals(7), 1, 2, "dgemm"}};
  profile.processes = {{totals(7), 1, "a.out", 1}};
  profile.timeline = ProgramProfile::Timeline{0.5, 1.5, {"dgemm", "others"}, {{2, {"0 100", "50 0"}}}};
  profile.what_if = {answer(), failure()};
  return profile;
}

TEST(Documents, ProfilesReadBackEqual) {
  EXPECT_EQ(program_profile_from_json(to_json(profile())), profile());
  EXPECT_EQ(tests::schema_violation(to_json(profile()), recording_schemas()), "");
}

TEST(Documents, ErrorsNameTheMember) {
  std::string text = to_json(profile());
  const std::string flags = "\"NT\"";
  text.replace(text.find(flags), flags.size(), "17");
  try {
    program_profile_from_json(text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("shapes[0].flags"));
  }
}

TEST(Documents, RecordingsReadBackEqual) {
  Recording recording;
  recording.file = "a.trace";
  recording.bytes = 4096;
  recording.command = {"a.out"};
  recording.machine = {"a CPU", 2};
  recording.routines = {{"dgemm", 3, 0.5, 1, 0, 100.0}, {"dgees", 1, 0.25, 0, 0, std::nullopt}};
  recording.first_calls = {1, 0.5};
  recording.faults = {"a fault"};
  recording.processes = {{1, {"a.out"}}};
  recording.threads = {{1, 2}};
  EXPECT_EQ(recording_from_json(to_json(recording)), recording);
  EXPECT_EQ(tests::schema_violation(to_json(recording), recording_schemas()), "");
  recording.events = {{0, 0.5, 0.25, "dgemm", "dgemm(N, N)", "executed"}};
  EXPECT_EQ(recording_from_json(to_json(recording)), recording);
  EXPECT_EQ(tests::schema_violation(to_json(recording), recording_schemas()), "");
}

TEST(Documents, BeginningsOfRecordingsAreAsTheirSchemaSays) {
  program::RecordingDocument document{{"a.out", "\xff"}, "/home", true, {"a CPU", 2}, {}};
  EXPECT_EQ(tests::schema_violation(program::to_json(document), recording_schemas()), "");
  document.threads = 4;
  EXPECT_EQ(tests::schema_violation(program::to_json(document), recording_schemas()), "");
}

TEST(Documents, OutcomesOfRunsReadBackEqual) {
  RunOutcome outcome;
  outcome.exit_code = 3;
  outcome.processes = 1;
  outcome.blas = "/lib/blas";
  outcome.settings = {{"OPENBLAS_CORETYPE", "Haswell"}};
  outcome.routines = {{"dgeqrf", "L", 2, 10, 20, 64, 1, 32, 3, "U", "/lib/lapack", "queried twice"}};
  outcome.threads = {{"dgemm", 2, 10}, {"dgemm", 1, 3, "/lib/blis"}};
  EXPECT_EQ(run_outcome_from_json(to_json(outcome)), outcome);
  EXPECT_EQ(tests::schema_violation(to_json(outcome), recording_schemas()), "");
}

TEST(Documents, PredictionsReadBackEqual) {
  Prediction prediction;
  prediction.algorithm = "dgeqrf";
  prediction.parameters = {{"n", 100}, {"nb", 32}};
  prediction.sizes = "100";
  prediction.blocks = "32";
  prediction.seconds = 1;
  prediction.interval = {0.5, 1.5};
  prediction.flops = 1e6;
  prediction.kernels = {{{.routine = "dgemm", .flags = "NN", .cache = "placed"}, 3, 1e6, 1, 0.1, 0.25}};
  prediction.by_models = 0.75;
  prediction.calls = {{"dgemm", "NN", {1, 2, 3}, 0.5, 0.1, true}};
  const Predictions predictions{
      {.cpu = "a CPU"}, {.method = prediction::Method::levels, .start = cache::Start::repeated}, {prediction, Prediction{}}};
  EXPECT_EQ(predictions_from_json(to_json(predictions)), predictions);
  EXPECT_EQ(tests::schema_violation(to_json(predictions), prediction_schemas()), "");
}

TEST(Documents, TracesAndTheirSumsReadBackEqual) {
  RoutineTrace trace;
  trace.trace.configuration = {"dpotrf", {{"n", 8}}};
  trace.trace.calls = {kernel::call("dpotrf", {'L', 8, 0, 8}), kernel::call("dpotrf", {'L', 16, 0, 16})};
  for (Call& call : trace.trace.calls) {
    call.scalars = {};  // the routine has none
  }
  trace.trace.measured = {0.5, 0.25};
  EXPECT_EQ(routine_trace_from_json(to_json(trace)), trace);
  EXPECT_EQ(tests::schema_violation(to_json(trace), prediction_schemas()), "");

  const TraceSummary summary = summary_of(trace);
  ASSERT_EQ(summary.kernels.size(), 1U);
  EXPECT_EQ(summary.kernels[0].calls, 2);
  EXPECT_EQ(summary.all.seconds, 0.75);
  EXPECT_EQ(trace_summary_from_json(to_json(summary)), summary);
  EXPECT_EQ(tests::schema_violation(to_json(summary), prediction_schemas()), "");
}

TEST(TunedBlockSize, IsWhatProgramsGet) {
  program::SavedTuning tuning;
  tuning.routines = {{"dgeqrf", "", {{100, 100, {16, 2, 0}, {}, 0, false}, {1000, 1000, {64, 2, 128}, {}, 0, false}}}};
  EXPECT_EQ(tuned_block_size(tuning, "dgeqrf", 900, 900)->nb, 64);
  EXPECT_EQ(tuned_block_size(tuning, "dgeqrf", 110, 110)->nb, 16);
  EXPECT_FALSE(tuned_block_size(tuning, "dgeqrf", 20, 20)) << "unblocked code is used";
  EXPECT_FALSE(tuned_block_size(tuning, "dpotrf", 900, 900));
}

TEST(Documents, ExportsOfIlaenvReadBack) {
  const IlaenvExport exported = {{"end", {"dgetrf", "dpotrf:L"}, {"dgeqp3"}}, program::SourceLanguage::c, "a CPU", "blis with 1 thread"};
  EXPECT_EQ(ilaenv_export_from_json(to_json(exported)), exported);
  EXPECT_EQ(tests::schema_violation(to_json(exported), std::array{ilaenv_schema()}), "");
  EXPECT_THAT(tests::message_of([] { ilaenv_export_from_json(R"({"schema": "flopcast-ilaenv-1", "language": "Java"})"); }),
              HasSubstr("one of fortran, c"));
}

}  // namespace
}  // namespace flopcast
