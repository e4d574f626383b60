#include "flopcast/model/store.hpp"
#include "flopcast/model/artifacts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <ratio>

#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"

namespace flopcast::model {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::message_of;

/// A test with a store in a directory of its own, which is removed in the end.
class Stores : public ::testing::Test {
 protected:
  Stores() {
    std::string name = (std::filesystem::temp_directory_path() / "flopcast-store-XXXXXX").string();
    directory = ::mkdtemp(name.data());
    path = directory / "flopcast.db";
  }
  ~Stores() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }

  /// Returns the files whose name begins with that of the damaged store.
  [[nodiscard]] std::vector<std::string> moved_aside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().filename().string().rfind("flopcast.db.corrupt-", 0) == 0) {
        names.push_back(entry.path().filename().string());
      }
    }
    return names;
  }

  std::filesystem::path directory, path;
};

/// Reads all contents of a store.
void read_all(const Store& store) {
  for (const ModelKey& key : store.sampled_keys()) {
    static_cast<void>(store.samples(key));
  }
  static_cast<void>(store.models());
  static_cast<void>(store.environments());
  for (const char* kind : {"kind", "plan", "profile"}) {
    for (const std::string& name : artifact_names(store, kind)) {
      static_cast<void>(find_artifact(store, kind, name));
    }
  }
}

ModelKey key(const std::string& routine = "dtrsm") { return {routine, "LLNU", "1", "..", "warm", 1, "3f2a91bc77aa"}; }

Sample sample(std::int64_t m, const std::string& routine = "dtrsm") {
  Sample made;
  made.key = key(routine);
  made.sizes = {m, 64};
  made.strides = {m, m};
  made.placement = {{4096, 1, true}};
  made.repetitions = {{1e-3, 1.01, 0.5, false}, {1.0 / 3, 1, 0.7, true}};
  made.state = {490000.5, 6e-4, 0};
  made.warnings = {"was preempted"};
  return made;
}

Model model(const std::string& routine = "dtrsm") {
  Model made;
  made.key = key(routine);
  made.generator = "refined";
  made.options.refinement.emplace().degree = 2;
  made.sizes = {"m"};
  made.domain = {{{8}, {1024}}};
  Piece piece;
  piece.box = made.domain[0];
  piece.polynomial = {{500}, {500}, {Monomial{0}, Monomial{1}}, {1e-3, 2e-4}};
  made.pieces = {piece};
  return made;
}

TEST_F(Stores, SamplesKeepEveryRepetition) {
  {
    Store store = Store::open(path);
    EXPECT_EQ(store.warning(), "");
    store.add_samples({{sample(8)}});
    store.add_samples(std::vector<Sample>{sample(16), sample(8), sample(24, "dgemm")});
  }
  const Store store = Store::open(path);
  EXPECT_EQ(store.samples(key()), (std::vector<Sample>{sample(8), sample(16), sample(8)}));
  EXPECT_THAT(store.sampled_keys(), ElementsAre(key("dgemm"), key("dtrsm")));
  EXPECT_EQ(store.sample_count(), 4);
  EXPECT_TRUE(store.samples(key("dsyrk")).empty());
}

TEST_F(Stores, SamplesWithoutASessionBelongToTheTimeWhenTheyWereStored) {
  Store store = Store::open(path);
  Sample older = sample(8);
  older.state.session = 0;
  store.add_samples({{older}});
  const double now = std::chrono::duration<double, std::ratio<3600>>(std::chrono::system_clock::now().time_since_epoch()).count();
  ASSERT_EQ(store.samples(key()).size(), 1U);
  const MachineState state = store.samples(key())[0].state;
  EXPECT_NEAR(state.session, now, 0.2);
  EXPECT_DOUBLE_EQ(state.reference, 1.01 * 6e-4);
}

TEST_F(Stores, SamplesAreReplacedByTheirNumbers) {
  Store store = Store::open(path);
  store.add_samples(std::vector{sample(32), sample(64), sample(96)});
  const std::vector<StoredSample> stored = store.stored_samples(key());
  ASSERT_EQ(stored.size(), 3U);
  EXPECT_EQ(stored[1].sample.sizes, sample(64).sizes);
  store.replace_samples(std::array{stored[0].id, stored[2].id, std::int64_t{99}}, std::vector{sample(128)});
  const std::vector<Sample> left = store.samples(key());
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].sizes, sample(64).sizes);
  EXPECT_EQ(left[1].sizes, sample(128).sizes);
}

