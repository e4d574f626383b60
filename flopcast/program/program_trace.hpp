#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/program/thread_variables.hpp"
#include "flopcast/protocol/trace_format.hpp"
#include "flopcast/support/units.hpp"

/// Reads recordings of `flopcast record`. trace_format.hpp describes the file.
namespace flopcast::program {

/// One outermost BLAS or LAPACK call of a program.
struct ProgramEvent {
  std::uint32_t name = 0;                                         ///< index into ProgramSummary::names
  protocol::Treatment treatment = protocol::Treatment::executed;  ///< other values occur in dry runs only
  Seconds start = 0;                                              ///< since the start of the recording
  Seconds seconds = 0;                                            ///< duration; 0 where the call wasn't executed
  bool met_invalid = false;                                       ///< a result was undefined, as with NaN or Inf among the operands
  bool has_nan = false;                                           ///< NaN was seen among the results
  bool met_denormals = false;                                     ///< numbers below the smallest normal one were computed with
  bool size_was_queried = false;                                  ///< its thread had queried this routine's workspace size before
  /// The call with the program's addresses. `call.routine` is null where only the name is known, or where the arguments are invalid
  /// (fault_of).
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
  std::size_t chunks = 0;  ///< number of chunks with its records
};

/// A library's settings when the program called it for the first time.
struct LibraryState {
  std::string path;
  std::optional<int> threads;  ///< nothing if the library doesn't report it
  std::string kernels;         ///< empty if the library doesn't report it
  friend bool operator==(const LibraryState&, const LibraryState&) = default;
};

/// A recording without its events.
struct ProgramSummary {
  std::vector<std::string> command;
  std::string cpu;                    ///< the machine's CPU; empty in recordings that don't have it
  int cores = 0;                      ///< cores of the machine; 0: not known
  std::optional<int> threads_option;  ///< threads of BLAS that `flopcast record --threads` set
  ThreadVariables thread_variables;   ///< those of the program's environment; none in older recordings
  bool dry_run = false;
  /// False if `flopcast record` itself was killed or is still running. The next three values are then guesses.
  bool finished = false;
  int exit_code = 0;                   ///< the program's own, or 128 plus the signal that ended it
  Seconds seconds = 0;                 ///< from start to end
  double cores_got = 0;                ///< CPU time over `seconds`; 0: not known
  double other_cores = 0;              ///< cores that other programs kept busy meanwhile, on average; 0: none, or not known
  double ticks_per_second = 1e9;       ///< ticks of the recording's clock
  std::uint64_t dropped = 0;           ///< calls that were not recorded because the disk was full
  std::uint64_t damaged = 0;           ///< chunks that can't be read
  std::uint64_t missing = 0;           ///< bytes that are cut off the file's end
  std::uint32_t loaded = 0;            ///< processes into which the preloaded library was loaded, with or without calls
  std::int64_t started = 0;            ///< seconds since 1970; 0: not known
  std::vector<std::string> libraries;  ///< files in which the called routines are defined
  /// Files that define routines and were loaded into processes in which no call was seen.
  std::vector<std::string> unseen_libraries;
  std::vector<LibraryState> states;  ///< settings that libraries report; none in older recordings
  std::vector<RecordedProcess> processes;
  std::vector<RecordedThread> threads;  ///< in the order of their first calls
  std::vector<std::string> names;  ///< routines: "dgemm", "cblas_dgemm_batch"; "dgemm (blis)" where several libraries were called for it
  /// For each name the file of its library, where several libraries were called for a routine; else empty.
  std::vector<std::string> name_libraries;
};

/// A recording whose events can be read any number of times.
class RecordedProgram {
 public:
  virtual ~RecordedProgram() = default;
  [[nodiscard]] virtual const ProgramSummary& summary() const noexcept = 0;

  /// Calls `visit` for the events of thread number `thread` of the summary, in order. Calls that only query a workspace size are left out;
  /// ProgramEvent::size_was_queried marks the calls after them.
  virtual void visit(std::size_t thread, const std::function<void(const ProgramEvent&)>& visit) const = 0;

 protected:
  RecordedProgram() = default;
  RecordedProgram(const RecordedProgram&) = default;
  RecordedProgram& operator=(const RecordedProgram&) = default;
};

/// A recording in a file. Events are read when they are visited, so that files larger than memory can be processed.
class ProgramTraceFile : public RecordedProgram {
 public:
  /// Throws bad_input with the reason if the file can't be read, isn't a recording, or was written by a newer version. A file that was cut
  /// off, or has damaged chunks, is read as far as it goes.
  explicit ProgramTraceFile(const std::filesystem::path& path);
  ProgramTraceFile(ProgramTraceFile&&) noexcept;
  ProgramTraceFile& operator=(ProgramTraceFile&&) noexcept;
  ProgramTraceFile(const ProgramTraceFile&) = delete;
  ProgramTraceFile& operator=(const ProgramTraceFile&) = delete;
  ~ProgramTraceFile() override;

  [[nodiscard]] const ProgramSummary& summary() const noexcept override;
  void visit(std::size_t thread, const std::function<void(const ProgramEvent&)>& visit) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns whether threads of one process may have called at the same time, because the spans between their first and last calls overlap.
bool threads_overlap(const RecordedProgram& program);

/// A recording in memory.
struct ProgramTrace {
  ProgramSummary summary;
  std::vector<std::vector<ProgramEvent>> events;  ///< per thread of the summary, in order
};

/// A recording in memory that is read as one in a file is.
class ProgramInMemory : public RecordedProgram {
 public:
  explicit ProgramInMemory(ProgramTrace trace) : trace_(std::move(trace)) {}

  [[nodiscard]] const ProgramSummary& summary() const noexcept override { return trace_.summary; }
  void visit(std::size_t thread, const std::function<void(const ProgramEvent&)>& visit) const override;

 private:
  ProgramTrace trace_;
};

/// Returns whether the file begins as a recording does; false if it can't be read.
bool is_program_trace(const std::filesystem::path& path);

/// Reads a whole file. Throws as ProgramTraceFile does.
ProgramTrace read_program_trace(const std::filesystem::path& path);

/// Returns the described calls of one thread as a trace at virtual addresses with their measured seconds. Its allocations ("memory0", ...
/// by first use) are the intervals that the calls' operands cover, joined where they overlap or touch. configuration.algorithm is `name`.
/// Calls that are known by name only are left out.
Trace to_trace(const std::vector<ProgramEvent>& events, const std::string& name = "program");

/// Returns, for each described call of one thread, the time since the described call before it ended, or since the recording began. This
/// time holds the program's own code, and calls that are known by name only.
std::vector<Seconds> pauses(const std::vector<ProgramEvent>& events);

}  // namespace flopcast::program
