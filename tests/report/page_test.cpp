#include "flopcast/report/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"

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

Figure escaped_figure() {
  Series measured{"<script>", {0, 10, 1000, NAN}, {9, 1, 100, 1}, {9, 0.5, 90, 1}, {9, 2, 110, 1}};
  return {"efficiency </script>", {"n", true}, {"GFLOP/s"}, {measured}, {{"<best>", 1000, 100}}};
}

Page example() {
  Page page("a < b & \"c\"");
  page.add_heading("By <routine>");
  page.add_warning("it was cut off");
  page.add_table({{{"routine", Align::left}, {"time"}}, {{"dgemm", {1.5, "1.5 s"}}, {"<b>", toned("2 s", Tone::bad)}}});
  page.add_picture(BarChart{"time", "s", {{"dgemm", 2, "2 s", {}, true}, {"a&b", 1, "1 s", Interval{0.5, 1.5}}}});
  page.add_picture(Strips{"when", {"dgemm", "others"}, {{"thread 1", {{0.5, 0.5}, {0, 1}, {0, 0}}, {true, false, false}}}, 0, 3});
  page.add_picture(escaped_figure());
  return page;
}

/// Returns the page's own contents: without style sheet, scripts and licences.
std::string body_of(const std::string& html) {
  const std::size_t begin = html.find("<body>"), end = html.find("<details class=\"licences\">");
  return html.substr(begin, std::min(end, html.find("<script>\n", begin)) - begin);
}

TEST(Page, IsOneWellFormedDocumentThatLoadsNothing) {
  const std::string html = example().html();
  EXPECT_TRUE(is_balanced(body_of(html) + "</body>"));
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\""));
  for (const char* outside : {" src=", " href=", "<link", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  for (const char* outside : {"http:", "https:"}) {
    EXPECT_THAT(body_of(html), Not(HasSubstr(outside)));
  }
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Page, EscapesTexts) {
  const std::string html = example().html();
  EXPECT_THAT(html, HasSubstr("<title>a &lt; b &amp; &quot;c&quot;</title>"));
  EXPECT_THAT(html, HasSubstr("By &lt;routine&gt;"));
  EXPECT_THAT(html, HasSubstr("<td>&lt;b&gt;</td>"));
  EXPECT_THAT(html, HasSubstr("a&amp;b</span>"));
  EXPECT_THAT(html, HasSubstr("efficiency &lt;/script&gt;</figcaption>"));
  EXPECT_THAT(html, HasSubstr("\"title\":\"\\u003cscript>\""));
}

TEST(Page, BeginsWithTheAnswerAndItsTrust) {
  Page page("p");
  page.add_answer("use 64 < 128", Trust::noisy);
  page.add_step("Then:", "flopcast run -- a<b");
  page.add_step("Read on.", "");
  EXPECT_THAT(page.html(),
              HasSubstr("<div class=\"answer noisy\">\n<p>use 64 &lt; 128</p>\n<p class=\"trust\">Measured on a noisy machine"));
  EXPECT_THAT(page.html(), HasSubstr("<p>Then:</p>\n<pre class=\"command\"><code>flopcast run -- a&lt;b</code></pre>"));
  EXPECT_THAT(page.html(), HasSubstr("<p>Read on.</p>\n</div>"));
}

TEST(Page, HeadingsOfPartsStandAboveOthers) {
  Page page("p");
  page.add_part("first <file>", "a < b");
  page.add_heading("Samples");
  EXPECT_THAT(page.html(), HasSubstr("<h2 class=\"part\" id=\"part1\">first &lt;file&gt;</h2>"));
  EXPECT_THAT(page.html(), HasSubstr("<nav><ol>\n<li><a href=\"#part1\">first &lt;file&gt;</a> a &lt; b</li>\n</ol></nav>"));
  EXPECT_THAT(example().html(), Not(HasSubstr("<nav>")));
  EXPECT_THAT(page.html(), HasSubstr("<h3>Samples</h3>"));
  EXPECT_THAT(example().html(), HasSubstr("<h2>By &lt;routine&gt;</h2>"));
}

TEST(Page, ShowsTablesAsTheyAreAligned) {
  const std::string html = example().html();
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">routine</th><th scope=\"col\" class=\"r\">time</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"r \" data-sort=\"1.5\">1.5 s</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"r bad\">2 s</td>"));
}

TEST(Page, TablesSortByValues) {
  Page page("p");
  page.add_table({{{"name", Align::left}, {"time"}}, {{"a", {0.002, "2 ms"}}, {"-", "-"}, {"c", {INFINITY, "never"}}}});
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("<td class=\"r \" data-sort=\"0.002\">2 ms</td>"));
  EXPECT_THAT(html, HasSubstr("<td>-</td><td class=\"r \" data-sort=\"\">-</td>"));  // last, whatever the direction
  EXPECT_THAT(html, HasSubstr("data-sort=\"Infinity\">never"));
}

