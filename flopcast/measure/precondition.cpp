#include "flopcast/measure/precondition.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::measure {
namespace {

using What = Action::What;
using State = Precondition::State;
using Flush = Precondition::Flush;

constexpr std::int64_t max_copies = 256;  // prepared calls and their memory are kept for the whole run

Action fill(const Call& call) { return {What::fill, {}, 0, call}; }
Action execute(const Call& call) { return {What::execute, {}, 0, call}; }
Action flush_all() { return {What::flush_all, {}, 0, {}}; }
Action on_region(What what, const Region& region) { return {what, region, 0, {}}; }

void append(std::vector<Action>& actions, What what, const Operand& operand) {
  for (const Region& part : operand.parts) {
    actions.push_back(on_region(what, part));
  }
}

void append_flushes(std::vector<Action>& actions, const Call& call) {
  for (const Operand& operand : operands(call)) {
    append(actions, What::flush, operand);
  }
}

void append_placing(std::vector<Action>& actions, const Call& call, const Placement& placement, int levels) {
  const Operands all = operands(call);
  if (placement.size() != all.size()) {
    throw bad_input("a placement of {} operands doesn't suit {}, which has {}", placement.size(), call.routine->name, all.size());
  }
  std::vector<PlacedRegion> regions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Region& part : all[i].parts) {
      regions.push_back({part, placement[i]});
    }
  }
  append_placing(actions, std::move(regions), levels);
}

bool updates_an_operand(const Call& call) {
  const Operands all = operands(call);
  return std::any_of(all.begin(), all.end(),
                     [](const Operand& operand) { return operand.access == Access::update && operand.bytes() > 0; });
}

/// Returns whether the time of a routine depends on its operands, such that its own result may be quick work: eigenvalues of a triangle,
/// columns that jpvt keeps in front.
bool goes_by_its_operands(const Call& call) { return call.routine->index("info") >= 0 && updates_an_operand(call); }

std::vector<Action> setup(const Call& call, const Precondition& precondition, const Environment& environment) {
  std::vector<Action> actions = {fill(call)};
  switch (precondition.state) {
    case State::warm:
      actions.push_back(execute(call));
      if (goes_by_its_operands(call)) {
        actions.push_back(fill(call));
      }
      break;
    case State::cold:
      if (precondition.flush == Flush::line) {
        append_flushes(actions, call);
      } else if (precondition.flush == Flush::sweep) {
        actions.push_back(flush_all());
      }
      break;
    case State::level:
    case State::placed: append_placing(actions, call, precondition.placement, static_cast<int>(environment.caches.size())); break;
    case State::replayed: actions.insert(actions.end(), precondition.replay.begin(), precondition.replay.end()); break;
  }
  return actions;
}

double or_else(double measured, double guess) { return measured > 0 ? measured : guess; }

/// Returns an estimated time, rather too short than too long. The assumed rates hold for a core of this decade.
Seconds estimated_time(const Call& call, const Precondition& precondition, const Environment& environment) {
  constexpr Seconds overhead = 30e-9;
  const double cache_bandwidth = environment.caches.empty() ? 0 : environment.caches.front().bandwidth;
  const double bandwidth =
      precondition.state == State::cold ? or_else(environment.memory_bandwidth, 20e9) : or_else(cache_bandwidth, 200e9);
  return overhead + flops(call) / or_else(environment.peak_flops, 100e9) + static_cast<double>(footprint_bytes(call)) / bandwidth;
}

/// Returns how many copies of the operands fit into half of every cache that should hold some of them.
std::int64_t copies_that_fit(const Call& call, const Precondition& precondition, const Environment& environment) {
  const Operands all = operands(call);
  std::int64_t copies = max_copies;
  for (std::size_t level = 0; level < environment.caches.size(); ++level) {
    std::int64_t inside_bytes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_inside = precondition.state == State::warm || static_cast<std::size_t>(precondition.placement[i].level) <= level;
      inside_bytes += is_inside ? all[i].bytes() : 0;
    }
    const std::int64_t half_bytes = environment.caches[level].capacity_bytes / 2;
    if (inside_bytes > 0 && inside_bytes <= half_bytes) {
      copies = std::min(copies, half_bytes / inside_bytes);
      if (precondition.state == State::warm) {
        return copies;  // a warm operand lies wherever a single copy would stay
      }
    } else if (inside_bytes > half_bytes && precondition.state != State::warm) {
      return 1;
    }
  }
  return precondition.state == State::warm ? 1 : copies;
}

