#include "flopcast/program/saved_tuning.hpp"

#include <gmock/gmock.h>

#include <array>

#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/support/error.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::program {
namespace {

using testing::HasSubstr;

TunedRoutine geqrf() { return {"dgeqrf", "", {{800, 800, {48, 2, 96}, {32, 64}, 0.01, false, 24, 300}, {200, 200, {24, 2, 0}, {}, 0}}}; }

SavedTuning sample_tuning() {
  SavedTuning tuning;
  tuning.environment.cpu = "some CPU";
  tuning.environment.fingerprint = "abc";
  tuning.set(geqrf());
  tuning.set({"dpotrf", "L", {{500, 500, {96, 2, 0}, {}, 0}}});
  return tuning;
}

std::string complaint(const nlohmann::json& json) {
  try {
    saved_tuning_from_json(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(SavedTuning, SortsPoints) {
  const SavedTuning tuning = sample_tuning();

  EXPECT_EQ(tuning.routines[0].points[0].n, 200);
  EXPECT_EQ(tuning.routines[0].points[1].n, 800);
}

TEST(SavedTuning, SetReplacesTheSameRoutineAndFlags) {
  SavedTuning tuning = sample_tuning();
  tuning.set({"dgeqrf", "", {{100, 100, {16, 2, 0}, {}, 0}}});
  tuning.set({"dpotrf", "U", {{100, 100, {16, 2, 0}, {}, 0}}});

  ASSERT_EQ(tuning.routines.size(), 3U);
  EXPECT_EQ(tuning.routines[0].points.size(), 1U);
}

TEST(SavedTuning, MergeKeepsPointsOfOtherSizes) {
  SavedTuning tuning;
  tuning.set(
      {"dgeqrf",
       "",
       {{100, 100, {8, 2, 0}, {}, 0}, {400, 400, {32, 2, 0}, {}, 0}, {620, 620, {40, 2, 0}, {}, 0}, {4000, 400, {64, 2, 0}, {}, 0}}});
  tuning.merge({"dgeqrf", "", {{600, 600, {48, 2, 0}, {}, 0}, {400, 400, {16, 2, 0}, {}, 0}}});

  EXPECT_EQ(block_table_text(tuning), "dgeqrf,,100x100:8/2/0,400x400:16/2/0,600x600:48/2/0,4000x400:64/2/0");
}

TEST(SavedTuning, MergePrefersDecidedPoints) {
  const TunedPoint decided{400, 400, {16, 2, 0}, {}, 0.01}, undecided{400, 400, {32, 2, 0}, {}, 0.3, true};
  SavedTuning tuning;
  tuning.set({"dgeqrf", "", {decided}});
  tuning.merge({"dgeqrf", "", {undecided, {800, 800, {32, 2, 0}, {}, 0.3, true}}});
  EXPECT_EQ(block_table_text(tuning), "dgeqrf,,400x400:16/2/0,800x800:32/2/0");

  tuning.set({"dgeqrf", "", {undecided}});
  tuning.merge({"dgeqrf", "", {decided}});
  EXPECT_EQ(block_table_text(tuning), "dgeqrf,,400x400:16/2/0");
}

TEST(SavedTuning, MergeKeepsPointsThatRestOnMore) {
  const TunedPoint known{1000, 1000, {16, 2, 0}, {}, 0.03, false, 24, 900};
  const auto after = [&](const TunedPoint& newer) {
    SavedTuning tuning;
    tuning.set({"dsytrd", "L", {known}});
    const std::vector<KeptPoint> stayed = tuning.merge({"dsytrd", "L", {newer, {2000, 2000, {64, 2, 0}, {}, 0, false, 1, 5}}});
    EXPECT_EQ(tuning.routines[0].points.size(), 2U) << "the other size is new";
    const bool stays = tuning.routines[0].points[0].blocks == known.blocks;
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

TEST(SavedTuning, MergeGivesUpOldPointsRatherThanNewOnes) {
  TunedRoutine many{"dgeqrf", "", {}};
  for (std::int64_t n = 1; n <= static_cast<std::int64_t>(protocol::max_tuned_points); ++n) {
    many.points.push_back({n, n, {8, 2, 0}, {}, 0});
  }
  SavedTuning tuning;
  tuning.set(many);
  tuning.merge({"dgeqrf", "", {{600, 600, {48, 2, 0}, {}, 0}}});

  EXPECT_EQ(block_table_text(tuning), "dgeqrf,,600x600:48/2/0");
}

TEST(SavedTuning, SurvivesJson) {
  const SavedTuning tuning = sample_tuning();

  EXPECT_EQ(saved_tuning_from_json(nlohmann::json::parse(to_json(tuning).dump())), tuning);
  EXPECT_EQ(tests::schema_violation(to_json(tuning).dump(), std::array{saved_tuning_schema()}), "");
}

TEST(SavedTuning, KeepsPlacesWithOtherLibrariesAndThreads) {
  SavedTuning tuning = sample_tuning();
  SavedTuning other = sample_tuning();
  other.environment.threads = 2;
  other.set({"dpotrf", "L", {{500, 500, {32, 2, 0}, {}, 0}}});
  tuning.others = {other};

  EXPECT_EQ(saved_tuning_from_json(nlohmann::json::parse(to_json(tuning).dump())), tuning);
  EXPECT_EQ(tests::schema_violation(to_json(tuning).dump(), std::array{saved_tuning_schema()}), "");
  EXPECT_EQ(places(tuning).size(), 2U);
  EXPECT_EQ(joined(places(tuning)), tuning);
  EXPECT_EQ(block_table_text(tuning), block_table_text(sample_tuning()));
  EXPECT_FALSE(same_place(tuning.environment, other.environment));
}

TEST(SavedTuning, NamesTheErrorInADocument) {
  const nlohmann::json good = to_json(sample_tuning());
  EXPECT_THAT(complaint(nlohmann::json::array()), HasSubstr("flopcast-tuning-file-1"));

  nlohmann::json newer = good;
  newer["schema"] = "flopcast-tuning-file-2";
  EXPECT_THAT(complaint(newer), HasSubstr("flopcast-tuning-file-2"));

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

TEST(SavedTuning, SetsVariablesOfKernelsOnly) {
  nlohmann::json document = to_json(sample_tuning());
  document["settings"] = {{"OPENBLAS_CORETYPE", "Haswell"}, {"BLIS_ARCH_TYPE", "3"}};
  EXPECT_EQ(complaint(document), "accepted");
  nlohmann::json of_others = document;
  document["settings"]["LD_PRELOAD"] = "/tmp/another.so";
  EXPECT_THAT(complaint(document), HasSubstr("LD_PRELOAD"));
  of_others["others"] = {document};
  EXPECT_THAT(complaint(of_others), HasSubstr("LD_PRELOAD"));
}

TEST(SavedTuning, BecomesTheTableOfThePreloadedLibrary) {
  EXPECT_EQ(block_table_text(sample_tuning()), "dgeqrf,,200x200:24/2/0,800x800:48/2/96;dpotrf,L,500x500:96/2/0");
  EXPECT_EQ(block_table_text({}), "");
}

TEST(SavedTuning, RefusesMoreThanTheLibraryCanHold) {
  SavedTuning tuning;
  tuning.set({"averyveryverylongname", "", {{5, 5, {1, 2, 3}, {}, 0}}});

  EXPECT_THROW(block_table_text(tuning), Error);
}

}  // namespace
}  // namespace flopcast::program
