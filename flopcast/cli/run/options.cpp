
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/profile_file.hpp"
#include "flopcast/program/program_libraries.hpp"
#include "flopcast/program/program_run.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;
using interpose::ProgramRun;
using interpose::RoutineUse;

constexpr const char* footer = R"(The program's output and exit code are its own. What flopcast has to say goes to standard error.

Examples:
  flopcast tune dgeqrf --n 200:3200 --save
  flopcast run -- octave-cli --eval 'A = rand(2000); tic; qr(A); toc'
  flopcast run --blas openblas-serial --lapack reference --report -- ./a.out)";

struct RunOptions {
  std::string profile;
  std::string blas, lapack;
  std::string kernels = "auto";
  std::optional<int> threads;
  bool report = false;
  bool foreign = false;
  std::vector<std::string> command;
};

/// Of libraries that the profile doesn't speak of, what is known of their kernels; those of its own are part of it.
KernelSettings further_kernels(const RunOptions& options, const LibraryIdentity& tuned) {
  return options.kernels == "library" ? KernelSettings() : known_kernels(tuned.path);
}

/// Without a profile: of the library that is asked for, tried if that wasn't done before, else whatever is known.
KernelSettings kernels_alone(const RunOptions& options, const CommonOptions& common) {
  return options.blas.empty() || options.kernels == "library" ? further_kernels(options, {})
                                                              : better_kernels(machine::locate_usable(options.blas, machine::Role::blas),
                                                                               "which is set for the program", run_context(common));
}

/// The BLAS that the program is expected to load: what is chosen for it, else what the loader finds as libblas.so.3; empty if there is none.
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

/// Whether the library in `file`, which lies in a folder of its own, is one without threads.
bool lies_beside_serial(const fs::path& file) {
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  return std::any_of(installed.begin(), installed.end(), [&](const machine::InstalledLibrary& library) {
    return library.has_blas && in_same_folder(library.path, file) && (library.name.ends_with("-serial") || library.name == "reference");
  });
}

/// The threads that the program's BLAS is expected to have: as the options or the user's variables say, else one per core, or one if that is
/// all that it can have.
int expected_threads(const RunOptions& options, const fs::path& blas) {
  if (!blas.empty() && lies_beside_serial(blas)) {
    return 1;
  }
  if (options.threads) {
    return *options.threads;
  }
  for (const char* name : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* value = std::getenv(name);
    if (const int threads = value != nullptr ? std::atoi(value) : 0; threads > 0) {
      return threads;
    }
  }
  return machine::detect_topology().usable_cores;
}

/// Of all that a profile holds, what suits this library and number of threads best: the library counts first, then the threads.
interpose::Profile best_place(std::vector<interpose::Profile> places, const fs::path& blas, int threads) {
  const auto distance = [&](const interpose::Profile& place) {
    const bool other_library = !blas.empty() && !in_same_folder(blas, place.environment.blas.path);
    return std::pair(other_library, std::abs(place.environment.threads - threads));
  };
  return *std::min_element(places.begin(), places.end(),
                           [&](const interpose::Profile& a, const interpose::Profile& b) { return distance(a) < distance(b); });
}

/// Tells if the profile holds nothing for the library that was asked for, or for the number of threads.
void warn_of_place(const Environment& tuned, const RunOptions& options, const fs::path& blas, int threads, const CommonOptions& common) {
  if (tuned.blas.path.empty() || blas.empty()) {
    return;
  }
  const bool other_library = !in_same_folder(blas, tuned.blas.path);
  const auto remedy = [&] {
    return fmt::format("'flopcast tune ROUTINE --n 200:3200{} --threads {} --save' tunes for that",
                       options.blas.empty() ? "" : " --blas " + options.blas, threads);
  };
  if (other_library && !options.blas.empty()) {  // of the program's own library it is told afterwards which it really was
    note(fmt::format("flopcast: the profile holds no block sizes for {}, but for {} with {} thread{}, which are used; {}", blas.string(),
                     tuned.blas.path, tuned.threads, tuned.threads == 1 ? "" : "s", remedy()),
         common);
  } else if (!other_library && tuned.threads != threads) {
    note(fmt::format("flopcast: the profile's block sizes hold for {} thread{} of BLAS, and {} are expected; {}", tuned.threads,
                     tuned.threads == 1 ? "" : "s", threads, remedy()),
         common);
  }
}

