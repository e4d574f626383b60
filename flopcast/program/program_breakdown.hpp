#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/units.hpp"

/// Distribution of the time of a recorded program's BLAS and LAPACK calls over routines, shapes, threads and processes.
namespace flopcast::program {

/// Calls of one routine with the same flags and with equal sizes or, where there are many different ones, similar sizes.
struct ShapeSum {
  std::uint32_t name = 0;  ///< index into ProgramSummary::names
  std::string flags;       ///< result of flags(call); empty where only the name is known
  std::vector<SizeSpan> sizes;
  CallSum sum;
  bool first_calls = false;  ///< the routine's first calls, which are separated; their flops are in no sum
  Call longest;              ///< an example: the longest call; its routine is null where only the name is known
  Seconds longest_seconds = -1;
  bool longest_size_queried = false;  ///< the program had queried the workspace size
};

/// One routine's calls.
struct RoutineSum {
  std::uint32_t name = 0;  ///< index into ProgramSummary::names
  bool described = false;
  CallSum sum;
};

/// Sum of the calls that one thread made.
struct ThreadSum {
  std::size_t thread = 0;  ///< index into ProgramSummary::threads
  CallSum sum;
  std::uint32_t heaviest = 0;  ///< the routine in which the thread spent most time; index into ProgramSummary::names
};

/// Sum of the calls that the threads of one process made.
struct ProcessSum {
  std::uint32_t pid = 0;
  std::size_t threads = 0;
  CallSum sum;
};

struct BreakdownOptions {
  /// If a routine is called with the same flags and more different sizes, they are joined by powers of two.
  std::size_t max_exact_sizes = 24;
  double first_call_factor = 1.5;      ///< a first call is separated if it took this many times the typical time of such calls
  Seconds first_call_excess = 100e-6;  ///< and if it took longer than typical by this much
};

/// Sums of a recording. Each list is sorted by falling time (then flops, then calls); threads and processes are in the order of their first
/// calls.
/// First calls are separated where they took much longer than similar calls, because a library starts in them and memory is touched for
/// the first time. They form shapes of their own and are in no routine's sum. The sums of threads, of processes and of all calls include
/// their time, but no rate does.
class ProgramBreakdown {
 public:
  /// Reads all calls twice.
  explicit ProgramBreakdown(const RecordedProgram& program, const BreakdownOptions& options = {});

  [[nodiscard]] const CallSum& all() const noexcept { return all_; }
  /// Sums per routine, without first calls.
  [[nodiscard]] const std::vector<RoutineSum>& routines() const noexcept { return routines_; }
  [[nodiscard]] const CallSum& first_calls() const noexcept { return first_calls_; }
  [[nodiscard]] const std::vector<ShapeSum>& shapes() const noexcept { return shapes_; }
  [[nodiscard]] const std::vector<ThreadSum>& threads() const noexcept { return threads_; }
  [[nodiscard]] const std::vector<ProcessSum>& processes() const noexcept { return processes_; }

  /// Returns the index into shapes() of a call of this recording.
  [[nodiscard]] std::size_t shape_of(const ProgramEvent& event) const { return index_.at(shape_key(event)); }
  /// Returns whether a call of this recording is separated as a first one.
  [[nodiscard]] bool is_first_call(const ProgramEvent& event) const { return first_.count(identity_of(event)) > 0; }

 private:
  friend class FirstCallFinder;
  /// Calls that are the same but for their operands. Flags and sizes are empty where only the name is known.
  struct Key {
    bool first = false;  ///< the routine's first calls, whatever their flags and sizes
    std::uint32_t name = 0;
    std::string flags;
    std::vector<std::int64_t> sizes;
    friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr): a 0 of the compiler
  };
  static Key key_of(const ProgramEvent& event);
  /// Returns the key of the shape that a call of this recording is counted in before shapes are joined.
  [[nodiscard]] Key shape_key(const ProgramEvent& event) const {
    return is_first_call(event) ? Key{true, event.name, {}, {}} : key_of(event);
  }
  /// Identifies a call by name, start and duration.
  using Identity = std::tuple<std::uint32_t, Seconds, Seconds>;
  static Identity identity_of(const ProgramEvent& event) { return {event.name, event.start, event.seconds}; }
  void read(const RecordedProgram& program, std::map<Key, ShapeSum>& exact);
  void group(const std::map<Key, ShapeSum>& exact, const BreakdownOptions& options);
  void sort_shapes();

  CallSum all_, first_calls_;
  std::set<Identity> first_;
  std::vector<RoutineSum> routines_;
  std::vector<ShapeSum> shapes_;
  std::vector<ThreadSum> threads_;
  std::vector<ProcessSum> processes_;
  std::map<Key, std::size_t> index_;  ///< shape of every exact key
};

/// One thread's described calls, the shape of each, and the time of own code before each.
struct ThreadCalls {
  std::size_t thread = 0;  ///< index into ProgramSummary::threads
  Trace trace;             ///< without times where a dry run took none
  std::vector<std::size_t> shapes;
  std::vector<Seconds> pauses;
};
/// Returns the calls of the threads that made described ones.
std::vector<ThreadCalls> described_calls(const RecordedProgram& program, const ProgramBreakdown& breakdown);

/// Returns the recorded time outside of BLAS and LAPACK in the thread with the longest time in calls: the program's own code, and waiting. No
/// prediction of calls includes it.
Seconds own_code_seconds(const ProgramSummary& summary, const ProgramBreakdown& breakdown);

/// Returns the defects of a recording with `calls` calls: not loaded, empty, incomplete, damaged, without an end.
std::vector<std::string> recording_warnings(const ProgramSummary& summary, std::int64_t calls);

/// Returns the time that others took from a program for `wanted_cores` cores, at most: time in which its threads waited for a core. 0: none, or
/// not known.
Seconds taken_by_others(const ProgramSummary& summary, double wanted_cores);

/// Returns remarks on how to read the times of a recording. They name first calls that are kept apart, and calls that numbers such as NaN,
/// Inf or denormal ones may have made slow.
std::vector<std::string> recording_remarks(const ProgramSummary& summary, const ProgramBreakdown& breakdown);

}  // namespace flopcast::program
