#include "flopcast/support/anonymous.hpp"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace flopcast::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Anonymous, FilesHaveNoFoldersButThoseOfTheDistributionsLibraries) {
  EXPECT_EQ(file_name("/home/ada/bin/qr"), "qr");
  EXPECT_EQ(file_name("qr"), "qr");
  for (const char* file : {"/home/ada/lib/libblas.so.3", "/usr/lib/libblas.so.3", "/usr/libada/b/libblas.so.3", "libblas.so.3"}) {
    EXPECT_EQ(anonymous_library(file), "libblas.so.3") << file;
  }
  EXPECT_EQ(anonymous_library("/usr/lib/x86_64-linux-gnu/openblas-serial/libblas.so.3"), "openblas-serial/libblas.so.3");
  EXPECT_EQ(anonymous_library("/lib64/blis/libblas.so.3"), "blis/libblas.so.3");
  EXPECT_EQ(anonymous_library(""), "");
}

TEST(Anonymous, CommandsHaveNoArguments) {
  EXPECT_THAT(anonymous_command({"/home/ada/bin/qr", "--secret", "7"}), ElementsAre("qr"));
  EXPECT_THAT(anonymous_command({}), IsEmpty());
}

TEST(Anonymous, PathsInTextsLoseTheirFolders) {
  const std::vector<std::pair<const char*, const char*>> cases = {{"there is no library /home/ada/lib.so.", "there is no library lib.so."},
                                                                  {"blas=/home/ada/lib.so,threads=2", "blas=lib.so,threads=2"},
                                                                  {"dgemm (/home/ada/lib.so) (/b/c)", "dgemm (lib.so) (c)"},
                                                                  {"./ada/qr ../ada/qr ~/ada/qr", "qr qr qr"},
                                                                  {"/home/ada b/my programs/qr", "qr"},
                                                                  {"'/home/ada b c/qr s' was started", "'qr s' was started"},
                                                                  {"in /data/runs/ or", "in runs or"},
                                                                  {"HOME=/home/ada in /home/ada/", "HOME=~ in ~"},
                                                                  {"'/opt/qr", "'qr"}};
  for (const auto& [text, reduced] : cases) {
    EXPECT_EQ(without_paths(text), reduced);
  }
}

TEST(Anonymous, OtherTextsStay) {
  for (const char* text : {"", "/", "3 / 4", "12 Gflop/s and/or GB/s", "a ./ b", "2026/11/29", "m=1/2"}) {
    EXPECT_EQ(without_paths(text), text);
  }
}

TEST(Anonymous, DocumentsAreReducedAtEveryDepth) {
  const auto reduced = nlohmann::json::parse(anonymous_json(R"({"file": "/home/ada/a.trace", "seconds": 0.5, "none": null, "host": "node7",
      "runs": [{"command": ["/home/ada/qr", "--secret"], "warnings": ["no /home/ada/x.so"]}, {"command": "~/qr"}, {"command": []}]})"));
  EXPECT_EQ(reduced, nlohmann::json::parse(R"({"file": "a.trace", "seconds": 0.5, "none": null, "host": "",
      "runs": [{"command": ["qr"], "warnings": ["no x.so"]}, {"command": "qr"}, {"command": []}]})"));
}

}  // namespace
}  // namespace flopcast::tests
