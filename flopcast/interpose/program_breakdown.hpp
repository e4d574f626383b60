#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/interpose/program_trace.hpp"

/// Where the time of a recorded program's BLAS and LAPACK calls went: by routine, by shape, by thread and by process.
namespace flopcast::interpose {

/// What a set of calls adds up to.
struct CallSum {
  std::int64_t calls = 0;
  std::int64_t skipped = 0;  ///< of them, by a dry run
  double flops = 0;          ///< of the calls that the catalogue describes
  double peak_flops = 0;     ///< the same with single precision counted half: what the double-precision peak has to be compared with
  Seconds seconds = 0;
  Seconds described_seconds = 0;  ///< the part in calls that the catalogue describes: flops belong to this time; without first calls
  Seconds invalid_seconds = 0;    ///< the part in calls that met NaN or Inf, of routines that don't with ordinary operands
  Seconds denormal_seconds = 0;   ///< the part in calls that met denormal numbers, of routines that don't iterate

  friend bool operator==(const CallSum&, const CallSum&) = default;
  CallSum& operator+=(const CallSum& other);
};

/// A size argument's values over the calls of one shape.
struct SizeRange {
  std::string name;
  std::int64_t low = 0, high = 0;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// Calls of one routine with the same flags and with equal or, where there are many different ones, similar sizes.
struct ShapeSum {
  std::uint32_t name = 0;  ///< index into ProgramSummary::names
  std::string flags;       ///< as flags(call); empty where only the name is known
  std::vector<SizeRange> sizes;
  CallSum sum;
  bool first_calls = false;  ///< the calls of one routine that are told apart as first ones; their flops are in no sum
  Call longest;              ///< an example: the longest call; its routine is null where only the name is known
  Seconds longest_seconds = -1;
  bool longest_asked_size = false;  ///< the program had asked the routine for the size of the workspace
};

/// One routine's calls.
struct RoutineSum {
  std::uint32_t name = 0;  ///< index into ProgramSummary::names
  bool described = false;
  CallSum sum;
};

/// The calls that one thread made.
struct ThreadSum {
  std::size_t thread = 0;  ///< index into ProgramSummary::threads
  CallSum sum;
  std::uint32_t heaviest = 0;  ///< the routine in which it spent most; index into ProgramSummary::names
};

/// The calls that the threads of one process made.
struct ProcessSum {
  std::uint32_t pid = 0;
  std::size_t threads = 0;
  CallSum sum;
};

struct BreakdownOptions {
  std::size_t most_exact_sizes =
      24;  ///< a routine called with the same flags and more different sizes has them joined, each size by powers of two
  double first_call_factor = 1.5;      ///< a first call is told apart if it took so many times what is typical of such calls,
  Seconds first_call_excess = 100e-6;  ///< and so much more
};

/// Sums of a recording, each list by falling time (then flops, then calls); threads and processes in the order of their first calls.
///
/// First calls are told apart where they took much longer than calls like them: a library starts in them, and memory is touched for the first
/// time. They are in no routine's sum and in shapes of their own; the sums of threads, of processes and of all calls have their time, but no
/// rate contains it.
class ProgramBreakdown {
 public:
  /// Reads all calls twice.
  explicit ProgramBreakdown(const ProgramTraceFile& file, const BreakdownOptions& options = {});

  [[nodiscard]] const CallSum& all() const noexcept { return all_; }
  /// Without first calls.
  [[nodiscard]] const std::vector<RoutineSum>& routines() const noexcept { return routines_; }
  [[nodiscard]] const CallSum& first_calls() const noexcept { return first_calls_; }
  [[nodiscard]] const std::vector<ShapeSum>& shapes() const noexcept { return shapes_; }
  [[nodiscard]] const std::vector<ThreadSum>& threads() const noexcept { return threads_; }
  [[nodiscard]] const std::vector<ProcessSum>& processes() const noexcept { return processes_; }

  /// Index into shapes() of a call of this recording.
  [[nodiscard]] std::size_t shape_of(const ProgramEvent& event) const;
  /// Whether a call of this recording is told apart as a first one.
  [[nodiscard]] bool is_first_call(const ProgramEvent& event) const { return first_.count(identity_of(event)) > 0; }

 private:
  friend class FirstCalls;
  /// Calls that are the same but for their operands; without flags and sizes where only the name is known.
  struct Key {
    std::uint32_t name = 0;
    std::string flags;
    std::vector<std::int64_t> sizes;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static Key key_of(const ProgramEvent& event);
  /// Tells a call from all others: name, start and duration.
  using Identity = std::tuple<std::uint32_t, Seconds, Seconds>;
  static Identity identity_of(const ProgramEvent& event) { return {event.name, event.start, event.seconds}; }
  void read(const ProgramTraceFile& file, std::map<Key, ShapeSum>& exact);
  void group(const std::map<Key, ShapeSum>& exact, const BreakdownOptions& options);
  void sort_shapes();

  CallSum all_, first_calls_;
  std::set<Identity> first_;
  std::map<std::uint32_t, ShapeSum> first_shapes_;       ///< by name, while reading
  std::map<std::uint32_t, std::size_t> first_shape_of_;  ///< index into shapes_ by name
  std::vector<RoutineSum> routines_;
  std::vector<ShapeSum> shapes_;
  std::vector<ThreadSum> threads_;
  std::vector<ProcessSum> processes_;
  std::map<Key, std::size_t> index_;  ///< shape of every exact key
};

/// `m=100 n=64..127`; empty where there are no sizes.
std::string to_string(const std::vector<SizeRange>& sizes);

}  // namespace flopcast::interpose
