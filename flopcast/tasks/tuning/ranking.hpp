#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"
#include "flopcast/tune/block_size.hpp"

namespace flopcast {

/// The problems of a ranking, looked up in registry and catalogue.
struct RankedCalls {
  algorithm::FamilyRoutine family;
  std::vector<Call> calls;           ///< calls of the family's routine
  std::vector<std::int64_t> blocks;  ///< block sizes to choose from
  LibraryRow library = LibraryRow::default_blocks;
};
/// Throws bad_input for an unknown family, variant, size or flag.
RankedCalls ranked_calls(const RankRequest& request);

/// Ranks in one place: a library with a number of threads. The session must outlive it.
class PlaceRanker {
 public:
  PlaceRanker(TuningSession& session, const RankedCalls& ranked, const RankRequest& request, const RunContext& context);

  PlaceRanking decide(Seconds budget);
  /// Runs the alternatives that request.validate names; `validated` receives each problem once it is validated.
  void validate(PlaceRanking& ranking, Seconds budget, const std::function<void(std::size_t problem)>& validated);

 private:
  TuningSession& session_;
  const RankedCalls& ranked_;
  const RankRequest& request_;
  const RunContext& context_;
  Seconds begin_;  ///< on the place's clock
  std::vector<tuning::Problem> problems_;
};

/// Returns the joint decision about each problem.
std::vector<tuning::JointDecision> joint_decisions(const std::vector<PlaceRanking>& places);

}  // namespace flopcast
