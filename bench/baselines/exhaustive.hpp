#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/stopping.hpp"
#include "flopcast/search/evaluator.hpp"

/// The search of Tørring et al. 2021: one configuration after the other, iterations inside invocations. It is the baseline for race().
namespace flopcast::bench {

/// One iteration: its cost in seconds.
using Iteration = std::function<Seconds()>;
/// Starts an invocation of a configuration; in the paper it is a fresh process that warms up first. The invocation ends when the returned
/// iteration is destroyed.
using Invocation = std::function<Iteration(std::size_t configuration)>;

/// Options of exhaustive(). The defaults are those of Table I of Tørring et al. 2021, with conditions on time and count only: its technique
/// "Default".
struct ExhaustiveOptions {
  StopLimits iterations{.time = 10, .count = 200, .relative_margin = 0, .normal = true};
  StopLimits invocations{.time = 0, .count = 10, .relative_margin = 0, .normal = true};
  bool inner = false;     ///< III-C.4 on iterations: stop when their interval lies below the best configuration so far
  bool outer = false;     ///< III-C.4 on invocations
  bool reversed = false;  ///< the last configuration comes first
  search::Limits limits;  ///< limits of the whole search; their clock also serves the time limits above
};

/// Returns the names of the techniques of Tables VIII to XI: "Default", "Single", "Confidence", "C+Inner", "C+Inner+R", "C+I+Outer",
/// "C+I+O+R".
std::vector<std::string> technique_names();
/// Returns the settings of Table I and Listing 1 that may follow a technique's name, each as NAME=VALUE after a colon. They are
/// "iterations", "time" (of an invocation), "invocations", "confidence", "margin" and "minimum-count" (III-C.4 on iterations; Table IX has
/// 100).
std::vector<std::string> technique_settings();
/// Returns the options of a technique with settings, such as "C+Inner:minimum-count=100". The paper's "Hand-tuned" is
/// "Default:invocations=1:iterations=N". Throws usage_error for an unknown technique or setting and for a setting of a condition that the
/// technique doesn't have, bad_input for values out of range.
ExhaustiveOptions technique(std::string_view text);

/// The outcome of one configuration.
struct Trial {
  std::size_t configuration = 0;
  double rate = 0;  ///< mean over invocations of the mean over iterations of 1 / cost, as in the paper's flop rates; 0 without iterations
  std::int64_t iterations = 0, invocations = 0;
  Stop stop = Stop::no;  ///< condition that ended the invocations; no: limits or a fault did
  std::string fault;     ///< reason why the configuration was dropped
};

struct ExhaustiveResult {
  std::optional<std::size_t> leader;  ///< configuration with the highest rate; empty if nothing was evaluated or all were dropped
  std::vector<Trial> trials;          ///< in the order of evaluation
  search::Ending ending = search::Ending::budget;
  std::int64_t evaluations = 0;
};

/// Evaluates all candidates, one after the other, each against the best mean rate so far. Exceptions of `invoke` pass through.
ExhaustiveResult exhaustive(std::vector<std::size_t> candidates, const Invocation& invoke, const ExhaustiveOptions& options = {});

}  // namespace flopcast::bench
