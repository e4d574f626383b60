#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace flopcast {

/// Limits of a request's member, which its schema publishes. Values outside are refused before anything is done. Limits of numbers and texts
/// hold for the elements of lists, too.
struct Bounds {
  static constexpr double none = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t max_text = 4095;  ///< bytes of a path (PATH_MAX without its end), the default of all texts
  static constexpr std::int64_t usual_max_elements = 10'000;

  double min = -none, max = none;                      ///< limits of numbers
  bool above_min = false;                              ///< the least number itself is refused
  std::int64_t min_length = 0, max_length = max_text;  ///< limits of the bytes of a text
  std::int64_t min_elements = 0;                       ///< least number of elements of a list
  bool is_path = false;     ///< the text is the name of a file, each part of which has 255 bytes at most (NAME_MAX)
  bool is_command = false;  ///< the list has the words of a command, of which the first is a program
};

namespace bounds {

/// Whole numbers and others, from the least to the largest one allowed.
constexpr Bounds between(double min, double max) { return {.min = min, .max = max}; }
/// Seconds: up to 30 years.
inline constexpr Bounds seconds = between(0, 1e9);
inline constexpr Bounds positive_seconds = {.min = 0, .max = 1e9, .above_min = true};
inline constexpr Bounds fraction = between(0, 1);
inline constexpr Bounds threads = between(1, 1024);
inline constexpr Bounds process_counts = {.min = 1, .max = 1e6, .min_elements = 1};
/// A text or a list that must not be empty.
inline constexpr Bounds given = {.min_length = 1, .min_elements = 1};
/// A file that may be left out, a file or files that must be named, and a list that names some if there are any.
inline constexpr Bounds path_or_nothing = {.is_path = true};
inline constexpr Bounds paths_if_any = {.min_length = 1, .is_path = true};
inline constexpr Bounds path = {.min_length = 1, .min_elements = 1, .is_path = true};
/// Words of a command. The system takes 128 KiB for one (MAX_ARG_STRLEN), with the zero at its end.
inline constexpr Bounds command = {.max_length = 131071, .min_elements = 1, .is_command = true};

}  // namespace bounds

/// Returns why the system can't have a file of this name: a part of the name, or the whole of it, is too long. Empty if nothing is wrong.
std::string path_fault(std::string_view path);

/// Limits of numbers that have none of their own, by type.
template <class Number>
constexpr Bounds usual_bounds() {
  return std::is_floating_point_v<Number> ? bounds::between(0, 1e18) : bounds::between(0, 1e9);
}

}  // namespace flopcast
