#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/program/program_libraries.hpp"
#include "flopcast/program/program_run.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/protocol/run_report.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using interpose::ProgramRun;
using interpose::RoutineUse;

/// Returns what is known of the kernels of libraries that the profile doesn't hold for. Its own libraries' kernels are part of it.
KernelSettings further_kernels(const RunRequest& request, const LibraryIdentity& tuned) {
  return request.kernels == "library" ? KernelSettings() : known_kernels(tuned.path);
}

/// Returns the kernels to set without a profile: those of the library that is asked for, found by trying unless they are known, else
/// whatever is known.
KernelSettings kernels_alone(const RunRequest& request, const RunContext& context) {
  return request.blas.empty() || request.kernels == "library"
             ? further_kernels(request, {})
             : better_kernels(machine::locate_usable(request.blas, machine::Role::blas), "which is set for the program", context);
}

/// Returns the BLAS that the program is expected to load: the one chosen for it, else the loader's libblas.so.3; empty if there is none.
fs::path expected_blas(const interpose::LibraryFiles& chosen) {
  if (!chosen.blas.empty()) {
    return chosen.blas;
  }
  for (const fs::path& folder : machine::loader_directories()) {
    if (std::error_code error; fs::exists(folder / "libblas.so.3", error)) {
      return fs::canonical(folder / "libblas.so.3", error);
    }
  }
  return {};
}

/// Variants of a library on one machine lie in folders of their own.
bool in_same_folder(const fs::path& a, const fs::path& b) { return a.parent_path() == b.parent_path(); }

/// Returns whether the library in `file`, which lies in a folder of its own, is one without threads.
bool lies_beside_serial(const fs::path& file) {
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  return std::any_of(installed.begin(), installed.end(), [&](const machine::InstalledLibrary& library) {
    return library.has_blas && in_same_folder(library.path, file) && (library.name.ends_with("-serial") || library.name == "reference");
  });
}

/// Returns the threads that the program's BLAS is expected to have: as the request or the user's variables say, else one per core, or one
/// for a library without threads.
int expected_threads(const RunRequest& request, const fs::path& blas) {
  if (!blas.empty() && lies_beside_serial(blas)) {
    return 1;
  }
  if (request.threads) {
    return *request.threads;
  }
  for (const char* name : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* value = std::getenv(name);
    if (const int threads = value != nullptr ? std::atoi(value) : 0; threads > 0) {
      return threads;
    }
  }
  return machine::detect_topology().usable_cores;
}

/// Returns the part of a profile that suits this library and number of threads best. The library counts first, then the threads.
interpose::Profile best_place(std::vector<interpose::Profile> places, const fs::path& blas, int threads) {
  const auto distance = [&](const interpose::Profile& place) {
    const bool other_library = !blas.empty() && !in_same_folder(blas, place.environment.blas.path);
    return std::pair(other_library, std::abs(place.environment.threads - threads));
  };
  return *std::min_element(places.begin(), places.end(),
                           [&](const interpose::Profile& a, const interpose::Profile& b) { return distance(a) < distance(b); });
}

/// Notes that the profile holds nothing for the library that was asked for, or for the number of threads.
void warn_of_place(const Environment& tuned, const RunRequest& request, const fs::path& blas, int threads, const RunContext& context) {
  if (tuned.blas.path.empty() || blas.empty()) {
    return;
  }
  const bool other_library = !in_same_folder(blas, tuned.blas.path);
  const std::string remedy = fmt::format("'flopcast tune ROUTINE --n 200:3200{} --threads {} --save' tunes for that",
                                         request.blas.empty() ? "" : " --blas " + request.blas, threads);
  if (other_library && !request.blas.empty()) {  // the program's own library is known only afterwards
    context.note(fmt::format("the profile holds no block sizes for {}, but for {} with {}, which are used; {}", blas.string(),
                             tuned.blas.path, counted(tuned.threads, "thread"), remedy));
  } else if (!other_library && tuned.threads != threads) {
    context.note(fmt::format("the profile's block sizes hold for {} of BLAS, and {} are expected; {}", counted(tuned.threads, "thread"),
                             threads, remedy));
  }
}

