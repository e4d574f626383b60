#pragma once

/// Comparisons of two results of one kind: which times and rates differ by more than noise, and whether one is worse than allowed.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/search/verdict.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast {

/// Two documents, and the differences that count.
struct CompareRequest {
  std::string before, after;  ///< files of documents
  bool baseline = false;      ///< `before` is the name of a baseline
  Fraction fail_above = 0;
  Fraction tolerance = 0.02;
  Fraction noise = 0.1;
};
template <>
Fields FieldTable<CompareRequest>::fields();

/// A time or rate that both documents have. Times are good if small, rates if large.
struct ComparedQuantity {
  std::string what;                           ///< "dpotrf, L, 1000"
  std::map<std::string, std::string> labels;  ///< the parts of `what`: {"routine", "dpotrf"}, {"flags", "L"}, {"n", "1000"}
  std::string unit;                           ///< "s", "flop/s", "B/s", "Hz"
  double before = 0, after = 0;
  std::optional<Interval> before_interval, after_interval;  ///< 95 %; nothing if the document has none, or one value only
  double ratio = 1;                                         ///< after / before
  std::optional<Interval> ratio_interval;                   ///< those of all quantities hold with 95 % confidence together
  search::Verdict verdict = search::Verdict::unsure;
  bool above_limit = false;  ///< certainly slower than CompareRequest::fail_above allows
  friend bool operator==(const ComparedQuantity&, const ComparedQuantity&) = default;
};

/// Differences between two documents of one kind.
struct Comparison {
  std::string kind;                                  ///< schema of both documents
  std::string before, after;                         ///< their files, or "baseline NAME"
  std::vector<std::string> settings;                 ///< settings that differ, such as "CPU: X; Y"
  std::vector<ComparedQuantity> quantities;          ///< in the order of the first document
  std::vector<std::string> only_before, only_after;  ///< quantities that only one of the documents has
  double fail_above = 0, tolerance = 0, noise = 0;
  bool fails = false;  ///< a quantity is certainly slower than allowed
  friend bool operator==(const Comparison&, const Comparison&) = default;

  [[nodiscard]] std::int64_t count(search::Verdict verdict) const;
};

/// Compares the documents in two files. Throws bad_input for a file that holds no document, a damaged one, one of a newer version or one
/// without times. Throws bad_input for documents of different kinds, for documents that have no quantity in common, and for an unknown
/// baseline.
Comparison compare_results(const CompareRequest& request);

/// Converts to and from the document {"schema": "flopcast-comparison-1", ...}.
std::string to_json(const Comparison& comparison);
Comparison comparison_from_json(std::string_view text);

/// A result to keep under a name: letters, digits, '.', '_' and '-'.
struct SaveBaselineRequest {
  std::string name, file;
};
template <>
Fields FieldTable<SaveBaselineRequest>::fields();

/// A result that was kept under a name.
struct Baseline {
  std::string name;
  std::string kind;  ///< schema of the document
  std::string file;  ///< where it is kept
  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// Keeps a copy of a document in the user's folder, in place of an earlier one of the same name. Throws bad_input for a file or a name that
/// can't be a baseline, and environment_error if the copy can't be written.
Baseline save_baseline(const SaveBaselineRequest& request);

/// Converts to and from the document {"schema": "flopcast-baseline-1", ...}.
std::string to_json(const Baseline& baseline);
Baseline baseline_from_json(std::string_view text);

}  // namespace flopcast
