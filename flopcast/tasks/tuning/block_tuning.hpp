#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/program/profile.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"

/// Block sizes of the library's own routines: what `tune` and `tune lapack` share.
namespace flopcast {

/// Problems of one routine that asks ilaenv with the same options; they are one entry of a profile.
struct TunableRoutine {
  const Routine* routine = nullptr;
  std::string options;                             ///< ilaenv's
  std::vector<tuning::Problem> problems;           ///< alternatives differ in nb
  std::vector<interpose::BlockSizeQuery> queries;  ///< of each problem

  /// "dpotrf:L", as profiles and reports call it.
  [[nodiscard]] std::string name() const { return options.empty() ? routine->name : routine->name + ":" + options; }
};

/// What there is to tune in `calls` of a routine: the routine itself if it asks, else the routines below it that do (dormhr: dormqr). Empty
/// if nothing asks.
std::vector<TunableRoutine> tunable_routines(const std::vector<Call>& calls, const std::vector<std::int64_t>& blocks, int threads,
                                             interpose::Recorder& recorder);

/// Chooses the block sizes of one entry.
tuning::BlockSizeResult tune_blocks(const TunableRoutine& tunable, interpose::Recorder& recorder, TuningSession& session,
                                    const tuning::BlockSizeOptions& options);

/// Runs every block size for real, as TuningSession::validate does.
std::vector<tuning::Check> validate_blocks(const TunableRoutine& tunable, const tuning::BlockSizeResult& result, const Workbench& bench,
                                           TuningSession& session, const ValidationOptions& options);

/// A profile of this place with what was decided, and LAPACK's own block sizes where nothing was: without a point of their own, these sizes
/// would get the block size of the nearest one that has.
interpose::Profile make_profile(const Workbench& bench, const TunableRoutine& tunable, const std::vector<tuning::Decision>& decisions);

}  // namespace flopcast