/// Returns the profile to run with. Without a profile the result holds the kernels to set, which may be none if libraries or threads are
/// chosen for the program. Throws bad_input if nothing is to be set at all, and for a profile of another machine.
interpose::Profile load_profile(const RunOptions& options, const interpose::LibraryFiles& chosen, const CommonOptions& common) {
  const std::string file = options.profile.empty() ? interpose::default_profile_file() : options.profile;
  interpose::Profile profile;
  if (file != "-" && !fs::exists(file)) {
    const std::string lacking = fmt::format("there is no profile {}; make one with: flopcast tune dgeqrf --n 200:3200 {}", file,
                                            options.profile.empty() ? "--save" : "--profile " + options.profile);
    profile.settings = options.profile.empty() ? kernels_alone(options, common) : KernelSettings();
    const bool chosen_otherwise = options.profile.empty() && (!chosen.blas.empty() || !chosen.lapack.empty() || options.threads);
    if (profile.settings.empty() && !chosen_otherwise) {
      throw bad_input("{}", lacking);
    }
    note(fmt::format("flopcast: the program runs with {}LAPACK's own block sizes, as {}",
                     profile.settings.empty() ? "" : text_of(profile.settings) + " and ", lacking),
         common);
    return profile;
  }
  const fs::path blas = expected_blas(chosen);
  const int threads = expected_threads(options, blas);
  profile = best_place(interpose::places(interpose::read_profile(file)), blas, threads);
  const std::string cpu = machine::detect_topology().cpu;
  if (profile.environment.cpu != cpu && !options.foreign) {
    throw bad_input("profile {} was made on another machine ('{}', this is '{}'); tune again here, or use it all the same with --foreign",
                    file, profile.environment.cpu, cpu);
  }
  if (options.kernels == "library") {
    profile.settings.clear();
  }
  warn_of_place(profile.environment, options, blas, threads, common);
  profile.settings.merge(further_kernels(options, profile.environment.blas));
  return profile;
}

