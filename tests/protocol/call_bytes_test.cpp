#include "flopcast/protocol/call_bytes.hpp"

#include <gmock/gmock.h>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::protocol {
namespace {

/// Returns a call in which all arguments differ.
Call numbered_call(const Routine& routine) {
  Call call;
  call.routine = &routine;
  std::int64_t scalars = 0;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Kind kind = routine.arguments[i].kind;
    const bool scalar = kind == Kind::scalar || kind == Kind::real_scalar;
    if (scalar) {
      call.scalars.at(static_cast<std::size_t>(scalars)) = {static_cast<double>(i), 0.5};
    }
    call.arguments[i] = scalar               ? scalars++
                        : kind == Kind::flag ? routine.arguments[i].values[0]
                        : kind == Kind::info ? 0
                                             : 1000 + static_cast<std::int64_t>(i);
  }
  return call;
}

TEST(CallBytes, KeepsEveryRoutineOfTheCatalogue) {
  Bytes bytes;
  std::vector<Call> calls;
  for (const Routine& routine : kernel::catalogue()) {
    calls.push_back(numbered_call(routine));
    append(bytes, calls.back(), static_cast<double>(calls.size()));
  }

  const DecodedCalls read = read_calls(bytes);

  EXPECT_EQ(read.calls, calls);
  EXPECT_EQ(read.seconds.at(4), 5.0);
}

TEST(CallBytes, ForgetsTheAddressOfInfo) {
  Call call = numbered_call(kernel::require("dpotrf2"));
  Bytes bytes;
  const Call without = call;
  call.arguments[4] = 4711;
  append(bytes, call, 0);

  EXPECT_EQ(read_calls(bytes).calls.at(0), without);
}

TEST(CallBytes, RefusesDamage) {
  Bytes bytes;
  append(bytes, numbered_call(kernel::require("dgemm")), 0);
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    EXPECT_THROW(read_calls(std::span(bytes).first(length)), Error) << length;
  }
  bytes[2] = std::byte{255};
  EXPECT_THROW(read_calls(bytes), Error);
}

}  // namespace
}  // namespace flopcast::protocol
