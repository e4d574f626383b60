#include "flopcast/support/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::report {
namespace {

using testing::HasSubstr;

/// A temporary directory for each test, removed at its end.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_file_test.XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string given(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(directory_), std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path directory_;
};

/// Returns the message of the Error with exit code `code` that `action` throws.
std::string message(ExitCode code, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST_F(Files, WritesAndReadsBack) {
  write_file(path("a"), "one\ntwo\n");
  EXPECT_EQ(read_file(path("a")), "one\ntwo\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(Files, ReplacesAsAWholeAndKeepsPermissions) {
  const std::string file = given("a", "old");
  ::chmod(file.c_str(), 0640);
  write_file(file, "new");
  EXPECT_EQ(read_file(file), "new");
  struct stat status {};
  ::stat(file.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(Files, ASymbolicLinkStaysALink) {
  const std::string file = given("target", "old");
  std::filesystem::create_symlink(file, path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_file(file), "new");
}

TEST_F(Files, AFullDiskIsAnErrorOfTheEnvironment) {
  EXPECT_THAT(message(ExitCode::environment, [] { write_file("/dev/full", "text"); }), HasSubstr("'/dev/full': No space left on device"));
}

TEST_F(Files, AFailedWriteLeavesNothingBehind) {
  EXPECT_THAT(message(ExitCode::environment, [&] { write_file(path("no/such/directory/a"), "text"); }),
              HasSubstr("No such file or directory"));
  std::filesystem::create_directory(path("directory"));
  message(ExitCode::environment, [&] { write_file(path("directory"), "text"); });
  EXPECT_EQ(files(), 1);
}

TEST_F(Files, AnUnwritablePathIsReportedBeforehand) {
  EXPECT_NO_THROW(require_writable("-"));
  EXPECT_NO_THROW(require_writable("/dev/full"));
  EXPECT_NO_THROW(require_writable("new, here"));
  EXPECT_NO_THROW(require_writable(path("new")));
  EXPECT_NO_THROW(require_writable(given("old", "")));
  EXPECT_EQ(files(), 1);
  EXPECT_THAT(message(ExitCode::environment, [&] { require_writable(path("no/such/directory/a")); }),
              HasSubstr("No such file or directory"));
}

TEST_F(Files, MayBeMovedAsideByAnotherProcessMeanwhile) {
  const std::string file = given("profile", "earlier"), aside = path("aside");
  std::atomic<bool> ends = false;
  std::thread other([&] {
    while (!ends) {
      std::filesystem::rename(file, aside);
      std::filesystem::rename(aside, file);
    }
  });
  for (int i = 0; i < 20000; ++i) {
    EXPECT_NO_THROW(require_writable(file));
  }
  ends = true;
  other.join();
}

TEST_F(Files, MissingFileIsBadInput) {
  EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(path("missing")); }), HasSubstr("No such file or directory"));
  EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(path(".")); }), HasSubstr("Is a directory"));
}

TEST_F(Files, EmptyFileIsNamed) {
  const std::string file = given("a", " \n");
  EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(file); }), testing::AllOf(HasSubstr(file), HasSubstr("is empty")));
}

TEST_F(Files, EveryTruncatedDocumentIsReportedAsCutOff) {
  const std::string whole = R"({"schema": "flopcast-trace-1",
 "calls": [["dgemm", "N", 100, null], 1.5e3]})";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string file = given("a", whole.substr(0, length));
    EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(file); }), HasSubstr("is cut off")) << whole.substr(0, length);
  }
  EXPECT_NO_THROW(read_json(given("a", whole)));
}

TEST_F(Files, SyntaxErrorsAreLocated) {
  const std::string file = given("a", "{\"a\": 1,\n  x}");
  EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(file); }), HasSubstr("line 2, column 3"));
}

TEST_F(Files, AMemberWrittenTwiceByHandIsNamed) {
  const std::string file = given("a", R"({"a": {"nb": 1, "x": [{"nb": 2}]}, "b": {"nb": 3, "nb": 4}})");
  EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(file, WrittenBy::hand); }), HasSubstr(R"(has two members "nb" in one object)"));
  EXPECT_EQ(read_json(file)["b"]["nb"], 4);
}

