#include "flopcast/model/kernel_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::model {
namespace {

int count_operands(const Routine& routine) {
  return static_cast<int>(std::count_if(routine.arguments.begin(), routine.arguments.end(), is_operand));
}

int count_sizes(const Routine& routine) {
  return static_cast<int>(std::count_if(routine.arguments.begin(), routine.arguments.end(),
                                        [](const Argument& argument) { return argument.kind == Kind::size; }));
}

/// Returns whether the argument is an operand whose columns or elements lie a stride apart.
bool has_stride(const Argument& argument) { return argument.stride >= 0 && (argument.kind == Kind::data || argument.kind == Kind::work); }

std::size_t count_strides(const Routine& routine) {
  return static_cast<std::size_t>(std::count_if(routine.arguments.begin(), routine.arguments.end(), has_stride));
}

/// Returns the index of the first coordinate of aliasing.
std::size_t aliasing_begin(const Routine& routine) {
  return static_cast<std::size_t>(count_sizes(routine)) + static_cast<std::size_t>(count_operands(routine));
}

/// Returns the variance of the logarithm of the median of `times`, from their spread, but never below the limits of the clock and the
/// machine.
double median_variance(std::span<const Seconds> times) {
  static constexpr double floor = 0.004;      // 0.4 %: medians of the same point differ by more between minutes
  static constexpr double few_values = 0.02;  // assumed if fewer than three values show no spread
  const double centre = median(times);
  double deviation = few_values;
  if (times.size() >= 3) {
    std::vector<double> distances;
    for (const Seconds time : times) {
      distances.push_back(std::fabs(time - centre) / centre);
    }
    deviation = 1.4826 * median(distances);
  }
  // The median's standard error is 1.2533 times the mean's for normal values.
  const double error = 1.2533 * deviation / std::sqrt(static_cast<double>(times.size()));
  return std::max(error, floor) * std::max(error, floor);
}

constexpr std::size_t state_coordinates = 2;  // session and reference, which are the last

/// Sets the coordinates of the state.
void set_state(std::vector<double>& at, double session, double reference) {
  at[at.size() - 2] = session;
  at[at.size() - 1] = reference;
}

/// Returns 0 if the reference kernel's time isn't known.
double log_reference(const MachineState& state) { return state.reference > 0 ? std::log(state.reference) : 0; }

double log_flops(const Call& call) { return std::log(std::max(1.0, flops(call))); }

/// Returns the coordinate that distinguishes the two sides of a cliff.
double side(double log_flops, double cliff) { return log_flops > cliff ? 1 : 0; }

constexpr double cliff_length = 0.7;  // the sides of a cliff correlate by 0.3
constexpr double convincing = 5;      // smallest rise of the log likelihood that justifies a cliff

/// Returns the coordinates with one more coordinate for each cliff.
GaussianProcess::Points with_sides(const GaussianProcess::Points& points, const Eigen::VectorXd& log_flops,
                                   const std::vector<double>& cliffs) {
  GaussianProcess::Points extended(points.rows(), points.cols() + static_cast<Eigen::Index>(cliffs.size()));
  extended.leftCols(points.cols()) = points;
  for (std::size_t c = 0; c < cliffs.size(); ++c) {
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      extended(i, points.cols() + static_cast<Eigen::Index>(c)) = side(log_flops[i], cliffs[c]);
    }
  }
  return extended;
}

/// Appends a group for each cliff, which has its own length scale after the `lengths` others.
std::vector<int> with_cliff_groups(std::vector<int> groups, std::size_t lengths, std::size_t cliffs) {
  for (std::size_t c = 0; c < cliffs; ++c) {
    groups.push_back(static_cast<int>(lengths + c));
  }
  return groups;
}

