#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"

/// The settings of `flopcast run` as environment variables, for programs that something else starts.
namespace flopcast {

struct EnvironmentRequest {
  RunRequest run;  ///< its command isn't used
  std::string links;
};
template <>
Fields FieldTable<EnvironmentRequest>::fields();

/// Environment variables with which programs run as under `flopcast run`.
struct ProgramEnvironment {
  enum class VariableAction : std::uint8_t {
    assign,   ///< the variable gets the value
    suggest,  ///< the variable gets the value unless it is set
    prepend   ///< the value and a colon are put before what the variable holds, unless it holds the value already
  };
  struct Change {
    std::string name, value;
    VariableAction action = VariableAction::assign;
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;
  std::map<std::string, std::string> variables;  ///< values that the changes give in the present environment
  std::string blas, lapack;                      ///< files that take the place of the program's libraries; empty: its own stay
  std::vector<std::string> routines;             ///< routines with tuned block sizes: "dgeqrf", "dpotrf:L"
  friend bool operator==(const ProgramEnvironment&, const ProgramEnvironment&) = default;
};

/// Returns the variables that `flopcast run` sets for any program. Links to chosen libraries are made in `request.links` and stay there,
/// since programs need them later. Programs that are bound to their libraries by a DT_RPATH or a path keep these; only `flopcast run`
/// replaces them. Throws as run_program() does. Throws bad_input if the profile is larger than Linux allows a variable to be.
ProgramEnvironment program_environment(const EnvironmentRequest& request, const RunContext& context = {});

/// Form in which changes of an environment are written.
enum class EnvironmentFormat : std::uint8_t { sh, csh, fish, lmod };
/// Returns the format of this name: "sh", "csh", "fish" or "lmod". Throws bad_input for others.
EnvironmentFormat parse_environment_format(std::string_view name);

/// Returns commands that make the changes: for eval in sh, bash, zsh and csh, for source in fish, or the lines of a module file for Lmod.
/// Commands that are executed twice change nothing more. Throws bad_input for a value with a line break in csh.
std::string to_text(const ProgramEnvironment& environment, EnvironmentFormat format);

/// Converts to and from the document {"schema": "flopcast-environment-1", ...}.
std::string to_json(const ProgramEnvironment& environment);
ProgramEnvironment program_environment_from_json(std::string_view text);

}  // namespace flopcast
