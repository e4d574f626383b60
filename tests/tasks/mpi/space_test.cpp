#include "flopcast/tasks/mpi/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/mpi/self_checks.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MpiSpace, ErrorsNameFileAndMember) {
  const tests::OwnFolder folder;
  const std::string file = (folder.path() / "space.json").string();
  const json good = {{"schema", "flopcast-mpi-space-1"},
                     {"name", "x"},
                     {"launcher", {"true"}},
                     {"command", {"true", "{nb}"}},
                     {"parameters", {{"nb", {1, 2}}}}};
  struct Case {
    const char* member;
    json value;
    const char* message;
  };
  const Case cases[] = {
      {"paramters", json::object(), "there is no member 'paramters'; there are schema, name, launcher, command, parameters, conditions"},
      {"name", 7, "'name' is 7; expected a name"},
      {"name", nullptr, "there is no 'name'; expected a name"},
      {"launcher", "mpirun -n 2", "'launcher' is \"mpirun -n 2\"; expected a list of words"},
      {"launcher", {"true", "{nb}"}, "parameters stand in the command only"},
      {"command", nullptr, "there is no 'command'; expected a list of words"},
      {"command", {"true", "{nb}", "{depth}"}, "has {depth}, but there is no parameter 'depth'; there is nb"},
      {"parameters", nullptr, "there is no 'parameters'; expected the values of each"},
      {"parameters", json::array({1}), "'parameters' is [1]; expected the values of each"},
      {"parameters", {{"nb", 64}}, "parameter 'nb' is 64; expected a list of its values"},
      {"parameters", {{"nb", json::array()}}, "parameter 'nb' is []; expected a list of its values"},
      {"parameters", {{"nb", {64, {96}}}}, "parameter 'nb' has the value [96]; expected texts"},
      {"parameters", {{"nb", {64, "64"}}}, "parameter 'nb' has the value 64 twice"},
      {"parameters", {{"nb", {1}}, {"{", {1}}}, "expected a name without braces"}};
  for (const auto& [member, value, message] : cases) {
    json space = good;
    space[member] = value;
    if (value.is_null()) {
      space.erase(member);
    }
    std::ofstream(file) << space;
    try {
      static_cast<void>(read_mpi_space(file));
      FAIL() << space;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << space;
      EXPECT_THAT(error.what(), HasSubstr("space.json: ")) << space;
      EXPECT_THAT(error.what(), HasSubstr(message)) << space;
      EXPECT_THAT(error.what(), Not(HasSubstr("json.exception"))) << space;
    }
  }
  std::ofstream(file) << good;
  EXPECT_EQ(read_mpi_space(file), (search::ParameterSpace{"x", {"true"}, {"true", "{nb}"}, {{"nb", {"1", "2"}}}, file}));
}

/// A folder with a program "app" in the folder "other", to which the process changes.
class ProgramsOfASpace : public ::testing::Test {
 protected:
  ProgramsOfASpace() : before_(fs::current_path()) {
    fs::create_directory(folder_.path() / "other");
    const fs::path program = folder_.path() / "other/app";
    std::ofstream(program) << "#!/bin/sh\n";
    fs::permissions(program, fs::perms::owner_all);
    fs::current_path(folder_.path());
  }
  ~ProgramsOfASpace() override { fs::current_path(before_); }

  static std::string missing(const search::ParameterSpace& space) {
    return tests::message_of([&space] { require_programs(space); });
  }

  tests::OwnFolder folder_;
  fs::path before_;
};

TEST_F(ProgramsOfASpace, AreLookedForFromTheCurrentFolder) {
  EXPECT_EQ(missing({"test", {"mpirun"}, {"other/app", "{n}"}, {{"n", {"1"}}}, "space.json"}), "");
  EXPECT_THAT(missing({"test", {"mpirun"}, {"./nowhere", "{n}"}, {{"n", {"1", "2"}}}, "space.json"}),
              HasSubstr("space.json: there is no program ./nowhere (looked for from the current folder"));
  EXPECT_THAT(missing({"test", {"mpirun"}, {"{folder}/app"}, {{"folder", {"other", "none"}}}, "space.json"}),
              HasSubstr("there is no program none/app"));
}

TEST_F(ProgramsOfASpace, BesideASpaceOfAnotherFolderAreNamed) {
  EXPECT_THAT(missing({"test", {"mpirun"}, {"./app"}, {}, "other/space.json"}),
              HasSubstr("There is other/app: start flopcast in " + (fs::canonical(folder_.path()) / "other").string()));
}

TEST(MpiSelfChecks, AreMadeAnewForAnotherProgramFileAndAfterTenTunings) {
  const tests::OwnFolder folder;
  const std::string program = (folder.path() / "program").string();
  std::ofstream(program) << "one";
  const search::ParameterSpace space = {"test", {"mpirun"}, {program, "{n}"}, {{"n", {"1"}}}, ""};
  model::Store store = model::Store::open(folder.path() / "store.db");
  EXPECT_FALSE(MpiSelfChecks(store, space, "local").has_passed());
  MpiSelfChecks(store, space, "local").note(true);
  EXPECT_TRUE(MpiSelfChecks(store, space, "local").has_passed());
  EXPECT_FALSE(MpiSelfChecks(store, space, "eager").has_passed());
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(MpiSelfChecks(store, space, "local").has_passed()) << i;
    MpiSelfChecks(store, space, "local").count_tuning();
  }
  EXPECT_FALSE(MpiSelfChecks(store, space, "local").has_passed());
  MpiSelfChecks(store, space, "local").note(true);
  std::ofstream(program) << "another";
  EXPECT_FALSE(MpiSelfChecks(store, space, "local").has_passed());
  MpiSelfChecks(store, space, "local").note(false);
  EXPECT_FALSE(MpiSelfChecks(store, space, "local").has_passed());
}

}  // namespace
}  // namespace flopcast
