#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast {

/// Times are seconds, sizes are elements unless a name says `_bytes`.
using Seconds = double;

/// Returns 3.21 µs, 45.6 ms, 1.23 s: three significant digits and the suitable unit.
std::string format_seconds(Seconds seconds);
/// Returns 12.3 % for the fraction 0.123.
std::string format_percent(double fraction);
/// Returns 48 KiB, 2 MiB, 1.5 GiB.
std::string format_bytes(double bytes);
/// Returns 78.3 GFLOP/s from flops per second.
std::string format_flop_rate(double flops_per_second);
/// 14.2 GB/s from bytes per second (decimal giga, as is usual for bandwidth).
std::string format_bandwidth(double bytes_per_second);

/// Returns the count and the noun in singular or plural: "1 kernel", "2 processes".
std::string counted(std::uint64_t count, std::string_view noun);
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  return counted(static_cast<std::uint64_t>(count), noun);
}

/// Reads `30s`, `5min`, `1h` or a bare number of seconds. Messages begin with `what`. Throws usage_error if `what` is an option of the
/// command line ("--time-budget"), otherwise bad_input, as do the next two functions.
Seconds parse_duration(std::string_view text, std::string_view what);
/// Reads `5%` or `0.05`; throws bad_input for anything else and for values below `minimum` or above `maximum`.
double parse_fraction(std::string_view text, std::string_view what, double minimum, double maximum);
/// Reads `64`, `48KiB`, `2MiB`, `1GiB` (also K, M, G: binary); throws bad_input otherwise.
std::int64_t parse_bytes(std::string_view text, std::string_view what);
/// Reads a list of sizes: `500`, `100,200,400`, `200:3200` (at most 16 evenly spread values), `200:3200:200`, and commas of these.
/// Values are sorted and unique. Throws bad_input naming `what` if a value is no integer, below `minimum` or above `maximum`.
std::vector<std::int64_t> parse_sizes(std::string_view text, std::string_view what, std::int64_t minimum, std::int64_t maximum);
/// Returns first, first + step, ... up to `last`, which is included if it is among them: range(200, 3200, 200). Throws bad_input unless
/// step is positive.
std::vector<std::int64_t> range(std::int64_t first, std::int64_t last, std::int64_t step = 1);
/// Reads one integer in [minimum, maximum]; throws bad_input naming `what` otherwise.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t minimum, std::int64_t maximum);

/// Returns the parts of `text` between separators, including empty ones, as views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Returns the `candidates` at the smallest edit distance from `name`, for "did you mean"; at most three, none if all are far.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace flopcast
