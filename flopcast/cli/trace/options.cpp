#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/trace/tables.hpp"
#include "flopcast/tasks/programs/predict.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(The result is a document {"schema": "flopcast-trace-1"} that 'flopcast predict' reads.

Examples:
  flopcast trace dgeqrf n=1000 nb=64 --summary
  flopcast trace dpotrf uplo=L n=1000 nb=96 --output potrf.json
  flopcast trace dgeqrf m=2000 n=500 --mode observe --summary)";

struct TraceOptions {
  TraceRequest request;
  std::vector<std::string> arguments;
  std::string source = "lapack";
  std::string mode = "skip";
  bool summary = false;
};

void run_trace(const TraceOptions& options, const CommonOptions& common) {
  TraceRequest request = options.request;
  request.problem = parse_problems(request.problem.routine, options.arguments);
  request.own_algorithm = options.source == "algorithm";
  request.observe = options.mode == "observe";
  const RoutineTrace trace = record_trace(request, run_context(common));
  if (!options.summary) {
    emit_document(trace, common);
  } else if (common.json) {
    emit_document(summary_of(trace), common);
  } else {
    emit(summary_table(summary_of(trace)), common);
  }
}

}  // namespace

void add_trace_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<TraceOptions>();
  OptionSet command = app.add_command("trace", "Record the kernel calls of a LAPACK routine without executing them");
  command.option("routine", options->request.problem.routine, "LAPACK routine, e.g. dgeqrf").required().completes(ValueKind::routine);
  command.option("arguments", options->arguments, "Sizes and flags such as n=1000 uplo=L, and nb=, nbmin=, nx= (default: LAPACK's own)")
      .required()
      .placeholder("NAME=VALUE");
  command.option("--from", options->source, "Where the calls come from: real LAPACK, or flopcast's own algorithm")
      .choices({"lapack", "algorithm"})
      .show_default();
  command.option("--mode", options->mode, "skip: execute no kernel; observe: execute and time them")
      .choices({"skip", "observe"})
      .show_default();
  command.option("--blas", options->request.blas, "BLAS: loaded by name or path; default: serial OpenBLAS where there is one")
      .placeholder("LIBRARY")
      .setting("blas")
      .completes(ValueKind::blas);
  command.option("--lapack", options->request.lapack, "LAPACK: recorded, by name or path; default: the reference where it is installed")
      .placeholder("LIBRARY")
      .setting("lapack")
      .completes(ValueKind::lapack);
  command.flag("--summary", options->summary, "Only sum up: a table of calls, flops and times by kernel instead of the trace");
  command.footer(footer);
  command.action([options, &common] { run_trace(*options, common); });
}

}  // namespace flopcast::cli
