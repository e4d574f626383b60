#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder with a configuration file, and runs of the program that read this file.
class Settings : public ::testing::Test {
 protected:
  Settings() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_settings.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ / "flopcast");
    file_ = folder_ / "flopcast/config.toml";
  }
  ~Settings() override {
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }

  void write(const std::string& text) const { std::ofstream(file_) << text; }
  [[nodiscard]] std::string line(int number) const { return file_.string() + ':' + std::to_string(number) + ": "; }

  [[nodiscard]] Ended run(const std::vector<std::string>& arguments, const std::vector<std::string>& variables = {}) const {
    std::vector<std::string> words = {FLOPCAST_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = {"FLOPCAST_HOME=" FLOPCAST_TEST_HOME,
                                            "COLUMNS=1000",  // paths stay on the line of their text
                                            "FLOPCAST_SYSTEM_WISDOM=",
                                            "FLOPCAST_CONFIG=" + file_.string(),
                                            "FLOPCAST_BLAS=",
                                            "FLOPCAST_LAPACK=",
                                            "FLOPCAST_THREADS=",
                                            "FLOPCAST_TIME_BUDGET="};
    for (const std::string& variable : variables) {
      const std::string name = variable.substr(0, variable.find('=') + 1);
      std::erase_if(environment, [&](const std::string& one) { return one.starts_with(name); });
      environment.push_back(variable);
    }
    return run_program(words, "", environment);
  }

  std::filesystem::path folder_, file_;
};

const std::vector<std::string> dry_run = {"sample", "ddot", "n=10", "--dry-run"};

std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Settings, OptionComesBeforeVariableBeforeSectionBeforeTheTopOfTheFile) {
  write("blas = \"from-the-top\"\n");
  EXPECT_THAT(run(dry_run).err, HasSubstr("'from-the-top'"));
  write("blas = \"from-the-top\"\n[sample]\nblas = \"from-the-section\"\n");
  EXPECT_THAT(run(dry_run).err, HasSubstr("'from-the-section'"));
  EXPECT_THAT(run(dry_run, {"FLOPCAST_BLAS=from-a-variable"}).err, HasSubstr("'from-a-variable'"));
  EXPECT_THAT(run(dry_run + std::vector<std::string>{"--blas", "from-an-option"}, {"FLOPCAST_BLAS=from-a-variable"}).err,
              AllOf(HasSubstr("'from-an-option'"), Not(HasSubstr("FLOPCAST_BLAS"))));
}

TEST_F(Settings, MessagesNameTheOriginOfAValueThatIsRefusedLater) {
  write("\nblas = \"nonesuch\"\n");
  const Ended ended = run(dry_run);
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(line(2) + "blas gives --blas"));
  EXPECT_THAT(run(dry_run, {"FLOPCAST_BLAS=other"}).err, HasSubstr("FLOPCAST_BLAS gives --blas"));
  write("[tune]\nnb = \"many\"\n");
  const Ended tuning = run({"tune", "dgeqrf", "--n", "100"});
  EXPECT_EQ(tuning.code, 3);
  EXPECT_THAT(tuning.err, AllOf(HasSubstr("--nb: 'many'"), HasSubstr(line(2) + "nb is 'many'")));
}

TEST_F(Settings, ValuesAreCheckedAsOnTheCommandLine) {
  write("threads = 0\n");
  const Ended few = run(dry_run);
  EXPECT_EQ(few.code, 3);
  EXPECT_THAT(few.err, HasSubstr(line(1) + "threads is '0', expected a whole number from 1 to 1024"));
  EXPECT_THAT(run(dry_run, {"FLOPCAST_THREADS=two"}).err, HasSubstr("FLOPCAST_THREADS is 'two', expected a whole number from 1 to 1024"));
  write("[env]\nformat = \"xml\"\n");
  EXPECT_THAT(run({"env"}).err, HasSubstr(line(2) + "format is 'xml', expected one of sh, csh, fish, json, lmod"));
  write("[model.build]\ndegree = \"high\"\n");
  EXPECT_THAT(run({"model", "build", "dgemm", "m=8", "n=8", "k=8", "--dry-run"}).err,
              HasSubstr("degree is 'high', expected a whole number"));
}

