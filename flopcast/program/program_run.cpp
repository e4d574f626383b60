#include "flopcast/program/program_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/prepared_program.hpp"
#include "flopcast/protocol/run_report.hpp"
#include "flopcast/protocol/threaded_routines.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/memory_file.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// The memory in which the preloaded library counts. It is made before the program begins; if that fails nothing is counted.
class ReportMemory {
 public:
  ReportMemory() {
    try {
      file_.emplace("flopcast-report");
      report_ = static_cast<const protocol::RunReport*>(file_->map(sizeof(protocol::RunReport)));
    } catch (const Error& error) {
      lacking_ = error.what();
    }
  }
  ReportMemory(const ReportMemory&) = delete;
  ReportMemory& operator=(const ReportMemory&) = delete;
  ~ReportMemory() {
    if (report_ != nullptr) {
      munmap(const_cast<protocol::RunReport*>(report_), sizeof(protocol::RunReport));
    }
  }

  /// Returns the path by which the preloaded library finds the memory; empty if there is none.
  [[nodiscard]] std::string path() const { return report_ != nullptr ? file_->path() : ""; }
  [[nodiscard]] const protocol::RunReport* report() const noexcept { return report_; }
  /// Returns the reason why there is no memory.
  [[nodiscard]] const std::string& lacking() const noexcept { return lacking_; }

 private:
  std::optional<MemoryFile> file_;
  const protocol::RunReport* report_ = nullptr;
  std::string lacking_;
};

/// Returns the path with links resolved, as long as those of LibraryLinks exist.
fs::path resolved(const protocol::SharedPath& shared) {
  const std::string text(shared.text, strnlen(shared.text, protocol::SharedPath::length));
  std::error_code error;
  fs::path path = text.empty() ? fs::path() : fs::canonical(text, error);
  return error ? fs::path(text) : path;
}

std::vector<RoutineUse> uses(const protocol::RunReport& report, const SavedTuning& tuning) {
  std::vector<RoutineUse> all;
  for (std::size_t i = 0; i < tuning.routines.size(); ++i) {
    const protocol::RoutineReport& counts = report.routines[i];
    all.push_back({tuning.routines[i].name, tuning.routines[i].flags, counts.queries.load(), counts.smallest.load(), counts.largest.load(),
                   counts.returned.load(), counts.short_workspaces.load(), counts.allowed.load(), counts.other_queries.load(),
                   std::string(counts.other_options.text, strnlen(counts.other_options.text, protocol::SharedOptions::length)),
                   resolved(counts.queried_by.text[0] != '\0' ? counts.queried_by : counts.definer).string()});
  }
  return all;
}

/// Returns the reason for an answer in words.
const char* text_of(protocol::AnswerReason reason) {
  switch (reason) {
    case protocol::AnswerReason::tuned: return "tuned";
    case protocol::AnswerReason::too_small: return "default: the size is below the tuning file's";
    case protocol::AnswerReason::other_options: return "default: the tuning file has the routine with other options";
    case protocol::AnswerReason::lacking: return lacking_reason;
  }
  return "";
}

/// Returns the sizes that were queried, each once.
std::vector<SizeUse> size_uses(const protocol::RunReport& report) {
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, SizeUse> all;
  for (const protocol::SizeReport& row : report.sizes) {
    if (row.state.load() != protocol::SizeReport::complete || row.queries.load() == 0) {
      continue;
    }
    std::string routine(row.name.letters, protocol::RoutineName::length);
    routine.resize(routine.find_last_not_of(' ') + 1);
    std::transform(routine.begin(), routine.end(), routine.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string options(row.options, strnlen(row.options, sizeof row.options));
    options.resize(options.find_last_not_of(' ') + 1);
    const std::int64_t n = row.n < 0 ? row.m : row.n;  // ilaenv's -1 stands for no size
    SizeUse& use = all[{routine, options, row.m, n}];
    use = {routine,
           options,
           row.m,
           n,
           use.queries + row.queries.load(),
           row.answer.load(),
           text_of(row.reason.load()),
           use.short_workspaces + row.short_workspaces.load()};
  }
  std::vector<SizeUse> sizes;
  for (auto& [key, use] : all) {
    sizes.push_back(std::move(use));
  }
  return sizes;
}

/// Returns the calls of each routine by library and number of threads.
std::vector<ThreadUse> thread_uses(const protocol::ThreadReport& report, std::string text) {
  const auto table = std::make_unique<protocol::ThreadTable>();
  std::vector<ThreadUse> uses;
  if (!protocol::parse(text.data(), *table)) {
    return uses;
  }
  const std::vector<const Routine*> routines = protocol::threaded_routines(kernel::catalogue());
  for (std::size_t r = 0; r < routines.size(); ++r) {
    for (std::size_t c = 0; c <= protocol::max_thread_counts; ++c) {
      if (const std::uint64_t calls = report.calls[r][c].load(); calls > 0) {
        uses.push_back({routines[r]->name, c < table->counts ? table->threads[c] : 0, calls});
      }
    }
    for (std::size_t o = 0; o < table->other_count; ++o) {
      if (const std::uint64_t calls = report.others[r][o].load(); calls > 0) {
        const protocol::OtherChoice& choice = table->others[o];
        uses.push_back({routines[r]->name, choice.threads, calls, std::string(table->libraries[choice.library])});
      }
    }
  }
  return uses;
}

}  // namespace

ProgramRun run_with_tuning(const ProgramOptions& options, const SavedTuning& tuning) {
  PreparedProgram program(options, "libflopcast-tuned.so");
  std::vector<std::string>& environment = program.environment();
  const ReportMemory memory;
  ProgramRun run;
  for (const auto& [name, value] : tuning.settings) {
    if (process::variable(environment, name).empty()) {
      process::set_variable(environment, name, value);
      run.settings[name] = value;
    }
  }
  process::set_variable(environment, protocol::blocks_variable, block_table_text(tuning));
  process::set_variable(environment, protocol::threads_variable, options.thread_table);
  process::set_variable(environment, protocol::report_variable, memory.path());

  run.exit_code = run_program(program.file(), options.command, environment);
  run.lacking_report = memory.lacking();
  if (const protocol::RunReport* report = memory.report()) {
    run.processes = report->processes.load();
    run.concluded = report->concluded.load();
    run.blas = resolved(report->blas);
    run.routines = uses(*report, tuning);
    run.sizes = size_uses(*report);
    run.threads = thread_uses(report->threads, options.thread_table);
    run.unlisted = report->unlisted.load();
  }
  return run;
}

}  // namespace flopcast::program
