#include "bench/baselines/exhaustive.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::bench {
namespace {

using namespace search;

struct Technique {
  std::string_view name;
  bool single = false, confidence = false, inner = false, outer = false, reversed = false;
};

constexpr std::array<Technique, 7> techniques = {{
    {"Default"},
    {"Single", true},
    {"Confidence", false, true},
    {"C+Inner", false, true, true},
    {"C+Inner+R", false, true, true, false, true},
    {"C+I+Outer", false, true, true, true},
    {"C+I+O+R", false, true, true, true, true},
}};

/// A setting that may follow a technique's name, if the technique has the condition that the setting belongs to.
struct Setting {
  std::string_view name;
  bool (*belongs)(const Technique& technique);
  void (*apply)(ExhaustiveOptions& options, std::string_view value, const std::string& what);
};

constexpr std::int64_t max_iterations = 1'000'000'000;

bool repeats(const Technique& technique) { return !technique.single; }

constexpr std::array<Setting, 6> settings = {{
    {"iterations", repeats,
     [](ExhaustiveOptions& options, std::string_view value, const std::string& what) {
       options.iterations.count = parse_integer(value, what, 1, max_iterations);
     }},
    {"time", repeats,
     [](ExhaustiveOptions& options, std::string_view value, const std::string& what) {
       options.iterations.time = parse_duration(value, what);
     }},
    {"invocations", repeats,
     [](ExhaustiveOptions& options, std::string_view value, const std::string& what) {
       options.invocations.count = parse_integer(value, what, 1, max_iterations);
     }},
    {"confidence", [](const Technique& technique) { return technique.confidence; },
     [](ExhaustiveOptions& options, std::string_view value, const std::string& what) {
       options.iterations.confidence = options.invocations.confidence = parse_fraction(value, what, 0.01, 0.999999);
     }},
    {"margin", [](const Technique& technique) { return technique.confidence; },
     [](ExhaustiveOptions& options, std::string_view value, const std::string& what) {
       options.iterations.relative_margin = parse_fraction(value, what, 0, 1);
     }},
    {"minimum-count", [](const Technique& technique) { return technique.inner; },
     [](ExhaustiveOptions& options, std::string_view value, const std::string& what) {
       options.iterations.min_count = parse_integer(value, what, 2, max_iterations);
     }},
}};

/// Applies one setting; `text` has the form NAME=VALUE.
void apply_setting(ExhaustiveOptions& options, const Technique& technique, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto* found = std::find_if(settings.begin(), settings.end(), [name](const Setting& it) { return it.name == name; });
  if (found == settings.end() || equals == std::string_view::npos) {
    throw usage_error("technique {}: '{}' given, expected SETTING=VALUE with one of {}", technique.name, text,
                      fmt::join(technique_settings(), ", "));
  }
  if (!found->belongs(technique)) {
    throw usage_error("technique {}: it has no '{}'", technique.name, name);
  }
  found->apply(options, text.substr(equals + 1), fmt::format("technique {}, {}", technique.name, name));
}

/// Iterates within one invocation until a condition holds; the Welford accumulator holds the mean rate. Returns Stop::no if limits or a
/// fault ended the invocation.
Stop iterate(const Iteration& iteration, double best_rate, Meter& meter, const ExhaustiveOptions& options, Trial& trial, Welford& rates) {
  const Seconds begin = meter.spent();
  Stop stop = Stop::no;
  while (stop == Stop::no && !meter.exhausted()) {
    const Seconds cost = iteration();
    meter.count(cost);
    ++trial.iterations;
    if (const char* reason = fault(cost)) {
      trial.fault = reason;
      return Stop::no;
    }
    rates.add(1 / cost);
    stop = should_stop(rates, meter.spent() - begin, options.inner ? best_rate : 0, options.iterations);
  }
  return stop;
}

/// Evaluates one configuration against the best mean rate so far (0 if there is none).
Trial evaluate(std::size_t configuration, const Invocation& invoke, double best_rate, Meter& meter, const ExhaustiveOptions& options) {
  Trial trial{configuration};
  const Seconds begin = meter.spent();
  Welford means;
  bool cut = false;
  while (trial.stop == Stop::no && !cut && !meter.exhausted()) {
    Welford rates;
    cut = iterate(invoke(configuration), best_rate, meter, options, trial, rates) == Stop::no;
    ++trial.invocations;
    if (!trial.fault.empty()) {
      trial.rate = 0;
      return trial;
    }
    means.add(rates.mean);
    trial.rate = means.mean;
    trial.stop = cut ? Stop::no : should_stop(means, meter.spent() - begin, options.outer ? best_rate : 0, options.invocations);
  }
  return trial;
}

}  // namespace

std::vector<std::string> technique_names() {
  std::vector<std::string> names;
  std::transform(techniques.begin(), techniques.end(), std::back_inserter(names), [](const Technique& it) { return std::string(it.name); });
  return names;
}

std::vector<std::string> technique_settings() {
  std::vector<std::string> names;
  std::transform(settings.begin(), settings.end(), std::back_inserter(names), [](const Setting& it) { return std::string(it.name); });
  return names;
}

ExhaustiveOptions technique(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const std::string_view name = parts.front();
  const auto* found = std::find_if(techniques.begin(), techniques.end(), [name](const Technique& it) { return it.name == name; });
  if (found == techniques.end()) {
    throw usage_error("technique '{}' given, expected one of {}", name, fmt::join(technique_names(), ", "));
  }
  ExhaustiveOptions options;
  if (found->single) {
    options.iterations.count = options.invocations.count = 1;
  }
  if (found->confidence) {
    options.iterations.relative_margin = 0.01;
  }
  options.inner = found->inner;
  options.outer = found->outer;
  options.reversed = found->reversed;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    apply_setting(options, *found, parts[i]);
  }
  return options;
}

ExhaustiveResult exhaustive(std::vector<std::size_t> candidates, const Invocation& invoke, const ExhaustiveOptions& options) {
  if (candidates.empty()) {
    throw bad_input("exhaustive search: no candidate given, expected at least one");
  }
  if (options.reversed) {
    std::reverse(candidates.begin(), candidates.end());
  }
  Meter meter(options.limits);
  ExhaustiveResult result;
  double best_rate = 0;
  for (const std::size_t configuration : candidates) {
    if (meter.exhausted()) {
      break;
    }
    result.trials.push_back(evaluate(configuration, invoke, best_rate, meter, options));
    if (result.trials.back().rate > best_rate) {
      best_rate = result.trials.back().rate;
      result.leader = configuration;
    }
  }
  const bool cut =
      result.trials.size() < candidates.size() || (result.trials.back().stop == Stop::no && result.trials.back().fault.empty());
  result.ending = cut ? meter.ending() : result.leader ? Ending::decided : Ending::nothing_left;
  result.evaluations = meter.evaluations();
  return result;
}

}  // namespace flopcast::bench