TEST_F(Settings, UnknownKeysAndSectionsAreRefusedByEveryCommand) {
  write("thread = 2\n");
  const Ended key = run({"schema", "--list"});
  EXPECT_EQ(key.code, 3);
  EXPECT_THAT(key.err, AllOf(HasSubstr(line(1) + "unknown key 'thread' (did you mean 'threads'?); expected one of blas, color"),
                             HasSubstr("time-budget")));
  write("\n[tuna]\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr(line(2) + "unknown section 'tuna' (did you mean 'tune'?)"));
  write("[mpi.tuna]\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr("unknown section below mpi 'tuna'"));
  write("[tune]\nsize = 7\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr(line(2) + "unknown key in section [tune] 'size'"));
  for (const char* fixed : {"json = true", "output = \"x\"", "help = true", "routine = \"dgeqrf\""}) {
    write(std::string("[tune]\n") + fixed + '\n');
    EXPECT_EQ(run({"schema", "--list"}).code, 3) << fixed;
  }
  write("[mpi.run]\nresults = \"x\"\n");  // between processes of flopcast
  EXPECT_EQ(run({"schema", "--list"}).code, 3);
}

TEST_F(Settings, FilesThatArentTomlAreRefusedWithTheirLine) {
  write("blas = \"a\"\nthreads =\n");
  const Ended ended = run({"schema", "--list"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr(file_.string() + ":2: "));
  write("threads = 2026-01-01\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr(line(1) + "threads has a value of another kind"));
  write("threads = true\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr(line(1) + "threads is true, expected a text or a number"));
  write("[tune]\nsave = 1\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr(line(2) + "save is 1, expected true or false"));
}

TEST_F(Settings, TextsNumbersAndListsAreReadAsTomlHasThem) {
  const auto values = [&](const std::string& text) {
    write(text);
    const Ended help = run({"sample", "--help-all"});
    return help.out + help.err;
  };
  EXPECT_THAT(values("blas = 'C:\\blas'  # a path\r\n"), HasSubstr("In force: C:\\blas (" + line(1) + "blas)."));
  EXPECT_THAT(values("\xEF\xBB\xBF"
                     "blas = \"a\\\\b \\\"c\\\" \\u00e9\""),
              HasSubstr("In force: a\\b \"c\" \u00e9 (" + line(1) + "blas)."));
  EXPECT_THAT(values("threads = 1_0"), HasSubstr("In force: 10 ("));
  EXPECT_THAT(values("sample.interval = +5e-2"), HasSubstr("In force: 5e-2 ("));
  EXPECT_THAT(values("[sample]\ncache = [\n  \"warm\",  # first\n  'cold',\n]\nrepetitions = 3"),
              AllOf(HasSubstr("In force: warm,cold ("), HasSubstr("In force: 3 (")));
  EXPECT_THAT(values("[ sample . \"x\" ]"), HasSubstr("unknown section below sample 'x'"));
}

TEST_F(Settings, FaultsOfTheFileAreToldWithTheirLine) {
  const auto fault = [&](const std::string& text) {
    write(text);
    const Ended ended = run({"schema", "--list"});
    EXPECT_EQ(ended.code, 3) << text;
    return ended.err;
  };
  EXPECT_THAT(fault("threads = 1\nthreads = 2\n"), HasSubstr(line(2) + "threads is there twice"));
  EXPECT_THAT(fault("[tune]\n[tune]\n"), HasSubstr(line(2) + "section [tune] is there twice"));
  EXPECT_THAT(fault("blas = reference\n"), HasSubstr(line(1) + "blas has the value reference; expected a text in quotation marks"));
  EXPECT_THAT(fault("blas = \"reference\n"), HasSubstr(line(1) + "the text has no \" at its end"));
  EXPECT_THAT(fault("blas = \"a\\x\"\n"), HasSubstr(line(1) + "a text has an unknown escape"));
  EXPECT_THAT(fault("blas = \"a\" b\n"), HasSubstr(line(1) + "there is more behind the value of blas"));
  EXPECT_THAT(fault("\n[tune\n"), HasSubstr(line(2) + "a section ends with ']'"));
  EXPECT_THAT(fault("[[tune]]\n"), HasSubstr(line(1) + "lists of sections"));
  EXPECT_THAT(fault("[=]\n"), HasSubstr(line(1) + "a key is missing"));
  EXPECT_THAT(fault("[tune]\nnb = [16\n32]\n"), HasSubstr(line(3) + "the list of nb has no end"));
  EXPECT_THAT(fault("tune = 1\n[tune]\n"), HasSubstr(line(2) + "tune is a section here and a value in line 1"));
  EXPECT_THAT(fault("blas = {a = 1}\n"), HasSubstr(line(1) + "blas has a value of another kind"));
  EXPECT_THAT(fault("threads = 1__0\n"), HasSubstr(line(1) + "threads has a value of another kind"));
}

TEST_F(Settings, FlagsOfTheFileCanBeTurnedOff) {
  write("[schema]\nlist = true\n");
  EXPECT_THAT(run({"schema"}).out, HasSubstr("flopcast-tune-"));
  EXPECT_EQ(run({"schema", "--list=false"}).code, 2) << "neither a name nor a list";
}

TEST_F(Settings, ASettingDoesntCountAsGiven) {
  write("blas = \"openblas-serial\"\ntime-budget = \"3s\"\n[contract]\neffort = \"estimate\"\n");
  const Ended ended = run({"contract", "abc=ai,ibc", "a=b=c=8", "i=8", "--list"});  // refuses these options
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(Settings, ProgramsKeepTheirLibrariesUnlessTheirSectionNamesOthers) {
  const std::vector<std::string> env = {"env", "--blas", "reference", "--links", folder_ / "links"};
  write("threads = 3\nlapack = \"nonesuch\"\n");
  const Ended own = run(env);
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.out, AllOf(HasSubstr("LD_LIBRARY_PATH"), Not(HasSubstr("OPENBLAS_NUM_THREADS"))));
  write("[env]\nthreads = 3\n");
  EXPECT_THAT(run(env).out, HasSubstr("OPENBLAS_NUM_THREADS='3'"));
  EXPECT_THAT(run(env + std::vector<std::string>{"--threads", "2"}).out, HasSubstr("OPENBLAS_NUM_THREADS='2'"));
}

TEST_F(Settings, AnOptionOfEveryCommandMayStandBeforeTheCommand) {
  write("color = \"sometimes\"\n");
  EXPECT_THAT(run({"schema", "--list"}).err, HasSubstr(line(1) + "color is 'sometimes', expected one of auto, always, never"));
  EXPECT_EQ(run({"schema", "--list", "--color", "never"}).code, 0);
  EXPECT_EQ(run({"--color", "never", "schema", "--list"}).code, 0);
}

TEST_F(Settings, HelpShowsWhatIsInForceAndWhere) {
  write("threads = 4\n[tune]\nnb = [16, 32]\n");
  const std::string top = run({"--help-all"}, {"FLOPCAST_BLAS=blis"}).out;
  EXPECT_THAT(top, AllOf(HasSubstr(file_.string()), HasSubstr("blis (FLOPCAST_BLAS)"), HasSubstr("4 (" + line(1) + "threads)")));
  const std::string tune = run({"tune", "--help"}).out;
  EXPECT_THAT(tune, AllOf(HasSubstr("In force: 4 (" + line(1) + "threads)."), HasSubstr("In force: 16,32 (" + line(3) + "nb).")));
}

TEST_F(Settings, HelpAndVersionAreShownInSpiteOfABrokenFile) {
  write("threads =\n");
  const Ended help = run({"tune", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(run({"--help-all"}).out, HasSubstr("Settings: " + file_.string() + ":1: "));
  EXPECT_EQ(run({"--version"}).code, 0);
}

TEST_F(Settings, TheFileIsLookedForWhereTheVariablesSay) {
  write("threads = 7\n");
  const auto help = [&](const std::vector<std::string>& variables) {
    const std::string unset = "env -u FLOPCAST_CONFIG -u XDG_CONFIG_HOME COLUMNS=300 ";  // wide enough for paths
    std::string words;
    for (const std::string& variable : variables) {
      words += '\'' + variable + "' ";
    }
    return run_program({"/bin/sh", "-c", unset + words + FLOPCAST_PROGRAM " --help-all"}).out;
  };
  EXPECT_THAT(help({"XDG_CONFIG_HOME=" + folder_.string()}), HasSubstr("7 ("));
  std::filesystem::create_directories(folder_ / ".config");
  std::filesystem::rename(folder_ / "flopcast", folder_ / ".config/flopcast");
  EXPECT_THAT(help({"HOME=" + folder_.string()}), HasSubstr("7 ("));
  EXPECT_THAT(help({"HOME=" + folder_.string(), "XDG_CONFIG_HOME="}), HasSubstr("7 ("));
  EXPECT_THAT(help({"HOME=" + folder_.string(), "FLOPCAST_CONFIG="}), AllOf(Not(HasSubstr("7 (")), HasSubstr("FLOPCAST_CONFIG is empty")));
  const Ended missing = run({"schema", "--list"}, {"FLOPCAST_CONFIG=/nonesuch/config.toml"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("FLOPCAST_CONFIG names /nonesuch/config.toml"));
}

}  // namespace
}  // namespace flopcast::testing
