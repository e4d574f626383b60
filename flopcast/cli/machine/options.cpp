#include <memory>

#include "flopcast/cli/machine/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"

namespace flopcast::cli {

void add_machine_command(OptionSet& app, CommonOptions& common) {
  OptionSet command = app.add_command("machine", "Show this machine: CPU, measured caches, clocks, noise, libraries");
  auto request = std::make_shared<MachineRequest>();
  add_request(command, *request);
  command.footer("Examples:\n  flopcast machine\n  flopcast machine --fresh --json --output machine.json");
  command.action([request, &common] {
    const MachineReport found = inspect_machine(*request, keeping_if_possible(run_context(common)));
    if (common.json) {
      emit_document(found, common);
    } else {
      common.csv ? emit(cache_table(found.measurement), common) : emit_wrapped(to_text(found, common), common);
    }
  });
}

}  // namespace flopcast::cli
