#include <fmt/format.h>

#include <map>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/predict.hpp"

namespace flopcast {
namespace {

/// Returns the only problem that is described.
Call only_call(const LapackProblems& problem) {
  const std::vector<Call> calls = calls_of(problem);
  const std::size_t count = calls.size() * std::max<std::size_t>(1, problem.nb.size()) * std::max<std::size_t>(1, problem.nbmin.size()) *
                            std::max<std::size_t>(1, problem.nx.size());
  if (count != 1) {
    throw bad_input("a trace is of one problem, but the sizes given describe {}", count);
  }
  return calls.front();
}

/// Returns the given parameters over `others`.
algorithm::BlockParameters blocks_over(const LapackProblems& problem, const algorithm::BlockParameters& others) {
  const auto given = [](const std::vector<std::int64_t>& values, std::int64_t otherwise) {
    return values.empty() ? otherwise : values.front();
  };
  return {given(problem.nb, others.nb), given(problem.nbmin, others.nbmin), given(problem.nx, others.nx)};
}

bool gives_blocks(const LapackProblems& problem) { return !problem.nb.empty() || !problem.nbmin.empty() || !problem.nx.empty(); }

Trace record_lapack(const TraceRequest& request, const Call& call) {
  const std::string blas = request.blas.empty() ? machine::default_blas() : request.blas;
  program::LibraryFiles files;
  files.blas = machine::locate_usable(blas, machine::Role::blas);
  const int integer_bytes = machine::integer_bytes(files.blas).value_or(4);
  const std::string lapack = request.lapack.empty() ? machine::default_lapack(integer_bytes) : request.lapack;
  files.lapack = lapack.empty() ? std::filesystem::path() : machine::locate_usable(lapack, machine::Role::lapack);
  program::Recorder recorder(files);
  std::optional<algorithm::BlockParameters> blocks;
  if (gives_blocks(request.problem)) {
    const std::optional<protocol::BlockSizeQuery> question = recorder.block_size_query(call);
    blocks = blocks_over(request.problem, question ? question->answers : algorithm::BlockParameters{});
  }
  return recorder.record(call, blocks, request.observe ? protocol::Mode::observe : protocol::Mode::skip);
}

Trace record_algorithm(const TraceRequest& request, const Call& call) {
  if (request.observe) {
    throw usage_error("--mode observe executes LAPACK: it needs --from lapack");
  }
  if (request.problem.nb.empty()) {
    throw usage_error("--from algorithm needs a block size, such as nb=64: there is no LAPACK to ask");
  }
  return algorithm::record(call, blocks_over(request.problem, {}));
}

void add(TraceSummary::Kernel& sum, const Trace& trace, std::size_t call) {
  ++sum.calls;
  sum.flops += flops(trace.calls[call]);
  if (!trace.measured.empty()) {
    sum.seconds = sum.seconds.value_or(0) + trace.measured[call];
  }
}

}  // namespace

RoutineTrace record_trace(const TraceRequest& request, const RunContext& context) {
  const Routine& routine = kernel::require(request.problem.routine);
  const Call call = only_call(request.problem);
  RoutineTrace recorded{request.own_algorithm ? record_algorithm(request, call) : record_lapack(request, call)};
  const Trace& trace = recorded.trace;
  if (gives_blocks(request.problem) && trace.configuration.parameters.count("nb") == 0 && !trace.calls.empty()) {
    context.note(fmt::format("{} of this library never queries a block size: nb, nbmin and nx had no effect", routine.name));
  }
  if (static constexpr double nearly_all = 0.9; flops(trace) < nearly_all * flops(call)) {
    context.note(fmt::format("the recorded calls cover {} of {}'s flops. The rest is computed inside {}, outside of BLAS",
                             format_percent(flops(trace) / flops(call)), routine.name, routine.name));
  }
  return recorded;
}

TraceSummary summary_of(const RoutineTrace& recorded) {
  const Trace& trace = recorded.trace;
  TraceSummary summary;
  summary.all.kernel = "all";
  std::map<std::string, std::size_t> index;
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    const auto [at, is_new] = index.try_emplace(trace.calls[c].routine->name, summary.kernels.size());
    if (is_new) {
      summary.kernels.push_back({at->first, 0, 0, {}});
    }
    add(summary.kernels[at->second], trace, c);
    add(summary.all, trace, c);
  }
  return summary;
}

}  // namespace flopcast
