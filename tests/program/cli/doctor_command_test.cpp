#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
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
  const std::map<std::string, std::string> cause_of = {
      {"denormals", "denormals"}, {"nan", "invalid_numbers"}, {"small", "small_calls"}, {"touch", "first_calls"}};
  for (auto one = cause_of.begin(); one != cause_of.end(); ++one) {
    for (auto other = std::next(one); other != cause_of.end(); ++other) {
      EXPECT_THAT(causes("healthy " + one->first + ' ' + other->first), testing::IsSupersetOf({one->second, other->second}));
    }
  }
}

TEST_F(DoctorCommand, FindsThatOtherProgramsHadTheCoresOfAnIllOne) {
  std::string rivals;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    rivals += "yes >/dev/null & all=\"$all $!\"; ";
  }
  const Result found = tests::run_in(own_.path(), rivals + "FLOPCAST_HOME=" FLOPCAST_TEST_HOME " OPENBLAS_NUM_THREADS=1 " FLOPCAST_PROGRAM
                                                           " doctor --csv --time-budget 0s -- " FLOPCAST_ILL_PROGRAM " nan own; kill $all");
  EXPECT_THAT(found.out, AllOf(HasSubstr("invalid_numbers"), HasSubstr("other_programs"), HasSubstr("for a core")));
}

TEST_F(DoctorCommand, AProgramThatSleepsLosesLittleToOthers) {
  doctor("--json --output found.json --time-budget 0s -- sleep 2");
  for (const nlohmann::json& finding : nlohmann::json::parse(tests::contents(own_.path() / "found.json")).at("findings")) {
    EXPECT_LT(finding.at("gain_seconds").at(1).get<double>(), 1) << finding;
  }
}

TEST_F(DoctorCommand, SaysWhereTheProgramComputesByItself) {
  causes("own");
  const nlohmann::json document = nlohmann::json::parse(tests::contents(own_.path() / "found.json"));
  EXPECT_THAT(document.at("own_code").at(0).at("where").get<std::string>(), HasSubstr("own_work"));
  EXPECT_GT(document.at("own_code").at(0).at("seconds").get<double>(), 0.6 * document.at("probed_seconds").get<double>());
  EXPECT_GT(document.at("probed_seconds").get<double>(), 0.1);
  EXPECT_LT(document.at("probed_seconds").get<double>(), 0.6) << "the work takes half a second of CPU time";
  causes("healthy");
  EXPECT_LT(nlohmann::json::parse(tests::contents(own_.path() / "found.json")).at("probed_seconds").get<double>(), 0.1);
}

TEST_F(DoctorCommand, CountsThePageFaultsOfFirstCalls) {
  EXPECT_THAT(causes("touch"), Contains("first_calls"));
  const std::string found = tests::contents(own_.path() / "found.json");
  EXPECT_THAT(found, testing::ContainsRegex("[0-9]{4,} page faults took"));
}

TEST_F(DoctorCommand, IsAnonymousWhereAsked) {
  doctor("--anonymous --json --output found.json --keep kept.trace --time-budget 0s -- " FLOPCAST_ILL_PROGRAM " denormals");
  const std::string folder = std::filesystem::path(FLOPCAST_ILL_PROGRAM).parent_path().string();
  const std::string document = tests::contents(own_.path() / "found.json");
  EXPECT_EQ(nlohmann::json::parse(document).at("command"), nlohmann::json({"ill_program"}));
  EXPECT_THAT(document, Not(HasSubstr(folder)));
  EXPECT_THAT(tests::contents(own_.path() / "kept.trace"), Not(HasSubstr(folder)));
}

TEST_F(DoctorCommand, GoesOnAfterAnInterruption) {
  setenv("FLOPCAST_HOME", FLOPCAST_TEST_HOME, 1);
  DoctorRequest request;
  request.command = {FLOPCAST_ILL_PROGRAM, "healthy", "healthy"};
  RunContext interrupted;
  interrupted.cancelled = [polls = 0]() mutable {
    return ++polls > 2;
  };  // before the program's run, after it, and while kernels are measured
  EXPECT_THROW(diagnose_program(request, interrupted), Cancelled);
  request.time_budget = 0;
  const auto warnings = [&] { return diagnose_program(request).warnings; };
  EXPECT_THAT(warnings(), Contains(HasSubstr("wasn't run again")));
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("wasn't run again")))) << "nothing is left of it";
  request.time_budget = 30;
  interrupted.cancelled = [polls = 0]() mutable { return ++polls > 2; };
  EXPECT_THROW(diagnose_program(request, interrupted), Cancelled);
  request.time_budget = 0;
  request.restart = true;
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("wasn't run again"))));
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
