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
