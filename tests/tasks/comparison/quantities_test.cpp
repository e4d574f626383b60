#include "flopcast/tasks/comparison/quantities.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/model/model_json.hpp"
#include "tests/message_of.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::bad_input_of;

ComparedDocument read(const json& document) { return read_compared(document.dump(), "a.json"); }

/// Returns "NAME VALUE UNIT [LOW HIGH]" of each quantity.
std::vector<std::string> texts(const json& document) {
  std::vector<std::string> all;
  for (const Quantity& one : read(document).quantities) {
    all.push_back(fmt::format("{}: {:.4g} {}", one.what, one.value, one.unit));
    if (one.interval) {
      all.back() += fmt::format(" [{:.4g} {:.4g}]", one.interval->low, one.interval->high);
    }
  }
  return all;
}

TEST(Quantities, OfARace) {
  const json commands = {{{"name", "old"}, {"elapsed_seconds", 1.5}, {"elapsed_seconds_interval", {1.4, 1.6}}},
                         {{"name", "new"}, {"elapsed_seconds", 1.2}},
                         {{"name", "failed"}, {"elapsed_seconds", nullptr}}};
  EXPECT_THAT(texts({{"schema", "flopcast-race-1"}, {"commands", commands}}), ElementsAre("old: 1.5 s [1.4 1.6]", "new: 1.2 s"));
}

TEST(Quantities, OfTunings) {
  const json decisions = {
      {{"sizes", {1000, 500}}, {"chosen", {{"seconds", 0.5}, {"interval", {0.4, 0.6}}}}},
      {{"sizes", {2000}}, {"chosen", {{"seconds", 4}}}, {"validation", {{"chosen_seconds", 4.5}}}},
      {{"sizes", {3000}}, {"chosen", {{"seconds", 9}, {"interval", json::array()}}}, {"validation", {{"chosen_seconds", 0}}}}};
  const json part = {{"routine", "dpotrf"}, {"flags", "L"}, {"decisions", decisions}};
  const auto expected = ElementsAre("dpotrf, L, 1000x500: 0.5 s [0.4 0.6]", "dpotrf, L, 2000: 4 s", "dpotrf, L, 3000: 9 s",
                                    "dpotrf, L, 2000, measured: 4.5 s");
  EXPECT_THAT(texts({{"schema", "flopcast-tune-3"}, {"parts", {part}}}), expected);
  EXPECT_THAT(texts({{"schema", "flopcast-tune-lapack-3"}, {"routines", {part}}}), expected);
}

TEST(Quantities, HaveTheirNamesPartsAsLabels) {
  const json decision = {{"sizes", {1000, 500}}, {"chosen", {{"seconds", 0.5}}}, {"validation", {{"chosen_seconds", 0.4}}}};
  const json tuning = {{"schema", "flopcast-tune-3"}, {"parts", {{{"routine", "dgeqrf"}, {"flags", ""}, {"decisions", {decision}}}}}};
  const Labels chosen = {{"routine", "dgeqrf"}, {"m", "1000"}, {"n", "500"}};
  Labels measured = chosen;
  measured["quantity"] = "measured";
  const ComparedDocument of_tuning = read(tuning);
  EXPECT_EQ(of_tuning.quantities.at(0).labels, chosen);
  EXPECT_EQ(of_tuning.quantities.at(1).labels, measured);
  const json sample = {{"call", "dgemm transa=N m=64"}, {"cache", "A=L1,B=memory"}, {"statistics", {{"median", 1}}}};
  EXPECT_EQ(read({{"schema", "flopcast-samples-3"}, {"samples", {sample}}}).quantities.at(0).labels,
            (Labels{{"call", "dgemm"}, {"transa", "N"}, {"m", "64"}, {"cache", "A=L1,B=memory"}}));
  const json configurations = {{{"configuration", {{"nb", "64"}, {"variant", "left"}}}, {"predicted_seconds", 1}}};
  EXPECT_EQ(read({{"schema", "flopcast-program-tuning-1"}, {"configurations", configurations}}).quantities.at(0).labels,
            (Labels{{"nb", "64"}, {"variant", "left"}, {"quantity", "predicted"}}));
}

