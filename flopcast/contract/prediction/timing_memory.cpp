#include "flopcast/contract/prediction/timing_memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "flopcast/contract/prediction/micro_benchmark.hpp"
#include "flopcast/contract/prediction/segment_experiment.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::contract {
namespace {

bool is_complete(const measure::Timings& timings, std::size_t fewest) {
  return !timings.calls.empty() && std::all_of(timings.calls.begin(), timings.calls.end(), [&](const std::vector<Repetition>& call) {
    const auto counted = std::count_if(call.begin(), call.end(), [](const Repetition& repetition) { return !repetition.discarded; });
    return static_cast<std::size_t>(counted) >= fewest;
  });
}

/// Converts timings to short JSON, because there are thousands: [seconds, drift, at, discarded] per repetition.
nlohmann::json to_json(const measure::Timings& timings) {
  nlohmann::json calls = nlohmann::json::array();
  for (const std::vector<Repetition>& call : timings.calls) {
    nlohmann::json repetitions = nlohmann::json::array();
    for (const Repetition& one : call) {
      repetitions.push_back({one.seconds, one.drift, one.at, one.discarded});
    }
    calls.push_back(std::move(repetitions));
  }
  return {{"calls", std::move(calls)},
          {"reference_seconds", timings.state.reference},
          {"spread", std::max(timings.state.spread, timings.state.noise)},
          {"warnings", timings.warnings}};
}

measure::Timings from_json(const nlohmann::json& json) {
  measure::Timings timings;
  for_each_element(json, "calls", [&](const nlohmann::json& call) {
    std::vector<Repetition> repetitions;
    for (const nlohmann::json& one : call) {
      repetitions.push_back({element<double>(one, 0), element<double>(one, 1), element<double>(one, 2), element<bool>(one, 3)});
    }
    timings.calls.push_back(std::move(repetitions));
  });
  timings.state.reference = member<double>(json, "reference_seconds");
  timings.state.spread = member_or(json, "spread", 0.0);
  timings.warnings = member<std::vector<std::string>>(json, "warnings");
  return timings;
}

}  // namespace

TimingMemory timings_in(model::Store& store, const std::string& context, std::size_t fewest, Seconds reference) {
  TimingMemory memory;
  memory.find = [&store, context, fewest, reference](const std::string& key) -> std::optional<measure::Timings> {
    const std::optional<nlohmann::json> found = find_artifact(store, model::artifact::micro_benchmark, key + ' ' + context);
    if (!found) {
      return std::nullopt;
    }
    try {
      measure::Timings timings = from_json(*found);
      return is_alike(timings.state.reference, reference) && is_complete(timings, fewest) ? std::optional(std::move(timings))
                                                                                          : std::nullopt;
    } catch (const nlohmann::json::exception&) {
      return std::nullopt;  // written by another version: measured again and replaced
    }
  };
  memory.keep = [&store, context, fewest](const std::string& key, const measure::Timings& timings) {
    if (is_complete(timings, fewest)) {
      put_artifact(store, model::artifact::micro_benchmark, key + ' ' + context, to_json(timings));
    }
  };
  return memory;
}

TimingMemory earlier_timings(model::Store& store, const BenchmarkOptions& options, const Environment& environment, Seconds reference) {
  const std::string context =
      fmt::format("repetitions {} prefetched {} capacity {} threads {} {}", options.repetitions, options.prefetched_lines,
                  environment.caches.empty() ? 0 : environment.caches.back().capacity_bytes, options.threads, environment.fingerprint);
  return timings_in(store, context, static_cast<std::size_t>(std::min(fewest_preparations, options.repetitions)), reference);
}

}  // namespace flopcast::contract