std::int64_t chosen_batch(const Call& call, const Precondition& precondition, const Environment& environment) {
  constexpr Seconds long_enough = 20e-6;
  constexpr std::int64_t max_repeats = 1000;
  const auto wanted = static_cast<std::int64_t>(std::ceil(long_enough / estimated_time(call, precondition, environment)));
  switch (precondition.state) {
    case State::warm:
      if (!updates_an_operand(call)) {
        return std::min(wanted, max_repeats);
      }
      return std::min(wanted, copies_that_fit(call, precondition, environment));
    case State::cold: return std::min(wanted, max_copies);
    case State::level:
    case State::placed: return std::min(wanted, copies_that_fit(call, precondition, environment));
    case State::replayed: return 1;
  }
  return 1;
}

/// Uses copies of the operands that together exceed the caches. If they are too few, a sweep makes up for the rest.
void use_fresh_memory(Experiment& experiment, const Environment& environment, std::int64_t batch) {
  constexpr std::int64_t max_fresh = 1024;
  const std::int64_t flush_bytes = Sweeper(environment.caches).flush_bytes();
  const std::int64_t bytes = std::max<std::int64_t>(1, footprint_bytes(experiment.timed.front()));
  experiment.batch = batch > 0 ? batch : std::clamp<std::int64_t>(ceil_div(flush_bytes, bytes), 1, max_fresh);
  experiment.separate = true;
  if (experiment.batch == 1 || experiment.batch * bytes < flush_bytes) {
    experiment.setup.push_back(flush_all());
  }
}

// --- Parsing user input ---

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Splits off `:dirty`; returns whether it was there.
std::pair<std::string_view, bool> without_dirty(std::string_view text) {
  static constexpr std::string_view suffix = ":dirty";
  const bool is_dirty = text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
  return {is_dirty ? text.substr(0, text.size() - suffix.size()) : text, is_dirty};
}

std::vector<std::string> operand_names(const Call& call) {
  std::vector<std::string> names;
  for (const Operand& operand : operands(call)) {
    names.push_back(call.routine->arguments[operand.argument].name);
  }
  return names;
}

/// Returns the index among operands(call), or -1.
int operand_index(const Call& call, std::string_view name) {
  const std::vector<std::string> names = operand_names(call);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lower_case(names[i]) == lower_case(name)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

OperandState state_at(std::size_t level, const Operand& operand, bool dirty, const Environment& environment) {
  OperandState state;
  state.level = static_cast<std::int8_t>(level);
  state.dirty = dirty;
  if (level < environment.caches.size()) {
    state.distance_bytes = std::max(operand.bytes(), level == 0 ? 0 : environment.caches[level - 1].capacity_bytes);
  }
  return state;
}

/// Returns the level of the innermost cache that holds the operand.
std::size_t innermost_level(const Operand& operand, const Environment& environment) {
  std::size_t level = 0;
  while (level < environment.caches.size() && environment.caches[level].capacity_bytes < operand.bytes()) {
    ++level;
  }
  return level;
}

/// Returns the number of the cache with this name, in any case of letters.
std::optional<std::size_t> level_named(std::string_view name, const Environment& environment) {
  for (std::size_t level = 0; level < environment.caches.size(); ++level) {
    if (lower_case(environment.caches[level].name) == lower_case(name)) {
      return level;
    }
  }
  return std::nullopt;
}

std::size_t parse_level(std::string_view name, const Environment& environment) {
  const std::optional<std::size_t> level = level_named(name, environment);
  if (!level && lower_case(name) != "memory") {
    std::string names;
    for (const CacheLevel& cache : environment.caches) {
      names += cache.name + ", ";
    }
    throw bad_input("cache state: no level '{}'; levels are {}memory", name, names);
  }
  return level.value_or(environment.caches.size());
}

Precondition parse_placement(std::string_view text, const Call& call, const Environment& environment) {
  Precondition precondition;
  precondition.state = State::placed;
  const Operands all = operands(call);
  for (const Operand& operand : all) {
    precondition.placement.push_back(state_at(innermost_level(operand, environment), operand, false, environment));
  }
  for (const std::string_view item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    const int index = operand_index(call, item.substr(0, equals));
    if (equals == std::string_view::npos || index < 0) {
      throw bad_input("cache state: '{}' is not OPERAND=LEVEL; operands of {} are {}", item, call.routine->name,
                      fmt::join(operand_names(call), ", "));
    }
    const auto [level_name, dirty] = without_dirty(item.substr(equals + 1));
    const auto i = static_cast<std::size_t>(index);
    const std::size_t level = parse_level(level_name, environment);
    if (level < innermost_level(all[i], environment)) {
      throw bad_input("cache state: operand {} of {} doesn't fit into {} of {}", item.substr(0, equals),
                      format_bytes(static_cast<double>(all[i].bytes())), level_name,
                      format_bytes(static_cast<double>(environment.caches[level].capacity_bytes)));
    }
    precondition.placement[i] = state_at(level, all[i], dirty, environment);
  }
  return precondition;
}

Precondition parse_replay(std::string_view text, const Call& call) {
  Precondition precondition;
  precondition.state = State::replayed;
  const Operands all = operands(with_addresses(call));
  std::uintptr_t remote = virtual_base(all.size());
  for (const std::string_view item : split(text, ',')) {
    const auto [name, dirty] = without_dirty(item);
    if (const int index = operand_index(call, name); index >= 0) {
      append(precondition.replay, dirty ? What::write : What::read, all[static_cast<std::size_t>(index)]);
      continue;
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) == 0) {
      throw bad_input("cache state: '{}' is neither an operand of {} ({}) nor an amount of other memory such as 64KiB", item,
                      call.routine->name, fmt::join(operand_names(call), ", "));
    }
    const std::int64_t bytes = parse_bytes(name, "cache state");
    precondition.replay.push_back(on_region(dirty ? What::write : What::read, {remote, bytes, 1, bytes, 0}));
    remote += static_cast<std::uintptr_t>(bytes);
  }
  return precondition;
}

}  // namespace