TEST_F(Files, SchemaIsChecked) {
  const auto complaint = [&](const std::string& text) {
    const std::string file = given("a", text);
    return message(ExitCode::bad_input, [&] { read_document(file, "flopcast-trace-1"); });
  };
  EXPECT_THAT(complaint("[]"), HasSubstr("no member \"schema\""));
  EXPECT_THAT(complaint("{\"schema\": 1}"), HasSubstr("no member \"schema\""));
  EXPECT_THAT(complaint("{\"schema\": \"flopcast-sample-1\"}"), HasSubstr("expected \"flopcast-trace-1\""));
  EXPECT_THAT(complaint("{\"schema\": \"flopcast-trace-2\"}"), HasSubstr("written by a newer flopcast"));
  EXPECT_EQ(read_document(given("a", "{\"schema\": \"flopcast-trace-1\"}"), "flopcast-trace-1").size(), 1U);
}

/// Returns true if the disk of `folder` has files without names; elsewhere a killed process leaves its temporary file behind.
bool has_nameless_files(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (file >= 0) {
    ::close(file);
  }
  return file >= 0;
}

/// Removes the files beside `file`, which must be whole, and returns their number.
int remove_others(const std::string& file, const std::string& contents) {
  int removed = 0;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::vector<std::filesystem::directory_entry> all;
  std::copy(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator(), std::back_inserter(all));
  for (const std::filesystem::directory_entry& entry : all) {
    if (entry.path() != file) {
      EXPECT_TRUE(read_file(entry.path().string()) == contents) << entry.path();
      removed += std::filesystem::remove(entry.path()) ? 1 : 0;
    }
  }
  return removed;
}

TEST_F(Files, AKillLeavesTheOldOrTheNewFileAndNoOther) {
  const std::string older(1 << 22, 'o'), newer(1 << 22, 'n');
  const std::string file = given("a", older);
  int replaced = 0, strays = 0;
  for (int delay = 0; delay < 30; ++delay) {
    const pid_t child = ::fork();
    if (child == 0) {
      write_file(file, newer);
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(200 * delay));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string left = read_file(file);
    ASSERT_TRUE(left == older || left == newer) << left.size() << " bytes after " << 200 * delay << " us";
    replaced += left == newer ? 1 : 0;
    if (has_nameless_files(path(""))) {
      strays += remove_others(file, newer);
    }
    write_file(file, older);
  }
  EXPECT_LE(strays, 1) << "only a kill between the two calls of the system that name the file and rename it leaves one";
  std::printf("%d of 30 were done in time\n", replaced);
}

TEST_F(Files, ALinkToAMissingFileStays) {
  std::filesystem::create_symlink("b", path("a"));
  write_file(path("a"), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(path("a")));
  EXPECT_EQ(read_file(path("b")), "text");
  std::filesystem::create_symlink(path("a"), path("c"));
  write_file(path("c"), "more");
  EXPECT_TRUE(std::filesystem::is_symlink(path("c")));
  EXPECT_EQ(read_file(path("b")), "more");
}

TEST_F(Files, OpenFilesAreAppendedTo) {
  const std::string file = given("a", "before\n");
  const int open = ::open(file.c_str(), O_WRONLY | O_APPEND);
  const std::string name = "/dev/fd/" + std::to_string(open);
  EXPECT_NO_THROW(require_writable(name));
  write_file(name, "after\n");
  ::close(open);
  EXPECT_EQ(read_file(file), "before\nafter\n");
}

TEST_F(Files, PipesAreWrittenTo) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { write_file(path("pipe"), "through"); });
  EXPECT_EQ(read_file(path("pipe")), "through");
  writer.join();
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
}

TEST_F(Files, NumbersBeyondADoubleAreNamed) {
  const std::string file = given("a", R"({"a": [1, {"b": 1e400}]})");
  EXPECT_THAT(message(ExitCode::bad_input, [&] { read_json(file); }), HasSubstr("member a[1].b is 1e400"));
}

}  // namespace
}  // namespace flopcast::report
