#include "flopcast/core/core_schemas.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast {

using nlohmann::ordered_json;

ordered_json SchemaOf<ModelKey>::make(SchemaMaker& maker) {
  const ordered_json text = maker.of<std::string>();
  return object_schema({{"routine", text},
                        {"flags", described(text, "values of the flag arguments, such as \"LNNU\"")},
                        {"scalars", described(text, "classes of the scalar arguments: 0, 1, - for -1, x for other values")},
                        {"strides", described(text, "classes of the leading dimensions and increments")},
                        {"cache", described(text, "state of the caches, such as \"placed\" or \"warm\"")},
                        {"threads", maker.of<int>()},
                        {"library", described(text, "fingerprint of the environment")},
                        {"zeros", described(text, "sizes that are 0")}},
                       {"zeros"});
}

ordered_json SchemaOf<Sample>::make(SchemaMaker& maker) {
  const ordered_json number = maker.of<double>(), whole = maker.of<std::int64_t>(), truth = maker.of<bool>();
  const ordered_json state = object_schema({{"distance_bytes", whole}, {"level", whole}, {"dirty", truth}});
  const ordered_json repetition = object_schema({{"seconds", number}, {"drift", number}, {"at", number}, {"discarded", truth}});
  return object_schema({{"key", maker.of<ModelKey>()},
                        {"sizes", array_schema(whole)},
                        {"strides", array_schema(whole)},
                        {"placement", array_schema(state)},
                        {"batch", described(whole, "calls that are timed together")},
                        {"repetitions", array_schema(repetition)},
                        {"warnings", maker.of<std::vector<std::string>>()},
                        {"reference_seconds", number},
                        {"session", number},
                        {"unrest", number},
                        {"spread", number}},
                       {"unrest", "spread"});
}

ordered_json trace_schema(SchemaMaker& maker) {
  const ordered_json call = {{"type", "array"},
                             {"prefixItems", ordered_json::array({{{"type", "string"}}})},
                             {"minItems", 1},
                             {"description",
                              "routine and its arguments: flags as texts, integers and scalars as numbers, complex scalars as [re, im], "
                              "operands as \"allocation+bytes\" or null"}};
  return object_schema(
      {{"algorithm", maker.of<std::string>()},
       {"parameters", maker.of<std::map<std::string, std::int64_t>>()},
       {"allocations", array_schema(object_schema({{"name", maker.of<std::string>()}, {"bytes", maker.of<std::int64_t>()}}))},
       {"calls", array_schema(call)},
       {"integer_bytes", {{"enum", {4, 8}}}},
       {"measured_seconds", maker.of<std::vector<Seconds>>()}},
      {"integer_bytes", "measured_seconds"});
}

}  // namespace flopcast