/// Returns the settings to run with if there is no profile. Throws bad_input if nothing at all is to be set.
interpose::Profile without_profile(const RunRequest& request, const std::string& file, const interpose::LibraryFiles& chosen,
                                   const RunContext& context) {
  interpose::Profile profile;
  const std::string lacking = fmt::format("there is no profile {}; make one with: flopcast tune dgeqrf --n 200:3200 {}", file,
                                          request.profile.empty() ? "--save" : "--profile " + request.profile);
  profile.settings = request.profile.empty() ? kernels_alone(request, context) : KernelSettings();
  const bool chosen_otherwise = request.profile.empty() && (!chosen.blas.empty() || !chosen.lapack.empty() || request.threads);
  if (profile.settings.empty() && !chosen_otherwise) {
    throw bad_input("{}", lacking);
  }
  context.note(fmt::format("the program runs with {}LAPACK's own block sizes, as {}",
                           profile.settings.empty() ? "" : text_of(profile.settings) + " and ", lacking));
  return profile;
}

/// Returns the profile to run with. Throws bad_input if nothing is to be set at all, and for a profile of another machine.
interpose::Profile load_profile(const RunRequest& request, const interpose::LibraryFiles& chosen, const RunContext& context) {
  const std::string file = request.profile.empty() ? interpose::default_profile_file() : request.profile;
  if (file != "-" && !fs::exists(file)) {
    return without_profile(request, file, chosen, context);
  }
  const fs::path blas = expected_blas(chosen);
  const int threads = expected_threads(request, blas);
  interpose::Profile profile = best_place(interpose::places(interpose::read_profile(file)), blas, threads);
  const std::string cpu = machine::detect_topology().cpu;
  if (profile.environment.cpu != cpu && !request.other_machine) {
    throw bad_input(
        "profile {} was made on another machine ('{}', this is '{}'); tune again here, or use it all the same with --other-machine", file,
        profile.environment.cpu, cpu);
  }
  if (request.kernels == "library") {
    profile.settings.clear();
  }
  warn_of_place(profile.environment, request, blas, threads, context);
  profile.settings.merge(further_kernels(request, profile.environment.blas));
  return profile;
}