TEST_F(Stores, ModelsAreReplacedFoundAndDeleted) {
  Store store = Store::open(path);
  EXPECT_FALSE(store.put_model(model()));
  Model changed = model();
  changed.cost.samples = 99;
  EXPECT_TRUE(store.put_model(changed));
  store.put_model(model("dgemm"));
  EXPECT_EQ(store.find_model(key(), "refined"), changed);
  EXPECT_EQ(store.find_model(name(changed)), changed);
  EXPECT_EQ(store.find_model(key(), "levels"), std::nullopt);
  EXPECT_THAT(store.models(), ElementsAre(model("dgemm"), changed));
  EXPECT_TRUE(store.delete_model(name(changed)));
  EXPECT_FALSE(store.delete_model(name(changed)));
  EXPECT_THAT(store.models(), ElementsAre(model("dgemm")));
}

TEST_F(Stores, EnvironmentsAndArtifacts) {
  Store store = Store::open(path);
  Environment environment;
  environment.cpu = "a CPU";
  environment.fingerprint = "3f2a91bc77aa";
  store.put_environment(environment);
  EXPECT_EQ(store.find_environment("3f2a91bc77aa"), environment);
  EXPECT_EQ(store.find_environment("else"), std::nullopt);
  EXPECT_THAT(store.environments(), ElementsAre(environment));

  put_artifact(store, "profile", "mine", {{"nb", 64}});
  put_artifact(store, "profile", "mine", {{"nb", 96}});
  put_artifact(store, "state", "mine", 1);
  EXPECT_EQ(find_artifact(store, "profile", "mine"), nlohmann::json({{"nb", 96}}));
  EXPECT_EQ(find_artifact(store, "profile", "yours"), std::nullopt);
  EXPECT_THAT(artifact_names(store, "profile"), ElementsAre("mine"));
  EXPECT_TRUE(delete_artifact(store, "profile", "mine"));
  EXPECT_FALSE(delete_artifact(store, "profile", "mine"));
}

TEST_F(Stores, DocumentsFromBelowAnswerWhereTheStoreHasNone) {
  Store store = Store::open(path);
  put_artifact(store, "plan", "a", 1);
  answer_below(store, {{"plan", "a", 2}, {"plan", "b", 3}});
  EXPECT_EQ(find_artifact(store, "plan", "a"), nlohmann::json(1));
  EXPECT_EQ(find_artifact(store, "plan", "b"), nlohmann::json(3));
  EXPECT_EQ(find_artifact(store, "rates", "b"), std::nullopt);
  EXPECT_THAT(artifact_names(store, "plan"), ElementsAre("a"));
  EXPECT_EQ(find_artifact(Store::open(path), "plan", "b"), std::nullopt) << "nothing is stored";
}

TEST_F(Stores, DocumentsArePutTogetherOrNotAtAll) {
  Store store = Store::open(path);
  const std::vector<Artifact> documents = {{"plan", "a", 1}, {"plan", "b", 2}};
  EXPECT_THROW(put_together(store, {}, documents, [] { throw bad_input("no"); }), Error);
  EXPECT_THAT(artifact_names(store, "plan"), ElementsAre());
  put_together(store, {}, documents, [] {});
  EXPECT_THAT(artifact_names(store, "plan"), ElementsAre("a", "b"));
}

TEST_F(Stores, MakesItsDirectory) {
  Store::open(directory / "a" / "b" / "flopcast.db").add_samples({{sample(8)}});
  EXPECT_TRUE(std::filesystem::exists(directory / "a" / "b" / "flopcast.db"));
}

