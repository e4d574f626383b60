
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cli/command.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/core/trace_json.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

constexpr std::int64_t largest_block = 1000000;

constexpr const char* footer = R"(The result is a document {"schema": "flopcast-trace-1"} that 'flopcast predict' reads.

Examples:
  flopcast trace dgeqrf n=1000 nb=64 --summary
  flopcast trace dpotrf uplo=L n=1000 nb=96 --output potrf.json
  flopcast trace dgeqrf m=2000 n=500 --mode observe --summary)";

struct TraceOptions {
  std::string routine;
  std::vector<std::string> arguments;
  std::string source = "lapack";
  std::string mode = "skip";
  std::string blas, lapack;
  bool summary = false;
};

/// nb, nbmin and nx as given; those that aren't keep LAPACK's values.
struct GivenBlocks {
  std::optional<std::int64_t> nb, nbmin, nx;

  [[nodiscard]] bool any() const { return nb || nbmin || nx; }
  [[nodiscard]] algorithm::BlockParameters over(const algorithm::BlockParameters& others) const {
    return {nb.value_or(others.nb), nbmin.value_or(others.nbmin), nx.value_or(others.nx)};
  }
};

/// Takes nb=, nbmin= and nx= out of the words on the command line.
GivenBlocks take_blocks(std::vector<std::string>& words) {
  GivenBlocks given;
  const std::map<std::string, std::pair<std::optional<std::int64_t>*, std::int64_t>> known = {
      {"nb", {&given.nb, 1}}, {"nbmin", {&given.nbmin, 0}}, {"nx", {&given.nx, 0}}};
  std::vector<std::string> others;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const auto block = known.find(word.substr(0, equals));
    if (equals == std::string::npos || block == known.end()) {
      others.push_back(word);
    } else {
      *block->second.first = parse_integer(word.substr(equals + 1), block->first, block->second.second, largest_block);
    }
  }
  words = others;
  return given;
}

/// The one call that the words describe; leading dimensions and work sizes are the routine's least and best unless given.
Call parse_problem(const Routine& routine, const std::vector<std::string>& words) {
  const kernel::RoutineArguments arguments = kernel::parse_routine_arguments(routine, words);
  const std::vector<Call> calls = kernel::routine_calls(routine, arguments.sizes, arguments.fixed);
  if (calls.size() != 1) {
    throw bad_input("a trace is of one problem, but the sizes given describe {}", calls.size());
  }
  return calls.front();
}

Trace record_lapack(const TraceOptions& options, const Call& call, const GivenBlocks& given) {
  const std::string blas = options.blas.empty() ? machine::default_blas() : options.blas;
  interpose::LibraryFiles files;
  files.blas = machine::locate_usable(blas, machine::Role::blas);
  const int integer_bytes = machine::integer_bytes(files.blas).value_or(4);
  const std::string lapack = options.lapack.empty() ? machine::default_lapack(integer_bytes) : options.lapack;
  files.lapack = lapack.empty() ? std::filesystem::path() : machine::locate_usable(lapack, machine::Role::lapack);
  interpose::Recorder recorder(files);
  std::optional<algorithm::BlockParameters> blocks;
  if (given.any()) {
    const std::optional<interpose::BlockSizeQuery> question = recorder.block_size_query(call);
    blocks = given.over(question ? question->answers : algorithm::BlockParameters{});
  }
  return recorder.record(call, blocks, options.mode == "observe" ? interpose::Mode::observe : interpose::Mode::skip);
}

Trace record_algorithm(const TraceOptions& options, const Call& call, const GivenBlocks& given) {
  if (options.mode == "observe") {
    throw usage_error("--mode observe executes LAPACK: it needs --from lapack");
  }
  if (!given.nb) {
    throw usage_error("--from algorithm needs a block size, such as nb=64: there is no LAPACK to ask");
  }
  return algorithm::record(call, given.over({}));
}

/// What the calls of one kernel add up to.
struct KernelSum {
  std::int64_t calls = 0;
  double flops = 0;
  Seconds seconds = 0;
};

/// A share in percent; of nothing it is nothing.
report::Cell share(double part, double whole) {
  const double percent = whole > 0 ? 100 * part / whole : 0;
  return {percent, fmt::format("{:.1f}", percent)};
}

void add_row(report::Table& table, const std::string& name, const KernelSum& sum, const KernelSum& total, bool timed) {
  std::vector<report::Cell> row = {name, report::whole(sum.calls), report::Cell(sum.flops, fmt::format("{:.4g}", sum.flops)),
                                   share(sum.flops, total.flops)};
  if (timed) {
    row.emplace_back(sum.seconds, format_seconds(sum.seconds));
    row.push_back(share(sum.seconds, total.seconds));
    const double rate = sum.seconds > 0 ? sum.flops / sum.seconds : 0;
    row.emplace_back(rate, format_flop_rate(rate));
  }
  table.rows.push_back(std::move(row));
}