TEST(Quantities, OfRankingsInSeveralPlaces) {
  const auto place = [](const char* blas, double seconds) {
    const json row = {{"variant", "lapack"}, {"seconds", seconds}, {"interval", {seconds - 1, seconds + 1}}};
    return json{{"blas", blas}, {"threads", 2}, {"environment", {{"cpu", "X"}}}, {"decisions", {{{"sizes", {100}}, {"ranking", {row}}}}}};
  };
  const json document = {{"schema", "flopcast-rank-3"}, {"places", {place("openblas", 3), place("", 5)}}};
  EXPECT_THAT(texts(document), ElementsAre("openblas, threads 2, 100, lapack: 3 s [2 4]", "threads 2, 100, lapack: 5 s [4 6]"));
  EXPECT_EQ(read(document).settings.at("CPU"), "X");
}

TEST(Quantities, OfPredictions) {
  const json prediction = {{"algorithm", "dgeqrf"}, {"sizes", "1000"}, {"blocks", "64"}, {"seconds", 2}, {"interval", {1, 3}}};
  EXPECT_THAT(texts({{"schema", "flopcast-predict-2"}, {"predictions", {prediction}}}), ElementsAre("dgeqrf, 1000, 64: 2 s [1 3]"));
}

TEST(Quantities, OfRecordedPrograms) {
  const json routines = {{{"routine", "dgemm"}, {"seconds", 2}}, {{"routine", "dtrsm"}, {"seconds", 1}}};
  EXPECT_THAT(texts({{"schema", "flopcast-program-profile-2"},
                     {"seconds", 4},
                     {"all", {{"seconds", 3}}},
                     {"own_code_seconds", 1},
                     {"routines", routines},
                     {"what_if",
                      {{{"what_if", "blas=blis"}, {"predicted_seconds", 2.5}, {"interval", {2.4, 2.6}}},
                       {{"what_if", "nb"}, {"failure", "no models"}}}}}),
              ElementsAre("program: 4 s", "BLAS and LAPACK: 3 s", "own code: 1 s", "dgemm: 2 s", "dtrsm: 1 s",
                          "blas=blis, predicted: 2.5 s [2.4 2.6]"));
  EXPECT_THAT(texts({{"schema", "flopcast-recording-1"}, {"seconds", 4}, {"call_seconds", 3}, {"routines", routines}}),
              ElementsAre("program: 4 s", "BLAS and LAPACK: 3 s", "dgemm: 2 s", "dtrsm: 1 s"));
  EXPECT_THAT(texts({{"schema", "flopcast-diagnosis-1"}, {"seconds", 4}, {"call_seconds", 3}, {"own_code_seconds", 1}}),
              ElementsAre("program: 4 s", "BLAS and LAPACK: 3 s", "own code: 1 s"));
  EXPECT_THAT(texts({{"schema", "flopcast-scale-1"},
                     {"seconds", 9},
                     {"seconds_interval", {8, 10}},
                     {"kernels",
                      {{{"routine", "dgemm"}, {"flags", "NN"}, {"sizes", "n x n x 64"}, {"seconds", 7}, {"seconds_interval", {6, 8}}}}}}),
              ElementsAre("program: 9 s [8 10]", "dgemm, NN, n x n x 64: 7 s [6 8]"));
  EXPECT_THAT(
      texts({{"schema", "flopcast-trace-summary-1"}, {"all", {{"seconds", 3}}}, {"kernels", {{{"kernel", "dgemm"}, {"seconds", 3}}}}}),
      ElementsAre("all kernels: 3 s", "dgemm: 3 s"));
}

TEST(Quantities, OfTunedPrograms) {
  const json one = {{"configuration", {{"nb", "64"}, {"p", "4"}}},
                    {"predicted_seconds", 2},
                    {"predicted_seconds_interval", {1, 3}},
                    {"executed_seconds", 2.1}};
  EXPECT_THAT(texts({{"schema", "flopcast-program-tuning-1"},
                     {"configurations", {one}},
                     {"race", {{"commands", {{{"name", "A"}, {"elapsed_seconds", 2}}}}}}}),
              ElementsAre("nb=64 p=4, predicted: 2 s [1 3]", "nb=64 p=4, executed: 2.1 s", "A, raced: 2 s"));
}

