#include "flopcast/core/documents.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast {

using nlohmann::ordered_json;

ordered_json trace_schema(SchemaMaker& maker) {
  const ordered_json call = {{"type", "array"},
                             {"prefixItems", ordered_json::array({{{"type", "string"}}})},
                             {"minItems", 1},
                             {"description",
                              "routine and its arguments: flags as texts, integers and scalars as numbers, complex scalars as [re, im], "
                              "operands as \"allocation+bytes\" or null"}};
  const ordered_json allocation = object_schema({{"name", described(maker.of<std::string>(), "name that operands refer to")},
                                                 {"bytes", described(maker.of<std::int64_t>(), "size of the allocation")}});
  return object_schema({{"algorithm", described(maker.of<std::string>(), "name of the algorithm or routine")},
                        {"parameters", described(maker.of<std::map<std::string, std::int64_t>>(), "parameters of the algorithm by name")},
                        {"allocations", described(array_schema(allocation), "memory that the operands lie in")},
                        {"calls", described(array_schema(call), "calls in the order of time")},
                        {"integer_bytes", {{"enum", {4, 8}}, {"description", "bytes of the integers that the routines take; missing: 4"}}},
                        {"measured_seconds", described(maker.of<std::vector<Seconds>>(), "time of every call; missing: not timed")}},
                       {"integer_bytes", "measured_seconds"});
}

}  // namespace flopcast
