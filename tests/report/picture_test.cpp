#include "flopcast/report/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/scratch.hpp"
#include "tests/report/sample_pictures.hpp"

namespace flopcast::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Figure escaped_picture() {
  return {"it's", {"n"}, {"GFLOP/s"}, {{"<script>", {1, 2}, {3, NAN}, {2, 0}, {4, 0}}, {"line", {1}, {5}, {}, {}, Series::Style::line}}};
}

TEST(PictureTable, HasAllValues) {
  EXPECT_EQ(to_csv(picture_table(escaped_picture())), "series,n,GFLOP/s,low,high\r\n<script>,1,3,2,4\r\n<script>,2,,0,0\r\nline,1,5,,\r\n");
  const Figure untitled{"", {"n"}, {"s"}, {{.title = "", .x = {1}, .y = {2}, .name = "roof"}}};
  EXPECT_EQ(to_csv(picture_table(untitled)), "series,n,s,low,high\r\nroof,1,2,,\r\n");
  EXPECT_EQ(to_csv(picture_table(chart())), "bar,\"time, s\",low,high\r\ndgemm,2,1.5,2.5\r\nit's,1,,\r\n");
  EXPECT_EQ(to_csv(picture_table(strips())),
            "strip,\"begin, s\",\"end, s\",series,part,on critical path\r\nthread 1,0,2,dgemm,0.5,no\r\nthread 1,0,2,others,0.25,no\r\n"
            "thread 1,2,4,dgemm,0,yes\r\nthread 1,2,4,others,1,yes\r\n");
  EXPECT_TRUE(picture_table(Figure{}).rows.empty());
}

TEST(PictureJson, HasKindAndMembers) {
  const nlohmann::json json = nlohmann::json::parse(picture_json(escaped_picture()));
  EXPECT_EQ(json.at("kind"), "figure");
  EXPECT_EQ(json.at("series")[0].at("title"), "<script>");
  EXPECT_TRUE(json.at("series")[0].at("y")[1].is_null());
  EXPECT_EQ(json.at("series")[1].at("style"), "line");
  EXPECT_EQ(nlohmann::json::parse(picture_json(chart())).at("bars")[0].at("range"), (nlohmann::json{1.5, 2.5}));
  EXPECT_EQ(nlohmann::json::parse(picture_json(strips())).at("strips")[0].at("on_path"), (nlohmann::json{false, true}));
}

TEST(Draw, EveryPictureIsDrawnByGnuplotInEveryFormat) {
  if (!program_in_path("gnuplot")) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  const ScratchFolder folder;
  for (const Picture& picture :
       {Picture(escaped_picture()), Picture(chart()), Picture(strips()), Picture(Figure{}), Picture(BarChart{}), Picture(Strips{})}) {
    draw(picture, folder.file("p.svg"));
    draw(picture, folder.file("p.png"));
    draw(picture, folder.file("p.pdf"));
    EXPECT_THAT(read_file(folder.file("p.svg")), AllOf(HasSubstr("prefers-color-scheme: dark"), HasSubstr("</svg>")));
    EXPECT_EQ(read_file(folder.file("p.png")).substr(1, 3), "PNG");
    EXPECT_EQ(read_file(folder.file("p.pdf")).substr(0, 5), "%PDF-");
    EXPECT_EQ(read_file(folder.file("p.csv")), to_csv(picture_table(picture)));
  }
}

TEST(Draw, GpIsTheProgram) {
  const ScratchFolder folder;
  draw(chart(), folder.file("p.gp"));
  EXPECT_EQ(read_file(folder.file("p.gp")), gnuplot_script(Picture(chart()), "svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("p.csv")));
}

TEST(Draw, NothingIsWrittenWhereSomethingIsWrong) {
  const ScratchFolder folder;
  try {
    draw(escaped_picture(), folder.file("figure.bmp"));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr(".svg, .png, .pdf or .gp"));
  }
  EXPECT_THROW(draw(escaped_picture(), folder.file("missing/figure.gp")), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace flopcast::report
