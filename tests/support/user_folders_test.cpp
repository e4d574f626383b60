#include "flopcast/support/user_folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Begins each test without the four variables, and restores them at its end.
class UserFolders : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : names) {
      const char* value = std::getenv(name);
      before_[name] = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }

 private:
  static constexpr std::array names = {"FLOPCAST_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"};
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(UserFolders, OwnFolderIsPreferredToTheStandardOnesAndThoseToHome) {
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(user_data_folder("samples"), fs::path("/home/me/.local/share/flopcast"));
  EXPECT_EQ(user_cache_folder("measurements"), fs::path("/home/me/.cache/flopcast"));
  setenv("XDG_DATA_HOME", "/data", 1);
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(user_data_folder("samples"), fs::path("/data/flopcast"));
  EXPECT_EQ(user_cache_folder("measurements"), fs::path("/cache/flopcast"));
  setenv("FLOPCAST_HOME", "/mine", 1);
  EXPECT_EQ(user_data_folder("samples"), fs::path("/mine"));
  EXPECT_EQ(user_cache_folder("measurements"), fs::path("/mine"));
}

TEST_F(UserFolders, AnEmptyVariableCountsAsUnset) {
  setenv("HOME", "/home/me", 1);
  setenv("XDG_DATA_HOME", "", 1);
  setenv("FLOPCAST_HOME", "", 1);
  EXPECT_EQ(user_data_folder("samples"), fs::path("/home/me/.local/share/flopcast"));
}

TEST_F(UserFolders, DataAndCacheDoNotMix) {
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_THROW(user_data_folder("samples"), Error);
}

TEST_F(UserFolders, WithoutAnyVariableTheErrorNamesPurposeAndRemedy) {
  try {
    static_cast<void>(user_data_folder("tuning files", "Name the tuning file with --tuning FILE"));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_STREQ(error.what(),
                 "there is no folder for tuning files: none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set. Name the tuning file with "
                 "--tuning FILE");
  }
  try {
    static_cast<void>(user_cache_folder("measurements"));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("XDG_CACHE_HOME"));
    EXPECT_THAT(error.what(), HasSubstr("Set FLOPCAST_HOME to a folder"));
  }
}

}  // namespace
}  // namespace flopcast
