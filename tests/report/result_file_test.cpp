#include "flopcast/report/result_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/report/page.hpp"
#include "flopcast/support/scratch.hpp"
#include "tests/message_of.hpp"

namespace flopcast::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::bad_input_of;

std::string page_with(const std::vector<std::string>& documents) {
  Page page("results");
  for (const std::string& document : documents) {
    page.add_document("a command", document);
  }
  return page.html();
}

TEST(ResultFile, IsADocumentOrAPageAboutOne) {
  const ScratchFolder folder;
  EXPECT_EQ(read_result(folder.write("a.json", R"({"a": 1})")), R"({"a": 1})");
  EXPECT_THAT(read_result(folder.write("a.html", page_with({R"({"a": 1})"}))), HasSubstr(R"("a")"));
  EXPECT_EQ(read_result(folder.write("bad.json", "{")), "{") << "whoever reads the document finds its damage";
}

TEST(ResultFile, NamesTheFileThatHoldsNone) {
  const ScratchFolder folder;
  const std::string none = folder.write("none.html", "\n <html></html>"), two = folder.write("two.html", page_with({"{}", "{}"}));
  EXPECT_THAT(bad_input_of([&] { read_result(none); }), AllOf(HasSubstr("none.html"), HasSubstr("embeds no document")));
  EXPECT_THAT(bad_input_of([&] { read_result(two); }), AllOf(HasSubstr("two.html"), HasSubstr("2 documents")));
  EXPECT_EQ(read_results(two).size(), 2U);
  std::string cut = page_with({R"({"a": 1})"});
  cut.resize(cut.find(R"("a")"));
  EXPECT_THAT(bad_input_of([&] { read_result(folder.write("cut.html", cut)); }), HasSubstr("cut.html"));
  EXPECT_THAT(bad_input_of([&] { read_result(folder.file("gone.json")); }), HasSubstr("gone.json"));
}

}  // namespace
}  // namespace flopcast::report
