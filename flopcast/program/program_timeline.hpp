#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// Shares of the time that a recorded program's threads spent in its routines, with the run cut into equal bins.
struct ProgramTimeline {
  Seconds begin = 0, end = 0;         ///< begin of the first and end of the last call, since the start of the recording
  std::vector<std::string> routines;  ///< the heaviest ones; all others form one more series
  /// busy[thread][bin][series]: share of the bin's time, 0 to 1. Series are as in `routines`, with the others last; threads are as in
  /// ProgramSummary.
  std::vector<std::vector<std::vector<double>>> busy;
};

/// Reads all calls once more. A call longer than a bin is spread over the bins that it covers.
ProgramTimeline program_timeline(const RecordedProgram& program, const ProgramBreakdown& breakdown, std::size_t bins,
                                 std::size_t max_routines);

}  // namespace flopcast::program
