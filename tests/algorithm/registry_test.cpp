#include "flopcast/algorithm/registry.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::algorithm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Call call_of(const std::string& routine, const std::map<std::string, std::int64_t>& arguments) {
  Call call;
  call.routine = &kernel::require(routine);
  for (const auto& [name, value] : arguments) {
    call.arguments.at(index(call, name)) = value;
  }
  return call;
}

Call geqrf_call(std::int64_t m, std::int64_t n, const std::string& routine = "dgeqrf") {
  return call_of(routine, {{"m", m}, {"n", n}, {"lda", m}});
}
Call potrf_call(char uplo, std::int64_t n, const std::string& routine = "dpotrf") {
  return call_of(routine, {{"uplo", uplo}, {"n", n}, {"lda", n}});
}

std::vector<std::string> routines_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const Call& call : trace.calls) {
    names.push_back(call.routine->name);
  }
  return names;
}

TEST(Geqrf, FactorsPanelsAndAppliesThemToTheRight) {
  const Trace trace = record(geqrf_call(10, 8), {.nb = 3, .nbmin = 2, .nx = 0});

  EXPECT_THAT(routines_of(trace), ElementsAre("dgeqr2", "dlarft", "dlarfb", "dgeqr2", "dlarft", "dlarfb", "dgeqr2"));
  const Call& apply = trace.calls[2];
  EXPECT_EQ(value(apply, "m"), 10);
  EXPECT_EQ(value(apply, "n"), 5);
  EXPECT_EQ(value(apply, "k"), 3);
  EXPECT_EQ(apply.address(index(apply, "C")), virtual_base(0) + 3 * 10 * 8);
  EXPECT_EQ(apply.address(index(apply, "work")), virtual_base(2) + 3 * 8);
}

TEST(Geqrf, NamesAllocationsByArgument) {
  const Trace trace = record(geqrf_call(10, 8), {.nb = 3, .nbmin = 2, .nx = 0});

  EXPECT_THAT(trace.allocations, ElementsAre(Allocation{"A", virtual_base(0), 10 * 8 * 8}, Allocation{"tau", virtual_base(1), 8 * 8},
                                             Allocation{"work", virtual_base(2), 8 * 3 * 8}));
}

TEST(Geqrf, LeavesTheLastColumnsUnblocked) {
  const Trace trace = record(geqrf_call(100, 100), {.nb = 20, .nbmin = 2, .nx = 50});

  EXPECT_THAT(routines_of(trace),
              ElementsAre("dgeqr2", "dlarft", "dlarfb", "dgeqr2", "dlarft", "dlarfb", "dgeqr2", "dlarft", "dlarfb", "dgeqr2"));
  EXPECT_EQ(value(trace.calls.back(), "n"), 40);
}

TEST(Geqrf, IsUnblockedWhereBlocksDontPay) {
  for (const BlockParameters blocks :
       {BlockParameters{1, 2, 0}, BlockParameters{64, 2, 0}, BlockParameters{100, 2, 0}, BlockParameters{8, 2, 64}}) {
    EXPECT_THAT(routines_of(record(geqrf_call(80, 64), blocks)), ElementsAre("dgeqr2")) << "nb " << blocks.nb << " nx " << blocks.nx;
  }
}

TEST(Geqrf, ShrinksBlocksToTheWorkspace) {
  Call call = geqrf_call(100, 60);
  call.arguments[index(call, "lwork")] = 60 * 10;

  EXPECT_EQ(value(record(call, {.nb = 32, .nbmin = 2, .nx = 0}).calls.front(), "n"), 10);
  EXPECT_THAT(routines_of(record(call, {.nb = 32, .nbmin = 16, .nx = 0})), ElementsAre("dgeqr2"));
}

TEST(Geqrf, DoesNothingWithoutColumns) {
  EXPECT_THAT(record(geqrf_call(0, 5), {}).calls, IsEmpty());
  EXPECT_THAT(record(geqrf_call(5, 0), {}).calls, IsEmpty());
}

TEST(Geqrf, TakesTheConjugateTransposeInComplexPrecisions) {
  const Trace trace = record(geqrf_call(10, 8, "zgeqrf"), {.nb = 3, .nbmin = 2, .nx = 0});

  EXPECT_EQ(trace.calls[2].routine->name, "zlarfb");
  EXPECT_EQ(trace.calls[2].flag(1), 'C');
}

