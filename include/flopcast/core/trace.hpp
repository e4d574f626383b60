#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// An algorithm and its parameters, e.g. {"dgeqrf", {{"n", 1000}, {"nb", 64}}}.
struct Configuration {
  std::string algorithm;
  std::map<std::string, std::int64_t> parameters;
  friend bool operator==(const Configuration&, const Configuration&) = default;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

/// Memory of a trace's calls. In a stored or compared trace the k-th allocation starts at (k+1) << 40, so that traces of the same calls are
/// equal wherever they were recorded.
struct Allocation {
  std::string name;
  std::uintptr_t address = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// The calls of one run of an algorithm or program, in order.
struct Trace {
  Configuration configuration;
  std::vector<Allocation> allocations;
  std::vector<Call> calls;
  std::vector<Seconds> measured;  ///< observe mode: seconds of every call; otherwise empty
  friend bool operator==(const Trace&, const Trace&) = default;
};

/// Returns the real floating-point operations of all calls.
double flops(const Trace& trace);

/// Returns the peak of resident memory that the calls cause: the bytes of all allocations, which are operands, results, work space and
/// local arrays. The process itself and the buffers inside of libraries don't count.
std::int64_t resident_bytes(const Trace& trace);

inline constexpr std::uintptr_t virtual_base(std::size_t allocation) { return (allocation + 1) << 40U; }

/// Moves the trace to virtual addresses: every allocation to its virtual_base, with its operands. Operands outside of all allocations (a
/// routine's local arrays) get new allocations, named `local0`, `local1`, ... by first use.
void make_virtual(Trace& trace);

/// Function that finds a routine by name; returns nullptr if there is none.
using RoutineLookup = std::function<const Routine*(std::string_view)>;

}  // namespace flopcast

namespace flopcast::cache {

/// The accesses that are assumed before the first call of a trace.
enum class Start : std::uint8_t {
  artificial,  ///< one access to an artificial region as large as all bytes that the trace touches (Peise and Bientinesi 2014, section 3)
  repeated,    ///< exactly the same trace
  filled,      ///< the caller wrote every allocation, in the order in which the trace lists them
  cold,        ///< none: bytes that are touched for the first time come from memory
};

}  // namespace flopcast::cache
