// Tuned block sizes that reach programs without 'flopcast run', and users who have tuned nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A tuning file for dgeqrf of order 64 with block size 8 or 16 over the reference LAPACK, in a folder of its own.
class SharedTuning : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("flopcast-shared-tuning-" + std::to_string(::getpid()));
    fs::create_directories(folder());
    tuned() = flopcast({"tune", "dgeqrf", "--n", "64", "--nb", "8,16", "--fixed-crossover", "--time-budget", "1s", "--blas",
                        "openblas-serial", "--lapack", "reference", "--tuning", tuning()});
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  void SetUp() override { ASSERT_EQ(tuned().code, 0) << tuned().err; }

  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static Ended& tuned() {
    static Ended ended;
    return ended;
  }
  static std::string tuning() { return folder() / "tuning.json"; }
  static std::string wisdom() { return folder() / "wisdom"; }
  /// Returns the beginning of a command for a user who has tuned nothing.
  static std::string as_new_user(const std::string& system = "") {
    return "mkdir -p " + (folder() / "new").string() + "; export FLOPCAST_HOME=" + (folder() / "new").string() +
           " FLOPCAST_SYSTEM_WISDOM=" + system + "; ";
  }
};

TEST_F(SharedTuning, WisdomTravelsFromOneUserToAnother) {
  const Ended exported = flopcast({"wisdom", "export", "--tuning", tuning(), "--output", wisdom()});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const Ended imported = shell(as_new_user() + "flopcast wisdom import " + wisdom());
  EXPECT_EQ(imported.code, 0) << imported.err;
  EXPECT_THAT(imported.out, AllOf(HasSubstr("block sizes"), HasSubstr("dgeqrf"), HasSubstr("yes")));
  const Ended listed = shell(as_new_user() + "flopcast wisdom list --json");
  const nlohmann::json entries = nlohmann::json::parse(listed.out).at("entries");
  ASSERT_GE(entries.size(), 1U);
  EXPECT_EQ(entries[0].at("misfit"), "");
  const std::string id = entries[0].at("id");
  EXPECT_EQ(shell(as_new_user() + "flopcast wisdom forget " + id).code, 0);
  EXPECT_EQ(shell(as_new_user() + "flopcast wisdom forget " + id).code, 3);
  EXPECT_EQ(shell(as_new_user() + "flopcast wisdom merge " + wisdom() + " " + wisdom()).out, shell("cat " + wisdom()).out);
}

TEST_F(SharedTuning, WisdomIsCheckedAndPruned) {
  ASSERT_EQ(flopcast({"wisdom", "export", "--tuning", tuning(), "--output", wisdom()}).code, 0);
  const std::string check = "flopcast wisdom check --tuning " + tuning() + " ";
  const Ended good = shell(as_new_user() + check + "--summary");
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_THAT(good.out, HasSubstr("hold"));
  const std::string foreign = wisdom() + "-of-another-machine", text = shell("cat " + tuning()).out;
  nlohmann::json changed = nlohmann::json::parse(text);
  changed["environment"]["fingerprint"] = "another";
  std::ofstream(foreign) << changed.dump();
  const std::string other = " --tuning " + foreign;
  const Ended bad = shell(as_new_user() + "flopcast wisdom check --json" + other);
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(nlohmann::json::parse(bad.out).at("findings").at(0).at("differs"), "cores or caches") << bad.out;
  EXPECT_THAT(shell(as_new_user() + "flopcast wisdom prune --dry-run" + other).err, HasSubstr("that would be removed: 1; left: 0"));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_EQ(shell(as_new_user() + "flopcast wisdom prune" + other).code, 0);
  EXPECT_FALSE(fs::exists(foreign));
  EXPECT_TRUE(fs::exists(foreign + ".previous"));
}

