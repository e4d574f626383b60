#include "flopcast/tasks/programs/programs.hpp"

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "tests/message_of.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/programs/fake_run_services.hpp"

namespace flopcast::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using VariableAction = ProgramEnvironment::VariableAction;
using Change = ProgramEnvironment::Change;

constexpr const char* blis = "/lib/blis/libblis.so";

class Environments : public ::testing::Test {
 protected:
  Environments() {
    program::SavedTuning tuning = FakeRunServices::tuning(blis, 4, 48);
    tuning.settings = {{"OPENBLAS_CORETYPE", "Haswell"}};
    fake_.write(tuning);
    request_.links = "/links";
  }
  ProgramEnvironment environment() { return program_environment(request_, fake_.services(), {}); }

  FakeRunServices fake_;
  EnvironmentRequest request_;
};

TEST_F(Environments, HaveWhatRunSets) {
  request_.run.threads = 4;
  const RunSettings settings = run_settings(request_.run, fake_.services(), {});
  const ProgramEnvironment found = environment();
  for (const auto& [name, value] : settings.variables) {
    EXPECT_THAT(found.variables, Contains(Pair(name, value)));
  }
  EXPECT_EQ(found.variables.at("LD_PRELOAD"), settings.preload);
  EXPECT_THAT(found.routines, ElementsAre("dgeqrf"));
  EXPECT_THAT(fake_.linked, ElementsAre()) << "without another library nothing is linked";
  EXPECT_THAT(found.variables, Not(Contains(Key("LD_LIBRARY_PATH"))));
}

TEST_F(Environments, LeaveKernelsThatTheUserHasChosen) {
  EXPECT_EQ(environment().variables.at("OPENBLAS_CORETYPE"), "Haswell");
  fake_.variables["OPENBLAS_CORETYPE"] = "Zen";
  EXPECT_EQ(environment().variables.at("OPENBLAS_CORETYPE"), "Zen");
  EXPECT_THAT(environment().changes, Contains(Change{"OPENBLAS_CORETYPE", "Haswell", VariableAction::suggest}));
}

TEST_F(Environments, PutLibrariesFirstOnce) {
  fake_.chosen = {blis, "/lib/lapack/liblapack.so"};
  fake_.variables["LD_PRELOAD"] = "/lib/other.so";
  const ProgramEnvironment once = environment();
  EXPECT_EQ(once.variables.at("LD_PRELOAD"), "/libexec/libflopcast-tuned.so:/lib/other.so");
  EXPECT_THAT(once.variables.at("LD_LIBRARY_PATH"), ::testing::StartsWith("/links/"));
  EXPECT_THAT(once.variables.at("R_LD_LIBRARY_PATH"), ::testing::EndsWith(":/usr/lib/R/lib"));
  for (const auto& [name, value] : once.variables) {
    fake_.variables[name] = value;
  }
  EXPECT_EQ(environment().variables, once.variables);
  EXPECT_EQ(environment().changes, once.changes);
}

TEST_F(Environments, OtherLibrariesHaveAnotherFolder) {
  fake_.chosen = {blis, ""};
  environment();
  environment();
  fake_.chosen = {"/lib/openblas/libblas.so", ""};
  environment();
  ASSERT_EQ(fake_.linked.size(), 3U);
  EXPECT_EQ(fake_.linked[0], fake_.linked[1]);
  EXPECT_NE(fake_.linked[0], fake_.linked[2]);
}

TEST_F(Environments, AreRefusedIfNoProgramCouldStartWithThem) {
  program::SavedTuning tuning = FakeRunServices::tuning(blis, 4, 48);
  for (int routine = 0; routine < 200; ++routine) {
    program::TunedRoutine tuned{"r" + std::to_string(routine), "", {}};
    for (std::int64_t n = 1; n <= 100; ++n) {
      tuned.points.push_back({1000 + n, 1000 + n, {48, 2, 0}, {}, 0, false});
    }
    tuning.set(tuned);
  }
  fake_.write(tuning);
  EXPECT_THAT(bad_input_of([&] { environment(); }), AllOf(HasSubstr("FLOPCAST_BLOCKS"), HasSubstr("131072")));
}

TEST_F(Environments, DocumentsReadBackEqual) {
  const ProgramEnvironment found = environment();
  EXPECT_EQ(program_environment_from_json(to_json(found)), found);
  EXPECT_EQ(schema_violation(to_json(found), std::array{program_environment_schema()}), "");
  EXPECT_THAT(bad_input_of([] { program_environment_from_json(R"({"schema": "flopcast-environment-1", "changes": [{}]})"); }),
              HasSubstr("changes[0]"));
}

