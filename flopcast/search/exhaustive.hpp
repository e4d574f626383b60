#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/stopping.hpp"
#include "flopcast/search/evaluator.hpp"

/// The search of paper 003: one configuration after the other, iterations inside invocations. The baseline of race.
namespace flopcast::search {

/// One iteration: its cost in seconds.
using Iteration = std::function<Seconds()>;
/// Starts an invocation of a configuration (a fresh process, in the paper, which then warms up); it ends when the iteration is destroyed.
using Invocation = std::function<Iteration(std::size_t configuration)>;

enum class Order : std::uint8_t { forward, reversed, shuffled };
/// "forward", "reversed" or "shuffled"; throws usage_error for anything else.
Order parse_order(std::string_view text);
/// `candidates` in that order; `seed` decides on the shuffled one.
std::vector<std::size_t> arranged(std::vector<std::size_t> candidates, Order order, std::uint64_t seed);

/// Defaults are Table I of paper 003, with no condition but time and count: its technique "Default".
struct ExhaustiveOptions {
  StopLimits iterations{.time = 10, .count = 200, .relative_margin = 0, .normal = true};
  StopLimits invocations{.time = 0, .count = 10, .relative_margin = 0, .normal = true};
  bool inner = false;  ///< III-C.4 on iterations: stop when their interval lies below the best configuration so far
  bool outer = false;  ///< III-C.4 on invocations
  Order order = Order::forward;
  std::uint64_t seed = 1;  ///< of the shuffled order
  Limits limits;           ///< of the whole search; its clock also serves the time limits above
};

/// Names of the techniques in Tables VIII to XI: "Default", "Single", "Confidence", "C+Inner", "C+Inner+R", "C+I+Outer", "C+I+O+R".
std::vector<std::string> technique_names();
/// The settings of Table I and Listing 1 that a technique may be given behind its name, each as NAME=VALUE after a colon: "iterations",
/// "time" (of an invocation), "invocations", "confidence", "margin" and "minimum-count" (III-C.4 on iterations; Table IX has 100).
std::vector<std::string> technique_settings();
/// Options of a technique with settings, such as "C+Inner:minimum-count=100"; the paper's "Hand-tuned" is "Default:invocations=1:iterations=N".
/// Throws usage_error for an unknown name, and for a setting that is unknown or of a condition that the technique doesn't have, bad_input for
/// values out of range.
ExhaustiveOptions technique(std::string_view text);

/// What came of one configuration.
struct Trial {
  std::size_t configuration = 0;
  double rate = 0;  ///< mean over invocations of the mean over iterations of 1 / cost, as the paper averages flops per second; 0 of nothing
  std::int64_t iterations = 0, invocations = 0;
  Stop stop = Stop::no;  ///< which condition ended the invocations; no: limits, or a fault
  std::string fault;     ///< why it was dropped
};

/// Evaluates one configuration, against the best mean rate so far (0 if there is none). What `invoke` throws passes through.
Trial evaluate(std::size_t configuration, const Invocation& invoke, double best_rate, Meter& meter, const ExhaustiveOptions& options);

struct ExhaustiveResult {
  std::optional<std::size_t> leader;  ///< of the highest rate; none if nothing was evaluated, or all was dropped
  std::vector<Trial> trials;          ///< in the order of evaluation
  Ending ending = Ending::budget;
  std::int64_t evaluations = 0;
};

/// Evaluates all candidates, one after the other.
ExhaustiveResult exhaustive(std::vector<std::size_t> candidates, const Invocation& invoke, const ExhaustiveOptions& options = {});

}  // namespace flopcast::search
