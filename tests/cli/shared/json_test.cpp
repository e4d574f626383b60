#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::testing {
namespace {

using ::testing::IsSupersetOf;

/// A command line with --json and what programs may rely on in its document.
struct Document {
  std::vector<std::string> arguments;
  std::string schema;
  std::vector<std::string> keys;

  friend std::ostream& operator<<(std::ostream& stream, const Document& document) {
    return stream << "flopcast " << ::testing::PrintToString(document.arguments);
  }
};

std::vector<std::string> keys(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) {
    names.push_back(name);
  }
  return names;
}

class Documents : public ::testing::TestWithParam<Document> {};

TEST_P(Documents, KeepTheirKeys) {
  const Ended ended = flopcast(GetParam().arguments);
  ASSERT_EQ(ended.code, 0) << ended.err;
  const nlohmann::json document = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << ended.out;
  EXPECT_EQ(document.value("schema", ""), GetParam().schema);
  EXPECT_THAT(keys(document), IsSupersetOf(GetParam().keys));
  const Ended schema = flopcast({"schema", GetParam().schema});
  ASSERT_EQ(schema.code, 0) << schema.err;
  const auto published = nlohmann::ordered_json::parse(schema.out);
  EXPECT_EQ(tests::SchemaCheck(published).violation(document), "");
}

const std::vector<std::string> tune = {"tune", "dgeqrf", "--n", "200", "--nb", "32,64", "--time-budget", "1s", "--json"};

INSTANTIATE_TEST_SUITE_P(
    Json, Documents,
    ::testing::Values(
        Document{{"machine", "--json"}, "flopcast-machine-2", {"fingerprint", "topology", "measured", "clock", "noise", "libraries"}},
        Document{{"trace", "dgeqrf", "n=200", "nb=32"}, "flopcast-trace-1", {"algorithm", "parameters", "allocations", "calls"}},
        Document{{"sample", "dgemm", "m=64", "n=64", "k=64", "--json"}, "flopcast-samples-3", {"environment", "options", "samples"}},
        Document{{"sample", "dgemm", "m=64", "n=64", "k=64", "--dry-run", "--json"}, "flopcast-sample-plan-1", {"samples"}},
        Document{{"model", "build", "dscal", "n=8:512", "--error", "50%", "--json"},
                 "flopcast-model-1",
                 {"key", "generator", "options", "sizes", "domain", "pieces", "cost"}},
        Document{
            {"ask", R"({"model_plan": {"routine": "dscal", "sizes": {"n": [[8, 512]]}}})"}, "flopcast-model-plan-1", {"key", "points"}},
        Document{{"ask", R"({"contract": {"expression": "ai,ibc->abc", "sizes": {"a": 32, "b": 32, "c": 32, "i": 8}, "execute": false}})"},
                 "flopcast-contraction-1",
                 {"expression", "plan"}},
        Document{{"ask", R"({"contract": {"expression": "ai,ib->ab", "sizes": {"a": 32, "b": 32, "i": 8}, "strides": {"1": [1, 40]},
                                          "execute": false}})"},
                 "flopcast-contraction-1",
                 {"expression", "sizes", "plan", "steps"}},
        Document{{"ask", R"({"roofline_plan": {"quick": true, "streams": ["triad"]}})"}, "flopcast-roofline-plan-1", {"steps", "findings"}},
        Document{{"trace", "dgeqrf", "n=200", "nb=32", "--json", "--summary"}, "flopcast-trace-summary-1", {"kernels", "all"}},
        Document{{"model", "list", "--json"}, "flopcast-models-2", {"models"}},
        Document{{"rank", "cholesky", "--n", "200", "--nb", "32,64", "--time-budget", "2s", "--validate", "--json"},
                 "flopcast-rank-3",
                 {"family", "routine", "variants", "options", "places", "joint"}},
        Document{{"tune", "dpotrf", "--n", "200", "--nb", "32,64", "--variant", "3,recursive", "--time-budget", "2s", "--json"},
                 "flopcast-rank-3",
                 {"routine", "options", "places", "joint"}},
        Document{
            {"tune", "dpotri", "--n", "200", "--nb", "32,64", "--time-budget", "1s", "--json"}, "flopcast-tune-3", {"routine", "parts"}},
        Document{{"tune", "lapack", "--n", "100", "--precisions", "d", "--nb", "32,64", "--tuning", "lapack.json", "--time-budget", "1s",
                  "--json"},
                 "flopcast-tune-lapack-3",
                 {"environment", "tuning", "routines", "left_out"}},
        Document{{"roofline", "--quick", "--streams", "triad", "--time-budget", "1s", "--json"},
                 "flopcast-roofline-1",
                 {"cpu", "fingerprint", "date", "levels", "compute", "bandwidth", "gemm", "peaks", "points", "findings", "options"}},
        Document{tune, "flopcast-tune-3", {"environment", "options", "routine", "settings", "parts"}},
        Document{
            {"contract", "abc=ai,ibc", "a=b=c=10", "i=4", "--list", "--json"}, "flopcast-contract-1", {"sizes", "flops", "algorithms"}},
        Document{{"contract", "abc=ai,ibc", "a=b=c=32", "i=8", "--validate", "--json"},
                 "flopcast-contract-1",
                 {"environment", "options", "algorithms", "cost", "mean_error", "regret"}},
        Document{{"contract", "abc=ai,ibc", "a=b=c=32", "i=8", "--run", "--time-budget", "1s", "--json"},
                 "flopcast-contraction-1",
                 {"plan", "planning_seconds", "times", "flops_per_second"}},
        Document{{"contract", "ab,bc,cd->ad", "a=b=c=d=20", "--json"}, "flopcast-contraction-1", {"expression", "sizes", "plan", "steps"}},
        Document{{"contract", "conj(ki),kjx->ij", "i=j=k=20", "x=2", "--precision", "z", "--run", "--effort", "estimate", "--json"},
                 "flopcast-contraction-1",
                 {"expression", "sizes", "precision", "plan", "flops", "planning_seconds", "times", "flops_per_second"}},
        Document{{"predict", "dgeqrf", "n=200", "nb=32", "--json"}, "flopcast-predict-2", {"environment", "options", "predictions"}}));

TEST(Rank, LeavesOutThreadsThatALibraryCannotHave) {
  const Ended ended = flopcast({"rank", "cholesky", "--n", "100", "--nb", "32", "--blas", "reference,openblas-pthread", "--threads", "1,2",
                                "--time-budget", "1s", "--json"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(ended.out).at("places").size(), 3U);
  EXPECT_THAT(ended.err, ::testing::HasSubstr("reference has one thread only: skipped with 2"));
}

}  // namespace
}  // namespace flopcast::testing
