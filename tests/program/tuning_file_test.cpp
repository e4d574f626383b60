#include "flopcast/program/tuning_file.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Saves decisions for dgeqrf in a file below this test's folder.
class TuningFiles : public ::testing::Test {
 protected:
  static SavedTuning tuning(const std::vector<std::int64_t>& orders, int threads = 1, const std::string& fingerprint = "here") {
    SavedTuning tuning;
    tuning.environment.cpu = "a CPU";
    tuning.environment.fingerprint = fingerprint;
    tuning.environment.blas.path = "/lib/blis.so";
    tuning.environment.threads = threads;
    TunedRoutine routine{"dgeqrf", "", {}};
    for (const std::int64_t order : orders) {
      routine.points.push_back({order, order, {16, 2, 0}, {}, 0, false});
    }
    tuning.set(routine);
    return tuning;
  }
  [[nodiscard]] std::string file() const { return (folder_.path() / "new folder/tuning.json").string(); }
  std::string save(const SavedTuning& tuning) const { return save_tuning(file(), tuning); }
  static std::vector<std::int64_t> orders(const SavedTuning& tuning) {
    std::vector<std::int64_t> all;
    for (const TunedRoutine& routine : tuning.routines) {
      for (const TunedPoint& point : routine.points) {
        all.push_back(point.n);
      }
    }
    return all;
  }

  tests::OwnFolder folder_;
};

TEST_F(TuningFiles, AreMadeWithTheirFolder) {
  EXPECT_EQ(save(tuning({64})), "");
  EXPECT_EQ(read_tuning(file()), tuning({64}));
}

TEST_F(TuningFiles, KeepWhatWasKnownOfOtherOrders) {
  save(tuning({64, 128}));
  SavedTuning more = tuning({96});
  more.settings = {{"BLIS_ARCH_TYPE", "haswell"}};
  EXPECT_EQ(save(more), "");
  EXPECT_THAT(orders(read_tuning(file())), ElementsAre(64, 96, 128));
  EXPECT_EQ(read_tuning(file()).settings, more.settings) << "the newest";
}

TEST_F(TuningFiles, SayWhichEntriesStayBecauseTheyRestOnMore) {
  const auto tuned = [](std::int64_t nb, std::size_t considered, std::size_t samples, bool undecided = false) {
    SavedTuning one = tuning({300, 1000});
    for (TunedPoint& point : one.routines[0].points) {
      point.blocks.nb = nb;
      point.considered = considered;
      point.samples = samples;
      point.undecided = undecided;
    }
    return one;
  };
  EXPECT_EQ(save(tuned(16, 24, 900)), "");
  EXPECT_THAT(save(tuned(32, 1, 300)),
              AllOf(HasSubstr("dgeqrf for 300 stays, and 1 other with it. It rests on 24 block sizes and 900 samples; the new one rests on "
                              "1 block size and 300 samples"),
                    HasSubstr("'flopcast wisdom forget'")));
  EXPECT_THAT(save(tuned(64, 24, 950, true)), HasSubstr("and is undecided"));
  EXPECT_EQ(read_tuning(file()), tuned(16, 24, 900));
  EXPECT_EQ(save(tuned(48, 24, 950)), "");
  EXPECT_EQ(read_tuning(file()), tuned(48, 24, 950));
}

TEST_F(TuningFiles, KeepNumbersOfThreadsApartTheNewestFirst) {
  save(tuning({64}, 1));
  save(tuning({128}, 2));
  EXPECT_EQ(save(tuning({96}, 1)), "");
  const SavedTuning saved = read_tuning(file());
  EXPECT_EQ(saved.environment.threads, 1);
  EXPECT_THAT(orders(saved), ElementsAre(64, 96));
  ASSERT_EQ(saved.others.size(), 1U);
  EXPECT_EQ(saved.others[0].environment.threads, 2);
  EXPECT_THAT(orders(saved.others[0]), ElementsAre(128));
  EXPECT_FALSE(fs::exists(file() + ".previous"));
}

TEST_F(TuningFiles, PutAsideWhatHeldForALibraryThatHasChanged) {
  save(tuning({64}, 1, "before"));
  const std::string before = read_file(file());
  EXPECT_THAT(save(tuning({128})), AllOf(HasSubstr("tuning.json.previous"), HasSubstr("/lib/blis.so")));
  EXPECT_THAT(orders(read_tuning(file())), ElementsAre(128));
  EXPECT_EQ(read_file(file() + ".previous"), before);
}

TEST_F(TuningFiles, PutAsideWhatHeldForAnotherMachine) {
  SavedTuning other = tuning({64}, 2);
  other.environment.cpu = "another CPU";
  save(other);
  EXPECT_THAT(save(tuning({128})), HasSubstr("another CPU"));
  EXPECT_TRUE(read_tuning(file()).others.empty());
  EXPECT_EQ(read_tuning(file() + ".previous"), other);
}

TEST_F(TuningFiles, AreLeftAloneWhereTheyAreDamaged) {
  save(tuning({64}));
  std::ofstream(file()) << "{";
  EXPECT_THAT(tests::bad_input_of([this] { save(tuning({128})); }), HasSubstr("tuning.json"));
  EXPECT_EQ(read_file(file()), "{");
}

}  // namespace
}  // namespace flopcast::program
