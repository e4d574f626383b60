#include "flopcast/machine/libraries/installed_libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

namespace fs = std::filesystem;

TEST(KnownLibraries, ArePlainNamesWithFiles) {
  std::set<std::pair<std::string_view, Role>> seen;
  for (const KnownLibrary& known : known_libraries()) {
    EXPECT_TRUE(seen.insert({known.name, known.role}).second) << known.name << " is in the table twice";
    EXPECT_FALSE(known.files.empty()) << known.name;
    EXPECT_EQ(known.name.find('/'), std::string_view::npos);
    for (const std::string_view file : known.files) {
      EXPECT_FALSE(file.starts_with('/')) << file;
    }
  }
}

TEST(LoaderDirectories, ExistAndAreDistinct) {
  const auto directories = loader_directories();
  EXPECT_FALSE(directories.empty());
  EXPECT_EQ(std::set<fs::path>(directories.begin(), directories.end()).size(), directories.size());
  for (const fs::path& directory : directories) {
    EXPECT_TRUE(fs::is_directory(directory)) << directory;
  }
}

TEST(InstalledLibraries, LeaveOutFilesThatAreNoLibrary) {
  const fs::path directory = fs::path(::testing::TempDir()) / "installed_test";
  fs::create_directories(directory / "openblas-serial");
  std::ofstream(directory / "openblas-serial/libopenblas.so.0") << "INPUT(-lopenblas)";
  fs::remove(directory / "libblis.so.4");
  fs::create_symlink("nowhere", directory / "libblis.so.4");
  const std::vector<fs::path> directories = {directory};
  EXPECT_TRUE(installed_libraries(directories).empty());
  fs::remove_all(directory);
}

TEST(Locate, SuggestsAndListsWhatIsInstalled) {
  try {
    (void)locate("openblass", Role::blas);
    FAIL() << "there is no library of that name";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'openblas'?"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("installed: "));
  }
}

TEST(Locate, RefusesAPathToNothing) {
  try {
    (void)locate("/nowhere/libblas.so.3", Role::blas);
    FAIL() << "there is no such file";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
  }
}

TEST(Locate, ChecksTheContentsOfTheFile) {
  const auto refusal = [](const std::string& file, Role role, ExitCode expected = ExitCode::bad_input) {
    try {
      (void)locate_usable(file, role);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), expected);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("/etc/passwd", Role::blas, ExitCode::environment), ::testing::HasSubstr("no shared library"));
  EXPECT_THAT(refusal("libm.so.6", Role::blas), ::testing::HasSubstr("no symbol dgemm_"));
  EXPECT_THAT(refusal("libm.so.6", Role::lapack), ::testing::HasSubstr("no symbol dgeqrf_"));
  EXPECT_EQ(refusal(default_blas(), Role::blas), "");
  EXPECT_EQ(locate_usable(default_blas(), Role::blas, "sgemm"), locate_usable(default_blas(), Role::blas));
  EXPECT_THROW(locate_usable(default_blas(), Role::blas, "hgemm"), Error);
}

TEST(DefaultBlas, SupportsTheNumberOfThreads) {
  EXPECT_TRUE(has_one_thread("openblas-serial"));
  EXPECT_TRUE(has_one_thread(locate("openblas-serial", Role::blas).string())) << "by its path too";
  EXPECT_TRUE(has_one_thread("reference"));
  EXPECT_FALSE(has_one_thread("openblas-pthread"));
  EXPECT_FALSE(has_one_thread(default_blas(2)));
}

}  // namespace
}  // namespace flopcast::machine
