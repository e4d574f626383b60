#include "flopcast/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace flopcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Returns whether every element is closed in order, except for void and self-closing elements.
bool is_balanced(const std::string& html) {
  static const std::set<std::string> alone = {"!DOCTYPE", "meta"};
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([!A-Za-z0-9]+)[^>]*?(/?)>)");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (alone.count(name) > 0 || (*at)[3] == "/") {
      continue;
    }
    if ((*at)[1] != "/") {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

Page example() {
  Page page("a < b & \"c\"");
  page.add_heading("By <routine>");
  page.add_text("3 calls");
  page.add_warning("it was cut off");
  page.add_table({{{"routine", Align::left}, {"time"}}, {{"dgemm", {1.5, "1.5 s"}}, {"<b>", toned("2 s", Tone::bad)}}});
  page.add_bars({{"dgemm", 2, "2 s", {}, true}, {"a&b", 1, "1 s", Interval{0.5, 1.5}}}, "time");
  page.add_strips({{"dgemm", "others"}, {{"thread 1", {{0.5, 0.5}, {0, 1}, {0, 0}}}}, "0 s", "3 s"}, "when");
  return page;
}

TEST(Page, IsOneWellFormedDocumentThatLoadsNothing) {
  const std::string html = example().html();
  EXPECT_TRUE(is_balanced(html));
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0U);
  for (const char* outside : {"http:", "https:", "src=", "href=", "<link", "<script", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Page, EscapesTexts) {
  const std::string html = example().html();
  EXPECT_THAT(html, HasSubstr("<title>a &lt; b &amp; &quot;c&quot;</title>"));
  EXPECT_THAT(html, HasSubstr("By &lt;routine&gt;"));
  EXPECT_THAT(html, HasSubstr("<td>&lt;b&gt;</td>"));
  EXPECT_THAT(html, HasSubstr("a&amp;b</text>"));
}

TEST(Page, ShowsMarksOfItsTemplateAsTexts) {
  Page page("{{body}}");
  page.add_text("{{title}}");
  EXPECT_THAT(page.html(), HasSubstr("<h1>{{body}}</h1>\n<p>{{title}}</p>\n</body>"));
}

TEST(Page, ShowsTablesAsTheyAreAligned) {
  const std::string html = example().html();
  EXPECT_THAT(html, HasSubstr("<th>routine</th><th class=\"r\">time</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"r \">1.5 s</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"r bad\">2 s</td>"));
}

/// Returns the widths of the rectangles of a colour.
std::vector<double> widths(const std::string& html, const std::string& colour) {
  std::vector<double> all;
  const std::regex rectangle("<rect x=\"[0-9.]+\" y=\"[0-9.]+\" width=\"([0-9.]+)\" height=\"[0-9.]+\" fill=\"var\\(--" + colour +
                             "\\)\"/>");
  for (std::sregex_iterator at(html.begin(), html.end(), rectangle), end; at != end; ++at) {
    all.push_back(std::stod((*at)[1]));
  }
  return all;
}

/// A drawing that is stretched to the page's width would stretch its text, or make it too small to read.
TEST(Page, StretchedDrawingsHaveNoText) {
  const std::string html = example().html();
  const std::regex stretched(R"(<svg[^>]*viewBox[^>]*>([\s\S]*?)</svg>)");
  std::size_t count = 0;
  for (std::sregex_iterator at(html.begin(), html.end(), stretched), end; at != end; ++at) {
    EXPECT_THAT((*at)[1].str(), Not(HasSubstr("<text")));
    ++count;
  }
  EXPECT_EQ(count, 3U);
  EXPECT_THAT(html, testing::AllOf(HasSubstr("<span>2 s</span>"), HasSubstr("<span>0 s</span><span>3 s</span>")));
}

TEST(Page, CellsCarryTheTitlesOfTheirColumnsOnANarrowPage) {
  Page page("p");
  page.add_table({{{"a \"b\" </style>", Align::left}}, {{"x"}}});
  page.add_table({{{"c", Align::left}}, {{"y"}}});
  EXPECT_THAT(page.html(), HasSubstr("#t1 td:nth-child(1)::before { content: \"a \\22 b\\22  \\3c /style>\"; }"));
  EXPECT_THAT(page.html(), HasSubstr("#t2 td:nth-child(1)::before { content: \"c\"; }"));
}

TEST(Page, DefinesColumnsBelowTheirTable) {
  Page page("p");
  Column gain{"gain"};
  gain.meaning = "default < chosen";
  page.add_table({{gain, {"n"}}, {{"1", "2"}}});
  EXPECT_THAT(page.html(), HasSubstr("<th class=\"r\" title=\"default &lt; chosen\">gain</th><th class=\"r\">n</th>"));
  EXPECT_THAT(page.html(), HasSubstr("<dl>\n<dt>gain</dt><dd>default &lt; chosen</dd>\n</dl></details>"));
  EXPECT_TRUE(is_balanced(page.html()));
  EXPECT_THAT(example().html(), Not(HasSubstr("<details>")));
}

TEST(Page, TellsFacts) {
  Page page("p");
  page.add_facts({{"CPU", "a & b"}});
  EXPECT_THAT(page.html(), HasSubstr("<dt>CPU</dt><dd>a &amp; b</dd>"));
}

TEST(Page, BarsAreInProportion) {
  const std::string html = example().html();
  const std::vector<double> reference = widths(html, "reference"), bars = widths(html, "bar");
  ASSERT_EQ(reference.size(), 1U);
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_NEAR(reference[0], 2 * bars[0], 0.2);
  EXPECT_LT(reference[0], 960);
}

TEST(Page, BarsOfZeroHaveNoLength) {
  Page page("empty");
  page.add_bars({{"a", 0, "0 s"}}, "nothing");
  page.add_bars({}, "none");
  page.add_strips({}, "none");
  const std::string html = page.html();
  EXPECT_EQ(widths(html, "bar"), std::vector<double>{0});
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, Not(HasSubstr("inf")));
  EXPECT_TRUE(is_balanced(html));
}

TEST(Page, StripsLeaveEmptyPartsOut) { EXPECT_EQ(widths(example().html(), "s1").size(), 2U); }

TEST(HtmlEscaped, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(html_escaped("µs ≤ 日"), "µs ≤ 日");
  EXPECT_EQ(html_escaped("a\xff"
                         "b"),
            "a\uFFFDb");
  EXPECT_EQ(html_escaped("\xC3"), "\uFFFD");
  EXPECT_EQ(html_escaped("a\x01\x7f\n"), "a\uFFFD\uFFFD\n");
  EXPECT_EQ(html_escaped("'"), "&#39;");
}

}  // namespace
}  // namespace flopcast::report
