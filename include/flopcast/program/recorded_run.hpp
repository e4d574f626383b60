#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

/// Facts about recorded programs and sums of their calls, which recordings, profiles and predictions share.
namespace flopcast::program {

/// The machine on which a program was recorded.
struct RecordedMachine {
  std::string cpu;  ///< empty in recordings that don't have it
  int cores = 0;    ///< 0: not known
  friend bool operator==(const RecordedMachine&, const RecordedMachine&) = default;
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
  friend bool operator==(const RecordedThread&, const RecordedThread&) = default;
};

/// The run of a recorded program.
struct RecordedRun {
  std::vector<std::string> command;
  std::int64_t started = 0;         ///< seconds since 1970; 0: not known
  bool dry_run = false;             ///< calls that compute much were skipped
  bool finished = false;            ///< false if the recorder was killed or is still running: exit code and seconds are then guesses
  Seconds seconds = 0;              ///< elapsed time of the program
  std::uint64_t damaged = 0;        ///< pieces of the file that can't be read
  std::uint64_t missing_bytes = 0;  ///< bytes that are cut off the file's end
  friend bool operator==(const RecordedRun&, const RecordedRun&) = default;
};

/// The contents of a recording without its calls.
struct RecordingFacts : RecordedRun {
  RecordedMachine machine;
  int exit_code = 0;                       ///< the program's own, or 128 plus the signal that ended it
  double cores_got = 0;                    ///< CPU time of the program over `seconds`; 0: not known
  double other_cores = 0;                  ///< cores that other programs kept busy meanwhile, on average; 0: none, or not known
  Seconds waited_seconds = 0;              ///< time that its threads were ready to run and waited for a core; 0: none, or not known
  int cpus = 0;                            ///< most CPUs on which the threads of a process with calls could run; 0: not known
  std::int64_t resident_bytes = 0;         ///< peak of resident memory of the largest of its processes; 0: not known
  std::uint64_t dropped = 0;               ///< calls that were not recorded because the disk was full
  std::vector<std::string> libraries;      ///< files that define the called routines
  std::vector<RecordedProcess> processes;  ///< processes that made calls
  std::vector<RecordedThread> threads;     ///< threads that made calls, in the order of their first calls
  friend bool operator==(const RecordingFacts&, const RecordingFacts&) = default;
};

/// Where a program was recorded, as far as the recording says: names or paths that the library options take.
struct RecordedPlace {
  std::string blas, lapack;    ///< empty: not known
  std::string cpu;             ///< empty: not known
  std::optional<int> threads;  ///< threads of BLAS; nothing: not known
  std::string kernels;         ///< kernels that BLAS had chosen, as it calls them; empty: not known
  /// Variables that make this machine's library take those kernels; empty: it does by itself, or they are not known.
  std::map<std::string, std::string> kernel_settings = {};
  friend bool operator==(const RecordedPlace&, const RecordedPlace&) = default;
};

/// Sum over a set of calls.
struct CallSum {
  std::int64_t calls = 0;
  std::int64_t skipped = 0;  ///< the calls that a dry run skipped
  std::int64_t blind = 0;    ///< the calls of a dry run whose data were never computed
  double flops = 0;          ///< flops of the calls that the catalogue describes; first calls don't count
  /// The flops with single precision counted half, for comparison with the double-precision peak.
  double peak_flops = 0;
  Seconds seconds = 0;
  Seconds described_seconds = 0;  ///< the part in the calls that `flops` counts
  Seconds invalid_seconds = 0;    ///< the part in calls that met NaN or Inf; no routines that meet them with ordinary operands
  Seconds denormal_seconds = 0;   ///< the part in calls that met denormal numbers; no routines that iterate

  friend bool operator==(const CallSum&, const CallSum&) = default;
  CallSum& operator+=(const CallSum& other);
};

/// Range of a size argument over the calls of one shape.
struct SizeSpan {
  std::string name;
  std::int64_t low = 0, high = 0;
  friend bool operator==(const SizeSpan&, const SizeSpan&) = default;
};
/// Returns "m=100 n=64..127"; empty where there are no sizes.
std::string to_string(const std::vector<SizeSpan>& sizes);

/// The rate with which achieved rates are compared.
struct PeakRate {
  double flops_per_second = 0;  ///< rate in double precision; single precision counts twice
  std::string what;             ///< "the best dgemm of openblas 0.3.21 (kernels SkylakeX) with 1 thread"
  friend bool operator==(const PeakRate&, const PeakRate&) = default;
};

}  // namespace flopcast::program
