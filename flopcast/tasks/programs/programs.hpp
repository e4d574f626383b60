#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/program/profile.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/what_if.hpp"

/// Jobs around whole programs: record their BLAS and LAPACK calls, show where the time went, predict changes, and run them tuned.
namespace flopcast {

/// A program and how it is to be recorded.
struct RecordRequest {
  std::vector<std::string> command;
  std::string blas, lapack;
  std::optional<int> threads;
  std::string output = "flopcast.trace";
  bool dry_run = false;
};

/// A recording that is to be read.
struct RecordingRequest {
  std::string file;
  bool events = false;
};

/// The contents of a recording, without the times by shape and thread that profile_program() gives.
struct Recording {
  struct Machine {
    std::string cpu;
    int cores = 0;  ///< 0: not known
    friend bool operator==(const Machine&, const Machine&) = default;
  };
  struct Process {
    std::uint32_t pid = 0;
    std::vector<std::string> command;
    friend bool operator==(const Process&, const Process&) = default;
  };
  struct Thread {
    std::uint32_t pid = 0, tid = 0;
    friend bool operator==(const Thread&, const Thread&) = default;
  };
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
  std::vector<std::string> command;
  Machine machine;
  bool dry_run = false;
  bool finished = false;   ///< false if the recorder was killed or is still running
  int exit_code = 0;       ///< the program's own, or 128 plus the signal that ended it
  Seconds seconds = 0;     ///< from start to end of the program
  double cores_got = 0;    ///< CPU time of the program over `seconds`; 0: not known
  double other_cores = 0;  ///< cores that other programs kept busy meanwhile, on average
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
  std::uint64_t dropped = 0;                 ///< calls that didn't fit on the disk
  std::uint64_t damaged = 0;                 ///< pieces of the file that can't be read
  std::uint64_t missing_bytes = 0;           ///< bytes that are cut off the file's end
  std::vector<std::string> libraries;        ///< files that define the called routines
  std::vector<Process> processes;            ///< processes that made calls
  std::vector<Thread> threads;               ///< threads that made calls
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

/// Sum over a set of calls.
struct CallTotals {
  std::int64_t calls = 0;
  std::int64_t skipped = 0;  ///< calls that a dry run skipped
  Seconds seconds = 0;
  double flops = 0;                        ///< flops of the calls that are described; first calls don't count
  double rate_flops = 0;                   ///< flops with single precision counted half, which the peak is compared with
  Seconds rate_seconds = 0;                ///< time of the calls that `flops` counts
  std::optional<double> flops_per_second;  ///< flops / rate_seconds
  std::optional<double> of_peak;           ///< achieved share of the peak
  friend bool operator==(const CallTotals&, const CallTotals&) = default;
};

/// The rate with which achieved rates are compared.
struct PeakRate {
  double flops_per_second = 0;  ///< rate in double precision
  std::string what;             ///< "the best dgemm of openblas 0.3.21 (kernels SkylakeX) with 1 thread"
  friend bool operator==(const PeakRate&, const PeakRate&) = default;
};

/// Adds up totals. Rate and share of the peak are those of the sum.
CallTotals total_of(const std::vector<CallTotals>& parts, const std::optional<PeakRate>& peak);

/// Least and largest value of a size argument over the calls of a shape.
struct SizeSpan {
  std::string name;
  std::int64_t low = 0, high = 0;
  friend bool operator==(const SizeSpan&, const SizeSpan&) = default;
};
/// Returns "m=100 n=64..127"; empty where there are no sizes.
std::string to_string(const std::vector<SizeSpan>& sizes);

/// A recording, and what is asked about it.
struct ProfileRequest {
  std::string recording;
  bool with_peak = true;
  std::vector<WhatIf> what_if;
  WhatIfOptions options;
};

/// Where a recorded program's BLAS and LAPACK time went.
struct ProgramProfile {
  struct Place {
    std::string blas, lapack;  ///< empty: not known
    std::string cpu;
    std::optional<int> threads;  ///< threads of BLAS; nothing: not known
    std::string kernels;         ///< kernels that BLAS had chosen; empty: not known
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Routine : CallTotals {
    std::string routine;
    bool described = false;  ///< false where only the routine's name is known
    friend bool operator==(const Routine&, const Routine&) = default;
  };
  struct Shape : CallTotals {
    std::string routine;
    std::string flags;         ///< "NT"; empty where only the name is known
    bool first_calls = false;  ///< the routine's first calls, which are kept apart
    std::vector<SizeSpan> sizes;
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

