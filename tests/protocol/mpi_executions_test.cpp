#include "flopcast/protocol/mpi_executions.hpp"

#include <gmock/gmock.h>

#include "flopcast/support/error.hpp"

namespace flopcast::protocol {
namespace {

using ::testing::HasSubstr;

MpiExecution execution(const std::string& nb, const std::string& grid, selective::Policy policy = selective::Policy::local) {
  return {{{"nb", nb}, {"grid", grid}}, policy};
}

TEST(MpiExecutions, GoesOnWithExecutionsThatDifferInReadParametersOnly) {
  MpiExecutions all({execution("64", "2x1"), execution("64", "1x2"), execution("96", "2x1")});
  EXPECT_EQ(*all.value("nb"), "64");
  ASSERT_EQ(all.next(), 2U) << "the program has not read the grid";
  all.go_on_with(2);
  EXPECT_EQ(*all.value("nb"), "96");
  EXPECT_EQ(all.value("depth"), nullptr);
  EXPECT_EQ(all.next(), std::nullopt);
  EXPECT_EQ(*all.value("grid"), "2x1");
  EXPECT_EQ(all.next(), 1U);
}

TEST(MpiExecutions, AProgramThatReadsNoParametersOnlyRepeatsItsOwn) {
  MpiExecutions all({execution("64", "2x1", selective::Policy::full), execution("96", "2x1"), execution("64", "2x1")});
  ASSERT_EQ(all.next(), 2U);
  all.go_on_with(2);
  EXPECT_EQ(all.current().policy, selective::Policy::local);
  EXPECT_EQ(all.next(), std::nullopt);
}

TEST(MpiExecutions, SurviveText) {
  MpiExecution silent = execution("96", "2x1", selective::Policy::full);
  silent.times_are_used = false;
  const std::vector<MpiExecution> executions = {execution("64", "1x2"), silent};
  EXPECT_EQ(parse_mpi_executions(to_text(executions)), executions);
}

TEST(MpiExecutions, RefusesTextsThatAreNoList) {
  for (const char* text :
       {"", "[]", "{}", R"({"schema": "flopcast-mpi-executions-3", "executions": []})",
        R"({"schema": "flopcast-mpi-executions-2", "executions": []})",
        R"({"schema": "flopcast-mpi-executions-2", "executions": [{"parameters": {"nb": 64}, "policy": "local", "times_are_used": true}]})",
        R"({"schema": "flopcast-mpi-executions-2", "executions": [{"parameters": {}, "policy": "eagre", "times_are_used": true}]})"}) {
    EXPECT_THROW(static_cast<void>(parse_mpi_executions(text)), Error) << text;
  }
}

}  // namespace
}  // namespace flopcast::protocol
