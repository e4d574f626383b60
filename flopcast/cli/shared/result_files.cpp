#include "flopcast/cli/shared/result_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "flopcast/cli/shared/options.hpp"
#include "flopcast/report/picture.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/reporting/reporting.hpp"

namespace flopcast::cli {
namespace {

/// Returns the command line as a shell reads it; empty if it asks to leave private names out.
std::string command_line() {
  const std::string bytes = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (const std::string_view word : split(bytes, '\0')) {
    words.emplace_back(word);
  }
  words.pop_back();  // behind the last word's end
  words.front() = "flopcast";
  return std::find(words.begin(), words.end(), "--anonymous") == words.end() ? shell_text(words) : "";
}

}  // namespace

void add_result_files(OptionSet& command, ResultFiles& files) {
  files.command = fmt::format("{}", fmt::join(command.description().words, " "));
  command.option("--page", files.page, "Also write the results as one page (HTML)")
      .placeholder("FILE")
      .no_setting()
      .each([](const std::string& path) {
        if (path == "-") {
          throw usage_error("--page -: standard output has the results already; give the page a file");
        }
        require_writable(path);
      });
  command.option("--figure", files.figure, "Also draw the main picture (.svg, .png, .pdf, .gp), with its values as CSV")
      .placeholder("FILE")
      .no_setting()
      .each(report::require_drawable);
  const std::vector<Option> options = command.options();
  if (std::none_of(options.begin(), options.end(), [](const Option& option) { return option.description().name == "anonymous"; })) {
    command.flag("--anonymous", files.anonymous, "Leave private names out: folders and arguments of commands, of the page").rare();
  }
}

void write_document_files(const std::string& document, const ResultFiles& files, const CommonOptions& common) {
  const NamedDocument named = {files.command, document};
  std::optional<report::Picture> picture;
  if (!files.figure.empty()) {
    picture = main_picture(named);
  }
  if (!files.page.empty()) {
    const NamedDocument shown = {files.command, files.anonymous ? anonymous_json(document) : document};
    std::vector<std::string> remarks = common.noise->told();
    if (files.anonymous) {
      std::transform(remarks.begin(), remarks.end(), remarks.begin(), without_paths);
    }
    write_file(files.page, page_of({shown}, remarks, files.anonymous ? "" : command_line()).html());
  }
  if (picture) {
    report::draw(*picture, files.figure);
  }
}

}  // namespace flopcast::cli
