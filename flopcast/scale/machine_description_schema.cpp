#include "flopcast/scale/machine_description_schema.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/scale/machine_description.hpp"

namespace flopcast::scale {
namespace {

using nlohmann::ordered_json;

ordered_json at_least(std::int64_t least) { return {{"type", "integer"}, {"minimum", least}}; }
ordered_json positive() { return {{"type", "number"}, {"exclusiveMinimum", 0}}; }
/// A description is written by hand, and members that flopcast doesn't know are errors.
ordered_json closed(ordered_json object) {
  object["additionalProperties"] = false;
  return object;
}

}  // namespace

ordered_json machine_description_object(SchemaMaker& maker) {
  const ordered_json link = closed(object_schema({{"latency_seconds", described(positive(), "time of an empty message")},
                                                  {"bytes_per_second", described(positive(), "bandwidth of long messages")}},
                                                 {"latency_seconds", "bytes_per_second"}));
  const ordered_json message =
      closed(object_schema({{"bytes", described(at_least(0), "messages of so many bytes and more, up to the next entry")},
                            {"latency_factor", described(positive(), "latency of these messages over that of an empty one")},
                            {"bandwidth_factor", described(positive(), "bandwidth of these messages over that of long ones")}},
                           {"bytes", "latency_factor", "bandwidth_factor"}));
  return closed(
      object_schema({{"schema", {{"const", machine_description_schema}}},
                     {"hosts", described(at_least(1), "number of nodes")},
                     {"cores_per_host", described(at_least(1), "cores of each node")},
                     {"core_speed", described(positive(), "speed of a core as a multiple of this machine's")},
                     {"busy_core_speed", described(positive(), "speed of a core while all others are busy, as a multiple")},
                     {"within_host", described(link, "messages between processes of a node")},
                     {"between_hosts", described(link, "messages between processes of two nodes")},
                     {"eager_bytes", described(at_least(0), "shorter messages are sent before the receiver asks for them")},
                     {"message_classes", described(array_schema(message), "classes of messages by rising size")},
                     {"disturbances", described(maker.of<std::vector<std::string>>(), "what disturbed the measurement; empty: nothing")}},
                    {"schema", "hosts", "cores_per_host", "core_speed", "busy_core_speed", "within_host", "between_hosts", "eager_bytes",
                     "message_classes", "disturbances"}));
}

PublishedSchema machine_description_schema_document() {
  return published(machine_description_schema, "Machine that MPI programs are simulated on", machine_description_object);
}

}  // namespace flopcast::scale
