#include "flopcast/tasks/roofline/figure_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using roofline::GemmRoof;
using roofline::Point;
using roofline::Roofline;
using ::testing::HasSubstr;
using ::testing::Not;

Point point(const std::string& name, double intensity, double rate, int threads) {
  return {name, intensity * 1e6, 1e6, threads, {{rate, rate, rate, rate}}, "memory"};
}

/// Returns L1 of 400 GB/s, memory of 10 GB/s and 100 GFLOP/s, twice that in single precision.
Roofline two_roofs() {
  Roofline roofline;
  roofline.cpu = "CPU    (family 6)";
  roofline.date = "2026-01-02T03:04:05Z";
  roofline.compute = {{"AVX2 double FMA", "double", 1, 2, true, 2, {{1e11, 1e11}}, {1e9, 1e9}, 1},
                      {"AVX2 single FMA", "single", 1, 2, true, 2, {{2e11, 2e11}}, {1e9, 1e9}, 1}};
  roofline.bandwidth = {{"L1", "triad", false, 2, 1000, 1.0 / 12, 1, {{4e11, 4e11}}},
                        {"memory", "triad", false, 2, 1000, 1.0 / 12, 1, {{1e10, 1e10}}}};
  return roofline;
}

/// Returns the gnuplot program that draws it.
std::string drawn(const Roofline& roofline) { return report::gnuplot_script(roofline_figure(roofline), "svg"); }

TEST(RooflineFigure, EverySeriesHasANameInCsv) {
  Roofline roofline = two_roofs();
  roofline.points = {point("dgemm", 10, 5e10, 2)};
  for (const report::Series& series : roofline_figure(roofline).series) {
    EXPECT_NE(series.any_name(), "");
  }
}

TEST(RooflineFigure, CeilingStartsAtTheSmallestRidge) {
  EXPECT_EQ(roofline_figure(two_roofs()).title, "CPU, 2 threads, 2026-01-02");
  const std::string script = drawn(two_roofs());
  EXPECT_THAT(script, HasSubstr("END\n$data3 << END\n0.25 100\n100 100\nEND"));
  EXPECT_THAT(script, HasSubstr("'L1 triad 400 GB/s'"));
  EXPECT_THAT(script, HasSubstr("'AVX2 FMA 100'"));
}

TEST(RooflineFigure, RidgesCloseToEachOtherHaveTheirTextsInRows) {
  Roofline roofline = two_roofs();
  roofline.bandwidth.insert(roofline.bandwidth.begin() + 1, {"L2", "triad", false, 2, 1000, 1.0 / 12, 1, {{2e11, 2e11}}});
  std::vector<double> heights;
  for (const report::Label& label : roofline_figure(roofline).labels) {
    if (label.text == "0.25" || label.text == "0.5") {
      heights.push_back(label.y);
    }
  }
  ASSERT_EQ(heights.size(), 2U);
  EXPECT_NE(heights[0], heights[1]);
}

TEST(RooflineFigure, RoofsWithoutRoomForTheirNamesAreInTheLegend) {
  Roofline roofline = two_roofs();
  for (const double rate : {3.6e11, 3.2e11}) {
    roofline.bandwidth.insert(roofline.bandwidth.begin() + 1,
                              {rate > 3.5e11 ? "L2" : "L3", "triad", false, 2, 1000, 1.0 / 12, 1, {{rate, rate}}});
  }
  std::set<std::string> named, in_legend;
  const report::Figure figure = roofline_figure(roofline);
  for (const report::Label& label : figure.labels) {
    if (label.rising) {
      named.insert(label.text);
    }
  }
  for (const report::Series& series : figure.series) {
    if (!series.title.empty()) {
      in_legend.insert(series.title);
    }
  }
  EXPECT_EQ(named.size() + in_legend.size(), 4U);
  EXPECT_FALSE(in_legend.empty());
}

TEST(RooflineFigure, FewPointsAreNamedByRoutineAndSizes) {
  Roofline roofline = two_roofs();
  roofline.points = {point("dgemv trans=N m=9 n=9 alpha=1 lda=9 incx=1 beta=1 incy=1", 0.25, 1e9, 1),
                     point("dgetrf m=5 n=5 lda=8", 40, 5e9, 2)};
  const std::string script = drawn(roofline);
  EXPECT_THAT(script, HasSubstr("'dgemv m=9 n=9, 1 thread'"));
  EXPECT_THAT(script, HasSubstr("'dgetrf m=5 n=5'"));
}

TEST(RooflineFigure, ManyPointsAreNumbered) {
  Roofline roofline = two_roofs();
  for (const char* name : {"dtrsm side=L m=9 n=9", "dtrsm side=R m=9 n=9", "dgemm transa=N m=8 n=8 k=8", "ddot n=7 incx=1 incy=1"}) {
    roofline.points.push_back(point(name, 1.0 + static_cast<double>(roofline.points.size()), 1e9, 2));
  }
  const std::string script = drawn(roofline);
  EXPECT_THAT(script, HasSubstr("set label '1' at"));
  EXPECT_THAT(script, HasSubstr("'1  dtrsm side=L m=9 n=9'"));  // its side is all that tells it from the next
  EXPECT_THAT(script, HasSubstr("'2  dtrsm side=R m=9 n=9'"));
  EXPECT_THAT(script, HasSubstr("'3  dgemm m=8 n=8 k=8'"));
  EXPECT_THAT(script, HasSubstr("'4  ddot n=7'"));
}

TEST(RooflineFigure, IsInSinglePrecisionIfOnlySgemmWasSearched) {
  EXPECT_THAT(drawn(two_roofs()), Not(HasSubstr("single")));
  Roofline roofline = two_roofs();
  GemmRoof gemm;
  gemm.library.name = "blas";
  gemm.routine = "sgemm";
  gemm.flops.samples = {1.5e11};
  roofline.gemm = {gemm};
  const std::string script = drawn(roofline);
  EXPECT_THAT(script, HasSubstr("GFLOP/s, single precision"));
  EXPECT_THAT(script, HasSubstr("'AVX2 FMA 200'"));
  EXPECT_THAT(script, HasSubstr("'blas sgemm, 1 thread 150'"));
}

TEST(RooflineFigure, NeedsTheTriadAndAnFmaCeiling) {
  Roofline roofline = two_roofs();
  roofline.bandwidth.pop_back();
  EXPECT_THROW(roofline_figure(roofline), Error);
  roofline = two_roofs();
  roofline.compute.clear();
  EXPECT_THROW(roofline_figure(roofline), Error);
}

}  // namespace
}  // namespace flopcast
