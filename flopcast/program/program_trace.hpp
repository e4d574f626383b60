#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/program/recorded_run.hpp"
#include "flopcast/program/recording_document.hpp"
#include "flopcast/protocol/trace_format.hpp"
#include "flopcast/support/units.hpp"

/// Reads recordings of `flopcast record`. trace_format.hpp describes the file.
namespace flopcast::program {

/// One outermost BLAS or LAPACK call of a program.
struct ProgramEvent {
  std::uint32_t name = 0;                                         ///< index into ProgramSummary::names
  protocol::Treatment treatment = protocol::Treatment::executed;  ///< other values occur in dry runs only
  Seconds start = 0;                                              ///< since the start of the recording
  /// Duration; 0 where the call wasn't executed. In a dry run it includes the time of the decision to execute the call.
  Seconds seconds = 0;
  Seconds skipping = 0;           ///< time that the dry run took to skip the call
  bool met_invalid = false;       ///< a result was undefined, as with NaN or Inf among the operands
  bool has_nan = false;           ///< NaN was seen among the results
  bool met_denormals = false;     ///< numbers below the smallest normal one were computed with
  bool size_was_queried = false;  ///< its thread had queried this routine's workspace size before
  /// The call with the program's addresses. `call.routine` is null where only the name is known, or where the arguments are invalid
  /// (fault_of).
  Call call;
  [[nodiscard]] bool described() const noexcept { return call.routine != nullptr; }
  [[nodiscard]] bool was_skipped() const noexcept {
    return treatment == protocol::Treatment::skipped || treatment == protocol::Treatment::skipped_blindly;
  }
};

/// A library's settings when the program called it for the first time.
struct LibraryState {
  std::string path;
  std::optional<int> threads;  ///< nothing if the library doesn't report it
  std::string kernels;         ///< empty if the library doesn't report it
  friend bool operator==(const LibraryState&, const LibraryState&) = default;
};

/// A place outside of calls where probes found a process (trace_format.hpp).
struct ProbedPlace {
  Seconds seconds = 0;        ///< user CPU time of the probes
  std::string where;          ///< "slow.py:12 in assemble (sum of fromnumeric.py)", or a file of machine code
  std::uint64_t address = 0;  ///< in the file of machine code; 0 for others
  std::string function;       ///< function that the file exports; empty where it isn't known
  std::string subscripts;     ///< those of the contraction that NumPy's einsum computes
};

/// A first call of a routine or a thread whose page faults were counted.
struct WatchedCall {
  Seconds start = 0;  ///< equals the start of the call's event
  std::uint64_t faults = 0;
  Seconds system = 0;  ///< time in the operating system
};

/// A recording without its events.
struct ProgramSummary : RecordingFacts {
  std::optional<int> threads_option;  ///< threads of BLAS that `flopcast record --threads` set
  ThreadVariables thread_variables;   ///< those of the program's environment; none in older recordings
  double ticks_per_second = 1e9;      ///< ticks of the recording's clock
  std::uint32_t loaded = 0;           ///< processes into which the preloaded library was loaded, with or without calls
  /// Files that define routines and were loaded into processes in which no call was seen.
  std::vector<std::string> unseen_libraries;
  std::vector<LibraryState> states;  ///< settings that libraries report; none in older recordings
  std::vector<ProbedPlace> probed;   ///< none where the program wasn't probed, as of the next list
  std::vector<WatchedCall> watched;
  std::vector<std::string> names;  ///< routines: "dgemm", "cblas_dgemm_batch"; "dgemm (blis)" where several libraries were called for it
  /// For each name the file of its library, where several libraries were called for a routine; else empty.
  std::vector<std::string> name_libraries;
};

/// A recording whose events can be read any number of times.
class RecordedProgram {
 public:
  virtual ~RecordedProgram() = default;
  [[nodiscard]] virtual const ProgramSummary& summary() const noexcept = 0;

  /// Calls `visit` for the events of thread number `thread` of the summary, in order. Calls that only query a workspace size are skipped;
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

/// Returns whether the file begins as a recording does; false if it can't be read.
bool is_program_trace(const std::filesystem::path& path);

/// Returns the described calls of one thread as a trace at virtual addresses with their measured seconds. Its allocations ("memory0", ...
/// by first use) are the intervals that the calls' operands cover, joined where they overlap or touch. configuration.algorithm is `name`.
/// Calls that are known by name only are skipped.
Trace to_trace(const std::vector<ProgramEvent>& events, const std::string& name = "program");

/// Returns, for each described call of one thread, the time since the described call before it ended, or since the recording began. This
/// time holds the program's own code, and calls that are known by name only.
std::vector<Seconds> pauses(const std::vector<ProgramEvent>& events);

}  // namespace flopcast::program
