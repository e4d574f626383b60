#include "flopcast/cli/recording_complaints.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <string_view>

#include "flopcast/core/error.hpp"
#include "flopcast/core/routine_symbol.hpp"
#include "flopcast/interpose/launch.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/elf_file.hpp"

namespace flopcast::cli {

std::string plural(std::uint64_t count, const std::string& noun) {
  const bool sibilant = noun.size() > 1 && noun.substr(noun.size() - 2) == "ss";
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : sibilant ? "es" : "s");
}

namespace {

bool is_routine(std::string_view symbol) {
  const RoutineSymbol name = routine_symbol(symbol);
  return is_c_routine(name.routine) ? kernel::find(name.routine.substr(std::string_view("cblas_").size())) != nullptr
                                    : !name.suffix.empty() && kernel::find(name.routine) != nullptr;
}

/// The program's file; empty if it isn't here.
std::filesystem::path program_file(const interpose::ProgramSummary& summary) {
  try {
    return summary.command.empty() ? std::filesystem::path() : interpose::find_program(summary.command.front());
  } catch (const Error&) {
    return {};
  }
}

/// The reason, as far as the recording and the program's file tell.
std::string why_no_calls(const interpose::ProgramSummary& summary) {
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
  return "the program makes none, or has these libraries linked into itself statically";
}

}  // namespace

std::vector<std::string> recording_complaints(const interpose::ProgramSummary& summary, std::int64_t calls) {
  std::vector<std::string> all;
  if (summary.loaded == 0) {
    all.emplace_back("the recording library was not loaded: did the program clear its environment?");
  } else if (calls == 0 && summary.dropped == 0 && summary.damaged == 0 && summary.missing == 0) {
    all.push_back("no BLAS or LAPACK call was seen: " + why_no_calls(summary));
  }
  if (summary.dropped > 0) {
    all.push_back(fmt::format("{} could not be recorded, since there was no room for them in the file", plural(summary.dropped, "call")));
  }
  if (summary.damaged > 0) {
    all.push_back(fmt::format("{} of the file can't be read", plural(summary.damaged, "piece")));
  }
  if (summary.missing > 0) {
    all.push_back(fmt::format("the file is cut off: {} of it are missing", plural(summary.missing, "byte")));
  }
  if (!summary.finished) {
    all.emplace_back("the recording has no end: 'flopcast record' was killed, or still runs");
  }
  return all;
}

}  // namespace flopcast::cli
