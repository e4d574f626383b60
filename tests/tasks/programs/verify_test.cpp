#include "flopcast/tasks/programs/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/verify_services.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Surroundings whose launches take a second, and find a wrong call for each call of `wrong`.
struct FakeServices {
  Seconds now = 0;
  std::string wrong;
  std::int64_t calls_per_launch = 1'000'000;
  std::set<std::string> broken;  ///< files that can't be opened
  std::optional<Verification> stored;
  std::vector<std::set<std::string>> skipped;
  std::int64_t made = 0;

  VerifyServices services() {
    VerifyServices all;
    all.clock = [this] { return now; };
    all.launch = [this](const VerifySubject& subject, const VerifyCalls& calls, const std::function<bool()>&) {
      now += 1;
      skipped.push_back(calls.skipped);
      VerifyOutcome outcome;
      if (broken.count(subject.blas) > 0) {
        outcome.failure = "it lacks sdot_";
        return outcome;
      }
      outcome.blas = LibraryIdentity{"openblas", "/home/ada/lib/" + subject.blas, "0.3.21", "Haswell", "", "", 4};
      outcome.lapack = LibraryIdentity{"reference", "", "3.11.0", "", "", "", 4};
      outcome.next = std::min<std::int64_t>(calls.first + calls_per_launch, static_cast<std::int64_t>(calls.calls.size()));
      for (std::int64_t i = calls.first; i < outcome.next; ++i) {
        const Call& call = calls.calls[static_cast<std::size_t>(i)];
        if (calls.skipped.count(call.routine->name) == 0) {
          ++outcome.calls;
          if (call.routine->name == wrong) {
            outcome.findings.push_back({kernel::format_call(call), "y - (alpha x + y)", 1, 1e-16, calls.seed, false});
          }
        }
      }
      made += outcome.calls;
      return outcome;
    };
    all.kept = [this] { return stored; };
    all.keep = [this](const Verification* state) { stored = state != nullptr ? std::optional(*state) : std::nullopt; };
    return all;
  }
};

const std::vector<VerifySubject> one_library = {{"libopenblas.so", "", "", 1}};

VerifyRequest request_for(std::vector<std::string> routines, std::int64_t rounds) {
  VerifyRequest request;
  request.routines = std::move(routines);
  request.rounds = rounds;
  return request;
}

TEST(Verification, GoesOnWhereTheTimeEnded) {
  FakeServices fake;
  fake.calls_per_launch = 3;
  VerifyRequest request = request_for({"axpy"}, 2);
  request.time_budget = 2;
  const Verification first = verify_libraries(request, one_library, fake.services(), {});
  EXPECT_FALSE(first.is_complete);
  EXPECT_EQ(first.libraries[0].calls, 6);
  ASSERT_TRUE(fake.stored);
  request.time_budget = 1000;
  const Verification second = verify_libraries(request, one_library, fake.services(), {});
  EXPECT_TRUE(second.is_complete);
  EXPECT_EQ(second.libraries[0].calls, second.libraries[0].planned);
  EXPECT_EQ(fake.made, second.libraries[0].planned) << "no call is verified twice";
  EXPECT_FALSE(fake.stored);
}

TEST(Verification, RoutinesWithWrongCallsAreSkippedAfterThree) {
  FakeServices fake;
  fake.calls_per_launch = 4;
  fake.wrong = "daxpy";
  const Verification result = verify_libraries(request_for({"daxpy", "ddot"}, 3), one_library, fake.services(), {});
  EXPECT_TRUE(result.fails());
  EXPECT_THAT(fake.skipped.front(), ElementsAre());
  EXPECT_THAT(fake.skipped.back(), ElementsAre("daxpy"));
  EXPECT_EQ(result.libraries[0].findings.front().seed, 1U);
}

