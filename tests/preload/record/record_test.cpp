#include "flopcast/program/recorder.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/script.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "tests/program/blas/recorded_calls.hpp"

namespace flopcast::program {
namespace {

using algorithm::BlockParameters;
using algorithm::value;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Recorder, ReportsLapacksOwnBlockSizes) {
  EXPECT_EQ(recorder().block_size_query(geqrf_call(1000, 900)), (protocol::BlockSizeQuery{"", 1000, 900, {32, 2, 128}}));
  EXPECT_EQ(recorder().block_size_query(potrf_call('L', 1000)).value().answers.nb, 64);
}

TEST(Recorder, UsesLapacksOwnBlockSizesWithoutOthers) {
  EXPECT_EQ(recorder().record(geqrf_call(300, 300), std::nullopt), algorithm::record(geqrf_call(300, 300), {32, 2, 128}));
}

TEST(Recorder, FindsRoutinesThatQueryBlockSizes) {
  const std::filesystem::path openblas = machine::locate("openblas-serial", machine::Role::blas);
  Recorder all_openblas({openblas, openblas});

  EXPECT_TRUE(recorder().block_size_query(potrf_call('L', 500)));
  EXPECT_TRUE(all_openblas.block_size_query(geqrf_call(500, 500)));
  EXPECT_FALSE(all_openblas.block_size_query(potrf_call('L', 500)));
}

/// ilaenv gets other options and sizes than the routine's flags and sizes.
TEST(Recorder, ReportsIlaenvQueries) {
  const auto query_of = [](const char* routine, const std::map<std::string, std::string>& arguments) {
    return recorder().block_size_query(kernel::parse_call(kernel::require(routine), arguments)).value();
  };

  const protocol::BlockSizeQuery standard_form = query_of("dsygst", {{"itype", "1"}, {"uplo", "L"}, {"n", "300"}});
  EXPECT_EQ(standard_form.options, "L");
  EXPECT_EQ(standard_form.m, 300);
  EXPECT_EQ(standard_form.n, -1);
  const protocol::BlockSizeQuery multiplication =
      query_of("dormqr", {{"side", "L"}, {"trans", "T"}, {"m", "300"}, {"n", "200"}, {"k", "100"}});
  EXPECT_EQ(multiplication.options, "LT");
  EXPECT_EQ(multiplication.m, 300);
  EXPECT_EQ(multiplication.n, 200);
}

/// A multiplication with Q of a Hessenberg form queries through dormqr.
TEST(Recorder, FindsQueryingCallsBelowARoutine) {
  const auto queries = [](const char* routine, const std::map<std::string, std::string>& arguments) {
    std::vector<std::string> names;
    for (const TunableCall& each : recorder().tunable_calls(kernel::parse_call(kernel::require(routine), arguments))) {
      names.push_back(each.call.routine->name + ":" + each.query.options + " " + std::to_string(each.query.m));
    }
    return names;
  };
  EXPECT_THAT(queries("dormhr", {{"side", "L"}, {"trans", "N"}, {"m", "300"}, {"n", "200"}, {"ilo", "1"}, {"ihi", "300"}}),
              ElementsAre("dormqr:LN 299"));
  EXPECT_THAT(queries("dpotri", {{"uplo", "U"}, {"n", "300"}}), ElementsAre("dtrtri:UN 300", "dlauum:U 300"));
  EXPECT_THAT(queries("dpotrf", {{"uplo", "L"}, {"n", "300"}}), ElementsAre("dpotrf:L 300"));
  EXPECT_THAT(queries("dpotf2", {{"uplo", "L"}, {"n", "300"}}), IsEmpty());
}

/// Drivers query through the routines that they call. Real, complex and integer workspaces of size 0 get the routine's best size each.
TEST(Recorder, FindsQueryingCallsBelowDrivers) {
  const auto queries = [](const char* routine, const std::map<std::string, std::string>& arguments) {
    Call call = kernel::parse_call(kernel::require(routine), arguments);
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      call.arguments[i] = call.routine->arguments[i].kind == Kind::work_size ? 0 : call.arguments[i];
    }
    std::vector<std::string> names;
    for (const TunableCall& each : recorder().tunable_calls(call)) {
      names.push_back(each.call.routine->name + ":" + each.query.options + " " + std::to_string(each.query.m));
    }
    return names;
  };
  EXPECT_THAT(queries("dgesv", {{"n", "300"}, {"nrhs", "3"}}), ElementsAre("dgetrf: 300"));
  EXPECT_THAT(queries("dsyevd", {{"jobz", "V"}, {"uplo", "L"}, {"n", "200"}}), testing::Contains("dsytrd:L 200"));
  EXPECT_THAT(queries("cheevd", {{"jobz", "N"}, {"uplo", "U"}, {"n", "200"}}), testing::Contains("chetrd:U 200"));
  EXPECT_THAT(queries("dgesdd", {{"jobz", "S"}, {"m", "200"}, {"n", "200"}}), testing::Contains("dgebrd: 200"));
}

/// A driver may call drivers.
TEST(Recorder, FindsQueryingCallsBelowNestedDrivers) {
  const auto queries = [](const char* routine, const std::map<std::string, std::string>& arguments) {
    std::set<std::string> names;
    for (const TunableCall& each : recorder().tunable_calls(kernel::parse_call(kernel::require(routine), arguments))) {
      names.insert(each.call.routine->name);
    }
    return names;
  };
  EXPECT_THAT(queries("dgesvd", {{"jobu", "S"}, {"jobvt", "S"}, {"m", "200"}, {"n", "200"}}),
              testing::ElementsAre("dgebrd", "dorglq", "dorgqr"));
  EXPECT_THAT(queries("zgeev", {{"jobvl", "N"}, {"jobvr", "V"}, {"n", "200"}}), testing::ElementsAre("zgehrd", "zungqr"));
  EXPECT_THAT(queries("dgelsy", {{"m", "300"}, {"n", "200"}, {"nrhs", "3"}, {"rcond", "0.001"}}), testing::ElementsAre("dgeqp3"));
}

/// QR with pivoting queries the block size of QR without pivoting.
TEST(Recorder, RecognisesQueriesUnderBorrowedNames) {
  for (const char* routine : {"sgeqp3", "dgeqp3", "cgeqp3", "zgeqp3"}) {
    const Call call = kernel::parse_call(kernel::require(routine), {{"m", "300"}, {"n", "200"}});
    const protocol::BlockSizeQuery query = recorder().block_size_query(call).value();
    EXPECT_EQ(query.m, 300);
    EXPECT_EQ(query.n, 200);
    EXPECT_EQ(query.answers.nb, 32);

    const Trace trace = recorder().record(call, BlockParameters{50, 2, 30});
    std::vector<std::string> calls;
    for (const Call& kernel : trace.calls) {
      if (kernel.routine->family != "nrm2") {
        calls.push_back(kernel.routine->family + " " + std::to_string(kernel.arguments.at(algorithm::index(kernel, "n"))));
      }
    }
    EXPECT_THAT(calls, ElementsAre("laqps 200", "laqps 150", "laqps 100", "laqps 50", "laqp2 30"));
  }
}

}  // namespace
}  // namespace flopcast::program
