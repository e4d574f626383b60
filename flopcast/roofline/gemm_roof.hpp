#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/roofline/gemm_process.hpp"
#include "flopcast/roofline/gemm_space.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/search/evaluator.hpp"
#include "flopcast/search/exhaustive.hpp"

namespace flopcast::roofline {

struct GemmSearchOptions {
  std::string search = "race";         ///< "race", "halving", or a technique of paper 003
  std::optional<search::Order> order;  ///< of the shapes in a technique of paper 003; none: its own
  double tolerance = 0.02;             ///< as search::RaceOptions has it
  double error_probability = 0.05;     ///< likewise
  double enough_flops = 0;             ///< stop when the best one certainly reaches so many per second; 0: don't
  std::size_t confirmed = 3;           ///< so many of the ties are raced again in fresh processes; 0: none
  std::int64_t confirmation_rounds = 5;
  Seconds time_budget = 20;         ///< of the search
  Seconds confirmation_budget = 2;  ///< of the confirmation, besides what the search has left of its own
  std::uint64_t seed = 1;
  std::function<void(std::int64_t evaluations, Seconds spent)> progress = {};
  std::function<bool()> interrupted = {};
};

std::string to_string(search::Ending ending);

/// An invocation as paper 003 has it: a fresh process, one warm-up call, then one timed call per iteration; costs are seconds per flop,
/// seconds themselves are what the clock of the search's limits counts. `space` must outlive it; with `samples`, rates are added there by
/// configuration.
search::Invocation gemm_invocation(const GemmSetup& setup, const GemmSpace& space, std::vector<Rates>* samples = nullptr);

/// Finds the shape at which the library's gemm is fastest. Costs are seconds per flop. Throws as GemmProcess does, usage_error for an
/// unknown search, and unusable_measurement if nothing could be measured.
GemmRoof find_gemm_roof(const GemmSetup& setup, const GemmSpace& space, const GemmSearchOptions& options);

}  // namespace flopcast::roofline