/// Values that are hard to quote.
ProgramEnvironment awkward() {
  ProgramEnvironment environment;
  environment.changes = {{"FC_ASSIGNED", R"(a'b"c$HOME `id` \ ! !! * ~ ; # % & | <x> (y) {z} [w] é)", VariableAction::assign},
                         {"FC_SPACES", "  two  blanks  ", VariableAction::assign},
                         {"FC_EMPTY", "", VariableAction::assign},
                         {"FC_GIVEN", "not taken", VariableAction::suggest},
                         {"FC_MISSING", "it's", VariableAction::suggest},
                         {"FC_PATH", "/first folder's:/second", VariableAction::prepend},
                         {"FC_NEW_PATH", "/first", VariableAction::prepend}};
  return environment;
}

/// Returns the value of a variable after `script` was run by a shell twice, with FC_GIVEN and FC_PATH set before.
class Shells : public ::testing::Test {
 protected:
  /// Skips the test if there is no such shell.
  bool has(const std::string& shell) const { return run_in(folder_.path(), "command -v " + shell).exit_code == 0; }
  void write(EnvironmentFormat format) const { std::ofstream(folder_.path() / "commands") << to_text(awkward(), format); }
  void expect_values(const std::string& shell, const std::string& script) const {
    std::ofstream(folder_.path() / "script") << script;
    const Result result = run_in(folder_.path(), "unset FC_MISSING FC_NEW_PATH; FC_GIVEN=mine FC_PATH=/old " + shell + " script");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const auto line = [](const Change& change) { return change.name + "=" + change.value + "\n"; };
    const std::vector<Change> changes = awkward().changes;
    EXPECT_EQ(result.out, line(changes[0]) + line(changes[1]) + line(changes[2]) + "FC_GIVEN=mine\n" + line(changes[4]) +
                              "FC_PATH=/first folder's:/second:/old\n" + line(changes[6]));
  }
  static constexpr const char* print =
      "for v in FC_ASSIGNED FC_SPACES FC_EMPTY FC_GIVEN FC_MISSING FC_PATH FC_NEW_PATH; do printf \"%s=%s\\n\" $v \"$(printenv $v)\"; done";

  OwnFolder folder_;
};

TEST_F(Shells, ShTakesTheValues) {
  write(EnvironmentFormat::sh);
  for (const char* shell : {"dash", "bash", "zsh", "ksh"}) {
    if (has(shell)) {
      expect_values(shell, std::string("set -eu\neval \"$(cat commands)\"\neval \"$(cat commands)\"\n") + print + "\n");
    }
  }
  ASSERT_TRUE(has("sh"));
}

TEST_F(Shells, CshTakesTheValues) {
  const std::string shell = has("csh") ? "csh" : "tcsh";
  if (!has(shell)) {
    GTEST_SKIP() << "csh is not installed";
  }
  write(EnvironmentFormat::csh);
  expect_values(shell + " -f", std::string("eval \"`cat commands`\"\neval \"`cat commands`\"\nexec sh -c '") + print + "'\n");
}

TEST_F(Shells, FishTakesTheValues) {
  if (!has("fish")) {
    GTEST_SKIP() << "fish is not installed";
  }
  write(EnvironmentFormat::fish);
  expect_values("HOME=. fish --no-config", std::string("cat commands | source\ncat commands | source\nexec sh -c '") + print + "'\n");
}

TEST_F(Shells, LmodTakesTheValues) {
  ProgramEnvironment environment = awkward();
  const std::string text = to_text(environment, EnvironmentFormat::lmod);
  EXPECT_THAT(text, AllOf(HasSubstr("prepend_path(\"FC_NEW_PATH\", \"/first\")\n"), HasSubstr("pushenv(\"FC_GIVEN\", \"not taken\")\n")));
  if (!has("lua5.4")) {
    GTEST_SKIP() << "lua5.4 is not installed";
  }
  std::ofstream(folder_.path() / "module.lua") << "function pushenv(n, v) print(n .. '=' .. v) end\nprepend_path = pushenv\n" << text;
  const Result result = run_in(folder_.path(), "lua5.4 module.lua");
  std::string expected;
  for (const Change& change : environment.changes) {
    expected += change.name + "=" + change.value + "\n";
  }
  EXPECT_EQ(result.out, expected) << result.err;
}

TEST_F(Shells, CshRefusesLineBreaks) {
  ProgramEnvironment environment;
  environment.changes = {{"NAME", "a\nb", VariableAction::assign}};
  EXPECT_THAT(bad_input_of([&] { to_text(environment, EnvironmentFormat::csh); }), HasSubstr("NAME"));
  EXPECT_EQ(to_text(environment, EnvironmentFormat::sh), "export NAME='a\nb'\n");
}

TEST(EnvironmentFormats, HaveNames) {
  EXPECT_EQ(parse_environment_format("lmod"), EnvironmentFormat::lmod);
  EXPECT_THAT(bad_input_of([] { parse_environment_format("bat"); }), HasSubstr("'bat'"));
}

}  // namespace
}  // namespace flopcast::tests
