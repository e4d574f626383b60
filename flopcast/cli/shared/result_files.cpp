#include "flopcast/cli/shared/result_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "flopcast/cli/shared/options.hpp"
#include "flopcast/report/picture.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/reporting/reporting.hpp"

namespace flopcast::cli {

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
}

void write_document_files(const std::string& document, const ResultFiles& files, const CommonOptions& common) {
  const NamedDocument named = {files.command, document};
  std::optional<report::Picture> picture;
  if (!files.figure.empty()) {
    picture = main_picture(named);
  }
  if (!files.page.empty()) {
    write_file(files.page, page_of({named}, common.noise->told()).html());
  }
  if (picture) {
    report::draw(*picture, files.figure);
  }
}

}  // namespace flopcast::cli
