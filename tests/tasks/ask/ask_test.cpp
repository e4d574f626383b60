#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/tasks/ask/ask.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/ask/refusal.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Ne;
using tests::bad_input_of;
using tests::SchemaCheck;

nlohmann::ordered_json parsed_schema(std::string_view name) { return nlohmann::ordered_json::parse(schema(name)); }

TEST(Ask, AnswersWithTheDocumentOfTheJob) {
  const std::string answer =
      ask(closed_workbench(), R"({"contract_list": {"expression": "ai,ib->ab", "sizes": {"a": 4, "b": 5, "i": 6}, "kernels": ["gemm"]}})");
  const nlohmann::json document = nlohmann::json::parse(answer);
  EXPECT_EQ(document.at("schema"), "flopcast-contract-1");
  ASSERT_EQ(document.at("algorithms").size(), 1U);
  EXPECT_EQ(document.at("algorithms")[0].at("kernel"), "gemm");
  const nlohmann::ordered_json published = parsed_schema("contract");
  EXPECT_EQ(SchemaCheck(published).violation(document), "");
}

/// Returns the answer to a request. Fails unless the answer is a document of the published schema `name`.
nlohmann::json answer_by_schema(const std::string& request, std::string_view name) {
  const nlohmann::json document = nlohmann::json::parse(ask(closed_workbench(), request));
  const nlohmann::ordered_json published = parsed_schema(name);
  EXPECT_EQ(SchemaCheck(published).violation(document), "") << request;
  return document;
}

TEST(Ask, AnswersAboutFilesOfWisdom) {
  const tests::OwnFolder folder;
  const std::string file = (folder.path() / "wisdom").string();
  std::ofstream(file) << R"({"schema": "flopcast-wisdom-1", "tunings": [], "environments": [], "artifacts": []})";
  const std::string quoted = nlohmann::json(file).dump();
  EXPECT_EQ(answer_by_schema(R"({"wisdom_list": {"file": )" + quoted + "}}", "wisdom-list").at("entries"), nlohmann::json::array());
  EXPECT_EQ(answer_by_schema(R"({"wisdom_merge": {"files": [)" + quoted + ", " + quoted + "]}}", "wisdom").at("tunings").size(), 0U);
  EXPECT_THAT(refusal(R"({"wisdom_list": {"file": "no such file"}})"), HasSubstr("no such file"));
  EXPECT_THAT(refusal(R"({"wisdom_forget": {}})"), HasSubstr("nothing to forget"));
  EXPECT_THAT(refusal(R"({"wisdom_forget": {"kind": "samples"}})"),
              HasSubstr("wisdom_forget.kind: \"samples\" given, expected one of block-sizes, kernels, plans"));
  EXPECT_THAT(refusal(R"({"export_ilaenv": {"language": "Java"}})"), HasSubstr("export_ilaenv.language: \"Java\" given"));
}

TEST(Ask, RefusesWhatIsNoQuestion) {
  EXPECT_THAT(refusal("{"), HasSubstr("the request is cut off"));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("there is no command; expected one of tune,"));
  EXPECT_THAT(refusal(R"({"tuna": {}})"), HasSubstr("tuna: no such command; expected one of tune,"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf"}, "machine": {}})"), HasSubstr("expected one command in a request"));
  EXPECT_THAT(refusal(R"({"tune": 3})"), HasSubstr("tune"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf"}, "tune": {"routine": "dpotrf"}})"), HasSubstr("two members"));
}

