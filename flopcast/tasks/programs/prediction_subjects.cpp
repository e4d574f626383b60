#include "flopcast/tasks/programs/prediction_subjects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/registry.hpp"
#include "flopcast/core/documents.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

/// Returns every combination of the given values over LAPACK's own.
std::vector<algorithm::BlockParameters> combinations(const LapackProblems& lists, const algorithm::BlockParameters& defaults) {
  const auto or_default = [](const std::vector<std::int64_t>& values, std::int64_t usual) {
    return values.empty() ? std::vector{usual} : std::vector<std::int64_t>(values);
  };
  std::vector<algorithm::BlockParameters> all;
  for_each_combination<std::int64_t>(
      {or_default(lists.nb, defaults.nb), or_default(lists.nbmin, defaults.nbmin), or_default(lists.nx, defaults.nx)},
      [&](const std::vector<std::int64_t>& values) {
        algorithm::BlockParameters& blocks = all.emplace_back(defaults);
        blocks.nb = values[0];
        blocks.nbmin = values[1];
        blocks.nx = values[2];
      });
  return all;
}

/// Throws bad_input if there are more combinations of problems and block parameters than can be recorded.
void require_few(const LapackProblems& lists, std::size_t problems) {
  constexpr std::size_t max_subjects = 10'000;
  std::size_t count = problems;
  for (const auto* values : {&lists.nb, &lists.nbmin, &lists.nx}) {
    count = std::min(count, max_subjects + 1) * std::max<std::size_t>(values->size(), 1);
  }
  if (count > max_subjects) {
    throw bad_input("{} and the values of nb, nbmin and nx make more than {} predictions; give fewer of them", counted(problems, "problem"),
                    max_subjects);
  }
}

/// Gives all calls of the subject this number of threads of BLAS, and sums up their flops.
void set_threads(PredictionSubject& subject, int threads) {
  for (Call& call : subject.trace.calls) {
    call.threads = threads;
  }
  subject.flops = flops(subject.trace);
}

/// Records the calls of routines, and finds those whose work isn't in calls.
class RoutineRecorder {
 public:
  explicit RoutineRecorder(const Workbench& bench) : recorder_(bench.files()), lapack_(bench.libraries().lapack().path) {}

  /// Adds one subject for every combination of block sizes.
  void append(std::vector<PredictionSubject>& subjects, const Call& call, const LapackProblems& lists) {
    const std::optional<protocol::BlockSizeQuery> question = own_question(call);
    const bool given = !lists.nb.empty() || !lists.nbmin.empty() || !lists.nx.empty();
    if (given && !question) {
      refuse_blocks(call);
    }
    const std::string size = kernel::size_text(kernel::distinguishing_sizes(call));
    if (!question) {
      subjects.push_back({size, "-", flops(call), unblocked_trace(call)});
      return;
    }
    for (const algorithm::BlockParameters& blocks : combinations(lists, question->answers)) {
      const std::string nb = lists.nx.empty() ? fmt::format("{}", blocks.nb) : fmt::format("{} / {}", blocks.nb, blocks.nx);
      subjects.push_back({size, nb, flops(call), recorder_.record(call, blocks)});
    }
  }

  /// Returns whether a routine was taken as a whole.
  [[nodiscard]] bool any_whole() const noexcept { return any_whole_; }

 private:
  /// Returns nothing for routines that never query, and for those that can't be recorded.
  std::optional<protocol::BlockSizeQuery> own_question(const Call& call) {
    if (kernel::iterates(*call.routine)) {
      return std::nullopt;  // its blocked part is a routine of its own, and recording it takes as long as iterating
    }
    try {
      return recorder_.block_size_query(call);
    } catch (const Error& error) {
      require_recording_failed(error);
      return std::nullopt;
    }
  }

  [[noreturn]] void refuse_blocks(const Call& call) {
    std::vector<std::string> querying;
    for (const program::TunableCall& tunable : recorder_.tunable_calls(call)) {
      if (std::find(querying.begin(), querying.end(), tunable.call.routine->name) == querying.end()) {
        querying.push_back(tunable.call.routine->name);
      }
    }
    if (!querying.empty()) {
      throw bad_input("{} doesn't query ilaenv for a block size itself, but {} in it {}; give nb, nbmin and nx to {}", call.routine->name,
                      fmt::join(querying, ", "), querying.size() == 1 ? "does" : "do", querying.size() == 1 ? "that" : "those");
    }
    const bool is_reference = lapack_.find("/liblapack.so") != std::string::npos;
    throw bad_input("{} never queries ilaenv of {} for a block size, so nb, nbmin and nx change nothing{}", call.routine->name, lapack_,
                    is_reference ? "" : "; the reference LAPACK's may: --lapack reference");
  }

