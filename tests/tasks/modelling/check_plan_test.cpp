#include "flopcast/tasks/modelling/check_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/tasks/modelling/checked_machine.hpp"

namespace flopcast {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

class CheckPlans : public ::testing::Test {
 protected:
  CheckPlans() { machine_.sample(); }

  [[nodiscard]] CheckPlan plan(Seconds budget, std::uint64_t seed = 1) const {
    return plan_check(segments(), machine_.models(), repetitions, budget, seed);
  }
  [[nodiscard]] CheckedSegments segments() const { return {machine_.store, machine_.environment, {}}; }

  static std::set<std::size_t> places_of(const CheckedSegments& all, const std::vector<std::size_t>& segments) {
    std::set<std::size_t> places;
    for (const std::size_t s : segments) {
      for (const std::optional<std::size_t>& place : all.segments()[s].places) {
        if (place) {
          places.insert(*place);
        }
      }
    }
    return places;
  }

  static constexpr std::int64_t repetitions = 5;
  tests::CheckedMachine machine_;
};

TEST_F(CheckPlans, TakeEverySegmentOnce) {
  const CheckedSegments all = segments();
  const CheckPlan one = plan(10);
  std::vector<std::size_t> taken = one.retimed;
  taken.insert(taken.end(), one.checked.begin(), one.checked.end());
  EXPECT_EQ(std::set<std::size_t>(taken.begin(), taken.end()).size(), taken.size());
  EXPECT_EQ(taken.size(), all.segments().size());
  EXPECT_GE(one.retimed.size(), 3U);
  EXPECT_LE(one.retimed.size(), 3 * all.samples().size());
}

TEST_F(CheckPlans, HoldNoPlaceOutThatIsTimedFirst) {
  const CheckedSegments all = segments();
  const CheckPlan one = plan(10);
  EXPECT_GT(one.held_out.size(), all.places().size() / 10);
  const std::set<std::size_t> retimed = places_of(all, one.retimed);
  for (const std::size_t place : one.held_out) {
    EXPECT_EQ(retimed.count(place), 0U);
  }
  EXPECT_THAT(one.held_out, IsSubsetOf(places_of(all, one.checked)));
}

TEST_F(CheckPlans, HoldOutWhatThereIsTimeFor) { EXPECT_LT(plan(0.05).held_out.size(), plan(10).held_out.size()); }

TEST_F(CheckPlans, LeaveOutSegmentsThatAreTooLong) {
  const CheckPlan one = plan(1e-4);
  for (const std::size_t s : one.checked) {
    EXPECT_LE(one.costs[s], 1e-4 / 20);
  }
  EXPECT_THAT(plan(1e-9).checked, IsEmpty());
}

TEST_F(CheckPlans, DifferBySeed) {
  EXPECT_EQ(plan(10, 1).checked, plan(10, 1).checked);
  EXPECT_NE(plan(10, 1).checked, plan(10, 2).checked);
}

TEST_F(CheckPlans, ModelsLackPlacesThatAreHeldOut) {
  const CheckedSegments all = segments();
  const auto observations = [](const model::OnDemandModels& models) {
    std::size_t sum = 0;
    for (const auto& [key, process] : models.kernels()) {
      sum += process.observations();
    }
    return sum;
  };
  const std::size_t without = observations(all.models(machine_.environment, plan(10).held_out));
  const std::size_t with = observations(all.models(machine_.environment));
  EXPECT_LT(without, with);
  EXPECT_GT(without, 0U);
}

}  // namespace
}  // namespace flopcast
