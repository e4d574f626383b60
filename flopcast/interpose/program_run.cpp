#include "flopcast/interpose/program_run.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "flopcast/core/error.hpp"
#include "flopcast/interpose/launch.hpp"
#include "flopcast/interpose/prepared_program.hpp"
#include "flopcast/interpose/process_environment.hpp"
#include "flopcast/interpose/run_report.hpp"

namespace flopcast::interpose {
namespace {

namespace fs = std::filesystem;

/// The file in which the preloaded library counts; removed with this object.
class ReportFile {
 public:
  ReportFile() : path_((fs::temp_directory_path() / "flopcast-report-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) {
      throw environment_error("can't make a file {}: {}", path_, std::strerror(errno));
    }
    void* mapped = ftruncate(file, sizeof(RunReport)) == 0 ? mmap(nullptr, sizeof(RunReport), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                                                           : MAP_FAILED;
    close(file);
    if (mapped == MAP_FAILED) {
      unlink(path_.c_str());
      throw environment_error("can't map {}: {}", path_, std::strerror(errno));
    }
    report_ = static_cast<const RunReport*>(mapped);
  }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;
  ~ReportFile() {
    munmap(const_cast<RunReport*>(report_), sizeof(RunReport));
    unlink(path_.c_str());
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const RunReport& report() const noexcept { return *report_; }

 private:
  std::string path_;
  const RunReport* report_ = nullptr;
};

/// With links resolved, while those of LibraryLinks exist.
fs::path resolved(const SharedPath& shared) {
  const std::string text(shared.text, strnlen(shared.text, SharedPath::length));
  std::error_code error;
  fs::path path = text.empty() ? fs::path() : fs::canonical(text, error);
  return error ? fs::path(text) : path;
}

std::vector<RoutineUse> uses(const RunReport& report, const Profile& profile) {
  std::vector<RoutineUse> all;
  for (std::size_t i = 0; i < profile.routines.size(); ++i) {
    const RoutineReport& counts = report.routines[i];
    all.push_back({profile.routines[i].name, profile.routines[i].flags, counts.questions.load(), counts.smallest.load(),
                   counts.largest.load(), counts.told.load(), counts.short_workspaces.load(), counts.other_questions.load(),
                   std::string(counts.other_options.text, strnlen(counts.other_options.text, SharedOptions::length)),
                   resolved(counts.asker), resolved(counts.definer)});
  }
  return all;
}

}  // namespace

ProgramRun run_with_profile(const ProgramOptions& options, const Profile& profile) {
  PreparedProgram program(options, "libflopcast-tuned.so");
  std::vector<std::string>& environment = program.environment();
  const ReportFile file;
  ProgramRun run;
  for (const auto& [name, value] : profile.settings) {
    if (variable(environment, name).empty()) {
      set_variable(environment, name, value);
      run.settings[name] = value;
    }
  }
  set_variable(environment, blocks_variable, block_table_text(profile));
  set_variable(environment, report_variable, file.path());

  run.exit_code = run_program(program.file(), options.command, environment);
  run.processes = file.report().processes.load();
  run.blas = resolved(file.report().blas);
  run.routines = uses(file.report(), profile);
  return run;
}

}  // namespace flopcast::interpose
