#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/model/store.hpp"
#include "flopcast/scale/machine_description.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"

namespace flopcast {

/// Options by which a user says which machine a program is simulated on.
struct MachineChoice {
  std::string machine;     ///< file with a description
  std::string platform;    ///< file in SimGrid's own words
  std::string latency;     ///< between hosts, seconds
  std::string bandwidth;   ///< between hosts, GB/s
  int cores_per_node = 0;  ///< 0: not given
};

/// The machine that was chosen. Without a choice it has hosts like this one, as `flopcast mpi describe` has measured it.
class SimulatedMachine {
 public:
  /// Throws usage_error for options that exclude each other, bad_input for a file that describes no machine.
  SimulatedMachine(const MachineChoice& choice, const model::Store& store, const RunContext& context);

  /// Throws bad_input if it has too few cores for so many processes.
  void require_cores(int ranks) const;
  /// A simulation of `ranks` processes on it, without a program.
  [[nodiscard]] interpose::SmpiSimulation prepared(int ranks) const;
  /// For the output: the description, or the name of the platform's file.
  [[nodiscard]] nlohmann::json document() const;

 private:
  void describe(const MachineChoice& choice, const model::Store& store, const RunContext& context);
  void read_platform(const MachineChoice& choice);

  scale::MachineDescription description_;
  std::string platform_file_, platform_xml_;  ///< empty unless it is somebody's own
  double flops_per_second_ = 0;
};

/// Of this host: its name among descriptions.
std::string this_machine();

}  // namespace flopcast
