#include "flopcast/cache/footprints.hpp"

#include <gtest/gtest.h>

#include "flopcast/kernel/catalogue.hpp"

namespace flopcast::cache {
namespace {

Call multiply(std::int64_t m, std::int64_t a, std::int64_t b, std::int64_t c) {
  Call call;
  call.routine = &kernel::require("dgemm");
  call.scalars = {1, 1};
  call.arguments = {'N', 'N', m, 4, 3, 0, a, 16, b, 16, 1, c, 16};
  return call;
}

Call copy(std::int64_t n, std::int64_t from, std::int64_t increment, std::int64_t to) {
  Call call;
  call.routine = &kernel::require("dcopy");
  call.arguments = {n, from, increment, to, 1};
  return call;
}

std::vector<Region> regions(const Footprints& footprints, std::size_t call) {
  std::vector<Region> all;
  footprints.visit(call, [&](const Footprints::TouchedPart& part) { all.push_back(part.region); });
  return all;
}

/// Returns the parts of `call` from its operands alone.
std::vector<Region> regions_of(const Call& call) {
  std::vector<Region> all;
  for (const Operand& operand : operands(call)) {
    all.insert(all.end(), operand.parts.begin(), operand.parts.end());
  }
  return all;
}

TEST(Footprints, CallsThatDifferByAddressesOnlyKeepTheirOwn) {
  Trace trace;
  trace.calls = {multiply(8, 1000, 3000, 5000), multiply(8, 7000, 3000, 9000), multiply(5, 7000, 3000, 9000),
                 multiply(8, 100, 200, 300),    copy(8, 7000, -3, 9000),       copy(8, 1000, -3, 9000)};
  const Footprints footprints(trace);
  ASSERT_EQ(footprints.calls(), trace.calls.size());
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    EXPECT_EQ(regions(footprints, i), regions_of(trace.calls[i])) << "call " << i;
  }
  EXPECT_EQ(footprints.operand_count(0), 3U);
  EXPECT_EQ(footprints.operand_count(4), 2U);
}

TEST(Footprints, OperandsWithoutAnAddressTouchNothingEvenIfOthersOfTheSameShapeDo) {
  Trace trace;
  trace.calls = {multiply(8, 1000, 3000, 5000), multiply(8, 0, 3000, 5000)};
  const Footprints footprints(trace);
  EXPECT_EQ(regions(footprints, 0).size(), 3U);
  EXPECT_EQ(regions(footprints, 1).size(), 2U);
  EXPECT_EQ(footprints.operand_count(1), 3U);
}

TEST(Footprints, ShortRunsAreWidenedByWhereTheyLie) {
  Trace trace;
  trace.calls = {copy(4, 6400, 20, 64000), copy(4, 6456, 20, 64000)};
  const Footprints footprints(trace, 64);
  EXPECT_EQ(regions(footprints, 0)[0], whole_lines(regions_of(trace.calls[0])[0], 64));
  EXPECT_EQ(regions(footprints, 1)[0], whole_lines(regions_of(trace.calls[1])[0], 64));
  EXPECT_EQ(regions(footprints, 0)[0].address, 6400U);
  EXPECT_EQ(regions(footprints, 1)[0].address, 6400U);
}

}  // namespace
}  // namespace flopcast::cache
