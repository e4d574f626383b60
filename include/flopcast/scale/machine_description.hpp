#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast::scale {

/// Cost of a message: latency plus bytes over bandwidth.
struct Link {
  Seconds latency = 1e-6;
  double bytes_per_second = 10e9;
  friend bool operator==(const Link&, const Link&) = default;
};

/// Factors on latency and bandwidth for messages of `bytes` and more; MPI libraries change their protocols with the size.
struct MessageClass {
  std::int64_t bytes = 0;
  double latency_factor = 1, bandwidth_factor = 1;
  friend bool operator==(const MessageClass&, const MessageClass&) = default;
};

/// A machine for simulating programs: equal hosts in one network. docs/reference/files.md documents its file.
struct MachineDescription {
  static constexpr int max_hosts = 1 << 20;
  static constexpr int max_cores = 4096;

  int hosts = 0;  ///< 0: the number that the processes need
  int cores_per_host = 1;
  double core_speed = 1;  ///< speed of one core, relative to the cores that flopcast runs on
  /// Speed of each core while several cores of a host compute, relative to one alone; cores share caches, memory and power.
  double busy_core_speed = 1;
  Link within_host, between_hosts;
  std::int64_t eager_bytes = 4096;            ///< a longer message waits for its receiver
  std::vector<MessageClass> message_classes;  ///< ordered by growing size; the same within and between hosts
  std::vector<std::string> disturbances;      ///< signs of a disturbed measurement, as texts for the user
  friend bool operator==(const MachineDescription&, const MachineDescription&) = default;
};

inline constexpr const char* machine_description_schema = "flopcast-machine-description-1";

/// Returns the document.
[[nodiscard]] std::string to_json(const MachineDescription& machine);
/// Inverse of to_json(). Throws bad_input that names the member and the expected value, for unknown members too; `source` is the file's
/// name, for messages.
[[nodiscard]] MachineDescription machine_description_from_json(std::string_view text, const std::string& source);
/// Reads a description from a file. Throws bad_input as machine_description_from_json() does.
[[nodiscard]] MachineDescription read_machine_description(const std::string& file);

/// Time of half a ping-pong of `bytes`.
struct MessageTime {
  std::int64_t bytes = 0;
  Seconds seconds = 0;
  double spread = 0;  ///< distance between the quartiles of the measurements, relative to `seconds`
};

/// Returns texts about signs of a disturbed measurement of `times`, which are sorted by size; empty if there is none.
std::vector<std::string> disturbances(const std::vector<MessageTime>& times);

/// Returns a description with latency, bandwidth and classes that reproduce the times measured on this machine, which has `cores`. Between
/// the measured sizes, times are assumed to grow linearly. `times` are at least two, sorted by size; throws unusable_measurement if they
/// don't grow.
MachineDescription described_by(const std::vector<MessageTime>& times, int cores, std::int64_t eager_bytes);

}  // namespace flopcast::scale
