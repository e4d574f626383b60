#include "flopcast/measure/address_map.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

TEST(AddressMap, MovesRegions) {
  AddressMap map;
  map.add({"A", virtual_base(0), 1000}, 0x5000);
  map.add({"B", virtual_base(1), 1000}, 0x9000);
  EXPECT_EQ(map.real(Region{virtual_base(1) + 16, 8, 2, 64, 0}), (Region{0x9010, 8, 2, 64, 0}));
  EXPECT_TRUE(map.real(Region{}).empty());
}

TEST(AddressMap, RefusesRegionsOutsideOfTheMemory) {
  AddressMap map;
  map.add({"A", virtual_base(0), 1000}, 0x5000);
  EXPECT_THROW((void)map.real(Region{virtual_base(0) + 996, 8, 1, 8, 0}), Error);
  EXPECT_THROW((void)map.real(Region{virtual_base(1), 8, 1, 8, 0}), Error);
  EXPECT_THROW((void)map.real(Region{0, 8, 1, 8, 0}), Error);
}

TEST(AddressMap, MovesAllOperandsOfACallAndNothingElse) {
  const Call call = with_addresses(kernel::parse_call(kernel::require("dgemm"), {{"m", "10"}, {"n", "20"}, {"k", "30"}}));
  const std::vector<Allocation> memory = memory_of({&call, 1}, {});
  ASSERT_EQ(memory.size(), 3);
  EXPECT_EQ(memory[0].bytes, (29 * 16 + 10) * 8);
  AddressMap map;
  map.add(memory[0], 0x10000);
  map.add(memory[1], 0x20000);
  map.add(memory[2], 0x30000);
  Call expected = call;
  expected.arguments[static_cast<std::size_t>(call.routine->index("A"))] = 0x10000;
  expected.arguments[static_cast<std::size_t>(call.routine->index("B"))] = 0x20000;
  expected.arguments[static_cast<std::size_t>(call.routine->index("C"))] = 0x30000;
  EXPECT_EQ(map.real(call), expected);
}

double first_element(const Call& call, const char* operand) {
  return *reinterpret_cast<const double*>(call.address(static_cast<std::size_t>(call.routine->index(operand))));
}

// BLIS reads the diagonal of a triangle of order 1, although it is a unit diagonal.
TEST(AddressMap, GivesOperandsWithoutElementsMemoryThatCanBeRead) {
  const Call call = with_addresses(kernel::parse_call(kernel::require("dgemm"), {{"m", "0"}, {"n", "20"}, {"k", "0"}}));
  EXPECT_TRUE(memory_of({&call, 1}, {}).empty());
  const Call moved = AddressMap().real(call);
  for (const char* operand : {"A", "B", "C"}) {
    EXPECT_EQ(first_element(moved, operand), 0) << operand;
  }
}

TEST(AddressMap, MovesOperandsWithoutElementsWithinTheirMemory) {
  Call call =
      kernel::parse_call(kernel::require("dtrmm"), {{"side", "L"}, {"uplo", "L"}, {"transa", "N"}, {"diag", "U"}, {"m", "1"}, {"n", "2"}});
  call.arguments[static_cast<std::size_t>(call.routine->index("A"))] = static_cast<std::int64_t>(virtual_base(0)) + 16;
  call.arguments[static_cast<std::size_t>(call.routine->index("B"))] = static_cast<std::int64_t>(virtual_base(1));
  const std::vector<double> matrix = {1, 2, 3, 4};
  AddressMap map;
  map.add({"A", virtual_base(0), 32}, reinterpret_cast<std::uintptr_t>(matrix.data()));
  map.add({"B", virtual_base(1), 128}, 0x5000);
  EXPECT_EQ(first_element(map.real(call), "A"), 3);
}

TEST(Layout, StartsLargeAllocationsAtDifferentOffsetsInTheirPages) {
  const std::vector<Allocation> memory = {{"A", virtual_base(0), 8192}, {"B", virtual_base(1), 8192}};
  const Layout layout = lay_out(memory, 3, 0x100000);
  std::set<std::uintptr_t> offsets;
  for (const AddressMap& map : layout.copies) {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uintptr_t at = map.real(Region{virtual_base(k), 8192, 1, 8192, 0}).address;
      EXPECT_EQ(at % 64, 0);
      offsets.insert(at % 4096);
    }
  }
  EXPECT_EQ(offsets.size(), 6);
}

TEST(Layout, KeepsAllocationsApartAndInside) {
  const std::vector<Allocation> memory = {{"A", virtual_base(0), 100}, {"B", virtual_base(1), 5000}, {"C", virtual_base(2), 1}};
  const Layout layout = lay_out(memory, 4, 0x100000);
  std::uintptr_t end = 0x100000;
  for (const AddressMap& map : layout.copies) {
    for (const Allocation& allocation : memory) {
      const Region region = map.real(Region{allocation.address, allocation.bytes, 1, allocation.bytes, 0});
      EXPECT_GE(region.begin(), end);
      end = region.end();
    }
  }
  EXPECT_LE(end, 0x100000 + static_cast<std::uintptr_t>(layout.size_bytes));
}

TEST(PlacedCall, LeavesGivenAddressesAlone) {
  Call call = kernel::parse_call(kernel::require("ddot"), {{"n", "10"}});
  const auto y = static_cast<std::size_t>(call.routine->index("y"));
  call.arguments[y] = static_cast<std::int64_t>(virtual_base(0) + 800);
  const Call placed = with_addresses(call);
  EXPECT_EQ(placed.address(y), virtual_base(0) + 800);
  const std::vector<Allocation> memory = memory_of({&placed, 1}, {});
  ASSERT_EQ(memory.size(), 1);
  EXPECT_EQ(memory[0].bytes, 880);
}

}  // namespace
}  // namespace flopcast::measure
