#include "flopcast/report/figure.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace flopcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Figure efficiency() {
  Figure figure{"dgemm's efficiency", {"n", true}, {"GFLOP/s", false, Interval{0, 100}}, {}};
  figure.series.push_back({"measured", {100, 200, 400}, {50, NAN, 70}, {48, 0, 69}, {52, 0, 71}});
  figure.series.push_back({"predicted", {100, 400}, {51, 69}, {}, {}, Series::Style::line});
  return figure;
}

TEST(Figure, ScriptHoldsLabelsScalesAndFinitePoints) {
  const std::string script = gnuplot_script(efficiency(), "svg");
  EXPECT_THAT(script, HasSubstr("set label 'dgemm''s efficiency' at screen"));
  EXPECT_THAT(script, HasSubstr("set logscale x\n"));
  EXPECT_THAT(script, Not(HasSubstr("set logscale y")));
  EXPECT_THAT(script, HasSubstr("set yrange [0:100]"));
  EXPECT_THAT(script, HasSubstr("$data1 << END\n100 50 48 52\n400 70 69 71\nEND\n"));
  EXPECT_THAT(script, HasSubstr("$data2 using 1:2 with lines"));
}

TEST(Figure, ScriptWritesLabelsAlongLinesOfSlopeOne) {
  Figure figure;
  figure.x = {"x", true, Interval{1, 1000}};
  figure.y = {"y", true, Interval{1, 1000}};
  figure.series = {{"", {1, 10}, {1, 10}, {}, {}, Series::Style::line, 3, true}};
  figure.labels = {{"it's", 2, 3, Label::Alignment::right}, {"rising", 4, 5, Label::Alignment::left, true, false, 3}};
  const std::string script = gnuplot_script(figure, "svg");
  EXPECT_THAT(script, HasSubstr("set label 'it''s' at 2,3 right font ',11' front boxed\n"));
  // Three decades are 226 units high and 364 wide. gnuplot's boxes would not rise with the text.
  EXPECT_THAT(script, HasSubstr("set label 'rising' at 4,5 left rotate by 31.8 font ',11' front textcolor linetype 3\n"));
  EXPECT_THAT(script, HasSubstr("with lines linecolor 3 dashtype 2\n"));
}

TEST(Figure, ErrorBarsAndAreasDoNotHidePoints) {
  Figure figure = efficiency();
  EXPECT_THAT(gnuplot_script(figure, "svg"),
              HasSubstr("plot $data1 using 1:2:3:4 with yerrorbars linecolor 1 pointtype -1, $data1 using 1:2 with linespoints"));
  figure.series.front().band = true;
  EXPECT_THAT(gnuplot_script(figure, "svg"),
              HasSubstr("plot $data1 using 1:3:4 with filledcurves linecolor 1 fillstyle transparent solid 0.2 "
                        "noborder, $data1 using 1:2 with linespoints"));
}

TEST(Figure, LogarithmicAxesHaveNoPlaceForZero) {
  Figure figure{"", {"x", true}, {"y", true}, {{"s", {0, 1, 2, 4}, {1, 0, 3, 5}, {1, 0, 0, 4}, {1, 1, 4, 6}}, {"empty", {0}, {1}}}};
  const std::string script = gnuplot_script(figure, "svg");
  EXPECT_THAT(script, HasSubstr("$data1 << END\n2 3 3 4\n4 5 4 6\nEND\n"));
  EXPECT_THAT(script, Not(HasSubstr("$data2")));
  EXPECT_THAT(script, Not(HasSubstr("'empty'")));
}

TEST(Figure, WithoutPointsHasAxes) {
  EXPECT_THAT(gnuplot_script(Figure{}, "svg"), HasSubstr("set xrange [0:1]"));
  EXPECT_THAT(gnuplot_script(Figure{}, "svg"), HasSubstr("plot NaN\n"));
}

TEST(Figure, LegendTakesAsManyRowsAsItsTitlesNeed) {
  Figure figure;
  for (const std::size_t length : {5, 5, 40}) {
    figure.series.push_back({std::string(length, 'x'), {1, 2}, {1, 2}});
  }
  const std::string script = gnuplot_script(figure, "svg");  // in one column: three rows
  EXPECT_THAT(script, HasSubstr(fmt::format("size 440,{}", 26 + 226 + 46 + 4 + 3 * 14)));
}

TEST(Figure, LabelsBesideThePlotKeepApart) {
  Figure figure;
  figure.y = {"y", false, Interval{0, 226}};  // one unit of the canvas each
  figure.labels = {{"low", 0, 100, Label::Alignment::left, false, true}, {"high", 0, 110, Label::Alignment::left, false, true, 2}};
  figure.series = {{"", {1, 2}, {3, 4}}};
  const std::string script = gnuplot_script(figure, "svg");
  // y = 0 lies 46 units above the lower edge of the picture; the lower label moves to 13 units below the other.
  const double height = 26 + 226 + 46;
  EXPECT_THAT(script, HasSubstr(fmt::format("{:.5g} nohead linecolor 2\nset label 'high'", 156 / height)));
  EXPECT_THAT(script, HasSubstr(fmt::format("{:.5g} nohead linecolor 8\nset label 'low'", 143 / height)));
}

TEST(Figure, NotesStandBelowAndMakeItHigher) {
  Figure figure;
  figure.y = {"y", false, Interval{0, 1}};
  figure.labels = {{"beside", 0, 1, Label::Alignment::left, false, true}};
  figure.series = {{"", {1, 2}, {0, 1}}};
  figure.notes = {"1  one", "2  two", std::string(80, 'x')};  // too long for two columns
  const std::string script = gnuplot_script(figure, "svg");
  EXPECT_THAT(script, HasSubstr(fmt::format("size 440,{}", 26 + 226 + 46 + 8 + 3 * 14)));
  EXPECT_THAT(script, HasSubstr("set label '2  two' at screen 0.036364,"));
}

TEST(Figure, PdfIsAsWideAsAColumnOfAPaper) {
  EXPECT_THAT(gnuplot_script(efficiency(), "svg"), HasSubstr("set terminal svg size 440,"));
  EXPECT_THAT(gnuplot_script(efficiency(), "pngcairo"), HasSubstr("set terminal pngcairo size 2200,"));
  EXPECT_THAT(gnuplot_script(efficiency(), "pdfcairo"), HasSubstr("set terminal pdfcairo size 8.5cm,"));
}

}  // namespace
}  // namespace flopcast::report
