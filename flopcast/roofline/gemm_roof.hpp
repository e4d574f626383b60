#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "flopcast/roofline/gemm_process.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/search/race.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {

struct GemmSearchOptions {
  double tolerance = 0.02;                                     ///< see search::RaceOptions
  double error_probability = 0.05;                             ///< see search::RaceOptions
  std::int64_t max_rounds = search::RaceOptions().max_rounds;  ///< see search::RaceOptions
  double stop_at_flops = 0;   ///< stop when the best shape certainly reaches this many flops per second; 0: no such limit
  std::size_t confirmed = 3;  ///< number of ties that are raced again in fresh processes; 0: none
  std::int64_t confirmation_rounds = 5;
  Seconds time_budget = 20;         ///< time of the search
  Seconds confirmation_budget = 2;  ///< time of the confirmation, in addition to the unused time of the search
  std::uint64_t seed = 1;
  std::function<bool()> interrupted = {};  ///< polled after each evaluation; returns true to end the search
};

std::string to_string(search::Ending ending);

/// Finds the shape with the fastest gemm of the library. Costs are seconds per flop. Throws as GemmProcess does,
/// and unusable_measurement if nothing could be measured.
GemmRoof find_gemm_roof(const GemmSetup& setup, const GemmSpace& space, const GemmSearchOptions& options);

}  // namespace flopcast::roofline
