#include "flopcast/cache/access_distance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "flopcast/kernel/catalogue.hpp"
#include "naive_access.hpp"
#include "tests/kernel/plain_call.hpp"

namespace flopcast::cache {

void PrintTo(const OperandAccess& access, std::ostream* out) {
  *out << "distance " << access.distance_bytes << " dirty " << access.dirty << " bytes " << testing::PrintToString(access.bytes);
}

namespace {

using kernel::call;

constexpr std::int64_t a_address = 1 << 20, b_address = 2 << 20;

Trace trace_of(std::vector<Call> calls, std::int64_t a_bytes = 8000, std::int64_t b_bytes = 8000) {
  Trace trace;
  trace.allocations = {{"A", a_address, a_bytes}, {"B", b_address, b_bytes}};
  trace.calls = std::move(calls);
  return trace;
}

std::vector<std::int64_t> distances(const CallAccess& access) {
  std::vector<std::int64_t> all;
  for (const OperandAccess& operand : access) {
    all.push_back(operand.distance_bytes);
  }
  return all;
}

AccessOptions from(Start start) {
  AccessOptions options;
  options.start = start;
  return options;
}

void expect_equal_to_naive(const Trace& trace, const AccessOptions& options) {
  const NaiveAccess naive(trace, options);
  const std::vector<CallAccess> fast = access_distances(trace, options);
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    const CallAccess slow = naive.access(c);
    ASSERT_EQ(fast[c].size(), slow.size());
    for (std::size_t i = 0; i < slow.size(); ++i) {
      const OperandAccess& expected = slow[i];
      ASSERT_EQ(fast[c][i].distance_bytes, expected.distance_bytes)
          << "call " << c << " operand " << i << " of " << to_string(trace.calls[c]);
      ASSERT_EQ(fast[c][i].bytes, expected.bytes) << "call " << c << " operand " << i << " of " << to_string(trace.calls[c]);
      ASSERT_EQ(fast[c][i].dirty, expected.dirty) << "call " << c << " operand " << i << " of " << to_string(trace.calls[c]);
    }
  }
}

TEST(AccessDistance, CountsSinceAndIncludingTheLastAccess) {
  const Trace trace = trace_of(
      {call("dcopy", {10, a_address, 1, b_address, 1}), call("dscal", {5, b_address + 800, 1}), call("dscal", {10, a_address, 1})});
  const auto access = access_distances(trace, from(Start::cold));
  EXPECT_THAT(distances(access[0]), testing::ElementsAre(-1, -1));
  EXPECT_THAT(distances(access[2]), testing::ElementsAre(80 + 80 + 40));
}

TEST(AccessDistance, TheNewestAccessOfAnyPartCounts) {
  const Trace trace = trace_of({call("dscal", {10, a_address, 1}), call("dscal", {2, a_address, 1}), call("dscal", {10, a_address, 1})});
  AccessOptions options = from(Start::cold);
  options.thresholds_bytes = {16};
  const auto access = access_distances(trace, options);
  EXPECT_EQ(access[2][0].distance_bytes, 16);
  EXPECT_THAT(access[2][0].bytes, testing::ElementsAre(16, 64, 0, 0, 0));
}

TEST(AccessDistance, TheStartIsAnArtificialRegionAsLargeAsAllOperands) {
  const Trace trace = trace_of({call("dscal", {10, a_address, 1}), call("dscal", {5, b_address, 1})});
  const auto access = access_distances(trace, {});
  EXPECT_THAT(distances(access[0]), testing::ElementsAre(120));
  EXPECT_THAT(distances(access[1]), testing::ElementsAre(80 + 120));
}

TEST(AccessDistance, ARepeatedTraceFindsItsOwnEnd) {
  const Trace trace = trace_of({call("dscal", {10, a_address, 1}), call("dscal", {5, b_address, 1})});
  const auto access = access_distances(trace, from(Start::repeated));
  EXPECT_THAT(distances(access[0]), testing::ElementsAre(120));
  EXPECT_THAT(distances(access[1]), testing::ElementsAre(120));
}

TEST(AccessDistance, FilledAllocationsWereWrittenInTheirOrder) {
  const Trace trace = trace_of({call("dcopy", {10, a_address, 1, b_address, 1})}, 400, 200);
  const auto access = access_distances(trace, from(Start::filled));
  EXPECT_THAT(distances(access[0]), testing::ElementsAre(600, 200));
  EXPECT_TRUE(access[0][0].dirty);
}

TEST(AccessDistance, AScanStopsBeyondItsLimit) {
  const Trace trace = trace_of({call("dscal", {10, a_address, 1}), call("dscal", {5, b_address, 1}), call("dscal", {6, b_address + 800, 1}),
                                call("dscal", {10, a_address, 1}), call("dscal", {10, b_address + 1600, 1})});
  AccessOptions options;
  options.limit_bytes = 45;
  EXPECT_THAT(distances(access_distances(trace, options)[3]), testing::ElementsAre(48));  // 6 elements, then the scan stops
  options.limit_bytes = 50;
  EXPECT_THAT(distances(access_distances(trace, options)[3]), testing::ElementsAre(88));
  options.limit_bytes = 1000;
  EXPECT_THAT(distances(access_distances(trace, options)[3]), testing::ElementsAre(168));
  EXPECT_THAT(distances(access_distances(trace, options)[4]), testing::ElementsAre(168 + 248));
}

TEST(AccessDistance, DirtyOperandsWereWrittenByTheirLastAccess) {
  const Trace trace = trace_of({call("dcopy", {10, a_address, 1, b_address, 1}), call("dcopy", {10, a_address, 1, b_address, 1}),
                                call("dscal", {4, a_address, 1}), call("dscal", {10, a_address, 1})});
  const auto access = access_distances(trace, from(Start::cold));
  EXPECT_FALSE(access[1][0].dirty);
  EXPECT_TRUE(access[1][1].dirty);
  EXPECT_FALSE(access[3][0].dirty) << "4 of 10 elements are no majority";
}

TEST(AccessDistance, OperandsThatTouchNothingAreNear) {
  const Trace trace = trace_of({call("dgemm", {'N', 'N', 0, 0, 0, a_address, 1, b_address, 1, b_address + 80, 1}),
                                call("dscal", {0, a_address, 1}), call("dscal", {3, 0, 1})});
  for (const CallAccess& access : access_distances(trace, {})) {
    for (const OperandAccess& operand : access) {
      EXPECT_EQ(operand.distance_bytes, 0);
      EXPECT_FALSE(operand.dirty);
    }
  }
}

TEST(AccessDistance, OperandsOfOneCallMayOverlap) {
  const Trace trace = trace_of({call("dgemm", {'N', 'T', 5, 5, 5, a_address, 5, a_address, 5, a_address + 80, 5}),
                                call("dgemm", {'N', 'T', 5, 5, 5, a_address, 5, a_address, 5, a_address + 80, 5})});
  const auto access = access_distances(trace, from(Start::cold));
  EXPECT_THAT(distances(access[1]), testing::ElementsAre(280, 280, 280));
  EXPECT_TRUE(access[1][0].dirty) << "15 of 25 elements belong to C too";
}

TEST(AccessDistance, MemoryOutsideOfAllAllocationsIsFollowedToo) {
  Trace trace =
      trace_of({call("dscal", {10, 400, 1}), call("dscal", {10, 440, 1}), call("dscal", {10, 360, 1}), call("dscal", {20, 360, 1})});
  trace.allocations.clear();
  expect_equal_to_naive(trace, {});
  EXPECT_EQ(distinct_bytes(trace), 160);
}

TEST(AccessDistance, RowsInTheSameLinesCountAsAccessed) {
  // rows 0, 1 and 8 of a matrix with 128 rows: the first two share lines
  const Trace trace = trace_of({call("dcopy", {5, a_address, 128, b_address, 1}), call("dcopy", {5, a_address + 8, 128, b_address, 1}),
                                call("dcopy", {5, a_address + 64, 128, b_address, 1})});
  AccessOptions options = from(Start::cold);
  EXPECT_THAT(distances(access_distances(trace, options)[1]), testing::ElementsAre(-1, 80)) << "the accesses share lines, but no bytes";
  options.line_bytes = 64;
  EXPECT_THAT(distances(access_distances(trace, options)[1]), testing::ElementsAre(5 * 64 + 40, 5 * 64 + 40));
  EXPECT_THAT(distances(access_distances(trace, options)[2]), testing::ElementsAre(-1, 5 * 64 + 40));
}

TEST(AccessDistance, AnEmptyTraceHasNone) {
  EXPECT_TRUE(access_distances({}, {}).empty());
  EXPECT_EQ(distinct_bytes({}), 0);
}

/// Random calls on two small buffers: sub-matrices, triangles, bands, reflectors, rows and columns, with leading dimensions that match or
/// differ.
class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed, bool one_leading_dimension) : random_(seed), one_leading_dimension_(one_leading_dimension) {}

  Trace trace(std::size_t calls) {
    Trace trace = trace_of({}, 8 * elements, 8 * elements);
    while (trace.calls.size() < calls) {
      trace.calls.push_back(next());
    }
    return trace;
  }

 private:
  static constexpr std::int64_t elements = 200, most = 6;

  std::int64_t between(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random_); }
  std::int64_t pick(const std::string& letters) {
    return letters[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(letters.size()) - 1))];
  }
  std::int64_t ld() { return one_leading_dimension_ ? 13 : between(most, 16); }
  std::int64_t at() { return (between(0, 1) == 0 ? a_address : b_address) + 8 * between(0, elements - most * 16 - most); }
  std::int64_t size() { return between(0, most); }

  Call next() {
    switch (between(0, 7)) {
      case 0: return call("dgemm", {pick("NT"), pick("NT"), size(), size(), size(), at(), ld(), at(), ld(), at(), ld()});
      case 1: return call("dtrsm", {pick("LR"), pick("LU"), pick("NT"), pick("NU"), size(), size(), at(), ld(), at(), ld()});
      case 2: return call("dsyrk", {pick("LU"), pick("NT"), size(), size(), at(), ld(), at(), ld()});
      case 3: return call("dcopy", {between(0, 12), at(), between(1, 3), at(), between(1, 7)});
      case 4: return call("dgbmv", {pick("NT"), size(), size(), between(0, 2), between(0, 2), at(), ld(), at(), 1, at(), 1});
      case 5: return call("dcopy", {size(), at(), ld(), at(), 1});
      case 6: return call("dscal", {between(0, 60), at(), 1});
      default: {
        const std::int64_t count = between(1, 3);
        return call("dlarft", {pick("FB"), pick("CR"), between(count, most), count, at(), ld(), at(), at(), ld()});
      }
    }
  }

  std::mt19937 random_;
  bool one_leading_dimension_;
};

TEST(AccessDistance, AgreesWithTheNaiveScan) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Trace trace = RandomCalls(seed, seed % 2 == 0).trace(12);
    AccessOptions options;
    options.start = std::array{Start::artificial, Start::repeated, Start::filled, Start::cold}[seed / 2 % 4];
    options.limit_bytes = seed % 5 == 4 ? 900 : 0;
    options.thresholds_bytes = {300, 1000, 1800};
    options.line_bytes = seed % 3 == 0 ? 64 : 1;
    SCOPED_TRACE(seed);
    expect_equal_to_naive(trace, options);
  }
}

}  // namespace
}  // namespace flopcast::cache