  std::vector<std::string> command;
  std::int64_t started = 0;  ///< seconds since 1970; 0: not known
  Place recorded;            ///< where the program was recorded
  bool dry_run = false;
  bool finished = false;
  std::uint64_t damaged = 0;
  std::uint64_t missing_bytes = 0;
  std::vector<std::string> warnings;  ///< remarks that the reader must know first
  Seconds seconds = 0;                ///< time of the whole run
  Seconds own_code_seconds = 0;       ///< as in Recording; no answer to what_if includes it
  std::size_t thread_count = 0;       ///< threads with calls, also those whose calls can't be read
  CallTotals all, first_calls;
  std::optional<PeakRate> peak;
  std::vector<Routine> routines;  ///< by falling time, as are shapes; without first calls
  std::vector<Shape> shapes;
  std::vector<Thread> threads;
  std::vector<Process> processes;
  std::vector<WhatIfResult> what_if;
  friend bool operator==(const ProgramProfile&, const ProgramProfile&) = default;
};

/// Sums up a recording by routine, shape, thread and process, measures the peak, and predicts changes. Throws bad_input if the recording
/// can't be read, and Cancelled.
ProgramProfile profile_program(const ProfileRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-program-profile-2", ...}; reads "-1" as well.
std::string to_json(const ProgramProfile& profile);
ProgramProfile program_profile_from_json(std::string_view text);

/// Shares of the time that threads spent in routines, with the run cut into equal bins.
struct CallTimeline {
  Seconds begin = 0, end = 0;         ///< begin of the first and end of the last call
  std::vector<std::string> routines;  ///< the heaviest ones; all others are one more series
  std::vector<std::string> threads;   ///< identifiers
  /// busy[thread][bin][series]: share of the bin's time, 0 to 1. The others are the last series.
  std::vector<std::vector<std::vector<double>>> busy;
};
CallTimeline call_timeline(const std::filesystem::path& recording, std::size_t bins, std::size_t max_routines);

/// A program and what it is to be run with.
struct RunRequest {
  std::vector<std::string> command;
  std::string profile;
  std::string blas, lapack;
  std::string kernels = "auto";
  std::optional<int> threads;
  bool other_machine = false;
  bool explain = false;
};

/// The settings of `flopcast run` for a program.
struct RunSettings {
  std::map<std::string, std::string> variables;  ///< environment variables: kernels, threads, block sizes
  std::string blas, lapack;                      ///< files that take the place of the program's libraries; empty: its own stay
  std::string preload;                           ///< library that answers LAPACK's queries for block sizes
  program::Profile profile;                      ///< the decisions that hold for this library and number of threads
};

/// Returns what the program would be run with. Throws as run_program does.
RunSettings run_settings(const RunRequest& request, const RunContext& context = {});

/// The outcome of a program that ran with tuned block sizes.
struct RunOutcome {
  struct Routine {
    std::string routine, flags;
    std::uint64_t queries = 0;               ///< ilaenv queries for the block size
    std::int64_t smallest = 0, largest = 0;  ///< orders of the problems queried
    std::int64_t returned = 0;               ///< largest block size returned
    std::uint64_t short_workspaces = 0;      ///< times that the program's workspace was too short for it
    std::int64_t allowed = 0;                ///< least block size that such a workspace allowed; 0: not known
    std::uint64_t other_queries = 0;         ///< queries with options for which the profile has nothing
    std::string other_options;               ///< options of the first such query
    std::string lapack;                      ///< library that made the queries or defines the routine; empty: none was seen
    std::string what_happened;               ///< a clause, if RunRequest::explain asks for it
    friend bool operator==(const Routine&, const Routine&) = default;
  };
  int exit_code = 0;           ///< the program's own, or 128 plus the signal that ended it
  std::int64_t processes = 0;  ///< processes into which the preloaded library was loaded
  std::string ended_by;        ///< "signal 11 (Segmentation fault)" if that ended the program, whose queries count up to then
  std::string blas;            ///< library that defined dgemm; empty: none was seen
  std::map<std::string, std::string> settings;  ///< variables for kernels that were set
  std::vector<Routine> routines;                ///< in the order of the profile
  bool counted = true;                          ///< false if queries could not be counted, so that only exit code and settings are known
  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};

/// Runs a program whose LAPACK gets tuned block sizes, and waits for its end. Throws environment_error if the program doesn't exist or
/// libraries can't be preloaded into it; bad_input for an unknown library, a damaged profile, or if there is nothing to set.
RunOutcome run_program(const RunRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-run-2", ...}.
std::string to_json(const RunOutcome& outcome);
RunOutcome run_outcome_from_json(std::string_view text);

/// Returns the tuned block parameters of `routine` for an m x n problem, as programs under `flopcast run` get them. `options` are ilaenv's,
/// such as "L". Returns nothing if the profile has none for the routine, the options or such small sizes.
std::optional<algorithm::BlockParameters> tuned_block_size(const program::Profile& profile, std::string_view routine, std::int64_t m,
                                                           std::int64_t n, std::string_view options = "");

template <>
Fields FieldTable<RecordRequest>::fields();
template <>
Fields FieldTable<RecordingRequest>::fields();
template <>
Fields FieldTable<ProfileRequest>::fields();
template <>
Fields FieldTable<RunRequest>::fields();

}  // namespace flopcast
