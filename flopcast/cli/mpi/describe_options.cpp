#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/tasks/mpi/machine.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* footer =
    R"(Messages are sent back and forth between two processes. What they take is kept in the store as the default machine of
'flopcast mpi simulate', and printed: a file to change and to give to --machine. A disturbed measurement says so
("disturbances") wherever it is used, and doesn't replace an undisturbed one in the store.

Examples:
  flopcast mpi describe
  flopcast mpi describe --mpi mpich --output node.json)";

struct DescribeOptions {
  std::string mpi = "openmpi";
  std::string launcher;  ///< empty: that MPI's mpirun
};

/// A file that goes away with this object.
class ScratchFile {
 public:
  ScratchFile() : path_((fs::temp_directory_path() / "flopcast-messages-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) {
      throw environment_error("can't make a file {}: {}", path_, std::strerror(errno));
    }
    close(file);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Starts two processes of `program` and gives back what they print.
json measured(const std::string& launcher, const std::string& program) {
  const ScratchFile output;
  // Users give the launcher with its options in one word.
  const std::vector<std::string> words = {"/bin/sh", "-c", "exec " + launcher + " -n 2 \"$0\" >\"$1\"", program, output.path()};
  std::vector<std::string> environment = process::current_environment();
  process::set_threads(environment, 1);                                             // each process computes on one core
  const int code = interpose::run_program("/bin/sh", words, environment, SIGTERM);  // mpirun then ends its processes
  throw_if_interrupted("nothing was kept");
  if (code != 0) {
    throw environment_error("'{} -n 2 {}' ended with exit code {}", launcher, program, code);
  }
  return read_json(output.path());
}

/// What there is to doubt in what was measured, in words.
std::vector<std::string> all_disturbances(const std::vector<scale::MessageTime>& times, double busy_core_spread, double others) {
  constexpr double much = 0.25;
  constexpr double noticeable = 0.1;
  std::vector<std::string> all = scale::disturbances(times);
  if (busy_core_spread > much) {
    all.push_back(fmt::format("speeds of busy cores lie {:.0f} % apart", 100 * busy_core_spread));
  }
  if (others >= noticeable) {
    all.push_back(fmt::format("other programs kept {:.1f} cores busy", others));
  }
  return all;
}

/// Whether the store has a description of this machine that nothing disturbed.
bool has_undisturbed(const model::Store& store) {
  const auto read = [](const json& kept) {
    return scale::machine_description_from_json(kept, "the store's description of this machine").disturbances.empty();
  };
  return store.read_artifact(model::artifact::mpi_machine, this_machine(), read).value_or(false);
}

/// A disturbed description is kept only where there is no better one: it may be the best that can be had, and whoever uses it is told.
void keep(const scale::MachineDescription& machine, model::Store& store, const CommonOptions& common) {
  const bool kept = machine.disturbances.empty() || !has_undisturbed(store);
  if (kept) {
    store.put_artifact(model::artifact::mpi_machine, this_machine(), scale::to_json(machine));
  }
  if (!machine.disturbances.empty()) {
    note(
        fmt::format("flopcast: warning: something disturbed the measurement: {}. {}. Describe an idle machine, or correct the file that is "
                    "printed and give it to --machine",
                    fmt::join(machine.disturbances, "; "),
                    kept ? "It is kept, and 'flopcast mpi simulate' says so at each use" : "The earlier, undisturbed description is kept"),
        common);
  }
}

void describe(const DescribeOptions& options, const CommonOptions& common) {
  if (options.mpi != "openmpi" && options.mpi != "mpich") {
    throw usage_error("--mpi must be openmpi or mpich, not '{}'", options.mpi);
  }
  const std::string program = interpose::find_component("flopcast-ping-pong-" + options.mpi).string();
  const std::string launcher = options.launcher.empty() ? "mpirun." + options.mpi : options.launcher;
  const machine::OtherLoad load;
  const json document = measured(launcher, program);
  const double others = load.cores().value_or(0);
  std::vector<scale::MessageTime> times;
  for (const json& time : document.at("times")) {
    times.push_back({time.at(0).get<std::int64_t>(), time.at(1).get<double>(), time.at(2).get<double>()});
  }
  scale::MachineDescription machine =
      scale::described_by(times, machine::detect_topology().usable_cores, document.at("eager_bytes").get<std::int64_t>());
  machine.busy_core_speed = document.at("busy_core_speed").get<double>();
  machine.disturbances = all_disturbances(times, document.at("busy_core_spread").get<double>(), others);
  model::Store store = open_store(run_context(common));
  emit(scale::to_json(machine), common);
  keep(machine, store, common);
}

}  // namespace

void add_mpi_describe_command(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<DescribeOptions>();
  OptionSet command = mpi.add_command("describe", "Measure what messages cost on this machine and describe it for 'simulate'");
  command.option("--mpi", options->mpi, "openmpi or mpich (default: openmpi)");
  command.option("--launcher", options->launcher, "What starts MPI programs, with its options (default: mpirun.openmpi or mpirun.mpich)");
  command.footer(footer);
  command.action([options, &common] { describe(*options, common); });
}

}  // namespace flopcast::cli
