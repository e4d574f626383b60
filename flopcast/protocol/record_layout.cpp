#include "flopcast/protocol/record_layout.hpp"

#include <cctype>
#include <complex>
#include <cstdint>
#include <cstring>

#include "flopcast/protocol/trace_format.hpp"

namespace flopcast::protocol {
namespace {

char letter(const Routine& routine, const Argument& argument, int integer_bytes) {
  switch (argument.kind) {
    case Kind::flag: return 'f';
    case Kind::scalar: return static_cast<char>(routine.precision);
    case Kind::real_scalar: return real_bytes(routine.precision) == 4 ? 's' : 'd';
    case Kind::data:
    case Kind::work:
    case Kind::pivots: return 'a';
    case Kind::info: return '-';
    default: return integer_bytes == 8 ? 'l' : 'i';
  }
}

template <class T>
T take(const std::byte*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

std::complex<double> take_scalar(char precision, const std::byte*& at) {
  switch (precision) {
    case 's': return take<float>(at);
    case 'd': return take<double>(at);
    case 'c': return std::complex<double>(take<std::complex<float>>(at));
    default: return take<std::complex<double>>(at);
  }
}

}  // namespace

std::string record_layout(const Routine& routine, int integer_bytes) {
  std::string layout;
  for (const Argument& argument : routine.arguments) {
    layout += letter(routine, argument, integer_bytes);
  }
  return layout;
}

std::size_t record_bytes(std::string_view layout) {
  std::size_t sum = 0;
  for (const char c : layout) {
    sum += layout_bytes(c);
  }
  return sum;
}

std::optional<Call> decode_call(const Routine& routine, std::span<const std::byte> bytes, int integer_bytes) {
  const std::string layout = record_layout(routine, integer_bytes);
  if (bytes.size() < record_bytes(layout)) {
    return std::nullopt;
  }
  Call call;
  call.routine = &routine;
  call.integer_bytes = integer_bytes;
  const std::byte* at = bytes.data();
  std::size_t scalars = 0;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    switch (layout[i]) {
      case 'f': call.arguments[i] = std::toupper(take<unsigned char>(at)); break;
      case 'i': call.arguments[i] = take<std::int32_t>(at); break;
      case 'l':
      case 'a': call.arguments[i] = take<std::int64_t>(at); break;
      case '-': break;
      default: call.arguments[i] = static_cast<std::int64_t>(scalars); call.scalars.at(scalars++) = take_scalar(layout[i], at);
    }
  }
  return call;
}

}  // namespace flopcast::protocol
