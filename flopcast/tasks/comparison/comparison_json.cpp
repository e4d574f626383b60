#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"
#include "flopcast/tasks/comparison/comparison_schemas.hpp"

namespace flopcast {
namespace {

constexpr const char* comparison_schema = "flopcast-comparison-1";
constexpr const char* baseline_schema = "flopcast-baseline-1";

}  // namespace

template <>
Fields FieldTable<CompareRequest>::fields() {
  return {field<&T::before>("file of the first result, or name of a baseline").within(bounds::path).option(""),
          field<&T::after>("file of the second result").within(bounds::path).option(""),
          optional_field<&T::baseline>("the first result is the baseline of this name").option(""),
          optional_field<&T::fail_above>("mark a quantity that is certainly slower by more than this fraction")
              .within(bounds::between(0, 1000))
              .option("fail_above", "end with exit code 1 if anything is certainly slower by more than this, such as 5%"),
          optional_field<&T::tolerance>("difference up to which two are the same: of quantities").within(bounds::fraction),
          optional_field<&T::noise>("difference up to which values without an interval decide nothing").within(bounds::between(0, 1000))};
}

template <>
Fields FieldTable<SaveBaselineRequest>::fields() {
  return {field<&T::name>("name of the baseline: letters, digits, '.', '_' and '-'").within({.min_length = 1, .max_length = 100}),
          field<&T::file>("file of the result").within(bounds::path)};
}

template <>
Fields FieldTable<ComparedQuantity>::fields() {
  return {field<&T::what>("name of the time or rate"),
          optional_field<&T::labels>("parts of that name by what they are: routine, flags, n, quantity and so on"),
          field<&T::unit>("unit of the values: s, flop/s, B/s or Hz"),
          field<&T::before>("value of the first document; times are good if small, rates if large"),
          field<&T::after>("value of the second document"),
          field<&T::before_interval>("95 % interval of the first value; missing if its document has none"),
          field<&T::after_interval>("95 % interval of the second value; missing if its document has none"),
          field<&T::ratio>("second value over the first").measured_in("", Best::neither),
          field<&T::ratio_interval>(
              "interval of the ratio; those of all quantities hold with 95 % confidence together; missing without both values' intervals"),
          field<&T::verdict>("faster, slower or same as in the first document, or unsure"),
          optional_field<&T::above_limit>("certainly slower than fail_above allows")};
}

template <>
Fields FieldTable<Comparison>::fields() {
  return {field<&T::kind>("schema of both documents"),
          field<&T::before>("file of the first document, or its baseline"),
          field<&T::after>("file of the second document"),
          field<&T::settings>("settings in which the documents differ, such as CPU, libraries and options"),
          field<&T::quantities>("times and rates that both documents have"),
          field<&T::only_before>("times and rates that only the first document has"),
          field<&T::only_after>("times and rates that only the second document has"),
          field<&T::fail_above>("largest allowed loss, as a fraction"),
          field<&T::tolerance>("difference up to which quantities are the same, as a fraction"),
          field<&T::noise>("difference up to which values without an interval decide nothing, as a fraction"),
          field<&T::fails>("a quantity is certainly slower than fail_above allows")};
}

template <>
Fields FieldTable<Baseline>::fields() {
  return {field<&T::name>("name of the baseline"), field<&T::kind>("schema of the document"), field<&T::file>("file that keeps it")};
}

std::string to_json(const Comparison& comparison) { return to_document(comparison, comparison_schema).dump(2); }
Comparison comparison_from_json(std::string_view text) { return from_document<Comparison>(text, "the comparison", comparison_schema); }

std::string to_json(const Baseline& baseline) { return to_document(baseline, baseline_schema).dump(2); }
Baseline baseline_from_json(std::string_view text) { return from_document<Baseline>(text, "the baseline", baseline_schema); }

std::vector<PublishedSchema> comparison_schemas() {
  return {published<Comparison>(comparison_schema, "Times and rates of two results of one kind"),
          published<Baseline>(baseline_schema, "Result that is kept under a name")};
}

}  // namespace flopcast
