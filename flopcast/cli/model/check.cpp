#include "flopcast/cli/model/check.hpp"

#include <memory>
#include <string>

#include "flopcast/cli/model/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/library_options.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

std::string footer() {
  return R"(Every point is predicted from the store as 'flopcast predict' does it, and then measured between the calls among
which it was sampled. Up to half of the points are held out: predictions don't use their samples.

Columns:
)" + columns_help(check_columns()) +
         R"(
The verdict is one of
  holds      as many runs lie within their intervals as promised
  narrow     too few do, although the samples hold
  replaced   samples no longer held, by two series of runs: new ones stand in their place
  doubtful   samples may no longer hold, but the machine was noisy or the time was too short
  too few    fewer than three points

Examples:
  flopcast model check
  flopcast model check dgemm dtrsm --time-budget 1min --output check.json --json)";
}

struct CheckArguments {
  ModelCheckRequest request;
  machine::LibraryChoice libraries;
};

void run_check(const CheckArguments& given, const CommonOptions& common) {
  const Workbench bench(given.libraries, run_context(common));
  const ModelCheck check = check_models(bench, given.request, run_context(common));
  if (common.json) {
    emit_document(check, common);
  } else {
    emit(check_table(check), common);
  }
  for (const std::string& text : remarks(check)) {
    note(text, common);
  }
  throw_if_interrupted(check.complete ? "what was checked is shown" : "what was checked is shown, and the store is as it was");
}

}  // namespace

void add_check(OptionSet& model, CommonOptions& common) {
  auto given = std::make_shared<CheckArguments>();
  OptionSet command = model.add_command("check", "Measure a random part of what models on demand know and replace what no longer holds");
  add_request(command, given->request);
  add_library_options(command, given->libraries);
  command.footer(footer());
  command.action([given, &common] { run_check(*given, common); });
}

}  // namespace flopcast::cli
