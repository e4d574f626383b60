#pragma once

/// Predictions of a recorded program's calls under other circumstances.
/// Requests about whole programs: record their BLAS and LAPACK calls, show where the time went, predict changes, and run them tuned.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/program/recorded_run.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// A change of a recorded program's circumstances.
struct WhatIf {
  std::string blas, lapack;    ///< names or paths; empty: as recorded
  std::optional<int> threads;  ///< threads of BLAS; nothing: as recorded; 0: for each call as 'run --threads auto' has them
  std::string kernels;         ///< "auto": the best kernels of BLAS for this CPU; "library": its own choice; empty: WhatIfOptions::kernels
  bool tuned_blocks = false;   ///< LAPACK gets the best block sizes
  friend bool operator==(const WhatIf&, const WhatIf&) = default;

  /// Returns whether nothing changes.
  [[nodiscard]] bool is_same() const { return !changes_calls() && !tuned_blocks; }
  /// Returns whether the time of BLAS and LAPACK calls is predicted. Otherwise only block sizes change the recorded times.
  [[nodiscard]] bool predicts_calls() const { return !tuned_blocks || changes_calls(); }

 private:
  [[nodiscard]] bool changes_calls() const { return !blas.empty() || !lapack.empty() || threads || !kernels.empty(); }
};

/// Reads `same`, or a list with commas of `blas=NAME`, `lapack=NAME`, `threads=N|auto`, `kernels=auto|library` and `nb`. Throws usage_error that
/// names the wrong part.
WhatIf parse_what_if(const std::string& text);
/// Returns the text that parse_what_if reads: "same", "blas=blis,threads=2,nb".
std::string to_string(const WhatIf& question);

/// A block size chosen for the calls of one shape.
struct BlockChoice {
  std::size_t shape = 0;  ///< index into ProgramProfile::shapes
  std::string routine;    ///< routine that queries ilaenv: the shape's own or, as dgetrf in dgesv, one below it
  std::int64_t default_nb = 0, chosen_nb = 0;
  std::int64_t chosen_nx = 0;                       ///< crossover point
  Seconds default_seconds = 0, chosen_seconds = 0;  ///< predicted times of the routine in the shape's longest call
  double regret = 0;                                ///< greatest possible loss, as a fraction of the best time
  bool undecided = false;                           ///< the measurements show no best one, so that the default is kept
  std::int64_t workspace_allows = 0;                ///< largest block size that fits into the program's workspace; 0: any
  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};

/// The predicted time of a recorded program's calls after a change, or the reason why there is none.
struct WhatIfResult {
  WhatIf question;
  std::string failure;                         ///< reason why nothing is predicted, with a remedy; empty: there is a prediction
  int failure_code = 0;                        ///< exit code of that error
  std::string place;                           ///< "blis 0.9.0 with 2 threads, LAPACK reference 3.11.0"
  Environment environment;                     ///< environment of the prediction
  std::vector<std::optional<Seconds>> shapes;  ///< predicted time per shape of the profile; nothing where calls can't be predicted
  Seconds recorded = 0;                        ///< recorded time of the calls that are predicted
  Seconds by_models = 0;                       ///< time that the models alone expect
  /// Time that is predicted. This is the recorded time with the change that the models expect (predict/transferred_time), so that nothing
  /// changes where the program was recorded. Without comparable recorded times it equals by_models.
  Seconds predicted = 0;
  Interval interval;                ///< interval of `predicted`, confidence 95 %
  std::optional<double> gain;       ///< recorded / predicted - 1, so that larger is better; nothing for dry runs, which have no times
  double extrapolated_share = 0;    ///< share of the time outside of the sampled domain
  Seconds slow_by_numbers = 0;      ///< recorded time of calls that NaN or denormal numbers made slow; these calls stay as recorded
  std::vector<BlockChoice> blocks;  ///< chosen block sizes if the question asks for them
  std::size_t untuned_shapes = 0;   ///< shapes whose block sizes are not tuned because they take too little time
  friend bool operator==(const WhatIfResult&, const WhatIfResult&) = default;
};

