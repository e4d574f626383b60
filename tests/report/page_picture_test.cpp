#include "flopcast/report/page_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace flopcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string shown_bars() {
  return picture_html(BarChart{"time", "s", {{"dgemm", 2, "2 s", {}, true}, {"a&b", 1, "1 s", Interval{0.5, 1.5}}, {"none", 0, "0 s"}}});
}

std::string shown_strips() {
  return picture_html(Strips{"when", {"dgemm", "others"}, {{"thread 1", {{0.5, 0.5}, {0, 1}, {0, 0}}, {true, false, false}}}, 0, 3});
}

std::string shown_figure() {
  const Series measured{"<script>", {0, 10, 1000, NAN}, {9, 1, 100, 1}, {9, 0.5, 90, 1}, {9, 2, 110, 1}};
  return picture_html(Figure{"efficiency </script>", {"n", true}, {"GFLOP/s"}, {measured}, {{"<best>", 1000, 100}}});
}

/// Returns the widths of the rectangles of a colour.
std::vector<double> rectangle_widths(const std::string& html, const std::string& colour) {
  std::vector<double> all;
  const std::regex rectangle("<rect x=\"[0-9.]+\" y=\"[0-9.]+\" width=\"([0-9.]+)\" height=\"[0-9.]+\" fill=\"var\\(--" + colour +
                             "\\)\"/>");
  for (std::sregex_iterator at(html.begin(), html.end(), rectangle), end; at != end; ++at) {
    all.push_back(std::stod((*at)[1]));
  }
  return all;
}

TEST(PagePicture, BarsAreInProportion) {
  const std::string html = shown_bars();
  const std::vector<double> reference = rectangle_widths(html, "reference"), bars = rectangle_widths(html, "bar");
  ASSERT_EQ(reference.size(), 1U);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_NEAR(reference[0], 2 * bars[0], 0.2);
  EXPECT_LT(reference[0], 960);
  EXPECT_EQ(bars[1], 0);
  EXPECT_THAT(html, HasSubstr("<title>a&amp;b: 1 s (0.5 - 1.5)</title>"));
}

TEST(PagePicture, StripsLeaveEmptyPartsOutAndMarkTheCriticalPath) {
  EXPECT_EQ(rectangle_widths(shown_strips(), "c2").size(), 2U);
  EXPECT_EQ(rectangle_widths(shown_strips(), "ink").size(), 1U);
  EXPECT_THAT(shown_strips(), HasSubstr("<title>thread 1, 500 ms, dgemm 50.0 %, others 50.0 %, on the critical path</title>"));
  EXPECT_THAT(shown_strips(), HasSubstr("<span>0 s</span><span>3.00 s</span>"));
}

/// A drawing that is stretched to the page's width would stretch its text, or make it too small to read.
TEST(PagePicture, StretchedDrawingsHaveNoText) {
  const std::string html = shown_bars() + shown_strips() + shown_figure();
  const std::regex stretched(R"(<svg[^>]*viewBox[^>]*>([\s\S]*?)</svg>)");
  std::size_t count = 0;
  for (std::sregex_iterator at(html.begin(), html.end(), stretched), end; at != end; ++at) {
    EXPECT_THAT((*at)[1].str(), Not(HasSubstr("<text")));
    ++count;
  }
  EXPECT_EQ(count, 5U);
}

TEST(PagePicture, FiguresShowTheirValues) {
  const std::string html = shown_figure();
  EXPECT_THAT(html, HasSubstr("<title>&lt;script&gt;: n 10, GFLOP/s 1 (0.5 - 2)</title>"));
  EXPECT_THAT(html, HasSubstr("<title>&lt;script&gt;: n 1000, GFLOP/s 100 (90 - 110)</title>"));
  EXPECT_THAT(html, Not(HasSubstr("n 0,")));  // has no place on a logarithmic axis
  // The axis is from 10 to 1000, with equal space at both ends.
  EXPECT_THAT(html, HasSubstr("<span class=\"tick x\" style=\"left: 50.00%\">100</span>"));
  EXPECT_THAT(html, HasSubstr("color: var(--ink)\">&lt;best&gt;</span>"));
  EXPECT_THAT(html, HasSubstr("efficiency &lt;/script&gt;</figcaption>"));
}

TEST(PagePicture, HasItsValuesForScripts) {
  const std::string html = shown_figure(), begin = "class=\"picture\">";
  const std::size_t at = html.find(begin) + begin.size();
  const nlohmann::json json = nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
  EXPECT_EQ(json.at("title"), "efficiency </script>");
  EXPECT_EQ(json.at("series")[0].at("x"), (nlohmann::json{0, 10, 1000, nullptr}));
  EXPECT_EQ(json.at("y").at("range").size(), 2U);  // the range that the SVG shows, too
}

TEST(PagePicture, LabelsBesideAFigureKeepApart) {
  Figure figure{"", {"x"}, {"y", false, Interval{0, 226}}, {{"", {1, 2}, {3, 4}}}};
  figure.labels = {{"low", 0, 113, Label::Alignment::left, false, true}, {"high", 0, 113, Label::Alignment::left, false, true, 2}};
  const std::string html = picture_html(figure);
  EXPECT_THAT(html, HasSubstr("top: 50.00%; color: var(--ink)\">low</span>"));
  EXPECT_THAT(html, HasSubstr("top: 55.75%; color: var(--c2)\">high</span>"));  // 13 of 226 units below
  EXPECT_THAT(html, HasSubstr("d=\"M0 113.0L1 126.0\""));
}

}  // namespace
}  // namespace flopcast::report