/// Tries which LAPACKs ask for which block sizes.
class Askers {
 public:
  /// Whether the LAPACK in `use.definer` asks for the routine's block size when it is called; nothing if that can't be tried.
  std::optional<bool> would_ask(const RoutineUse& use, const fs::path& blas) {
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
  std::map<fs::path, std::unique_ptr<interpose::Recorder>> recorders_;  // starting one takes longer than asking it
};

std::string times(std::uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

/// What programs lose whose workspace is too short for the block size; empty where it never was.
std::string workspace_remark(const RoutineUse& use) {
  if (use.short_workspaces == 0) {
    return "";
  }
  const std::string when = use.short_workspaces == use.questions ? "" : fmt::format(" {}", times(use.short_workspaces));
  if (use.allowed > 0) {
    return fmt::format(
        ", {} told, but the program's workspace allows{} {} only; a program that asks for the size of its workspace (lwork = -1) gets what "
        "{} "
        "needs",
        use.told, when, use.allowed, use.told);
  }
  return fmt::format(
      ", {} told, but the program's workspace was{} too short for that, and LAPACK took a smaller one; a program that asks for the size of "
      "its "
      "workspace (lwork = -1) gets what {} needs",
      use.told, when, use.told);
}

/// What happened with a tuned routine, in words.
std::string describe(const RoutineUse& use, const ProgramRun& run, Askers& askers) {
  if (use.questions > 0) {
    const std::string orders =
        use.smallest == use.largest ? fmt::format("order {}", use.largest) : fmt::format("orders {} to {}", use.smallest, use.largest);
    return fmt::format("asked {} for {}{}", times(use.questions), orders, workspace_remark(use));
  }
  if (use.other_questions > 0) {
    return fmt::format("not asked for: the program asked {} with '{}', for which the profile has nothing{}", times(use.other_questions),
                       use.other_options, use.flags.empty() ? "" : fmt::format(", as it was tuned with '{}'", use.flags));
  }
  if (use.definer.empty()) {
    return run.processes == 0 ? "not asked for: the preloaded library was not loaded"
                              : "not asked for: no shared library with it was seen in the program";
  }
  const std::optional<bool> asks = askers.would_ask(use, run.blas);
  if (!asks) {
    return "not asked for";
  }
  return *asks ? "not asked for: the program didn't call it" + (use.flags.empty() ? "" : fmt::format(" with '{}'", use.flags))
               : fmt::format("never asked for: this LAPACK decides by itself, so the profile has no effect on it; --lapack {} has",
                             machine::integer_bytes(use.definer) == 8 ? "reference64" : "reference");
}

std::string shown_name(const RoutineUse& use) { return use.flags.empty() ? use.routine : use.routine + ":" + use.flags; }

report::Table report_table(const ProgramRun& run) {
  report::Table table;
  table.columns = {
      {"routine", report::Align::left}, {"questions"}, {"what happened", report::Align::left}, {"LAPACK", report::Align::left}};
  Askers askers;
  for (const RoutineUse& use : run.routines) {
    table.rows.push_back({shown_name(use), report::whole(static_cast<long long>(use.questions)), describe(use, run, askers),
                          (use.asker.empty() ? use.definer : use.asker).string()});
  }
  return table;
}

nlohmann::json report_document(const ProgramRun& run) {
  nlohmann::json routines = nlohmann::json::array();
  Askers askers;
  for (const RoutineUse& use : run.routines) {
    routines.push_back({{"routine", use.routine},
                        {"flags", use.flags},
                        {"questions", use.questions},
                        {"smallest", use.smallest},
                        {"largest", use.largest},
                        {"told", use.told},
                        {"short_workspaces", use.short_workspaces},
                        {"allowed", use.allowed},
                        {"other_questions", use.other_questions},
                        {"other_options", use.other_options},
                        {"lapack", (use.asker.empty() ? use.definer : use.asker).string()},
                        {"what_happened", describe(use, run, askers)}});
  }
  return {{"schema", "flopcast-run-1"}, {"exit_code", run.exit_code}, {"processes", run.processes},
          {"blas", run.blas.string()},  {"settings", run.settings},   {"routines", routines}};
}

/// The report goes to --output; standard output is the program's.
void write_report(const ProgramRun& run, const CommonOptions& common) {
  const std::string text = common.json ? report_document(run).dump(2) + '\n' : render(report_table(run), common);
  if (common.output != "-") {
    write_file(common.output, text);
  } else {
    say(fmt::format("flopcast: BLAS of the program: {}{}\n{}", run.blas.empty() ? "none seen" : run.blas.string(),
                    run.settings.empty() ? "" : ", with " + text_of(run.settings), run.routines.empty() ? "" : text));
  }
}

/// Tells of tuned routines that were not asked for: of a few; of a profile of all LAPACK a program asks for few anyway.
void warn_of_routines(const ProgramRun& run, const CommonOptions& common) {
  static constexpr std::size_t few = 4;
  for (const RoutineUse& use : run.routines) {
    if (use.short_workspaces > 0) {
      note(fmt::format("flopcast: {}: asked {}{}", shown_name(use), times(use.questions), workspace_remark(use)), common);
    }
  }
  const auto unasked = [](const RoutineUse& use) { return use.questions == 0; };
  const auto count = static_cast<std::size_t>(std::count_if(run.routines.begin(), run.routines.end(), unasked));
  if (count > few) {
    note(fmt::format("flopcast: {} of {} tuned routines were asked for; --report says more", run.routines.size() - count,
                     run.routines.size()),
         common);
    return;
  }
  Askers askers;
  for (const RoutineUse& use : run.routines) {
    if (use.questions == 0) {
      note(fmt::format("flopcast: {}: {}{}", shown_name(use), describe(use, run, askers),
                       use.definer.empty() ? "" : " (" + use.definer.string() + ")"),
           common);
    }
  }
}

/// Tells if the program ran with a BLAS that was not asked for, or that the profile was not made with.
void warn_of_libraries(const ProgramRun& run, const LibraryIdentity& tuned, const interpose::ProgramOptions& program,
                       const CommonOptions& common) {
  if (run.blas.empty()) {
    return;
  }
  const interpose::LibraryFiles& chosen = program.libraries;
  if (const std::string other = interpose::other_blas_note(program.command, run.blas, chosen); !other.empty()) {
    note("flopcast: " + other, common);
  } else if (const int bytes = machine::integer_bytes(run.blas).value_or(4); !tuned.path.empty() && bytes != tuned.integer_bytes) {
    note(fmt::format(
             "flopcast: the profile was tuned with {}, whose integers have {} bits; the program ran with {}, whose integers have {}. "
             "Tune with --blas {}",
             tuned.path, 8 * tuned.integer_bytes, run.blas.string(), 8 * bytes, run.blas.string()),
         common);
  } else if (chosen.blas.empty() && !tuned.path.empty() && !in_same_folder(run.blas, tuned.path)) {
    note(fmt::format("flopcast: the profile was tuned with {}, the program ran with {}; with --blas {} it runs with the former", tuned.path,
                     run.blas.string(), tuned.path),
         common);
  }
}

void run_command(const RunOptions& options, CommonOptions& common) {
  if (options.command.empty()) {
    throw usage_error("which program is to run? Give it after --, as in: flopcast run -- octave-cli");
  }
  const interpose::ProgramOptions program = {options.command, interpose::program_libraries(options.blas, options.lapack, options.command),
                                             options.threads};
  const interpose::Profile profile = load_profile(options, program.libraries, common);
  const ProgramRun run = interpose::run_with_profile(program, profile);
  common.exit_code = run.exit_code;
  if (!run.lacking_report.empty()) {
    note(fmt::format("flopcast: the program ran as it should, but what its LAPACK asked for could not be counted: {}", run.lacking_report),
         common);
    return;
  }
  const std::string not_started = run.processes == 0 ? interpose::why_not_started(options.command.front(), run.exit_code) : std::string();
  if (!not_started.empty()) {
    note("flopcast: " + not_started, common);
  }
  if (options.report || common.output != "-") {
    write_report(run, common);
  } else if (not_started.empty()) {
    warn_of_routines(run, common);
  }
  warn_of_libraries(run, profile.environment.blas, program, common);
}

}  // namespace

void add_run_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RunOptions>();
  OptionSet command = app.add_command("run", "Run a program whose LAPACK is told the tuned block sizes");
  command.option("--profile", options->profile, "Profile to run with (default: what 'flopcast tune --save' keeps)").placeholder("FILE");
  command.option("--blas", options->blas, "BLAS for the program to load as libblas.so.3, by name or path (default: its own)");
  command.option("--lapack", options->lapack,
                 "LAPACK to load as liblapack.so.3 (default: its own; with --blas the reference where it is installed)");
  command
      .option("--kernels", options->kernels,
              "auto: where the BLAS misreads the CPU, the kernels that the profile was made with or that were found best by trying; "
              "library: as it comes")
      .show_default()
      .choices({"auto", "library"});
  command.option("--threads", options->threads, "Threads of BLAS").range(1, 1024);
  command.flag("--report", options->report, "Say afterwards what the program's LAPACK asked for (with --json, --output)");
  command.flag("--foreign", options->foreign, "Use a profile that was made on another machine");
  command.option("command", options->command, "Program and its arguments").placeholder("-- COMMAND");
  command.footer(footer);
  command.action([options, &common] { run_command(*options, common); });
}

}  // namespace flopcast::cli
