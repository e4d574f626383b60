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
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/preloaded_component.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/mpi/simulation_fields.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using program::find_program;
using program::PreloadedComponent;
using program::run_program;

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
  protocol::SmpiOptions options = simulation.options;
  options.result = folder.file("result.json");
  options.times = folder.file("times.json");
  std::vector<std::string> environment = process::current_environment();
  process::set_variable(environment, protocol::smpi_options_variable, protocol::to_text(options));
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
  if (simulation.options.only_kernels) {
    words.emplace_back("--cfg=smpi/simulate-computation:no");
  }
  words.push_back(folder.file("platform.xml"));
  words.insert(words.end(), simulation.command.begin() + 1, simulation.command.end());
  return words;
}

nlohmann::json times_document(const std::vector<SmpiKernelTime>& times) {
  nlohmann::json list = nlohmann::json::array();
  for (const SmpiKernelTime& time : times) {
    list.push_back({{"routine", time.routine}, {"words", time.words}, {"seconds", time.seconds}});
  }
  return {{"schema", protocol::smpi_times_schema}, {"kernels", std::move(list)}};
}

SmpiResult result_from_json(const std::string& text) {
  constexpr const char* source = "the simulation's result";
  const nlohmann::json document = parse_json(text, source);
  return in_document(source, [&] {
    require_schema(document, source, protocol::smpi_result_schema);
    SmpiResult result;
    read_value(document, result.run);
    for_each_element(document, "traces", [&](const nlohmann::json& traced) {
      result.traces.push_back({trace_from_json(traced.at("trace"), kernel::find), member<std::vector<std::size_t>>(traced, "kernels")});
    });
    return result;
  });
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

std::vector<fs::path> simulated_libraries(const fs::path& program) {
  std::vector<fs::path> libraries;
  if (std::string_view(simulator).empty()) {
    return libraries;
  }
  const ScratchFolder folder;
  std::string file = fs::absolute(program).string();
  if (file.find_first_of(": ") != std::string::npos) {  // LD_PRELOAD separates its files by these characters
    file = folder.link("program", file).string();
  }
  std::vector<std::string> environment = process::current_environment();
  process::set_variable(environment, "LD_PRELOAD", file);
  for (const program::LoadedLibrary& library : program::loaded_libraries(simulator, std::move(environment))) {
    if (!library.path.empty()) {
      libraries.push_back(library.path);
    }
  }
  return libraries;
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

SmpiResult run_simulation(const SmpiSimulation& simulation) {
  const fs::path program = find_program(simulation.command.at(0));
  const ScratchFolder folder;  // SimGrid splits its options at blanks, and this folder's path has none
  const PreloadedComponent component("libflopcast-smpi.so");
  folder.write("platform.xml", simulation.platform_xml);
  folder.write("hosts", simulation.hosts);
  folder.write("times.json", times_document(simulation.times).dump());
  const int code = run_program("/bin/sh", command_of(simulation, folder, component, program), environment_of(simulation, folder), SIGKILL);
  const std::string said = simulation.show_output ? "" : ". Its last output:\n" + last_words(folder.file("output"));
  if (code != 0) {
    throw unusable_measurement("{} ended with exit code {} when simulated on {}{}", program.string(), code,
                               counted(simulation.ranks, "process"), said);
  }
  std::error_code none;
  if (!fs::exists(folder.file("result.json"), none)) {
    throw unusable_measurement("{} ended on {}, but not all of them reached MPI_Finalize{}", program.string(),
                               counted(simulation.ranks, "process"), said);
  }
  return result_from_json(contents(folder.file("result.json")));
}

}  // namespace flopcast
