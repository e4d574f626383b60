#include "flopcast/report/spread.hpp"

#include <gtest/gtest.h>

namespace flopcast::report {
namespace {

struct Configuration {
  std::map<std::string, std::string> setting;
};

Table configurations() {
  return {{{"configuration", Align::left}, {"predicted", Align::right, "seconds"}}, {{"nb=64 p=2", "1"}, {"nb=32", "2"}}, "a footnote"};
}

TEST(Spread, GivesEachValueAColumn) {
  const Table table = spread(configurations(), "configuration", {{{"nb", "64"}, {"p", "2"}}, {{"nb", "32"}}});
  EXPECT_EQ(to_csv(table), "nb,p,seconds\r\n64,2,1\r\n32,,2\r\n");
  EXPECT_EQ(table.footnote, "a footnote");
}

TEST(Spread, TellsNamesFromHeadingsThatAreThereAlready) {
  const std::vector<Configuration> elements = {{{{"configuration", "a"}, {"seconds", "9"}}}, {{}}};
  EXPECT_EQ(to_csv(spread(configurations(), "configuration", elements, &Configuration::setting)),
            "configuration,configuration.seconds,seconds\r\na,9,1\r\n,,2\r\n");
}

TEST(Spread, LeavesTablesWithoutTheColumnAsTheyAre) {
  EXPECT_EQ(to_csv(spread(configurations(), "n", std::vector<std::map<std::string, std::string>>())), to_csv(configurations()));
}

}  // namespace
}  // namespace flopcast::report
