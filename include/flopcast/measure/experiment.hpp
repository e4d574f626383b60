#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"

namespace flopcast::measure {

/// One step that brings memory into a given state before the clock starts.
struct Action {
  enum class What : std::uint8_t {
    fill,       ///< write safe values into every operand of `call` (kernel::fill); comes first, because it warms the caches
    flush,      ///< evict `region` from every cache (by cache-line flushes, or like flush_all if the CPU has none)
    flush_all,  ///< evict everything by reading associativity x measured capacity (Iakymchuk 2011)
    read,       ///< touch `region` by reading a word of every line
    write,      ///< touch `region` by rewriting a word of every line with its own value, which makes it dirty
    evict,      ///< evict the contents of levels 0 ... `level` into the next level, by reading other memory
    execute,    ///< execute `call`, untimed
    perform,    ///< execute `call` by the experiment's `perform`, untimed
    change,     ///< overwrite operands of `call` by `change`, after a fill, with numbers that its time depends on
    prepare,    ///< call `hook`, which sets up anything else that a call depends on, such as a block size
  };
  What what = What::execute;
  Region region;
  int level = 0;
  Call call;
  std::function<void()> hook;
  std::function<void(const Call& call)> change;  ///< receives the call at real addresses
};

/// The setup and the timed calls of a measurement. Addresses are those of `memory`'s virtual allocations; the session maps them to real
/// memory.
struct Experiment {
  std::vector<Allocation> memory;
  std::vector<Action> setup;  ///< executed before every repetition, in order
  std::vector<Call> timed;    ///< executed in order, each timed by itself
  /// Does the work of a timed call at real addresses instead of the libraries' routine, and returns its info. This serves algorithms of
  /// flopcast.
  std::function<std::int32_t(const Call& call)> perform = {};
  /// Number of executions that are timed together, to resolve tiny kernels; above 1 only for a single timed call.
  std::int64_t batch = 1;
  /// If true, each call of a batch works on its own copy of the memory, which is brought into the given state. Otherwise the calls repeat
  /// on the same operands, which is right only if these should be warm and the call updates none of them.
  bool separate = false;
  /// If true, the vector units are woken after the setup (VectorWarmup). This suits setups that end without vector work, unlike the program
  /// in which the calls occur.
  bool wake = false;
  std::int64_t max_repetitions = 0;    ///< limit on the repetitions in addition to the stop rule; 0: none
  bool writes_before_reading = false;  ///< the setup writes to every used page before anything else, so that unused pages need no memory
};

/// The result of one experiment: for each timed call its repetitions, in the order of execution.
struct Timings {
  std::vector<std::vector<Repetition>> calls;
  MachineState state;  ///< its reference is 0 if the times aren't normalised
  std::vector<std::string> warnings;
};

}  // namespace flopcast::measure
