#include "flopcast/protocol/record_layout.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "flopcast/kernel/catalogue.hpp"

namespace flopcast::protocol {
namespace {

template <class T>
void put(std::vector<std::byte>& bytes, T value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

TEST(RecordLayout, HasALetterPerArgument) {
  EXPECT_EQ(record_layout(kernel::require("dgemm")), "ffiiidaiaidai");
  EXPECT_EQ(record_layout(kernel::require("zherk")), "ffiidaidai");
  EXPECT_EQ(record_layout(kernel::require("cscal")), "icai");
  EXPECT_EQ(record_layout(kernel::require("dpotrf")), "fiai-");
  EXPECT_EQ(record_bytes("ffiiidaiaidai"), 66U);
}

TEST(RecordLayout, DecodesArguments) {
  std::vector<std::byte> bytes;
  put(bytes, 'n');
  put(bytes, 'T');
  for (const std::int32_t size : {3, 4, 5}) {
    put(bytes, size);
  }
  put(bytes, -1.5);
  put(bytes, std::uint64_t{0x1000});
  put(bytes, std::int32_t{6});
  put(bytes, std::uint64_t{0x2000});
  put(bytes, std::int32_t{7});
  put(bytes, 2.5);
  put(bytes, std::uint64_t{0x3000});
  put(bytes, std::int32_t{8});

  const std::optional<Call> call = decode_call(kernel::require("dgemm"), bytes);

  ASSERT_TRUE(call);
  EXPECT_EQ(to_string(*call), "dgemm(N, T, 3, 4, 5, -1.5, 0x1000, 6, 0x2000, 7, 2.5, 0x3000, 8)");
}

TEST(RecordLayout, HasIntegersOfEitherWidth) {
  EXPECT_EQ(record_layout(kernel::require("dpotrf"), 8), "flal-");
  EXPECT_EQ(record_bytes("flal-"), 25U);
  std::vector<std::byte> bytes;
  put(bytes, 'L');
  put(bytes, std::int64_t{1} << 33);
  put(bytes, std::uint64_t{0x1000});
  put(bytes, std::int64_t{1} << 34);

  const std::optional<Call> call = decode_call(kernel::require("dpotrf"), bytes, 8);

  ASSERT_TRUE(call);
  EXPECT_EQ(to_string(*call), "dpotrf(L, 8589934592, 0x1000, 17179869184, 0x0)");
  EXPECT_EQ(call->integer_bytes, 8);
}

TEST(RecordLayout, RefusesTooFewBytesForEveryRoutine) {
  for (const Routine& routine : kernel::catalogue()) {
    const std::vector<std::byte> bytes(record_bytes(record_layout(routine)));
    EXPECT_TRUE(decode_call(routine, bytes)) << routine.name;
    if (!bytes.empty()) {
      EXPECT_FALSE(decode_call(routine, std::span(bytes).first(bytes.size() - 1))) << routine.name;
    }
  }
}

}  // namespace
}  // namespace flopcast::protocol
