#include "flopcast/roofline/roofline_schemas.hpp"

#include <map>
#include <string>
#include <vector>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/roofline/compare.hpp"
#include "flopcast/roofline/roof_fields.hpp"

namespace flopcast {

using nlohmann::ordered_json;

ordered_json SchemaOf<roofline::Rates>::make(SchemaMaker& maker) {
  const ordered_json number = maker.of<double>();
  return object_schema({{"samples", maker.of<std::vector<double>>()},
                        {"attained", described(number, "rate that a quarter of the samples surpass; of ceilings the best sample")},
                        {"median", number},
                        {"interval_95", described(maker.of<Interval>(), "interval of the median")}},
                       {"attained", "median", "interval_95"});
}

ordered_json SchemaOf<roofline::ComputeRoof>::make(SchemaMaker& maker) {
  const ordered_json text = maker.of<std::string>(), number = maker.of<double>(), whole = maker.of<int>();
  return object_schema({{"name", text},
                        {"precision", maker.of<decltype(roofline::ComputeRoof::precision)>()},
                        {"lanes", whole},
                        {"fused", maker.of<bool>()},
                        {"threads", whole},
                        {"flops_per_lane", number},
                        {"clocks", described(maker.of<std::vector<double>>(), "clock of each sample in hertz")},
                        {"flops_per_second", maker.of<roofline::Rates>()},
                        {"instructions_per_cycle", number}});
}

namespace {

ordered_json difference_schema(SchemaMaker& maker) {
  const ordered_json text = maker.of<std::string>(), number = maker.of<double>(), truth = maker.of<bool>();
  return object_schema({{"kind", text},
                        {"name", text},
                        {"threads", maker.of<int>()},
                        {"before", number},
                        {"after", number},
                        {"ratio", described(number, "after / before")},
                        {"interval", described(maker.of<Interval>(), "interval of the ratio")},
                        {"one_sample", truth},
                        {"beyond_noise", truth}},
                       {"one_sample"});
}

ordered_json comparison_object(SchemaMaker& maker) {
  const ordered_json texts = maker.of<std::vector<std::string>>(), whole = maker.of<std::size_t>();
  return object_schema({{"roofs", whole},
                        {"lower", whole},
                        {"higher", whole},
                        {"undecided", whole},
                        {"settings", maker.of<decltype(roofline::Comparison::settings)>()},
                        {"wander", maker.of<double>()},
                        {"wander_by_kind", maker.of<std::map<std::string, double>>()},
                        {"differences", array_schema(difference_schema(maker))},
                        {"only_before", texts},
                        {"only_after", texts}});
}

}  // namespace

namespace roofline {

std::vector<PublishedSchema> roofline_schemas() {
  return {published<Roofline>(schema, "Roofs of a machine: arithmetic, bandwidths, the best gemm"),
          published(comparison_schema, "Comparison of two rooflines", comparison_object)};
}

}  // namespace roofline
}  // namespace flopcast
