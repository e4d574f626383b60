#pragma once

#include <cstdint>
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
    fill,      ///< write safe values into every operand of `call` (kernel::fill): first of all, as it warms
    flush,     ///< push `region` out of every cache (cache-line flush where the CPU has it)
    flush_all, ///< push everything out: associativity x measured capacity read, paper 001
    read,      ///< touch `region` by reading a word of every line
    write,     ///< touch `region` by rewriting a word of every line with its own value (leaves it dirty)
    evict,     ///< push what lies in levels 0 ... `level` out into the next one, by reading other memory
    execute,   ///< run `call`, untimed
  };
  What what = What::execute;
  Region region;
  int level = 0;
  Call call;
};

/// What to do and what to time. Addresses are those of `memory`'s virtual allocations; the session maps them to real memory.
struct Experiment {
  std::vector<Allocation> memory;
  std::vector<Action> setup;   ///< before every repetition, in order
  std::vector<Call> timed;     ///< executed in order, each timed by itself
  /// Of a single timed call: so many are timed together, to resolve tiny kernels. A warm batch repeats the call on the same operands; any other
  /// setup is repeated on as many copies of the operands, so that the cache state of each is the stated one.
  std::int64_t batch = 1;
};

/// How often a session repeats.
struct StopRule {
  std::int64_t minimum_repetitions = 3;
  std::int64_t maximum_repetitions = 7;
  Seconds time_limit = 0;         ///< per experiment, 0: none (paper 003, III-C.1)
  double relative_interval = 0;   ///< stop when the median's distribution-free interval (or the mean's t interval) is narrower than this fraction, 0: off
  double confidence = 0.99;       ///< of that interval (paper 003, III-C.3)
  bool of_mean = false;           ///< use the mean's t interval, as paper 003 does
};

/// What came of one experiment: for each timed call its repetitions, in the order they were made.
struct Timings {
  std::vector<std::vector<Repetition>> calls;
  std::vector<std::string> warnings;
};

}  // namespace flopcast::measure
