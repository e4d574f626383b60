#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// Times of a recorded program's threads in its routines, with the run cut into equal bins.
struct ProgramTimeline {
  Seconds begin = 0, end = 0;           ///< begin of the first and end of the last call, since the start of the recording
  std::vector<std::uint32_t> routines;  ///< the heaviest ones, as indices into ProgramSummary::names; all others form one more series
  /// busy[thread][bin][series]: seconds in calls. Series are as in `routines`, with the others last; threads are as in ProgramSummary.
  std::vector<std::vector<std::vector<Seconds>>> busy;

  [[nodiscard]] Seconds bin_seconds() const noexcept {
    return busy.empty() || busy[0].empty() ? 0 : (end - begin) / static_cast<double>(busy[0].size());
  }
};

/// Reads all calls once more. A call longer than a bin is spread over the bins that it covers.
ProgramTimeline program_timeline(const RecordedProgram& program, const ProgramBreakdown& breakdown, std::size_t bins,
                                 std::size_t max_routines);

}  // namespace flopcast::program
