#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/statistics.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"

namespace flopcast {

/// The parts of a quantity's name by what they are, such as {"routine", "dgeqrf"}.
using Labels = std::map<std::string, std::string>;

/// A time or rate of a document.
struct Quantity {
  std::string what;
  double value = 0;
  std::optional<Interval> interval;  ///< 95 %
  std::string unit = "s";
  double drift = 0;  ///< bound of the change between runs that the interval doesn't contain, as a fraction
  Labels labels = {};
};

using Settings = std::map<std::string, std::string>;  ///< such as {"CPU", "X"}

/// Returns the schema of a document. Throws bad_input that names the document if it has none of flopcast's.
std::string schema_of(const nlohmann::json& document, const std::string& name);
/// Returns "flopcast-tune" of "flopcast-tune-3".
std::string without_number(std::string_view schema);
/// Returns the machine, libraries and options of a document, wherever it has them.
Settings settings_of(const nlohmann::json& document);
/// Returns a value as part of a name or setting: "1000x500" for sizes, "nb=64 p=4" for a configuration.
std::string value_text(const nlohmann::json& value);

/// Whatever a comparison needs of a document.
struct ComparedDocument {
  std::string name, kind;
  std::vector<Quantity> quantities;
  Settings settings;
};

/// Reads a document of any comparable kind; `name` stands for it in messages. Throws bad_input as compare_results().
ComparedDocument read_compared(std::string_view text, const std::string& name);

/// Where documents of a kind have a quantity.
struct QuantitySource {
  /// Lists on the way, each with the members that name its elements: "parts[routine flags]/decisions[sizes]". "peaks{}" is an object whose
  /// members are named by themselves.
  std::string_view lists;
  std::string_view value;          ///< member with a number, numbers, or statistics of numbers: "chosen.seconds"
  std::string_view interval = {};  ///< member with the 95 % interval, or half of its width
  std::string_view label = {};     ///< tells quantities of the same element apart
  std::string_view unit = "s";
};

/// Quantities of documents of one kind.
struct DocumentKind {
  std::string_view schema;
  std::vector<QuantitySource> sources;
};
/// Returns the kinds of documents that can be compared. Rooflines and models have their quantities by functions of their own. Documents of
/// other kinds hold no times, or none that two of them could share.
const std::vector<DocumentKind>& comparable_kinds();

/// Returns the quantities of a roofline, and adds its caches and libraries to the settings.
std::vector<Quantity> roofline_quantities(const roofline::Roofline& roofline, Settings& settings);

/// Compares two documents with the limits of a request, whose files don't count.
Comparison compared(const ComparedDocument& before, const ComparedDocument& after, const CompareRequest& request);

}  // namespace flopcast
