#include "flopcast/protocol/block_table.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <string>

namespace flopcast::protocol {
namespace {

class BlockTables : public testing::Test {
 protected:
  bool read(const std::string& text) { return parse(text.c_str(), *table_); }
  const RoutineBlocks* entry(const std::string& name, const std::string& options = "") {
    return find(*table_, routine_name(name.data(), name.size()), options.data(), options.size());
  }
  std::int32_t nb(const std::string& name, std::int64_t m, std::int64_t n) {
    const RoutineBlocks* routine = entry(name);
    const BlockPoint* point = routine == nullptr ? nullptr : nearest(*routine, m, n);
    return point == nullptr ? -1 : point->nb;
  }

  std::unique_ptr<BlockTable> table_ = std::make_unique<BlockTable>();
};

TEST_F(BlockTables, ReadsRoutinesAndPoints) {
  ASSERT_TRUE(read("dgeqrf,,200x200:24/2/0,800x800:48/4/96;dpotrf,L,500x500:96/2/0"));

  ASSERT_EQ(table_->count, 2U);
  ASSERT_EQ(table_->routines[0].count, 2U);
  EXPECT_EQ(table_->routines[0].points[1].nb, 48);
  EXPECT_EQ(table_->routines[0].points[1].nbmin, 4);
  EXPECT_EQ(table_->routines[0].points[1].nx, 96);
  EXPECT_STREQ(table_->routines[1].flags, "L");
}

TEST_F(BlockTables, FindsARoutineByOtherOptions) {
  ASSERT_TRUE(read("dsytrd,L,200x200:24/2/0"));

  EXPECT_EQ(entry("DSYTRD", "U"), nullptr);
  EXPECT_EQ(find_with_other_options(*table_, routine_name("DSYTRD", 6)), &table_->routines[0]);
  EXPECT_EQ(find_with_other_options(*table_, routine_name("DGEQRF", 6)), nullptr);
}

TEST_F(BlockTables, FindsEachOfManyRoutines) {
  std::string text;
  for (int i = 1; i <= 256; ++i) {
    text += (i == 1 ? "" : ";") + ("dr" + std::to_string(i)) + ",,100x100:" + std::to_string(i) + "/2/0";
  }
  ASSERT_TRUE(read(text));
  for (int i = 1; i <= 256; ++i) {
    EXPECT_EQ(nb("DR" + std::to_string(i), 100, 100), i);
  }
  EXPECT_EQ(entry("DR257"), nullptr);
  EXPECT_FALSE(read(text + ";drx,,100x100:1/2/0"));
  EXPECT_EQ(entry("DR1"), nullptr);
}

TEST_F(BlockTables, StepsAtGeometricMeans) {
  ASSERT_TRUE(read("dgeqrf,,200x200:24/2/0,800x800:48/2/0"));

  EXPECT_EQ(nb("DGEQRF", 399, 399), 24);
  EXPECT_EQ(nb("DGEQRF", 401, 401), 48);
  EXPECT_EQ(nb("DGEQRF", 100000, 100000), 48);
}

TEST_F(BlockTables, TakesTheNearestOfRectangularPoints) {
  ASSERT_TRUE(read("dgeqrf,,1000x1000:64/2/0,100000x100:16/2/0,100x100000:32/2/0"));

  EXPECT_EQ(nb("DGEQRF", 2000, 900), 64);
  EXPECT_EQ(nb("DGEQRF", 50000, 80), 16);
  EXPECT_EQ(nb("DGEQRF", 80, 50000), 32);
}

TEST_F(BlockTables, AgreesWithASearchOverAllPoints) {
  ASSERT_TRUE(read("dgeqrf,,100x100:1/2/0,200x100:2/2/0,100x300:3/2/0,900x900:4/2/0,3000x50:5/2/0"));
  const RoutineBlocks& routine = table_->routines[0];
  for (std::int64_t m = 60; m < 5000; m = m * 5 / 4) {
    for (std::int64_t n = 60; n < 5000; n = n * 5 / 4) {
      double least = HUGE_VAL;
      for (std::size_t i = 0; i < routine.count; ++i) {
        const BlockPoint& p = routine.points[i];
        least = std::min(least, std::hypot(p.log_m - std::log(static_cast<double>(m)), p.log_n - std::log(static_cast<double>(n))));
      }
      const BlockPoint* found = nearest(routine, m, n);
      ASSERT_NE(found, nullptr);
      EXPECT_NEAR(std::hypot(found->log_m - std::log(static_cast<double>(m)), found->log_n - std::log(static_cast<double>(n))), least,
                  1e-12);
    }
  }
}

TEST_F(BlockTables, LeavesSmallSizesToLapack) {
  ASSERT_TRUE(read("dgeqrf,,200x200:24/2/0"));

  EXPECT_EQ(nb("DGEQRF", 99, 99), -1);
  EXPECT_EQ(nb("DGEQRF", 101, 101), 24);
  EXPECT_EQ(nb("DGEQRF", 0, 10), -1);
}

TEST_F(BlockTables, AMissingSizeEqualsTheFirst) {
  ASSERT_TRUE(read("dpotrf,,100x100:32/2/0,1000x1000:96/2/0"));

  EXPECT_EQ(nb("DPOTRF", 900, -1), 96);
}

TEST_F(BlockTables, FindsNamesInAnyCaseAndPadded) {
  ASSERT_TRUE(read("dgeqrf,,200x200:24/2/0"));

  for (const char* name : {"DGEQRF", "dgeqrf", "dGEQRF", "DGEQRF  "}) {
    EXPECT_NE(entry(name), nullptr) << name;
  }
  for (const char* name : {"DGEQR", "DGEQRF2", "", "ZGEQRF"}) {
    EXPECT_EQ(entry(name), nullptr) << name;
  }
}

TEST_F(BlockTables, PrefersTheEntryForTheOptionsGiven) {
  ASSERT_TRUE(read("dpotrf,,500x500:64/2/0;dpotrf,U,500x500:96/2/0"));

  EXPECT_STREQ(entry("DPOTRF", "u")->flags, "U");
  EXPECT_STREQ(entry("DPOTRF", "L")->flags, "");
}

TEST_F(BlockTables, AnEmptyTextIsAnEmptyTable) {
  EXPECT_TRUE(read(""));
  EXPECT_EQ(table_->count, 0U);
}

TEST_F(BlockTables, RefusesDamagedTexts) {
  const std::string good = "dgeqrf,,200x200:24/2/0,800x800:48/4/96;dpotrf,L,500x500:96/2/0";
  std::size_t accepted = 0;
  for (std::size_t length = 1; length < good.size(); ++length) {
    accepted += read(good.substr(0, length)) ? 1 : 0;
  }
  EXPECT_EQ(accepted, 3U);  // after the first point, after the second, and inside a last number ("9" of "96")

  for (const char* text :
       {"dgeqrf", ";", "dgeqrf,,", "dgeqrf,,axb:1/2/3", "dgeqrf,,0x5:1/2/3", "dgeqrf,,5x5:0/2/3", "dgeqrf,,5x5:1/2/99999999999",
        "averyveryverylongname,,5x5:1/2/3", "dgeqrf,TOOLONGFLAGS,5x5:1/2/3", "dgeqrf,,5x5:1/2/3 "}) {
    EXPECT_FALSE(read(text)) << text;
    EXPECT_EQ(table_->count, 0U) << text;
  }
}

TEST_F(BlockTables, RefusesTextsBeyondItsCapacity) {
  std::string points = "dgeqrf,";
  for (std::size_t i = 0; i <= max_tuned_points; ++i) {
    points += ",5x5:1/2/3";
  }
  EXPECT_FALSE(read(points));

  std::string routines = "dgeqrf,,5x5:1/2/3";
  for (std::size_t i = 0; i < max_tuned_routines; ++i) {
    routines += ";dgeqrf,,5x5:1/2/3";
  }
  EXPECT_FALSE(read(routines));
}

}  // namespace
}  // namespace flopcast::protocol
