#include "flopcast/protocol/call_bytes.hpp"

#include <cstring>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fnv_hash.hpp"

namespace flopcast::protocol {
namespace {

template <class T>
void append_value(Bytes& bytes, const T& value) {
  const std::span<const std::byte> raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

template <class T>
T take(std::span<const std::byte>& bytes) {
  if (bytes.size() < sizeof(T)) {
    throw internal_error("recorded calls end in the middle of a call");
  }
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return value;
}

bool is_scalar(const Argument& argument) { return argument.kind == Kind::scalar || argument.kind == Kind::real_scalar; }

Call take_call(std::span<const std::byte>& bytes, const Routine& routine) {
  Call call;
  call.routine = &routine;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    call.arguments[i] = take<std::int64_t>(bytes);
    if (is_scalar(routine.arguments[i])) {
      call.scalars.at(static_cast<std::size_t>(call.arguments[i])) = take<std::complex<double>>(bytes);
    }
  }
  return call;
}

}  // namespace

void append(Bytes& bytes, const Call& call, Seconds seconds) {
  const Routine& routine = *call.routine;
  append_value(bytes, static_cast<std::uint32_t>(&routine - kernel::catalogue().data()));
  append_value(bytes, seconds);
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    append_value(bytes, routine.arguments[i].kind == Kind::info ? std::int64_t{0} : call.arguments[i]);
    if (is_scalar(routine.arguments[i])) {
      append_value(bytes, call.scalars[static_cast<std::size_t>(call.arguments[i])]);
    }
  }
}

DecodedCalls read_calls(std::span<const std::byte> bytes) {
  DecodedCalls all;
  while (!bytes.empty()) {
    const auto index = take<std::uint32_t>(bytes);
    if (index >= kernel::catalogue().size()) {
      throw internal_error("recorded calls name routine number {} of {}", index, kernel::catalogue().size());
    }
    all.seconds.push_back(take<Seconds>(bytes));
    all.calls.push_back(take_call(bytes, kernel::catalogue()[index]));
  }
  return all;
}

std::uint64_t catalogue_digest() {
  std::uint64_t digest = fnv_hash_64("");
  for (const Routine& routine : kernel::catalogue()) {
    digest = fnv_hash_64(routine.name, digest);
    for (const Argument& argument : routine.arguments) {
      digest = fnv_hash_64(argument.name, digest);
    }
  }
  return digest;
}

}  // namespace flopcast::protocol
