#include "flopcast/program/profile.hpp"

#include <gmock/gmock.h>

#include <array>

#include "flopcast/program/profile_json.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/support/error.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::program {
namespace {

using testing::HasSubstr;

TunedRoutine geqrf() { return {"dgeqrf", "", {{800, 800, {48, 2, 96}, {32, 64}, 0.01, false, 24, 300}, {200, 200, {24, 2, 0}, {}, 0}}}; }

Profile sample_profile() {
  Profile profile;
  profile.environment.cpu = "some CPU";
  profile.environment.fingerprint = "abc";
  profile.set(geqrf());
  profile.set({"dpotrf", "L", {{500, 500, {96, 2, 0}, {}, 0}}});
  return profile;
}

std::string complaint(const nlohmann::json& json) {
  try {
    profile_from_json(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Profile, SortsPoints) {
  const Profile profile = sample_profile();

  EXPECT_EQ(profile.routines[0].points[0].n, 200);
  EXPECT_EQ(profile.routines[0].points[1].n, 800);
}

TEST(Profile, SetReplacesTheSameRoutineAndFlags) {
  Profile profile = sample_profile();
  profile.set({"dgeqrf", "", {{100, 100, {16, 2, 0}, {}, 0}}});
  profile.set({"dpotrf", "U", {{100, 100, {16, 2, 0}, {}, 0}}});

  ASSERT_EQ(profile.routines.size(), 3U);
  EXPECT_EQ(profile.routines[0].points.size(), 1U);
}

TEST(Profile, MergeKeepsPointsOfOtherSizes) {
  Profile profile;
  profile.set(
      {"dgeqrf",
       "",
       {{100, 100, {8, 2, 0}, {}, 0}, {400, 400, {32, 2, 0}, {}, 0}, {620, 620, {40, 2, 0}, {}, 0}, {4000, 400, {64, 2, 0}, {}, 0}}});
  profile.merge({"dgeqrf", "", {{600, 600, {48, 2, 0}, {}, 0}, {400, 400, {16, 2, 0}, {}, 0}}});

  EXPECT_EQ(block_table_text(profile), "dgeqrf,,100x100:8/2/0,400x400:16/2/0,600x600:48/2/0,4000x400:64/2/0");
}

TEST(Profile, MergePrefersDecidedPoints) {
  const TunedPoint decided{400, 400, {16, 2, 0}, {}, 0.01}, undecided{400, 400, {32, 2, 0}, {}, 0.3, true};
  Profile profile;
  profile.set({"dgeqrf", "", {decided}});
  profile.merge({"dgeqrf", "", {undecided, {800, 800, {32, 2, 0}, {}, 0.3, true}}});
  EXPECT_EQ(block_table_text(profile), "dgeqrf,,400x400:16/2/0,800x800:32/2/0");

  profile.set({"dgeqrf", "", {undecided}});
  profile.merge({"dgeqrf", "", {decided}});
  EXPECT_EQ(block_table_text(profile), "dgeqrf,,400x400:16/2/0");
}

TEST(Profile, MergeKeepsPointsThatRestOnMore) {
  const TunedPoint known{1000, 1000, {16, 2, 0}, {}, 0.03, false, 24, 900};
  const auto after = [&](const TunedPoint& newer) {
    Profile profile;
    profile.set({"dsytrd", "L", {known}});
    const std::vector<KeptPoint> stayed = profile.merge({"dsytrd", "L", {newer, {2000, 2000, {64, 2, 0}, {}, 0, false, 1, 5}}});
    EXPECT_EQ(profile.routines[0].points.size(), 2U) << "the other size is new";
    const bool stays = profile.routines[0].points[0].blocks == known.blocks;
    EXPECT_EQ(stayed.size(), stays ? 1U : 0U);
    if (!stayed.empty()) {
      EXPECT_EQ(stayed[0].routine, "dsytrd:L");
      EXPECT_EQ(stayed[0].kept, known);
      EXPECT_EQ(stayed[0].refused, newer);
    }
    return stays;
  };
  EXPECT_TRUE(after({1000, 1000, {32, 2, 0}, {}, 0, false, 1, 900})) << "fewer candidates";
  EXPECT_TRUE(after({1000, 1000, {32, 2, 0}, {}, 0, false, 24, 400})) << "less than half the samples";
  EXPECT_TRUE(after({1000, 1000, {32, 2, 0}, {}, 0.2, true, 24, 2000})) << "undecided";
  EXPECT_TRUE(after({1020, 1020, {32, 2, 0}, {}, 0, false, 1, 900})) << "a size nearby";
  EXPECT_TRUE(after({1000, 1000, {32, 2, 0}, {}, 0})) << "unknown evidence";
  EXPECT_FALSE(after({1000, 1000, {32, 2, 0}, {}, 0.05, false, 24, 800})) << "about as much";
  EXPECT_FALSE(after({1000, 1000, {32, 2, 0}, {}, 0.02, false, 30, 2000})) << "more";
}

TEST(Profile, MergeGivesUpOldPointsRatherThanNewOnes) {
  TunedRoutine many{"dgeqrf", "", {}};
  for (std::int64_t n = 1; n <= static_cast<std::int64_t>(protocol::max_tuned_points); ++n) {
    many.points.push_back({n, n, {8, 2, 0}, {}, 0});
  }
  Profile profile;
  profile.set(many);
  profile.merge({"dgeqrf", "", {{600, 600, {48, 2, 0}, {}, 0}}});

  EXPECT_EQ(block_table_text(profile), "dgeqrf,,600x600:48/2/0");
}

TEST(Profile, SurvivesJson) {
  const Profile profile = sample_profile();

  EXPECT_EQ(profile_from_json(nlohmann::json::parse(to_json(profile).dump())), profile);
  EXPECT_EQ(tests::schema_violation(to_json(profile).dump(), std::array{profile_schema()}), "");
}

TEST(Profile, KeepsPlacesWithOtherLibrariesAndThreads) {
  Profile profile = sample_profile();
  Profile other = sample_profile();
  other.environment.threads = 2;
  other.set({"dpotrf", "L", {{500, 500, {32, 2, 0}, {}, 0}}});
  profile.others = {other};

  EXPECT_EQ(profile_from_json(nlohmann::json::parse(to_json(profile).dump())), profile);
  EXPECT_EQ(tests::schema_violation(to_json(profile).dump(), std::array{profile_schema()}), "");
  EXPECT_EQ(places(profile).size(), 2U);
  EXPECT_EQ(joined(places(profile)), profile);
  EXPECT_EQ(block_table_text(profile), block_table_text(sample_profile()));
  EXPECT_FALSE(same_place(profile.environment, other.environment));
}

TEST(Profile, NamesTheErrorInADocument) {
  const nlohmann::json good = to_json(sample_profile());
  EXPECT_THAT(complaint(nlohmann::json::array()), HasSubstr("flopcast-profile-1"));

  nlohmann::json newer = good;
  newer["schema"] = "flopcast-profile-2";
  EXPECT_THAT(complaint(newer), HasSubstr("flopcast-profile-2"));

  nlohmann::json without_environment = good;
  without_environment.erase("environment");
  EXPECT_THAT(complaint(without_environment), HasSubstr("environment"));

  nlohmann::json negative = good;
  negative["routines"][0]["points"][0]["nb"] = -3;
  EXPECT_THAT(complaint(negative), HasSubstr("nb = -3"));

  nlohmann::json text = good;
  text["routines"][0]["points"][0]["n"] = "many";
  EXPECT_THAT(complaint(text), HasSubstr("damaged"));

  nlohmann::json empty = good;
  empty["routines"][0]["points"].clear();
  EXPECT_THAT(complaint(empty), HasSubstr("no points"));
}

TEST(Profile, BecomesTheTableOfThePreloadedLibrary) {
  EXPECT_EQ(block_table_text(sample_profile()), "dgeqrf,,200x200:24/2/0,800x800:48/2/96;dpotrf,L,500x500:96/2/0");
  EXPECT_EQ(block_table_text({}), "");
}

TEST(Profile, RefusesMoreThanTheLibraryCanHold) {
  Profile profile;
  profile.set({"averyveryverylongname", "", {{5, 5, {1, 2, 3}, {}, 0}}});

  EXPECT_THROW(block_table_text(profile), Error);
}

}  // namespace
}  // namespace flopcast::program
