#include <memory>
#include <string>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* describe_footer =
    R"(Messages are sent back and forth between two processes. Their times are kept in the store as the default machine of
'flopcast mpi simulate', and printed: a file to change and to give to --machine. A disturbed measurement says so
("disturbances") wherever it is used, and doesn't replace an undisturbed one in the store.

Examples:
  flopcast mpi describe
  flopcast mpi describe --mpi mpich --output node.json)";

void describe(const MpiDescribeRequest& request, const CommonOptions& common) {
  emit_document(describe_mpi_machine(Workbench({}, run_context(common)), request, run_context(common)), common);
}

}  // namespace

void add_mpi_describe_command(OptionSet& mpi, CommonOptions& common) {
  auto request = std::make_shared<MpiDescribeRequest>();
  OptionSet command = mpi.add_command("describe", "Measure what messages cost on this machine and describe it for 'simulate'");
  add_request(command, *request);
  command.footer(describe_footer);
  command.action([request, &common] { describe(*request, common); });
}

}  // namespace flopcast::cli