TEST(Page, CellsCarryTheTitlesOfTheirColumnsOnANarrowPage) {
  Page page("p");
  page.add_table({{{"a \"b\" </style>", Align::left}}, {{"x"}}});
  page.add_table({{{"c", Align::left}}, {{"y"}}});
  EXPECT_THAT(page.html(), HasSubstr("#t1 td:nth-child(1)::before { content: \"a \\22 b\\22  \\3c /style>\"; }"));
  EXPECT_THAT(page.html(), HasSubstr("#t2 td:nth-child(1)::before { content: \"c\"; }"));
}

TEST(Page, WideTablesHaveColumnsWithOneValueInASentence) {
  const auto html_of = [](std::size_t columns) {
    Table table;
    for (std::size_t i = 0; i < columns; ++i) {
      table.columns.push_back({fmt::format("title{}", i)});
    }
    table.rows = {std::vector<Cell>(columns, "same"), std::vector<Cell>(columns, "same")};
    table.rows[1][2] = "other";
    Page page("p");
    page.add_table(table);
    return page.html();
  };
  EXPECT_THAT(html_of(11), HasSubstr("<thead><tr><th scope=\"col\" class=\"r\">title0</th><th scope=\"col\" class=\"r\">title2</th></tr>"));
  EXPECT_THAT(html_of(11), HasSubstr("<p>The same in all rows: title1: same; title3: same; title4: same; "));
  EXPECT_THAT(html_of(10), Not(HasSubstr("The same in all rows")));
}

TEST(Page, DefinesColumnsBelowTheirTable) {
  Page page("p");
  Column gain{"gain"};
  gain.meaning = "default < chosen";
  page.add_table({{gain, {"n"}}, {{"1", "2"}}});
  EXPECT_THAT(page.html(),
              HasSubstr("<th scope=\"col\" class=\"r\" title=\"default &lt; chosen\">gain</th><th scope=\"col\" class=\"r\">n</th>"));
  EXPECT_THAT(page.html(), HasSubstr("<dl>\n<dt>gain</dt><dd>default &lt; chosen</dd>\n</dl></details>"));
  EXPECT_TRUE(is_balanced(body_of(page.html()) + "</body>"));
  EXPECT_THAT(example().html(), Not(HasSubstr("<summary>What the columns mean")));
}

TEST(Page, TellsFacts) {
  Page page("p");
  page.add_facts({{"CPU", "a & b"}});
  EXPECT_THAT(page.html(), HasSubstr("<dt>CPU</dt><dd>a &amp; b</dd>"));
}

TEST(Page, EmptyPicturesAreSound) {
  Page page("empty");
  page.add_picture(BarChart{"nothing", "s", {{"a", 0, "0 s"}}});
  page.add_picture(BarChart{});
  page.add_picture(Strips{});
  page.add_picture(Figure{});
  page.add_picture(Figure{"one", {"x", true}, {"y", true}, {{"s", {1}, {1}}, {"none", {0}, {NAN}}}});
  const std::string html = body_of(page.html());
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_THAT(html, Not(HasSubstr("inf")));
  EXPECT_TRUE(is_balanced(html + "</body>"));
}

TEST(Page, EmbedsDocumentsThatAreReadBack) {
  Page page = example();
  const std::string json = R"({"name": "</script><!-- <b>", "n": [1, null, "é"]})";
  page.add_document("a \"b\" & <c>", json);
  page.add_document("second", "{}");
  const auto documents = embedded_documents(page.html());
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0].first, "a \"b\" & <c>");
  EXPECT_EQ(nlohmann::json::parse(documents[0].second), nlohmann::json::parse(json));
  EXPECT_EQ(documents[1], (std::pair<std::string, std::string>("second", "{}")));
}

TEST(Page, IsReadAsAWholeOnly) {
  Page page("p");
  page.add_document("d", "{}");
  const std::string html = page.html();
  EXPECT_THROW(embedded_documents(html.substr(0, html.size() - 1)), Error);
  EXPECT_THROW(embedded_documents(html.substr(0, html.size() / 2)), Error);
  EXPECT_TRUE(embedded_documents("").empty());
  EXPECT_TRUE(embedded_documents("<!DOCTYPE html>\n<html><body></body>\n</html>\n").empty());
  EXPECT_TRUE(embedded_documents(R"({"schema": "flopcast-tuning-1"})").empty());
}

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
