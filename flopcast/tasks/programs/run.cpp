#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/program_run.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/protocol/run_report.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/run_services.hpp"
#include "flopcast/tasks/programs/run_tuning.hpp"

namespace flopcast {
namespace {

using program::ProgramRun;
using program::routine_label;
using program::RoutineUse;

std::string times(std::uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

/// Returns what programs lose whose workspace is too short for the block size; empty where that never happened.
std::string workspace_remark(const RoutineUse& use) {
  if (use.short_workspaces == 0) {
    return "";
  }
  const std::string when = use.short_workspaces == use.queries ? "" : fmt::format(" {}", times(use.short_workspaces));
  if (use.allowed > 0) {
    return fmt::format(
        ", {} returned, but the program's workspace allows{} {} only; a program that queries the size of its workspace (lwork = -1) "
        "gets what {} needs",
        use.returned, when, use.allowed, use.returned);
  }
  return fmt::format(
      ", {} returned, but the program's workspace was{} too short for that, and LAPACK took a smaller one; a program that queries the "
      "size of its workspace (lwork = -1) gets what {} needs",
      use.returned, when, use.returned);
}

/// Returns what ended the program before its end: "signal 11 (Segmentation fault)"; empty if nothing did.
std::string crash(const ProgramRun& run) { return run.concluded < run.processes ? signal_behind(run.exit_code) : std::string(); }

/// Returns why a tuned routine's block size was not queried.
std::string why_unused(const RoutineUse& use, const ProgramRun& run, const RunServices& services) {
  if (use.other_queries > 0) {
    return fmt::format("not queried: the program queried {} with '{}', for which the tuning file has nothing{}", times(use.other_queries),
                       use.other_options, use.flags.empty() ? "" : fmt::format(", as it was tuned with '{}'", use.flags));
  }
  if (const std::string signal = crash(run); !signal.empty()) {
    return fmt::format("not queried before {} ended the program", signal);
  }
  if (use.lapack.empty() && run.processes > 0 && run.concluded == 0) {
    return "not queried: the program ended in another way than by exit(), so its libraries aren't known";
  }
  if (use.lapack.empty()) {
    return run.processes == 0 ? "not queried: the preloaded library was not loaded"
                              : "not queried: no shared library with it was seen in the program";
  }
  const std::optional<bool> queries = services.would_query(use, run.blas);
  if (!queries) {
    return "not queried";
  }
  return *queries ? "not queried: the program didn't call it" + (use.flags.empty() ? "" : fmt::format(" with '{}'", use.flags))
                  : fmt::format("never queried: this LAPACK decides by itself, so the tuning file has no effect on it; --lapack {} has",
                                services.integer_bytes(use.lapack) == 8 ? "reference64" : "reference");
}

/// Returns what happened with a tuned routine, as a clause.
std::string describe(const RoutineUse& use, const ProgramRun& run, const RunServices& services) {
  if (use.queries == 0) {
    return why_unused(use, run, services);
  }
  const std::string orders =
      use.smallest == use.largest ? fmt::format("order {}", use.largest) : fmt::format("orders {} to {}", use.smallest, use.largest);
  return fmt::format("queried {} for {}{}", times(use.queries), orders, workspace_remark(use));
}

/// Notes which tuned routines were not queried if they are few. A program uses few routines of a tuning file of all LAPACK anyway.
void note_unused(const ProgramRun& run, const RunServices& services, const RunContext& context) {
  static constexpr std::size_t few = 4;
  for (const RoutineUse& use : run.routines) {
    if (use.short_workspaces > 0) {
      context.note(fmt::format("{}: queried {}{}", routine_label(use.routine, use.flags), times(use.queries), workspace_remark(use)));
    }
  }
  const auto unused = [](const RoutineUse& use) { return use.queries == 0; };
  const auto count = static_cast<std::size_t>(std::count_if(run.routines.begin(), run.routines.end(), unused));
  if (count > few) {
    context.note(fmt::format("{} of {} tuned routines were queried; --report says more", run.routines.size() - count, run.routines.size()));
    return;
  }
  for (const RoutineUse& use : run.routines) {
    if (use.queries == 0) {
      context.note(fmt::format("{}: {}{}", routine_label(use.routine, use.flags), describe(use, run, services),
                               use.lapack.empty() ? "" : " (" + use.lapack + ")"));
    }
  }
}

/// Notes that the program ran with a BLAS that was not chosen, or that the tuning file was not made with.
void note_libraries(const ProgramRun& run, const LibraryIdentity& tuned, const program::ProgramOptions& program,
                    const RunServices& services, const RunContext& context) {
  if (run.blas.empty()) {
    return;
  }
  const program::LibraryFiles& chosen = program.libraries;
  if (const std::string other = services.other_blas(program, run.blas); !other.empty()) {
    context.note(other);
  } else if (const int bytes = services.integer_bytes(run.blas).value_or(4); !tuned.path.empty() && bytes != tuned.integer_bytes) {
    context.note(fmt::format(
        "the tuning file was tuned with {}, whose integers have {} bits; the program ran with {}, whose integers have {}. Tune with "
        "--blas {}",
        tuned.path, 8 * tuned.integer_bytes, run.blas.string(), 8 * bytes, run.blas.string()));
  } else if (chosen.blas.empty() && !tuned.path.empty() && !in_same_folder(run.blas, tuned.path)) {
    context.note(fmt::format("the tuning file was tuned with {}, the program ran with {}; --blas {} chooses the library of the tuning file",
                             tuned.path, run.blas.string(), tuned.path));
  }
}

/// Returns the command that tunes a routine, whose flags are ilaenv's options, for the orders that the program had; empty if there is none.
std::string tuning_command(const RoutineUse& use, const RunRequest& request) {
  const Routine* routine = kernel::find(use.routine);
  std::string flags;
  std::size_t letter = 0;
  for (const Argument& argument : routine != nullptr ? routine->arguments : std::vector<Argument>()) {
    if (argument.kind == Kind::flag && letter < use.flags.size()) {
      flags += fmt::format(" {}={}", argument.name, use.flags[letter++]);
    }
  }
  return routine == nullptr ? ""
                            : fmt::format("flopcast tune {}{} --n {}{}{}{}{} {}", use.routine, flags,
                                          use.smallest == use.largest ? "" : fmt::format("{}:", use.smallest), use.largest,
                                          named_blas(request).empty() ? "" : " --blas " + request.blas,
                                          request.lapack.empty() ? "" : " --lapack " + request.lapack,
                                          request.threads ? fmt::format(" --threads {}", static_cast<int>(*request.threads)) : "",
                                          request.tuning.empty() ? "--save" : "--tuning " + request.tuning);
}

/// Returns the routines that the tuning file lacks, from the queries by size.
std::vector<RoutineUse> lacking_routines(const std::vector<program::SizeUse>& sizes, const RunRequest& request) {
  std::vector<RoutineUse> lacking;
  for (const program::SizeUse& size : sizes) {
    if (size.reason != program::lacking_reason) {
      continue;
    }
    const std::int64_t order = std::min(size.m, size.n);
    if (lacking.empty() || lacking.back().routine != size.routine || lacking.back().flags != size.options) {
      RoutineUse& added = lacking.emplace_back();
      added.routine = size.routine;
      added.flags = size.options;
      added.smallest = order;
    }
    RoutineUse& use = lacking.back();
    use.queries += size.queries;
    use.smallest = std::min(use.smallest, order);
    use.largest = std::max(use.largest, order);
    use.returned = std::max(use.returned, size.answered);
  }
  for (RoutineUse& use : lacking) {
    const std::string command = tuning_command(use, request);
    use.what_happened =
        "the tuning file lacks it, and LAPACK used its own block size" + (command.empty() ? "" : fmt::format("; '{}' tunes it", command));
  }
  return lacking;
}

RunOutcome outcome_of(const ProgramRun& run, const RunRequest& request, const RunServices& services) {
  const bool explain = request.explain && run.lacking_report.empty();
  RunOutcome outcome;
  outcome.exit_code = run.exit_code;
  outcome.processes = run.processes;
  outcome.ended_by = crash(run);
  outcome.blas = run.blas.string();
  outcome.settings = run.settings;
  outcome.counted = run.lacking_report.empty();
  outcome.routines = run.routines;
  outcome.threads = run.threads;
  for (RoutineUse& use : outcome.routines) {
    use.what_happened = explain ? describe(use, run, services) : "";
  }
  if (explain) {
    outcome.sizes = run.sizes;
    outcome.unlisted = run.unlisted;
    const std::vector<RoutineUse> lacking = lacking_routines(run.sizes, request);
    outcome.routines.insert(outcome.routines.end(), lacking.begin(), lacking.end());
  }
  return outcome;
}

}  // namespace

RunSettings run_settings(const RunRequest& asked, const RunServices& services, const RunContext& context) {
  RunRequest request = asked;
  const program::LibraryFiles libraries = services.libraries(request);
  const std::string thread_table = choose_threads(request, libraries, services, context);
  RunSettings settings;
  settings.tuning = tuning_for(request, libraries, services, context);
  std::vector<std::string> environment;
  if (request.threads) {
    process::set_threads(environment, *request.threads);
  }
  for (const auto& [name, value] : settings.tuning.settings) {
    if (services.variable(name).empty()) {  // the user's own values stay
      process::set_variable(environment, name, value);
    }
  }
  process::set_variable(environment, protocol::blocks_variable, program::block_table_text(settings.tuning));
  if (!thread_table.empty()) {
    process::set_variable(environment, protocol::threads_variable, thread_table);
  }
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    settings.variables[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  settings.blas = libraries.blas.string();
  settings.lapack = libraries.lapack.string();
  settings.preload = services.preload();
  return settings;
}

RunOutcome run_program(const RunRequest& asked, const RunServices& services, const RunContext& context) {
  RunRequest request = asked;
  program::ProgramOptions program = {request.command, services.libraries(request), std::nullopt};
  program.thread_table = choose_threads(request, program.libraries, services, context);
  program.threads = request.threads;
  const program::SavedTuning tuning = tuning_for(request, program.libraries, services, context);
  const ProgramRun run = services.run(program, tuning);
  if (!run.lacking_report.empty()) {
    context.note(fmt::format("the program ran as it should, but what its LAPACK queried could not be counted: {}", run.lacking_report));
    return outcome_of(run, request, services);
  }
  const std::string not_started = run.processes == 0 ? services.why_not_started(request.command.front(), run.exit_code) : std::string();
  if (!not_started.empty()) {
    context.note(not_started);
  } else if (const std::string signal = crash(run); !signal.empty()) {
    context.note(
        fmt::format("{} ended the program. Its queries for block sizes are counted up to then, and its libraries aren't known", signal));
  } else if (!request.explain) {
    note_unused(run, services, context);
  }
  note_libraries(run, tuning.environment.blas, program, services, context);
  return outcome_of(run, request, services);
}

RunOutcome run_program(const RunRequest& request, const RunContext& context) {
  return run_program(request, this_run_services(context), context);
}

std::optional<algorithm::BlockParameters> tuned_block_size(const program::SavedTuning& tuning, std::string_view routine, std::int64_t m,
                                                           std::int64_t n, std::string_view options) {
  const auto table = std::make_unique<protocol::BlockTable>();
  if (!protocol::parse(program::block_table_text(tuning).c_str(), *table)) {
    return std::nullopt;
  }
  const protocol::RoutineBlocks* blocks =
      protocol::find(*table, protocol::routine_name(routine.data(), routine.size()), options.data(), options.size());
  const protocol::BlockPoint* point = blocks != nullptr ? protocol::nearest(*blocks, m, n) : nullptr;
  return point != nullptr ? std::optional(algorithm::BlockParameters{point->nb, point->nbmin, point->nx}) : std::nullopt;
}

}  // namespace flopcast
