#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/mpi_programs.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using tests::contents;
using tests::launcher;
using tests::MpiPrograms;

/// A program of examples/mpi and its test runs.
struct Subject {
  struct Run {
    int ranks;
    std::string arguments;
  };
  std::string name;
  std::vector<Run> runs;  ///< unusual sizes, and every choice of the options on some grid
  std::string followed;   ///< arguments of a run in which kernels recur
  std::string kernel;     ///< name of a routine that must be on the path
};

/// Puts the subject's name into the names of tests.
void PrintTo(const Subject& subject, std::ostream* stream) { *stream << subject.name; }

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"recursive_cholesky",
       {{1, "--n 101 --nb 10"},
        {2, "--n 97 --nb 24 --base-case everywhere"},
        {3, "--n 50 --nb 7"},
        {4, "--n 101 --nb 24 --base-case layer"},
        {4, "--n 33 --nb 10 --base-case everywhere --grid 1x1x4"},
        {4, "--n 3 --nb 64"},
        {8, "--n 101 --nb 10 --grid 2x2x2 --base-case layer"}},
       "--n 256 --nb 16",
       "dtrmm"},
      {"tile_cholesky",
       {{1, "--n 211 --nb 24 --lookahead 1"},
        {2, "--n 211 --nb 24 --lookahead 2 --grid 2x1"},
        {3, "--n 211 --nb 24 --lookahead 0"},
        {4, "--n 211 --nb 24 --lookahead 1 --grid 2x2"},
        {4, "--n 5 --nb 24"}},
       "--n 256 --nb 16",
       "dpotrf"},
      {"pipelined_qr",
       {{1, "--m 211 --n 130 --nb 24"},
        {2, "--m 130 --n 130 --nb 24 --panel cholesky-qr2 --grid 2x1"},
        {2, "--m 50 --n 3 --nb 8 --lookahead 0 --grid 1x2"},
        {3, "--m 71 --n 70 --nb 24 --grid 3x1"},
        {4, "--m 211 --n 130 --nb 24 --grid 2x2"},
        {4, "--m 99 --n 50 --nb 16 --grid 2x2 --panel cholesky-qr2 --lookahead 0"},
        {4, "--m 99 --n 50 --nb 16 --grid 4x1"},
        {4, "--m 7 --n 7 --nb 24"}},
       "--m 256 --n 128 --nb 16",
       "dgeqrf"},
      {"tile_qr",
       {{1, "--m 211 --n 130 --nb 24 --ib 7"},
        {2, "--m 130 --n 130 --nb 24 --ib 24 --grid 2x1"},
        {2, "--m 50 --n 3 --nb 8 --ib 5 --grid 1x2"},
        {3, "--m 71 --n 70 --nb 24 --ib 1 --grid 3x1"},
        {4, "--m 211 --n 130 --nb 24 --ib 8 --grid 2x2"},
        {4, "--m 99 --n 50 --nb 16 --grid 4x1"},
        {4, "--m 7 --n 7 --nb 24"}},
       "--m 256 --n 128 --nb 16",
       "dtpqrt"},
      {"scalapack_cholesky",
       {{1, "--n 211 --nb 24"}, {2, "--n 101 --nb 24 --grid 2x1"}, {4, "--n 101 --nb 24 --grid 2x2"}, {4, "--n 5 --nb 24"}},
       "--n 256 --nb 16",
       "dsyrk"},
      {"scalapack_qr",
       {{1, "--m 211 --n 130 --nb 24"}, {2, "--m 70 --n 70 --nb 24 --grid 2x1"}, {4, "--m 71 --n 50 --nb 24 --grid 2x2"}},
       "--m 256 --n 128 --nb 16",
       "dgemm"}};
  return all;
}

class MpiSubjects : public MpiPrograms, public testing::WithParamInterface<std::tuple<Subject, std::string>> {
 protected:
  void SetUp() override {
    MpiPrograms::SetUp();
    if (launcher(mpi()).empty()) {
      GTEST_SKIP() << mpi() << " is not installed";
    }
    if (!fs::exists(program())) {
      ASSERT_EQ(subject().name.rfind("scalapack", 0), 0U) << program() << " is missing";
      GTEST_SKIP() << "ScaLAPACK for " << mpi() << " is not installed";
    }
  }

