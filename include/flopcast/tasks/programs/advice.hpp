#pragma once

/// Requests about what to do: find why a program is slow, which command is faster, and which calls a maintainer should see.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/program/recorded_run.hpp"
#include "flopcast/search/space.hpp"
#include "flopcast/search/verdict.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// A program that is run and recorded once, or a recording of it.
struct DoctorRequest {
  std::vector<std::string> command;
  std::string recording;
  std::string keep;
  std::optional<int> threads;
  Duration time_budget = 30;
  bool anonymous = false;  ///< the diagnosis and the kept recording have no arguments or folders
  bool restart = false;    ///< the program runs, although the recording of an interrupted diagnosis is there
};

/// The causes that a finding can have.
enum class FindingCause : std::uint8_t {
  too_many_threads,  ///< BLAS has more threads than the program has CPUs
  nested_threads,    ///< several threads of the program call BLAS at once, and BLAS has threads, too
  threads_slow,      ///< BLAS is faster with fewer threads
  threads_unused,    ///< BLAS is faster with more threads
  other_programs,    ///< other programs had the cores
  reference_blas,    ///< the reference BLAS, where a faster one is installed
  misread_kernels,   ///< kernels of BLAS that suit another CPU
  several_blas,      ///< two BLAS in one process, and one of them is faster
  block_sizes,       ///< LAPACK is faster with other block sizes
  small_calls,       ///< many calls that are too small for BLAS
  slower_driver,     ///< another driver of LAPACK does the same job sooner
  operand_layout,    ///< operands that are transposed, or whose elements aren't neighbours
  /// A product of tensors that NumPy's einsum computes by itself.
  contraction_without_blas,
  first_calls,      ///< libraries start, and memory is touched for the first time
  denormals,        ///< numbers below the smallest normal one
  invalid_numbers,  ///< NaN or Inf
};

/// Returns the name of a cause in documents: "too_many_threads".
std::string to_string(FindingCause cause);

