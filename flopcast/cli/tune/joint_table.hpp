#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/report/table.hpp"
#include "flopcast/tasks/tuning/ranking.hpp"
#include "flopcast/tune/joint.hpp"

/// The choice of variant, block size, threads and library together.
namespace flopcast::cli {

/// The joint decision about each problem.
std::vector<tuning::JointDecision> join(const std::vector<Ranking>& rankings);

/// One row per problem: the fastest of all places, what it gains over the libraries' own default, ties, regret; what was measured if it
/// was.
report::Table joint_table(const std::vector<Ranking>& rankings);
nlohmann::json joint_json(const std::vector<Ranking>& rankings);

}  // namespace flopcast::cli