  static const Subject& subject() { return std::get<0>(GetParam()); }
  static const std::string& mpi() { return std::get<1>(GetParam()); }
  static std::string program() { return FLOPCAST_SUBJECTS "/" + subject().name + '_' + mpi(); }
  /// More processes than cores are slow with MPICH, whose waiting processes don't yield.
  static int followed_ranks() { return mpi() == "openmpi" ? 4 : 2; }
  static std::string start(int ranks) { return launcher(mpi()) + std::to_string(ranks) + ' '; }

  Result subject_run(int ranks, const std::string& arguments) const { return run(start(ranks) + program() + ' ' + arguments); }
  Result followed(int ranks, const std::string& options, const std::string& arguments) const {
    return run(start(ranks) + FLOPCAST_PROGRAM " mpi run --quiet --output profile.json " + options + " -- " + program() + ' ' + arguments);
  }
  json profile() const { return json::parse(contents(folder_ / "profile.json")); }
};

/// Returns the output after the line with the time: errors and a checksum of the result.
std::string results_of(const std::string& out) { return out.substr(std::min(out.size(), out.find('\n'))); }

TEST_P(MpiSubjects, AgreesWithLapack) {
  for (const Subject::Run& each : subject().runs) {
    if (each.ranks > 4 && mpi() != "openmpi") {
      continue;  // skips the seconds
    }
    const Result result = subject_run(each.ranks, each.arguments + " --check");
    EXPECT_EQ(result.exit_code, 0) << each.ranks << ' ' << each.arguments << '\n' << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("checksum: ")) << each.arguments;
  }
}

TEST_P(MpiSubjects, HasACriticalPathAndTheSameResultsUnderFlopcast) {
  const int ranks = followed_ranks();
  const std::string arguments = subject().followed + " --check";
  const Result plain = subject_run(ranks, arguments);
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const Result with = followed(ranks, "", arguments);
  ASSERT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(results_of(with.out), results_of(plain.out));
  const json found = profile();
  EXPECT_EQ(found.at("ranks"), ranks);
  EXPECT_GT(found.at("path").at("computation_seconds"), 0);
  EXPECT_GT(found.at("path").at("communication_seconds"), 0);
  double along = 0;
  for (const json& kernel : found.at("kernels")) {
    along += kernel.at("kernel").get<std::string>().rfind(subject().kernel, 0) == 0 ? kernel.at("along").at("count").get<double>() : 0;
  }
  EXPECT_GT(along, 0) << subject().kernel;
}

/// The results are garbage, but the program ends.
TEST_P(MpiSubjects, EndsWhereKernelsAreSkipped) {
  // Without --no-windows, these runs would end within the window at the beginning of an execution.
  const Result result = followed(followed_ranks(), "--policy conditional --time-precision 1000 --no-windows", subject().followed);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = profile();
  std::int64_t skipped = 0;
  for (const json& kernel : found.at("kernels")) {
    skipped += kernel.at("skipped").get<std::int64_t>();
  }
  EXPECT_GT(skipped, 0);
}

INSTANTIATE_TEST_SUITE_P(Mpis, MpiSubjects, testing::Combine(testing::ValuesIn(subjects()), testing::Values("openmpi", "mpich")),
                         [](const auto& suite) { return std::get<0>(suite.param).name + '_' + std::get<1>(suite.param); });

/// Tests that don't depend on the MPI: with `preferred`, or any other MPI.
class MpiSubjectOptions : public MpiPrograms {
 protected:
  void prefer(const std::string& preferred) {
    const std::string other = preferred == "openmpi" ? "mpich" : "openmpi";
    mpi_ = !launcher(preferred).empty() ? preferred : !launcher(other).empty() ? other : "";
  }
  std::string program(const std::string& name) const { return FLOPCAST_SUBJECTS "/" + name + '_' + mpi_; }

  std::string mpi_;  ///< empty if there is none
};

/// A command line, and the error message of the program.
struct Refusal {
  std::string program, arguments, message;
};

