#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

namespace flopcast::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct TraceRun {
  int exit_code = 0;
  std::string text;  ///< text of both streams
};

TraceRun flopcast(const std::string& arguments) {
  TraceRun result;
  FILE* pipe = popen((FLOPCAST_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t bytes = fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.text.append(buffer.data(), bytes);
  }
  result.exit_code = WEXITSTATUS(pclose(pipe));
  return result;
}

TEST(TraceCommand, BothSourcesGiveTheSameDocument) {
  for (const std::string problem : {"dgeqrf n=300 nb=40 nx=64", "dgeqrf m=500 n=200 nb=32 nx=0 lda=512", "zpotrf uplo=U n=200 nb=48"}) {
    const TraceRun lapack = flopcast("trace " + problem + " nbmin=2");
    const TraceRun algorithm =
        flopcast("trace --from algorithm " + problem + " nbmin=2" + (problem.find("nx") == std::string::npos ? " nx=128" : ""));
    ASSERT_EQ(lapack.exit_code, 0) << lapack.text;
    nlohmann::json a = nlohmann::json::parse(lapack.text);
    nlohmann::json b = nlohmann::json::parse(algorithm.text);
    a["parameters"].erase("nx");
    b["parameters"].erase("nx");
    EXPECT_EQ(a, b) << problem;
    EXPECT_EQ(a["schema"], "flopcast-trace-1");
  }
}

TEST(TraceCommand, SummarisesByKernel) {
  EXPECT_THAT(flopcast("trace dgeqrf n=300 nb=50 nx=0 --summary").text,
              AllOf(HasSubstr("| dgeqr2 |     6 |"), HasSubstr("| dlarft |     5 |"), HasSubstr("| all    |    16 |")));
  EXPECT_THAT(flopcast("trace dpotrf n=300 nb=50 --mode observe --summary").text, HasSubstr("FLOP/s"));
}

TEST(TraceCommand, ShowsThatBlocksMayHaveNoEffect) {
  const TraceRun result = flopcast("trace dpotrf n=300 nb=50 --blas openblas-serial --lapack openblas-serial --summary");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.text, HasSubstr("| all    |     0 |"));
}

TEST(TraceCommand, RefusesBadInput) {
  EXPECT_THAT(flopcast("trace dgeqrff n=10").text, HasSubstr("did you mean dgeqrf"));
  for (const char* arguments : {"dgeqrff n=10", "dgeqrf n=-5", "dgeqrf n=100 nb=0", "dgeqrf n=100 lda=5", "dgeqrf n=100,200",
                                "dgemm m=10 n=10 k=10 nb=5 --from algorithm", "dgeqrf n=100 --lapack no-such-lapack"}) {
    EXPECT_EQ(flopcast(std::string("trace ") + arguments).exit_code, 3) << arguments;
  }
  EXPECT_EQ(flopcast("trace dgeqrf n=100 --from algorithm").exit_code, 2);
  EXPECT_EQ(flopcast("trace dgeqrf n=100 --mode guess").exit_code, 2);
}

}  // namespace
}  // namespace flopcast::program
