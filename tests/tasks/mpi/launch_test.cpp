#include "flopcast/tasks/mpi/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flopcast {
namespace {

using ::testing::ElementsAre;

std::vector<MpiExecution> executions_of(const search::ParameterSpace& space) {
  std::vector<MpiExecution> all;
  for (const search::Setting& setting : settings_of(space)) {
    all.push_back({setting, selective::Policy::full});
  }
  return all;
}

TEST(ExecutionsOfOneLaunch, DifferInValuesThatAreWordsOfTheirOwn) {
  search::ParameterSpace space = {"test", {"mpirun"}, {"./app", "{n}", "{way}"}, {{"n", {"1", "2"}}, {"way", {"a", "b"}}}, ""};
  EXPECT_THAT(executions_of_one_launch(space, executions_of(space)), ElementsAre(0, 1, 2, 3));
  space.command = {"./app", "{n}", "--way={way}"};
  EXPECT_THAT(executions_of_one_launch(space, executions_of(space)), ElementsAre(0, 2)) << "the program can't read the way by name";
  space.command = {"./app", "{n}", "{way}", "{n}"};
  EXPECT_THAT(executions_of_one_launch(space, executions_of(space)), ElementsAre(0, 1)) << "the size stands in two places";
}

TEST(ExecutionsOfOneLaunch, OptionsHaveTheParametersName) {
  search::ParameterSpace space = {"test", {"mpirun"}, {"./app", "--base-case", "{base_case}"}, {{"base_case", {"1", "2"}}}, ""};
  EXPECT_THAT(executions_of_one_launch(space, executions_of(space)), ElementsAre(0, 1));
  space.command = {"./app", "--other", "{base_case}"};
  EXPECT_THAT(executions_of_one_launch(space, executions_of(space)), ElementsAre(0));
}

TEST(ExecutionsOfOneLaunch, TheProgramItselfIsNoValue) {
  const search::ParameterSpace space = {"test", {"mpirun"}, {"{app}"}, {{"app", {"./a", "./b"}}}, ""};
  EXPECT_THAT(executions_of_one_launch(space, executions_of(space)), ElementsAre(0));
}

}  // namespace
}  // namespace flopcast
