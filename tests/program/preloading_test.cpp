#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/program/library_links.hpp"
#include "flopcast/program/preloaded_component.hpp"
#include "flopcast/program/prepared_program.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "tests/own_folder.hpp"

/// Values of the variables by which the dynamic linker finds libraries. The linker separates their elements by blanks and colons.
namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

fs::path file_in(const fs::path& folder, const char* name) {
  fs::create_directories(folder);
  std::ofstream(folder / name) << name;
  return folder / name;
}

/// flopcast's own library lies in the folder "libexec" below this test's folder.
class Preloading : public ::testing::Test {
 protected:
  Preloading() { use_components(folder_.path() / "libexec"); }
  ~Preloading() override { unsetenv("FLOPCAST_LIBEXEC"); }
  void use_components(const fs::path& folder) {
    component_ = file_in(folder, "part.so");
    setenv("FLOPCAST_LIBEXEC", folder.c_str(), 1);
  }

  tests::OwnFolder folder_;
  fs::path component_;
};

TEST_F(Preloading, PutsFlopcastsLibraryBeforeTheOthers) {
  std::vector<std::string> environment = {"LD_PRELOAD=libm.so.6", "HOME=/root"};
  PreloadedComponent("part.so").put_first(environment);
  EXPECT_EQ(process::variable(environment, "LD_PRELOAD"), component_.string() + ":libm.so.6");
}

TEST_F(Preloading, AFolderWithBlanksIsReachedThroughALink) {
  use_components(folder_.path() / "a b:c");
  std::string preloaded;
  {
    const PreloadedComponent component("part.so");
    std::vector<std::string> environment;
    component.put_first(environment);
    preloaded = process::variable(environment, "LD_PRELOAD");
    EXPECT_EQ(preloaded.find_first_of(" :"), std::string::npos) << preloaded;
    EXPECT_THAT(preloaded, EndsWith("/part.so"));
    EXPECT_TRUE(fs::equivalent(preloaded, component_));
  }
  EXPECT_FALSE(fs::exists(fs::symlink_status(preloaded))) << "the link outlives its use";
}

TEST_F(Preloading, ChosenLibrariesHaveTheNamesThatProgramsAskFor) {
  const fs::path blas = file_in(folder_.path() / "blis", "libblis.so"), lapack = file_in(folder_.path() / "lapack", "liblapack.so");
  const LibraryLinks links({blas, lapack});
  std::vector<std::string> environment = {"LD_LIBRARY_PATH=/opt/lib"};
  links.put_first(environment);
  const std::string path = process::variable(environment, "LD_LIBRARY_PATH");
  const fs::path folder = path.substr(0, path.find(':'));
  EXPECT_TRUE(fs::equivalent(folder / "libblas.so.3", blas));
  EXPECT_TRUE(fs::equivalent(folder / "liblapack.so.3", lapack));
  EXPECT_EQ(path, folder.string() + ':' + blas.parent_path().string() + ':' + lapack.parent_path().string() + ":/opt/lib");
}

TEST_F(Preloading, WideLibrariesHaveNamesOfTheirOwn) {
  const fs::path blas = file_in(folder_.path() / "blis", "libblis64.so");
  const LibraryLinks links({blas, "", true});
  const std::string path = links.search_path("");
  const fs::path folder = path.substr(0, path.find(':'));
  EXPECT_TRUE(fs::equivalent(folder / "libblas64.so.3", blas));
  EXPECT_TRUE(fs::equivalent(folder / "liblapack64.so.3", blas)) << "the LAPACK in the BLAS";
  EXPECT_FALSE(fs::exists(folder / "libblas.so.3"));
}

TEST_F(Preloading, FoldersOfChosenLibrariesMayHaveBlanks) {
  const fs::path blas = file_in(folder_.path() / "my blis;1", "libblis.so");
  const LibraryLinks links({blas, ""});
  const std::string path = links.search_path("");
  EXPECT_EQ(path.find_first_of(" ;"), std::string::npos) << path;
  const fs::path folder = path.substr(0, path.find(':'));
  EXPECT_TRUE(fs::equivalent(folder / "libblas.so.3", blas));
  EXPECT_TRUE(fs::equivalent(folder / "beside-libblas.so.3", blas.parent_path())) << "for the library's own dependencies";
}

TEST_F(Preloading, LibrariesThatTheLinkerPassesOverArePreloaded) {
  const fs::path blas = file_in(folder_.path() / "blis", "libblis.so"), other = file_in(folder_.path() / "other", "libblas.so.3");
  const LibraryLinks links({blas, ""});
  const auto passed_over = links.passed_over({{"libblas.so.3", other}, {"liblapack.so.3", blas}, {"libm.so.6", "/lib/libm.so.6"}});
  ASSERT_EQ(passed_over.size(), 1U);
  EXPECT_TRUE(fs::equivalent(passed_over[0], blas));
  EXPECT_TRUE(links.passed_over({{"libm.so.6", "/lib/libm.so.6"}}).empty()) << "the program asks for no BLAS";
}

TEST_F(Preloading, LinksInANamedFolderStayAndAreCorrected) {
  const fs::path blas = file_in(folder_.path() / "blis", "libblis.so"), other = file_in(folder_.path() / "other", "libother.so");
  const fs::path folder = folder_.path() / "kept/links";
  { const LibraryLinks links({other, ""}, folder); }
  EXPECT_TRUE(fs::equivalent(folder / "libblas.so.3", other));
  std::string path;
  {
    const LibraryLinks links({blas, ""}, folder);
    path = links.search_path("");
  }
  EXPECT_TRUE(fs::equivalent(folder / "libblas.so.3", blas));
  EXPECT_EQ(path.substr(0, path.find(':')), folder.string());
  EXPECT_THROW(LibraryLinks({blas, ""}, folder_.path() / "a b"), Error) << "the linker splits its lists at blanks";
}

TEST_F(Preloading, AMissingLibraryIsNamed) {
  try {
    const LibraryLinks links({"/no/such/blas.so", ""});
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("/no/such/blas.so"));
  }
}

TEST_F(Preloading, AProgramGetsThreadsAndFlopcastsLibraryOnly) {
  PreparedProgram program({{"/bin/sh"}, {}, 3}, "part.so");
  EXPECT_EQ(process::variable(program.environment(), "OPENBLAS_NUM_THREADS"), "3");
  EXPECT_EQ(process::variable(program.environment(), "OMP_NUM_THREADS"), "3");
  EXPECT_THAT(process::variable(program.environment(), "LD_PRELOAD"), ::testing::StartsWith(component_.string()));
  EXPECT_EQ(process::variable(program.environment(), "LD_LIBRARY_PATH"),
            process::variable(process::current_environment(), "LD_LIBRARY_PATH"));
}

TEST_F(Preloading, AProgramThatIsNoneIsRefused) {
  const fs::path script = file_in(folder_.path(), "script"), text = file_in(folder_.path(), "text");
  std::ofstream(script) << "#!/no/such/interpreter\n";
  fs::permissions(script, fs::perms::owner_all);
  for (const auto& [command, said] : {std::pair<std::string, const char*>{"no-such-program", "no program 'no-such-program' in any folder"},
                                      {"./no-such-program", "no program ./no-such-program"},
                                      {text.string(), "text"},
                                      {script.string(), "/no/such/interpreter"}}) {
    try {
      const PreparedProgram program({{command}, {}, std::nullopt}, "part.so");
      FAIL() << command;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      EXPECT_THAT(error.what(), HasSubstr(said));
    }
  }
}

}  // namespace
}  // namespace flopcast::program
