#include "flopcast/program/recorder.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/script.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::program {
namespace {

using algorithm::BlockParameters;
using algorithm::value;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

LibraryFiles reference_over(const std::string& blas) {
  return {machine::locate(blas, machine::Role::blas), machine::locate("reference", machine::Role::lapack)};
}

LibraryFiles wide_reference() {
  return {machine::locate("reference64", machine::Role::blas), machine::locate("reference64", machine::Role::lapack)};
}

/// One recorder serves all tests that don't harm it, because starting a child takes longer than most recordings.
Recorder& recorder() {
  static Recorder shared(reference_over("openblas-serial"));
  return shared;
}

Call call_of(const std::string& routine, const std::map<std::string, std::int64_t>& arguments) {
  Call call;
  call.routine = &kernel::require(routine);
  for (const auto& [name, value] : arguments) {
    call.arguments.at(algorithm::index(call, name)) = value;
  }
  return call;
}

Call geqrf_call(std::int64_t m, std::int64_t n, const std::string& routine = "dgeqrf", std::int64_t lwork = 0) {
  return call_of(routine, {{"m", m}, {"n", n}, {"lda", std::max<std::int64_t>(1, m + 3)}, {"lwork", lwork}});
}

Call potrf_call(char uplo, std::int64_t n, const std::string& routine = "dpotrf") {
  return call_of(routine, {{"uplo", uplo}, {"n", n}, {"lda", std::max<std::int64_t>(1, n + 5)}});
}

std::set<std::string> kernels_of(const Trace& trace) {
  std::set<std::string> names;
  for (const Call& call : trace.calls) {
    names.insert(call.routine->name);
  }
  return names;
}

template <class Function>
std::string complaint(ExitCode expected, const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  return "accepted";
}

/// Sizes above 2^24 have no exact single-precision number: LAPACK answers 16837400 elements where its check wants 16837401.
TEST(Recorder, RoundsWorkspacesOfSinglePrecisionUp) {
  const Call call = call_of("ssyevd", {{"jobz", 'V'}, {"uplo", 'L'}, {"n", 2900}, {"lda", 2900}});
  EXPECT_GE(value(recorder().with_work_sizes(call), "lwork"), 1 + 6 * 2900 + 2 * 2900 * 2900);
  const Call complex = call_of("cheevd", {{"jobz", 'V'}, {"uplo", 'L'}, {"n", 2903}, {"lda", 2903}});
  EXPECT_GE(value(recorder().with_work_sizes(complex), "lrwork"), 1 + 5 * 2903 + 2 * 2903 * 2903);
}

TEST(Recorder, SaysThatWorkspacesExceed32Bits) {
  for (const auto& [routine, flags] : std::map<std::string, std::map<std::string, std::int64_t>>{
           {"dsyevd", {{"jobz", 'V'}, {"uplo", 'L'}}}, {"zheevd", {{"jobz", 'V'}, {"uplo", 'L'}}}}) {
    Call call = call_of(routine, flags);
    call.arguments.at(algorithm::index(call, "n")) = call.arguments.at(algorithm::index(call, "lda")) = 33000;
    EXPECT_THAT(complaint(ExitCode::bad_input, [&] { recorder().record(call, std::nullopt); }), HasSubstr("exceeds 2147483647")) << routine;
  }
}

TEST(Recorder, GeqrfMakesTheCallsOfTheAlgorithm) {
  for (const std::string routine : {"sgeqrf", "dgeqrf", "cgeqrf", "zgeqrf"}) {
    for (const auto& [m, n] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {64, 64}, {200, 200}, {333, 120}, {120, 333}, {1, 50}, {50, 1}, {513, 512}}) {
      for (const BlockParameters blocks : {BlockParameters{1, 2, 0}, BlockParameters{8, 2, 0}, BlockParameters{32, 2, 128},
                                           BlockParameters{37, 2, 50}, BlockParameters{100, 2, 0}, BlockParameters{600, 2, 128}}) {
        const Call call = geqrf_call(m, n, routine);
        ASSERT_EQ(recorder().record(call, blocks), algorithm::record(call, blocks))
            << to_string(call) << " nb " << blocks.nb << " nx " << blocks.nx;
      }
    }
  }
}

TEST(Recorder, GeqrfWithAShortWorkspaceMakesTheCallsOfTheAlgorithm) {
  for (const std::int64_t lwork : {100, 250, 1000, 3000, 5000}) {
    for (const std::int64_t nbmin : {2, 8, 40}) {
      const Call call = geqrf_call(150, 100, "dgeqrf", lwork);
      const BlockParameters blocks{32, nbmin, 16};
      ASSERT_EQ(recorder().record(call, blocks), algorithm::record(call, blocks)) << lwork << " " << nbmin;
    }
  }
}

