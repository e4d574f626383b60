#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/program/growth.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

/// Growth of a program's calls with its parameter, found by aligning the calls of several recordings.
namespace flopcast::program {

/// A recording, and the value of the program's parameter in it.
struct ParameterRecording {
  std::int64_t parameter = 0;
  const RecordedProgram* program = nullptr;
};

/// A call without addresses, and the distances of its operands' last accesses.
struct PlacedCall {
  Call call;
  Placement placement;  ///< levels aren't set
};

/// Calls that grow alike.
struct CallClass {
  std::vector<PlacedCall> recorded;  ///< one of the calls by recording
  std::vector<double> counts;        ///< calls by recording; fractions where calls of all sizes form classes of equal shares
  PlacedCall scaled;                 ///< the call at the parameter of interest
  Growth count;
  std::string sizes;                         ///< "m=n k=n/2"
  double size_misfit = 0, count_misfit = 0;  ///< largest relative deviations of a recorded size and number from their formulae
};

/// The calls of a routine with the same flags.
struct ScaledKind {
  std::string routine, flags;
  std::vector<Seconds> seconds;  ///< time by recording
  std::vector<CallClass> classes;
  std::string refusal;  ///< why the calls follow no growth, for messages; empty: they do
};

/// Returns all kinds of described calls with their growth to `parameter`. `recordings` has at least three, by ascending parameter. Calls are
/// aligned one by one where their numbers are equal, then shape by shape in the order of first use or of work. Where sizes vary within
/// loops, the calls are aligned by their rank in work.
std::vector<ScaledKind> scale_calls(const std::vector<ParameterRecording>& recordings, std::int64_t parameter, const RunContext& context);

}  // namespace flopcast::program
