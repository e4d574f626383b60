
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_libraries.hpp"
#include "flopcast/program/program_recording.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/recording_warnings.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/recorded_kernels.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;
using interpose::ProgramEvent;
using interpose::ProgramSummary;
using interpose::Treatment;

constexpr const char* default_output = "flopcast.trace";

constexpr const char* footer =
    R"(The program's output and exit code are its own; with --dry-run it is 1 where the recording can't be trusted. What flopcast has to say
goes to standard error. docs/recording.md says what is seen and what isn't.

Examples:
  flopcast record -- octave-cli --eval 'A = rand(400); A \ A; svd(A);'
  flopcast record --output qr.trace --threads 1 -- octave-cli --eval 'qr(rand(400));'
  flopcast record --show qr.trace
  flopcast record --show qr.trace --calls --json)";

struct RecordOptions {
  std::string blas, lapack;
  std::optional<int> threads;
  bool dry_run = false;
  std::string show;
  bool calls = false;
  std::vector<std::string> command;
};

/// What the calls of one routine add up to.
struct RoutineSum {
  std::int64_t calls = 0, skipped = 0, blind = 0;
  double flops = 0;
  Seconds seconds = 0;
  bool described = false;
};

struct Sums {
  std::map<std::string, RoutineSum> routines;  ///< without first calls
  RoutineSum first, all;
  std::set<std::uint32_t> names;     ///< of all routines
  std::vector<std::string> remarks;  ///< on how to read the times
};

void add(RoutineSum& sum, const ProgramEvent& event) {
  ++sum.calls;
  sum.skipped += event.treatment == Treatment::skipped || event.treatment == Treatment::skipped_blindly ? 1 : 0;
  sum.blind += event.treatment == Treatment::executed_blindly || event.treatment == Treatment::skipped_blindly ? 1 : 0;
  sum.flops += event.described() ? flops(event.call) : 0;
  sum.seconds += event.seconds;
  sum.described = event.described();
}

/// The same for a first call, of which no rate is to be known.
void add_first(RoutineSum& sum, const ProgramEvent& event) {
  ++sum.calls;
  sum.seconds += event.seconds;
}

Sums add_up(const interpose::ProgramTraceFile& file) {
  Sums sums;
  const interpose::ProgramBreakdown breakdown(file);
  for (std::size_t thread = 0; thread < file.summary().threads.size(); ++thread) {
    file.visit(thread, [&](const ProgramEvent& event) {
      sums.names.insert(event.name);
      if (breakdown.is_first_call(event)) {
        add_first(sums.first, event);
        add_first(sums.all, event);
      } else {
        add(sums.routines[file.summary().names[event.name]], event);
        add(sums.all, event);
      }
    });
  }
  sums.remarks = interpose::recording_remarks(file.summary(), breakdown);
  return sums;
}

/// Names by time, then by calls, largest first.
std::vector<std::string> by_time(const Sums& sums) {
  std::vector<std::string> names;
  for (const auto& [name, sum] : sums.routines) {
    names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    const RoutineSum& first = sums.routines.at(a);
    const RoutineSum& second = sums.routines.at(b);
    return std::pair(first.seconds, first.calls) > std::pair(second.seconds, second.calls);
  });
  return names;
}

