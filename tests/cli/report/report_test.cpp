#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "flopcast/support/scratch.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ReportFiles : public ::testing::Test {
 protected:
  [[nodiscard]] static std::string contents(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  ScratchFolder folder_;
  std::string race_ = folder_.write("race.json", tests::race_document());
  std::string page_ = folder_.file("page.html");
};

TEST_F(ReportFiles, WritesAPageThatIsReadBack) {
  const Ended ended = flopcast({"report", race_, "--output", page_});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(contents(page_), AllOf(HasSubstr("Which command is the fastest?"), HasSubstr("</html>")));
  const Ended compared = flopcast({"compare", race_, page_});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("2 compared: 0 slower, 0 faster"));
  const std::string second = folder_.file("second.html");
  EXPECT_EQ(flopcast({"report", page_, race_, "-o", second}).code, 0);
  EXPECT_THAT(contents(second), HasSubstr("2 results"));
  EXPECT_THAT(flopcast({"compare", race_, second}).err, HasSubstr("2 documents"));
}

TEST_F(ReportFiles, NothingIsWrittenOfBadInput) {
  const auto refused = [&](const std::string& text) {
    const Ended ended = flopcast({"report", race_, folder_.write("bad.json", text), "-o", page_});
    EXPECT_EQ(ended.code, 3) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("bad.json"));
    EXPECT_FALSE(std::filesystem::exists(page_));
    return ended.err;
  };
  EXPECT_THAT(refused(R"({"schema": "flopcast-race-99"})"), HasSubstr("newer flopcast"));
  EXPECT_THAT(refused(R"({"schema": "flopcast-horoscope-1"})"), HasSubstr("doesn't know"));
  EXPECT_THAT(refused("<html></html>"), HasSubstr("embeds no document"));
  refused(tests::race_document().substr(0, 200));
}

TEST_F(ReportFiles, NeedTheFileOfThePage) {
  EXPECT_EQ(flopcast({"report", race_}).code, 2);
  EXPECT_THAT(flopcast({"report", race_}).err, HasSubstr("--output report.html"));
  EXPECT_EQ(flopcast({"report", race_, "--json", "-o", page_}).code, 2);
  EXPECT_EQ(flopcast({"report", "-o", page_}).code, 2);
  EXPECT_EQ(flopcast({"report", race_, "-o", folder_.file("none/page.html")}).code, 4);
}

TEST_F(ReportFiles, CompareWritesAPageAndAFigureBesideItsTable) {
  const std::string figure = folder_.file("ratios.gp");
  const Ended ended = flopcast({"compare", race_, race_, "--page", page_, "--figure", figure});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("2 compared"));
  EXPECT_THAT(contents(page_), AllOf(HasSubstr("flopcast-comparison-1"), HasSubstr("no change")));
  EXPECT_THAT(contents(figure), HasSubstr("plot"));
  EXPECT_THAT(contents(folder_.file("ratios.csv")), HasSubstr("no change"));
  EXPECT_EQ(flopcast({"compare", race_, race_, "--page", "-"}).code, 2);
}

TEST_F(ReportFiles, AnAnonymousPageHasNoFolders) {
  EXPECT_EQ(flopcast({"compare", race_, race_, "--page", page_}).code, 0);
  EXPECT_THAT(contents(page_), HasSubstr(folder_.path().string()));
  EXPECT_EQ(flopcast({"compare", race_, race_, "--page", page_, "--anonymous"}).code, 0);
  EXPECT_THAT(contents(page_), AllOf(HasSubstr("race.json"), ::testing::Not(HasSubstr(folder_.path().string()))));
}

}  // namespace
}  // namespace flopcast::testing
