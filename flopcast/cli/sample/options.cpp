#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "flopcast/cli/sample/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Cache states:
  warm                      the operands were just used by the same call, and filled anew where it decides by them
  cold                      they lie in no cache: their lines were flushed
  cold:sweep, cold:fresh    as cold, by reading more than caches hold, or by using other operands for each call
  L2                        all operands lie in this cache, those larger than it in the next one
  A=L1,B=memory,C=L2:dirty  each operand in a cache level, the others in the innermost that holds them
  replay:C,64KiB,A,B        after accesses to operands and to so much other memory, in this order

Examples:
  flopcast sample dgemm m=100:500:100 n=100 k=100
  flopcast sample dtrsm side=L uplo=L m=256 n=256 --cache warm --cache cold --repetitions 20
  flopcast sample ddot n=1000 --raw --csv
  echo '["dgemm m=64 n=64 k=64", "dsyrk n=64 k=32:64:16"]' | flopcast sample --calls - --json)";

struct SampleArguments {
  std::string routine;
  std::vector<std::string> arguments;
  std::string calls_file;
  bool raw = false, dry_run = false;
  SampleRequest request;
  machine::LibraryChoice libraries;
  ResultFiles files;
};

std::vector<Call> requested_calls(const SampleArguments& given) {
  if (given.calls_file.empty() == given.routine.empty()) {
    throw usage_error("give either a routine with its arguments, such as 'dgemm m=100 n=100 k=100', or --calls FILE");
  }
  std::vector<Call> calls =
      given.calls_file.empty() ? kernel::expand_calls(given.routine, given.arguments) : kernel::read_calls(given.calls_file);
  if (calls.empty()) {
    throw bad_input("{}: the file contains no calls", given.calls_file);
  }
  return calls;
}

void show(const SampleResult& result, bool raw, const CommonOptions& common) {
  if (common.json) {
    emit_document(result, common);
    return;
  }
  std::vector<std::string> notes;
  const report::Table statistics = statistics_table(result.samples, notes);
  emit(raw ? repetitions_table(result.samples) : statistics, common);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    note(fmt::format("note {}: {}", i + 1, notes[i]), common);
  }
}

void run_sample(const SampleArguments& given, const CommonOptions& common) {
  const std::vector<Call> calls = requested_calls(given);
  const SampleRequest& request = given.request;
  const Workbench bench(given.libraries, run_context(common));
  if (given.dry_run) {
    const std::vector<PlannedSample> plan = plan_samples(bench, calls, request);
    common.json ? emit_document(plan, common) : emit(plan_table(plan), common);
    return;
  }
  const SampleResult result = sample(bench, calls, request, run_context(common));
  show(result, given.raw, common);
  write_result_files(result, given.files, common);
  throw_if_interrupted(request.keep ? "what was measured is shown and kept in the store" : "what was measured is shown");
}

}  // namespace

void add_sample_command(OptionSet& app, CommonOptions& common) {
  auto given = std::make_shared<SampleArguments>();
  SampleRequest& request = given->request;
  OptionSet command = app.add_command("sample", "Time calls of BLAS and LAPACK routines in stated cache states");
  command.option("routine", given->routine, "Routine, e.g. dgemm").completes(ValueKind::routine);
  command.option("arguments", given->arguments, "Sizes (or ranges FIRST:LAST:STEP), flags, scalars, leading dimensions")
      .placeholder("NAME=VALUE ...");
  command.option("--calls", given->calls_file, "Calls from a JSON array of texts like the arguments above; - is standard input")
      .placeholder("FILE");
  add_request(command, request);
  add_library_options(command, given->libraries);
  command.flag("--raw", given->raw, "Print every repetition instead of statistics");
  command.flag("--store,!--no-store", request.keep, "Keep every repetition in the store (on unless --no-store)").rare();
  command.flag("--dry-run", given->dry_run, "Do nothing: only list what would be measured");
  add_result_files(command, given->files);
  command.footer(footer);
  command.action([given, &common] { run_sample(*given, common); });
}

}  // namespace flopcast::cli