TEST(Ask, NamesTheMemberThatIsWrongAndWhatIsExpected) {
  EXPECT_THAT(refusal(R"({"tune": {"n": 100}})"), HasSubstr("tune"));
  EXPECT_THAT(refusal(R"({"tune": {"n": 100}})"), HasSubstr("routine"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf", "nn": 100}})"), HasSubstr("tune.nn: no such member; expected one of routine, n,"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf", "n": 0}})"), HasSubstr("tune.n"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf", "n": 0}})"), HasSubstr("0 given, expected 1 to 1000000"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf", "n": "200:"}})"), HasSubstr("tune.n"));
  EXPECT_THAT(refusal(R"({"tune": {"routine": "dgeqrf", "validate": "yes"}})"), HasSubstr("tune.validate"));
  EXPECT_THAT(refusal(R"({"rank": {"family": "cholesky", "n": 100, "library": "all"}})"), HasSubstr("one of none, default_blocks, tuned"));
  EXPECT_THAT(refusal(R"({"contract_list": {"expression": "ai,i", "sizes": {}, "kernels": []}})"), HasSubstr("contract_list.sizes"));
  EXPECT_THAT(refusal(R"({"contract_list": {"expression": "ai,i,i", "sizes": {}}})"), HasSubstr("contract_list.expression"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "ai,ib->ab", "sizes": {"a": 2, "b": 2}}})"), HasSubstr("contract.sizes"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "ai,ib->ab", "sizes": {"a": 2, "b": 2, "i": -1}}})"), HasSubstr("contract.sizes"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "ai,ib->ab", "sizes": {"a": 2, "b": 2, "i": 2}, "tiles": "8x8"}})"),
              HasSubstr("contract.tiles"));
  EXPECT_THAT(refusal(R"({"contract_rank": {"expression": "ai,i->a", "sizes": {"a": 2, "i": 2}, "stage": "last"}})"),
              HasSubstr("one of repeated, distance, prefetching, failures, first, segments"));
  EXPECT_THAT(refusal(R"({"sample": {"calls": []}})"), HasSubstr("sample.calls"));
  EXPECT_THAT(refusal(R"({"mpi_tune": {"space": "no such file"}})"), HasSubstr("no such file"));
  EXPECT_THAT(refusal(R"({"mpi_advise": {"routine": "pdgemm", "n": 100, "ranks": 2}})"), HasSubstr("one of pdpotrf, pdgetrf,"));
  EXPECT_THAT(refusal(R"({"mpi_advise": {"routine": "pdpotrf", "n": 100, "ranks": 0}})"), HasSubstr("mpi_advise.ranks"));
  EXPECT_THAT(refusal(R"({"mpi_run": {"launcher": [], "command": ["./app"]}})"), HasSubstr("mpi_run.launcher"));
  EXPECT_THAT(refusal(R"({"mpi_run": {"launcher": ["mpirun"], "command": ["./app"], "policy": "all"}})"), HasSubstr("a-priori"));
}

TEST(Ask, ReadsSizesAsANumberAListOrAText) {
  for (const char* sizes : {"200", "[200]", "\"200\""}) {
    const std::string request = R"({"predict": {"routine": "dgeqrf", "n": )" + std::string(sizes) + "}}";
    EXPECT_THAT(tests::message_of([&] { static_cast<void>(ask(closed_workbench(), request)); }), HasSubstr("no such library")) << sizes;
  }
}

TEST(Ask, TakesLibrariesFromTheQuestion) {
  const std::string request = R"({"machine": {}, "workbench": {"blas": "blis", "threads": 2}})";
  EXPECT_EQ(request_libraries(request).blas, "blis");
  EXPECT_EQ(request_libraries(request, {.lapack = "reference"}).lapack, "reference");
  EXPECT_EQ(request_libraries(request, {.threads = 4}).threads, 2);
  EXPECT_EQ(request_libraries(R"({"machine": {}})", {.blas = "mkl"}).blas, "mkl");
  const auto fault = [](const std::string& workbench) {
    return bad_input_of([&] { static_cast<void>(request_libraries(R"({"machine": {}, "workbench": )" + workbench + "}")); });
  };
  EXPECT_THAT(fault(R"({"threads": 0})"), HasSubstr("workbench.threads: 0 given, expected 1 to 1024"));
  EXPECT_THAT(fault(R"({"kernels": "fast"})"), HasSubstr("workbench.kernels: \"fast\" given, expected one of auto, library"));
  EXPECT_THAT(fault(R"({"library": "blis"})"), HasSubstr("workbench.library: no such member"));
}

TEST(Ask, SaysWhichJobsNeedTheProgram) {
  EXPECT_TRUE(needs_own_process(R"({"tune": {"routine": "dgeqrf", "n": 100}})"));
  EXPECT_TRUE(needs_own_process(R"({"record": {"command": ["true"]}})"));
  EXPECT_FALSE(needs_own_process(R"({"predict": {"routine": "dgeqrf", "n": 100}})"));
  EXPECT_FALSE(needs_own_process(R"({"contract_list": {"expression": "ai,ib->ab", "sizes": {"a": 2, "b": 2, "i": 2}}})"));
}