/// Returns possible cliffs between neighbouring observations, evenly by rank, with enough observations on either side.
std::vector<double> possible_cliffs(const Eigen::VectorXd& log_flops) {
  static constexpr std::size_t fewest = 8;
  static constexpr std::size_t most = 40;
  std::vector<double> sorted(log_flops.begin(), log_flops.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> gaps;
  for (std::size_t i = fewest; i + fewest <= sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1] + 1e-6) {
      gaps.push_back((sorted[i] + sorted[i - 1]) / 2);
    }
  }
  std::vector<double> some;
  for (std::size_t i = 0; i < std::min(most, gaps.size()); ++i) {
    some.push_back(gaps[i * gaps.size() / std::min(most, gaps.size())]);
  }
  return some;
}

}  // namespace

double aliasing_degree(std::int64_t stride_bytes) {
  static constexpr std::int64_t page = 4096;
  static constexpr int largest = 8;  // from 512 KiB on, all columns share the sets of any common cache
  stride_bytes = std::abs(stride_bytes);
  if (stride_bytes == 0 || stride_bytes % page != 0) {
    return 0;
  }
  int degree = 1;
  for (std::int64_t pages = stride_bytes / page; pages % 2 == 0 && degree < largest; pages /= 2) {
    ++degree;
  }
  return degree;
}

std::vector<double> KernelProcess::coordinates(const Call& call, const Placement& placement, const Baseline& baseline) {
  std::vector<double> at;
  for (const std::int64_t size : sizes(call)) {
    at.push_back(std::log(static_cast<double>(std::max<std::int64_t>(size, 1))));
  }
  const Operands all = operands(call);
  double bytes = 0;
  for (const Operand& operand : all) {
    bytes += static_cast<double>(operand.bytes());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double share = bytes > 0 ? static_cast<double>(all[i].bytes()) / bytes : 0;
    at.push_back(std::sqrt(share) * (i < placement.size() ? continuous_level(placement[i], baseline.capacities) : 0));
  }
  const std::vector<Argument>& arguments = call.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (has_stride(arguments[i])) {
      at.push_back(aliasing_degree(call.arguments[static_cast<std::size_t>(arguments[i].stride)] * argument_element_bytes(call, i)));
    }
  }
  static const double common_work = std::log(1e7);
  static constexpr double number_bytes = 8;
  at.push_back(std::log(std::max({1.0, flops(call), bytes / number_bytes})) - common_work);
  at.insert(at.end(), state_coordinates, 0.0);
  return at;
}

std::vector<int> KernelProcess::coordinate_groups(const Routine& routine) {
  std::vector<int> groups;
  const int size_count = count_sizes(routine);
  for (int i = 0; i < size_count; ++i) {
    groups.push_back(i);
  }
  groups.insert(groups.end(), static_cast<std::size_t>(count_operands(routine)), size_count);
  groups.insert(groups.end(), count_strides(routine), aliasing_group);
  groups.insert(groups.end(), {work_group, session_group, reference_group});
  return groups;
}

ProcessParameters KernelProcess::prior(const Routine& routine) {
  static constexpr double size_length = 1.5;   // efficiency changes over a factor of about e^1.5 in a size
  static constexpr double level_length = 2.0;  // ... and by one amplitude over two cache levels
  ProcessParameters parameters;
  parameters.lengths.assign(static_cast<std::size_t>(count_sizes(routine)), size_length);
  parameters.lengths.push_back(level_length);
  parameters.amplitude = 0.4;
  parameters.nugget = 0.02;
  parameters.nugget_decay = 0.15;  // a hundred times the work halves the deviation
  // A slower reference kernel makes kernels slower, compute-bound ones by as much and memory-bound ones hardly.
  parameters.response = 0.6;
  parameters.response_deviation = 0.4;
  parameters.session = 0.03;
  parameters.aliasing = 0.3;  // dgeqrf of order 512 takes 1.3 times as long for its flops as that of order 500
  return parameters;
}

