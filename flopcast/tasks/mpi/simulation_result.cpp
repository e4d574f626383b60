#include "flopcast/scale/machine_description_schema.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"

#include "flopcast/scale/machine_description_json.hpp"
#include "flopcast/tasks/mpi/simulation_fields.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

constexpr const char* simulation_schema = "flopcast-mpi-simulation-1";

json machine_of(const MpiSimulation& simulation) {
  return simulation.machine ? scale::machine_document(*simulation.machine) : json{{"platform", simulation.platform}};
}

}  // namespace

template <>
Fields FieldTable<SimulationFailure>::fields() {
  return {field<&T::ranks>("number of processes that failed"), field<&T::reason>("reason for which nothing is known of so many processes"),
          optional_field<&T::exit_code>("number of the error's kind (ExitCode)")};
}

template <>
Fields FieldTable<MpiSimulation>::fields() {
  return {field<&T::runs>("simulated runs by rising number of processes").named("simulations"),
          optional_field<&T::failures>("numbers of processes whose simulation failed")};
}

Seconds SimulatedRun::kernel_seconds() const noexcept {
  Seconds sum = 0;
  for (const SimulatedKernel& kernel : kernels) {
    sum += kernel.kind == selective::KernelKind::computation ? kernel.along.seconds : 0;
  }
  return sum;
}

Seconds SimulatedRun::unknown_seconds() const noexcept {
  Seconds sum = 0;
  for (const SimulatedKernel& kernel : kernels) {
    sum += kernel.known ? 0 : kernel.all.seconds;
  }
  return sum;
}

std::string to_json(const MpiSimulation& simulation) {
  nlohmann::ordered_json document = to_document(simulation, simulation_schema);
  document["machine"] = machine_of(simulation);
  if (simulation.failures.empty()) {
    document.erase("failures");
  }
  return document.dump(2);
}

MpiSimulation mpi_simulation_from_json(std::string_view text) {
  constexpr const char* source = "a simulation of an MPI program";
  const json document = parse_json(text, source);
  return in_document(source, [&] {
    require_schema(document, source, simulation_schema);
    MpiSimulation simulation;
    read_fields(document, simulation);
    const json machine = member<json>(document, "machine");
    simulation.platform = member_or(machine, "platform", "");
    if (simulation.platform.empty()) {
      simulation.machine = scale::machine_from_document(machine, source);
    }
    return simulation;
  });
}

PublishedSchema mpi_simulation_schema() {
  return published(simulation_schema, "Predicted times of an MPI program on another machine", [](SchemaMaker& maker) {
    nlohmann::ordered_json root = maker.object<MpiSimulation>();
    const nlohmann::ordered_json platform =
        object_schema({{"platform", described(maker.of<std::string>(), "file in SimGrid's own format")}});
    add_member(root, "machine",
               {{"anyOf", nlohmann::ordered_json::array({scale::machine_description_object(maker), platform})},
                {"description", "simulated machine, or the file of its platform"}});
    return root;
  });
}

}  // namespace flopcast