/// What all calls add up to, by kernel.
struct Summary {
  std::vector<std::string> order;  ///< kernels, as they are first used
  std::map<std::string, KernelSum> sums;
  KernelSum total;
};

Summary summary_of(const Trace& trace) {
  Summary summary;
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    const std::string& name = trace.calls[i].routine->name;
    if (summary.sums.find(name) == summary.sums.end()) {
      summary.order.push_back(name);
    }
    for (KernelSum* sum : {&summary.sums[name], &summary.total}) {
      ++sum->calls;
      sum->flops += flops(trace.calls[i]);
      sum->seconds += trace.measured.empty() ? 0 : trace.measured[i];
    }
  }
  return summary;
}

nlohmann::json summary_document(const Trace& trace) {
  const Summary summary = summary_of(trace);
  const auto document = [&trace](const std::string& name, const KernelSum& sum) {
    nlohmann::json json = {{"kernel", name}, {"calls", sum.calls}, {"flops", sum.flops}};
    if (!trace.measured.empty()) {
      json["seconds"] = sum.seconds;
    }
    return json;
  };
  nlohmann::json kernels = nlohmann::json::array();
  for (const std::string& name : summary.order) {
    kernels.push_back(document(name, summary.sums.at(name)));
  }
  return {{"schema", "flopcast-trace-summary-1"}, {"kernels", std::move(kernels)}, {"all", document("all", summary.total)}};
}

/// One row per kernel in the order of first use, and the total.
report::Table summary_table(const Trace& trace) {
  const auto [order, sums, total] = summary_of(trace);
  const bool timed = !trace.measured.empty();
  report::Table table;
  table.columns = {{"kernel", report::Align::left}, {"calls"}, {"flops"}, {"flops %"}};
  if (timed) {
    table.columns.insert(table.columns.end(),
                         {{"time", report::Align::right, "seconds"}, {"time %"}, {"rate", report::Align::right, "flops_per_second"}});
  }
  for (const std::string& name : order) {
    add_row(table, name, sums.at(name), total, timed);
  }
  add_row(table, "all", total, total, timed);
  return table;
}

void run_trace(const TraceOptions& options, const CommonOptions& common) {
  const Routine& routine = kernel::require(options.routine);
  std::vector<std::string> words = options.arguments;
  const GivenBlocks given = take_blocks(words);
  const Call call = parse_problem(routine, words);
  const Trace trace = options.source == "lapack" ? record_lapack(options, call, given) : record_algorithm(options, call, given);
  if (given.any() && trace.configuration.parameters.count("nb") == 0 && !trace.calls.empty()) {
    note(fmt::format("{} of this library never asks for a block size: nb, nbmin and nx had no effect", routine.name), common);
  }
  if (static constexpr double nearly_all = 0.9; flops(trace) < nearly_all * flops(call)) {
    note(fmt::format("these calls hold {} of {}'s flops: the rest it does by itself, or where its data ask for it",
                     format_percent(flops(trace) / flops(call)), routine.name),
         common);
  }
  if (options.summary && common.json) {
    emit(summary_document(trace), common);
  } else if (options.summary) {
    emit(summary_table(trace), common);
  } else {
    emit(to_json(trace), common);
  }
}

}  // namespace

void add_trace_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<TraceOptions>();
  OptionSet command = app.add_command("trace", "Record the kernel calls of a LAPACK routine without executing them");
  command.option("routine", options->routine, "LAPACK routine, e.g. dgeqrf").required();
  command.option("arguments", options->arguments, "Sizes and flags such as n=1000 uplo=L, and nb=, nbmin=, nx= (default: LAPACK's own)")
      .required()
      .placeholder("NAME=VALUE");
  command.option("--from", options->source, "Where the calls come from: real LAPACK, or flopcast's own algorithm")
      .choices({"lapack", "algorithm"})
      .show_default();
  command.option("--mode", options->mode, "skip: execute no kernel; observe: execute and time them")
      .choices({"skip", "observe"})
      .show_default();
  command.option("--blas", options->blas, "BLAS to load, by name or path (default: serial OpenBLAS where there is one)");
  command.option("--lapack", options->lapack, "LAPACK to record, by name or path (default: the reference where it is installed)");
  command.flag("--summary", options->summary, "Print a table of calls, flops and times by kernel instead of the trace");
  command.footer(footer);
  command.action([options, &common] { run_trace(*options, common); });
}

}  // namespace flopcast::cli
