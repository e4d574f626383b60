#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(Questions of --what-if, which may be given several times. Kernels that the recording lacks are measured within
--time-budget:
  same          the recorded libraries and threads: what the models expect of them
  blas=NAME     another BLAS (LAPACK then is the reference, if it is installed)
  lapack=NAME   another LAPACK
  threads=N     other threads of BLAS
  kernels=auto  the best kernels of BLAS for this CPU; kernels=library: those that it chooses by itself
  nb            LAPACK with the best block sizes; goes with the others: blas=blis,threads=2,nb

Examples:
  flopcast record --threads 1 -- octave-cli --eval 'A = rand(400); A \ A; qr(A);' && flopcast profile flopcast.trace
  flopcast profile flopcast.trace --by shape --csv
  flopcast profile flopcast.trace --export perfetto --output timeline.json
  flopcast profile flopcast.trace --what-if blas=reference --page profile.html --time-budget 5s)";

struct ProfileOptions {
  ProfileRequest request;
  TimelineRequest timeline;
  std::string exported;  ///< tool for which the calls are written in place of tables; empty: none
  std::string by;
  std::size_t max_shapes = 20;
  ResultFiles files;
};

using TitledTable = std::pair<std::string, report::Table>;

/// Returns the table that --by names, or all that say something.
std::vector<TitledTable> tables(const ProgramProfile& profile, const ProfileOptions& options, bool csv) {
  std::vector<TitledTable> all;
  const auto wanted = [&](const std::string& name, bool by_default) { return options.by.empty() ? by_default : options.by == name; };
  if (wanted("routine", true)) {
    all.emplace_back("By routine", routine_table(profile));
  }
  if (wanted("shape", true)) {
    all.emplace_back("By shape", shape_table(profile, options.max_shapes, csv));
  }
  if (wanted("thread", profile.threads.size() > 1)) {
    all.emplace_back("By thread", thread_table(profile));
  }
  if (wanted("process", profile.processes.size() > 1)) {
    all.emplace_back("By process", process_table(profile));
  }
  if (wanted("what-if", !profile.what_if.empty())) {
    all.emplace_back("What if", answer_table(profile));
  }
  const auto is_tuned = [](const WhatIfResult& answer) { return !answer.blocks.empty(); };
  if (wanted("nb", std::any_of(profile.what_if.begin(), profile.what_if.end(), is_tuned))) {
    all.emplace_back("Block sizes", block_table(profile, csv));
  }
  return all;
}

void show(const ProgramProfile& profile, const ProfileOptions& options, const CommonOptions& common) {
  if (common.json) {
    emit_document(profile, common);
    return;
  }
  const std::vector<TitledTable> all = tables(profile, options, common.csv);
  if (!options.by.empty()) {
    emit(all.front().second, common);
    return;
  }
  std::string text = overview(profile) + "\n";
  if (profile.peak) {
    text += fmt::format("peak: {}, {}\n", format_flop_rate(profile.peak->flops_per_second), profile.peak->what);
  }
  for (const auto& [title, table] : all) {
    text += "\n" + title + ":\n\n" + render(table, common);
  }
  emit_wrapped(text, common);
}

void check(const ProfileOptions& options, const CommonOptions& common) {
  if (common.csv && options.by.empty()) {
    throw usage_error("there are several tables, and --csv holds one: choose it with --by, such as --by shape");
  }
  if ((options.by == "what-if" || options.by == "nb") && options.request.what_if.empty()) {
    throw usage_error("--by {} shows answers: it needs --what-if", options.by);
  }
}

/// Writes every call, for a viewer of traces.
void write_timeline(const ProfileOptions& options, const CommonOptions& common) {
  if (common.csv || !options.by.empty() || options.files.any() || !options.request.what_if.empty()) {
    throw usage_error("--export {} writes the calls and no tables: leave out --csv, --by, --page, --figure and --what-if",
                      options.exported);
  }
  TimelineRequest request = options.timeline;
  request.recording = options.request.recording;
  request.anonymous = options.request.anonymous;
  emit_document(export_timeline(request, run_context(common)), common);
}

/// Sets the exit code if questions were asked and none could be answered. The tables are shown all the same.
void report_failure(const std::vector<WhatIfResult>& answers, CommonOptions& common) {
  const auto failed = [](const WhatIfResult& answer) { return !answer.failure.empty(); };
  if (!answers.empty() && std::all_of(answers.begin(), answers.end(), failed)) {
    common.exit_code = answers.front().failure_code;
  }
}

void run_profile(const ProfileOptions& options, CommonOptions& common) {
  if (!options.exported.empty()) {
    write_timeline(options, common);
    return;
  }
  check(options, common);
  const ProgramProfile profile = profile_program(options.request, keeping_if_possible(program_context(common)));
  show(profile, options, common);
  write_result_files(profile, options.files, common);
  report_failure(profile.what_if, common);
}

}  // namespace

void add_profile_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<ProfileOptions>();
  OptionSet command = app.add_command("profile", "Show where a recorded program's time went, and what would change it");
  add_request(command, options->request);
  command.option("--by", options->by, "Show only this table: routine, shape, thread, process, what-if or nb")
      .choices({"routine", "shape", "thread", "process", "what-if", "nb"});
  command.option("--top", options->max_shapes, "Number of shapes to show; one row sums up the others").show_default().range(1, 1000000);
  add_result_files(command, options->files);
  command
      .option("--export", options->exported,
              "Write every call with its time for this tool, in place of tables: perfetto, also for chrome://tracing")
      .choices({"perfetto"});
  add_request(command, options->timeline);
  command.footer(footer);
  command.action([options, &common] { run_profile(*options, common); });
}

}  // namespace flopcast::cli
