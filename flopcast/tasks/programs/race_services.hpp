#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/advice.hpp"

/// Commands are raced through these functions. Tests have services of their own.
namespace flopcast {

/// One run of a command.
struct CommandRun {
  std::size_t command = 0;  ///< number of the command; that of the control is the number of commands
  Seconds elapsed = 0, user = 0, system = 0;
  std::int64_t resident_bytes = 0;  ///< 0: less than flopcast's own
  int exit_code = 0;
  friend bool operator==(const CommandRun&, const CommandRun&) = default;
};

struct RaceServices {
  std::function<int()> prepare;  ///< runs the preparation of the request, if there is one, and returns its exit code
  std::function<CommandRun(const std::vector<std::string>& command)> run;
  std::function<std::string()> last_error;                 ///< last line that the latest run wrote to standard error
  std::function<std::optional<Seconds>()> start_up;        ///< elapsed time of a program that does nothing
  std::function<Seconds()> clock;                          ///< seconds since some moment
  std::function<std::optional<double>()> busy_cores;       ///< cores that other programs have kept busy until now
  std::function<std::vector<CommandRun>()> kept;           ///< runs of the same race, which was interrupted
  std::function<void(std::vector<CommandRun> runs)> keep;  ///< keeps runs in place of those before; none: forgets them
  std::string cpu;
};

/// Returns the services of this machine. Throws environment_error for a program that doesn't exist. All arguments must outlive the result.
RaceServices this_race_services(const Workbench& bench, const RaceRequest& request);

/// Does the same as race_commands(bench, request, context) with these services.
CommandRace race_commands(const RaceRequest& request, const RaceServices& services, const RunContext& context);

}  // namespace flopcast