TEST(Potrf, LowerUpdatesFactorsAndSolves) {
  const Trace trace = record(potrf_call('L', 10), {.nb = 4});

  EXPECT_THAT(routines_of(trace),
              ElementsAre("dsyrk", "dpotrf2", "dgemm", "dtrsm", "dsyrk", "dpotrf2", "dgemm", "dtrsm", "dsyrk", "dpotrf2"));
  EXPECT_EQ(trace.configuration.algorithm, "dpotrf:L");
  EXPECT_EQ(trace.configuration.parameters.at("nb"), 4);
}

TEST(Potrf, IsOneKernelWhereTheBlockCoversAll) {
  EXPECT_THAT(routines_of(record(potrf_call('U', 10), {.nb = 10})), ElementsAre("dpotrf2"));
  EXPECT_THAT(routines_of(record(potrf_call('U', 10), {.nb = 1})), ElementsAre("dpotrf2"));
  EXPECT_THAT(record(potrf_call('L', 0), {.nb = 4}).calls, IsEmpty());
}

TEST(Potrf, NeedsTheSameOperationsAtEveryBlockSize) {
  for (const char uplo : {'L', 'U'}) {
    const double whole = flops(potrf_call(uplo, 96));
    for (const std::int64_t nb : {1, 8, 31, 32, 95, 96, 200}) {
      EXPECT_NEAR(flops(record(potrf_call(uplo, 96), {.nb = nb})), whole, 1e-9 * whole + 96.0 * 96) << uplo << nb;
    }
  }
}

TEST(Potrf, UsesHerkInComplexPrecisions) {
  EXPECT_EQ(record(potrf_call('L', 10, "cpotrf"), {.nb = 4}).calls.front().routine->name, "cherk");
}

TEST(Registry, RefusesRoutinesWithoutAlgorithm) {
  try {
    record(call_of("dgemm", {{"m", 3}, {"n", 3}, {"k", 3}}), {});
    FAIL() << "dgemm has no algorithm";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("geqrf, gesv, getrf"));
  }
}

TEST(Registry, RefusesUnknownVariants) {
  try {
    record(potrf_call('L', 10), {}, "7");
    FAIL() << "potrf has no variant 7";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("dpotrf has no variant '7', only 1, 2 (default), 3, recursive"));
  }
}

TEST(Registry, EveryFamilyHasOneDefaultAndNamesOnce) {
  std::map<std::string, int> defaults;
  std::set<std::pair<std::string, std::string>> names;
  for (const Algorithm& algorithm : algorithms()) {
    defaults[algorithm.family] += algorithm.is_default ? 1 : 0;
    EXPECT_TRUE(names.emplace(algorithm.family, algorithm.variant).second) << algorithm.family << " " << algorithm.variant;
    EXPECT_FALSE(algorithm.description.empty());
  }
  for (const auto& [family, count] : defaults) {
    EXPECT_EQ(count, 1) << family;
  }
}

TEST(Registry, NamesTheVariantThatIsNotLapacks) {
  EXPECT_EQ(record(potrf_call('L', 10), {}, "2").configuration.algorithm, "dpotrf:L");
  EXPECT_EQ(record(potrf_call('L', 10), {}, "recursive").configuration.algorithm, "dpotrf/recursive:L");
}

TEST(Registry, TakesAUsersAlgorithm) {
  const Algorithm mine{"potrf", "mine", "one kernel", [](const Call& call, const BlockParameters&, const Script& script) {
                         return script("potf2", {flag(call, "uplo"), value(call, "n"), matrix(call, "A")});
                       }};
  const Trace trace = record(potrf_call('U', 10), {}, mine);

  EXPECT_THAT(routines_of(trace), ElementsAre("dpotf2"));
  EXPECT_EQ(trace.configuration.algorithm, "dpotrf/mine:U");
  EXPECT_THROW(record(geqrf_call(5, 5), {}, mine), Error);
}

TEST(Registry, ExecutorNamesWhatTheLibraryLacks) {
  EXPECT_THROW(execute(potrf_call('L', 10), {}, [](std::string_view) { return nullptr; }), Error);
}

}  // namespace
}  // namespace flopcast::algorithm