std::string cache_name(const Precondition& precondition) {
  switch (precondition.state) {
    case State::warm: return "warm";
    case State::cold: return "cold";
    case State::level: return precondition.level_name;
    case State::placed: return "placed";
    case State::replayed: return "replayed";
  }
  return "";
}

Precondition parse_precondition(std::string_view text, const Call& call, const Environment& environment) {
  static constexpr std::string_view replay = "replay:";
  if (text == "warm") {
    return {};
  }
  if (text == "cold" || text == "cold:line") {
    return {State::cold, Flush::line, {}, {}};
  }
  if (text == "cold:sweep") {
    return {State::cold, Flush::sweep, {}, {}};
  }
  if (text == "cold:fresh") {
    return {State::cold, Flush::fresh, {}, {}};
  }
  if (text.substr(0, replay.size()) == replay) {
    return parse_replay(text.substr(replay.size()), call);
  }
  if (text.find('=') != std::string_view::npos) {
    return parse_placement(text, call, environment);
  }
  if (const std::optional<std::size_t> level = level_named(text, environment)) {
    Precondition precondition;
    precondition.state = State::level;
    precondition.level = static_cast<int>(*level);
    precondition.level_name = environment.caches[*level].name;
    return precondition;
  }
  throw bad_input(
      "cache state: '{}' is not one of warm, cold, cold:sweep, cold:fresh, a cache such as L2, OPERAND=LEVEL,... or "
      "replay:OPERAND,BYTES,...",
      text);
}

Experiment experiment(const Call& call, const Precondition& wanted, const Environment& environment, std::int64_t batch) {
  const Call placed = with_addresses(call);
  Precondition precondition = wanted;
  if (wanted.state == State::level) {
    for (const Operand& operand : operands(call)) {
      const std::size_t level = std::max(static_cast<std::size_t>(wanted.level), innermost_level(operand, environment));
      precondition.placement.push_back(state_at(level, operand, false, environment));
    }
  }
  Experiment experiment;
  experiment.timed = {placed};
  experiment.setup = setup(placed, precondition, environment);
  experiment.memory = memory_of(experiment.timed, experiment.setup);
  experiment.wake = precondition.state != State::warm;
  if (precondition.state == State::cold && precondition.flush == Flush::fresh) {
    use_fresh_memory(experiment, environment, batch);
    return experiment;
  }
  experiment.batch = batch > 0 ? batch : std::max<std::int64_t>(1, chosen_batch(placed, precondition, environment));
  experiment.separate = experiment.batch > 1 && (precondition.state != State::warm || updates_an_operand(placed));
  return experiment;
}

}  // namespace flopcast::measure
