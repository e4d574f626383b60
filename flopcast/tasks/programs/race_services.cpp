#include "flopcast/tasks/programs/race_services.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/memory_file.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace flopcast {

template <>
Fields FieldTable<CommandRun>::fields() {
  return {field<&T::command>(), field<&T::elapsed>(),        field<&T::user>(),
          field<&T::system>(),  field<&T::resident_bytes>(), field<&T::exit_code>()};
}

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* runs_schema = "flopcast-race-runs-1";

/// Starts the commands of a race, one at a time.
class CommandStarter {
 public:
  explicit CommandStarter(const RaceRequest& request) : request_(request) {
    const std::string input = request.input.empty() ? "/dev/null" : request.input;
    if (::access(input.c_str(), R_OK) != 0) {
      throw bad_input("race: the standard input of the commands, '{}', can't be read", input);
    }
    input_ = input;
  }

  [[nodiscard]] std::string last_error() const {
    std::string text = errors_ ? errors_->contents() : "";
    text.resize(text.find_last_not_of(" \t\r\n") + 1);
    return text.substr(text.rfind('\n') + 1);
  }

  CommandRun start(const Words& command) {
    const Descriptor input(::open(input_.c_str(), O_RDONLY | O_CLOEXEC)), output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    errors_.reset();
    if (!request_.show_output) {
      errors_ = std::make_unique<MemoryFile>("flopcast-race");
    }
    const Descriptor errors(errors_ ? ::open(errors_->path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC) : ::dup(STDERR_FILENO));
    ChildSetup setup;
    setup.files = {
        {STDIN_FILENO, input.get()}, {STDOUT_FILENO, request_.show_output ? errors.get() : output.get()}, {STDERR_FILENO, errors.get()}};
    setup.on_parent_end = SIGKILL;
    ProcessUsage usage;
    const ExitStatus status = run_in_foreground(program::find_program(command.front()), command, environment_, setup, &usage);
    const std::int64_t bytes = usage.peak_resident_bytes > machine::peak_resident_bytes(RUSAGE_SELF) ? usage.peak_resident_bytes : 0;
    return {0, usage.elapsed, usage.user, usage.system, bytes, status.code()};
  }

 private:
  const RaceRequest& request_;
  std::string input_;
  Words environment_ = process::current_environment();
  std::unique_ptr<MemoryFile> errors_;
};

/// Runs of an interrupted race in the store.
class KeptRuns {
 public:
  KeptRuns(const Workbench& bench, const RaceRequest& request) : bench_(bench), request_(request) {}

  [[nodiscard]] std::vector<CommandRun> read() const {
    return read_artifact(bench_.store(), model::artifact::race_runs, name(),
                         [this](const json& kept) {
                           return member_or(kept, "identity", "") == identity() ? member<std::vector<CommandRun>>(kept, "runs")
                                                                                : std::vector<CommandRun>();
                         })
        .value_or(std::vector<CommandRun>());
  }

  void write(const std::vector<CommandRun>& runs) const {
    if (!runs.empty()) {
      put_artifact(bench_.store(), model::artifact::race_runs, name(), {{"schema", runs_schema}, {"identity", identity()}, {"runs", runs}});
    } else {
      delete_artifact(bench_.store(), model::artifact::race_runs, name());
    }
  }

 private:
  [[nodiscard]] std::string name() const {
    std::error_code none;
    return json({request_.commands, request_.prepare, request_.input, fs::current_path(none).string()}).dump();
  }

  /// Returns a text that changes with the programs and the files among their words.
  [[nodiscard]] std::string identity() const {
    std::string all = file_identity(request_.input);
    for (const Words& command : request_.commands) {
      all += program::command_identity(command);
    }
    return all;
  }

  const Workbench& bench_;
  const RaceRequest& request_;
};

/// Returns the median elapsed time of a program that does nothing.
std::optional<Seconds> start_up(CommandStarter& starter) {
  constexpr int runs = 5;
  if (!program_in_path("true")) {
    return std::nullopt;
  }
  std::vector<Seconds> times;
  for (int i = 0; i < runs; ++i) {
    times.push_back(starter.start({"true"}).elapsed);
  }
  return median(times);
}

}  // namespace

RaceServices this_race_services(const Workbench& bench, const RaceRequest& request) {
  for (const Words& command : request.commands) {
    static_cast<void>(program::find_program(command.front()));
  }
  const auto starter = std::make_shared<CommandStarter>(request);
  const KeptRuns kept(bench, request);
  RaceServices services;
  services.prepare = [starter, command = request.prepare] { return command.empty() ? 0 : starter->start({"sh", "-c", command}).exit_code; };
  services.run = [starter](const Words& command) { return starter->start(command); };
  services.last_error = [starter] { return starter->last_error(); };
  services.start_up = [starter] { return start_up(*starter); };
  services.clock = [watch = Stopwatch()] { return watch.elapsed(); };
  services.busy_cores = [load = machine::OtherLoad()] { return load.cores(); };
  services.kept = [kept] { return kept.read(); };
  services.keep = [kept](const std::vector<CommandRun>& runs) { kept.write(runs); };
  services.cpu = machine::detect_topology().cpu;
  return services;
}

}  // namespace flopcast
