#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_libraries.hpp"
#include "flopcast/program/program_recording.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/workbench/recorded_kernels.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using program::ProgramBreakdown;
using program::ProgramEvent;
using program::ProgramSummary;
using protocol::Treatment;

const char* treatment_name(Treatment treatment) {
  switch (treatment) {
    case Treatment::executed: return "executed";
    case Treatment::skipped: return "skipped";
    case Treatment::executed_blindly: return "executed blindly";
    case Treatment::skipped_blindly: return "skipped blindly";
  }
  return "";
}

std::vector<Recording::Event> events_of(const program::RecordedProgram& program) {
  std::vector<Recording::Event> events;
  const ProgramSummary& summary = program.summary();
  for (std::size_t thread = 0; thread < summary.threads.size(); ++thread) {
    program.visit(thread, [&](const ProgramEvent& event) {
      const std::string& routine = summary.names[event.name];
      events.push_back({thread, event.start, event.seconds, routine, event.described() ? to_string(event.call) : routine + "(...)",
                        treatment_name(event.treatment)});
    });
  }
  return events;
}

/// Returns `dgemm (3), dnrm2 (1)`: the routines with blind calls.
std::string blind_routines(const Recording& recording) {
  std::vector<std::string> parts;
  for (const Recording::Routine& routine : recording.routines) {
    if (routine.blind > 0) {
      parts.push_back(fmt::format("{} ({})", routine.routine, routine.blind));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void take_sums(Recording& recording, const ProgramBreakdown& breakdown, const ProgramSummary& summary) {
  recording.calls = breakdown.all().calls;
  recording.skipped = breakdown.all().skipped;
  recording.blind = breakdown.all().blind;
  recording.call_seconds = breakdown.all().seconds;
  recording.own_code_seconds = program::own_code_seconds(summary, breakdown);
  recording.first_calls = {breakdown.first_calls().calls, breakdown.first_calls().seconds};
  std::set<std::uint32_t> names;
  for (const program::ShapeSum& shape : breakdown.shapes()) {
    names.insert(shape.name);
  }
  recording.routine_names = names.size();
  for (const program::RoutineSum& routine : breakdown.routines()) {
    recording.routines.push_back({summary.names[routine.name], routine.sum.calls, routine.sum.seconds, routine.sum.skipped,
                                  routine.sum.blind, routine.described ? std::optional(routine.sum.flops) : std::nullopt});
  }
}

/// Adds a remark for every BLAS that isn't the chosen one, and for one that detected the wrong CPU.
void add_library_remarks(Recording& recording, const program::ProgramOptions& program, const RunContext& context) {
  for (const std::string& library : recording.libraries) {
    const std::string other =
        machine::has_routine(library, "dgemm") ? program::other_blas_note(program.command, library, program.libraries) : "";
    if (!other.empty()) {
      recording.remarks.push_back(other);
    }
  }
  const program::ProgramTraceFile file(recording.file);
  if (const auto kernels = recorded_kernels(program::recorded_place(file.summary()), context); kernels && kernels->misread()) {
    recording.remarks.push_back(kernels->text());
  }
}

}  // namespace

Recording read_recording(const fs::path& path, bool with_events) {
  const program::ProgramTraceFile file(path);
  const ProgramBreakdown breakdown(file);
  Recording recording;
  std::error_code none;
  recording.file = path.string();
  recording.bytes = fs::file_size(path, none);
  static_cast<program::RecordingFacts&>(recording) = file.summary();
  take_sums(recording, breakdown, file.summary());
  recording.faults = program::recording_warnings(file.summary(), recording.calls);
  if (recording.blind > 0) {
    recording.faults.push_back(
        fmt::format("{} that the program may branch on came from data that was never computed: {}; record it without --skip-kernels",
                    counted(recording.blind, "value"), blind_routines(recording)));
  }
  recording.remarks = program::recording_remarks(file.summary(), breakdown);
  if (with_events) {
    recording.events = events_of(file);
  }
  return recording;
}

Recording record_program(const RecordRequest& request, const RunContext& context) {
  context.throw_if_cancelled("nothing was recorded");
  const machine::Topology topology = machine::detect_topology();
  const program::ProgramOptions program = {request.command, program::program_libraries(request.blas, request.lapack, request.command),
                                           request.threads};
  program::RecordingOptions options{request.output, request.skip_kernels, {topology.cpu, topology.cores}, request.anonymous};
  options.probes = request.probes;
  program::record_program(program, options);
  Recording recording = read_recording(request.output);
  add_library_remarks(recording, program, context);
  return request.anonymous ? recording_from_json(anonymous_json(to_json(recording))) : recording;
}

}  // namespace flopcast