TEST_F(Stores, UnusableDirectoryIsNamed) {
  std::ofstream(directory / "file") << "no directory";
  const std::filesystem::path below = directory / "file" / "flopcast.db";
  EXPECT_THAT(message_of([&] { Store::open(below); }), HasSubstr((directory / "file").string()));
  if (::geteuid() != 0) {  // root may write everywhere
    std::filesystem::permissions(directory, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_THAT(message_of([&] { Store::open(path); }), HasSubstr(directory.string()));
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  }
}

TEST_F(Stores, DefaultPathFollowsTheEnvironment) {
  ::setenv("XDG_DATA_HOME", "/data", 1);
  ::unsetenv("FLOPCAST_HOME");
  EXPECT_EQ(default_store_path(), "/data/flopcast/flopcast.db");
  ::setenv("FLOPCAST_HOME", "/mine", 1);
  EXPECT_EQ(default_store_path(), "/mine/flopcast.db");
  ::unsetenv("FLOPCAST_HOME");
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(default_store_path(), "/home/me/.local/share/flopcast/flopcast.db");
}

/// Reasons that stores were given for keeping nothing.
class Reasons {
 public:
  std::function<void(const std::string&)> teller() {
    return [this](const std::string& reason) { all.push_back(reason); };
  }
  std::vector<std::string> all;
};

/// Stores a sample, a model and a document, and reads them back.
void expect_to_remember(Store& store) {
  store.add_samples({{sample(8)}});
  EXPECT_EQ(store.samples(key()).size(), 1U);
  EXPECT_FALSE(store.put_model(model()));
  EXPECT_TRUE(store.put_model(model()));
  put_artifact(store, "kind", "name", {{"x", 1}});
  EXPECT_EQ(find_artifact(store, "kind", "name"), (nlohmann::json{{"x", 1}}));
}

TEST_F(Stores, AStoreWithoutAFolderIsInMemory) {
  Reasons reasons;
  std::ofstream(directory / "file") << "no directory";
  ::setenv("FLOPCAST_HOME", (directory / "file" / "home").c_str(), 1);
  {
    Store store = Store::open_if_possible(reasons.teller());
    expect_to_remember(store);
  }
  EXPECT_THAT(reasons.all, ElementsAre(HasSubstr("can't make the directory")));
  EXPECT_FALSE(find_artifact(Store::open_if_possible(reasons.teller()), "kind", "name")) << "it ends with the store";
  for (const char* variable : {"FLOPCAST_HOME", "XDG_DATA_HOME", "HOME"}) {
    ::unsetenv(variable);
  }
  Store homeless = Store::open_if_possible(reasons.teller());
  expect_to_remember(homeless);
  EXPECT_THAT(reasons.all.back(), HasSubstr("none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set"));
}

TEST_F(Stores, AStoreThatStaysLockedGoesOnInMemory) {
  Reasons reasons;
  ::setenv("FLOPCAST_HOME", directory.c_str(), 1);
  Store store = Store::open_if_possible(reasons.teller());
  put_artifact(store, "kind", "before", 1);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE(find_artifact(store, "kind", "before")) << "reading needs no lock";
  expect_to_remember(store);
  EXPECT_THAT(reasons.all, ElementsAre(HasSubstr("is locked by another process")));
  EXPECT_TRUE(find_artifact(store, "kind", "before")) << "the copy in memory has what the file has";
  ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(Store::open(path).sample_count(), 0) << "the file is as it was";
}

TEST_F(Stores, AnImportIsKeptOrRefused) {
  Reasons reasons;
  ::setenv("FLOPCAST_HOME", directory.c_str(), 1);
  Store store = Store::open_if_possible(reasons.teller());
  const std::vector<Artifact> documents = {{"kind", "name", 1}};
  EXPECT_THROW(put_together(store, {}, documents, [] { throw environment_error("a file of the import can't be written"); }), Error);
  EXPECT_THAT(reasons.all, ::testing::IsEmpty()) << "it isn't tried again in memory";
  EXPECT_FALSE(find_artifact(store, "kind", "name"));
}

TEST_F(Stores, GarbageIsMovedAside) {
  const std::string garbage(5000, 'x');
  for (const std::string& contents : {garbage, std::string("short"), std::string("SQLite format 3\0 and then rubbish", 34)}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
    const std::size_t before = moved_aside().size();
    Store store = Store::open(path);
    EXPECT_THAT(store.warning(), AllOf(HasSubstr("damaged"), HasSubstr("corrupt-")));
    EXPECT_EQ(moved_aside().size(), before + 1);
    store.add_samples({{sample(8)}});
    EXPECT_EQ(store.sample_count(), 1);
    store = Store::open(directory / "else.db");
    std::filesystem::remove(path);
  }
}

TEST_F(Stores, CopiesAreNeitherMadeNorMovedAside) {
  EXPECT_THAT(message_of([&] { Store::open_copy(path); }), HasSubstr("there is no store"));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path, std::ios::binary) << std::string(5000, 'x');
  EXPECT_THAT(message_of([&] { Store::open_copy(path); }), HasSubstr("not a database"));
  EXPECT_TRUE(moved_aside().empty());
  std::filesystem::remove(path);
  Store::open(path).add_samples({{sample(8)}});
  EXPECT_EQ(Store::open_copy(path).sample_count(), 1);
}

