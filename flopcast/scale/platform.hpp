#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/scale/machine_description.hpp"

/// Converts a machine description to SimGrid's platform format.
namespace flopcast::scale {

/// Floating-point operations per second of a core of this machine in the simulation. SimGrid counts work in operations; kernels come in
/// seconds, so that the number itself doesn't matter.
inline constexpr double core_flops_per_second = 1e9;

/// The machine on which `ranks` processes are simulated.
struct Platform {
  std::string xml;                     ///< SimGrid's description
  std::string hosts;                   ///< one line per process with the name of its host
  std::vector<std::string> arguments;  ///< settings of the simulator
};

/// Returns the platform, in which processes fill one host after the other. Throws bad_input if there are more processes than cores.
Platform platform_of(const MachineDescription& machine, int ranks);

/// Returns the speed of the first host in a user's platform file, such as "2.5Gf" = 2.5e9; nothing if the file has no host, or a speed with
/// an unknown unit.
std::optional<double> first_speed(const std::string& xml);

/// Returns the names of the hosts in a platform file, including those of clusters; none if the file isn't XML.
std::vector<std::string> host_names(const std::string& xml);

/// Returns the settings for a user's platform file, whose network is left unchanged.
std::vector<std::string> foreign_arguments(double flops_per_second, std::int64_t eager_bytes);

}  // namespace flopcast::scale