void KernelProcess::add(const Call& call, const Placement& placement, std::span<const Seconds> times, const Baseline& baseline,
                        const MachineState& state) {
  if (times.empty() || returns_at_once(call)) {
    return;
  }
  routine_ = call.routine;
  threads_ = call.threads;
  Observation observation;
  observation.at = coordinates(call, placement, baseline);
  set_state(observation.at, state.session, 0);
  observation.log_flops = log_flops(call);
  observation.log_ratio = std::log(std::max(median(times), 1e-9) / baseline_time(call, placement, baseline));
  observation.variance = median_variance(times) + state.noise * state.noise;
  observation.log_reference = log_reference(state);
  observation.quiet = state.noise <= 0;
  if (lowest_.empty()) {
    lowest_ = highest_ = observation.at;
  }
  for (std::size_t d = 0; d < observation.at.size(); ++d) {
    lowest_[d] = std::min(lowest_[d], observation.at[d]);
    highest_[d] = std::max(highest_[d], observation.at[d]);
  }
  degrees_.resize(count_strides(*routine_));
  for (std::size_t s = 0; s < degrees_.size(); ++s) {
    degrees_[s].insert(observation.at[aliasing_begin(*routine_) + s]);
  }
  keep(std::move(observation));
}

/// Merges the observation with that of its place in the same session, or adds it in place of what it makes superfluous.
void KernelProcess::keep(Observation observation) {
  static constexpr std::size_t max_per_place = 3;
  static constexpr double tolerance = 1e-9;
  const auto session_of = [](const Observation& any) { return any.at[any.at.size() - state_coordinates]; };
  const auto at_place = [&](const Observation& other) {
    return std::equal(other.at.begin(), other.at.end() - state_coordinates, observation.at.begin(),
                      [](double a, double b) { return std::fabs(a - b) < tolerance; });
  };
  const auto is_quiet_here = [&](const Observation& other) { return other.quiet && at_place(other); };
  std::size_t here = 0;
  auto oldest = observations_.end();
  for (auto other = observations_.begin(); other != observations_.end(); ++other) {
    if (!at_place(*other)) {
      continue;
    }
    if (session_of(*other) == session_of(observation) && other->quiet == observation.quiet) {
      // The errors share the machine's state in that minute, so that the variance falls to the smaller one at best.
      const double weight = other->variance / (other->variance + observation.variance);
      other->log_ratio += weight * (observation.log_ratio - other->log_ratio);
      other->variance = std::min(other->variance, observation.variance);
      return;
    }
    ++here;
    if (oldest == observations_.end() || session_of(*other) < session_of(*oldest)) {
      oldest = other;
    }
  }
  if (!observation.quiet && std::any_of(observations_.begin(), observations_.end(), is_quiet_here)) {
    return;
  }
  if (here >= max_per_place) {
    observations_.erase(oldest);
  }
  if (observation.quiet) {
    const auto is_noisy_here = [&](const Observation& other) { return !other.quiet && at_place(other); };
    observations_.erase(std::remove_if(observations_.begin(), observations_.end(), is_noisy_here), observations_.end());
  }
  observations_.push_back(std::move(observation));
}

std::vector<double> KernelProcess::place(const Call& call, const Placement& placement, const Baseline& baseline) const {
  std::vector<double> at = coordinates(call, placement, baseline);
  set_state(at, wanted_.session, 0);
  return beside_cliffs(std::move(at), log_flops(call));
}

std::vector<std::vector<double>> KernelProcess::observed_places() const {
  std::vector<std::vector<double>> places;
  places.reserve(observations_.size());
  for (const Observation& observation : observations_) {
    places.push_back(beside_cliffs(observation.at, observation.log_flops));
  }
  return places;
}

std::vector<double> KernelProcess::beside_cliffs(std::vector<double> at, double log_flops) const {
  for (const double cliff : cliffs_) {
    at.push_back(side(log_flops, cliff));
  }
  return at;
}

std::vector<double> KernelProcess::cliffs() const {
  std::vector<double> flops;
  for (const double cliff : cliffs_) {
    flops.push_back(std::exp(cliff));
  }
  std::sort(flops.begin(), flops.end());
  return flops;
}