  /// Returns the calls below the routine if they hold its work, else the routine as one call.
  Trace unblocked_trace(const Call& call) {
    static constexpr double nearly_all = 0.9;
    if (!kernel::iterates(*call.routine)) {
      try {
        Trace trace = recorder_.record(call, std::nullopt);
        if (!trace.calls.empty() && flops(trace) >= nearly_all * flops(call)) {
          return trace;
        }
      } catch (const Error& error) {
        require_recording_failed(error);
      }
    }
    any_whole_ = true;
    return whole(call);
  }

  /// Returns the routine as one call, which is sampled like a kernel.
  Trace whole(const Call& call) {
    Call placed = call;
    const std::vector<Argument>& arguments = call.routine->arguments;
    if (std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.kind == Kind::work_size; })) {
      placed = recorder_.with_work_sizes(call);
    }
    Trace trace;
    trace.configuration = algorithm::configuration(placed, {});
    trace.configuration.parameters.erase("nb");
    placed = measure::with_addresses(placed);
    trace.allocations = measure::memory_of(std::span(&placed, 1), {});
    trace.calls = {placed};
    return trace;
  }

  /// Throws `error` again unless the routine stopped at the data of a recording, or crashed on them (pivots of zero).
  static void require_recording_failed(const Error& error) {
    if (error.code() != ExitCode::unusable_measurement && error.code() != ExitCode::environment) {
      throw error;
    }
  }

  program::Recorder recorder_;
  std::string lapack_;
  bool any_whole_ = false;
};

}  // namespace

void note_skipped(const program::RecordedProgram& program, const RunContext& context) {
  std::size_t named = 0;
  Seconds seconds = 0;
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    program.visit(t, [&](const program::ProgramEvent& event) {
      named += event.described() ? 0 : 1;
      seconds += event.described() ? 0 : event.seconds;
    });
  }
  if (named > 0) {
    context.note(fmt::format("{} that took {} are known by name only and skipped", counted(named, "call"), format_seconds(seconds)));
  }
}

std::vector<PredictionSubject> record_subjects(const LapackProblems& problems, const Workbench& bench, const RunContext& context) {
  const Routine& routine = kernel::require(problems.routine);
  if (problems.sizes.empty() && problems.n.empty()) {
    throw usage_error("predict {}: no sizes given; add n=1000 or n=200:3200", routine.name);
  }
  std::vector<Call> calls = calls_of(problems);
  require_few(problems, calls.size());
  RoutineRecorder recorder(bench);
  std::vector<PredictionSubject> subjects;
  for (Call& call : calls) {
    call.threads = bench.choice().threads;
    recorder.append(subjects, call, problems);
  }
  if (recorder.any_whole()) {
    context.note(fmt::format("{} is timed as a whole: its work isn't in calls that can be recorded without executing it", routine.name));
  } else if (problems.nb.empty() && subjects.front().blocks != "-") {
    context.note("LAPACK's own block sizes; nb=32,64 predicts others");
  }
  return subjects;
}

PredictionSubject read_subject(const std::string& file, int threads) {
  PredictionSubject subject;
  subject.trace = trace_from_json(read_document(file, "flopcast-trace-1"), kernel::find);
  std::vector<std::int64_t> sizes;
  const auto& parameters = subject.trace.configuration.parameters;
  for (const char* name : {"m", "n", "k"}) {
    if (const auto at = parameters.find(name); at != parameters.end()) {
      sizes.push_back(at->second);
    }
  }
  subject.sizes = kernel::size_text(sizes);
  const auto nb = parameters.find("nb");
  subject.blocks = nb == parameters.end() ? "-" : fmt::format("{}", nb->second);
  set_threads(subject, threads);
  return subject;
}

std::vector<PredictionSubject> thread_subjects(const OpenedRecording& recording, const std::string& file, int threads,
                                               const RunContext& context) {
  std::vector<PredictionSubject> subjects;
  for (program::ThreadCalls& thread : program::described_calls(recording.file, recording.breakdown)) {
    const std::uint32_t tid = recording.file.summary().threads[thread.thread].tid;
    set_threads(subjects.emplace_back(PredictionSubject{std::to_string(tid), "-", 0, std::move(thread.trace), std::move(thread.pauses)}),
                threads);
  }
  note_skipped(recording.file, context);
  if (subjects.empty()) {
    throw bad_input("{} holds no call that the catalogue describes", file);
  }
  return subjects;
}

}  // namespace flopcast
