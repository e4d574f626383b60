#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/predict/method.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Predictions of LAPACK routines, traces and recorded programs, and traces of routines.
namespace flopcast {

/// How the time of a trace is predicted.
struct PredictionOptions {
  prediction::Method method = prediction::Method::placed;
  std::optional<cache::Start> start;  ///< state of the caches before; nothing: filled, for method paper artificial
  ByteCount capacity_bytes = 0;       ///< cache that method paper looks at; 0: the largest measured one
  /// Models for all methods but placed: "refined", "levels", or "demand" as for placed.
  std::string generator = "refined";
  Duration time_budget = 10;  ///< for sampling kernels that models on demand lack; 0: none
  bool with_calls = false;    ///< also predict every single call
  friend bool operator==(const PredictionOptions&, const PredictionOptions&) = default;
};

/// Problems of a LAPACK routine: all combinations of the values. The meaning of each member is in its line of the table (requests.cpp), as for
/// all requests of this folder.
struct LapackProblems {
  std::string routine;
  SizeList n;
  NamedSizes sizes;
  std::map<std::string, std::string> arguments;
  SizeList nb, nbmin, nx;
};
/// Reads words such as "n=200:1000:200", "nb=32,64" and "uplo=L". Throws bad_input for words that don't fit the routine.
LapackProblems parse_problems(const std::string& routine, const std::vector<std::string>& words);
/// Returns the calls of the routine, one for each combination of sizes. Throws bad_input if n is given twice, and as kernel::routine_calls().
std::vector<Call> calls_of(const LapackProblems& problems);

/// Problems, and how their times are predicted.
struct PredictRequest {
  LapackProblems problems;
  PredictionOptions options;
};
/// A trace of a routine or a recorded program, and how its time is predicted.
struct PredictTraceRequest {
  std::string trace;
  PredictionOptions options;
  WhatIf what_if;
};

/// The predicted time of one trace.
struct Prediction {
  /// Sum of the calls of one kernel.
  struct Kernel {
    ModelKey key;  ///< its `cache` is the method
    std::int64_t calls = 0;
    double flops = 0;
    Seconds seconds = 0;
    Seconds deviation = 0;     ///< standard deviation of seconds
    Seconds extrapolated = 0;  ///< the part outside of the sampled domain
    friend bool operator==(const Kernel&, const Kernel&) = default;
  };
  struct Call {
    std::string routine, flags;
    std::vector<std::int64_t> sizes;
    Seconds seconds = 0;
    double relative_error = 0;  ///< one standard deviation
    bool extrapolated = false;
    friend bool operator==(const Call&, const Call&) = default;
  };

  std::string algorithm;  ///< "dgeqrf"; "program" for a recorded thread
  std::map<std::string, std::int64_t> parameters;
  std::string sizes;   ///< "1000", "2000x500"; the identifier of a recorded thread
  std::string blocks;  ///< "64", "64 / 128" with the crossover point; "-" for none
  bool is_thread = false;
  Seconds seconds = 0;
  Interval interval;                           ///< confidence 95 %
  double flops = 0;                            ///< flops of the routine. Its kernels do more.
  double extrapolated_share = 0;               ///< share of the time outside of the sampled domain
  std::optional<std::int64_t> resident_bytes;  ///< peak of resident memory of a routine: operands, work space and local arrays
  std::vector<Kernel> kernels;                 ///< kernels by falling time
  /// Expectation of the models alone for a recorded thread. `seconds` is the recorded time with the change that the models expect.
  std::optional<Seconds> by_models;
  std::optional<Seconds> recorded;         ///< recorded time, if the trace has times
  std::optional<std::vector<Call>> calls;  ///< if PredictionOptions::with_calls is set
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

struct Predictions {
  Environment environment;
  PredictionOptions options;
  std::vector<Prediction> predictions;
  /// Time that a recorded program spent outside of BLAS and LAPACK, in its own code and waiting; no prediction includes it. 0 for routines.
  Seconds own_code_seconds = 0;
  double own_code_share =
      0;  ///< its share of the recorded run; of a dry run, whose calls took no time, with the predicted calls in their place
  /// Recorded peak of resident memory of a program. Nothing for routines, where the program is changed, and where the recording has none.
  std::optional<std::int64_t> resident_bytes;
  friend bool operator==(const Predictions&, const Predictions&) = default;
};

/// Predicts every combination of sizes and block sizes with the libraries of `bench`. Kernels are sampled where the store lacks samples.
/// Throws bad_input for an unknown routine or argument, for blocks that the LAPACK never queries, and for models that are missing; Cancelled.
Predictions predict(const Workbench& bench, const PredictRequest& request, const RunContext& context = {});

/// Predicts the trace of a routine with the libraries of `bench`; "-" is standard input. Predicts the threads of a recorded program as
/// profile_program() does: the recorded libraries, threads and kernels hold where request.what_if names no others. With another method than placed,
/// or another start than filled, models alone decide.
Predictions predict_trace(const Workbench& bench, const PredictTraceRequest& request, const RunContext& context = {});

/// A store that was copied from another machine.
struct OtherMachine {
  std::filesystem::path store;
  machine::LibraryChoice libraries;  ///< libraries by their names there; an empty name stands for any
  std::optional<int> threads;        ///< threads of BLAS; nothing: as the trace was recorded, else 1
  std::string fingerprint;           ///< begin of the environment's fingerprint; empty: any
};
/// Predicts a trace with another machine's models. Nothing is measured. Throws bad_input with a list of the environments if none or several
/// fit.
Predictions predict_trace(const OtherMachine& machine, const PredictTraceRequest& request, const RunContext& context = {});

/// Returns whether the file is the recording of a program.
bool is_recording(const std::string& file);

/// Converts to and from the document {"schema": "flopcast-predict-2", ...}; reads "-1" as well.
std::string to_json(const Predictions& predictions);
Predictions predictions_from_json(std::string_view text);

/// A LAPACK routine whose kernel calls are to be recorded.
struct TraceRequest {
  LapackProblems problem;  ///< exactly one
  bool own_algorithm = false;
  bool observe = false;
  std::string blas, lapack;  ///< names or paths; empty: serial OpenBLAS, and the reference LAPACK where it is installed
};
/// The kernel calls of a routine.
struct RoutineTrace {
  Trace trace;
  friend bool operator==(const RoutineTrace&, const RoutineTrace&) = default;
};
/// Records the kernel calls of a LAPACK routine. Throws bad_input for an unknown routine or argument and for several problems;
/// environment_error if LAPACK can't be loaded.
RoutineTrace record_trace(const TraceRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-trace-1", ...}.
std::string to_json(const RoutineTrace& trace);
RoutineTrace routine_trace_from_json(std::string_view text);

/// Sums of a trace by kernel.
struct TraceSummary {
  struct Kernel {
    std::string kernel;
    std::int64_t calls = 0;
    double flops = 0;
    std::optional<Seconds> seconds;  ///< if the trace has times
    friend bool operator==(const Kernel&, const Kernel&) = default;
  };
  std::vector<Kernel> kernels;  ///< in the order of first use
  Kernel all;
  friend bool operator==(const TraceSummary&, const TraceSummary&) = default;
};
TraceSummary summary_of(const RoutineTrace& trace);
/// Converts to and from the document {"schema": "flopcast-trace-summary-1", ...}.
std::string to_json(const TraceSummary& summary);
TraceSummary trace_summary_from_json(std::string_view text);

template <>
Fields FieldTable<PredictRequest>::fields();
template <>
Fields FieldTable<PredictTraceRequest>::fields();
template <>
Fields FieldTable<TraceRequest>::fields();

}  // namespace flopcast