/// A cause of lost time that was measured or predicted.
struct Finding {
  FindingCause cause = FindingCause::first_calls;
  std::string what;      ///< "BLAS has 8 threads, and the program 2 CPUs"
  std::string evidence;  ///< measured facts: "1000 calls of dgemm took 3.1 s"
  std::string remedy;    ///< the command that mends it, or what to change in the program
  Seconds seconds = 0;   ///< recorded time that it is about
  /// Time that the remedy saves. Predicted gains have an interval of 95 %; where only a limit is known, it begins at 0.
  Interval gain;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// A line or function outside of BLAS and LAPACK where a program computes.
struct OwnCodePlace {
  std::string where;  ///< "solve.py:12 in assemble", "assemble in solve (solve.c:42)", "libgsl.so.27"
  Seconds seconds = 0;
  friend bool operator==(const OwnCodePlace&, const OwnCodePlace&) = default;
};

/// The findings about one run of a program.
struct ProgramDiagnosis : program::RecordedRun {
  int exit_code = 0;  ///< the program's own, or 128 plus the signal that ended it
  program::RecordedPlace recorded;
  std::int64_t calls = 0;
  Seconds call_seconds = 0;            ///< time in BLAS and LAPACK
  Seconds own_code_seconds = 0;        ///< time outside of them in the thread with the longest time in calls, which nothing here can mend
  Seconds probed_seconds = 0;          ///< CPU time outside of them that probes found in the main thread and in threads with calls
  std::vector<OwnCodePlace> own_code;  ///< the places with 2 % or more of `probed_seconds`, by falling time
  std::vector<Finding> findings;       ///< sorted by falling gain
  /// Changes that were looked into and don't pay, or can't be predicted, with the reason.
  std::vector<std::string> examined;
  std::vector<std::string> warnings;  ///< remarks that the reader must know first
  friend bool operator==(const ProgramDiagnosis&, const ProgramDiagnosis&) = default;
};

/// Runs and records the program, or reads the recording, and lists what makes it slow by falling gain. Kernels that predictions lack are
/// measured within the time budget. An interrupted diagnosis keeps its samples and its recording, and the same command goes on from there in the
/// next call, unless a file among its words has changed. Throws environment_error if the program doesn't exist, bad_input for a recording that can't be read,
/// and Cancelled.
ProgramDiagnosis diagnose_program(const DoctorRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-diagnosis-1", ...}.
std::string to_json(const ProgramDiagnosis& diagnosis);
ProgramDiagnosis program_diagnosis_from_json(std::string_view text);

/// Commands that are raced against the first of them, the reference.
struct RaceRequest {
  std::vector<std::vector<std::string>> commands;  ///< programs with their arguments; no shell is in between
  std::vector<std::string> names;                  ///< names of the first commands in results; others are named by their words
  std::int64_t warmup = 1;                         ///< runs of each command before the race, which don't count
  std::string prepare;                             ///< command of a shell before each run, whose time doesn't count
  std::string input;                               ///< file that is each run's standard input; empty: nothing
  std::int64_t min_runs = 1, max_runs = 1000;      ///< runs of the reference that count; a verdict needs 8 or more
  Fraction tolerance = 0.02;
  std::optional<Fraction> fail_above;
  Duration time_budget = 60;
  bool ignore_failure = false;  ///< runs that end with another exit code than 0 count
  bool show_output = false;     ///< the commands' output goes to standard error
  bool anonymous = false;       ///< the result has no words of commands, names, or files
  bool restart = false;         ///< an interrupted race isn't resumed
};
template <>
Fields FieldTable<RaceRequest>::fields();

/// A command's times, and its ratio to the reference.
struct RacedCommand {
  std::string name;
  std::vector<std::string> command;                         ///< empty for RaceRequest::anonymous
  std::optional<search::ReferenceRatio> against_reference;  ///< elapsed times; nothing for the reference
  bool above_limit = false;                                 ///< certainly slower than RaceRequest::fail_above allows
  std::optional<Seconds> elapsed;                           ///< median from start to end; nothing without runs, as the next members
  std::optional<Interval> elapsed_interval;                 ///< 95 % interval of the median; the range with fewer than 6 runs
  std::optional<Seconds> user, system;                      ///< median CPU times
  std::optional<std::int64_t> resident_bytes;               ///< median peak of resident memory; nothing where flopcast itself has more
  std::int64_t runs = 0, failures = 0, outliers = 0;
  friend bool operator==(const RacedCommand&, const RacedCommand&) = default;
};

enum class RaceEnding : std::uint8_t {
  decided,  ///< every command has a verdict
  budget,   ///< time or runs are used up
  interrupted
};

/// The result of a race, valid whenever the race ended.
struct CommandRace {
  std::vector<RacedCommand> commands;
  search::ReferenceRatio control;  ///< the reference against itself, in additional runs of the same rounds
  RaceEnding ending = RaceEnding::budget;
  std::int64_t rounds = 0, resumed_runs = 0;
  std::optional<Seconds> start_up;  ///< elapsed time of a program that does nothing, which no time is reduced by
  double tolerance = 0;
  std::optional<double> fail_above;
  std::string prepare, input;  ///< empty for RaceRequest::anonymous
  std::string cpu;
  std::vector<std::string> remarks;  ///< sentences on noise and outliers
  friend bool operator==(const CommandRace&, const CommandRace&) = default;

  /// Returns whether a command is certainly slower than the reference by more than RaceRequest::fail_above.
  [[nodiscard]] bool fails() const;
};

/// Races commands until each has a verdict, or time or runs are used up. A race that ends early keeps its runs in the store, and the same
/// commands go on from there in the next call, unless a file among their words has changed. Throws environment_error for a program that
/// doesn't exist, unusable_measurement for a run that fails, and Cancelled if nothing was timed before the interruption.
CommandRace race_commands(const Workbench& bench, const RaceRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-race-1", ...}.
std::string to_json(const CommandRace& race);
CommandRace command_race_from_json(std::string_view text);

/// Which calls count as the worst ones.
enum class ExtractOrder : std::uint8_t {
  time,  ///< those with most time, all calls of a kind together
  rate,  ///< those with the fewest flops per second among the kinds with at least a hundredth of the time
};

struct ExtractRequest {
  std::string recording;
  std::int64_t worst = 20;
  ExtractOrder worst_by = ExtractOrder::time;
  bool anonymous = false;
};
template <>
Fields FieldTable<ExtractRequest>::fields();

/// A program in C that repeats calls of a recorded program.
struct ExtractedCalls {
  /// Calls with the same flags, similar sizes and scalars, and operands at the same distance in the caches.
  struct Case {
    std::string call;  ///< "dgemm transa=N transb=N m=100 ..."
    std::int64_t calls = 0;
    Seconds seconds = 0;  ///< recorded time of these calls together; 0 where a dry run took none
    friend bool operator==(const Case&, const Case&) = default;
  };

  std::string source;
  std::vector<Case> cases;           ///< the worst first
  std::vector<std::string> remarks;  ///< which other calls were recorded and why they are missing, and what else the reader must know
  Seconds call_seconds = 0;          ///< recorded time of all BLAS and LAPACK calls
  friend bool operator==(const ExtractedCalls&, const ExtractedCalls&) = default;
};

/// Returns a program for C99, which needs BLAS and LAPACK only, that repeats the worst calls of a recording and prints their times. Throws
/// bad_input if the file isn't a recording, or has no call that can be repeated.
ExtractedCalls extract_calls(const ExtractRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-extract-1", ...}.
std::string to_json(const ExtractedCalls& extracted);
ExtractedCalls extracted_calls_from_json(std::string_view text);

/// Recordings of a program with different values of a parameter, and the value for which its time is predicted.
struct ScaleRequest {
  std::vector<std::string> recordings;  ///< "FILE=VALUE", with three different values at least
  std::optional<std::int64_t> to;
  Duration time_budget = 60;
};
template <>
Fields FieldTable<ScaleRequest>::fields();

/// The predicted time of a program for another value of its parameter, n in formulae. All intervals have a confidence of 95 %.
struct ScaledProgram {
  struct Recording {
    std::int64_t parameter = 0;
    Seconds seconds = 0, call_seconds = 0, own_code_seconds = 0;
    std::int64_t calls = 0;
    std::int64_t resident_bytes = 0;  ///< peak of resident memory; 0: not known
    friend bool operator==(const Recording&, const Recording&) = default;
  };
  /// The calls of one routine with the same flags.
  struct Kernel {
    std::string routine, flags;
    std::string sizes;  ///< sizes of the calls with most work by formula: "m=n k=n/2"
    std::int64_t recorded_calls = 0, calls = 0;
    Seconds recorded = 0;  ///< time in the recording with the largest parameter
    Seconds seconds = 0;
    Interval interval;
    double extrapolated_share = 0;  ///< share of the time outside of the sampled domain
    friend bool operator==(const Kernel&, const Kernel&) = default;
  };

  std::vector<Recording> recordings;  ///< in the order of the parameter
  std::int64_t parameter = 0;
  Seconds seconds = 0;  ///< elapsed time of the program
  Interval interval;
  Seconds call_seconds = 0;      ///< time in BLAS and LAPACK
  Seconds own_code_seconds = 0;  ///< time outside of them: the program's own code, and waiting
  Interval own_code_interval;
  std::string own_code_formula;  ///< seconds by n: "0.2 + 3e-08 n^2"
  double own_code_share = 0;
  std::optional<std::int64_t> resident_bytes;  ///< peak of resident memory; nothing if a recording doesn't have it
  std::optional<Interval> resident_interval;
  std::vector<Kernel> kernels;  ///< the one with most time first
  std::string place;            ///< libraries whose models predicted the calls; empty: there are no calls
  std::vector<std::string> remarks;
  friend bool operator==(const ScaledProgram&, const ScaledProgram&) = default;
};

/// Predicts a program's time from recordings with smaller parameters. Numbers and sizes of calls follow formulae that all recordings agree
/// with; kernels are measured within the time budget. Throws bad_input for recordings that can't be read, were made in different places, or
/// agree with no growth, and Cancelled.
ScaledProgram scale_program(const ScaleRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-scale-1", ...}.
std::string to_json(const ScaledProgram& scaled);
ScaledProgram scaled_program_from_json(std::string_view text);

template <>
Fields FieldTable<DoctorRequest>::fields();

/// Kernel calls that are made one after the other, and the time of everything else until the end.
struct CandidatePart {
  Trace trace;
  Seconds own_seconds = 0;
};

/// One of several ways to compute the same.
struct Candidate {
  std::string name;
  std::vector<CandidatePart> parts;  ///< parts that run at the same time, so that the longest one counts
  Seconds own_deviation = 0;         ///< standard deviation of own_seconds
};

/// A candidate's predicted time.
struct RankedCandidate {
  std::string name;
  Seconds seconds = 0;
  Interval interval;  ///< interval of single runs, confidence 95 %
  Seconds kernel_seconds = 0, own_seconds = 0;
  double behind = 0;              ///< seconds over those of the best candidate, minus 1
  bool tied = false;              ///< the best candidate isn't certainly faster
  double extrapolated_share = 0;  ///< share of the time outside of the sampled domain
  friend bool operator==(const RankedCandidate&, const RankedCandidate&) = default;
};

struct CandidateRanking {
  std::vector<RankedCandidate> candidates;  ///< in the given order
  std::size_t best = 0;                     ///< number of the fastest one
  double regret = 0;                        ///< upper bound (95 %) of its time over that of the fastest in truth, minus 1
};

/// Predicts all candidates with the libraries of `bench`, and measures kernels that the store lacks within the time budget, mostly those
/// that decide. Throws bad_input without candidates or parts, and Cancelled.
CandidateRanking rank_candidates(const Workbench& bench, std::vector<Candidate> candidates, Duration time_budget,
                                 const RunContext& context = {});

/// A program with parameters to choose. The meaning of each member is in its line of the table (own_algorithm_json.cpp).
struct ProgramTuneRequest {
  std::vector<std::string> command;
  std::string space;
  std::vector<std::string> parameters;
  std::vector<std::string> conditions;
  std::vector<std::string> templates;
  std::optional<int> threads;
  Duration time_budget = 60;
  Duration timeout = 60;
  bool check = true;
  bool race = false;
  bool anonymous = false;
};
template <>
Fields FieldTable<ProgramTuneRequest>::fields();

enum class ConfigurationVerdict : std::uint8_t {
  slower,
  chosen,
  tie,             ///< the chosen one isn't certainly faster
  failed,          ///< the program ended with an error
  not_considered,  ///< the time budget ended before
};

/// Returns the name of a verdict in documents and tables: "not considered".
std::string to_string(ConfigurationVerdict verdict);

/// The result for one setting of a program's parameters.
struct TunedConfiguration {
  search::Setting setting;
  ConfigurationVerdict verdict = ConfigurationVerdict::not_considered;
  std::optional<Seconds> predicted;  ///< elapsed time of the program; nothing for failed ones and those not considered
  std::optional<Interval> interval;  ///< interval of single runs, confidence 95 %
  Seconds kernel_seconds = 0;        ///< predicted time of BLAS and LAPACK
  Seconds own_seconds = 0;           ///< time of everything else, as the runs took it
  double behind = 0;                 ///< predicted time over that of the chosen one, minus 1
  double extrapolated_share = 0;     ///< share of the time outside of the sampled domain
  std::optional<Seconds> executed;   ///< elapsed time of a recorded run in which every call was executed
  std::string failure;               ///< why the program failed
  friend bool operator==(const TunedConfiguration&, const TunedConfiguration&) = default;
};

struct ProgramTuning {
  std::vector<std::string> command;                ///< with places such as {nb}; empty for ProgramTuneRequest::anonymous
  std::vector<std::string> variables;              ///< parameters that are variables of the environment
  std::string place;                               ///< libraries, threads and kernels that the program has
  std::vector<TunedConfiguration> configurations;  ///< configurations by rising predicted time
  double regret = 0;                               ///< upper bound (95 %) of the chosen one's time over the best one's, minus 1
  bool calls_depend_on_results = false;            ///< dry runs make other calls, so that every configuration was executed
  std::int64_t dry_runs = 0, executions = 0;
  Seconds run_seconds = 0;  ///< time of all these runs
  Seconds all_seconds = 0;  ///< time of the whole tuning but the race
  std::optional<CommandRace> race;
  std::vector<std::string> remarks;
  friend bool operator==(const ProgramTuning&, const ProgramTuning&) = default;

  /// Returns the chosen configuration.
  [[nodiscard]] const TunedConfiguration& best() const { return configurations.front(); }
};

/// Runs the program dry for each setting of its parameters, predicts the kernels that were skipped, and chooses a setting. One setting is
/// executed as well. If its calls differ from those of the dry run, all are executed. Throws bad_input for a space that isn't one,
/// environment_error if the program doesn't exist, unusable_measurement if it fails for each setting, and Cancelled.
ProgramTuning tune_program(const Workbench& bench, const ProgramTuneRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-program-tuning-1", ...}.
std::string to_json(const ProgramTuning& tuning);
ProgramTuning program_tuning_from_json(std::string_view text);

/// Libraries to verify, and the calls for that.
struct VerifyRequest {
  std::string recording;              ///< recording whose calls come first; empty: none
  std::vector<std::string> blas;      ///< names or paths; "all": each installed one; empty: the default one
  std::string lapack;                 ///< name or path of the LAPACK on top; empty: the reference
  SizeList threads;                   ///< empty: 1, and the number of cores for libraries that can have threads
  bool all_kernels = false;           ///< also kernels that the library doesn't choose by itself, but flopcast may set
  std::vector<std::string> routines;  ///< routines or families, such as dgemm or gemm; empty: all
  std::int64_t rounds = 16;           ///< rounds of generated sizes, the first 8 of them at edges
  std::uint64_t seed = 1;
  Duration time_budget = 60;
  bool anonymous = false;  ///< the result has no folders
  std::string reproducer;  ///< file for a program in C that repeats the wrong calls; empty: none
  bool restart = false;    ///< an interrupted verification isn't resumed
};
template <>
Fields FieldTable<VerifyRequest>::fields();

/// A call whose result is wrong, or that ended the process.
struct WrongCall {
  std::string call;   ///< "dgemm transa=N transb=N m=100 ..."
  std::string fault;  ///< the relation that doesn't hold, such as "op(A) X - alpha B", or what happened instead
  double error = 0;   ///< largest error against its bound; 0 where nothing was compared
  double bound = 0;
  std::uint64_t seed = 0;                 ///< seed of the operands
  bool recorded = false;                  ///< a call of the recording
  std::vector<std::int64_t> places = {};  ///< place of each operand in a cache line of 64 bytes
  friend bool operator==(const WrongCall&, const WrongCall&) = default;
};

/// A BLAS with its kernels and threads, and a LAPACK on top.
struct VerifiedLibrary {
  std::string blas, lapack;  ///< "openblas 0.3.21", "reference 3.11.0"
  std::string file;          ///< file of the BLAS
  std::string kernels;       ///< kernels that BLAS reports
  std::string setting;       ///< variable that selects them, such as "OPENBLAS_CORETYPE=Haswell"; empty: its own choice
  std::int64_t threads = 1;
  std::int64_t integer_bytes = 4;      ///< bytes of the library's integers
  std::int64_t calls = 0;              ///< verified calls
  std::int64_t planned = 0, done = 0;  ///< calls of the request; those that are verified, or that the library lacks
  Seconds seconds = 0;                 ///< time that this took
  double largest_share = 0;            ///< largest error as a share of its bound in calls that are right
  std::vector<WrongCall> findings;
  std::string failure;  ///< why the library couldn't be verified; empty: it could
  friend bool operator==(const VerifiedLibrary&, const VerifiedLibrary&) = default;
};

/// The result of a verification.
struct Verification {
  std::vector<VerifiedLibrary> libraries;
  std::vector<std::string> not_compared;  ///< families whose calls are executed without comparison of results
  std::vector<std::string> remarks;
  bool is_complete = false;  ///< all planned calls were made
  bool interrupted = false;
  std::string cpu;
  friend bool operator==(const Verification&, const Verification&) = default;

  /// Returns whether a call is wrong.
  [[nodiscard]] bool fails() const;
};

/// Calls routines of the libraries in child processes, and compares the results with wider arithmetic. A verification that ends early keeps
/// its state in the store, and the same request goes on from there in the next call, unless a library or the recording has changed. A program
/// for C99 that repeats the wrong calls goes to the file `reproducer`. Throws bad_input for a library, routine or recording that doesn't
/// exist, or a file that can't be written, and environment_error if none of the libraries can be verified.
Verification verify_libraries(const Workbench& bench, const VerifyRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-verification-1", ...}.
std::string to_json(const Verification& verification);
Verification verification_from_json(std::string_view text);

}  // namespace flopcast