/// Options of the predictions after changes.
struct WhatIfOptions {
  Duration time_budget = 30;        ///< for measuring kernels that the store lacks, all questions together
  std::string kernels = "library";  ///< "library": kernels as BLAS chooses them in a program; "auto": the best ones for this CPU
  std::optional<int> threads;       ///< threads of BLAS in the recorded run; nothing: as the recording says
};

/// A program and how it is to be recorded.
struct RecordRequest {
  std::vector<std::string> command;
  std::string blas, lapack;
  std::optional<int> threads;
  std::string output = "flopcast.trace";
  bool skip_kernels = false;
  bool anonymous = false;
  bool probes = false;
};

/// A recording that is to be read.
struct RecordingRequest {
  std::string file;
  bool events = false;
};

/// The contents of a recording, without the times by shape and thread that profile_program() gives.
struct Recording : program::RecordingFacts {
  struct Routine {
    std::string routine;
    std::int64_t calls = 0;
    Seconds seconds = 0;
    std::int64_t skipped = 0;     ///< calls that a dry run skipped
    std::int64_t blind = 0;       ///< calls of a dry run whose operands were never computed
    std::optional<double> flops;  ///< nothing where only the routine's name is known
    friend bool operator==(const Routine&, const Routine&) = default;
  };
  struct FirstCalls {
    std::int64_t calls = 0;
    Seconds seconds = 0;
    friend bool operator==(const FirstCalls&, const FirstCalls&) = default;
  };
  struct Event {
    std::size_t thread = 0;     ///< index into Recording::threads
    Seconds start = 0;          ///< since the recording began
    Seconds seconds = 0;        ///< 0 where a dry run skipped the call
    std::string routine, call;  ///< "dpotrf", "dpotrf(L, 100, 0x...)"
    std::string what_happened;  ///< "executed", "skipped", "executed blindly", "skipped blindly"
    friend bool operator==(const Event&, const Event&) = default;
  };

  std::string file;
  std::uint64_t bytes = 0;  ///< size of the file
  /// Time outside of BLAS and LAPACK in the thread with the longest time in calls: the program's own code, and waiting.
  Seconds own_code_seconds = 0;
  std::int64_t calls = 0;
  std::int64_t skipped = 0;                  ///< calls that a dry run skipped
  std::int64_t blind = 0;                    ///< calls of a dry run whose operands were never computed
  std::size_t routine_names = 0;             ///< number of routines, those with first calls only included
  Seconds call_seconds = 0;                  ///< time in all calls
  FirstCalls first_calls;                    ///< calls in which a library starts, or memory is used for the first time; in no routine's sum
  std::vector<Routine> routines;             ///< routines by falling time, without first calls
  std::vector<std::string> faults;           ///< defects of the recording
  std::vector<std::string> remarks;          ///< how to read its times
  std::optional<std::vector<Event>> events;  ///< every call, if read_recording() was asked for them
  friend bool operator==(const Recording&, const Recording&) = default;
};

/// Runs a program, records its BLAS and LAPACK calls in a file, and waits for its end. Throws environment_error if the program doesn't
/// exist, libraries can't be preloaded into it or the file can't be written, and bad_input for an unknown library.
Recording record_program(const RecordRequest& request, const RunContext& context = {});
/// Reads a recording. Throws bad_input if the file isn't one.
Recording read_recording(const std::filesystem::path& file, bool with_events = false);

/// Converts to and from the document {"schema": "flopcast-recording-1", ...}.
std::string to_json(const Recording& recording);
Recording recording_from_json(std::string_view text);

using program::PeakRate;

/// Sum over a set of calls, and its rate.
struct CallTotals : program::CallSum {
  std::optional<double> flops_per_second;  ///< flops / described_seconds
  std::optional<double> of_peak;           ///< achieved share of the peak
  friend bool operator==(const CallTotals&, const CallTotals&) = default;
};

/// Adds up totals. Rate and share of the peak are those of the sum.
CallTotals total_of(const std::vector<CallTotals>& parts, const std::optional<PeakRate>& peak);

/// A recording, and what is asked about it.
struct ProfileRequest {
  std::string recording;
  bool with_peak = true;
  std::vector<WhatIf> what_if;
  WhatIfOptions options;
  bool anonymous = false;
};

