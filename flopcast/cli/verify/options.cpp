#include <memory>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/verify/tables.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(Calls are made in a child process, with NaN in all memory that must not be read. Their results are compared in wider
arithmetic, by the relation that defines them and its bound of rounding errors. The exit code is 1 if a result is wrong or a
call ends the process. A verification that Ctrl-C or the time budget ends goes on when the same command is run again.

Examples:
  flopcast verify --time-budget 10s
  flopcast verify --blas openblas-serial --routine gemm --routine dgetrf --time-budget 5s
  flopcast verify --threads 1,2 --reproducer wrong.c --time-budget 20s
  flopcast record --threads 1 -- octave-cli --eval 'A = rand(200); A \ A;' && flopcast verify --recording flopcast.trace --rounds 0)";

void verify(const VerifyRequest& request, CommonOptions& common) {
  const RunContext context = keeping_if_possible(run_context(common), "the state of a verification that ends early is not kept");
  const Verification result = verify_libraries(Workbench({}, context), request, context);
  if (common.json) {
    emit_document(result, common);
  } else if (common.csv) {
    emit(verified_table(result), common);
  } else {
    emit(render(verified_table(result), common) + verification_text(result), common);
  }
  throw_if_interrupted("what was verified is shown and kept; run the same command again to go on");
  if (!result.is_complete) {
    note("The time is used up before all calls were made; run the same command again to go on, or allow more by --time-budget", common);
  }
  if (result.fails()) {
    common.exit_code = static_cast<int>(ExitCode::check_failed);
  }
}

}  // namespace

void add_verify_command(OptionSet& app, CommonOptions& common) {
  auto request = std::make_shared<VerifyRequest>();
  OptionSet command = app.add_command("verify", "Verify that the results of BLAS and LAPACK libraries are right");
  add_request(command, *request);
  command.footer(footer);
  command.action([request, &common] { verify(*request, common); });
}

}  // namespace flopcast::cli