TEST_F(MpiSubjectOptions, RefusesWhatDoesNotFit) {
  prefer("mpich");  // MPICH's programs start faster
  if (mpi_.empty()) {
    GTEST_SKIP() << "no MPI is installed";
  }
  const std::vector<Refusal> all = {
      {"tile_cholesky", "--n 0", "--n needs an integer of at least 1, not '0'"},
      {"tile_cholesky", "--n 12x", "--n needs an integer of at least 1, not '12x'"},
      {"tile_cholesky", "--n", "--n lacks its value"},
      {"tile_cholesky", "--nb --check", "--nb lacks its value"},
      {"tile_cholesky", "--nb 8 --nb 9", "--nb is given twice"},
      {"tile_cholesky", "--block 9", "'--block' is no option"},
      {"tile_cholesky", "--lookahead -1", "--lookahead needs an integer of at least 0, not '-1'"},
      {"tile_cholesky", "--grid 5x7x9", "--grid needs 2 integers joined by x, not '5x7x9'"},
      {"tile_cholesky", "--grid 2x", "--grid needs integers joined by x, each of at least 1, not '2x'"},
      {"tile_cholesky", "--grid 3x1", "a grid of 3x1 doesn't have 1 processes"},
      {"recursive_cholesky", "--grid 1x2x1", "a grid of 1x2x1 has layers that aren't square"},
      {"recursive_cholesky", "--grid 2x2x2", "a grid of 2x2x2 doesn't have 1 processes"},
      {"recursive_cholesky", "--base-case best", "--base-case is one of gather, everywhere, layer, not 'best'"},
      {"pipelined_qr", "--m 3 --n 4", "a matrix of 3 x 4 has fewer rows than columns"},
      {"pipelined_qr", "--panel qr", "--panel is one of tsqr, cholesky-qr2, not 'qr'"},
      {"pipelined_qr", "--lookahead 2", "--lookahead is one of 1, 0, not '2'"},
      {"tile_qr", "--m 3 --n 4", "a matrix of 3 x 4 has fewer rows than columns"},
      {"tile_qr", "--nb 8 --ib 9", "inner blocks of 9 don't fit tiles of 8"},
      {"scalapack_qr", "--m 3 --n 4", "a matrix of 3 x 4 has fewer rows than columns"},
      {"scalapack_cholesky", "--m 3", "'--m' is no option"}};
  for (const Refusal& each : all) {
    if (each.program.rfind("scalapack", 0) == 0 && !fs::exists(program(each.program))) {
      continue;
    }
    const Result result = run("OMPI_ALLOW_RUN_AS_ROOT=1 " + program(each.program) + ' ' + each.arguments);  // one process needs no mpirun
    EXPECT_EQ(result.exit_code, 2) << each.program << ' ' << each.arguments;
    EXPECT_THAT(result.err, HasSubstr(each.message));
    EXPECT_THAT(result.err, HasSubstr("usage: " + each.program));
  }
}

/// Returns the program's arguments in the first or last configuration of a space, for a small matrix.
std::string arguments_of(const json& space, bool last) {
  const std::vector<std::string> command = space.at("command");
  std::string arguments;
  for (std::size_t i = 1; i < command.size(); ++i) {
    std::string word = command[i - 1] == "--n" || command[i - 1] == "--m" ? "200" : command[i];
    for (const auto& [name, values] : space.at("parameters").items()) {
      const json& value = last ? values.back() : values.front();
      word = word == '{' + name + '}' ? value.is_string() ? value.get<std::string>() : value.dump() : word;
    }
    arguments += ' ' + word;
  }
  return arguments;
}

TEST_F(MpiSubjectOptions, SpacesAreOnesOfTheirPrograms) {
  prefer("openmpi");
  if (mpi_.empty()) {
    GTEST_SKIP() << "no MPI is installed";
  }
  for (const Subject& subject : subjects()) {
    if (subject.name.rfind("scalapack", 0) == 0 && !fs::exists(program(subject.name))) {
      continue;
    }
    const json space = json::parse(contents(fs::path(FLOPCAST_SPACES) / (subject.name + ".json")));
    EXPECT_EQ(space.at("schema"), "flopcast-mpi-space-1");
    EXPECT_THAT(space.at("command").at(0).get<std::string>(), testing::EndsWith('/' + subject.name + "_openmpi"));
    for (const bool last : {false, true}) {
      const std::string arguments = arguments_of(space, last);
      EXPECT_THAT(arguments, testing::Not(HasSubstr("{")));
      const Result result = run(launcher(mpi_) + space.at("launcher").back().get<std::string>() + ' ' + program(subject.name) + arguments);
      EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err;
    }
  }
}

}  // namespace
}  // namespace flopcast
