#include "flopcast/tasks/mpi/kept_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using ::testing::IsEmpty;

MpiConfiguration configuration_of(const char* nb, Seconds predicted) {
  MpiConfiguration configuration;
  configuration.setting = {{"grid", "1x2"}, {"nb", nb}, {"threads", "1"}};
  configuration.predicted = predicted;
  configuration.half_width = predicted / 10;
  configuration.elapsed = predicted / 2;
  return configuration;
}

TEST(KeptAdviceInAStore, IsThatOfTheSameRequestUntilTheSearchIsComplete) {
  const tests::OwnFolder folder;
  model::Store store = model::Store::open(folder.path() / "store.db");
  MpiAdviseRequest request;
  request.routine = "pdgetrf";
  request.n = 1000;
  request.ranks = 2;
  AdviceServices services;
  keep_advice(services, store, request);
  EXPECT_THAT(services.known.predicted.configurations, IsEmpty());
  KeptAdvice found;
  found.predicted.clock = protocol::MpiClock::cpu;
  found.predicted.configurations = {configuration_of("32", 1), configuration_of("64", 2)};
  found.executed.configurations = {configuration_of("64", 2.5)};
  services.keep(&found);

  AdviceServices later;
  request.time_budget = 7;
  keep_advice(later, store, request);
  EXPECT_EQ(later.known.predicted, found.predicted);
  EXPECT_EQ(later.known.executed, found.executed);
  request.n = 1001;
  AdviceServices other;
  keep_advice(other, store, request);
  EXPECT_THAT(other.known.predicted.configurations, IsEmpty());

  later.keep(nullptr);
  request.n = 1000;
  keep_advice(other, store, request);
  EXPECT_THAT(other.known.executed.configurations, IsEmpty());
}

}  // namespace
}  // namespace flopcast
