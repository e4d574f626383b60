#pragma once

/// The settings of `flopcast run` for programs that something else starts: environment variables, and a source of LAPACK's ilaenv.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/program/profile.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"

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

struct IlaenvRequest {
  std::string profile, blas;
  std::optional<int> threads;
  program::SourceLanguage language = program::SourceLanguage::fortran;
};
template <>
Fields FieldTable<IlaenvRequest>::fields();

/// The exported source with the place that its block sizes hold for.
struct IlaenvExport {
  program::IlaenvSource source;
  program::SourceLanguage language = program::SourceLanguage::fortran;
  std::string cpu, place;  ///< "openblas 0.3.21 with 1 thread, LAPACK reference 3.11.0"
  friend bool operator==(const IlaenvExport&, const IlaenvExport&) = default;
};

/// Returns a source of LAPACK's ilaenv with the tuned block sizes of a profile, for programs that are linked statically. Throws bad_input
/// if there is no profile, or it has no entry for the BLAS and the threads that the request names.
IlaenvExport export_ilaenv(const IlaenvRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-ilaenv-1", ...}.
std::string to_json(const IlaenvExport& exported);
IlaenvExport ilaenv_export_from_json(std::string_view text);

}  // namespace flopcast
