#include "flopcast/report/figure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "flopcast/core/error.hpp"
#include "flopcast/report/file.hpp"

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
  figure.labels = {{"it's", 2, 3, Label::Align::right}, {"rising", 4, 5, Label::Align::left, true}};
  const std::string script = gnuplot_script(figure, "svg");
  EXPECT_THAT(script, HasSubstr("set label 'it''s' at 2,3 right font ',10' front boxed\n"));
  // Three decades are 0.79 x 500 pixels high and 0.85 x 800 wide.
  EXPECT_THAT(script, HasSubstr("set label 'rising' at 4,5 left rotate by 30.2 font ',10' front\n"));
  EXPECT_THAT(script, HasSubstr("set lmargin at screen 0.12\n"));
  EXPECT_THAT(script, HasSubstr("with lines linecolor 3 dashtype 2 notitle"));
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
