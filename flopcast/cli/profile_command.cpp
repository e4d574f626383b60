#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/program_tables.hpp"
#include "flopcast/cli/recording_complaints.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/interpose/program_breakdown.hpp"
#include "flopcast/interpose/program_trace.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(Examples:
  flopcast record --threads 1 -- octave-cli --eval 'A = rand(400); A \ A; qr(A);' && flopcast profile flopcast.trace
  flopcast profile flopcast.trace --by shape --csv)";

struct ProfileOptions {
  std::string trace;
  std::string by;
  std::size_t top = 20;
};

/// The table that --by names, or all that say something.
std::vector<std::pair<std::string, report::Table>> tables(const ProgramView& view, const ProfileOptions& options) {
  std::vector<std::pair<std::string, report::Table>> all;
  const auto wanted = [&](const std::string& name, bool by_default) { return options.by.empty() ? by_default : options.by == name; };
  if (wanted("routine", true)) {
    all.emplace_back("By routine", routine_table(view));
  }
  if (wanted("shape", true)) {
    all.emplace_back("By shape", shape_table(view, options.top));
  }
  if (wanted("thread", view.breakdown.threads().size() > 1)) {
    all.emplace_back("By thread", thread_table(view));
  }
  if (wanted("process", view.breakdown.processes().size() > 1)) {
    all.emplace_back("By process", process_table(view));
  }
  return all;
}

std::string overview(const ProgramView& view) {
  const interpose::CallSum& all = view.breakdown.all();
  return fmt::format("{} of {} in {} of {}; {} in BLAS and LAPACK, the run took {}", plural(static_cast<std::uint64_t>(all.calls), "call"),
                     plural(view.breakdown.routines().size(), "routine"), plural(view.summary.threads.size(), "thread"),
                     plural(view.summary.processes.size(), "process"), format_seconds(all.seconds), format_seconds(view.summary.seconds));
}

void show(const ProgramView& view, const ProfileOptions& options, const CommonOptions& common) {
  const auto all = tables(view, options);
  if (all.size() == 1) {
    emit(all.front().second, common);
    return;
  }
  std::string text = overview(view) + "\n";
  for (const auto& [title, table] : all) {
    text += "\n" + title + ":\n\n" + render(table, common);
  }
  emit(text, common);
}

void run_profile(const ProfileOptions& options, const CommonOptions& common) {
  if (common.csv && options.by.empty()) {
    throw usage_error("there are several tables, and --csv holds one: choose it with --by routine, shape, thread or process");
  }
  const interpose::ProgramTraceFile file(options.trace);
  const interpose::ProgramBreakdown breakdown(file);
  const ProgramView view{file.summary(), breakdown, {}};
  show(view, options, common);
  for (const std::string& complaint : recording_complaints(file.summary(), breakdown.all().calls)) {
    note("flopcast: " + complaint, common);
  }
}

}  // namespace

void add_profile_command(CLI::App& app, CommonOptions& common) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = app.add_subcommand("profile", "Show where a recorded program's BLAS and LAPACK time went");
  command->add_option("trace", options->trace, "recording that 'flopcast record' wrote")->required()->type_name("FILE");
  command->add_option("--by", options->by, "show only this table")->check(CLI::IsMember({"routine", "shape", "thread", "process"}));
  command->add_option("--top", options->top, "shapes to show; the rest is one row")->capture_default_str()->check(CLI::Range(1, 1000000));
  command->footer(footer);
  command->callback([options, &common] { run_profile(*options, common); });
}

}  // namespace flopcast::cli
