#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/report/sample_pictures.hpp"

namespace flopcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GnuplotScript, DrawsBarsWithTheirTextsInTheirPlaces) {
  const std::string script = gnuplot_script(Picture(chart()), "svg");
  EXPECT_THAT(script, HasSubstr("set ytics ('dgemm' 1.5, 'it''s' 0.5)"));
  EXPECT_THAT(script, HasSubstr("$bars << END\n0 1.5 0 2 1.16 1.84\nEND\n$references << END\n0 0.5 0 1 "));
  EXPECT_THAT(script, HasSubstr("$intervals << END\n2 1.5 1.5 2.5\nEND"));
  EXPECT_THAT(script, HasSubstr("set label '2 s' at 2.5,1.5 left"));  // behind the interval
}

TEST(GnuplotScript, FoldsLongNamesAndTextsAndCutsNothing) {
  BarChart wide = chart();
  wide.bars[0].label = "dgemm transa=N transb=N m=1000 n=1000 k=1000 alpha=1 lda=1008 ldb=1008, warm";
  wide.bars[1].text = "1.00 s (900 ms to 1.10 s), measured 1.05 s, by a model of whole calls in memory";
  const std::string script = gnuplot_script(Picture(wide), "svg");
  EXPECT_THAT(script, ::testing::AllOf(HasSubstr("'dgemm transa=N"), HasSubstr("ldb=1008, warm' "), HasSubstr("calls in memory' at 1,")));
  EXPECT_THAT(script, Not(HasSubstr("…")));
  Strips titled = strips();
  titled.series[1] = std::string(80, 'w') + " end";
  EXPECT_THAT(gnuplot_script(Picture(titled), "svg"), HasSubstr("end' at screen"));
}

TEST(GnuplotScript, StacksPartsOfStripsAndMarksTheCriticalPath) {
  const std::string script = gnuplot_script(Picture(strips()), "svg");
  EXPECT_THAT(script, HasSubstr("$data1 << END\n0 0.0800 0 2 0.0800 0.5000\nEND"));
  EXPECT_THAT(script, HasSubstr("$data2 << END\n0 0.5000 0 2 0.5000 0.7100\n2 0.0800 2 4 0.0800 0.9200\nEND"));
  EXPECT_THAT(script, HasSubstr("$data3 << END\n2 0.0400 2 0\nEND"));
  EXPECT_THAT(script, HasSubstr("set label 'critical path'"));
  Strips without = strips();
  without.strips.front().on_path.clear();
  EXPECT_THAT(gnuplot_script(Picture(without), "svg"), Not(HasSubstr("critical path")));
}

TEST(GnuplotScript, OfEmptyPicturesPlotsNothing) {
  EXPECT_THAT(gnuplot_script(Picture(BarChart{}), "svg"), HasSubstr("plot NaN\n"));
  EXPECT_THAT(gnuplot_script(Picture(Strips{}), "svg"), HasSubstr("plot NaN\n"));
}

}  // namespace
}  // namespace flopcast::report