TEST(Verification, LibrariesThatCannotBeVerifiedAreNamed) {
  FakeServices fake;
  fake.broken = {"/lib/libbroken.so"};
  const VerifySubject broken{"/lib/libbroken.so", "", "", 1};
  const Verification both = verify_libraries(request_for({"ddot"}, 1), {one_library[0], broken}, fake.services(), {});
  EXPECT_THAT(both.remarks, ElementsAre("/lib/libbroken.so can't be verified: it lacks sdot_"));
  EXPECT_EQ(both.libraries[1].file, "/lib/libbroken.so");
  try {
    verify_libraries(request_for({"ddot"}, 1), {broken}, fake.services(), {});
    FAIL() << "nothing was verified";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("/lib/libbroken.so can't be verified"));
  }
}

TEST(Verification, AnonymousResultsHaveNoFolders) {
  FakeServices fake;
  VerifyRequest request = request_for({"ddot"}, 1);
  request.anonymous = true;
  EXPECT_EQ(verify_libraries(request, one_library, fake.services(), {}).libraries[0].file, "libopenblas.so");
}

TEST(Verification, ComparesAllRoutinesAndRefusesUnknownOnes) {
  FakeServices fake;
  EXPECT_THAT(verify_libraries(request_for({}, 0), one_library, fake.services(), {}).not_compared, IsEmpty());
  EXPECT_THROW(verify_libraries(request_for({"dgemn"}, 1), one_library, fake.services(), {}), Error);
}

TEST(Verification, WrongCallsAreRepeatedByAProgramInC) {
  FakeServices fake;
  fake.wrong = "daxpy";
  VerifyRequest request = request_for({"daxpy"}, 2);
  EXPECT_THAT(verify_libraries(request, one_library, fake.services(), {}).remarks, ElementsAre(HasSubstr("--reproducer FILE")));
  const tests::OwnFolder folder;
  request.reproducer = (folder.path() / "wrong.c").string();
  request.anonymous = true;
  const Verification result = verify_libraries(request, one_library, fake.services(), {});
  EXPECT_THAT(result.remarks, ElementsAre(HasSubstr("wrong.c repeats the wrong calls")));
  const std::string source = tests::contents(request.reproducer);
  EXPECT_THAT(source, AllOf(HasSubstr("\"" + result.libraries[0].findings[0].call + "\", \"openblas 0.3.21, kernels Haswell with 1 thread"),
                            HasSubstr("y - (alpha x + y), error 1, bound 1e-16"), HasSubstr("\"OPENBLAS_CORETYPE=Haswell\""),
                            Not(HasSubstr("/home/ada"))));
  fake.wrong = "";
  std::filesystem::remove(request.reproducer);
  verify_libraries(request, one_library, fake.services(), {});
  EXPECT_FALSE(std::filesystem::exists(request.reproducer));
}

TEST(Verification, ReproducersHoldCallsWithIntegersOfOneSize) {
  FakeServices fake;
  fake.wrong = "daxpy";
  VerifyRequest request = request_for({"daxpy"}, 1);
  const tests::OwnFolder folder;
  request.reproducer = (folder.path() / "wrong.c").string();
  VerifyServices services = fake.services();
  services.launch = [launch = services.launch](const VerifySubject& subject, const VerifyCalls& calls, const std::function<bool()>& stops) {
    VerifyOutcome outcome = launch(subject, calls, stops);
    outcome.blas->integer_bytes = subject.blas == "wide.so" ? 8 : 4;
    return outcome;
  };
  const Verification result = verify_libraries(request, {{"narrow.so", "", "", 1}, {"wide.so", "", "", 1}}, services, {});
  EXPECT_THAT(tests::contents(request.reproducer), HasSubstr("typedef int32_t INTEGER"));
  EXPECT_THAT(result.remarks, ElementsAre(HasSubstr("repeats the wrong calls"), HasSubstr("integers have another size")));
}

TEST(Verification, ReadsBackAsItWasWritten) {
  FakeServices fake;
  fake.wrong = "daxpy";
  const Verification result = verify_libraries(request_for({"daxpy"}, 2), one_library, fake.services(), {});
  const std::string text = to_json(result);
  EXPECT_EQ(verification_from_json(text), result);
  EXPECT_EQ(tests::schema_violation(text, std::array{verification_schema()}), "");
}

}  // namespace
}  // namespace flopcast
