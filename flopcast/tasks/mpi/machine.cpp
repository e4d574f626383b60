#include "flopcast/tasks/mpi/machine.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/scale/machine_description_json.hpp"
#include "flopcast/scale/platform.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

std::string this_machine() { return machine::detect_topology().cpu; }

std::optional<scale::MachineDescription> stored_machine_description(const model::Store& store) {
  return read_artifact(store, model::artifact::mpi_machine, this_machine(), [](const nlohmann::json& document) {
    return scale::machine_from_document(document, "the store's description of this machine");
  });
}

SimulatedMachine::SimulatedMachine(const MpiMachineChoice& choice, const model::Store& store, const RunContext& context)
    : flops_per_second_(scale::core_flops_per_second) {
  const int ways = (choice.machine.empty() ? 0 : 1) + (choice.platform.empty() ? 0 : 1) + (choice.latency || choice.bandwidth ? 1 : 0);
  if (ways > 1) {
    throw usage_error("--machine, --platform and --latency with --bandwidth exclude each other: each says what the network is like");
  }
  if (!choice.machine.empty()) {
    description_ = scale::read_machine_description(choice.machine);
  } else {
    describe(choice, store, context);
  }
  if (choice.cores_per_node > 0) {
    description_.cores_per_host = choice.cores_per_node;
  }
  if (!choice.platform.empty()) {
    read_platform(choice);
  } else if (!description_.disturbances.empty()) {
    context.note(
        fmt::format("flopcast: warning: something disturbed the measurement of {}: {}. Messages may cost something else. Describe an idle "
                    "machine with 'flopcast mpi describe'",
                    choice.machine.empty() ? "this machine" : choice.machine, fmt::join(description_.disturbances, "; ")));
  }
}

void SimulatedMachine::describe(const MpiMachineChoice& choice, const model::Store& store, const RunContext& context) {
  const std::optional<scale::MachineDescription> kept = stored_machine_description(store);
  if (kept) {
    description_ = *kept;
  } else {
    description_.cores_per_host = machine::detect_topology().usable_cores;
  }
  description_.hosts = 0;
  description_.between_hosts = {2e-6, 10e9};
  description_.between_hosts.latency = choice.latency.value_or(description_.between_hosts.latency);
  description_.between_hosts.bytes_per_second = choice.bandwidth.value_or(description_.between_hosts.bytes_per_second);
  if (choice.platform.empty()) {
    context.note(fmt::format("flopcast: nodes have {} like this machine's; messages within them {} + {} ({}), between them {} + {}",
                             counted(choice.cores_per_node > 0 ? choice.cores_per_node : description_.cores_per_host, "core"),
                             format_seconds(description_.within_host.latency), format_bandwidth(description_.within_host.bytes_per_second),
                             kept ? "as measured here" : "assumed; 'flopcast mpi describe' measures it",
                             format_seconds(description_.between_hosts.latency),
                             format_bandwidth(description_.between_hosts.bytes_per_second)));
  }
}

void SimulatedMachine::read_platform(const MpiMachineChoice& choice) {
  platform_file_ = choice.platform;
  platform_xml_ = read_file(choice.platform);
  const std::optional<double> speed = scale::first_speed(platform_xml_);
  if (platform_xml_.find("<platform") == std::string::npos || !speed) {
    throw bad_input("{} is no platform file of SimGrid: it must have an element <platform>, with hosts or clusters that have a speed",
                    choice.platform);
  }
  if (scale::host_names(platform_xml_).empty()) {
    throw bad_input("{} lists no hosts", choice.platform);
  }
  if (choice.cores_per_node == 0) {
    description_.cores_per_host = 1;
  }
  flops_per_second_ = *speed;
}

void SimulatedMachine::require_cores(int ranks) const {
  if (platform_xml_.empty()) {
    scale::platform_of(description_, ranks);  // says what doesn't fit
    return;
  }
  const std::size_t hosts = scale::host_names(platform_xml_).size();
  if (static_cast<std::size_t>(ranks) > hosts * static_cast<std::size_t>(description_.cores_per_host)) {
    throw bad_input("{} don't fit on the {} of {} with {} on each; --cores-per-node says how many run on one", counted(ranks, "process"),
                    counted(hosts, "host"), platform_file_, counted(description_.cores_per_host, "process"));
  }
}

SmpiSimulation SimulatedMachine::prepared(int ranks) const {
  require_cores(ranks);
  SmpiSimulation simulation;
  simulation.ranks = ranks;
  simulation.processes_per_host = std::min(ranks, description_.cores_per_host);
  simulation.options.eager_bytes = description_.eager_bytes;
  simulation.options.flops_per_second = flops_per_second_;
  if (platform_xml_.empty()) {
    scale::Platform platform = scale::platform_of(description_, ranks);
    simulation.platform_xml = std::move(platform.xml);
    simulation.hosts = std::move(platform.hosts);
    simulation.arguments = std::move(platform.arguments);
    return simulation;
  }
  const std::vector<std::string> hosts = scale::host_names(platform_xml_);
  simulation.platform_xml = platform_xml_;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    simulation.hosts += hosts[rank / static_cast<std::size_t>(description_.cores_per_host)] + '\n';
  }
  simulation.arguments = scale::foreign_arguments(flops_per_second_, description_.eager_bytes);
  return simulation;
}

}  // namespace flopcast
