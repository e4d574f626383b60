#include "flopcast/search/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParameterSpace, ExtremesComeFirstAndSettingsKeepTheOrder) {
  const ParameterSpace space = {"test", {"mpirun"}, {"./app"}, {{"n", {"50", "20", "30", "10", "40"}}}, ""};
  EXPECT_THAT(extremes_first(space), ElementsAre(0, 3, 1, 4, 2));
  EXPECT_EQ(middle_of(space), 2U);
  EXPECT_EQ(settings_of(space).at(1).at("n"), "20");
}

TEST(ParameterSpace, ValuesReplaceTheirPlaces) {
  const ParameterSpace space = {"test", {"mpirun"}, {"./app", "--grid={p}x{q}", "{p}"}, {{"p", {"2"}}, {"q", {"3"}}}, ""};
  EXPECT_THAT(command_of(space, settings_of(space).front()), ElementsAre("./app", "--grid=2x3", "2"));
  EXPECT_EQ(to_string(settings_of(space).front()), "p=2 q=3");
}

TEST(ParameterSpace, HasALimitOfConfigurations) {
  std::vector<std::string> many;
  for (int i = 0; i < 400; ++i) {
    many.push_back(std::to_string(i));
  }
  const ParameterSpace space = {"test", {"mpirun"}, {"./app", "{n}", "{nb}"}, {{"n", many}, {"nb", many}}, ""};
  EXPECT_THAT(tests::bad_input_of([&] { static_cast<void>(settings_of(space)); }), HasSubstr("space 'test' has 160000 configurations"));
}

/// Returns the settings of three parameters that meet the conditions, as "ib nb way" each.
std::vector<std::string> settings_with(const std::vector<std::string>& conditions) {
  ParameterSpace space = {"test", {}, {"./app"}, {{"nb", {"8", "16"}}, {"ib", {"4", "12"}}, {"way", {"left", "right"}}}};
  space.conditions = conditions;
  std::vector<std::string> all;
  for (const Setting& setting : settings_of(space)) {
    all.push_back(setting.at("ib") + ' ' + setting.at("nb") + ' ' + setting.at("way"));
  }
  return all;
}

TEST(ParameterSpace, ConditionsLeaveOutSettings) {
  EXPECT_EQ(settings_with({}).size(), 8U);
  EXPECT_EQ(settings_with({"ib <= nb"}).size(), 6U);
  EXPECT_THAT(settings_with({"2*ib<nb", "way != left"}), ElementsAre("4 16 right"));
  EXPECT_THAT(settings_with({"nb % ib = 0", "way = left"}), ElementsAre("4 8 left", "4 16 left"));
  EXPECT_THAT(settings_with({"ib + nb = 20", "way == left"}), ElementsAre("12 8 left", "4 16 left"));
  EXPECT_THAT(settings_with({"nb > 8", "ib >= 12", "nb-ib != 5", "way=right"}), ElementsAre("12 16 right"));
}

TEST(ParameterSpace, WrongConditionsAreNamed) {
  const auto message = [](const std::string& condition) { return tests::bad_input_of([&] { settings_with({condition}); }); };
  EXPECT_THAT(message("nb"), HasSubstr("condition 'nb' is no relation"));
  EXPECT_THAT(message("<= 3"), HasSubstr("is no relation"));
  EXPECT_THAT(message("mb <= 3"), HasSubstr("condition 'mb <= 3': "));
  EXPECT_THAT(message("way <= 3"), HasSubstr("parameters with whole numbers as values: ib, nb"));
  EXPECT_THAT(message("8 <= nb <= 64"), HasSubstr("condition '8 <= nb <= 64' has more than one relation. Write two conditions"));
  EXPECT_THAT(message("nb > 100"), HasSubstr("has no configuration that meets 1 condition"));
}

TEST(ParameterSpace, ExtremesAndMiddleAreThoseOfTheSettingsThatAreLeft) {
  ParameterSpace space = {"test", {}, {"./app"}, {{"n", {"10", "20", "30", "40", "50"}}}};
  space.conditions = {"n != 30", "n != 10"};
  EXPECT_THAT(extremes_first(space), ElementsAre(2, 0, 1)) << "50, then 20 and 40";
  EXPECT_EQ(middle_of(space), 0U) << "20 is as near as 40";
}

TEST(ParameterSpace, ValuesAreRangesOrLists) {
  EXPECT_THAT(parse_values("16:64:16", "nb"), ElementsAre("16", "32", "48", "64"));
  EXPECT_THAT(parse_values("left,right", "way"), ElementsAre("left", "right"));
  EXPECT_THAT(parse_values("0.5,10", "tolerance"), ElementsAre("0.5", "10"));
  EXPECT_THAT(parse_values("a:b", "way"), ElementsAre("a:b"));
  EXPECT_THAT(tests::bad_input_of([] { static_cast<void>(parse_values("8,8", "parameter nb")); }),
              HasSubstr("parameter nb: the value '8'"));
}

TEST(ParameterSpace, IsReadWithoutALauncher) {
  const tests::OwnFolder folder;
  const std::string file = (folder.path() / "space.json").string();
  std::ofstream(file) << R"({"schema": "flopcast-space-1", "name": "x", "command": ["./app", "{nb}"],
                             "parameters": {"nb": [8, 16], "OMP": [1]}, "conditions": ["nb > 8"]})";
  const ParameterSpace space = read_space(file, "flopcast-space-1", false);
  EXPECT_EQ(settings_of(space).size(), 1U);
  EXPECT_TRUE(is_in_command(space, "nb"));
  EXPECT_FALSE(is_in_command(space, "OMP"));
  std::ofstream(file) << R"({"schema": "flopcast-space-1", "name": "x", "launcher": ["mpirun"], "command": ["./app"], "parameters": {}})";
  EXPECT_THAT(tests::bad_input_of([&] { static_cast<void>(read_space(file, "flopcast-space-1", false)); }),
              HasSubstr("there is no member 'launcher'"));
}

}  // namespace
}  // namespace flopcast::search
