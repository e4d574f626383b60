#include <algorithm>
#include <cmath>

#include "flopcast/core/environment_json.hpp"
#include "flopcast/roofline/roof_fields.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast::roofline {
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
  json = {{"name", roof.name},     {"precision", roof.precision},    {"lanes", roof.lanes},
          {"fused", roof.fused},   {"threads", roof.threads},        {"flops_per_lane", roof.flops_per_lane},
          {"clocks", roof.clocks}, {"flops_per_second", roof.flops}, {"instructions_per_cycle", roof.instructions_per_cycle}};
  if (!roof.flops.samples.empty()) {
    json["flops_per_second"]["attained"] = roof.ceiling();
  }
}

void from_json(const nlohmann::json& json, ComputeRoof& roof) {
  read_member(json, "name", roof.name);
  read_member(json, "precision", roof.precision);
  read_member(json, "lanes", roof.lanes);
  read_member(json, "fused", roof.fused);
  read_member(json, "threads", roof.threads);
  read_member(json, "flops_per_lane", roof.flops_per_lane);
  read_member(json, "clocks", roof.clocks);
  require_positive(roof.clocks, "clocks");
  read_member(json, "flops_per_second", roof.flops);
  read_member(json, "instructions_per_cycle", roof.instructions_per_cycle);
}

std::string to_json(const Roofline& roofline) { return to_document(roofline, schema).dump(2); }

Roofline roofline_from_json(std::string_view text, const std::string& document) {
  return from_document<Roofline>(text, document, {schema});
}

}  // namespace flopcast::roofline
