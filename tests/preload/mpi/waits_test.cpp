#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/preload/mpi/waits.hpp"
#include "tests/preload/mpi/traced_programs.hpp"
#include "tests/preload/planted_losses.hpp"
#include "tests/trace_event_rules.hpp"

namespace flopcast::preload {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Waits, AreCountedByPlace) {
  const int site = 0;
  mpi::Waits waits;
  waits.note_region(5);
  for (const Seconds seconds : {1.0, 2.0}) {
    waits.enter(0, &site);
    waits.await(1, 2, MpiWaitKind::late_sender);
    waits.add(seconds);
  }
  waits.note_region(0);
  waits.enter(0);
  waits.await(1, 2, MpiWaitKind::late_sender);
  waits.add(0.5);
  EXPECT_EQ(waits.longest().seconds, 3.5) << "of all places";
  const auto places = waits.longest_places(9);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places.front().first, (mpi::WaitPlace{1, 2, MpiWaitKind::late_sender, 5, &site}));
  EXPECT_EQ(places.front().second.seconds, 3);
  EXPECT_EQ(places.front().second.count, 2);
  EXPECT_EQ(waits.longest_places(1).size(), 1U);
}

TEST(Waits, OfTooManyPlacesAreAddedUp) {
  mpi::Waits waits;
  for (std::int32_t partner = 0; partner < 5000; ++partner) {
    waits.enter(0);
    waits.await(1, partner, MpiWaitKind::late_receiver);
    waits.add(1);
  }
  EXPECT_EQ(waits.longest_places(1).front().second.count, 5000 - 4096);
  EXPECT_EQ(waits.longest_places(1).front().first.awaited, mpi::Wait::nobody);
}

/// Programs with planted losses, by wall time. The simulated clock has the same tests.
class PlantedLoss : public FollowedPrograms {
 protected:
  json found(const std::string& planted) {
    result_ = traced(3, "--clock wall", built("planted_program") + ' ' + planted);
    EXPECT_EQ(result_.exit_code, 0) << result_.err;
    return profile();
  }
  static double elapsed(const json& profile) { return profile.at("elapsed_seconds"); }
  Result result_;
};

TEST_P(PlantedLoss, LateSenderIsNamedWithTheCall) {
  const json profile = found("late_sender");
  expect_late_sender(profile, elapsed(profile));
  const json& wait = profile.at("waits").at(0);
  EXPECT_EQ(wait.at("routine"), "MPI_Recv");
  EXPECT_EQ(wait.at("count"), 3);
  EXPECT_THAT(wait.at("site").get<std::string>(), HasSubstr("planted_program_" + GetParam() + "+0x"));
  EXPECT_THAT(result_.err, HasSubstr("late sender"));
  EXPECT_THAT(result_.err, HasSubstr("| own code"));
  EXPECT_THAT(result_.err, HasSubstr("elapsed wall time"));
}

TEST_P(PlantedLoss, LateSenderOfOneOfSeveralRequestsIsNamed) {
  const json profile = found("any");
  expect_late_sender(profile, elapsed(profile));
}

TEST_P(PlantedLoss, LateReceiverIsNamed) {
  const json profile = found("late_receiver");
  expect_late_receiver(profile, elapsed(profile));
}

TEST_P(PlantedLoss, TimelineShowsWorkWaitingAndThePath) {
  const json profile = found("late_sender");
  expect_timeline_of_late_sender(profile, elapsed(profile));
  EXPECT_LE(profile.at("timeline").at("processes").at(0).at("waiting").size(), 240U);
}

TEST_P(PlantedLoss, EventsAreWrittenForViewers) {
  const Result result = traced(2, "--clock wall --timeline trace.json", built("planted_program") + " imbalance");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json trace = json::parse(tests::contents(folder_ / "trace.json"));
  EXPECT_EQ(tests::TraceEventRules::violation(trace), "");
  int works = 0, barriers = 0, parts = 0;
  for (const json& event : trace.at("traceEvents")) {
    const std::string name = event.at("name");
    works += name.starts_with("work") ? 1 : 0;
    barriers += name == "MPI_Barrier" ? 1 : 0;
    parts += event.at("ph") == "X" && name == "critical path" ? 1 : 0;
  }
  EXPECT_EQ(works, 2 * 3);
  EXPECT_EQ(barriers, 2 * 3);
  EXPECT_GE(parts, 1);
}

TEST_P(PlantedLoss, TimelineNeedsWallTime) {
  ASSERT_EQ(traced(2, "--clock cpu", built("planted_program") + " none").exit_code, 0);
  EXPECT_EQ(profile().count("timeline"), 0U);
}

TEST_P(PlantedLoss, ImbalanceIsNamedWithItsRegion) {
  const json profile = found("imbalance");
  expect_imbalance(profile, elapsed(profile));
  const json& region = profile.at("regions").at(0);
  EXPECT_EQ(region.at("name"), "work");
  EXPECT_NEAR(region.at("efficiencies").at("load_balance").get<double>(), 2.0 / 3, 0.13);
  EXPECT_EQ(region.at("efficiencies").count("transfer"), 0U) << "the ideal run isn't known for a part of the run";
}

TEST_P(PlantedLoss, SerialisationLowersItsEfficiency) { expect_serialisation(found("serialisation")); }

TEST_P(PlantedLoss, BalancedProgramsLoseLittle) {
  const json profile = found("none");
  expect_no_loss(profile, elapsed(profile));
}

/// One process waits for nobody.
TEST_P(PlantedLoss, OneProcessIsEfficient) {
  ASSERT_EQ(traced(1, "--clock wall", built("planted_program") + " none").exit_code, 0);
  const json alone = profile();
  EXPECT_TRUE(alone.at("waits").empty());
  expect_efficiency(alone, "load_balance", 1, 1);
  expect_efficiency(alone, "parallel", 0.8, 1);
}

INSTANTIATE_TEST_SUITE_P(Mpi, PlantedLoss, testing::Values("openmpi", "mpich"));

}  // namespace
}  // namespace flopcast::preload
