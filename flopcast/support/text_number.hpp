#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flopcast/support/units.hpp"

namespace flopcast {

/// A number in a request. Where one is asked, a number and a text that `parse` reads are taken alike (support/request_types.hpp).
template <class Number, Number (*parse)(std::string_view text, std::string_view what)>
class TextNumber {
 public:
  constexpr TextNumber(Number number = 0) : number_(number) {}  // NOLINT(google-explicit-constructor): they are one thing
  constexpr operator Number() const { return number_; }         // NOLINT(google-explicit-constructor)

 private:
  Number number_;
};

/// Reads a text. Messages begin with `what`, and are those of `parse`.
template <class Number, Number (*parse)(std::string_view, std::string_view)>
void parse_text(std::string_view text, std::string_view what, TextNumber<Number, parse>& to) {
  to = parse(text, what);
}

inline double parse_byte_limit(std::string_view text, std::string_view what) { return static_cast<double>(parse_bytes(text, what)); }
/// A fraction that texts may give in percent: 0.05 or "5%".
inline double parse_any_fraction(std::string_view text, std::string_view what) { return parse_fraction(text, what, 0, 1e18); }

using Duration = TextNumber<Seconds, parse_duration>;     ///< in seconds, or a text such as "10min"
using ByteCount = TextNumber<std::int64_t, parse_bytes>;  ///< in bytes, or a text such as "2MiB"
using ByteLimit = TextNumber<double, parse_byte_limit>;   ///< in bytes, possibly infinite, or a text
using Fraction = TextNumber<double, parse_any_fraction>;  ///< or a text such as "5%"

/// Returns the shortest text that is read as this number, such as "10min".
std::string to_text(Duration duration);

}  // namespace flopcast
