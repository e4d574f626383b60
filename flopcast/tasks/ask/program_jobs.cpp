#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/ask/size_list.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast {
namespace {

/// Problems of a LAPACK routine.
struct ProblemsQuestion {
  std::string routine;
  NamedSizes sizes;
  std::map<std::string, std::string> arguments;
  SizeList n, nb, nbmin, nx;
};

/// The way in which calls are predicted.
struct MethodQuestion {
  std::string cache = "placed";
  std::string start;
  std::int64_t capacity_bytes = 0;
  std::string generator = PredictionOptions().generator;
  Seconds time_budget = PredictionOptions().time_budget;
  bool with_calls = false;
};

struct PredictQuestion {
  ProblemsQuestion problems;
  MethodQuestion method;
};

struct PredictTraceQuestion {
  std::string trace;
  MethodQuestion method;
  std::string what_if = "same";
};

struct TraceQuestion {
  ProblemsQuestion problems;
  bool own_algorithm = false, observe = false;
};

struct RecordQuestion {
  RecordRequest request;
  std::string output = RecordRequest().output.string();
};

struct RecordingQuestion {
  std::string file;
  bool events = false;
};

struct ProfileQuestion {
  std::string recording;
  bool with_peak = true;
  std::vector<std::string> what_if;
  Seconds time_budget = WhatIfOptions().time_budget;
  std::string kernels = WhatIfOptions().kernels;
  std::optional<int> threads;
};

/// Adds n to the sizes, as the argument of that name.
std::map<std::string, std::vector<std::int64_t>> sizes_of(const ProblemsQuestion& question) {
  auto sizes = values_of(question.sizes);
  if (!question.n.values.empty() && !sizes.emplace("n", question.n.values).second) {
    throw MemberError("n", "n is given twice, as n and in sizes");
  }
  return sizes;
}

LapackProblems problems_of(const ProblemsQuestion& question) {
  return {sizes_of(question), question.arguments, question.nb.values, question.nbmin.values, question.nx.values};
}

PredictionOptions options_of(const MethodQuestion& question) {
  PredictionOptions options;
  options.method = prediction::parse_method(question.cache);
  constexpr std::array<std::pair<const char*, cache::Start>, 4> starts = {{{"filled", cache::Start::filled},
                                                                           {"repeated", cache::Start::repeated},
                                                                           {"paper", cache::Start::artificial},
                                                                           {"cold", cache::Start::cold}}};
  if (!question.start.empty()) {
    const auto* const found = std::find_if(starts.begin(), starts.end(), [&](const auto& start) { return start.first == question.start; });
    if (found == starts.end()) {
      throw MemberError("start", "'" + question.start + "' given, expected filled, repeated, paper or cold");
    }
    options.start = found->second;
  }
  options.capacity_bytes = question.capacity_bytes;
  options.generator = question.generator;
  options.time_budget = question.time_budget;
  options.with_calls = question.with_calls;
  return options;
}

Predictions predict_trace_or_recording(const Workbench& bench, const PredictTraceQuestion& question, const RunContext& context) {
  const PredictionOptions options = options_of(question.method);
  if (is_recording(question.trace)) {
    return predict_recording(question.trace, parse_what_if(question.what_if), options, context);
  }
  if (question.what_if != "same") {
    throw MemberError("what_if", question.trace + " is the trace of a routine, expected a recorded program");
  }
  return predict_trace(bench, question.trace, options, context);
}

ProfileRequest request_of(const ProfileQuestion& question) {
  ProfileRequest request;
  request.with_peak = question.with_peak;
  for (const std::string& text : question.what_if) {
    request.what_if.push_back(parse_what_if(text));
  }
  request.options = {question.time_budget, question.kernels, question.threads};
  return request;
}

}  // namespace