/// Where a recorded program's BLAS and LAPACK time went.
struct ProgramProfile : program::RecordedRun {
  struct Routine : CallTotals {
    std::string routine;
    bool described = false;  ///< false where only the routine's name is known
    friend bool operator==(const Routine&, const Routine&) = default;
  };
  struct Shape : CallTotals {
    std::string routine;
    std::string flags;         ///< "NT"; empty where only the name is known
    bool first_calls = false;  ///< the routine's first calls, which are kept apart
    std::vector<program::SizeSpan> sizes;
    Seconds longest_seconds = 0;  ///< time of the longest call
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Thread : CallTotals {
    std::uint32_t pid = 0, tid = 0;
    std::string heaviest;  ///< routine in which the thread spent most time
    friend bool operator==(const Thread&, const Thread&) = default;
  };
  struct Process : CallTotals {
    std::uint32_t pid = 0;
    std::string program;  ///< file of the program; empty: not known
    std::size_t threads = 0;
    friend bool operator==(const Process&, const Process&) = default;
  };
  /// When the threads were in which routines. The run is cut into equal bins.
  struct Timeline {
    struct Thread {
      std::uint32_t tid = 0;
      /// Share of each bin, in per cent with blanks between, that the thread spent in a routine: "0 100 37". One text per routine.
      std::vector<std::string> shares;
      friend bool operator==(const Thread&, const Thread&) = default;
    };
    static constexpr std::size_t max_bins = 240, max_routines = 6, max_threads = 16;

    Seconds begin = 0, end = 0;         ///< begin of the first and end of the last call, since the start of the recording
    std::vector<std::string> routines;  ///< the heaviest ones; "others" stands for all others
    std::vector<Thread> threads;        ///< the first ones
    friend bool operator==(const Timeline&, const Timeline&) = default;
  };