/// Tries which LAPACKs query ilaenv for which routines.
class QueryTrials {
 public:
  /// Returns whether the LAPACK in `use.definer` queries the routine's block size when it is called; nothing if that can't be tried.
  std::optional<bool> would_query(const RoutineUse& use, const fs::path& blas) {
    constexpr const char* size = "256";
    try {
      const Routine& routine = kernel::require(use.routine);
      std::map<std::string, std::string> arguments;
      for (const Argument& argument : routine.arguments) {
        if (argument.kind == Kind::size) {
          arguments[argument.name] = size;
        }
      }
      std::unique_ptr<interpose::Recorder>& recorder = recorders_[use.definer];
      if (!recorder) {
        recorder = std::make_unique<interpose::Recorder>(interpose::LibraryFiles{blas.empty() ? use.definer : blas, use.definer});
      }
      return recorder->block_size_query(kernel::parse_call(routine, arguments)).has_value();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  std::map<fs::path, std::unique_ptr<interpose::Recorder>> recorders_;  // a start takes longer than a trial
};

std::string times(std::uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

/// Returns what programs lose whose workspace is too short for the block size; empty where that never happened.
std::string workspace_remark(const RoutineUse& use) {
  if (use.short_workspaces == 0) {
    return "";
  }
  const std::string when = use.short_workspaces == use.questions ? "" : fmt::format(" {}", times(use.short_workspaces));
  if (use.allowed > 0) {
    return fmt::format(
        ", {} told, but the program's workspace allows{} {} only; a program that asks for the size of its workspace (lwork = -1) gets what "
        "{} needs",
        use.told, when, use.allowed, use.told);
  }
  return fmt::format(
      ", {} told, but the program's workspace was{} too short for that, and LAPACK took a smaller one; a program that asks for the size of "
      "its workspace (lwork = -1) gets what {} needs",
      use.told, when, use.told);
}

/// Returns why a tuned routine's block size was not asked for.
std::string why_unused(const RoutineUse& use, const ProgramRun& run, QueryTrials& trials) {
  if (use.other_questions > 0) {
    return fmt::format("not asked for: the program asked {} with '{}', for which the profile has nothing{}", times(use.other_questions),
                       use.other_options, use.flags.empty() ? "" : fmt::format(", as it was tuned with '{}'", use.flags));
  }
  if (use.definer.empty()) {
    return run.processes == 0 ? "not asked for: the preloaded library was not loaded"
                              : "not asked for: no shared library with it was seen in the program";
  }
  const std::optional<bool> queries = trials.would_query(use, run.blas);
  if (!queries) {
    return "not asked for";
  }
  return *queries ? "not asked for: the program didn't call it" + (use.flags.empty() ? "" : fmt::format(" with '{}'", use.flags))
                  : fmt::format("never asked for: this LAPACK decides by itself, so the profile has no effect on it; --lapack {} has",
                                machine::integer_bytes(use.definer) == 8 ? "reference64" : "reference");
}

/// Returns what happened with a tuned routine, as a clause.
std::string describe(const RoutineUse& use, const ProgramRun& run, QueryTrials& trials) {
  if (use.questions == 0) {
    return why_unused(use, run, trials);
  }
  const std::string orders =
      use.smallest == use.largest ? fmt::format("order {}", use.largest) : fmt::format("orders {} to {}", use.smallest, use.largest);
  return fmt::format("asked {} for {}{}", times(use.questions), orders, workspace_remark(use));
}

std::string shown_name(const RoutineUse& use) { return use.flags.empty() ? use.routine : use.routine + ":" + use.flags; }

/// Notes which tuned routines were not asked for if they are few. A program uses few routines of a profile of all LAPACK anyway.
void note_unused(const ProgramRun& run, const RunContext& context) {
  static constexpr std::size_t few = 4;
  for (const RoutineUse& use : run.routines) {
    if (use.short_workspaces > 0) {
      context.note(fmt::format("{}: asked {}{}", shown_name(use), times(use.questions), workspace_remark(use)));
    }
  }
  const auto unused = [](const RoutineUse& use) { return use.questions == 0; };
  const auto count = static_cast<std::size_t>(std::count_if(run.routines.begin(), run.routines.end(), unused));
  if (count > few) {
    context.note(
        fmt::format("{} of {} tuned routines were asked for; --report says more", run.routines.size() - count, run.routines.size()));
    return;
  }
  QueryTrials trials;
  for (const RoutineUse& use : run.routines) {
    if (use.questions == 0) {
      context.note(fmt::format("{}: {}{}", shown_name(use), describe(use, run, trials),
                               use.definer.empty() ? "" : " (" + use.definer.string() + ")"));
    }
  }
}

/// Notes that the program ran with a BLAS that was not asked for, or that the profile was not made with.
void note_libraries(const ProgramRun& run, const LibraryIdentity& tuned, const interpose::ProgramOptions& program,
                    const RunContext& context) {
  if (run.blas.empty()) {
    return;
  }
  const interpose::LibraryFiles& chosen = program.libraries;
  if (const std::string other = interpose::other_blas_note(program.command, run.blas, chosen); !other.empty()) {
    context.note(other);
  } else if (const int bytes = machine::integer_bytes(run.blas).value_or(4); !tuned.path.empty() && bytes != tuned.integer_bytes) {
    context.note(fmt::format(
        "the profile was tuned with {}, whose integers have {} bits; the program ran with {}, whose integers have {}. Tune with "
        "--blas {}",
        tuned.path, 8 * tuned.integer_bytes, run.blas.string(), 8 * bytes, run.blas.string()));
  } else if (chosen.blas.empty() && !tuned.path.empty() && !in_same_folder(run.blas, tuned.path)) {
    context.note(fmt::format("the profile was tuned with {}, the program ran with {}; --blas {} chooses the library of the profile",
                             tuned.path, run.blas.string(), tuned.path));
  }
}

RunOutcome outcome_of(const ProgramRun& run, bool explain) {
  RunOutcome outcome;
  outcome.exit_code = run.exit_code;
  outcome.processes = run.processes;
  outcome.blas = run.blas.string();
  outcome.settings = run.settings;
  outcome.counted = run.lacking_report.empty();
  QueryTrials trials;
  for (const RoutineUse& use : run.routines) {
    outcome.routines.push_back({use.routine, use.flags, use.questions, use.smallest, use.largest, use.told, use.short_workspaces,
                                use.allowed, use.other_questions, use.other_options, (use.asker.empty() ? use.definer : use.asker).string(),
                                explain ? describe(use, run, trials) : ""});
  }
  return outcome;
}

interpose::ProgramOptions program_of(const RunRequest& request) {
  return {request.command, interpose::program_libraries(request.blas, request.lapack, request.command), request.threads};
}

}  // namespace

RunSettings run_settings(const RunRequest& request, const RunContext& context) {
  const interpose::ProgramOptions program = program_of(request);
  RunSettings settings;
  settings.profile = load_profile(request, program.libraries, context);
  std::vector<std::string> environment;
  if (request.threads) {
    process::set_threads(environment, *request.threads);
  }
  for (const auto& [name, value] : settings.profile.settings) {
    if (std::getenv(name.c_str()) == nullptr) {  // the user's own values stay
      process::set_variable(environment, name, value);
    }
  }
  process::set_variable(environment, interpose::blocks_variable, interpose::block_table_text(settings.profile));
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    settings.variables[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  settings.blas = program.libraries.blas.string();
  settings.lapack = program.libraries.lapack.string();
  settings.preload = interpose::find_component("libflopcast-tuned.so").string();
  return settings;
}

RunOutcome run_program(const RunRequest& request, const RunContext& context) {
  const interpose::ProgramOptions program = program_of(request);
  const interpose::Profile profile = load_profile(request, program.libraries, context);
  const ProgramRun run = interpose::run_with_profile(program, profile);
  if (!run.lacking_report.empty()) {
    context.note(fmt::format("the program ran as it should, but what its LAPACK asked for could not be counted: {}", run.lacking_report));
    return outcome_of(run, false);
  }
  const std::string not_started = run.processes == 0 ? interpose::why_not_started(request.command.front(), run.exit_code) : std::string();
  if (!not_started.empty()) {
    context.note(not_started);
  } else if (!request.explain) {
    note_unused(run, context);
  }
  note_libraries(run, profile.environment.blas, program, context);
  return outcome_of(run, request.explain);
}

std::optional<algorithm::BlockParameters> tuned_block_size(const interpose::Profile& profile, std::string_view routine, std::int64_t m,
                                                           std::int64_t n, std::string_view options) {
  const auto table = std::make_unique<interpose::BlockTable>();
  if (!interpose::parse(interpose::block_table_text(profile).c_str(), *table)) {
    return std::nullopt;
  }
  const interpose::RoutineBlocks* blocks =
      interpose::find(*table, interpose::routine_name(routine.data(), routine.size()), options.data(), options.size());
  const interpose::BlockPoint* point = blocks != nullptr ? interpose::nearest(*blocks, m, n) : nullptr;
  return point != nullptr ? std::optional(algorithm::BlockParameters{point->nb, point->nbmin, point->nx}) : std::nullopt;
}

}  // namespace flopcast
