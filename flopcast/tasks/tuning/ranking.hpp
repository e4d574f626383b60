#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/algorithm/families.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tune/block_size.hpp"
#include "flopcast/tune/validate.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

/// What `rank` and `tune --variants` share: variants of a family compared in one or several places.
namespace flopcast {

/// The libraries' own routine in a ranking.
enum class LibraryRow : std::uint8_t {
  none,
  standard,  ///< with its default block size
  tuned,     ///< with every block size
};

struct RankRequest {
  algorithm::FamilyRoutine family;
  std::vector<Call> calls;           ///< of its routine
  std::vector<std::int64_t> blocks;  ///< block sizes to choose from
  LibraryRow library = LibraryRow::standard;
  Seconds time_budget = 60;  ///< of all places together
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;  ///< no samples of earlier runs
  bool tune_crossover = true;
  std::optional<tuning::Extent> validate;                                ///< what is run for real; nothing: nothing
  Seconds validation_budget = std::numeric_limits<Seconds>::infinity();  ///< of all places together
};

/// What was found out in one place: a library with a number of threads.
struct Ranking {
  machine::LibraryChoice libraries;
  Environment environment;
  KernelSettings settings;
  std::vector<tuning::Problem> problems;  ///< in the order of the request's calls
  tuning::BlockSizeResult result;
  std::vector<tuning::Check> checks;  ///< of each problem, empty where it was not run; none without validation
};

/// Every pair of a number of threads (`threads`: "1,2") and a BLAS (`blas`: "openblas,blis"; empty: the default), the rest as in
/// `common_options`. Without `blas`, all pairs have the same one. Where several numbers are given, a library that has one thread only is
/// left out with the others, and a note says so. Throws bad_input for what is no list of numbers, or if nothing is left.
std::vector<machine::LibraryChoice> places(const std::string& threads, const std::string& blas,
                                           const machine::LibraryChoice& common_options, const RunContext& context);

/// Ranks in every place; kernels are sampled where the store lacks samples. After Ctrl-C it returns what is complete by then, or throws
/// Cancelled if that is nothing.
std::vector<Ranking> rank_everywhere(const RankRequest& request, const std::vector<machine::LibraryChoice>& places,
                                     const RunContext& context);

/// Runs for real what the request says, place after place; `validated` hears of each problem whose check is there. Where Ctrl-C or the time
/// budget ends it, the other checks are empty.
void validate_everywhere(const RankRequest& request, std::vector<Ranking>& rankings, const RunContext& context,
                         const std::function<void(const Ranking& ranking, std::size_t problem)>& validated);

/// "2 threads of blis"; what the user said, or the library's name.
std::string place_text(const Ranking& ranking);
/// How a variant is called in tables: its name, or that of the library whose own routine it is.
std::string variant_text(const std::string& variant, const Ranking& ranking);

nlohmann::json to_json(const algorithm::BlockParameters& blocks);
nlohmann::json to_json(const tuning::Forecast& forecast);
/// One place's decisions, with their validation if there was one.
nlohmann::json to_json(const Ranking& ranking);

}  // namespace flopcast
