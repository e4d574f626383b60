#pragma once

#include <string>
#include <vector>

#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast {

/// Comparison of the measured configurations by MpiTuner. Their verdicts are still open, or say that they failed or show too little.

/// Returns whether enough of the configuration's path was seen for a prediction.
[[nodiscard]] bool is_covered(const MpiConfiguration& configuration) noexcept;

/// Returns the best configuration: the finalist with the shortest full execution if there are finalists, else the least prediction, of one
/// without noise if there is one. Throws unusable_measurement if too little was seen in all of them; `min_coverage` is for the message.
[[nodiscard]] const MpiConfiguration& best_of(const std::vector<MpiConfiguration>& all, double min_coverage);

/// Returns the verdict on a configuration, where `best` is best_of() all.
[[nodiscard]] MpiVerdict verdict_on(const MpiConfiguration& configuration, const MpiConfiguration& best) noexcept;

/// Returns how many configurations are undecided, why, and how many of them are predicted to be faster than the chosen one; empty if all are
/// decided. The remedy names --clock cpu if the command `has_clock`, and wall time was measured.
[[nodiscard]] std::string remark_on_undecided(const MpiTuning& tuning, bool has_clock);

}  // namespace flopcast