TEST(Recorder, PotrfMakesTheCallsOfTheAlgorithm) {
  for (const std::string routine : {"spotrf", "dpotrf", "cpotrf", "zpotrf"}) {
    for (const char uplo : {'L', 'U'}) {
      for (const std::int64_t n : {1, 2, 63, 64, 65, 200, 513}) {
        for (const std::int64_t nb : {1, 2, 8, 24, 64, 96, 1000}) {
          const Call call = potrf_call(uplo, n, routine);
          const BlockParameters blocks{nb, 2, 0};
          ASSERT_EQ(recorder().record(call, blocks), algorithm::record(call, blocks)) << to_string(call) << " nb " << nb;
        }
      }
    }
  }
}

TEST(Recorder, ObservingRecordsTheSameCallsWithTimes) {
  for (const Call& call : {geqrf_call(150, 100), potrf_call('L', 130)}) {
    const BlockParameters blocks{24, 2, 10};
    Trace observed = recorder().record(call, blocks, protocol::Mode::observe);
    ASSERT_EQ(observed.measured.size(), observed.calls.size());
    for (const Seconds seconds : observed.measured) {
      EXPECT_GT(seconds, 0);
    }
    observed.measured.clear();
    EXPECT_EQ(observed, recorder().record(call, blocks, protocol::Mode::skip));
  }
}

TEST(Recorder, KernelsOverAnotherBlasAreTheSame) {
  Recorder blis(reference_over("blis-serial"));
  EXPECT_THAT(blis.loaded().blas.string(), HasSubstr("blis"));
  EXPECT_EQ(blis.record(potrf_call('U', 100), BlockParameters{16, 2, 0}),
            recorder().record(potrf_call('U', 100), BlockParameters{16, 2, 0}));
}

TEST(Recorder, LoadsTheLibrariesChosen) {
  EXPECT_THAT(recorder().loaded().blas.string(), HasSubstr("openblas-serial"));
  EXPECT_THAT(recorder().loaded().lapack.string(), HasSubstr("lapack/liblapack"));
}

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

/// Kernels return at once if the reflector is the identity, so that their time would be missing.
TEST(Recorder, ReflectorsAreNotTheIdentity) {
  const auto largest = [](const char* routine, const std::map<std::string, std::string>& arguments, const char* kernel) {
    double found = 0;
    for (const Call& call : recorder().record(kernel::parse_call(kernel::require(routine), arguments), std::nullopt).calls) {
      if (call.routine->name == kernel) {
        found = std::max(found, std::abs(call.scalars.at(static_cast<std::size_t>(call.arguments.at(algorithm::index(call, "tau"))))));
      }
    }
    return found;
  };
  EXPECT_GT(largest("dgeqr2", {{"m", "30"}, {"n", "20"}}, "dlarf"), 1);
  EXPECT_GT(largest("cgelq2", {{"m", "20"}, {"n", "30"}}, "clarf"), 1);
  EXPECT_GT(largest("dorg2r", {{"m", "30"}, {"n", "20"}, {"k", "20"}}, "dlarf"), 1);
}

/// Least squares end at once for a matrix of zeros. Balancing a reducible matrix leaves nothing to reduce.
TEST(Recorder, DriversThatExamineTheirMatrixMakeAllCalls) {
  const auto kernels = [](const char* routine, std::map<std::string, std::string> arguments) {
    Call call = kernel::parse_call(kernel::require(routine), arguments);
    std::vector<std::string> names;
    for (const Call& made : recorder().record(call, std::nullopt).calls) {
      const auto all = sizes(made);
      names.push_back(made.routine->name + " " + std::to_string(all.empty() ? 0 : all[0]));
    }
    return names;
  };
  EXPECT_THAT(kernels("dgels", {{"m", "300"}, {"n", "200"}, {"nrhs", "3"}, {"trans", "N"}}),
              testing::IsSupersetOf({"dgeqrf 300", "dormqr 300", "dtrtrs 200"}));
  EXPECT_THAT(kernels("dgelsy", {{"m", "300"}, {"n", "200"}, {"nrhs", "3"}, {"rcond", "0.001"}}), Contains("dgeqp3 300"));
  EXPECT_THAT(kernels("dgeev", {{"n", "200"}, {"jobvl", "N"}, {"jobvr", "V"}}), testing::IsSupersetOf({"dgehrd 200", "dorghr 200"}));
  EXPECT_THAT(kernels("zgeevx", {{"n", "200"}, {"jobvl", "N"}, {"jobvr", "N"}, {"balanc", "B"}}), Contains("zgehrd 200"));
}

