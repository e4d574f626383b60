#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/levels.hpp"
#include "flopcast/model/refinement.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

/// `flopcast model build`: the published ways of building models, fed by the sampler.
namespace flopcast {

/// What is to be modelled: one routine with its flags and scalars over ranges of its sizes.
struct ModelledKernel {
  const Routine* routine = nullptr;
  std::map<std::string, std::string> fixed;  ///< flags, scalars, leading dimensions by name
  std::vector<std::string> names;            ///< of the sizes, in the order of the interface
  std::vector<model::Box> domain;

  /// The call at `sizes`; throws bad_input where the routine doesn't take them.
  [[nodiscard]] Call call(std::span<const std::int64_t> sizes) const;
  /// The call at the upper end of the first domain, which stands for all in flags, scalars and strides.
  [[nodiscard]] Call example() const { return call(domain.front().high); }
};

/// Reads `side=L`, `m=8:1024`, `n=64`, `k=8:128,512:1024` (several ranges make several domains); throws bad_input naming what is missing or
/// wrong.
ModelledKernel parse_kernel(const std::string& routine, const std::vector<std::string>& words);

struct ModelBuildOptions {
  std::string routine;
  std::vector<std::string> arguments;
  machine::LibraryChoice libraries;
  std::string cache = "warm";
  std::string method = "refine";
  model::RefinementOptions refinement;
  model::LevelsOptions levels;
  measure::SessionOptions session;
  Seconds time_budget = 0;  ///< 0: none
  bool fresh = false;       ///< take every sample anew, even where the store has it
  bool thresholds = true;   ///< with several threads: look for where the library begins to use them
};

struct ModelBuild {
  model::Model model;
  bool replaced = false;  ///< whether the store held a model of the same key
};

/// Builds the model and stores it; samples are stored as they come, and used again by a later run. Throws Cancelled if the operation is
/// cancelled.
ModelBuild build_model(const ModelBuildOptions& options, const RunContext& context);

/// Returns a sentence that says how many points would be measured at first and how many the store has.
std::string plan_model(const ModelBuildOptions& options, const RunContext& context);

}  // namespace flopcast