  program::RecordedPlace recorded;    ///< where the program was recorded
  std::vector<std::string> warnings;  ///< remarks that the reader must know first
  Seconds own_code_seconds = 0;       ///< see Recording; no answer to what_if includes this time
  std::size_t thread_count = 0;       ///< threads with calls, also those whose calls can't be read
  CallTotals all, first_calls;
  std::optional<PeakRate> peak;
  std::vector<Routine> routines;  ///< routines by falling time, as shapes are; without first calls
  std::vector<Shape> shapes;
  std::vector<Thread> threads;
  std::vector<Process> processes;
  std::optional<Timeline> timeline;  ///< nothing without timed calls
  std::vector<WhatIfResult> what_if;
  friend bool operator==(const ProgramProfile&, const ProgramProfile&) = default;
};

/// Sums up a recording by routine, shape, thread and process, measures the peak, and predicts changes. Throws bad_input if the recording
/// can't be read, and Cancelled.
ProgramProfile profile_program(const ProfileRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-program-profile-2", ...}; reads "-1" as well.
std::string to_json(const ProgramProfile& profile);
ProgramProfile program_profile_from_json(std::string_view text);

/// A recording whose calls are to be shown in time.
struct TimelineRequest {
  std::string recording;
  std::int64_t max_events = 100'000;  ///< largest number of calls in the timeline
  std::uint64_t seed = 1;             ///< seed of the sample
  bool anonymous = false;
};
template <>
Fields FieldTable<TimelineRequest>::fields();

/// The calls of a recorded program in the trace event format, which Perfetto and chrome://tracing read (Trace Event Format, Duffy and others
/// 2016, its JSON object format). The document has the format's own names of members. Of a recording with more calls than
/// TimelineRequest::max_events, the longest calls fill half of the timeline, and a random sample of the others the rest.
struct Timeline {
  /// Details that a viewer shows of a selected event.
  struct Arguments {
    std::string name;                           ///< name of a process or thread
    std::string flags;                          ///< flags of a call: "NT"
    std::map<std::string, std::int64_t> sizes;  ///< sizes of a call: {"m", 100}
    double flops = 0;                           ///< 0: none, or not known
    double flops_per_second = 0;                ///< 0: not known
    std::string library;                        ///< file of the called library, where the program called several for this routine
    bool skipped = false;                       ///< a dry run skipped the call, whose time is that of skipping
    friend bool operator==(const Arguments&, const Arguments&) = default;
  };
  /// A call, or the name of a process or thread.
  struct Event {
    std::string phase;                         ///< "X": a call; "M": a name
    std::string name;                          ///< routine, or "process_name" or "thread_name"
    std::string category;                      ///< "blas", "lapack", or "other" for routines that flopcast doesn't know
    std::optional<double> start_microseconds;  ///< since the start of the recording; nothing for names
    std::optional<double> microseconds;        ///< duration; nothing for names
    std::uint32_t pid = 0, tid = 0;
    Arguments arguments;
    friend bool operator==(const Event&, const Event&) = default;
  };
  /// The recording, and which of its calls are missing.
  struct About : program::RecordingFacts {
    std::int64_t calls = 0;             ///< all recorded calls
    std::int64_t omitted = 0;           ///< calls that aren't in the timeline
    Seconds omitted_seconds = 0;        ///< time of these calls
    std::vector<std::string> warnings;  ///< defects of the recording
    friend bool operator==(const About&, const About&) = default;
  };

  std::vector<Event> events;  ///< names first, then calls by rising start; the calls of one thread are nested or follow one another
  About about;
  friend bool operator==(const Timeline&, const Timeline&) = default;
};

/// Returns the timeline of a recording. Code outside of BLAS and LAPACK has no events, because recordings don't time it. Throws bad_input if
/// the recording can't be read, and Cancelled.
Timeline export_timeline(const TimelineRequest& request, const RunContext& context = {});

/// Converts to and from the document {"displayTimeUnit": "ns", "traceEvents": [...], ..., "schema": "flopcast-timeline-1"}. The schema comes
/// last, because older readers of the format stop at a member that they don't know.
std::string to_json(const Timeline& timeline);
Timeline timeline_from_json(std::string_view text);

/// Reads a number of threads, or "auto", which is 0. Messages begin with `what`. Throws as parse_integer() does.
int parse_thread_count(std::string_view text, std::string_view what);
/// Threads of BLAS. 0, in texts "auto", stands for the best number for each call.
using ThreadCount = TextNumber<int, parse_thread_count>;

/// A program and what it is to be run with.
struct RunRequest {
  std::vector<std::string> command;
  std::string tuning;
  std::string blas;  ///< name or path; empty: the program's own; "auto": for each call of some routines the fastest one
  std::string lapack;
  std::string kernels = "auto";
  std::optional<ThreadCount> threads;
  Duration time_budget = 60;  ///< for measuring what the choice of threads and libraries lacks
  bool other_machine = false;
  bool explain = false;
};

/// The outcome of a program that ran with tuned block sizes.
struct RunOutcome {
  int exit_code = 0;           ///< the program's own, or 128 plus the signal that ended it
  std::int64_t processes = 0;  ///< processes into which the preloaded library was loaded
  std::string ended_by;        ///< "signal 11 (Segmentation fault)" if that ended the program, whose queries count up to then
  std::string blas;            ///< library that defined dgemm; empty: none was seen
  std::map<std::string, std::string> settings;  ///< variables for kernels that were set
  std::vector<program::RoutineUse>
      routines;  ///< in the order of the tuning file; if RunRequest::explain asks for them, what_happened and the routines that the tuning file lacks
  std::vector<program::SizeUse> sizes;      ///< queries by problem size, if RunRequest::explain asks for them
  std::uint64_t unlisted = 0;               ///< queries for further sizes, for which `sizes` had no room
  std::vector<program::ThreadUse> threads;  ///< calls by routine, library and number of threads, with threads or blas "auto"
  bool counted = true;                      ///< false if queries could not be counted, so that only exit code and settings are known
  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};

/// Runs a program whose LAPACK gets tuned block sizes, and waits for its end. Throws environment_error if the program doesn't exist or
/// libraries can't be preloaded into it; bad_input for an unknown library, a damaged tuning file, or if there is nothing to set.
RunOutcome run_program(const RunRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-run-2", ...}.
std::string to_json(const RunOutcome& outcome);
RunOutcome run_outcome_from_json(std::string_view text);

/// Returns the tuned block parameters of `routine` for an m x n problem, as programs under `flopcast run` get them. `options` are ilaenv's,
/// such as "L". Returns nothing if the tuning file has none for the routine, the options or such small sizes.
std::optional<algorithm::BlockParameters> tuned_block_size(const program::SavedTuning& saved, std::string_view routine, std::int64_t m,
                                                           std::int64_t n, std::string_view options = "");

template <>
Fields FieldTable<RecordRequest>::fields();
template <>
Fields FieldTable<RecordingRequest>::fields();
template <>
Fields FieldTable<ProfileRequest>::fields();
template <>
Fields FieldTable<RunRequest>::fields();

struct EnvironmentRequest {
  RunRequest run;  ///< its command isn't used
  std::string links;
};
template <>
Fields FieldTable<EnvironmentRequest>::fields();

/// Environment variables with which programs run as under `flopcast run`.
struct ProgramEnvironment {
  enum class VariableAction : std::uint8_t {
    assign,   ///< the variable gets the value
    suggest,  ///< the variable gets the value unless it is set
    prepend   ///< the value and a colon are put before what the variable holds, unless it holds the value already
  };
  struct Change {
    std::string name, value;
    VariableAction action = VariableAction::assign;
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;
  std::map<std::string, std::string> variables;  ///< values that the changes give in the present environment
  std::string blas, lapack;                      ///< files that take the place of the program's libraries; empty: its own stay
  std::vector<std::string> routines;             ///< routines with tuned block sizes: "dgeqrf", "dpotrf:L"
  friend bool operator==(const ProgramEnvironment&, const ProgramEnvironment&) = default;
};

/// Returns the variables that `flopcast run` sets for any program. Links to chosen libraries are made in `request.links` and stay there,
/// since programs need them later. Programs that are bound to their libraries by a DT_RPATH or a path keep these; only `flopcast run`
/// replaces them. Throws as run_program() does. Throws bad_input if the tuning file is larger than Linux allows a variable to be.
ProgramEnvironment program_environment(const EnvironmentRequest& request, const RunContext& context = {});

/// Form in which changes of an environment are written.
enum class EnvironmentFormat : std::uint8_t { sh, csh, fish, lmod };
/// Returns the format of this name: "sh", "csh", "fish" or "lmod". Throws bad_input for others.
EnvironmentFormat parse_environment_format(std::string_view name);

/// Returns commands that make the changes: for eval in sh, bash, zsh and csh, for source in fish, or the lines of a module file for Lmod.
/// Commands that are executed twice change nothing more. Throws bad_input for a value with a line break in csh.
std::string to_text(const ProgramEnvironment& environment, EnvironmentFormat format);

/// Converts to and from the document {"schema": "flopcast-environment-1", ...}.
std::string to_json(const ProgramEnvironment& environment);
ProgramEnvironment program_environment_from_json(std::string_view text);

struct IlaenvRequest {
  std::string tuning, blas;
  std::optional<int> threads;
  program::SourceLanguage language = program::SourceLanguage::fortran;
};
template <>
Fields FieldTable<IlaenvRequest>::fields();

/// The exported source with the place that its block sizes hold for.
struct IlaenvExport {
  program::IlaenvSource source;
  program::SourceLanguage language = program::SourceLanguage::fortran;
  std::string cpu, place;  ///< "openblas 0.3.21 with 1 thread, LAPACK reference 3.11.0"
  friend bool operator==(const IlaenvExport&, const IlaenvExport&) = default;
};

/// Returns a source of LAPACK's ilaenv with the block sizes of a tuning file, for programs that are linked statically. Throws bad_input
/// if there is no tuning file, or it has no entry for the BLAS and the threads that the request names.
IlaenvExport export_ilaenv(const IlaenvRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-ilaenv-1", ...}.
std::string to_json(const IlaenvExport& exported);
IlaenvExport ilaenv_export_from_json(std::string_view text);

}  // namespace flopcast
