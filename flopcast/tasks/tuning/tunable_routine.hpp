#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/program/recorder.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"
#include "flopcast/tune/block_size.hpp"

/// Block sizes of the library's own routines, as tuning one routine and all of LAPACK share them.
namespace flopcast {

/// Problems of one routine that queries ilaenv with one set of options. They are one entry of a tuning file.
struct TunableRoutine {
  const Routine* routine = nullptr;
  std::string options;                            ///< ilaenv's
  std::vector<tuning::Problem> problems;          ///< alternatives differ in nb
  std::vector<protocol::BlockSizeQuery> queries;  ///< one for each problem

  /// Returns "dpotrf:L", as tuning files and reports call it.
  [[nodiscard]] std::string name() const { return options.empty() ? routine->name : routine->name + ":" + options; }
};

/// Returns what there is to tune in `calls`: the routine itself if it queries ilaenv, else the routines below it that do (dormhr: dormqr).
/// Empty if none does.
std::vector<TunableRoutine> tunable_routines(const std::vector<Call>& calls, const std::vector<std::int64_t>& blocks,
                                             const TuningServices& services);

/// Returns the calls of a routine at all sizes and for every value of its flags that `flags` leaves open. The default values come first,
/// because programs call the routine with any of them. Flags of more than two values, which say what is computed, keep their default.
std::vector<Call> calls_for_open_flags(const Routine& routine, const NamedSizes& sizes, const std::map<std::string, std::string>& flags);

/// Returns `sizes` with the orders as "n" if there are any. Throws bad_input if both name n, or if there are no sizes.
NamedSizes named_sizes(const std::string& routine, const std::vector<std::int64_t>& n, NamedSizes sizes);

/// Chooses the block sizes of one routine.
tuning::BlockSizeResult tune_blocks(const TunableRoutine& tunable, TuningSession& session, const tuning::BlockSizeOptions& options);

/// Runs every block size, as TuningSession::validate does.
void validate_blocks(const TunableRoutine& tunable, std::vector<tuning::Decision>& decisions, TuningSession& session,
                     const ValidationOptions& options);

/// Returns the decisions as a tuning file's entry. Undecided sizes get LAPACK's own block sizes: without a point of their own, they would get
/// those of the nearest size that has one. `queries` has the m and n of each decision.
template <class Query>
program::TunedRoutine tuned_routine(const std::string& routine, const std::string& flags, const std::vector<Query>& queries,
                                    const std::vector<tuning::Decision>& decisions) {
  program::TunedRoutine tuned{routine, flags, {}};
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::int64_t m = queries[i].m, n = queries[i].n < 0 ? m : queries[i].n;
    const tuning::Decision& decision = decisions[i];
    tuned.points.push_back({m, n, effective_forecast(decision).blocks, decision.ties, decision.regret, tuning::is_undecided(decision),
                            decision.considered, decision.samples});
  }
  return tuned;
}

}  // namespace flopcast