TEST(Quantities, OfSamplesAndModels) {
  const json sample = {{"call", "dgemm N N 100"}, {"cache", "warm"}, {"statistics", {{"median", 2}, {"median_interval_95", {1, 3}}}}};
  EXPECT_THAT(texts({{"schema", "flopcast-samples-3"}, {"samples", {sample, {{"call", "not timed"}, {"cache", "warm"}}}}}),
              ElementsAre("dgemm N N 100, warm: 2 s [1 3]"));
  const json point = {{"sizes", {100}}, {"seconds", 2}, {"interval", {1, 3}}, {"wall_times", {1, 2, 4, 8}}};
  const json kernel = {{"key", {{"routine", "dgemm"}, {"flags", "NN"}, {"cache", "warm"}}}, {"points", {point}}};
  EXPECT_THAT(texts({{"schema", "flopcast-model-check-2"}, {"kernels", {kernel}}}),
              ElementsAre("dgemm, NN, warm, 100, predicted: 2 s [1 3]", "dgemm, NN, warm, 100, measured: 3 s [1 8]"));
}

/// A model of n seconds with 10 % error, over 100 <= n <= 300.
TEST(Quantities, OfAModelAreThoseInItsMiddleAndAtItsEnd) {
  model::Model model;
  model.key = {"dpotrf", "L", "", ".", "warm", 1, "0"};
  model.generator = "levels";
  model.options.levels = model::LevelsOptions{};
  model.sizes = {"n"};
  model.domain = {{{100}, {300}}};
  model::Piece piece;
  piece.box = {{100}, {300}};
  piece.polynomial = {{0}, {1}, {{1}}, {1}};
  piece.floor = 1;
  piece.error = {0.1, 0.1, 0.1, 0.1};
  piece.samples = 5;
  model.pieces = {piece};
  const std::string name = to_string(model.key);
  EXPECT_THAT(texts(json(model)), ElementsAre(name + ", 200: 200 s [160.8 239.2]", name + ", 300: 300 s [241.2 358.8]"));
}

TEST(Quantities, OfMachines) {
  const json level = {{"name", "L1"}, {"bandwidth", 1e11}, {"latency_seconds", 1e-9}};
  EXPECT_THAT(texts({{"schema", "flopcast-machine-2"},
                     {"measured",
                      {{"cpu", "X"},
                       {"levels", {level}},
                       {"memory_bandwidth", 1e10},
                       {"memory_latency_seconds", 1e-7},
                       {"dgemm_rates", {{"openblas", 9e10}}}}}}),
              ElementsAre("L1, bandwidth: 1e+11 B/s", "L1, latency: 1e-09 s", "memory, bandwidth: 1e+10 B/s", "memory, latency: 1e-07 s",
                          "openblas, dgemm: 9e+10 flop/s"));
  EXPECT_THAT(
      texts({{"schema", "flopcast-machine-description-1"}, {"within_host", {{"latency_seconds", 1e-6}, {"bytes_per_second", 1e9}}}}),
      ElementsAre("within a node, latency: 1e-06 s", "within a node, bandwidth: 1e+09 B/s"));
}

TEST(Quantities, OfContractions) {
  const json algorithm = {{"name", "c-gemm"}, {"seconds", 2}, {"interval_95", {1, 3}}, {"measured_seconds", 2.5}};
  EXPECT_THAT(texts({{"schema", "flopcast-contract-1"}, {"algorithms", {algorithm}}}),
              ElementsAre("c-gemm, predicted: 2 s [1 3]", "c-gemm, measured: 2.5 s"));
  EXPECT_THAT(texts({{"schema", "flopcast-contraction-1"},
                     {"plan", {{"seconds", 2}}},
                     {"times", {3, 1, 2}},
                     {"steps", {{{"step", "t1[ac] := A[ab] B[bc]"}, {"seconds", 2}}}}}),
              ElementsAre("plan, predicted: 2 s", "executions: 2 s [1 3]", "t1[ac] := A[ab] B[bc], predicted: 2 s"));
  EXPECT_THAT(texts({{"schema", "flopcast-layouts-1"},
                     {"contractions", {{{"contraction", "ab=ai,ib"}, {"seconds", 2}}}},
                     {"compared", {{{"orders", "as written"}, {"seconds", 3}, {"measured_seconds", 4}}}}}),
              ElementsAre("ab=ai,ib, predicted: 2 s", "as written, predicted: 3 s", "as written, measured: 4 s"));
}

