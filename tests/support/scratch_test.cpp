#include "flopcast/support/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Sets TMPDIR for the time of a test.
class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    const char* before = std::getenv("TMPDIR");
    before_ = before != nullptr ? std::optional<std::string>(before) : std::nullopt;
    setenv("TMPDIR", own_.path().c_str(), 1);
  }
  void TearDown() override {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }

  tests::OwnFolder own_;

 private:
  std::optional<std::string> before_;
};

TEST_F(Scratch, FoldersLieInTmpdirAndGoWithTheirContents) {
  fs::path path;
  {
    const ScratchFolder folder;
    path = folder.path();
    EXPECT_EQ(path.parent_path(), own_.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << "no other user may see it";
    EXPECT_EQ(tests::contents(folder.write("words", "two words")), "two words");
    EXPECT_EQ(folder.file("words"), path / "words");
    folder.link("link", "/etc");
    fs::create_directories(path / "deep" / "folder");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists("/etc")) << "links are removed, not what they name";
}

TEST_F(Scratch, FoldersDiffer) {
  const ScratchFolder first, second;
  EXPECT_NE(first.path(), second.path());
}

TEST_F(Scratch, AWrittenFileReplacesTheOneBefore) {
  const ScratchFolder folder;
  folder.write("words", "many more words");
  EXPECT_EQ(tests::contents(folder.write("words", "few")), "few");
}

TEST_F(Scratch, AMovedFolderIsRemovedOnce) {
  std::optional<ScratchFolder> first(std::in_place);
  const fs::path path = first->path();
  {
    const ScratchFolder second(std::move(*first));
    first.reset();
    EXPECT_TRUE(fs::exists(path));
    EXPECT_EQ(second.path(), path);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Scratch, LinksNameTheirTargets) {
  const ScratchFolder folder;
  EXPECT_EQ(folder.link("libblas.so.3", "/usr/lib/blas"), folder.path() / "libblas.so.3");
  EXPECT_EQ(fs::read_symlink(folder.path() / "libblas.so.3"), "/usr/lib/blas");
  EXPECT_THROW(folder.link("libblas.so.3", "/usr/lib/other"), Error) << "the name is taken";
}

TEST_F(Scratch, PathsOfFoldersAreListableEvenIfThatOfTmpdirIsNot) {
  for (const char* odd : {"a b", "a:b", "a;b", "$ORIGIN"}) {
    fs::create_directory(own_.path() / odd);
    setenv("TMPDIR", (own_.path() / odd).c_str(), 1);
    EXPECT_TRUE(is_listable(ScratchFolder().path())) << odd;
  }
  EXPECT_TRUE(is_listable("/usr/lib/x86_64-linux-gnu"));
  EXPECT_FALSE(is_listable("/a\tb"));
}

TEST_F(Scratch, ATmpdirThatIsNoDirectoryIsNamed) {
  setenv("TMPDIR", "/nowhere", 1);
  try {
    const ScratchFolder folder;
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("TMPDIR is '/nowhere', which is no directory"));
  }
}

TEST_F(Scratch, AFileThatCannotBeWrittenIsNamed) {
  const ScratchFolder folder;
  try {
    folder.write("missing/words", "");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr(folder.file("missing/words")));
  }
}

}  // namespace
}  // namespace flopcast
