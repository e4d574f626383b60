#include "flopcast/tasks/reporting/reporting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "flopcast/report/result_file.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/reporting/document_tables.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"
#include "tests/message_of.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::bad_input_of;
using tests::race_document;

std::vector<ReportedKind> all_kinds() {
  std::vector<ReportedKind> all;
  for (const auto family : {tuning_kinds, program_kinds, command_kinds, mpi_kinds, modelling_kinds, contraction_kinds, measured_kinds}) {
    for (ReportedKind& kind : family()) {
      all.push_back(std::move(kind));
    }
  }
  return all;
}

TEST(ReportedKinds, HaveTablesThatTheirSchemasHave) {
  for (const ReportedKind& kind : all_kinds()) {
    const auto root = nlohmann::ordered_json::parse(schema(kind.schema));
    const std::vector<std::string> paths = table_paths(root);
    for (const ShownTable& table : kind.tables) {
      EXPECT_THAT(paths, ::testing::Contains(std::string(table.path))) << kind.schema;
      EXPECT_NO_THROW(document_table(nlohmann::json::object(), root, table.path, table.members)) << kind.schema << ' ' << table.path;
    }
  }
}

/// Every published schema without contents of its own gets tables of all its lists.
TEST(Contents, OfAnyKindAreTables) {
  const PageContents contents =
      contents_of({"baseline.json", R"({"schema": "flopcast-baseline-1", "name": "main", "kind": "flopcast-race-1", "file": "m.json"})"});
  EXPECT_EQ(contents.question, "Result that is kept under a name");
  ASSERT_EQ(contents.tables.size(), 1U);
  EXPECT_EQ(contents.tables[0].table.rows.at(0).at(1).text, "main");
  EXPECT_TRUE(contents.pictures.empty());
}

TEST(Contents, NameTheDocumentThatCantBeRead) {
  const auto refusal = [](const std::string& text) { return bad_input_of([&] { contents_of({"x.json", text}); }); };
  EXPECT_THAT(refusal("{}"), AllOf(HasSubstr("x.json"), HasSubstr("no flopcast document")));
  EXPECT_THAT(refusal("[]"), HasSubstr("no flopcast document"));
  EXPECT_THAT(refusal(race_document().substr(0, 90)), HasSubstr("x.json"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-race-9"})"), HasSubstr("newer flopcast"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-horoscope-1"})"), HasSubstr("doesn't know"));
  EXPECT_THAT(refusal(R"({"schema": "flopcast-race-1"})"), AllOf(HasSubstr("x.json"), HasSubstr("commands")));
}

TEST(Contents, TellMachineAndCommand) {
  const PageContents contents = contents_of({"race.json", race_document()});
  EXPECT_THAT(contents.facts, ::testing::Contains(std::pair<std::string, std::string>("CPU", "a CPU")));
}

TEST(Pages, TellTheWorstOfWarningsThatDifferInTheirNumbersOnly) {
  const std::string page = page_of({{"race.json", race_document()}}, {"times differed by 9.5 %", "times differed by 27 %",
                                                                      "other programs ran", "times differed by 18 %", "other programs"})
                               .html();
  EXPECT_THAT(page, Not(HasSubstr("other programs<")));
  EXPECT_THAT(page, AllOf(HasSubstr("differed by 27 %"), Not(HasSubstr("differed by 18 %")), Not(HasSubstr("differed by 9.5 %"))));
  EXPECT_LT(page.find("differed by 27 %"), page.find("other programs ran"));
}

TEST(MainPicture, IsTheFirstOrAnError) {
  EXPECT_EQ(std::get<report::BarChart>(main_picture({"race.json", race_document()})).bars.size(), 2U);
  EXPECT_THAT(
      bad_input_of([] {
        main_picture({"b.json", R"({"schema": "flopcast-baseline-1", "name": "main", "kind": "flopcast-race-1", "file": "m.json"})"});
      }),
      AllOf(HasSubstr("b.json"), HasSubstr("no picture")));
}

