#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"
#include "tests/schema_check.hpp"
#include "tests/trace_event_rules.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

MpiProfile a_run() {
  MpiProfile profile;
  profile.ranks = 2;
  profile.timeline = MpiTimeline{};
  profile.timeline->omitted_events = 3;
  profile.timeline->events = {{1, "MPI_Recv", "communication", 0, 1.00000002},
                              {1, "solve", "region", 1, 2},
                              {1, "dgemm(NN, 9, 9, 9)", "computation", 1.5, 1.5000000004},  // ends after its region by rounding
                              {0, "MPI_Send", "communication", 1, 1e-6},
                              {1, "critical path", "path", 1, 2},
                              {0, "critical path", "path", 0, 1}};
  return profile;
}

TEST(MpiTraceEvents, KeepTheRulesOfTheFormat) {
  const std::string text = trace_events_of(a_run());
  const json document = json::parse(text);
  EXPECT_EQ(tests::TraceEventRules::violation(document), "") << text;
  EXPECT_EQ(tests::schema_violation(text, mpi_schemas()), "");
  EXPECT_EQ(document.at("otherData").at("omitted_events"), 3);
}

TEST(MpiTraceEvents, FlowsLeadAlongThePath) {
  const json document = json::parse(trace_events_of(a_run()));
  std::vector<std::pair<std::string, int>> flows;
  for (const json& event : document.at("traceEvents")) {
    if (event.at("ph") == "s" || event.at("ph") == "f") {
      flows.emplace_back(event.at("ph"), event.at("pid"));
    }
  }
  EXPECT_EQ(flows, (std::vector<std::pair<std::string, int>>{{"s", 0}, {"f", 1}}));
}

TEST(MpiTraceEvents, NeedEvents) {
  MpiProfile profile = a_run();
  profile.timeline->events.clear();
  EXPECT_THROW(static_cast<void>(trace_events_of(profile)), Error);
  profile.timeline.reset();
  EXPECT_THROW(static_cast<void>(trace_events_of(profile)), Error);
}

}  // namespace
}  // namespace flopcast
