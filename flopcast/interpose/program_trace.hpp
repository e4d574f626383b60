#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/interpose/trace_format.hpp"

/// Reading what `flopcast record` wrote about a program: trace_format.hpp says how it lies in the file.
namespace flopcast::interpose {

/// One outermost BLAS or LAPACK call of a program.
struct ProgramEvent {
  std::uint32_t name = 0;                     ///< index into ProgramSummary::names
  Treatment treatment = Treatment::executed;  ///< anything else only in dry runs
  Seconds start = 0;                          ///< since the start of the recording
  Seconds seconds = 0;                        ///< how long it took; 0 where it wasn't executed
  bool met_invalid = false;                   ///< a result was undefined, as with NaN or Inf among the operands
  bool met_denormals = false;                 ///< numbers below the smallest normal one were computed with
  bool size_was_asked = false;                ///< its thread had asked this routine for a workspace's size before
  /// At the program's addresses. `call.routine` is null where only the name is known, or the arguments are such that nothing can be told
  /// from them (fault_of).
  Call call;
  [[nodiscard]] bool described() const noexcept { return call.routine != nullptr; }
};

/// A process that made calls.
struct RecordedProcess {
  std::uint32_t pid = 0;
  std::vector<std::string> command;
  friend bool operator==(const RecordedProcess&, const RecordedProcess&) = default;
};

/// A thread that made calls.
struct RecordedThread {
  std::uint32_t pid = 0, tid = 0;
  std::size_t chunks = 0;  ///< pieces in which its records lie
};

/// A library as it was set when the program called it first.
struct LibraryState {
  std::string path;
  std::optional<int> threads;  ///< nothing: it doesn't tell
  std::string kernels;         ///< empty: it doesn't tell
  friend bool operator==(const LibraryState&, const LibraryState&) = default;
};

/// All of a recording but its events.
struct ProgramSummary {
  std::vector<std::string> command;
  nlohmann::json document;  ///< the file's JSON document: command, folder, machine, threads of BLAS where they were given
  bool dry_run = false;
  bool finished = false;               ///< false: `flopcast record` itself was killed, or is still running; then the next three are guesses
  int exit_code = 0;                   ///< the program's own, or 128 plus the signal that ended it
  Seconds seconds = 0;                 ///< from start to end
  double ticks_per_second = 1e9;       ///< of the recording's clock
  std::uint64_t dropped = 0;           ///< calls that were not recorded, because the disk was full
  std::uint64_t damaged = 0;           ///< chunks that can't be read
  std::uint64_t missing = 0;           ///< bytes that the file was cut off by
  std::uint32_t loaded = 0;            ///< processes that had the preloaded library in them, with or without calls
  std::int64_t started = 0;            ///< seconds since 1970; 0: not known
  std::vector<std::string> libraries;  ///< files in which the called routines are defined
  std::vector<std::string> unseen_libraries;  ///< files with routines that were loaded into processes without a call that was seen
  std::vector<LibraryState> states;           ///< of the libraries that tell how they are set; none in older recordings
  std::vector<RecordedProcess> processes;
  std::vector<RecordedThread> threads;  ///< in the order of their first calls
  std::vector<std::string> names;       ///< routines: "dgemm", "dgesvd", "cblas_dgemm_batch"
};

/// A recorded file, open. Events are read when they are asked for, so that files larger than memory can be worked on.
class ProgramTraceFile {
 public:
  /// Throws bad_input saying what is wrong if the file can't be read, is none of ours, or was written by a newer version. A file that was
  /// cut off, or has damaged chunks, is read as far as it goes.
  explicit ProgramTraceFile(const std::filesystem::path& path);
  ProgramTraceFile(ProgramTraceFile&&) noexcept;
  ProgramTraceFile& operator=(ProgramTraceFile&&) noexcept;
  ProgramTraceFile(const ProgramTraceFile&) = delete;
  ProgramTraceFile& operator=(const ProgramTraceFile&) = delete;
  ~ProgramTraceFile();

  [[nodiscard]] const ProgramSummary& summary() const noexcept;

  /// Calls `visit` for the events of thread number `thread` of the summary, in order. Calls that only ask for the size of a workspace are
  /// left out: ProgramEvent::size_was_asked tells of them.
  void visit(std::size_t thread, const std::function<void(const ProgramEvent&)>& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether threads of one process may have called at the same time: the spans between their first and last calls overlap.
bool threads_overlap(const ProgramTraceFile& file);

/// A recording in memory.
struct ProgramTrace {
  ProgramSummary summary;
  std::vector<std::vector<ProgramEvent>> events;  ///< per thread of the summary, in order
};

/// Whether the file begins as a recording does; false if it can't be read.
bool is_program_trace(const std::filesystem::path& path);

/// All of a file; throws as ProgramTraceFile does.
ProgramTrace read_program_trace(const std::filesystem::path& path);

/// The described calls of one thread as a trace at virtual addresses with their measured seconds. Its allocations ("memory0", ... by first
/// use) are the intervals that the calls' operands cover, joined where they overlap or touch; configuration.algorithm is `name`. Calls that
/// are known by name only are left out.
Trace to_trace(const std::vector<ProgramEvent>& events, const std::string& name = "program");

/// The time before each described call of one thread since the described call before it ended, or since the recording began: the program's
/// own code, and calls that are known by name only.
std::vector<Seconds> pauses(const std::vector<ProgramEvent>& events);

}  // namespace flopcast::interpose
