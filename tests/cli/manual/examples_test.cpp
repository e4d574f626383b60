// Every command that a help text shows as an example, or that a message asks for, works when it is pasted. The command runs in a fresh store.
// Where that takes too long, or needs a program of the user, flopcast at least understands the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::testing {
namespace {

using ::testing::HasSubstr;

/// Commands whose examples are only understood, not run, with the reason.
const std::map<std::string, std::string> only_understood = {
    {"env", "the examples speak to shells, and name files of a cluster"},
    {"model build", "the examples take a minute"},
    {"model check", "the examples take a minute"},
    {"model delete", "the program asks on the terminal"},
    {"mpi", "the user's program"},
    {"mpi advise", "MPI programs are started by the tests of MPI"},
    {"mpi describe", "messages are measured by the tests of MPI"},
    {"mpi run", "the user's program"},
    {"mpi show", "a profile of the user's program"},
    {"mpi simulate", "the user's program"},
    {"mpi tune", "the user's program"},
    {"race", "the user's programs"},
};

/// Examples of other commands that are only understood: they are too slow for a test, or stand for the user's own program.
const std::set<std::string> only_understood_examples = {
    "flopcast tune dgeqrf --n 200:3200 --save",
    "flopcast tune --parameter nb=16:128:16 --parameter variant=left,right -- ./ldlt {nb} {variant}",
    "flopcast run --blas openblas-serial --lapack reference --report -- ./a.out",
    "flopcast run --threads auto -- python3 script.py",
    "flopcast roofline",
    "flopcast verify --time-budget 10s",
    "flopcast extract flopcast.trace --output calls.c && cc -O2 calls.c -o calls -lopenblas && ./calls",
    "flopcast scale small.trace=500 middle.trace=1000 large.trace=2000 --to 8000",
    "flopcast export ilaenv --output ilaenv.f90 && gfortran -O2 program.f90 ilaenv.f90 -llapack -lblas",
    "flopcast export ilaenv --language c --threads 1 --output ilaenv.c && cc -O2 program.c ilaenv.c -llapack -lblas -lm",
};

/// Says whether a command ended as its example promises. `verify` ends with 1 where it finds a library of this machine wrong, and Debian 12's
/// OpenBLAS is: its scasum misses elements on CPUs with AVX512_BF16.
bool ended_well(const std::string& command, const Ended& ended) {
  return ended.code == 0 || (command == "verify" && ended.code == 1 && ended.err.find("wrong: ") != std::string::npos);
}

constexpr const char* tune_a_little = "flopcast tune dgeqrf --n 200 --nb 32,64 --time-budget 1s --save";
constexpr const char* model_a_little = "flopcast model build dtrsm side=L uplo=L transa=N m=8:40 n=8:40 --error 50% --time-budget 2s";

/// Returns the command that must run before the examples of `command`, which makes what the examples name.
std::string preparation(const std::string& command) {
  const std::string tune = tune_a_little;
  const std::map<std::string, std::string> all = {
      {"compare",
       R"(echo '{"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": 1}]}' >before.json && cp before.json after.json)"},
      {"extract", "flopcast record --threads 1 -- octave-cli --eval 'A = rand(200); A \\ A;'"},
      {"report",
       "flopcast tune dgeqrf --n 100 --nb 32,64 --time-budget 1s --json --output tuning.json && cp tuning.json before.json && "
       "flopcast report before.json --output after.html"},
      {"run", tune},
      {"export", tune},
      {"export ilaenv", tune},
      {"model show", model_a_little},
      {"model export", model_a_little},
      {"model list", model_a_little},
      {"wisdom", tune},
      {"wisdom export", tune},
      {"wisdom forget", tune},
      {"wisdom import", tune + " && flopcast wisdom export --output epyc.wisdom"},
      {"wisdom list", tune + " && flopcast wisdom export --output epyc.wisdom"},
      {"wisdom merge", tune + " && flopcast wisdom export --output epyc.wisdom && cp epyc.wisdom xeon.wisdom"},
  };
  const auto found = all.find(command);
  return found == all.end() ? "true" : found->second;
}

/// Returns the indented lines that follow "Example:" or "Examples:" in a help text.
std::vector<std::string> examples(const std::string& command) {
  std::istringstream help(shell("COLUMNS=1000 flopcast " + command + " --help").out);  // an example on a line
  std::vector<std::string> found;
  bool reached = false;
  for (std::string line; std::getline(help, line);) {
    if (reached && line.compare(0, 2, "  ") == 0) {
      found.push_back(line.substr(2));
    }
    reached = reached || line == "Example:" || line == "Examples:";
  }
  return found;
}

/// Returns all commands whose help is kept, "mpi run" for help_mpi_run.txt.
std::vector<std::string> all_commands() {
  std::vector<std::string> commands;
  for (const auto& entry : std::filesystem::directory_iterator(FLOPCAST_GOLDEN)) {
    const std::string begin = "help_", name = entry.path().stem();
    if (name.starts_with(begin)) {
      commands.push_back(name.substr(begin.size()));
      std::replace(commands.back().begin(), commands.back().end(), '_', ' ');
    }
  }
  std::sort(commands.begin(), commands.end());
  return commands;
}

/// A folder and a store of its own, which knows the measured machine and nothing else.
class FreshStore {
 public:
  FreshStore() {
    for (const auto& entry : std::filesystem::directory_iterator(FLOPCAST_TEST_HOME)) {
      if (entry.path().filename().string().starts_with("machine-")) {
        std::filesystem::copy(entry.path(), folder_.path());
      }
    }
  }
  [[nodiscard]] Ended run(const std::string& command) const {
    return shell("export FLOPCAST_HOME='" + folder_.path().string() + "' && cd \"$FLOPCAST_HOME\" && " + command);
  }
  /// Lets the program only read the words of its commands.
  [[nodiscard]] Ended understand(const std::string& command) const {
    return run("export FLOPCAST_PARSE_ONLY=1 && " + command.substr(0, std::min(command.find(" && "), command.find(" | "))));
  }

