#pragma once

#include <optional>
#include <string>

#include "flopcast/model/store.hpp"
#include "flopcast/scale/machine_description.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"

namespace flopcast {

/// The machine that a user chose. Without a choice it has hosts like this one, with the message costs that the store has.
class SimulatedMachine {
 public:
  /// Throws usage_error for choices that exclude each other, bad_input for a file that describes no machine.
  SimulatedMachine(const MpiMachineChoice& choice, const model::Store& store, const RunContext& context);

  /// Throws bad_input if the machine has too few cores for `ranks` processes.
  void require_cores(int ranks) const;
  /// Returns a simulation of `ranks` processes, without a program.
  [[nodiscard]] SmpiSimulation prepared(int ranks) const;
  [[nodiscard]] const scale::MachineDescription& description() const noexcept { return description_; }
  /// Returns the user's platform file; empty if there is none.
  [[nodiscard]] const std::string& platform_file() const noexcept { return platform_file_; }

 private:
  void describe(const MpiMachineChoice& choice, const model::Store& store, const RunContext& context);
  void read_platform(const MpiMachineChoice& choice);

  scale::MachineDescription description_;
  std::string platform_file_, platform_xml_;
  double flops_per_second_ = 0;
};

/// Returns the name under which the store has this host's description.
std::string this_machine();
/// Returns the store's description of this host, if it has one.
std::optional<scale::MachineDescription> stored_machine_description(const model::Store& store);

}  // namespace flopcast
