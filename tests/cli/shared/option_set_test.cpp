#include "flopcast/cli/shared/option_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A command line of the program "program", without options at first.
class OptionSets : public ::testing::Test {
 protected:
  /// Returns the exit code, nothing if the program is to go on.
  std::optional<int> parse(std::initializer_list<std::string> arguments) {
    std::vector<std::string> words = {"program"};
    words.insert(words.end(), arguments);
    std::vector<char*> pointers;
    for (std::string& word : words) {
      pointers.push_back(word.data());
    }
    ::testing::internal::CaptureStderr();
    const std::optional<int> code = line_.parse(static_cast<int>(pointers.size()), pointers.data());
    complaint_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  CommandLine line_{"program", "Does something"};
  OptionSet options_ = line_.options();
  std::string complaint_;
};

TEST_F(OptionSets, BindVariables) {
  int threads = 1;
  double share = 0;
  std::vector<std::string> files;
  bool quiet = false;
  int nothing = 0;
  options_.option("--threads,-t", threads);
  options_.option("--share", share);
  options_.option("--maybe", nothing);
  options_.option("files", files);
  options_.flag("--quiet", quiet);
  EXPECT_FALSE(parse({"-t", "4", "--share", "0.5", "--quiet", "a", "b"}));
  EXPECT_EQ(threads, 4);
  EXPECT_EQ(share, 0.5);
  EXPECT_THAT(files, ElementsAre("a", "b"));
  EXPECT_TRUE(quiet);
  EXPECT_EQ(nothing, 0);
  EXPECT_TRUE(options_.given("--threads"));
  EXPECT_FALSE(options_.given("--maybe"));
}

TEST_F(OptionSets, RefuseValuesWithWhatWasExpected) {
  int threads = 1;
  std::string kernels = "auto";
  options_.option("--threads", threads).range(1, 16);
  options_.option("--kernels", kernels).choices({"auto", "library"});
  EXPECT_EQ(parse({"--threads", "17"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("--threads: '17' given, expected a whole number from 1 to 16"));
  EXPECT_EQ(parse({"--threads", "few"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("--threads: 'few' given, expected a whole number from 1 to 16"));
  EXPECT_EQ(parse({"--kernels", "best"}), 2);
  EXPECT_THAT(complaint_, HasSubstr("--kernels: 'best' given, expected one of auto, library"));
  EXPECT_FALSE(parse({"--threads", "16", "--kernels", "library"}));
  EXPECT_EQ(threads, 16);
  EXPECT_EQ(kernels, "library");
}

TEST_F(OptionSets, NumbersKeepToTheirBounds) {
  std::string share;
  options_.option("--share", share).number(false, 0, 1, true, true);
  EXPECT_FALSE(parse({"--share", "1"}));
  EXPECT_FALSE(parse({"--share", "1e-3"}));
  for (const char* wrong : {"0", "1.001", "nan", "half", "1x"}) {
    EXPECT_EQ(parse({"--share", wrong}), 2) << wrong;
  }
}

TEST_F(OptionSets, PresetsCountUnlessTheCommandLineHasTheOption) {
  std::string blas;
  Option option = options_.option("--blas", blas);
  options_.action([] {});
  option.preset({{"blis"}, "file:3: blas"});
  EXPECT_EQ(option.description().in_force, "blis (file:3: blas)");
  EXPECT_FALSE(parse({}));
  EXPECT_EQ(blas, "blis");
  EXPECT_FALSE(options_.given("--blas"));
  EXPECT_FALSE(parse({"--blas", "openblas"}));
  EXPECT_EQ(blas, "openblas");
}

TEST_F(OptionSets, RefusedPresetsNameTheirOrigin) {
  int threads = 1;
  options_.option("--threads", threads).range(1, 16).preset({{"many"}, "FLOPCAST_THREADS"});
  options_.action([] {});
  try {
    static_cast<void>(parse({}));
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    static_cast<void>(::testing::internal::GetCapturedStderr());
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_STREQ(error.what(), "FLOPCAST_THREADS is 'many', expected a whole number from 1 to 16");
  }
}

TEST_F(OptionSets, DescriptionsHaveWhatWasDeclared) {
  int threads = 1;
  std::string file, routine, secret;
  options_.option("--threads,-t", threads, "Threads of BLAS").range(1, 16).setting("threads").show_default();
  options_.option("--output", file, "Result").placeholder("FILE");
  options_.option("routine", routine, "A routine").required();
  options_.option("--secret", secret).hidden();
  OptionSet command = options_.add_command("tune", "Tunes");
  command.footer("The end");
  const CommandDescription description = options_.description();
  EXPECT_THAT(description.words, ElementsAre("program"));
  ASSERT_EQ(description.commands.size(), 1U);
  EXPECT_THAT(description.commands[0].words, ElementsAre("program", "tune"));
  EXPECT_EQ(description.commands[0].footer, "The end");
  const auto described = [&](const std::string& name) {
    for (const OptionDescription& one : description.options) {
      if (one.name == name) {
        return one;
      }
    }
    return OptionDescription{.name = "none"};
  };
  EXPECT_TRUE(description.options.front().is_argument) << "arguments come first";
  EXPECT_TRUE(described("routine").required);
  EXPECT_FALSE(described("routine").is_setting);
  EXPECT_EQ(described("threads").short_name, "t");
  EXPECT_EQ(described("threads").range, "1 to 16");
  EXPECT_EQ(described("threads").default_value, "1");
  EXPECT_EQ(described("threads").placeholder, "N");
  EXPECT_EQ(described("threads").setting, "threads");
  EXPECT_TRUE(described("threads").is_setting);
  EXPECT_EQ(described("output").kind, ValueKind::file);
  EXPECT_EQ(described("secret").name, "none");
}

}  // namespace
}  // namespace flopcast::cli
