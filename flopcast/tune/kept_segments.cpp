#include "flopcast/tune/kept_segments.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::tuning {
namespace {

/// Returns the beginning of the names of an environment's segments.
std::string prefix_of(const Environment& environment) { return fmt::format("{} x{} ", environment.fingerprint, environment.threads); }

/// Returns the beginning of the names of a kernel's segments.
std::string prefix_of(const Environment& environment, const KeptSegment& kept) {
  Call first = kept.trace.calls[kept.segment.begin];
  first.threads = environment.threads;
  ModelKey key = model_key(first, "placed", environment.fingerprint);
  key.zeros = zero_sizes(first);
  return prefix_of(environment) + to_string(key) + " ";
}

using States = std::vector<std::array<std::int64_t, 3>>;  ///< distance in bytes, level, 1 for dirty; of every operand

nlohmann::json document_of(const KeptSegment& kept) {
  std::vector<States> placements;
  for (std::size_t at = kept.segment.begin; at < kept.segment.end; ++at) {
    States& states = placements.emplace_back();
    for (const OperandState& state : kept.placements[at]) {
      states.push_back({state.distance_bytes, state.level, state.dirty ? 1 : 0});
    }
  }
  return {{"trace", to_json(kept.trace)},
          {"context", kept.segment.context},
          {"begin", kept.segment.begin},
          {"end", kept.segment.end},
          {"placements", placements}};
}

Placement placement_of(const States& states, const Call& call) {
  if (states.size() != operands(call).size()) {
    throw MemberError("placements", fmt::format("{} operands given, {} has {}", states.size(), call.routine->name, operands(call).size()));
  }
  Placement placement;
  for (const auto& [distance, level, dirty] : states) {
    if (level < 0 || level > std::numeric_limits<std::int8_t>::max()) {
      throw MemberError("placements", fmt::format("level {} given, expected 0 to 127", level));
    }
    placement.push_back({distance, static_cast<std::int8_t>(level), dirty != 0});
  }
  return placement;
}

KeptSegment segment_of(const nlohmann::json& document, int threads) {
  KeptSegment kept;
  kept.trace = trace_from_json(member<nlohmann::json>(document, "trace"), kernel::find);
  for (Call& call : kept.trace.calls) {
    call.threads = threads;
  }
  TimedSegment& segment = kept.segment;
  read_member(document, "context", segment.context);
  read_member(document, "begin", segment.begin);
  read_member(document, "end", segment.end);
  if (segment.context > segment.begin || segment.begin >= segment.end || segment.end != kept.trace.calls.size()) {
    throw MemberError(
        "end", fmt::format("calls {} to {} of {} given, expected the last ones", segment.begin, segment.end, kept.trace.calls.size()));
  }
  const auto placements = member<std::vector<States>>(document, "placements");
  if (placements.size() != segment.end - segment.begin) {
    throw MemberError("placements", fmt::format("{} given for {} timed calls", placements.size(), segment.end - segment.begin));
  }
  kept.placements.resize(kept.trace.calls.size());
  for (std::size_t i = 0; i < placements.size(); ++i) {
    kept.placements[segment.begin + i] = placement_of(placements[i], kept.trace.calls[segment.begin + i]);
  }
  return kept;
}

/// Returns the names in the store that begin with `prefix`.
std::vector<std::string> names_with(const model::Store& store, const std::string& prefix) {
  std::vector<std::string> names = artifact_names(store, model::artifact::sampled_segment);
  std::erase_if(names, [&](const std::string& name) { return name.rfind(prefix, 0) != 0; });
  return names;
}

/// Returns the allocations that operands of the trace's calls begin in.
std::vector<Allocation> used_allocations(const Trace& trace, const std::vector<Allocation>& all) {
  std::set<std::uintptr_t> addresses;
  for (const Call& call : trace.calls) {
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (is_operand(call.routine->arguments[i])) {
        addresses.insert(call.address(i));
      }
    }
  }
  std::vector<Allocation> used;
  for (const Allocation& allocation : all) {
    const auto first = addresses.lower_bound(allocation.address);
    if (first != addresses.end() && *first < allocation.address + static_cast<std::uintptr_t>(allocation.bytes)) {
      used.push_back(allocation);
    }
  }
  return used;
}

}  // namespace

KeptSegment cut(const Trace& trace, std::span<const Placement> placements, const TimedSegment& segment) {
  const std::size_t first = segment.context > 0 ? segment.context - 1 : 0;
  KeptSegment kept;
  kept.trace.configuration = trace.configuration;
  kept.trace.calls.assign(trace.calls.begin() + static_cast<std::ptrdiff_t>(first),
                          trace.calls.begin() + static_cast<std::ptrdiff_t>(segment.end));
  kept.trace.allocations = used_allocations(kept.trace, trace.allocations);
  make_virtual(kept.trace);
  kept.placements.resize(kept.trace.calls.size());
  std::copy(placements.begin() + static_cast<std::ptrdiff_t>(segment.begin), placements.begin() + static_cast<std::ptrdiff_t>(segment.end),
            kept.placements.begin() + static_cast<std::ptrdiff_t>(segment.begin - first));
  kept.segment = {segment.context - first, segment.begin - first, segment.end - first};
  return kept;
}

void keep_segments(model::Store& store, const Environment& environment, std::span<const KeptSegment> segments, std::size_t max_per_kernel) {
  std::mt19937_64 random(segments.size());
  std::map<std::string, std::vector<const KeptSegment*>> by_kernel;
  for (const KeptSegment& kept : segments) {
    by_kernel[prefix_of(environment, kept)].push_back(&kept);
  }
  for (auto& [prefix, own] : by_kernel) {
    std::shuffle(own.begin(), own.end(), random);
    own.resize(std::min(own.size(), max_per_kernel));
    std::vector<std::string> earlier = names_with(store, prefix);
    std::shuffle(earlier.begin(), earlier.end(), random);
    for (std::size_t surplus = earlier.size() + own.size(); surplus > max_per_kernel && !earlier.empty(); --surplus) {
      delete_artifact(store, model::artifact::sampled_segment, earlier.back());
      earlier.pop_back();
    }
    for (const KeptSegment* kept : own) {
      const nlohmann::json document = document_of(*kept);
      put_artifact(store, model::artifact::sampled_segment, prefix + hexadecimal_digest(document.dump()), document);
    }
  }
}

std::vector<KeptSegment> kept_segments(const model::Store& store, const Environment& environment) {
  std::vector<KeptSegment> segments;
  for (const std::string& name : names_with(store, prefix_of(environment))) {
    const auto read = [&](const nlohmann::json& document) { return segment_of(document, environment.threads); };
    if (std::optional<KeptSegment> kept = read_artifact(store, model::artifact::sampled_segment, name, read)) {
      segments.push_back(*std::move(kept));
    }
  }
  return segments;
}

}  // namespace flopcast::tuning
