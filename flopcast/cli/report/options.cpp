#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/reporting/reporting.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The files are documents that commands wrote with --json --output, or pages, which embed theirs. The page is one HTML file that loads
nothing: it can be sent and opened without flopcast. 'flopcast compare', 'flopcast report' and flopcast.load() in Python read it back.

Examples:
  flopcast report tuning.json --output tuning.html
  flopcast report before.json after.html --output report.html)";

void run_report(const std::vector<std::string>& files, const CommonOptions& common) {
  if (common.output == "-") {
    throw usage_error("report writes a page: give its file, as in: flopcast report {} --output report.html", files.front());
  }
  if (common.json || common.csv) {
    throw usage_error("report writes a page; leave {} out", common.json ? "--json" : "--csv");
  }
  std::vector<NamedDocument> documents;
  for (const std::string& file : files) {
    const std::vector<NamedDocument> more = read_documents(file);
    documents.insert(documents.end(), more.begin(), more.end());
  }
  write_file(common.output, page_of(documents).html());
}

}  // namespace

void add_report_command(OptionSet& app, CommonOptions& common) {
  auto files = std::make_shared<std::vector<std::string>>();
  OptionSet command = app.add_command("report", "Write one page about results: answers, pictures, tables, documents");
  command.option("files", *files, "Documents or pages; - is standard input").required().placeholder("FILE");
  command.footer(footer);
  command.action([files, &common] { run_report(*files, common); });
}

}  // namespace flopcast::cli
