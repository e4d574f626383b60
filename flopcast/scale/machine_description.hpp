#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/units.hpp"

namespace flopcast::scale {

/// What a message costs: latency plus bytes over bandwidth.
struct Link {
  Seconds latency = 1e-6;
  double bytes_per_second = 10e9;
  friend bool operator==(const Link&, const Link&) = default;
};

/// How messages of `bytes` and more differ from what Link says; MPIs change their protocols with the size.
struct MessageClass {
  std::int64_t bytes = 0;
  double latency_factor = 1, bandwidth_factor = 1;
  friend bool operator==(const MessageClass&, const MessageClass&) = default;
};

/// A machine that programs are simulated on: equal hosts in one network. The file that describes it is documented in docs/mpi.md.
struct MachineDescription {
  static constexpr int most_hosts = 1 << 20;
  static constexpr int most_cores = 4096;

  int hosts = 0;  ///< 0: as many as the processes need
  int cores_per_host = 1;
  double core_speed = 1;       ///< of one core, relative to those that flopcast runs on
  double busy_core_speed = 1;  ///< of each core while several of a host compute, relative to one alone: they share caches, memory and power
  Link within_host, between_hosts;
  std::int64_t eager_bytes = 4096;            ///< a longer message waits for its receiver
  std::vector<MessageClass> message_classes;  ///< by growing size; those within and between hosts alike
  std::vector<std::string> disturbances;      ///< what made its measurement doubtful, in words; whoever uses it is told
  friend bool operator==(const MachineDescription&, const MachineDescription&) = default;
};

inline constexpr const char* machine_description_schema = "flopcast-machine-description-1";

nlohmann::json to_json(const MachineDescription& machine);
/// Throws bad_input that names the member and what was expected, for unknown members too; `source` is the file's name, for messages.
MachineDescription machine_description_from_json(const nlohmann::json& document, const std::string& source);

/// Time of a message of `bytes`.
Seconds message_seconds(const MachineDescription& machine, const Link& link, std::int64_t bytes);

/// Half a ping-pong of so many bytes.
struct MessageTime {
  std::int64_t bytes = 0;
  Seconds seconds = 0;
  double spread = 0;  ///< between the quartiles of what was measured, relative to `seconds`
};

/// What looks as if something had disturbed the measurement of `times`, by growing size, in words; empty if nothing does.
std::vector<std::string> disturbances(const std::vector<MessageTime>& times);

/// Latency, bandwidth and classes that give the times measured on this machine, which has `cores`; between their sizes they are taken to grow
/// linearly. `times` by growing size, at least two; throws unusable_measurement if they don't grow.
MachineDescription described_by(const std::vector<MessageTime>& times, int cores, std::int64_t eager_bytes);

}  // namespace flopcast::scale
