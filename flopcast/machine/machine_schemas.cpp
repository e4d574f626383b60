#include "flopcast/machine/machine_schemas.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/environment_json.hpp"

namespace flopcast {

using nlohmann::ordered_json;

ordered_json SchemaOf<machine::MachineMeasurement>::make(SchemaMaker& maker) {
  const ordered_json number = maker.of<double>(), whole = maker.of<std::int64_t>(), text = maker.of<std::string>();
  const auto curve = [&maker](const char* description) { return described(maker.of<std::vector<std::array<double, 2>>>(), description); };
  const ordered_json pattern = object_schema({{"stream_bytes", whole}, {"parallel_chase_bytes", whole}, {"serial_chase_bytes", whole}});
  const ordered_json share =
      object_schema({{"threads", whole},
                     {"cache", described(number, "share of one thread's bandwidth that each thread keeps, 0 to 1")},
                     {"memory", described(number, "share of one thread's bandwidth that each thread keeps, 0 to 1")}});
  return object_schema({{"schema", {{"const", "flopcast-measured-machine-1"}}},
                        {"cpu", text},
                        {"quick", maker.of<bool>()},
                        {"busy_cores", described(number, "cores that other programs kept busy")},
                        {"huge_pages", maker.of<bool>()},
                        {"triad", curve("working set in bytes, bytes per second")},
                        {"chase", curve("working set in bytes, seconds per access")},
                        {"parallel_chase", curve("working set in bytes, seconds per access")},
                        {"levels", maker.of<std::vector<CacheLevel>>()},
                        {"patterns", array_schema(pattern)},
                        {"memory_bandwidth", described(number, "bytes per second")},
                        {"memory_latency_seconds", number},
                        {"peaks", maker.of<decltype(machine::MachineMeasurement::peaks)>()},
                        {"peak_moments", maker.of<decltype(machine::MachineMeasurement::peak_moments)>()},
                        {"dgemm_rates", maker.of<decltype(machine::MachineMeasurement::dgemm_rates)>()},
                        {"bandwidth_shares", array_schema(share)}},
                       {"parallel_chase", "patterns", "peak_moments", "dgemm_rates", "busy_cores", "bandwidth_shares"});
}

}  // namespace flopcast