/// Returns which observations took so much longer for their work than every neighbour that something else took the time. A library's
/// threads that wait for a core do so in all repetitions of a call.
std::vector<bool> KernelProcess::disturbed() const {
  static constexpr std::size_t fewest_neighbours = 3;
  static constexpr double near = 1.2;               // in the length scales of the prior: sizes within a factor of three
  static const double much_longer = std::log(4.0);  // aliasing and cliffs between neighbours cost less
  std::vector<double> values;
  for (const Observation& observation : observations_) {
    values.push_back(observation.log_ratio);
  }
  const double usual = median(values);
  const std::vector<int> groups = coordinate_groups(*routine_);
  const std::vector<double> lengths = coordinate_lengths(prior(*routine_), groups);
  const auto are_near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double squares = 0;
    for (std::size_t d = 0; d < groups.size(); ++d) {
      squares += groups[d] == aliasing_group && a[d] != b[d] ? near * near + 1 : std::pow((a[d] - b[d]) / lengths[d], 2);
    }
    return squares <= near * near;
  };
  std::vector<bool> all(observations_.size(), false);
  for (std::size_t i = 0; i < observations_.size(); ++i) {
    if (values[i] < usual + much_longer) {
      continue;
    }
    std::size_t neighbours = 0;
    double slowest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < observations_.size(); ++j) {
      if (j != i && are_near(observations_[i].at, observations_[j].at)) {
        ++neighbours;
        slowest = std::max(slowest, values[j]);
      }
    }
    all[i] = neighbours >= fewest_neighbours && values[i] > slowest + much_longer;
  }
  return all;
}

KernelProcess::Data KernelProcess::data(Eigen::Index step) const {
  static constexpr double says_nothing = 100;  // variance of a disturbed observation's logarithm
  const std::vector<bool> is_disturbed = disturbed();
  const auto dimensions = static_cast<Eigen::Index>(observations_.front().at.size());
  const Eigen::Index count = ceil_div(static_cast<Eigen::Index>(observations_.size()), step);
  Data data{GaussianProcess::Points(count, dimensions), Eigen::VectorXd(count), Eigen::VectorXd(count), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const Observation& observation = observations_[static_cast<std::size_t>(i * step)];
    data.points.row(i) = Eigen::Map<const Eigen::RowVectorXd>(observation.at.data(), dimensions);
    if (wanted_.reference > 0 && observation.log_reference != 0) {
      data.points(i, dimensions - 1) = observation.log_reference - log_reference(wanted_);
    }
    data.log_flops[i] = observation.log_flops;
    data.values[i] = observation.log_ratio;
    data.noise[i] = observation.variance + (is_disturbed[static_cast<std::size_t>(i * step)] ? says_nothing : 0);
  }
  return data;
}

/// Returns the position at which one more cliff, beside the known ones, makes the data likeliest; nothing if there are too few data.
std::optional<double> KernelProcess::likeliest_cliff(const Data& data, const ProcessParameters& known, std::vector<double> cliffs) const {
  ProcessParameters start = known;
  start.lengths.push_back(cliff_length);
  const std::vector<int> groups = with_cliff_groups(coordinate_groups(*routine_), known.lengths.size() - cliffs.size(), cliffs.size() + 1);
  cliffs.push_back(0);
  std::optional<double> best;
  double best_likelihood = -std::numeric_limits<double>::infinity();
  for (const double cliff : possible_cliffs(data.log_flops)) {
    cliffs.back() = cliff;
    const GaussianProcess::Points points = with_sides(data.points, data.log_flops, cliffs);
    for (const double share : {1.0, 0.3}) {  // the nugget may shrink by what the cliff explains
      ProcessParameters parameters = start;
      parameters.nugget *= share;
      const double likelihood = GaussianProcess::condition(points, data.values, data.noise, groups, parameters).log_likelihood();
      if (likelihood > best_likelihood) {
        best_likelihood = likelihood;
        best = cliff;
      }
    }
  }
  return best;
}

