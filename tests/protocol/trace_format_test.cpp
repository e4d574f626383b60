#include "flopcast/protocol/trace_format.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace flopcast::protocol {
namespace {

TEST(TraceFormat, PacksARecord) {
  const RecordHeader header = record_header(7, 11, 13, Treatment::skipped);
  EXPECT_EQ(header.start, 7U);
  EXPECT_EQ(header.packed & longest_duration, 11U);
  EXPECT_EQ(header.packed >> treatment_shift & 3U, 1U);
  EXPECT_EQ(header.packed >> routine_shift, 13U);
}

TEST(TraceFormat, LongCallsDontSpillIntoTheRoutine) {
  const RecordHeader header = record_header(0, ~std::uint64_t{0}, 13, Treatment::executed);
  EXPECT_EQ(header.packed & longest_duration, longest_duration);
  EXPECT_EQ(header.packed >> treatment_shift, std::uint64_t{13} << 2U);
}

TEST(TraceFormat, ChecksumDependsOnEveryByte) {
  std::vector<std::byte> bytes(101);
  const std::uint64_t before = chunk_checksum(bytes.data(), bytes.size());
  for (std::byte& byte : bytes) {
    byte = std::byte{1};
    EXPECT_NE(chunk_checksum(bytes.data(), bytes.size()), before);
    byte = std::byte{0};
  }
  EXPECT_NE(chunk_checksum(bytes.data(), bytes.size() - 1), before);
}

}  // namespace
}  // namespace flopcast::protocol
