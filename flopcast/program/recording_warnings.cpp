#include "flopcast/program/program_breakdown.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "flopcast/core/routine.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::program {

namespace {

bool is_routine(std::string_view symbol) {
  const RoutineSymbol name = routine_symbol(symbol);
  return is_c_routine(name.routine) ? kernel::find(name.routine.substr(std::string_view("cblas_").size())) != nullptr
                                    : !name.suffix.empty() && kernel::find(name.routine) != nullptr;
}

/// The program's file; empty if it isn't here.
std::filesystem::path program_file(const ProgramSummary& summary) {
  try {
    return summary.command.empty() ? std::filesystem::path() : find_program(summary.command.front());
  } catch (const Error&) {
    return {};
  }
}

/// The reason, as far as the recording and the program's file show it.
std::string why_no_calls(const ProgramSummary& summary) {
  if (!summary.unseen_libraries.empty()) {
    return fmt::format(
        "the program loaded {}, but made no call of it, or only calls that can't be seen: those from inside that library itself, and those "
        "by an address that the program found out in another way than by dlsym",
        fmt::join(summary.unseen_libraries, ", "));
  }
  const std::filesystem::path program = program_file(summary);
  if (const auto routine = machine::contained_function(program, is_routine)) {
    return fmt::format("{} contains {}: BLAS is linked into it statically, where calls can't be seen. Link it with a shared library",
                       program.string(), *routine);
  }
  return "the program makes none, has these libraries linked into itself statically, or calls them by names that flopcast doesn't know";
}

}  // namespace

std::vector<std::string> recording_warnings(const ProgramSummary& summary, std::int64_t calls) {
  std::vector<std::string> all;
  if (summary.loaded == 0) {
    const std::string reason = summary.command.empty() ? "" : why_not_started(summary.command.front(), summary.exit_code);
    all.push_back(!reason.empty() ? reason : "the recording library was not loaded: did the program clear its environment?");
  } else if (const std::string signal = signal_behind(summary.exit_code); !signal.empty()) {
    all.push_back(fmt::format("{} ended the program. The recording holds the calls that had returned by then", signal));
  } else if (calls == 0 && summary.dropped == 0 && summary.damaged == 0 && summary.missing_bytes == 0) {
    all.push_back("no BLAS or LAPACK call was seen: " + why_no_calls(summary));
  }
  if (summary.dropped > 0) {
    all.push_back(fmt::format("{} could not be recorded, since there was no room for them in the file", counted(summary.dropped, "call")));
  }
  if (summary.damaged > 0) {
    all.push_back(fmt::format("{} of the file can't be read", counted(summary.damaged, "piece")));
  }
  if (summary.missing_bytes > 0) {
    all.push_back(fmt::format("the file is cut off: {} of it are missing", counted(summary.missing_bytes, "byte")));
  }
  if (!summary.finished) {
    all.emplace_back("the recording has no end: 'flopcast record' was killed, or still runs");
  }
  return all;
}

Seconds taken_by_others(const ProgramSummary& summary, double wanted_cores) {
  constexpr double nearly_all = 0.9;
  if (summary.other_cores < machine::OtherLoad::much || summary.cores_got >= nearly_all * wanted_cores) {
    return 0;
  }
  return std::min(summary.waited_seconds, summary.seconds * (1 - summary.cores_got / wanted_cores));
}

namespace {

constexpr double worth_a_remark = 0.01;  ///< share of a time below which nothing is said

/// `dgemm, dsyrk, ...`: the routines whose part `seconds` of the time isn't zero, the heaviest first, three at most.
std::string routines_with(Seconds CallSum::*seconds, const ProgramSummary& summary, const ProgramBreakdown& breakdown) {
  static constexpr std::size_t most = 3;
  std::string text;
  std::size_t count = 0;
  for (const RoutineSum& routine : breakdown.routines()) {
    if (routine.sum.*seconds > 0 && ++count <= most) {
      text += (text.empty() ? "" : ", ") + summary.names[routine.name];
    }
  }
  return count > most ? text + ", ..." : text;
}

/// Empty unless a hundredth of the time or more was spent in such calls.
std::string numbers_remark(Seconds CallSum::*seconds, const char* numbers, const char* consequence, const ProgramSummary& summary,
                           const ProgramBreakdown& breakdown) {
  const CallSum& all = breakdown.all();
  if (all.*seconds <= worth_a_remark * all.seconds) {
    return "";
  }
  const std::string routines = routines_with(seconds, summary, breakdown);
  return fmt::format("calls that took {} ({:.1f} % of the calls' time{}) computed with {}: {}", format_seconds(all.*seconds),
                     100 * (all.*seconds) / all.seconds, routines.empty() ? "" : "; " + routines, numbers, consequence);
}

/// Returns a remark where other programs left the program less than the cores that its BLAS takes; else "".
std::string cores_remark(const ProgramSummary& summary) {
  const int wanted = recorded_place(summary).threads.value_or(1);
  if (taken_by_others(summary, wanted) <= worth_a_remark * summary.seconds) {
    return "";
  }
  return fmt::format(
      "the program got {:.1f} of {} while other programs kept {:.1f} busy, so that its times are too long and its rates too "
      "low. Record it again when the machine is idle",
      summary.cores_got, counted(wanted, "core"), summary.other_cores);
}

}  // namespace

std::vector<std::string> recording_remarks(const ProgramSummary& summary, const ProgramBreakdown& breakdown) {
  std::vector<std::string> all;
  if (std::string remark = cores_remark(summary); !remark.empty()) {
    all.push_back(std::move(remark));
  }
  if (const CallSum& first = breakdown.first_calls(); first.calls > 0) {
    all.push_back(fmt::format(
        "{} took {}, much longer than others like {}: in {} a library starts, or memory is touched for the first time. {} kept apart as "
        "'{}', "
        "and no rate contains {}",
        counted(first.calls, "first call"), format_seconds(first.seconds), first.calls == 1 ? "it" : "them",
        first.calls == 1 ? "it" : "them", first.calls == 1 ? "It is" : "They are", "first calls", first.calls == 1 ? "it" : "them"));
  }
  for (const std::string& remark :
       {numbers_remark(&CallSum::denormal_seconds, "denormal numbers (below 2.2e-308, in single precision 1.2e-38)",
                       "if they are slow, these numbers may be why, and not the library", summary, breakdown),
        numbers_remark(&CallSum::invalid_seconds, "NaN or Inf, and got undefined results",
                       "their times are due to these numbers, and may say nothing about the library", summary, breakdown)}) {
    if (!remark.empty()) {
      all.push_back(remark);
    }
  }
  return all;
}

}  // namespace flopcast::program