/// Learns the hyperparameters, and the positions of cliffs if the data support them.
void KernelProcess::learn(const ProcessParameters& start) {
  static constexpr Eigen::Index max_to_learn_from = 120;  // an even subset suffices for hyperparameters
  const auto count = static_cast<Eigen::Index>(observations_.size());
  const Data some = data(ceil_div(count, max_to_learn_from));
  const auto fit_with = [&](const std::vector<double>& cliffs) {
    ProcessParameters parameters = start;
    parameters.lengths.resize(start.lengths.size() + cliffs.size(), cliff_length);
    return GaussianProcess::fit(with_sides(some.points, some.log_flops, cliffs), some.values, some.noise,
                                with_cliff_groups(coordinate_groups(*routine_), start.lengths.size(), cliffs.size()), parameters);
  };
  cliffs_.clear();
  GaussianProcess best = fit_with({});
  const std::size_t most = threads_ > 1 ? 2 : 1;  // small matrices end at the first, a second thread begins at the second
  while (cliffs_.size() < most) {
    const std::optional<double> cliff = likeliest_cliff(some, best.parameters(), cliffs_);
    if (!cliff) {
      break;
    }
    std::vector<double> cliffs = cliffs_;
    cliffs.push_back(*cliff);
    GaussianProcess broken = fit_with(cliffs);
    if (broken.log_likelihood() <= best.log_likelihood() + convincing) {
      break;
    }
    cliffs_ = std::move(cliffs);
    best = std::move(broken);
  }
  parameters_ = best.parameters();
}

void KernelProcess::fit() {
  static constexpr std::size_t fewest_to_learn = 6;
  static constexpr double growth = 1.4;  // hyperparameters are learnt again when the number of observations has grown by this factor
  if (observations_.empty()) {
    return;
  }
  const auto count = static_cast<Eigen::Index>(observations_.size());
  const Data all = data(1);
  if (parameters_.lengths.empty()) {
    parameters_ = prior(*routine_);
  }
  const Eigen::VectorXd without_response = all.values - parameters_.response * all.points.col(all.points.cols() - 1);
  parameters_.mean = median({without_response.data(), static_cast<std::size_t>(count)});
  if (observations_.size() >= fewest_to_learn && static_cast<double>(count) >= growth * static_cast<double>(learnt_from_)) {
    learnt_from_ = count;
    ProcessParameters start = prior(*routine_);
    start.mean = parameters_.mean;
    learn(start);
  }
  const std::vector<int> groups =
      with_cliff_groups(coordinate_groups(*routine_), parameters_.lengths.size() - cliffs_.size(), cliffs_.size());
  process_ = GaussianProcess::condition(with_sides(all.points, all.log_flops, cliffs_), all.values, all.noise, groups, parameters_);
}

Estimate KernelProcess::estimate(const Call& call, const Placement& placement, const Baseline& baseline) const {
  const Seconds base = baseline_time(call, placement, baseline);
  if (!process_) {
    return {base, 1, true};
  }
  const std::vector<double> at = place(call, placement, baseline);
  const GaussianProcess::Posterior prediction =
      process_->predict(Eigen::Map<const Eigen::RowVectorXd>(at.data(), static_cast<Eigen::Index>(at.size())));
  Estimate estimate;
  estimate.seconds = base * std::exp(prediction.mean);
  estimate.relative_error = std::sqrt(prediction.variance);
  estimate.extrapolated = extrapolates(at, sizes(call).size());
  return estimate;
}

bool KernelProcess::extrapolates(std::span<const double> at, std::size_t size_count) const {
  static constexpr double tolerance = 0.1;  // a tenth of a size beyond the outermost sample
  for (std::size_t d = 0; d < size_count; ++d) {
    if (at[d] < lowest_[d] - tolerance || at[d] > highest_[d] + tolerance) {
      return true;
    }
  }
  for (std::size_t s = 0; s < degrees_.size(); ++s) {
    if (const double degree = at[aliasing_begin(*routine_) + s]; degree > 0 && degrees_[s].count(degree) == 0) {
      return true;
    }
  }
  return false;
}

Seconds KernelProcess::seconds(const Call& call, const Placement& placement, const Baseline& baseline) const {
  const Seconds base = baseline_time(call, placement, baseline);
  return process_ ? base * std::exp(process_->mean(place(call, placement, baseline).data())) : base;
}

}  // namespace flopcast::model