TEST(Quantities, OfMpiPrograms) {
  const json executed = {{"count", 4}, {"mean", 2}, {"variance", 0.01}}, never = {{"count", 0}, {"mean", nullptr}, {"variance", nullptr}};
  const json path = {{"seconds", 4}, {"computation_seconds", 3}, {"communication_seconds", 1}, {"idle_seconds", 0}};
  EXPECT_THAT(texts({{"schema", "flopcast-mpi-profile-1"},
                     {"elapsed_seconds", 5},
                     {"path", path},
                     {"processes", {{{"rank", 0}, {"computation_seconds", 3}}, {{"rank", 1}, {"computation_seconds", 2}}}},
                     {"kernels", {{{"kernel", "dgemm NN"}, {"executed", executed}}, {{"kernel", "skipped"}, {"executed", never}}}}}),
              ElementsAre("program: 5 s", "critical path: 4 s", "critical path, computation: 3 s", "critical path, communication: 1 s",
                          "rank 0, computation: 3 s", "rank 1, computation: 2 s",
                          "dgemm NN, one execution: 2 s [1.841 2.159]"));  // 2 -+ 3.182 * 0.1 / sqrt(4)
  EXPECT_THAT(
      texts({{"schema", "flopcast-mpi-tuning-1"},
             {"configurations",
              {{{"configuration", {{"nb", "64"}}}, {"predicted_seconds", 4}, {"half_width_seconds", 1}, {"full_path_seconds", 5}}}}}),
      ElementsAre("nb=64, predicted: 4 s [3 5]", "nb=64, in full: 5 s"));
  EXPECT_THAT(texts({{"schema", "flopcast-mpi-simulation-1"},
                     {"machine", "platform.xml"},
                     {"simulations", {{{"ranks", 16}, {"seconds", 4}, {"path", path}}}}}),
              ElementsAre("ranks 16: 4 s", "ranks 16, computation: 3 s", "ranks 16, communication: 1 s"));
}

TEST(Quantities, OfOneNameHaveNumbers) {
  const json command = {{"name", "A"}, {"elapsed_seconds", 1}};
  EXPECT_THAT(texts({{"schema", "flopcast-race-1"}, {"commands", {command, command}}}), ElementsAre("A: 1 s", "A (2): 1 s"));
}

TEST(Quantities, SettingsAreTakenFromWhereverTheyAre) {
  json document = {
      {"schema", "flopcast-predict-2"},
      {"predictions", {{{"algorithm", "dgeqrf"}, {"seconds", 1}}}},
      {"environment",
       {{"cpu", "X"}, {"threads", 2}, {"blas", {{"name", "openblas"}, {"path", "/lib/a.so"}, {"version", "1.0"}, {"kernels", "Zen"}}}}},
      {"options", {{"cache_model", "warm"}, {"seed", 3}, {"nb", {16, 32}}, {"sizes", {100, 200}}}}};
  EXPECT_EQ(
      read(document).settings,
      (Settings{
          {"CPU", "X"}, {"threads", "2"}, {"blas", "openblas 1.0 Zen"}, {"cache_model", "warm"}, {"nb", "16, 32"}, {"sizes", "100x200"}}));
}

TEST(Quantities, ListsOfResultsAreNoSettings) {
  const json kernel = {{"kernel", "dgemm"}, {"executed", {{"count", 1}, {"mean", 2}, {"variance", 0}, {"seconds", 2}}}};
  const json document = {{"schema", "flopcast-mpi-profile-1"}, {"mpi", "Open MPI"}, {"elapsed_seconds", 3}, {"kernels", {kernel}}};
  EXPECT_EQ(read(document).settings, (Settings{{"mpi", "Open MPI"}}));
}

TEST(Quantities, RefusesOtherDocuments) {
  const auto refusal = [](const std::string& text) { return bad_input_of([&] { read_compared(text, "a.json"); }); };
  const std::string valid = R"({"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": 1}]})";
  EXPECT_THAT(refusal(valid.substr(0, 50)), HasSubstr("a.json"));
  EXPECT_THAT(refusal("{}"), HasSubstr("a.json is no flopcast document"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("a.json is no flopcast document"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-race-2"})"), HasSubstr("a.json was written by a newer flopcast"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-verification-1"})"), HasSubstr("flopcast-verification-1 hold no times"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-race-1", "commands": []})"), HasSubstr("a.json holds no times"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": "1"}]})"),
              HasSubstr("commands[0].elapsed_seconds"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-race-1", "commands": {"name": "A"}})"), HasSubstr("commands"));
  EXPECT_THAT(
      refusal(R"({"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": 1, "elapsed_seconds_interval": [1]}]})"),
      HasSubstr("elapsed_seconds_interval"));
}

}  // namespace
}  // namespace flopcast