TEST_F(Stores, TruncatedFileIsMovedAsideWithItsContents) {
  {
    Store store = Store::open(path);
    for (std::int64_t m = 8; m <= 8 * 400; m += 8) {
      store.add_samples({{sample(m)}});
    }
  }
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size / 2);
  {
    const Store store = Store::open(path);
    EXPECT_THAT(store.warning(), HasSubstr("moved to"));
    EXPECT_EQ(store.sample_count(), 0);
  }
  ASSERT_EQ(moved_aside().size(), 1U);
  EXPECT_EQ(std::filesystem::file_size(directory / moved_aside().front()), size / 2);
  EXPECT_EQ(Store::open(path).warning(), "");
}

TEST_F(Stores, ALargeStoreIsCheckedOnceADayAndAfterDamage) {
  const auto put = [&](int i) {
    Store store = Store::open(path);
    put_artifact(store, "kind", fmt::format("{}", i), std::string(1 << 20, 'x'));
  };
  for (int i = 0; i < 6; ++i) {
    put(i);
  }
  const std::filesystem::path note = path.string() + ".checked";
  Store::open(path);
  EXPECT_TRUE(std::filesystem::exists(note));
  {
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path));
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(size / 2);
    file << std::string(static_cast<std::size_t>(size - size / 2), '\xff');
  }
  {
    const Store unaware = Store::open(path);
    EXPECT_EQ(unaware.warning(), "");
    EXPECT_THAT(message_of([&] { read_all(unaware); }), HasSubstr("damaged"));
  }
  EXPECT_FALSE(std::filesystem::exists(note));
  EXPECT_THAT(Store::open(path).warning(), HasSubstr("moved"));
  EXPECT_EQ(moved_aside().size(), 1U);
}

TEST_F(Stores, NewerVersionIsRefusedAndLeftAlone) {
  Store::open(path).add_samples({{sample(8)}});
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version = 7", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_THAT(message_of([&] { Store::open(path); }), AllOf(HasSubstr("version 7"), HasSubstr("newer")));
  EXPECT_TRUE(moved_aside().empty());
}