TEST(Pages, HaveAnswerStepsAndTheDocument) {
  const std::string html = page_of({{"race.json", race_document()}}).html();
  EXPECT_THAT(html, AllOf(HasSubstr("Which command is the fastest?"), HasSubstr("B is the fastest"), HasSubstr("What to do now"),
                          HasSubstr("b &#39;x y&#39;"), HasSubstr("a CPU")));
  EXPECT_LT(html.find("What to do now"), html.find("a CPU")) << "first what to do, then how that was found";
  EXPECT_THAT(html, Not(HasSubstr("Warnings")));
  const auto embedded = report::embedded_documents(html);
  ASSERT_EQ(embedded.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(embedded[0].second), nlohmann::json::parse(race_document()));
}

TEST(Pages, EscapeNamesAndKeepThemInTheDocument) {
  const std::string name = "<script>alert(1)</script>";
  const std::string html = page_of({{"race.json", race_document(name)}}).html();
  EXPECT_THAT(html, Not(HasSubstr("<script>alert(1)")));
  EXPECT_EQ(nlohmann::json::parse(report::embedded_documents(html).at(0).second).at("commands").at(1).at("name"), name);
}

TEST(Pages, SayThatDocumentsComeFromSeveralMachines) {
  const std::string same = page_of({{"a.json", race_document()}, {"b.json", race_document()}}).html();
  EXPECT_THAT(same, AllOf(HasSubstr("2 results"), HasSubstr("a.json"), HasSubstr("b.json"), Not(HasSubstr("machines"))));
  const std::string other = page_of({{"a.json", race_document()}, {"b.json", race_document("B", "another CPU")}}).html();
  EXPECT_THAT(other, AllOf(HasSubstr("2 machines"), HasSubstr("another CPU (b.json)")));
}

TEST(Pages, OfANoisyMachineSayIt) {
  const std::string html = page_of({{"a.json", race_document()}}, {"the machine was noisy: another program"}).html();
  EXPECT_THAT(html, AllOf(HasSubstr("another program"), HasSubstr("noisy")));
}

TEST(ReadDocuments, TakesPagesAndDocuments) {
  const ScratchFolder folder;
  const std::string json = folder.write("race.json", race_document());
  EXPECT_EQ(read_documents(json).at(0).text, race_document());
  const std::string page = folder.write("race.html", page_of({{"race.json", race_document()}}).html());
  ASSERT_EQ(read_documents(page).size(), 1U);
  EXPECT_EQ(contents_of(read_documents(page)[0]).answer, contents_of({"", race_document()}).answer);
  const std::string both = folder.write("both.html", page_of({{"a", race_document()}, {"b", race_document()}}).html());
  EXPECT_EQ(read_documents(both).size(), 2U);
  EXPECT_THAT(bad_input_of([&] { report::read_result(both); }), HasSubstr("2 documents"));
  const std::string foreign = folder.write("foreign.html", "<!DOCTYPE html><title>x</title>");
  EXPECT_THAT(bad_input_of([&] { read_documents(foreign); }), AllOf(HasSubstr("foreign.html"), HasSubstr("no page of flopcast")));
  EXPECT_THAT(bad_input_of([&] { read_documents(folder.file("none.json")); }), HasSubstr("none.json"));
}

TEST(SpreadIndices, HaveBothEnds) {
  EXPECT_EQ(spread_indices(0, 4), std::vector<std::size_t>());
  EXPECT_EQ(spread_indices(3, 4), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(spread_indices(10, 4), (std::vector<std::size_t>{0, 3, 6, 9}));
  EXPECT_EQ(spread_indices(10, 1), std::vector<std::size_t>{0});
}

TEST(PartsPicture, FillsEachRowByItsParts) {
  const report::Strips strips = parts_picture("times", {"a", "b"}, {{"first", {1, 3}}, {"second", {2}}});
  EXPECT_EQ(strips.end, 4);
  double a = 0, b = 0;
  for (const std::vector<double>& bin : strips.strips.at(0).bins) {
    a += bin[0];
    b += bin[1];
  }
  const auto bins = static_cast<double>(strips.strips[0].bins.size());
  EXPECT_NEAR(a / bins, 0.25, 1e-9);
  EXPECT_NEAR(b / bins, 0.75, 1e-9);
  EXPECT_EQ(strips.strips.at(1).bins.back(), (std::vector<double>{0, 0})) << "the second row ends in the middle";
}

}  // namespace
}  // namespace flopcast
