#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

using testing::HasSubstr;
using tests::Result;

/// Diagnoses programs without time for sampling, so that only what recordings show is found.
class DoctorCommand : public testing::Test {
 protected:
  Result doctor(const std::string& arguments) {
    return tests::run_in(own_.path(),
                         "FLOPCAST_HOME=" FLOPCAST_TEST_HOME " OPENBLAS_NUM_THREADS=1 " FLOPCAST_PROGRAM " doctor " + arguments);
  }

  /// Returns the causes of a program with these illnesses.
  std::set<std::string> causes(const std::string& illnesses) {
    const Result found = doctor("--json --output found.json --time-budget 0s -- " FLOPCAST_ILL_PROGRAM " " + illnesses);
    EXPECT_THAT(found.out, HasSubstr("done"));
    exit_code_ = found.exit_code;
    std::set<std::string> all;
    const nlohmann::json document = nlohmann::json::parse(tests::contents(own_.path() / "found.json"));
    for (const nlohmann::json& finding : document.at("findings")) {
      EXPECT_FALSE(finding.at("evidence").get<std::string>().empty());
      EXPECT_FALSE(finding.at("remedy").get<std::string>().empty());
      all.insert(finding.at("cause").get<std::string>());
    }
    EXPECT_EQ(document.at("exit_code"), 3);
    return all;
  }

  tests::OwnFolder own_;
  int exit_code_ = -1;
};

TEST_F(DoctorCommand, FindsEachIllnessWhereItIsAndNowhereElse) {
  const std::map<std::string, std::string> cause_of = {{"denormals", "denormals"}, {"nan", "invalid_numbers"}, {"small", "small_calls"}};
  for (const std::string illness : {"denormals", "nan", "small", "healthy"}) {
    const std::set<std::string> found = causes(illness);
    for (const auto& [other, cause] : cause_of) {
      EXPECT_EQ(found.count(cause), other == illness ? 1U : 0U) << illness;
    }
    EXPECT_EQ(exit_code_, found.empty() ? 3 : 0) << illness;
  }
}

TEST_F(DoctorCommand, FindsTwoIllnessesAtOnce) {
  EXPECT_THAT(causes("denormals small"), testing::IsSupersetOf({"denormals", "small_calls"}));
  EXPECT_THAT(causes("nan small"), testing::IsSupersetOf({"invalid_numbers", "small_calls"}));
  EXPECT_THAT(causes("healthy nan denormals"), testing::IsSupersetOf({"invalid_numbers", "denormals"}));
}

TEST_F(DoctorCommand, ReadsARecordingThatWasKept) {
  const Result made = doctor("--keep kept.trace --time-budget 0s -- " FLOPCAST_ILL_PROGRAM " denormals");
  EXPECT_THAT(made.out, HasSubstr("denormal numbers"));
  const Result read = doctor("--recording kept.trace --time-budget 0s --csv");
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("denormals"));
}

TEST_F(DoctorCommand, RefusesBadInput) {
  EXPECT_EQ(doctor("").exit_code, 2);
  EXPECT_EQ(doctor("--recording a -- true").exit_code, 2);
  EXPECT_EQ(doctor("--recording no-such-file").exit_code, 3);
  EXPECT_EQ(doctor("-- no-such-program").exit_code, 4);
}

}  // namespace
}  // namespace flopcast::program
