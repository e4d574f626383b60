#include "flopcast/contract/notation/contraction.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Name of an element type as NumPy writes it, and the other names that NumPy reads for the same type.
struct ElementType {
  std::string_view written;
  Precision precision;
  std::array<std::string_view, 4> names;
};
constexpr std::array<ElementType, 4> types = {{{"<f4", Precision::s, {"f4", "f", "float32", "single"}},
                                               {"<f8", Precision::d, {"f8", "d", "float64", "double"}},
                                               {"<c8", Precision::c, {"c8", "F", "complex64", "csingle"}},
                                               {"<c16", Precision::z, {"c16", "D", "complex128", "cdouble"}}}};

/// Reads the header, a dictionary as Python writes it, from front to back.
class HeaderReader {
 public:
  HeaderReader(std::string_view header, std::string_view file) : rest_(header), file_(file) {}

  /// Calls read(key) for every key; it must read the value.
  template <class Read>
  void dictionary(Read&& read) {
    expect('{');
    while (!accept('}')) {
      const std::string key(text());
      expect(':');
      read(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) {
      refuse();
    }
  }
  /// Reads a string between quotes of either kind, which Python 2 may have marked as Unicode.
  std::string_view text() {
    if (!accept('u')) {
      accept('U');
    }
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') {
      expect('\'');
    }
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) {
      refuse();
    }
    const std::string_view inside = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  bool truth() {
    const std::string_view letters = word();
    if (letters != "True" && letters != "False") {
      refuse();
    }
    return letters == "True";
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!accept(')')) {
      std::string_view digits = word();
      if (!digits.empty() && digits.back() == 'L') {  // Python 2's long integers
        digits.remove_suffix(1);
      }
      numbers.push_back(extent(digits));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

 private:
  /// Returns the value of a decimal or hexadecimal number.
  [[nodiscard]] std::int64_t extent(std::string_view digits) const {
    static constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      std::int64_t value = -1;
      const std::string_view hexadecimal = digits.substr(2);
      const auto [end, error] = std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), value, 16);
      if (error == std::errc() && end == hexadecimal.data() + hexadecimal.size() && value >= 0 && value <= most) {
        return value;
      }
    }
    return parse_integer(digits, std::string(file_) + ": shape", 0, most);
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool accept(char wanted) {
    skip_blanks();
    const bool there = !rest_.empty() && rest_.front() == wanted;
    rest_.remove_prefix(there ? 1 : 0);
    return there;
  }
  void expect(char wanted) {
    if (!accept(wanted)) {
      refuse();
    }
  }
  std::string_view word() {
    skip_blanks();
    const std::string_view letters = rest_.substr(0, rest_.find_first_of(" \t\r\n,:()[]{}"));
    rest_.remove_prefix(letters.size());
    return letters;
  }
  [[noreturn]] void refuse() const {
    throw bad_input("{}: the .npy header is no dictionary of 'descr', 'fortran_order' and 'shape'; it can't be read from {} on", file_,
                    rest_.empty() ? "its end" : fmt::format("'{}'", printable(rest_.substr(0, 20))));
  }
  static std::string printable(std::string_view text) {
    std::string shown(text);
    std::replace_if(
        shown.begin(), shown.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
    return shown;
  }

  std::string_view rest_, file_;
};

Precision precision_of(std::string_view type, std::string_view file) {
  const bool has_order = !type.empty() && (type.front() == '<' || type.front() == '=');  // =: this machine's, which is little endian
  const std::string_view name = type.substr(has_order ? 1 : 0);
  for (const ElementType& known : types) {
    if (std::find(known.names.begin(), known.names.end(), name) != known.names.end()) {
      return known.precision;
    }
  }
  throw bad_input("{}: elements of type {}; <f4, <f8, <c8 and <c16 (float32, float64, complex64, complex128) can be contracted", file,
                  type);
}

/// Reads the header: everything but the elements.
Array parse_header(std::string_view header, std::string_view file) {
  Array array;
  std::set<std::string> lacking = {"descr", "fortran_order", "shape"};
  HeaderReader reader(header, file);
  reader.dictionary([&](const std::string& key) {
    if (key == "descr") {
      array.precision = precision_of(reader.text(), file);
    } else if (key == "fortran_order") {
      array.order = reader.truth() ? Order::column_major : Order::row_major;
    } else if (key == "shape") {
      array.shape = reader.tuple();
    } else {
      throw bad_input("{}: the .npy header has '{}', expected 'descr', 'fortran_order' and 'shape' only", file, key);
    }
    lacking.erase(key);
  });
  if (!lacking.empty()) {
    throw bad_input("{}: the .npy header has no '{}'", file, *lacking.begin());
  }
  return array;
}

/// Number of bytes that the shape requires; -1 if they are more than is possible.
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
  const char version = contents[version_at];
  if (version < 1 || version > 3) {
    throw bad_input("{} has version {} of the .npy format; 1 to 3 are known", file, static_cast<int>(version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_at = length_at + length_bytes;
  const std::size_t length = little_endian(contents.substr(length_at, length_bytes));
  if (contents.size() - header_at < length) {
    throw bad_input("{} is cut off within the .npy header", file);
  }
  const std::string_view data = contents.substr(header_at + length);
  Array array = parse_header(contents.substr(header_at, length), file);
  if (const std::int64_t expected = expected_bytes(array); expected != static_cast<std::int64_t>(data.size())) {
    throw bad_input("{} holds {} bytes of elements, but its shape ({}) says {}", file, data.size(), fmt::join(array.shape, ", "), expected);
  }
  array.elements.resize(data.size());
  if (!data.empty()) {
    std::memcpy(array.elements.data(), data.data(), data.size());
  }
  return array;
}

std::string format_npy(const Array& array) {
  constexpr std::size_t alignment = 64, preamble = 10;
  std::string_view type;
  for (const ElementType& known : types) {
    type = known.precision == array.precision ? known.written : type;
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