TEST_F(Stores, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE precious (x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_THAT(message_of([&] { Store::open(path); }), HasSubstr("another program"));
  EXPECT_TRUE(moved_aside().empty());
}

/// Runs `action` in a process of its own; returns its exit status as waitpid gives it.
int in_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      action();
    } catch (const std::exception&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(Stores, StoredDataSurviveAKill) {
  const int status = in_child([&] {
    Store store = Store::open(path);
    store.add_samples({{sample(8)}});
    store.put_model(model());
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const Store store = Store::open(path);
  EXPECT_EQ(store.warning(), "");
  EXPECT_EQ(store.samples(key()).size(), 1U);
  EXPECT_EQ(store.models().size(), 1U);
}

/// Executes `write` in four processes at the same time, and expects that none of them throws.
void in_four_processes(const std::function<void()>& write) {
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        write();
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(Stores, ProcessesWriteAtTheSameTime) {
  constexpr int samples_each = 50;
  in_four_processes([&] {
    Store store = Store::open(path);  // they also make it at the same time
    for (int i = 0; i < samples_each; ++i) {
      store.add_samples({{sample(8 * i)}});
    }
  });
  EXPECT_EQ(Store::open(path).sample_count(), 4 * samples_each);
}

TEST_F(Stores, ConcurrentRepairsLoseNothingThatOthersWrite) {
  std::ofstream(path) << std::string(5000, 'x');
  in_four_processes([&] { Store::open(path).add_samples({{sample(8)}}); });
  EXPECT_EQ(Store::open(path).sample_count(), 4);
  EXPECT_EQ(moved_aside().size(), 1U);
}

TEST_F(Stores, AFullDiskIsReportedAndLosesNothing) {
  const int status = in_child([&] {
    Store store = Store::open(path);
    store.add_samples({{sample(8)}});
    const rlimit limit{200'000, 200'000};  // bytes that a file may have; writing more fails as on a full disk
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      for (int i = 0; i < 2000; ++i) {
        store.add_samples({{sample(8)}});
      }
    } catch (const Error& error) {
      ::_exit(error.code() == ExitCode::environment ? 42 : 43);
    }
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  const Store store = Store::open(path);
  EXPECT_EQ(store.warning(), "");
  EXPECT_GE(store.sample_count(), 1);
}

/// Returns true if SQLite finds nothing wrong in the store's file.
bool is_whole(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  std::string verdict;
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
    const auto keep = [](void* into, int, char** columns, char**) {
      *static_cast<std::string*>(into) = columns[0] != nullptr ? columns[0] : "";
      return 0;
    };
    sqlite3_exec(database, "PRAGMA integrity_check(1)", keep, &verdict, nullptr);
  }
  sqlite3_close(database);
  return verdict == "ok";
}

TEST_F(Stores, NoFlippedBitIsLeftInAStore) {
  {
    Store store = Store::open(path);
    for (std::int64_t m = 8; m <= 8 * 40; m += 8) {
      store.add_samples({{sample(m)}});
    }
    store.put_model(model());
    put_artifact(store, "profile", "mine", {{"nb", 96}});
    Environment environment;
    environment.cpu = "a CPU";
    environment.fingerprint = "3f2a91bc77aa";
    store.put_environment(environment);
  }
  const std::filesystem::path good = directory / "good.db";
  std::filesystem::copy_file(path, good);
  const auto size = std::filesystem::file_size(good);
  std::mt19937 random(1);
  int repaired = 0, begun = 0, refused = 0;
  for (int seed = 0; seed < 300; ++seed) {
    std::filesystem::remove_all(directory / "flips");
    std::filesystem::create_directory(directory / "flips");
    const std::filesystem::path flipped = directory / "flips" / "flopcast.db";
    std::filesystem::copy_file(good, flipped);
    {
      std::fstream file(flipped, std::ios::in | std::ios::out | std::ios::binary);
      const auto at = static_cast<std::streamoff>(random() % (seed % 3 == 0 ? 100 : size));  // the header often
      file.seekg(at);
      const int byte = file.get();
      file.seekp(at);
      file.put(static_cast<char>(byte ^ (1 << random() % 8)));
    }
    try {
      const std::string warning = Store::open(flipped).warning();
      repaired += warning.find("removed") != std::string::npos ? 1 : 0;
      begun += warning.find("empty one") != std::string::npos ? 1 : 0;
    } catch (const Error& error) {  // the store now claims a version that this flopcast doesn't know
      EXPECT_THAT(error.what(), HasSubstr("made by a newer flopcast")) << seed;
      ++refused;
      continue;
    }
    EXPECT_TRUE(is_whole(flipped)) << seed;
    Store store = Store::open(flipped);
    EXPECT_EQ(store.warning(), "") << seed;
    EXPECT_NO_THROW(read_all(store)) << seed;
    EXPECT_NO_THROW(store.add_samples({{sample(8)}})) << seed;
  }
  EXPECT_GT(repaired, 0);
  EXPECT_GT(begun, 0);
  EXPECT_LT(refused, 10);
}

TEST_F(Stores, AnEntryThatCannotBeReadIsRemovedAndTheOthersStay) {
  {
    Store store = Store::open(path);
    store.add_samples(std::vector<Sample>{sample(8), sample(16)});
    put_artifact(store, "profile", "mine", {{"nb", 96}});
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database, "UPDATE samples SET document = replace(document, '0.5', '1e400') WHERE id = 1", nullptr, nullptr, nullptr),
      SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "UPDATE artifacts SET document = '{'", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const Store store = Store::open(path);
  EXPECT_THAT(store.warning(), AllOf(HasSubstr("2 of the entries"), HasSubstr("were removed"), HasSubstr(moved_aside().at(0))));
  EXPECT_EQ(store.samples(key()), std::vector<Sample>{sample(16)});
  EXPECT_EQ(find_artifact(store, "profile", "mine"), std::nullopt);
  EXPECT_EQ(Store::open(path).warning(), "");
}

TEST_F(Stores, AnArtifactOfAnotherTypeIsNamed) {
  Store store = Store::open(path);
  put_artifact(store, "profile", "mine", {{"nb", "many"}});
  const auto read = [&] {
    static_cast<void>(read_artifact(store, "profile", "mine", [](const nlohmann::json& document) { return member<int>(document, "nb"); }));
  };
  EXPECT_THAT(message_of(read), AllOf(HasSubstr(path.string()), HasSubstr("profile 'mine'"), HasSubstr("member nb: \"many\" given")));
}

}  // namespace
}  // namespace flopcast::model
