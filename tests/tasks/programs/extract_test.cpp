#include "flopcast/tasks/programs/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"
#include "tests/program/recording_file.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A recording of three dpotrf n = 400 (30, 30 and 36 us), one n = 50 (5 us), ddot n = 8 (5 ns), and dgesvd (25 us) by name.
class ExtractCalls : public ::testing::Test {
 protected:
  ExtractCalls() {
    program::Contents records;
    std::uint64_t start = 0;
    for (const std::uint64_t duration : {30'000, 30'000, 36'000}) {
      program::put_dpotrf(records, start, 400, 0x7f0000001010, duration);
      start += 100'000;
    }
    program::put_dpotrf(records, start, 50, 0x7f0000001010, 5'000);
    program::put_ddot(records, start + 10'000, 8, 0x1000, 0x5000);
    program::put_header(records, program::dgesvd, start + 20'000, 25'000);
    write(records);
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }

  void write(const program::Contents& records) {
    program::File file;
    file.add_library("/home/somebody/libblas.so.3", 1, 100);
    file.add_text(protocol::ChunkKind::state, "/home/somebody/libblas.so.3\nthreads 3\nkernels Zen\n");
    file.add(protocol::ChunkKind::sealed, 0, 0, 0, records);
    std::ofstream(request_.recording, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.bytes().data()), static_cast<std::streamsize>(file.size()));
  }
  ExtractedCalls extracted() { return extract_calls(request_, context_); }
  static std::vector<std::string> calls(const ExtractedCalls& extracted) {
    std::vector<std::string> all;
    for (const ExtractedCalls::Case& one : extracted.cases) {
      all.push_back(one.call);
    }
    return all;
  }

  tests::OwnFolder folder_;
  ExtractRequest request_{(folder_.path() / "trace").string()};
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(ExtractCalls, HoldTheKindsWithMostTimeAndSayWhatIsMissing) {
  request_.worst = 2;
  const ExtractedCalls all = extracted();
  EXPECT_THAT(calls(all), ElementsAre("dpotrf uplo=L n=400 lda=400", "dpotrf uplo=L n=50 lda=50"));
  EXPECT_EQ(all.cases[0].calls, 3);
  EXPECT_NEAR(all.cases[0].seconds, 96e-6, 1e-12);
  EXPECT_NEAR(all.call_seconds, 126.005e-6, 1e-12);
  EXPECT_THAT(all.remarks, ElementsAre("Not repeated: 1 call, 5.00 ns (kinds of calls beyond the worst ones)",
                                       "Not repeated: 1 call, 25.0 µs (only the name or invalid arguments of dgesvd are known)"));
  EXPECT_THAT(notes_, Contains(all.remarks[1]));
}

TEST_F(ExtractCalls, TheSourceHasRecordedArgumentsPlacesAndTimes) {
  const std::string source = extracted().source;
  EXPECT_THAT(source, AllOf(HasSubstr("#define THREADS \"3\""), HasSubstr("typedef int32_t INTEGER;"),
                            HasSubstr("FORTRAN(dpotrf)(\"L\", &(INTEGER){400}, at(0, 0), &(INTEGER){400}, &info, 1)"),
                            HasSubstr("blocks_1[] = {{1280000, 16}, {0, 0}}"), HasSubstr("{\"dpotrf uplo=L n=400 lda=400, operands ")));
  EXPECT_THAT(source,
              AllOf(HasSubstr("* Program: a.out x\n"), HasSubstr("* Library: /home/somebody/libblas.so.3, kernels Zen, 3 threads\n")));
}

TEST_F(ExtractCalls, AnAnonymousSourceHasNoPathsAndNoCommand) {
  request_.anonymous = true;
  const std::string source = extracted().source;
  EXPECT_THAT(source, AllOf(HasSubstr("* Library: libblas.so.3, kernels Zen"), Not(HasSubstr("somebody")), Not(HasSubstr("a.out x"))));
}

TEST_F(ExtractCalls, ByRateHoldTheSlowestOfThoseThatTakeTime) {
  request_.worst_by = ExtractOrder::rate;
  EXPECT_THAT(calls(extracted()), ElementsAre("dpotrf uplo=L n=50 lda=50", "dpotrf uplo=L n=400 lda=400"));
}

TEST_F(ExtractCalls, CallsWithOperandsElsewhereInTheCachesAreAnotherKind) {
  program::Contents records;
  for (unsigned i = 0; i < 4; ++i) {  // a triangle of 16 MB lies between the first small calls, nothing between the last ones
    program::put_dpotrf(records, 1000U * i, i == 1 ? 2000 : 50, i == 1 ? 0x7f1000000000 : 0x7f0000001000, 500);
  }
  write(records);
  const ExtractedCalls all = extracted();
  EXPECT_THAT(calls(all), ElementsAre("dpotrf uplo=L n=50 lda=50", "dpotrf uplo=L n=2000 lda=2000", "dpotrf uplo=L n=50 lda=50"));
  EXPECT_EQ(all.cases[0].calls, 2);
}

TEST_F(ExtractCalls, RefuseARecordingWithoutCalls) {
  write({});
  EXPECT_THAT(tests::message_of([this] { extracted(); }), HasSubstr("has no call that can be repeated: the program made none"));
  program::Contents records;
  program::put_header(records, program::dgesvd, 70, 25);
  write(records);
  EXPECT_THAT(tests::message_of([this] { extracted(); }), HasSubstr("only the name or invalid arguments of dgesvd are known"));
  std::ofstream(request_.recording) << "no recording";
  EXPECT_THAT(tests::message_of([this] { extracted(); }), HasSubstr("isn't a recording"));
}

TEST_F(ExtractCalls, StopWhenCancelled) {
  context_.cancelled = [] { return true; };
  EXPECT_THROW(extracted(), Cancelled);
}

TEST_F(ExtractCalls, ReadBackFromTheirDocument) {
  const ExtractedCalls all = extracted();
  EXPECT_EQ(extracted_calls_from_json(to_json(all)), all);
  EXPECT_EQ(tests::schema_violation(to_json(all), std::array{extract_schema()}), "");
}

}  // namespace
}  // namespace flopcast
