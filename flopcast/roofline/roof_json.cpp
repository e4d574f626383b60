#include <algorithm>
#include <cmath>

#include "flopcast/core/documents.hpp"
#include "flopcast/roofline/roof_fields.hpp"
#include "flopcast/roofline/roofline_schemas.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast {

nlohmann::ordered_json SchemaOf<roofline::Rates>::make(SchemaMaker& maker) {
  const nlohmann::ordered_json number = maker.of<double>();
  return object_schema({{"samples", described(maker.of<std::vector<double>>(), "rate of each sample")},
                        {"attained", described(number, "rate that a quarter of the samples surpass; of ceilings the best sample")},
                        {"median", described(number, "median of the samples")},
                        {"interval_95", described(maker.of<Interval>(), "95 % interval of the median")}},
                       {"attained", "median", "interval_95"});
}

namespace roofline {
namespace {

/// Throws MemberError unless `values`, clocks or rates, has at least one value and all values are finite and positive.
void require_positive(const std::vector<double>& values, const char* member) {
  if (values.empty() || !std::all_of(values.begin(), values.end(), [](double value) { return value > 0 && std::isfinite(value); })) {
    throw MemberError(member,
                      fmt::format("{} given, expected at least one, all of them finite and above 0", counted(values.size(), "value")));
  }
}

}  // namespace

void to_json(nlohmann::json& json, const Rates& rates) {
  json = {{"samples", rates.samples}};
  if (!rates.samples.empty()) {
    const Interval interval = rates.interval();
    json["attained"] = rates.attained();
    json["median"] = rates.median();
    json["interval_95"] = {interval.low, interval.high};
  }
}

void from_json(const nlohmann::json& json, Rates& rates) {
  read_member(json, "samples", rates.samples);
  require_positive(rates.samples, "samples");
}

void to_json(nlohmann::json& json, const ComputeRoof& roof) {
  write_fields(json = nlohmann::json::object(), roof);
  if (!roof.flops.samples.empty()) {
    json["flops_per_second"]["attained"] = roof.ceiling();
  }
}

void from_json(const nlohmann::json& json, ComputeRoof& roof) {
  read_fields(json, roof);
  require_positive(roof.clocks, "clocks");
}

std::string to_json(const Roofline& roofline) { return to_document(roofline, schema).dump(2); }

Roofline roofline_from_json(std::string_view text, const std::string& document) { return from_document<Roofline>(text, document, schema); }

std::vector<PublishedSchema> roofline_schemas() {
  return {published<Roofline>(schema, "Roofs of a machine: arithmetic, bandwidths, the best gemm")};
}

}  // namespace roofline
}  // namespace flopcast
