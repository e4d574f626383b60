#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/scale/machine_description.hpp"

/// A described machine in SimGrid's words.
namespace flopcast::scale {

/// Floating-point operations per second that a core of this machine has in the simulation. SimGrid counts work in them; kernels come in
/// seconds, so that the number itself doesn't matter.
inline constexpr double core_flops_per_second = 1e9;

/// The machine that `ranks` processes are simulated on.
struct Platform {
  std::string xml;                     ///< SimGrid's description
  std::string hosts;                   ///< one line per process: where it runs
  std::vector<std::string> arguments;  ///< settings of the simulator
};

/// Processes fill one host after the other. Throws bad_input if there are more than cores.
Platform platform_of(const MachineDescription& machine, int ranks);

/// Speed of the first host in somebody's own platform file, such as "2.5Gf" = 2.5e9; nothing if it has none. A speed with an unknown unit is
/// none.
std::optional<double> first_speed(const std::string& xml);

/// Names of the hosts that a platform file lists, clusters' too.
std::vector<std::string> host_names(const std::string& xml);

/// Settings for somebody's own platform: its network as it stands.
std::vector<std::string> foreign_arguments(double flops_per_second, std::int64_t eager_bytes);

}  // namespace flopcast::scale
