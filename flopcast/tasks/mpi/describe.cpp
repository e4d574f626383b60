#include "flopcast/tasks/mpi/describe.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <vector>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/scale/machine_description_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/memory_file.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/tasks/mpi/machine.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

namespace flopcast {
namespace {

/// Results of flopcast-ping-pong.
struct PingPong {
  std::vector<std::array<double, 3>> times;  ///< bytes, seconds, spread
  std::int64_t eager_bytes = 0;
  double busy_core_speed = 1, busy_core_spread = 0;
};

/// Starts two processes of `program` and returns the text that they print.
std::string measured(const std::string& launcher, const std::string& program, const RunContext& context) {
  const MemoryFile output("flopcast-messages");
  // The launcher's options are part of one word.
  const std::vector<std::string> words = {"/bin/sh", "-c", "exec " + launcher + " -n 2 \"$0\" >\"$1\"", program, output.path()};
  std::vector<std::string> environment = process::current_environment();
  process::set_threads(environment, 1);                                           // each process computes on one core
  const int code = program::run_program("/bin/sh", words, environment, SIGTERM);  // mpirun then ends its processes
  context.throw_if_cancelled("nothing was kept");
  if (code != 0) {
    throw environment_error("'{} -n 2 {}' ended with exit code {}", launcher, program, code);
  }
  return output.contents();
}

/// Returns texts on the signs that something disturbed the measurement.
std::vector<std::string> all_disturbances(const std::vector<scale::MessageTime>& times, double busy_core_spread, double cores_of_others) {
  constexpr double max_spread = 0.25;
  constexpr double max_cores = 0.1;
  std::vector<std::string> all = scale::disturbances(times);
  if (busy_core_spread > max_spread) {
    all.push_back(fmt::format("speeds of busy cores lie {:.0f} % apart", 100 * busy_core_spread));
  }
  if (cores_of_others >= max_cores) {
    all.push_back(fmt::format("other programs kept {:.1f} cores busy", cores_of_others));
  }
  return all;
}

bool has_undisturbed(const model::Store& store) {
  const std::optional<scale::MachineDescription> kept = stored_machine_description(store);
  return kept && kept->disturbances.empty();
}

}  // namespace

template <>
Fields FieldTable<PingPong>::fields() {
  return {field<&T::times>(), field<&T::eager_bytes>(), field<&T::busy_core_speed>(), field<&T::busy_core_spread>()};
}

scale::MachineDescription description_of_ping_pong(const std::string& result, int cores, double cores_of_others) {
  constexpr const char* source = "the result of flopcast-ping-pong";
  PingPong measured;
  in_document(source, [&] { read_fields(parse_json(result, source), measured); });
  std::vector<scale::MessageTime> times;
  for (const auto& [bytes, seconds, spread] : measured.times) {
    times.push_back({static_cast<std::int64_t>(bytes), seconds, spread});
  }
  scale::MachineDescription machine = scale::described_by(times, cores, measured.eager_bytes);
  machine.busy_core_speed = measured.busy_core_speed;
  machine.disturbances = all_disturbances(times, measured.busy_core_spread, cores_of_others);
  return machine;
}

void keep_description(const scale::MachineDescription& machine, model::Store& store, const RunContext& context) {
  const bool kept = machine.disturbances.empty() || !has_undisturbed(store);
  if (kept) {
    put_artifact(store, model::artifact::mpi_machine, this_machine(), scale::machine_document(machine));
  }
  if (!machine.disturbances.empty()) {
    context.note(fmt::format(
        "flopcast: warning: something disturbed the measurement: {}. {}. Describe an idle machine, or correct the file that is printed and "
        "give it to --machine",
        fmt::join(machine.disturbances, "; "),
        kept ? "It is kept, and 'flopcast mpi simulate' says so at each use" : "The earlier, undisturbed description is kept"));
  }
}

scale::MachineDescription describe_mpi_machine(const Workbench& bench, const MpiDescribeRequest& request, const RunContext& context) {
  const std::string mpi = to_string(request.mpi);
  const std::string program = program::find_component("flopcast-ping-pong-" + mpi).string();
  const machine::OtherLoad load;
  const std::string result = measured(request.launcher.empty() ? "mpirun." + mpi : request.launcher, program, context);
  const double others = load.cores(machine::OtherLoad::launcher_share).value_or(0);
  scale::MachineDescription machine = description_of_ping_pong(result, machine::detect_topology().usable_cores, others);
  model::Store& store = bench.store();
  keep_description(machine, store, context);
  return machine;
}

}  // namespace flopcast
