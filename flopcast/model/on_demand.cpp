#include "flopcast/model/on_demand.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "flopcast/core/statistics.hpp"

namespace flopcast::model {
namespace {

/// Returns the key of the process that a key of samples belongs to, which doesn't distinguish leading dimensions.
ModelKey process_key(ModelKey key) {
  std::replace(key.strides.begin(), key.strides.end(), 'p', '.');
  return key;
}

}  // namespace

std::vector<Location> merge(std::vector<Location> all) {
  static constexpr std::size_t most = 500;
  static constexpr double finest = 0.01, growth = 1.5;
  for (double width = finest; all.size() > most; width *= growth) {
    std::map<std::vector<std::int64_t>, Location> cells;
    for (const Location& location : all) {
      std::vector<std::int64_t> cell;
      for (const double coordinate : location.at) {
        cell.push_back(std::llround(coordinate / width));
      }
      const auto [at, is_new] = cells.try_emplace(std::move(cell), location);
      if (is_new) {
        continue;
      }
      Location& merged = at->second;
      const double share = location.base / (merged.base + location.base);
      for (std::size_t d = 0; d < merged.at.size(); ++d) {
        merged.at[d] += share * (location.at[d] - merged.at[d]);
      }
      merged.base += location.base;
      merged.extrapolated += location.extrapolated;
    }
    all.clear();
    for (auto& [cell, location] : cells) {
      all.push_back(std::move(location));
    }
  }
  return all;
}

OnDemandModels::OnDemandModels(const Environment& environment) : baseline_(Baseline::of(environment)), library_(environment.fingerprint) {}

ModelKey OnDemandModels::key(const Call& call) const { return process_key(sample_key(call)); }

ModelKey OnDemandModels::sample_key(const Call& call) const {
  ModelKey key = model_key(call, "placed", library_);
  key.zeros = zero_sizes(call);
  return key;
}

void OnDemandModels::add(const Call& call, const Placement& placement, std::span<const Seconds> times, const MachineState& state) {
  note_session(state);
  kernels_[key(call)].add(call, placement, times, baseline_, state);
}

void OnDemandModels::note_session(const MachineState& state) {
  const auto [known, is_new] = sessions_.try_emplace(state.session, state);
  if (is_new) {
    return;
  }
  const double spread = std::max(known->second.spread, state.spread);
  if (state.noise < known->second.noise) {
    known->second = state;
  }
  known->second.spread = spread;
}

void OnDemandModels::predict_for(const MachineState& state) {
  wanted_ = state;
  fit();
}

MachineState OnDemandModels::wanted_state() const {
  if (wanted_.session > 0) {
    const auto measured = sessions_.find(wanted_.session);
    return measured == sessions_.end() ? wanted_ : measured->second;
  }
  for (auto session = sessions_.rbegin(); session != sessions_.rend(); ++session) {
    if (session->second.noise <= 0) {
      return session->second;
    }
  }
  return sessions_.empty() ? MachineState{} : sessions_.rbegin()->second;
}

RunDeviation OnDemandModels::run_deviation() const {
  static constexpr double of_normal = 1.4826;  // standard deviation over the median of magnitudes
  static constexpr double day = 24;
  static constexpr std::size_t fewest = 3;
  std::vector<double> spreads, steps;
  const MachineState* before = nullptr;
  for (const auto& [begin, state] : sessions_) {
    if (state.spread > 0) {
      spreads.push_back(state.spread);
    }
    if (state.noise > 0 || state.reference <= 0) {
      continue;
    }
    if (before != nullptr && begin - before->session < day) {
      steps.push_back(std::fabs(std::log(state.reference / before->reference)));
    }
    before = &state;
  }
  const MachineState wanted = wanted_state();
  RunDeviation deviation;
  deviation.moments = std::max({wanted.spread, wanted.noise, spreads.empty() ? 0 : median(spreads)});
  deviation.sessions = steps.size() < fewest ? 0 : of_normal * median(steps);
  return deviation;
}

bool OnDemandModels::add(const Sample& sample, const Call& call) {
  if (sample.key.cache != "placed" || sample.placement.empty()) {
    return false;
  }
  const std::vector<Seconds> times = sample.times();
  if (times.empty()) {
    return false;
  }
  note_session(sample.state);
  kernels_[process_key(sample.key)].add(call, sample.placement, times, baseline_, sample.state);
  return true;
}

void OnDemandModels::fit() {
  const MachineState wanted = wanted_state();
  for (auto& [key, kernel] : kernels_) {
    kernel.predict_for(wanted);
    kernel.fit();
  }
}

Estimate OnDemandModels::estimate(const Call& call, const Placement& placement) const {
  if (returns_at_once(call)) {
    return {baseline_.overhead, 0, false};
  }
  const auto found = kernels_.find(key(call));
  if (found == kernels_.end() || !found->second.fitted()) {
    return {baseline_time(call, placement, baseline_), 1, true};
  }
  return found->second.estimate(call, placement, baseline_);
}

Seconds OnDemandModels::seconds(const Call& call, const Placement& placement) const {
  if (returns_at_once(call)) {
    return baseline_.overhead;
  }
  const auto found = kernels_.find(key(call));
  return found == kernels_.end() ? KernelProcess().seconds(call, placement, baseline_) : found->second.seconds(call, placement, baseline_);
}

Total OnDemandModels::total(std::span<const Call> calls, std::span<const Placement> placements) const {
  Total total;
  std::map<ModelKey, std::vector<Location>> locations;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    if (returns_at_once(call)) {
      total.seconds += baseline_.overhead;
      continue;
    }
    const ModelKey call_key = key(call);
    const auto found = kernels_.find(call_key);
    Total::ModelPart& part = total.parts[call_key];
    ++part.calls;
    const Seconds base = baseline_time(call, placements[i], baseline_);
    if (found == kernels_.end() || !found->second.fitted()) {
      total.seconds += base;
      total.unmodelled += base;
      part.seconds += base;
      continue;
    }
    Location location{found->second.place(call, placements[i], baseline_), base, 0};
    location.extrapolated = found->second.extrapolates(location.at, sizes(call).size()) ? base : 0;
    locations[call_key].push_back(std::move(location));
  }
  for (auto& [kernel, all] : locations) {
    add(total, kernel, merge(std::move(all)));
  }
  return total;
}

