#include <memory>

#include "flopcast/cli/scale/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(Numbers and sizes of calls follow formulae of n, the parameter, that all recordings agree with. Models of kernels, which
are measured here, give the time of the calls; the time of the program's own code is extrapolated. Recordings that agree with no
growth are refused. Samples are kept, so that the same command goes on where a time budget or Ctrl-C ended it.

Examples:
  flopcast scale small.trace=500 middle.trace=1000 large.trace=2000 --to 8000)";

void scale(const ScaleRequest& request, const CommonOptions& common) {
  if (!request.to) {
    throw usage_error(
        "the parameter to predict for is missing. Give it with --to, as in: flopcast scale a.trace=500 b.trace=1000 c.trace=2000 --to "
        "8000");
  }
  const RunContext context = keeping_if_possible(run_context(common));
  const ScaledProgram scaled = scale_program(request, context);
  if (common.json) {
    emit_document(scaled, common);
  } else {
    emit(scale_table(scaled), common);
  }
  for (const std::string& remark : scaled.remarks) {
    context.note(remark);
  }
}

}  // namespace

void add_scale_command(OptionSet& app, CommonOptions& common) {
  OptionSet command = app.add_command("scale", "Predict a program's time for a larger parameter from recordings");
  auto request = std::make_shared<ScaleRequest>();
  add_request(command, *request);
  command.footer(footer);
  command.action([request, &common] { scale(*request, common); });
}

}  // namespace flopcast::cli