report::Cell percent(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

void add_row(report::Table& table, const std::string& name, const RoutineSum& sum, const ProgramSummary& summary, bool described) {
  const double rate = sum.seconds > 0 ? sum.flops / sum.seconds : 0;
  std::vector<report::Cell> row = {name, report::whole(sum.calls), report::Cell(sum.seconds, format_seconds(sum.seconds)),
                                   percent(sum.seconds, summary.seconds)};
  row.push_back(described ? report::Cell(sum.flops, fmt::format("{:.4g}", sum.flops)) : report::Cell("-"));
  row.push_back(described && sum.seconds > 0 ? report::Cell(rate, format_flop_rate(rate)) : report::Cell("-"));
  if (summary.dry_run) {
    row.push_back(report::whole(sum.skipped));
    row.push_back(report::whole(sum.blind));
  }
  table.rows.push_back(std::move(row));
}

/// One row per routine, and the total.
report::Table routine_table(const ProgramSummary& summary, const Sums& sums) {
  report::Table table;
  table.columns = {{"routine", report::Align::left},
                   {"calls"},
                   {"time", report::Align::right, "seconds"},
                   {"% of run", report::Align::right, "percent_of_run"},
                   {"flops"},
                   {"rate", report::Align::right, "flops_per_second"}};
  if (summary.dry_run) {
    table.columns.insert(table.columns.end(), {{"skipped"}, {"blind"}});
  }
  for (const std::string& name : by_time(sums)) {
    add_row(table, name, sums.routines.at(name), summary, sums.routines.at(name).described);
  }
  if (sums.first.calls > 0) {
    add_row(table, first_calls_name, sums.first, summary, false);
  }
  add_row(table, "all", sums.all, summary, false);
  return table;
}

const char* treatment_name(Treatment treatment) {
  switch (treatment) {
    case Treatment::executed: return "executed";
    case Treatment::skipped: return "skipped";
    case Treatment::executed_blindly: return "executed blindly";
    case Treatment::skipped_blindly: return "skipped blindly";
  }
  return "";
}

std::string call_text(const ProgramEvent& event, const ProgramSummary& summary) {
  return event.described() ? to_string(event.call) : summary.names[event.name] + "(...)";
}

template <class Visitor>
void for_each_call(const interpose::ProgramTraceFile& file, Visitor visit) {
  for (std::size_t thread = 0; thread < file.summary().threads.size(); ++thread) {
    file.visit(thread, [&](const ProgramEvent& event) { visit(thread, event); });
  }
}

report::Table call_table(const interpose::ProgramTraceFile& file) {
  report::Table table;
  table.columns = {{"thread"},
                   {"start", report::Align::right, "start_seconds"},
                   {"time", report::Align::right, "seconds"},
                   {"call", report::Align::left}};
  if (file.summary().dry_run) {
    table.columns.push_back({"what happened", report::Align::left});
  }
  for_each_call(file, [&](std::size_t thread, const ProgramEvent& event) {
    std::vector<report::Cell> row = {report::whole(static_cast<long long>(thread)), report::Cell(event.start, format_seconds(event.start)),
                                     report::Cell(event.seconds, format_seconds(event.seconds)), call_text(event, file.summary())};
    if (file.summary().dry_run) {
      row.emplace_back(treatment_name(event.treatment));
    }
    table.rows.push_back(std::move(row));
  });
  return table;
}

nlohmann::json summary_document(const interpose::ProgramTraceFile& file, const Sums& sums) {
  const ProgramSummary& summary = file.summary();
  nlohmann::json processes = nlohmann::json::array();
  for (const interpose::RecordedProcess& process : summary.processes) {
    processes.push_back({{"pid", process.pid}, {"command", process.command}});
  }
  nlohmann::json threads = nlohmann::json::array();
  for (const interpose::RecordedThread& thread : summary.threads) {
    threads.push_back({{"pid", thread.pid}, {"tid", thread.tid}});
  }
  nlohmann::json routines = nlohmann::json::array();
  for (const std::string& name : by_time(sums)) {
    const RoutineSum& sum = sums.routines.at(name);
    nlohmann::json routine = {
        {"routine", name}, {"calls", sum.calls}, {"seconds", sum.seconds}, {"skipped", sum.skipped}, {"blind", sum.blind}};
    if (sum.described) {
      routine["flops"] = sum.flops;
    }
    routines.push_back(std::move(routine));
  }
  return {{"schema", "flopcast-recording-1"},
          {"command", summary.command},
          {"machine", summary.document.value("machine", nlohmann::json())},
          {"dry_run", summary.dry_run},
          {"finished", summary.finished},
          {"exit_code", summary.exit_code},
          {"seconds", summary.seconds},
          {"calls", sums.all.calls},
          {"call_seconds", sums.all.seconds},
          {"first_calls", {{"calls", sums.first.calls}, {"seconds", sums.first.seconds}}},
          {"remarks", sums.remarks},
          {"dropped", summary.dropped},
          {"damaged", summary.damaged},
          {"missing_bytes", summary.missing},
          {"libraries", summary.libraries},
          {"processes", processes},
          {"threads", threads},
          {"routines", routines}};
}

/// The document with every call: [thread, start, seconds, text, what happened].
nlohmann::json call_document(const interpose::ProgramTraceFile& file, const Sums& sums) {
  nlohmann::json document = summary_document(file, sums);
  nlohmann::json events = nlohmann::json::array();
  for_each_call(file, [&](std::size_t thread, const ProgramEvent& event) {
    events.push_back({{"thread", thread},
                      {"start", event.start},
                      {"seconds", event.seconds},
                      {"routine", file.summary().names[event.name]},
                      {"call", call_text(event, file.summary())},
                      {"what_happened", treatment_name(event.treatment)}});
  });
  document["events"] = std::move(events);
  return document;
}

/// `dgemm (3), dnrm2 (1)`: the routines with calls that were blind.
std::string blind_routines(const Sums& sums) {
  std::vector<std::string> parts;
  for (const auto& [name, sum] : sums.routines) {
    if (sum.blind > 0) {
      parts.push_back(fmt::format("{} ({})", name, sum.blind));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What is wrong with a recording, in words.
std::vector<std::string> complaints(const ProgramSummary& summary, const Sums& sums) {
  std::vector<std::string> all = interpose::recording_warnings(summary, sums.all.calls);
  if (sums.all.blind > 0) {
    all.push_back(fmt::format("{} that the program may branch on came from data that was never computed: {}; record it without --dry-run",
                              counted(sums.all.blind, "value"), blind_routines(sums)));
  }
  all.insert(all.end(), sums.remarks.begin(), sums.remarks.end());
  return all;
}

/// Two lines about what was recorded.
std::string overview(const ProgramSummary& summary, const Sums& sums, const fs::path& file) {
  std::error_code none;
  const std::uintmax_t bytes = fs::file_size(file, none);
  const double share = summary.seconds > 0 ? 100 * sums.all.seconds / summary.seconds : 0;
  const std::string skipped = summary.dry_run ? fmt::format(" ({} skipped)", sums.all.skipped) : "";
  return fmt::format("{}{} of {} in {} of {}; {} in BLAS and LAPACK, {:.1f} % of {}; {}: {:.1f} MB", counted(sums.all.calls, "call"),
                     skipped, counted(sums.names.size(), "routine"), counted(summary.threads.size(), "thread"),
                     counted(summary.processes.size(), "process"), format_seconds(sums.all.seconds), share, format_seconds(summary.seconds),
                     file.string(), static_cast<double>(bytes) / 1e6);
}

bool defines_dgemm(const std::string& library) {
  try {
    return machine::ElfFile(library).defines("dgemm_");
  } catch (const Error&) {
    return false;  // the program itself, say, or a library that has gone since
  }
}

void record(const RecordOptions& options, CommonOptions& common) {
  const machine::Topology topology = machine::detect_topology();
  const interpose::ProgramOptions program = {options.command, interpose::program_libraries(options.blas, options.lapack, options.command),
                                             options.threads};
  const fs::path output = common.output == "-" ? default_output : common.output;
  common.exit_code = record_program(program, {output, options.dry_run, {{"cpu", topology.cpu}, {"cores", topology.cores}}});
  const interpose::ProgramTraceFile file(output);
  const Sums sums = add_up(file);
  note(common.json ? summary_document(file, sums).dump(2) : "flopcast: " + overview(file.summary(), sums, output), common);
  for (const std::string& complaint : complaints(file.summary(), sums)) {
    note("flopcast: " + complaint, common);
  }
  for (const std::string& library : file.summary().libraries) {
    const std::string other = defines_dgemm(library) ? interpose::other_blas_note(program.command, library, program.libraries) : "";
    if (!other.empty()) {
      note("flopcast: " + other, common);
    }
  }
  if (const std::optional<RecordedKernels> kernels = recorded_kernels(interpose::recorded_place(file.summary()), run_context(common));
      kernels && kernels->misread()) {
    note("flopcast: " + kernels->text(), common);
  }
  if (options.dry_run && sums.all.blind > 0 && common.exit_code == 0) {
    common.exit_code = static_cast<int>(ExitCode::check_failed);
  }
}

void show(const RecordOptions& options, const CommonOptions& common) {
  const interpose::ProgramTraceFile file(options.show);
  const Sums sums = add_up(file);
  if (common.json) {
    emit(options.calls ? call_document(file, sums) : summary_document(file, sums), common);
  } else {
    emit(options.calls ? call_table(file) : routine_table(file.summary(), sums), common);
    note("flopcast: " + overview(file.summary(), sums, options.show), common);
  }
  for (const std::string& complaint : complaints(file.summary(), sums)) {
    note("flopcast: " + complaint, common);
  }
}

void record_command(const RecordOptions& options, CommonOptions& common) {
  if (!options.show.empty()) {
    if (!options.command.empty()) {
      throw usage_error("--show looks at a recording; it takes no command");
    }
    if (options.dry_run || options.threads || !options.blas.empty() || !options.lapack.empty()) {
      throw usage_error("--dry-run, --threads, --blas and --lapack say how a program is recorded; --show takes none of them");
    }
    show(options, common);
    return;
  }
  if (options.command.empty()) {
    throw usage_error("which program is to be recorded? Give it after --, as in: flopcast record -- octave-cli");
  }
  if (options.calls || common.csv) {
    throw usage_error("{} says how a recording is shown: it needs --show FILE", options.calls ? "--calls" : "--csv");
  }
  record(options, common);
}

}  // namespace

void add_record_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RecordOptions>();
  OptionSet command = app.add_command("record", "Record the BLAS and LAPACK calls of a program into a file (default: flopcast.trace)");
  command.option("--blas", options->blas, "BLAS for the program to load as libblas.so.3, by name or path (default: its own)");
  command.option("--lapack", options->lapack,
                 "LAPACK to load as liblapack.so.3 (default: its own; with --blas the reference where it is installed)");
  command.option("--threads", options->threads, "Threads of BLAS").range(1, 1024);
  command.flag("--dry-run", options->dry_run,
               "Don't execute calls that compute much; for programs whose flow doesn't depend on their results");
  command.option("--show", options->show, "Show what is in a recording instead (with --json, --csv, --output)").placeholder("FILE");
  command.flag("--calls", options->calls, "With --show: every call instead of sums by routine");
  command.option("command", options->command, "Program and its arguments").placeholder("-- COMMAND");
  command.footer(footer);
  command.action([options, &common] { record_command(*options, common); });
}

}  // namespace flopcast::cli
