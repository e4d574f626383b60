#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>

/// Limits that Linux's control groups (cgroups(7)), either version, set for a process. Containers and batch systems use them.
namespace flopcast {

/// Least limits of the process's groups and of all groups above them, as far as these are visible.
struct ControlGroupLimits {
  double cpus = 0;                  ///< CPUs' worth of time; 0: no limit
  std::filesystem::path cpu_group;  ///< folder of the group that sets this limit; its processes share it
  std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< memory that may still be taken, including that of cached files
};

/// Returns the limits of this process. `root` is the folder that contains /proc and the groups; tests give another one.
ControlGroupLimits control_group_limits(const std::filesystem::path& root = "/");

/// Returns true if processes have to wait for each other or for their group's next period. `processes` share `cores` cores, and `sharing`
/// of them share `granted` CPUs' worth of time (0: no limit).
constexpr bool is_crowded(int processes, int cores, int sharing, double granted) noexcept {
  return processes > cores || (granted > 0 && sharing > granted);
}

/// CPUs that version 2's `cpu.max` grants ("200000 100000": 2); 0 if it sets no limit or can't be read.
double parse_cpu_quota(std::string_view cpu_max);

}  // namespace flopcast
