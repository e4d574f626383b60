#include "flopcast/tasks/mpi/smpi_run.hpp"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "flopcast/program/launch.hpp"
#include "flopcast/program/preloaded_component.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"

namespace flopcast::interpose {
namespace {

namespace fs = std::filesystem;

constexpr const char* simulator = FLOPCAST_SMPIMAIN;

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Returns the last lines of `file`, without the simulator's remarks on its own settings.
std::string last_words(const std::string& file) {
  constexpr std::size_t max_lines = 12;
  std::vector<std::string> lines;
  std::istringstream in(contents(file));
  for (std::string line; std::getline(in, line);) {
    if (line.find("xbt_cfg/INFO") == std::string::npos && !line.empty()) {
      lines.push_back("  " + line);
    }
  }
  const std::size_t first = lines.size() > max_lines ? lines.size() - max_lines : 0;
  return fmt::format("{}", fmt::join(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(), "\n"));
}

std::vector<std::string> environment_of(const SmpiSimulation& simulation, const ScratchFolder& folder) {
  SmpiOptions options;
  options.result = folder.file("result.json");
  options.times = folder.file("times.json");
  options.max_traced_calls = simulation.max_traced_calls;
  options.eager_bytes = simulation.eager_bytes;
  options.flops_per_second = simulation.flops_per_second;
  options.only_kernels = simulation.only_kernels;
  std::vector<std::string> environment = process::current_environment();
  process::set_variable(environment, smpi_options_variable, to_text(options));
  process::set_variable(environment, "SMPI_GLOBAL_SIZE", std::to_string(simulation.ranks));  // as smpirun does
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) {
    process::set_variable(environment, "OPENBLAS_NUM_THREADS", "1");  // simulated processes have one core each
  }
  return environment;
}

/// Returns the simulator's command line. A shell redirects its output, and isn't itself preloaded with the library.
std::vector<std::string> command_of(const SmpiSimulation& simulation, const ScratchFolder& folder, const PreloadedComponent& component,
                                    const fs::path& program) {
  std::vector<std::string> preloaded = process::current_environment();
  component.put_first(preloaded);
  const char* redirected = simulation.show_output ? R"(shift; exec env "$@" >&2)" : R"(out=$1; shift; exec env "$@" >"$out" 2>&1)";
  std::vector<std::string> words = {
      "/bin/sh", "-c", redirected, "sh", folder.file("output"), "LD_PRELOAD=" + process::variable(preloaded, "LD_PRELOAD")};
  words.insert(words.end(), {simulator, fs::absolute(program).string(), "--log=root.thresh:warning", "--cfg=smpi/privatization:dlopen",
                             fmt::format("--cfg=smpi/np:{}", simulation.ranks), "--cfg=smpi/hostfile:" + folder.file("hosts"),
                             "--cfg=smpi/tmpdir:" + folder.path().string()});
  words.insert(words.end(), simulation.arguments.begin(), simulation.arguments.end());
  if (simulation.only_kernels) {
    words.emplace_back("--cfg=smpi/simulate-computation:no");
  }
  words.push_back(folder.file("platform.xml"));
  words.insert(words.end(), simulation.command.begin() + 1, simulation.command.end());
  return words;
}

}  // namespace

bool is_built_for_smpi(const fs::path& file) {
  const std::string bytes = contents(file.string());
  ElfW(Ehdr) header{};
  if (bytes.size() < sizeof header || bytes.compare(0, SELFMAG, ELFMAG) != 0) {
    return false;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    const std::size_t at = header.e_phoff + i * sizeof segment;
    if (at + sizeof segment > bytes.size()) {
      return false;
    }
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type == PT_INTERP) {
      return false;
    }
  }
  return header.e_type == ET_DYN && bytes.find("libsimgrid.so") != std::string::npos;
}

void require_simulable(const std::string& program) {
  if (std::string_view(simulator).empty()) {
    throw environment_error("this flopcast was built without SimGrid. Install libsimgrid-dev (Debian's name) and build flopcast again");
  }
  if (access(simulator, X_OK) != 0) {
    throw environment_error("SimGrid's simulator {} can't be executed: {}. Install libsimgrid-dev (Debian's name)", simulator,
                            std::strerror(errno));
  }
  if (!is_built_for_smpi(find_program(program))) {
    throw bad_input(
        "{} was not built for SimGrid's SMPI. Compile and link it with smpicc, smpicxx or smpiff instead of mpicc, mpicxx or mpifort",
        program);
  }
}

nlohmann::json run_simulation(const SmpiSimulation& simulation) {
  const fs::path program = find_program(simulation.command.at(0));
  const ScratchFolder folder;  // SimGrid splits its options at blanks, which the path of this folder has none of
  const PreloadedComponent component("libflopcast-smpi.so");
  folder.write("platform.xml", simulation.platform_xml);
  folder.write("hosts", simulation.hosts);
  folder.write("times.json", simulation.times.dump());
  const int code = run_program("/bin/sh", command_of(simulation, folder, component, program), environment_of(simulation, folder), SIGKILL);
  const std::string said = simulation.show_output ? "" : ". Its last output:\n" + last_words(folder.file("output"));
  if (code != 0) {
    throw unusable_measurement("{} ended with exit code {} when simulated on {} process{}{}", program.string(), code, simulation.ranks,
                               simulation.ranks == 1 ? "" : "es", said);
  }
  std::error_code none;
  if (!fs::exists(folder.file("result.json"), none)) {
    throw unusable_measurement("{} ended on {} process{}, but not all of them reached MPI_Finalize{}", program.string(), simulation.ranks,
                               simulation.ranks == 1 ? "" : "es", said);
  }
  return nlohmann::json::parse(contents(folder.file("result.json")));
}

}  // namespace flopcast::interpose