TEST_F(SharedTuning, ACheckOfSeveralKindsOfNodesCountsTheOwnKind) {
  ASSERT_EQ(flopcast({"wisdom", "export", "--tuning", tuning(), "--output", wisdom()}).code, 0);
  nlohmann::json other = nlohmann::json::parse(shell("cat " + wisdom()).out), rebuilt = other;
  other["tunings"][0]["environment"]["cpu"] = "another CPU";
  other["artifacts"] = nlohmann::json::array();
  rebuilt["tunings"][0]["environment"]["blas"]["digest"] = "build-id:another";
  const std::string others = wisdom() + "-others", stale = wisdom() + "-stale", both = wisdom() + "-both";
  std::ofstream(others) << other.dump();
  std::ofstream(stale) << rebuilt.dump();
  const auto check = [](const std::string& file) { return shell(as_new_user() + "flopcast wisdom check " + file).code; };
  ASSERT_EQ(flopcast({"wisdom", "merge", wisdom(), others, "--output", both}).code, 0);
  EXPECT_EQ(check(both), 0);
  EXPECT_EQ(check(others), 1) << "nothing is for this node";
  ASSERT_EQ(flopcast({"wisdom", "merge", stale, others, "--output", both}).code, 0);
  EXPECT_EQ(check(both), 1);
}

TEST_F(SharedTuning, ExportedSourcesNameTheRoutine) {
  const Ended fortran = flopcast({"export", "ilaenv", "--tuning", tuning()});
  EXPECT_EQ(fortran.code, 0) << fortran.err;
  EXPECT_THAT(fortran.out, AllOf(HasSubstr("integer function ilaenv"), HasSubstr("call point(64, 64, ")));
  const Ended c = flopcast({"export", "ilaenv", "--tuning", tuning(), "--language", "c", "--blas", "openblas-serial"});
  EXPECT_THAT(c.out, HasSubstr("point(query, 64, 64, "));
  const Ended other = flopcast({"export", "ilaenv", "--tuning", tuning(), "--threads", "7"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("7 threads"));
}

TEST_F(SharedTuning, EnvPrintsADocumentAndShells) {
  const Ended document = flopcast({"env", "--tuning", tuning(), "--format", "json"});
  ASSERT_EQ(document.code, 0) << document.err;
  EXPECT_THAT(nlohmann::json::parse(document.out).at("variables").at("LD_PRELOAD").get<std::string>(), HasSubstr("libflopcast-tuned.so"));
  EXPECT_EQ(flopcast({"env", "--tuning", tuning(), "--json"}).out, document.out);
  EXPECT_EQ(flopcast({"env", "--tuning", tuning(), "--json", "--format", "fish"}).code, 2);
  EXPECT_THAT(flopcast({"env", "--tuning", tuning(), "--format", "lmod"}).out, HasSubstr("prepend_path(\"LD_PRELOAD\", "));
  const Ended nothing = flopcast({"env", "--tuning", folder() / "none.json"});
  EXPECT_EQ(nothing.code, 3);
  EXPECT_EQ(nothing.out, "");
}

#ifdef FLOPCAST_EXAMPLE_QR
constexpr const char* run_qr = FLOPCAST_EXAMPLE_QR " >/dev/null";

TEST_F(SharedTuning, AProgramQueriesTunedBlockSizesInTheEnvironmentThatEnvPrints) {
  const std::string libraries = " --blas openblas-serial --lapack reference --links " + (folder() / "links").string();
  const Ended ended = shell("eval \"$(flopcast env --tuning " + tuning() + libraries + ")\" && export FLOPCAST_VERBOSE=1 && " + run_qr);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("the block size of dgeqrf was queried"), Not(HasSubstr("queried 0 times"))));
  const Ended again = shell("for i in 1 2; do eval \"$(flopcast env --tuning " + tuning() + libraries + ")\"; done; echo $LD_PRELOAD");
  EXPECT_EQ(again.out.find("libflopcast-tuned"), again.out.rfind("libflopcast-tuned")) << again.out;
}

TEST_F(SharedTuning, ProgramsOfAllUsersGetTheSystemsWisdom) {
  ASSERT_EQ(flopcast({"wisdom", "export", "--tuning", tuning(), "--output", wisdom()}).code, 0);
  const std::string run = "flopcast run --blas openblas-serial --lapack reference --report -- " + std::string(run_qr);
  EXPECT_THAT(shell(as_new_user(wisdom()) + run).err, AllOf(HasSubstr("| dgeqrf"), HasSubstr("| tuned")));
  EXPECT_THAT(shell(as_new_user("") + run).err, HasSubstr("the tuning file lacks it"));
}
#endif

}  // namespace
}  // namespace flopcast::testing
