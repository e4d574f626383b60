#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/compare/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The files are documents of one kind that commands wrote with --json --output, of mpi run those of --output. The verdicts are faster,
slower, same and unsure; rates are faster if they are larger. The exit code is 1 if a time or rate is slower beyond noise and by more
than --fail-above. The table is Markdown.

Examples:
  flopcast compare before.json after.json
  flopcast compare --fail-above 5% before.json after.json --output comment.md
  flopcast compare --save-baseline main before.json
  flopcast compare --baseline main after.json)";

struct CompareCommand {
  CompareRequest request;
  std::vector<std::string> files;
  std::string baseline, save_baseline;
  ResultFiles result_files;
};

/// Throws usage_error unless there are as many files as the command needs.
void require_files(const std::vector<std::string>& files, std::size_t count, const char* needed) {
  if (files.size() != count) {
    throw usage_error("compare needs {}, but {} given", needed,
                      files.empty()       ? "no file is"
                      : files.size() == 1 ? "only '" + files.front() + "' is"
                                          : fmt::format("{} are", files.size()));
  }
}

void keep(const CompareCommand& options, const CommonOptions& common) {
  require_files(options.files, 1, "one file to keep with --save-baseline");
  const Baseline baseline = save_baseline({options.save_baseline, options.files.front()});
  if (common.json) {
    emit_document(baseline, common);
  } else {
    note(fmt::format("baseline {}: {}", baseline.name, baseline.file), common);
  }
}

void compare(const CompareCommand& options, CommonOptions& common) {
  CompareRequest request = options.request;
  request.baseline = !options.baseline.empty();
  require_files(options.files, request.baseline ? 1 : 2, request.baseline ? "one file to compare with --baseline" : "two files");
  request.before = request.baseline ? options.baseline : options.files.front();
  request.after = options.files.back();
  const Comparison comparison = compare_results(request);
  if (common.json) {
    emit_document(comparison, common);
  } else if (common.csv) {
    emit(comparison_table(comparison), common);
  } else {
    emit_wrapped(comparison_text(comparison, common), common);
  }
  write_result_files(comparison, options.result_files, common);
  common.exit_code = static_cast<int>(comparison.fails ? ExitCode::check_failed : ExitCode::done);
}

}  // namespace

void add_compare_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<CompareCommand>();
  OptionSet command = app.add_command("compare", "Compare two results: what is faster or slower beyond noise");
  command.option("files", options->files, "Files of the earlier and the later result").placeholder("FILE");
  command.option("--baseline", options->baseline, "Compare the file with the baseline of this name").placeholder("NAME").no_setting();
  command.option("--save-baseline", options->save_baseline, "Keep the file under this name, to compare later ones with it")
      .placeholder("NAME")
      .no_setting();
  add_request(command, options->request);
  add_result_files(command, options->result_files);
  command.footer(footer);
  command.action([command, options, &common] {
    if (!command.given("--save-baseline")) {
      compare(*options, common);
      return;
    }
    for (const char* name : {"--baseline", "--fail-above", "--tolerance", "--noise", "--page", "--figure"}) {
      if (command.given(name)) {
        throw usage_error("{} is given, which means nothing with --save-baseline: that compares nothing", name);
      }
    }
    keep(*options, common);
  });
}

}  // namespace flopcast::cli
