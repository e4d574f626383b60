#include "flopcast/contract/npy.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::contract {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::array<std::pair<std::string_view, Precision>, 4> types = {
    {{"<f4", Precision::s}, {"<f8", Precision::d}, {"<c8", Precision::c}, {"<c16", Precision::z}}};

/// The text behind `'key':` in the header's dictionary, without leading blanks.
std::string_view value_of(std::string_view header, std::string_view key, std::string_view file) {
  const std::size_t at = header.find(key);
  const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  const std::size_t begin = colon == std::string_view::npos ? colon : header.find_first_not_of(' ', colon + 1);
  if (begin == std::string_view::npos) {
    throw bad_input("{}: the .npy header has no {}", file, key);
  }
  return header.substr(begin);
}

Precision precision_of(std::string_view value, std::string_view file) {
  const std::size_t end = value.size() > 1 ? value.find(value[0], 1) : std::string_view::npos;
  const std::string_view type = end == std::string_view::npos ? value.substr(0, value.find(',')) : value.substr(1, end - 1);
  for (const auto& [name, precision] : types) {
    if (type == name) {
      return precision;
    }
  }
  throw bad_input("{}: elements of type {}; <f4, <f8, <c8 and <c16 (float32, float64, complex64, complex128) can be contracted", file,
                  type);
}

std::vector<std::int64_t> shape_of(std::string_view value, std::string_view file) {
  const std::size_t close = value.find(')');
  if (value.front() != '(' || close == std::string_view::npos) {
    throw bad_input("{}: the .npy header's shape is no tuple", file);
  }
  std::vector<std::int64_t> shape;
  std::string_view rest = value.substr(1, close - 1);
  while (rest.find_first_not_of(" ,") != std::string_view::npos) {
    rest.remove_prefix(rest.find_first_not_of(" ,"));
    const std::size_t end = std::min(rest.find_first_of(" ,"), rest.size());
    shape.push_back(parse_integer(rest.substr(0, end), std::string(file) + ": shape", 0, std::numeric_limits<std::int32_t>::max()));
    rest.remove_prefix(end);
  }
  return shape;
}

/// Bytes that the shape says; -1 if they are more than can be.
std::int64_t expected_bytes(const Array& array) {
  std::int64_t bytes = element_bytes(array.precision);
  for (const std::int64_t extent : array.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      return -1;
    }
  }
  return bytes;
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

Array parse_npy(std::string_view contents, std::string_view file) {
  constexpr std::size_t version_at = 6, length_at = 8;
  if (contents.substr(0, magic.size()) != magic || contents.size() < length_at + 4) {
    throw bad_input("{} is no .npy file", file);
  }
  const std::size_t length_bytes = contents[version_at] == 1 ? 2 : 4;
  const std::size_t header_at = length_at + length_bytes;
  const std::size_t length = little_endian(contents.substr(length_at, length_bytes));
  if (contents.size() - header_at < length) {
    throw bad_input("{} is cut off within the .npy header", file);
  }
  const std::string_view header = contents.substr(header_at, length);
  const std::string_view data = contents.substr(header_at + length);
  Array array;
  array.precision = precision_of(value_of(header, "'descr'", file), file);
  array.order = value_of(header, "'fortran_order'", file).substr(0, 4) == "True" ? Order::column_major : Order::row_major;
  array.shape = shape_of(value_of(header, "'shape'", file), file);
  if (const std::int64_t expected = expected_bytes(array); expected != static_cast<std::int64_t>(data.size())) {
    throw bad_input("{} holds {} bytes of elements, but its shape ({}) says {}", file, data.size(), fmt::join(array.shape, ", "), expected);
  }
  array.elements.resize(data.size());
  std::memcpy(array.elements.data(), data.data(), data.size());
  return array;
}

std::string format_npy(const Array& array) {
  constexpr std::size_t alignment = 64, preamble = 10;
  std::string_view type;
  for (const auto& [name, precision] : types) {
    type = precision == array.precision ? name : type;
  }
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", type, array.order == Order::column_major ? "True" : "False",
                  fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  header.append((alignment - (preamble + header.size() + 1) % alignment) % alignment, ' ');
  header += '\n';
  std::string contents(magic);
  contents += {'\x01', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8U)};
  contents += header;
  contents.append(reinterpret_cast<const char*>(array.elements.data()), array.elements.size());
  return contents;
}

}  // namespace flopcast::contract
