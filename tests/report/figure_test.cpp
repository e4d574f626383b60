#include "flopcast/report/figure.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"

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
  EXPECT_THAT(script, HasSubstr("set title 'dgemm''s efficiency'"));
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
  EXPECT_THAT(script, HasSubstr("set label 'it''s' at 2,3 right font ',10' front\n"));
  // Three decades are 395 pixels high and 680 wide.
  EXPECT_THAT(script, HasSubstr("set label 'rising' at 4,5 left rotate by 30.2 font ',10' front textcolor linetype 3\n"));
  EXPECT_THAT(script, HasSubstr("set lmargin at screen 0.12\n"));
  EXPECT_THAT(script, HasSubstr("with lines linecolor 3 dashtype 2 notitle"));
}

TEST(Figure, ErrorBarsDoNotHidePoints) {
  EXPECT_THAT(gnuplot_script(efficiency(), "svg"),
              HasSubstr("plot $data1 using 1:2:3:4 with yerrorbars linecolor 1 pointtype -1 notitle, $data1 using 1:2 with linespoints"));
}

TEST(Figure, LabelsBesideThePlotKeepApart) {
  Figure figure;
  figure.y = {"y", false, Interval{0, 395}};  // one pixel per unit
  figure.labels = {{"low", 0, 100, Label::Alignment::left, false, true}, {"high", 0, 110, Label::Alignment::left, false, true, 2}};
  figure.series = {{"", {1, 2}, {3, 4}}};
  const std::string script = gnuplot_script(figure, "svg");
  // y = 0 lies 65 pixels above the lower edge of the picture; the lower label moves to 14 pixels below the other.
  EXPECT_THAT(script, HasSubstr(fmt::format("{:.5g} nohead linecolor 2\nset label 'high'", 175 / 500.0)));
  EXPECT_THAT(script, HasSubstr(fmt::format("{:.5g} nohead linecolor 8\nset label 'low'", 161 / 500.0)));
}

TEST(Figure, NotesStandBelowAndMakeItHigher) {
  Figure figure;
  figure.y = {"y", false, Interval{0, 1}};
  figure.labels = {{"beside", 0, 1, Label::Alignment::left, false, true}};
  figure.series = {{"", {1, 2}, {0, 1}}};
  figure.notes = {"1  one", "2  two", std::string(80, 'x')};  // too long for two columns
  const std::string script = gnuplot_script(figure, "svg");
  EXPECT_THAT(script, HasSubstr("size 800,566"));
  EXPECT_THAT(script, HasSubstr("set label '2  two' at screen 0.03,"));
}

TEST(Figure, PngIsFinerButLooksTheSame) {
  EXPECT_THAT(gnuplot_script(efficiency(), "svg"), HasSubstr("set terminal svg size 800,500 "));
  EXPECT_THAT(gnuplot_script(efficiency(), "pngcairo"),
              HasSubstr("set terminal pngcairo size 2000,1250 fontscale 2.5 linewidth 2.5 pointscale 2.5 "));
}

TEST(Figure, IsDrawnByGnuplot) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / ("flopcast_figure_test." + std::to_string(::getpid()));
  std::filesystem::create_directory(directory);
  draw(efficiency(), directory / "figure.svg");
  draw(efficiency(), directory / "figure.png");
  EXPECT_THAT(read_file(directory / "figure.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(read_file(directory / "figure.png").substr(1, 3), "PNG");
  std::filesystem::remove_all(directory);
}

TEST(Figure, OtherEndingsAreRefused) {
  try {
    draw(efficiency(), "figure.bmp");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr(".svg, .png or .gp"));
  }
}

}  // namespace
}  // namespace flopcast::report
