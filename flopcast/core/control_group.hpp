#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>

/// What Linux's control groups (cgroups(7)), either version, leave a process: containers and batch systems set limits with them.
namespace flopcast {

/// Least of the limits of the groups that the process is in and of all above them, as far as they are to be seen.
struct ControlGroupLimits {
  double cpus = 0;                  ///< CPUs' worth of time; 0: no limit
  std::filesystem::path cpu_group;  ///< folder of the group that sets this limit; its processes share it
  std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< that may still be taken, what caches of files hold included
};

/// Of this process. `root` is where /proc and the groups are looked for: another folder in tests.
ControlGroupLimits control_group_limits(const std::filesystem::path& root = "/");

/// Whether `processes` that share `cores` cores, and of which `sharing` share `granted` CPUs' worth of time (0: no limit), have to wait for
/// each other or for their group's next period.
constexpr bool is_crowded(int processes, int cores, int sharing, double granted) noexcept {
  return processes > cores || (granted > 0 && sharing > granted);
}

/// CPUs that version 2's `cpu.max` grants ("200000 100000": 2); 0 if it sets no limit or can't be read.
double parse_cpu_quota(std::string_view cpu_max);

}  // namespace flopcast