void OnDemandModels::add(Total& total, const ModelKey& kernel, const std::vector<Location>& locations) const {
  const GaussianProcess& process = kernels_.at(kernel).process();
  const auto count = static_cast<Eigen::Index>(locations.size());
  GaussianProcess::Points points(count, static_cast<Eigen::Index>(locations.front().at.size()));
  Eigen::VectorXd weights(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Location& location = locations[static_cast<std::size_t>(i)];
    const double ratio = std::exp(process.mean(location.at.data()));
    points.row(i) = Eigen::Map<const Eigen::RowVectorXd>(location.at.data(), points.cols());
    weights[i] = ratio * location.base;
    total.seconds += weights[i];
    total.parts[kernel].seconds += weights[i];
    total.extrapolated += ratio * location.extrapolated;
  }
  total.parts[kernel].sum = process.weighted_sum(points, std::move(weights));
}

double OnDemandModels::covariance(const Total& a, const Total& b) const {
  double sum = 0;
  for (const auto& [part_key, part] : a.parts) {
    const auto other = b.parts.find(part_key);
    if (other == b.parts.end() || part.sum.weights.size() == 0 || other->second.sum.weights.size() == 0) {
      continue;
    }
    sum += kernels_.at(part_key).process().covariance(part.sum, other->second.sum);
  }
  // Unmodelled time is known to within a factor only.
  return sum + (&a == &b ? a.unmodelled * a.unmodelled : 0);
}

}  // namespace flopcast::model
