#include "flopcast/cli/shared/options.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/report/progress.hpp"
#include "flopcast/report/terminal.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* library_value = "LIBRARY";  // placeholder

void add_lapack_option(OptionSet& command, machine::LibraryChoice& choice) {
  command.option("--lapack", choice.lapack, "LAPACK: reference, openblas or a path")
      .placeholder(library_value)
      .setting("lapack")
      .completes(ValueKind::lapack)
      .rare();
}

void add_kernels_option(OptionSet& command, machine::LibraryChoice& choice) {
  command
      .option("--kernels", choice.kernels,
              "Kernels of BLAS. auto: where the BLAS detects the wrong CPU, the kernels found best by trying; library: the library's "
              "own choice")
      .show_default()
      .choices({"auto", "library"})
      .rare();
}

std::string wrapped(const std::string& text, std::optional<std::size_t> width) { return width ? report::wrapped(text, *width) : text; }

}  // namespace

void add_library_options(OptionSet& command, machine::LibraryChoice& choice) {
  command.option("--blas", choice.blas, "BLAS: openblas-serial, openblas-pthread, blis, reference, ... or a path")
      .placeholder(library_value)
      .setting("blas")
      .completes(ValueKind::blas);
  add_lapack_option(command, choice);
  command.option("--threads", choice.threads, "Threads of BLAS").setting("threads").show_default().range(1, 1024);
  add_kernels_option(command, choice);
}

void add_library_lists(OptionSet& command, machine::LibraryChoice& choice, std::string& blas, std::string& threads) {
  command.option("--blas", blas, "BLAS, one or several: openblas-serial,blis-serial; names or paths")
      .placeholder(library_value)
      .setting("blas")
      .completes(ValueKind::blas);
  add_lapack_option(command, choice);
  command.option("--threads", threads, "Threads of BLAS, one number or several: 1,2").placeholder("LIST").setting("threads").show_default();
  add_kernels_option(command, choice);
}

void add_common_options(OptionSet& app, CommonOptions& common) {
  const char* const group = OptionSet::common_group;
  const Option json = app.flag("--json", common.json, "Print a JSON document instead of a table").group(group).no_setting();
  app.flag("--csv", common.csv, "Print comma-separated values instead of a table").group(group).excludes(json).no_setting();
  app.option("-o,--output", common.output, "Write results to FILE; - is standard output")
      .group(group)
      .placeholder("FILE")
      .no_setting()
      .each(require_writable);
  app.flag("-q,--quiet", common.quiet, "No progress and no notes on standard error").group(group).setting("quiet");
  app.option("--color", common.color, "Colour results: auto, always or never (auto heeds NO_COLOR)")
      .group(group)
      .placeholder("WHEN")
      .setting("color")
      .choices({"auto", "always", "never"});
  for (OptionSet command : app.commands()) {
    add_common_options(command, common);
  }
}

bool use_color(const CommonOptions& common) {
  if (common.color != "auto") {
    return common.color == "always";
  }
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = (no_color != nullptr && *no_color != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
  return !refused && common.output == "-" && ::isatty(STDOUT_FILENO) == 1;
}

std::optional<std::size_t> results_width(const CommonOptions& common) {
  return common.output == "-" ? report::terminal_width(STDOUT_FILENO) : std::nullopt;
}

std::string render(const report::Table& table, const CommonOptions& common, std::optional<std::size_t> width) {
  return common.csv ? report::to_csv(table) : report::to_text(table, use_color(common), width);
}

std::string render(const report::Table& table, const CommonOptions& common) { return render(table, common, results_width(common)); }

std::string render_note(const report::Table& table, const CommonOptions& common) {
  return render(table, common, report::terminal_width(STDERR_FILENO));
}

void note_noise(const CommonOptions& common) {
  for (const std::string& line : common.noise->take()) {
    note("warning: " + line, common);
  }
}

bool shows_parts(const CommonOptions& common) { return !common.json && !common.csv && common.output == "-"; }

void emit(const std::string& text, const CommonOptions& common) {
  if (interrupted()) {
    let_results_be_shown();
  }
  if (common.json || common.csv) {
    note_noise(common);
  }
  write_file(common.output, wrapped(common.noise->take_before(""), results_width(common)) + text);
}
void emit(const report::Table& table, const CommonOptions& common) { emit(render(table, common), common); }

void emit_wrapped(const std::string& text, const CommonOptions& common) { emit(wrapped(text, results_width(common)), common); }

void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

void tell(const std::string& text) { say(wrapped(text, report::terminal_width(STDERR_FILENO))); }

void note(const std::string& text, const CommonOptions& common) {
  if (!common.quiet) {
    tell(text.ends_with('\n') ? text : text + '\n');
  }
}

RunContext run_context(const CommonOptions& common) {
  const bool draws = !common.quiet && ::isatty(STDERR_FILENO) == 1;
  RunContext context;
  context.note = [quiet = common.quiet](const std::string& text) {
    if (!quiet) {
      tell(text + '\n');
    }
  };
  context.noise = [lines = common.noise](const std::string& text) { lines->tell(text); };
  context.progress = [draws](std::string_view label) -> Progress {
    return [bar = std::make_shared<report::ProgressBar>(std::string(label), draws)](std::int64_t done, std::int64_t expected) {
      bar->update(done, expected);
      return true;
    };
  };
  context.cancelled = [] { return interrupted(); };
  return context;
}

}  // namespace flopcast::cli