TEST(Ask, EveryCommandHasANameASummaryAndAPublishedAnswer) {
  std::set<std::string> published, names;
  for (const SchemaTitle& one : schemas()) {
    published.insert(one.name);
  }
  for (const CommandSummary& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_EQ(published.count(command.answer), 1U) << command.answer;
  }
  for (const char* name : {"tune", "rank", "predict", "machine", "model", "sample", "roofline", "contract", "trace", "record", "run"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(Schemas, DescribeQuestions) {
  const nlohmann::ordered_json requests = parsed_schema("request");
  const auto fault = [&](const char* request) { return SchemaCheck(requests).violation(nlohmann::json::parse(request)); };
  EXPECT_EQ(fault(R"({"tune": {"routine": "dgeqrf", "n": [1000, 2000]}})"), "");
  EXPECT_EQ(fault(R"({"tune": {"routine": "dgeqrf", "n": "200:3200:200", "flags": {"uplo": "L"}}, "workbench": {"threads": 2}})"), "");
  EXPECT_EQ(fault(R"({"machine": {}})"), "");
  EXPECT_NE(fault(R"({"tune": {"n": 1000}})"), "");
  EXPECT_NE(fault(R"({"tune": {"routine": "dgeqrf", "nn": 1}})"), "");
  EXPECT_NE(fault(R"({"tune": {"routine": "dgeqrf", "n": 0}})"), "");
  EXPECT_NE(fault(R"({})"), "");
  EXPECT_NE(fault(R"({"machine": {}, "tune": {"routine": "dgeqrf"}})"), "");
  EXPECT_EQ(requests.at("additionalProperties"), false);
}

TEST(Schemas, TellDefaultsUnitsAndMeanings) {
  const nlohmann::ordered_json requests = parsed_schema("request");
  const std::string reference = requests.at("properties").at("tune").at("$ref");
  const nlohmann::ordered_json& members = requests.at(nlohmann::ordered_json::json_pointer(reference.substr(1))).at("properties");
  EXPECT_EQ(members.at("time_budget").at("default"), 50);
  EXPECT_THAT(members.at("n").at("description").get<std::string>(), HasSubstr("orders"));
  const nlohmann::ordered_json tune = parsed_schema("tune");
  EXPECT_EQ(tune.at("$defs").at("tuning.SamplingCost").at("properties").at("measuring_seconds").at("unit"), "s");
  EXPECT_EQ(tune.at("properties").at("schema").at("const"), "flopcast-tune-3");
  EXPECT_EQ(tune.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
}

/// Expects of every member below `schema` whose description speaks of a rate that its unit isn't that of an amount.
void expect_units_of_rates(const nlohmann::ordered_json& schema, const std::string& where) {
  for (const auto& [name, inner] : schema.items()) {
    if (!inner.is_structured()) {
      continue;
    }
    if (inner.is_object() && inner.contains("unit") && inner.contains("description") && inner.at("description").is_string()) {
      const auto description = inner.at("description").get<std::string>();
      if (description.find("per second") != std::string::npos || description.starts_with("rate ") ||
          description.find(" rate ") != std::string::npos) {
        EXPECT_THAT(inner.at("unit").get<std::string>(), AllOf(Ne("flop"), Ne("B"))) << where << ": " << name << ": " << description;
      }
    }
    expect_units_of_rates(inner, where);
  }
}

TEST(Schemas, RatesHaveUnitsOfRatesAndNamesThatSaySo) {
  for (const SchemaTitle& one : schemas()) {
    expect_units_of_rates(parsed_schema(one.name), std::string(one.name));
  }
  const nlohmann::ordered_json tune = parsed_schema("tune");
  const std::string reference = tune.at("properties").at("environment").at("$ref");
  const nlohmann::ordered_json& environment = tune.at(nlohmann::ordered_json::json_pointer(reference.substr(1))).at("properties");
  EXPECT_EQ(environment.at("peak_flops_per_second").at("unit"), "flop/s");
  EXPECT_EQ(environment.at("memory_bandwidth").at("unit"), "B/s");
}

TEST(Schemas, AreFoundByNameAndNumber) {
  EXPECT_EQ(schema("tune"), schema("flopcast-tune-3"));
  EXPECT_EQ(schema("tune-3"), schema("tune"));
  EXPECT_THAT(bad_input_of([] { static_cast<void>(schema("flopcast-tune-2")); }), HasSubstr("flopcast writes and reads flopcast-tune-3"));
  EXPECT_THAT(bad_input_of([] { static_cast<void>(schema("tuna")); }), HasSubstr("near it are tune"));
  for (const SchemaTitle& one : schemas()) {
    EXPECT_EQ(parsed_schema(one.name).at("title"), one.title);
  }
}

TEST(Schemas, DescribeErrors) {
  const nlohmann::ordered_json errors = parsed_schema("error");
  EXPECT_EQ(SchemaCheck(errors).violation(nlohmann::json::parse(error_document(3, "wrong"))), "");
}

}  // namespace
}  // namespace flopcast
