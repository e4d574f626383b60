#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/placement.hpp"
#include "flopcast/core/region.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::measure {

/// One step that brings memory into a stated condition before the clock starts.
struct Action {
  enum class What : std::uint8_t {
    fill,       ///< write safe values into every operand of `call` (kernel::fill): first of all, as it warms
    flush,      ///< push `region` out of every cache (cache-line flush; where the CPU has none, everything as flush_all)
    flush_all,  ///< push everything out: associativity x measured capacity read, paper 001
    read,       ///< touch `region` by reading a word of every line
    write,      ///< touch `region` by rewriting a word of every line with its own value (leaves it dirty)
    evict,      ///< push what lies in levels 0 ... `level` out into the next one, by reading other memory
    execute,    ///< run `call`, untimed
    perform,    ///< the same by the experiment's `perform`
    prepare,    ///< call `hook`: whatever else a call depends on, such as a block size
  };
  What what = What::execute;
  Region region;
  int level = 0;
  Call call;
  std::function<void()> hook;
};

/// What to do and what to time. Addresses are those of `memory`'s virtual allocations; the session maps them to real memory.
struct Experiment {
  std::vector<Allocation> memory;
  std::vector<Action> setup;  ///< before every repetition, in order
  std::vector<Call> timed;    ///< executed in order, each timed by itself
  /// Does the work of a timed call, at real addresses, in place of the libraries' routine, and returns its info: an algorithm of our own.
  std::function<std::int32_t(const Call& call)> perform = {};
  /// Of a single timed call: so many are timed together, to resolve tiny kernels.
  std::int64_t batch = 1;
  /// The calls of a batch work on as many copies of the memory, each brought into the stated condition; otherwise they repeat on the same
  /// operands, which is right only if these are to be warm and the call updates none of them.
  bool separate = false;
  /// The vector units are woken after the setup (Waker): for setups that end without vector work, where the program's own calls don't.
  bool wake = false;
  std::int64_t most_repetitions = 0;   ///< whatever the stop rule says; 0: no less than that
  bool writes_before_reading = false;  ///< the setup writes to every page before anything else happens there: unused ones need no memory
};

/// How often a session repeats. Preempted repetitions are made again, up to as often as there were to be repetitions.
struct StopRule {
  std::int64_t minimum_repetitions = 3;
  std::int64_t maximum_repetitions = 7;  ///< paper 003, III-C.2
  /// Calls up to short_call get the maximum, from long_call on the minimum, in between ever fewer with the logarithm of their time.
  Seconds short_call = 0.3e-3, long_call = 30e-3;
  Seconds time_limit = 0;  ///< per experiment with its setup, 0: none (paper 003, III-C.1)
  /// Stop when the median's distribution-free interval lies within +- this fraction of it (paper 003, III-C.3), 0: off.
  double relative_interval = 0;
  double confidence = 0.99;  ///< of that interval
  bool of_mean = false;      ///< use the mean and its t interval instead; the paper has the mean's normal interval
};

/// What came of one experiment: for each timed call its repetitions, in the order they were made.
struct Timings {
  std::vector<std::vector<Repetition>> calls;
  Seconds reference_seconds = 0;  ///< time of the reference kernel at a drift of 1; 0: not normalised
  std::vector<std::string> warnings;
};

}  // namespace flopcast::measure
