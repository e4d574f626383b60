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
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/error.hpp"
#include "tests/program/blas/recorded_calls.hpp"
#include "tests/resident_growth.hpp"

namespace flopcast::program {
namespace {

using algorithm::BlockParameters;
using algorithm::value;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

LibraryFiles wide_reference() {
  return {machine::locate("reference64", machine::Role::blas), machine::locate("reference64", machine::Role::lapack)};
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

TEST(Recorder, TracesHaveTheMemoryThatTheirRoutineTakes) {
  const machine::LibrarySet libraries = machine::LibrarySet::open("openblas-serial", "reference");
  const auto find = [&](std::string_view routine) { return libraries.function(routine); };
  constexpr std::int64_t m = 6000, n = 1500;
  tests::warm_up(find, n);
  Call call = recorder().with_work_sizes(geqrf_call(m, n));
  Trace executed;
  executed.allocations = algorithm::place_operands(call);
  executed.calls = {call};
  const Trace recorded = recorder().record(geqrf_call(m, n), std::nullopt);
  EXPECT_GE(resident_bytes(recorded), 8 * (m * n + n + 32 * n)) << "A, tau and a workspace of some columns";
  tests::expect_growth(resident_bytes(recorded), [&] { tests::execute_anew(executed, find); });
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
