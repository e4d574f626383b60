#pragma once

#include <string>
#include <vector>

#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tasks/tuning/tuning_services.hpp"

/// Rankings of LAPACK's drivers that do one job (kernel/drivers.hpp).
namespace flopcast {

/// Returns whether a job of drivers has this name.
bool is_driver_job(const std::string& name);

/// Returns the result for a job, without places. Throws bad_input for sizes that the job hasn't, and for members that choose among algorithms.
Ranking empty_driver_ranking(const RankRequest& request);

/// Ranks, and validates if that is asked, in one of `places` places, which share the budgets. Throws Cancelled if it is cancelled.
PlaceRanking rank_drivers_in(const TuningServices& services, const RankRequest& request, std::size_t places, const RunContext& context);

/// Ranks in every place that the request names, like rank().
Ranking rank_drivers(const Workbench& bench, const RankRequest& request, const RunContext& context,
                     const TuningObserver<Ranking>& observer);

/// Returns the calls of a driver at virtual addresses. Operands of the same name are the same memory.
Trace driver_trace(std::vector<Call> calls);

/// Returns the calls with the work sizes for which the library asks (lwork = -1), and with the memory that they then need. `values` is the
/// number of eigenvalues that calls with range = I ask for.
Trace as_asked_for(Trace trace, std::int64_t values, const algorithm::FunctionLookup& find);

}  // namespace flopcast