TEST(Recorder, RecordsRoutinesThatHaveNoAlgorithm) {
  const Trace inverse =
      recorder().record(call_of("dtrtri", {{"uplo", 'L'}, {"diag", 'N'}, {"n", 100}, {"lda", 100}}), BlockParameters{32, 2, 0});
  EXPECT_THAT(kernels_of(inverse), testing::UnorderedElementsAre("dtrmm", "dtrsm", "dtrti2"));

  const Trace lu = recorder().record(call_of("dgetrf", {{"m", 100}, {"n", 100}, {"lda", 100}}), BlockParameters{32, 2, 0});
  EXPECT_THAT(kernels_of(lu), Contains("dgetrf2"));
  EXPECT_THAT(kernels_of(lu), Contains("dlaswp"));
}

TEST(Recorder, RecordsTheKernelsOfARecursiveRoutine) {
  const Trace trace = recorder().record(call_of("dpotrf2", {{"uplo", 'L'}, {"n", 64}, {"lda", 64}}), std::nullopt);

  EXPECT_THAT(kernels_of(trace), testing::UnorderedElementsAre("dsyrk", "dtrsm"));
  EXPECT_EQ(trace.calls.size(), 2U * 63);
}

TEST(Recorder, TouchesNoMatrix) {
  const Trace trace = recorder().record(potrf_call('L', 100000), BlockParameters{20000, 2, 0});  // 80 GB

  EXPECT_EQ(trace.calls.size(), 18U);
}

TEST(Recorder, AnEmptyProblemMakesNoCalls) {
  EXPECT_THAT(recorder().record(geqrf_call(0, 0), BlockParameters{32, 2, 0}).calls, IsEmpty());
  EXPECT_THAT(recorder().record(potrf_call('L', 0), BlockParameters{32, 2, 0}).calls, IsEmpty());
}

TEST(Recorder, NamesTheArgumentThatLapackRefuses) {
  const Call call = call_of("dgeqrf", {{"m", 10}, {"n", 10}, {"lda", 5}});
  EXPECT_THAT(complaint(ExitCode::bad_input, [&] { recorder().record(call, std::nullopt); }), HasSubstr("lda"));
  EXPECT_FALSE(recorder().record(geqrf_call(10, 10), std::nullopt).calls.empty());
}

TEST(Recorder, NamesTheRoutineThatTheLibraryLacks) {
  Recorder blas_only({machine::locate("reference", machine::Role::blas), machine::locate("reference", machine::Role::lapack)});
  EXPECT_THAT(complaint(ExitCode::environment, [] { Recorder({"/no/such/libblas.so", ""}); }), HasSubstr("/no/such/libblas.so"));
  EXPECT_THAT(complaint(ExitCode::environment, [] { Recorder({"/etc/passwd", "/etc/passwd"}); }), HasSubstr("liblapack.so.3"));
}

TEST(Recorder, RefusesARecorderProgramOfAnotherVersion) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "another-version";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "flopcast-recorder") << "#!/bin/sh\nprintf 'whatever it says' >&3\n";
  std::filesystem::permissions(folder / "flopcast-recorder", std::filesystem::perms::owner_all);
  ::setenv("FLOPCAST_LIBEXEC", folder.c_str(), 1);
  const std::string text = complaint(ExitCode::environment, [] { Recorder(reference_over("openblas-serial")); });
  ::unsetenv("FLOPCAST_LIBEXEC");
  std::filesystem::remove_all(folder);
  EXPECT_THAT(text, HasSubstr("another version of flopcast"));
}

/// The kernels are the same, with pivots of twice the size.
TEST(Recorder, RecordsLibrariesWithIntegersOf64Bits) {
  const Call call = call_of("dgetrf", {{"m", 100}, {"n", 100}, {"lda", 100}});
  Recorder wide(wide_reference());
  const Trace trace = wide.record(call, BlockParameters{32, 2, 0});
  const Trace narrow = recorder().record(call, BlockParameters{32, 2, 0});

  ASSERT_EQ(trace.calls.size(), narrow.calls.size());
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    EXPECT_EQ(trace.calls[i].routine, narrow.calls[i].routine);
    EXPECT_EQ(sizes(trace.calls[i]), sizes(narrow.calls[i]));
    EXPECT_EQ(trace.calls[i].integer_bytes, 8);
  }
  EXPECT_EQ(trace.allocations.at(1).bytes, 2 * narrow.allocations.at(1).bytes);
  EXPECT_EQ(wide.block_size_query(geqrf_call(300, 200))->m, 300);
}

}  // namespace
}  // namespace flopcast::program
