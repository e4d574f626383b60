#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// Name of a roof within its roofline.
struct RoofName {
  std::string kind;  ///< "compute", "bandwidth", "clock", "dgemm", "best dgemm", "point"
  std::string name;  ///< the second and further roofs of a name have a number: "openblas serial (2)"
  int threads = 1;
  friend bool operator<(const RoofName& a, const RoofName& b) {
    return std::tie(a.kind, a.name, a.threads) < std::tie(b.kind, b.name, b.threads);
  }
  friend bool operator==(const RoofName&, const RoofName&) = default;
};
/// Returns a text such as "dgemm openblas serial, 2 threads".
std::string to_string(const RoofName& roof);
/// Reads what to_string returned. Throws bad_input for another text.
RoofName parse_roof_name(std::string_view text);

/// One roof of two rooflines.
struct Difference : RoofName {
  double before = 0, after = 0;  ///< medians
  double ratio = 1;              ///< after / before
  Interval interval;             ///< interval of the ratio: from the medians' 95 % intervals, widened by how much the kind drifts
  bool one_sample = false;       ///< one of the two rooflines has one sample: there is no interval, and no decision
  [[nodiscard]] bool is_higher() const noexcept { return !one_sample && interval.low > 1; }
  [[nodiscard]] bool is_lower() const noexcept { return !one_sample && interval.high < 1; }
  [[nodiscard]] bool beyond_noise() const noexcept { return is_higher() || is_lower(); }
  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Bounds of the change of rates within a run, as fractions. For 95 % of the roofs of both runs, the medians of the first and the second
/// half of the samples differ by at most this bound.
struct RoofDrift {
  double all = 0;                         ///< bound of compute and bandwidth roofs, for kinds whose samples have no halves
  std::map<std::string, double> by_kind;  ///< "compute", "bandwidth", "clock"
  [[nodiscard]] double of(const std::string& kind) const;
  friend bool operator==(const RoofDrift&, const RoofDrift&) = default;
};

/// Differences between rooflines of two machines, libraries or dates.
struct Comparison {
  std::vector<std::string> settings;  ///< settings that differ, such as "CPU: X; Y"
  std::vector<Difference> differences;
  RoofDrift drift;
  std::vector<RoofName> only_before, only_after;  ///< roofs that only one of the rooflines has
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// Number of roofs of a comparison that differ beyond noise, and the ratios that represent them.
struct Verdict {
  std::size_t roofs = 0, lower = 0, higher = 0;
  std::size_t undecided = 0;                 ///< roofs with one sample
  double lower_ratio = 1, higher_ratio = 1;  ///< medians of the lower and of the higher ones; 1 if there are none
  const Difference* lowest = nullptr;        ///< the lowest of the lower ones, within the comparison; nullptr if there is none
};
Verdict verdict(const Comparison& comparison);

/// Two roofs are the same if kind, name and threads are the same; of several roofs of one name, the second belongs to the second. The dgemm
/// roofs of one library name and thread count are the same, whatever its version and shape. If the best dgemm is that of different
/// libraries, the best ones are compared, too.
Comparison compare(const Roofline& before, const Roofline& after);

inline constexpr const char* comparison_schema = "flopcast-roofline-comparison-1";

/// Returns the comparison and its verdict as a document with its schema.
std::string to_json(const Comparison& comparison);
/// Reads a document that to_json wrote; `document` names it in messages. Throws bad_input if it is no such document.
Comparison comparison_from_json(std::string_view text, const std::string& document = "the comparison");

}  // namespace flopcast::roofline