 private:
  tests::OwnFolder folder_;
};

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, WorkWhenPasted) {
  const std::vector<std::string> pasted = examples(GetParam());
  EXPECT_FALSE(pasted.empty());
  const FreshStore store;
  const bool runs = !only_understood.contains(GetParam());
  if (runs) {
    const Ended prepared = store.run(preparation(GetParam()));
    ASSERT_EQ(prepared.code, 0) << prepared.err;
  }
  for (const std::string& example : pasted) {
    const bool is_run = runs && !only_understood_examples.contains(example);
    if (!is_run && example.find("flopcast") != 0) {
      continue;  // a launcher of MPI, or a shell's eval
    }
    const Ended ended = is_run ? store.run(example) : store.understand(example);
    EXPECT_TRUE(ended_well(GetParam(), ended)) << ended.code << ": " << example << '\n' << ended.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, Examples, ::testing::ValuesIn(all_commands()), [](const auto& suite) {
  std::string name = suite.param;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

/// Returns the indented commands of a message.
std::vector<std::string> commands_in(const std::string& message) {
  std::istringstream lines(message);
  std::vector<std::string> commands;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  flopcast ")) {
      commands.push_back(line);
    }
  }
  return commands;
}

/// A prediction whose models are missing asks for them by commands, after which the prediction works.
class MissingModels : public ::testing::TestWithParam<std::string> {};

TEST_P(MissingModels, AreBuiltByTheCommandsThatAreAskedFor) {
  const FreshStore store;
  const Ended asked = store.run(GetParam());
  ASSERT_EQ(asked.code, 3) << asked.err;
  const std::vector<std::string> commands = commands_in(asked.err);
  ASSERT_FALSE(commands.empty()) << asked.err;
  for (const std::string& command : commands) {
    const Ended built = store.run(command + " --time-budget 2s --no-thresholds");
    EXPECT_EQ(built.code, 0) << command << '\n' << built.err;
  }
  const Ended predicted = store.run(GetParam());
  EXPECT_EQ(predicted.code, 0) << predicted.err;
}

INSTANTIATE_TEST_SUITE_P(Predictions, MissingModels,
                         ::testing::Values("flopcast predict dgeqrf n=72 nb=16 nx=0 --cache-model paper",
                                           "flopcast predict dgeqrf n=72 nb=16 nx=0 --cache-model levels --generator levels",
                                           "flopcast predict dgetf2 n=64,128 --cache-model levels --generator levels",
                                           "flopcast predict dpotrf uplo=L n=64 nb=16 --cache-model warm --generator levels"));

/// Returns the document that a program wrote alone on standard output; null for anything else.
nlohmann::json document(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

TEST(AskProgram, AnswersWrongQuestionsWithADocumentOfTheError) {
  const FreshStore store;
  for (const std::string question :
       {R"({"run": {"command": []}})", R"({"record": {"command": []}})", R"({"mpi_simulate": {"command": [], "ranks": [1]}})",
        R"({"record": {"command": ["/bin/true"], "output": ""}})",
        R"({"contract": {"expression": "i,i->", "operands": ["", ""], "result": ""}})",
        R"({"predict": {"routine": "dgeqrf", "sizes": {"n": []}}})",
        R"({"predict": {"routine": "dgeqrf", "sizes": {"m": "1:100000:1", "n": "1:100000:1"}, "time_budget": 0}})"}) {
    const Ended ended = store.run("ulimit -v 4000000 && flopcast ask '" + question + "'");
    EXPECT_EQ(ended.code, 3) << question << ended.err;
    EXPECT_EQ(document(ended.out).value("schema", ""), "flopcast-error-1") << question << ended.out;
    EXPECT_EQ(document(ended.out).value("exit_code", 0), 3) << question;
  }
  const Ended long_path = store.run("flopcast ask '{\"wisdom_export\": {\"tuning\": \"" + std::string(5000, 'a') + "\"}}'");
  EXPECT_EQ(long_path.code, 3);
  EXPECT_THAT(document(long_path.out).value("message", ""), HasSubstr("wisdom_export.tuning: a text of 5000 bytes given, expected 4095"));
}

TEST(AskProgram, StandardOutputHasTheAnswerAlone) {
  const FreshStore store;
  const Ended recorded = store.run(R"(flopcast ask -q '{"record": {"command": ["/bin/echo", "hello"], "output": "r.trace"}}')");
  EXPECT_EQ(document(recorded.out).value("schema", ""), "flopcast-recording-1") << recorded.out << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("hello"));
  ASSERT_EQ(store.run(tune_a_little).code, 0);
  const Ended run = store.run(R"(flopcast ask -q '{"run": {"command": ["/bin/echo", "hello"]}}')");
  EXPECT_EQ(document(run.out).value("schema", ""), "flopcast-run-2") << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("hello"));
  const Ended to_file = store.run(R"(flopcast ask '{"run": {"command": ["/bin/echo", "hello"]}}' --output answer.json)");
  EXPECT_EQ(to_file.out, "hello\n") << to_file.err;
}

}  // namespace
}  // namespace flopcast::testing