template <>
struct FieldTable<ProblemsQuestion> {
  using T = ProblemsQuestion;
  static constexpr auto fields =
      std::tuple(within(bounds::given, field("routine", &T::routine, "LAPACK routine, such as \"dgeqrf\"")),
                 optional_field("n", &T::n, "orders; all sizes that `sizes` doesn't name are equal"),
                 within(bounds::given, optional_field("sizes", &T::sizes, "sizes by the names of arguments")),
                 optional_field("arguments", &T::arguments, "flags and other arguments: {\"uplo\": \"L\"}"),
                 optional_field("nb", &T::nb, "block sizes; empty: LAPACK's own"), optional_field("nbmin", &T::nbmin, "least block sizes"),
                 optional_field("nx", &T::nx, "crossover points"));
};
template <>
struct FieldTable<MethodQuestion> {
  using T = MethodQuestion;
  static constexpr auto fields = std::tuple(
      optional_field("cache", &T::cache, "how the cache is treated: placed, levels, paper, warm or cold"),
      optional_field("start", &T::start, "what came before: filled, repeated, paper or cold; empty: as `cache` has it"),
      within(bounds::between(0, 1e18),
             optional_field("capacity_bytes", &T::capacity_bytes, "cache that method paper looks at; 0: the largest measured one")),
      optional_field("generator", &T::generator, "models for all but placed: refined, levels or demand"),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds for sampling kernels that models lack; 0: none")),
      optional_field("with_calls", &T::with_calls, "also predict every single call"));
};
template <>
struct FieldTable<PredictQuestion> {
  static constexpr auto fields = std::tuple(inlined_field(&PredictQuestion::problems), inlined_field(&PredictQuestion::method));
};
template <>
struct FieldTable<PredictTraceQuestion> {
  using T = PredictTraceQuestion;
  static constexpr auto fields =
      std::tuple(within(bounds::path, field("trace", &T::trace, "file with the trace of a routine or with a recorded program")),
                 inlined_field(&T::method),
                 optional_field("what_if", &T::what_if, "change of a recorded program: same, or blas=NAME,lapack=NAME,threads=N"));
};
template <>
struct FieldTable<TraceQuestion> {
  using T = TraceQuestion;
  static constexpr auto fields =
      std::tuple(inlined_field(&T::problems), optional_field("own_algorithm", &T::own_algorithm, "flopcast's own algorithm, not LAPACK"),
                 optional_field("observe", &T::observe, "execute and time the kernels instead of skipping them"));
};
template <>
struct FieldTable<RecordRequest> {
  using T = RecordRequest;
  static constexpr auto fields = std::tuple(
      within(bounds::command, field("command", &T::command, "program and arguments")),
      within(bounds::path_or_nothing, optional_field("blas", &T::blas, "name or path of the BLAS to load; empty: the program's own")),
      within(bounds::path_or_nothing, optional_field("lapack", &T::lapack, "name or path of the LAPACK to load; empty: the program's own")),
      within(bounds::threads, optional_field("threads", &T::threads, "threads of BLAS")),
      optional_field("dry_run", &T::dry_run, "skip calls that compute much"));
};
template <>
struct FieldTable<RecordQuestion> {
  static constexpr auto fields =
      std::tuple(inlined_field(&RecordQuestion::request),
                 within(bounds::path, optional_field("output", &RecordQuestion::output, "file of the recording")));
};
template <>
struct FieldTable<RecordingQuestion> {
  static constexpr auto fields = std::tuple(within(bounds::path, field("file", &RecordingQuestion::file, "file of the recording")),
                                            optional_field("events", &RecordingQuestion::events, "list every call"));
};
template <>
struct FieldTable<ProfileQuestion> {
  using T = ProfileQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::path, field("recording", &T::recording, "file of the recording")),
      optional_field("with_peak", &T::with_peak, "measure the peak that rates are compared with"),
      optional_field("what_if", &T::what_if, "changes to predict: [\"blas=blis,threads=2\", \"nb\"]"),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds for measuring kernels that the store lacks")),
      optional_field("kernels", &T::kernels, "kernels of BLAS: library (its own choice) or auto (the best for this CPU)"),
      within(bounds::threads,
             optional_field("threads", &T::threads, "threads of BLAS in the recorded run; missing: as the recording says")));
};
template <>
struct FieldTable<RunRequest> {
  using T = RunRequest;
  static constexpr auto fields = std::tuple(
      within(bounds::command, field("command", &T::command, "program and arguments")),
      within(bounds::path_or_nothing,
             optional_field("profile", &T::profile, "file of tuned block sizes; empty: what `flopcast tune --save` keeps")),
      within(bounds::path_or_nothing, optional_field("blas", &T::blas, "BLAS for the program to load, by name or path; empty: its own")),
      within(bounds::path_or_nothing, optional_field("lapack", &T::lapack, "LAPACK for the program to load; empty: its own")),
      optional_field("kernels", &T::kernels, "kernels of BLAS: auto (those found best) or library (its own choice)"),
      within(bounds::threads, optional_field("threads", &T::threads, "threads of BLAS")),
      optional_field("other_machine", &T::other_machine, "accept a profile of another machine"),
      optional_field("explain", &T::explain, "say for every tuned routine what happened"));
};

std::vector<Job> program_jobs() {
  return {
      job<PredictQuestion>("predict", "Predict the time of a LAPACK routine without running it", "flopcast-predict-2", DoneIn::any_process,
                           [](const Workbench& bench, const PredictQuestion& question, const RunContext& context) {
                             return predict_problems(bench, question.problems.routine, problems_of(question.problems),
                                                     options_of(question.method), context);
                           }),
      job<PredictTraceQuestion>("predict_trace", "Predict the trace of a routine, or the threads of a recorded program",
                                "flopcast-predict-2", DoneIn::own_process, predict_trace_or_recording),
      job<TraceQuestion>("trace", "Record the kernel calls of a LAPACK routine", "flopcast-trace-1", DoneIn::own_process,
                         [](const Workbench& bench, const TraceQuestion& question, const RunContext& context) {
                           return record_trace({question.problems.routine, problems_of(question.problems), question.own_algorithm,
                                                question.observe, bench.choice().blas, bench.choice().lapack},
                                               context);
                         }),
      job<RecordQuestion>("record", "Run a program and record its BLAS and LAPACK calls", "flopcast-recording-1", DoneIn::with_program,
                          [](const Workbench&, const RecordQuestion& question, const RunContext& context) {
                            RecordRequest request = question.request;
                            request.output = question.output;
                            return record_program(request, context);
                          }),
      job<RecordingQuestion>("recording", "Read a recording", "flopcast-recording-1", DoneIn::any_process,
                             [](const Workbench&, const RecordingQuestion& question, const RunContext&) {
                               return read_recording(question.file, question.events);
                             }),
      job<ProfileQuestion>("profile", "Sum up a recording and predict changes", "flopcast-program-profile-2", DoneIn::own_process,
                           [](const Workbench&, const ProfileQuestion& question, const RunContext& context) {
                             return profile_program(question.recording, request_of(question), context);
                           }),
      job<RunRequest>("run", "Run a program whose LAPACK uses the tuned block sizes", "flopcast-run-2", DoneIn::with_program,
                      [](const Workbench&, const RunRequest& request, const RunContext& context) { return run_program(request, context); }),
  };
}

}  // namespace flopcast
