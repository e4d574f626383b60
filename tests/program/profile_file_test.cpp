#include "flopcast/program/profile_file.hpp"

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
class ProfileFiles : public ::testing::Test {
 protected:
  static Profile profile(const std::vector<std::int64_t>& orders, int threads = 1, const std::string& fingerprint = "here") {
    Profile profile;
    profile.environment.cpu = "a CPU";
    profile.environment.fingerprint = fingerprint;
    profile.environment.blas.path = "/lib/blis.so";
    profile.environment.threads = threads;
    TunedRoutine routine{"dgeqrf", "", {}};
    for (const std::int64_t order : orders) {
      routine.points.push_back({order, order, {16, 2, 0}, {}, 0, false});
    }
    profile.set(routine);
    return profile;
  }
  [[nodiscard]] std::string file() const { return (folder_.path() / "new folder/profile.json").string(); }
  std::string save(const Profile& profile) const { return save_profile(file(), profile); }
  static std::vector<std::int64_t> orders(const Profile& profile) {
    std::vector<std::int64_t> all;
    for (const TunedRoutine& routine : profile.routines) {
      for (const TunedPoint& point : routine.points) {
        all.push_back(point.n);
      }
    }
    return all;
  }

  tests::OwnFolder folder_;
};

TEST_F(ProfileFiles, AreMadeWithTheirFolder) {
  EXPECT_EQ(save(profile({64})), "");
  EXPECT_EQ(read_profile(file()), profile({64}));
}

TEST_F(ProfileFiles, KeepWhatWasKnownOfOtherOrders) {
  save(profile({64, 128}));
  Profile more = profile({96});
  more.settings = {{"BLIS_ARCH_TYPE", "haswell"}};
  EXPECT_EQ(save(more), "");
  EXPECT_THAT(orders(read_profile(file())), ElementsAre(64, 96, 128));
  EXPECT_EQ(read_profile(file()).settings, more.settings) << "the newest";
}

TEST_F(ProfileFiles, SayWhichEntriesStayBecauseTheyRestOnMore) {
  const auto tuned = [](std::int64_t nb, std::size_t considered, std::size_t samples, bool undecided = false) {
    Profile one = profile({300, 1000});
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
  EXPECT_EQ(read_profile(file()), tuned(16, 24, 900));
  EXPECT_EQ(save(tuned(48, 24, 950)), "");
  EXPECT_EQ(read_profile(file()), tuned(48, 24, 950));
}

TEST_F(ProfileFiles, KeepNumbersOfThreadsApartTheNewestFirst) {
  save(profile({64}, 1));
  save(profile({128}, 2));
  EXPECT_EQ(save(profile({96}, 1)), "");
  const Profile saved = read_profile(file());
  EXPECT_EQ(saved.environment.threads, 1);
  EXPECT_THAT(orders(saved), ElementsAre(64, 96));
  ASSERT_EQ(saved.others.size(), 1U);
  EXPECT_EQ(saved.others[0].environment.threads, 2);
  EXPECT_THAT(orders(saved.others[0]), ElementsAre(128));
  EXPECT_FALSE(fs::exists(file() + ".previous"));
}

TEST_F(ProfileFiles, PutAsideWhatHeldForALibraryThatHasChanged) {
  save(profile({64}, 1, "before"));
  const std::string before = read_file(file());
  EXPECT_THAT(save(profile({128})), AllOf(HasSubstr("profile.json.previous"), HasSubstr("/lib/blis.so")));
  EXPECT_THAT(orders(read_profile(file())), ElementsAre(128));
  EXPECT_EQ(read_file(file() + ".previous"), before);
}

TEST_F(ProfileFiles, PutAsideWhatHeldForAnotherMachine) {
  Profile other = profile({64}, 2);
  other.environment.cpu = "another CPU";
  save(other);
  EXPECT_THAT(save(profile({128})), HasSubstr("another CPU"));
  EXPECT_TRUE(read_profile(file()).others.empty());
  EXPECT_EQ(read_profile(file() + ".previous"), other);
}

TEST_F(ProfileFiles, AreLeftAloneWhereTheyAreDamaged) {
  save(profile({64}));
  std::ofstream(file()) << "{";
  EXPECT_THAT(tests::bad_input_of([this] { save(profile({128})); }), HasSubstr("profile.json"));
  EXPECT_EQ(read_file(file()), "{");
}

}  // namespace
}  // namespace flopcast::program
