#include "flopcast/tasks/tuning/driver_ranking.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/drivers.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/tuning/ranking.hpp"
#include "flopcast/tasks/tuning/tunable_routine.hpp"
#include "flopcast/tasks/tuning/tuning_session.hpp"
#include "flopcast/tune/sampling.hpp"
#include "flopcast/tune/segment.hpp"
#include "flopcast/tune/validate.hpp"

namespace flopcast {
namespace {

using kernel::DriverJob;
using kernel::DriverRow;
using kernel::Spectrum;
using measure::Action;

const DriverJob& job_named(const std::string& name) {
  const std::vector<DriverJob>& jobs = kernel::driver_jobs();
  return *std::find_if(jobs.begin(), jobs.end(), [&](const DriverJob& job) { return job.name == name; });
}

/// Throws bad_input for members that choose among algorithms.
void refuse_options_of_algorithms(const RankRequest& request) {
  const RankRequest usual;
  if (request.nb != usual.nb || !request.tune_crossover || request.variants || request.library != usual.library || !request.flags.empty()) {
    throw bad_input("{} ranks drivers, which have no variants, block sizes, crossover points or flags to choose; leave these options out",
                    request.family);
  }
}

/// Returns what is asked of the drivers in each problem.
std::vector<kernel::DriverWish> wishes_of(const DriverJob& job, const RankRequest& request) {
  const NamedSizes sizes = named_sizes(job.name, request.n, request.sizes);
  if (!request.vectors && !job.has_vectors) {
    throw bad_input("{} computes no vectors; leave --no-vectors out", job.name);
  }
  if (request.values > 0 && !job.has_values) {
    throw bad_input("{} can't compute some values only; --values is for eigh", job.name);
  }
  std::vector<std::vector<std::int64_t>> lists;
  for (const auto& [name, values] : sizes) {
    if (std::find(job.sizes.begin(), job.sizes.end(), name) == job.sizes.end()) {
      throw bad_input("{} has no size '{}', only {}", job.name, name, fmt::join(job.sizes, ", "));
    }
    lists.push_back(values);
  }
  if (sizes.count("n") == 0) {
    throw bad_input("{} needs the size n, such as n=1000", job.name);
  }
  std::vector<kernel::DriverWish> wishes;
  for (const std::vector<std::int64_t>& chosen : combinations(lists)) {
    kernel::DriverWish wish{{}, request.vectors, request.values};
    std::transform(sizes.begin(), sizes.end(), chosen.begin(), std::inserter(wish.sizes, wish.sizes.end()),
                   [](const auto& named, std::int64_t value) { return std::pair(named.first, value); });
    wish.sizes.try_emplace("m", wish.sizes.at("n"));
    wish.sizes.try_emplace("nrhs", 1);
    if (wish.values > wish.sizes.at("n")) {
      throw bad_input("{} eigenvalues of a matrix of order {} are asked for; give --values {} or less", wish.values, wish.sizes.at("n"),
                      wish.sizes.at("n"));
    }
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

/// Returns the rows of a job, in the order of the table.
std::vector<const DriverRow*> rows_of(const std::string& job) {
  std::vector<const DriverRow*> rows;
  for (const DriverRow& row : kernel::driver_rows()) {
    if (row.job == job) {
      rows.push_back(&row);
    }
  }
  return rows;
}

tuning::Subject subject_of(std::vector<Call> calls, const Environment& environment) {
  for (Call& call : calls) {
    call.threads = environment.threads;
  }
  tuning::Subject subject;
  subject.trace = driver_trace(std::move(calls));
  subject.placements = cache::cache_state(subject.trace, environment.caches, cache::Start::filled).placements;
  return subject;
}

/// The matrices of a driver: their spectrum, and the number of eigenvalues that calls with range = I ask for.
struct DriverData {
  Spectrum spectrum = Spectrum::uniform;
  std::int64_t values = 0;

  /// Returns the cache state under which samples of a call are stored, as ModelKey has no member for data.
  [[nodiscard]] std::string state(const Call& call) const { return selects(call) ? state_of_some() : to_string(spectrum); }
  [[nodiscard]] std::string state_of_some() const { return fmt::format("{}, {} values", to_string(spectrum), values); }

  static bool selects(const Call& call) {
    const int range = call.routine->index("range");
    return range >= 0 && call.flag(static_cast<std::size_t>(range)) == 'I';
  }

  /// Writes the numbers into a filled call at real addresses.
  void write(const Call& call, std::uint64_t seed) const {
    fill_spectrum(call, spectrum, seed);
    if (const int last = call.routine->index("iu"); last >= 0) {
      const auto value = std::max<std::int64_t>(1, std::min(values, sizes(call)[0]));
      std::memcpy(reinterpret_cast<void*>(call.address(static_cast<std::size_t>(last))), &value,
                  static_cast<std::size_t>(call.integer_bytes));
    }
  }
};

/// Makes room for the vectors of a call with range = I, whose footprint has one.
void make_room_for_vectors(std::vector<Allocation>& allocations, const Call& call, std::int64_t values) {
  if (!DriverData::selects(call)) {
    return;
  }
  const auto z = static_cast<std::size_t>(call.routine->index("Z"));
  for (Allocation& memory : allocations) {
    if (memory.address == call.address(z)) {
      memory.bytes = std::max(memory.bytes, values * sizes(call)[0] * argument_element_bytes(call, z));
    }
  }
}

/// Returns the same measurement on other data. Long calls are executed once, as they warm up by themselves.
measure::Experiment with_data(const measure::Experiment& experiment, const DriverData& data) {
  static constexpr double long_call_flops = 1e8;
  measure::Experiment changed;
  changed.memory = experiment.memory;
  changed.timed = experiment.timed;
  changed.wake = true;
  const Call& call = experiment.timed.front();
  const auto seed = std::make_shared<std::uint64_t>(1);
  const Action fill{.what = Action::What::fill, .call = call};
  const Action change{.what = Action::What::change, .call = call, .change = [=](const Call& real) { data.write(real, ++*seed); }};
  if (flops(call) < long_call_flops) {
    changed.setup = {fill, change, {.what = Action::What::execute, .call = call}};
  }
  changed.setup.insert(changed.setup.end(), {fill, change});
  make_room_for_vectors(changed.memory, call, data.values);
  return changed;
}

/// Samples and predicts the drivers of one job in one place.
class DriverRanker {
 public:
  DriverRanker(const TuningServices& services, const RankRequest& request, const RunContext& context)
      : services_(services), request_(request), context_(context), job_(job_named(request.family)), wishes_(wishes_of(job_, request)) {
    for (const DriverRow* row : rows_of(request.family)) {
      const std::vector<Call> calls = driver_calls(*row, request.precision, wishes_.front());
      const auto is_missing = [&](const Call& call) { return services_.find_function(call.routine->name) == nullptr; };
      if (std::any_of(calls.begin(), calls.end(), is_missing)) {
        context_.note(fmt::format("{} is skipped: {} has no such routine", driver_name(*row, request.precision), services_.lapack_file()));
      } else {
        rows_.push_back(row);
        for (const Call& call : calls) {
          kernels_.insert(call.routine->name);
        }
      }
    }
    for (const kernel::DriverWish& wish : wishes_) {
      for (const DriverRow* row : rows_) {
        subjects_.push_back(subject_of(driver_calls(*row, request.precision, wish), services_.environment));
      }
    }
  }

  PlaceRanking rank(double places) {
    place_.threads = services_.environment.threads;
    place_.environment = services_.environment;
    const auto busy_cores = services_.watch_others();
    const Seconds begin = services_.clock();
    std::vector<std::vector<prediction::TracePrediction>> times(subjects_.size());
    const std::vector<std::optional<Spectrum>> spectra = examined_spectra();
    for (std::size_t s = 0; s < spectra.size(); ++s) {
      const Seconds left = request_.time_budget / places - (services_.clock() - begin);
      const Seconds share = s + 1 == spectra.size() ? left : s == 0 ? left / 2 : left / static_cast<double>(spectra.size() - s);
      std::vector<prediction::TracePrediction> own = predict(spectra[s], std::max(0.0, share), s == 0 ? 0.01 : 0.03);
      for (std::size_t i = 0; i < times.size(); ++i) {
        times[i].push_back(std::move(own[i]));
      }
      context_.throw_if_cancelled("every sample is kept; run the same command again to go on");
    }
    decide(times, spectra);
    if (request_.validate) {
      validate(request_.validation_budget ? *request_.validation_budget / places : ValidationOptions().time_budget, spectra.front());
    }
    tell_noise(busy_cores(), state_, context_);
    context_.note(fmt::format("{} of drivers measured in {}{}", counted(place_.cost.segments, "call"),
                              format_seconds(place_.cost.measuring), place_.complete ? "" : "; the time budget ended it"));
    return std::move(place_);
  }

 private:
  /// The spectra whose times are wanted, that of the ranking first; one without spectrum if the time doesn't depend on it.
  [[nodiscard]] std::vector<std::optional<Spectrum>> examined_spectra() const {
    if (!job_.depends_on_spectrum) {
      return {std::nullopt};
    }
    std::vector<std::optional<Spectrum>> all = {request_.spectrum};
    for (const auto& [spectrum, name] : kernel::spectrum_names) {
      if (spectrum != request_.spectrum) {
        all.emplace_back(spectrum);
      }
    }
    return all;
  }

  [[nodiscard]] model::OnDemandModels known_models(const std::optional<DriverData>& data) const {
    model::OnDemandModels models =
        request_.fresh ? model::OnDemandModels(services_.environment) : services_.models(data ? std::set<std::string>{"none"} : kernels_);
    if (data && !request_.fresh) {
      for (const std::string& state : {to_string(data->spectrum), data->state_of_some()}) {
        for (Sample sample : services_.samples(state)) {
          sample.key.cache = "placed";
          models.add(sample, call_of(sample, kernel::find));
        }
      }
      models.fit();
    }
    return models;
  }

  /// Returns the services that measure drivers on such data.
  [[nodiscard]] tuning::SamplingServices sampling_on(const std::optional<DriverData>& data, Seconds budget) const {
    const std::string of = data ? ", " + to_string(data->spectrum) + " spectrum" : "";
    tuning::SamplingServices services = services_.sampling({.budget = budget, .label = "ranking drivers of " + request_.family + of});
    if (data) {
      services.measure = [measure = services.measure, data](std::span<const measure::Experiment> experiments) {
        std::vector<measure::Experiment> changed;
        for (const measure::Experiment& experiment : experiments) {
          changed.push_back(with_data(experiment, *data));
        }
        return measure(changed);
      };
      services.keep = [keep = services.keep, data](std::span<const Sample> samples) {
        std::vector<Sample> renamed(samples.begin(), samples.end());
        for (Sample& sample : renamed) {
          sample.key.cache = data->state(call_of(sample, kernel::find));
        }
        keep(renamed);
      };
      services.keep_segments = [](std::span<const tuning::KeptSegment>) {};
    }
    return services;
  }

  /// Makes the precision of a driver matter the less the slower it is.
  void weigh(std::span<const Seconds> totals) {
    for (std::size_t first = 0; first < subjects_.size(); first += rows_.size()) {
      const auto of_problem = totals.subspan(first, rows_.size());
      const Seconds best = *std::min_element(of_problem.begin(), of_problem.end());
      for (std::size_t i = first; i < first + rows_.size(); ++i) {
        sampled_[i].weight = totals[i] > 0 ? best / totals[i] : 1;
      }
    }
  }

  std::vector<prediction::TracePrediction> predict(const std::optional<Spectrum>& spectrum, Seconds budget, double target) {
    const std::optional<DriverData> data = spectrum ? std::optional(DriverData{*spectrum, request_.values}) : std::nullopt;
    model::OnDemandModels models = known_models(data);
    const tuning::SamplingServices services = sampling_on(data, budget);
    tuning::OnDemandSampler sampler(services_.environment, models, services);
    sampled_ = subjects_;
    static constexpr double longest = 0.1;  // share of the budget for one call
    if (budget > 0) {
      for (tuning::Subject& smaller : tuning::smaller_subjects(subjects_, services_.environment, models, longest * budget)) {
        sampled_.push_back(std::move(smaller));
      }
    }
    place_.complete = sampler.refine(sampled_, target, budget, [&](std::span<const Seconds> totals) { weigh(totals); }) && place_.complete;
    place_.cost.segments += sampler.cost().segments;
    place_.cost.timings += sampler.cost().timings;
    place_.cost.measuring += sampler.cost().measuring;
    state_ = models.wanted_state();
    const prediction::PlacedModels placed(models);
    std::vector<prediction::TracePrediction> times;
    for (const tuning::Subject& subject : subjects_) {
      const cache::CacheState state = cache::cache_state(subject.trace, services_.environment.caches, cache::Start::filled);
      times.push_back(prediction::predict(subject.trace, state, services_.environment.caches, placed));
    }
    return times;
  }

  /// Returns the ranking of forecasts, in the order of the rows.
  [[nodiscard]] std::vector<tuning::VariantRank> ranked(const std::vector<tuning::Forecast>& forecasts) const {
    std::vector<tuning::VariantRank> all;
    const Seconds best = std::min_element(forecasts.begin(), forecasts.end(), faster)->seconds;
    for (const tuning::Forecast& one : forecasts) {
      tuning::VariantRank rank;
      rank.best = one;
      rank.behind = one.seconds / best - 1;
      for (const tuning::Forecast& other : forecasts) {
        const Seconds reach = prediction::difference_error(one.interval, other.interval);
        const bool tied = std::abs(one.seconds - other.seconds) <= std::max(reach, tuning::default_tie_margin * best);
        if (other.variant == one.variant) {
          continue;
        }
        if (tied) {
          rank.ties.push_back(other.variant);
        }
        rank.rank += !tied && other.seconds < one.seconds ? 1 : 0;
        rank.regret = std::max(rank.regret, (one.seconds + reach) / other.seconds - 1);
      }
      all.push_back(std::move(rank));
    }
    return all;
  }

  static bool faster(const tuning::Forecast& a, const tuning::Forecast& b) { return a.seconds < b.seconds; }

  /// Decides about each problem. `times` are those of each subject, that of the ranking's spectrum first.
  void decide(const std::vector<std::vector<prediction::TracePrediction>>& times, const std::vector<std::optional<Spectrum>>& spectra) {
    for (std::size_t p = 0; p < wishes_.size(); ++p) {
      const std::size_t first = p * rows_.size();
      tuning::Decision decision;
      for (const std::string& name : job_.sizes) {
        decision.sizes.push_back(wishes_[p].sizes.at(name));
      }
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const prediction::TracePrediction& time = times[first + r].front();
        decision.forecasts.push_back({name_of(r), no_blocks, time.seconds, time.interval, time.extrapolated_share()});
      }
      decision.flops = flops(subjects_[first].trace);
      decision.ranking = ranked(decision.forecasts);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        decision.ranking[r].resident_bytes =
            resident_bytes(as_asked_for(subjects_[first + r].trace, request_.values, services_.find_function));
        for (std::size_t s = 0; s < spectra.size() && spectra[s]; ++s) {
          const prediction::TracePrediction& time = times[first + r][s];
          decision.ranking[r].spectra.push_back({to_string(*spectra[s]), time.seconds, time.interval, time.extrapolated_share()});
        }
      }
      std::stable_sort(decision.ranking.begin(), decision.ranking.end(),
                       [](const tuning::VariantRank& a, const tuning::VariantRank& b) { return faster(a.best, b.best); });
      for (std::size_t r = 1; r < rows_.size(); ++r) {
        decision.ranking[r].rank = std::max(decision.ranking[r].rank, decision.ranking[r - 1].rank);
      }
      decision.chosen = decision.ranking.front().best;
      decision.regret = decision.ranking.front().regret;
      decision.candidates = decision.considered = rows_.size();
      place_.decisions.push_back(std::move(decision));
    }
  }

  static constexpr algorithm::BlockParameters no_blocks = {0, 0, 0};

  [[nodiscard]] std::string name_of(std::size_t row) const { return driver_name(*rows_[row], request_.precision); }

  /// Runs all drivers of each problem, interleaved.
  void validate(Seconds time_budget, const std::optional<Spectrum>& spectrum) {
    const Seconds begin = services_.clock();
    for (std::size_t p = 0; p < wishes_.size(); ++p) {
      std::vector<measure::Experiment> experiments;
      for (std::size_t i = p * rows_.size(); i < (p + 1) * rows_.size(); ++i) {
        const tuning::Subject& subject = subjects_[i];
        experiments.push_back(
            tuning::experiment(subject.trace, subject.placements, {0, 0, subject.trace.calls.size()}, services_.environment));
        if (spectrum) {
          experiments.back() = with_data(experiments.back(), {*spectrum, request_.values});
        }
      }
      std::vector<measure::Timings> timings =
          services_.measure(experiments, {.min_repetitions = 5, .max_repetitions = 15},
                            [&](std::int64_t, std::int64_t) { return services_.clock() - begin < time_budget && !context_.cancelled(); });
      std::transform(timings.begin(), timings.end(), timings.begin(), together);
      tuning::Decision& decision = place_.decisions[p];
      decision.validation = tuning::compare_runs(decision, decision.forecasts, timings);
      decision.validation->complete = decision.validation->measured.size() == rows_.size();
    }
  }

  /// Returns the timings of a driver's calls as those of one call, each of whose repetitions is the sum of theirs.
  static measure::Timings together(measure::Timings timings) {
    std::vector<Repetition> sums;
    for (std::size_t k = 0; !timings.calls.empty() && k < timings.calls.back().size(); ++k) {
      Repetition sum;
      Seconds normalised = 0;
      for (const std::vector<Repetition>& call : timings.calls) {
        sum.seconds += call[k].seconds;
        normalised += call[k].normalised();
        sum.discarded = sum.discarded || call[k].discarded;
      }
      sum.drift = normalised > 0 ? sum.seconds / normalised : 1;
      sums.push_back(sum);
    }
    timings.calls = {std::move(sums)};
    return timings;
  }

  const TuningServices& services_;
  const RankRequest& request_;
  const RunContext& context_;
  const DriverJob& job_;
  std::vector<kernel::DriverWish> wishes_;
  std::vector<const DriverRow*> rows_;
  std::set<std::string> kernels_;
  std::vector<tuning::Subject> subjects_;  ///< for each problem those of all rows
  std::vector<tuning::Subject> sampled_;   ///< these and smaller ones
  PlaceRanking place_;
  MachineState state_;
};

/// Returns the number that a query of the work space wrote at `address`.
std::int64_t answer(const Call& call, std::size_t argument, std::uintptr_t address) {
  const auto read = [address](auto number) {
    std::memcpy(&number, reinterpret_cast<const void*>(address), sizeof number);
    return static_cast<std::int64_t>(number);
  };
  if (call.routine->arguments[argument].integer) {
    return call.integer_bytes == 8 ? read(std::int64_t{}) : read(std::int32_t{});
  }
  return real_bytes(call.routine->precision) == 4 ? read(float{}) : read(double{});
}

/// Sets the work sizes of a call to those for which its routine asks.
void ask_for_work_sizes(Call& call, const algorithm::FunctionLookup& find) {
  static constexpr std::size_t scratch_bytes = 64;  // a query writes the first element of each work space only
  const std::vector<Argument>& arguments = call.routine->arguments;
  std::vector<std::array<std::byte, scratch_bytes>> scratch(arguments.size());
  Call query = call;
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_operand(arguments[i])) {
      query.arguments[i] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scratch[i].data()));
      scratch[i].front() = std::byte{1};  // il and iu, which the query reads
    } else if (arguments[i].kind == Kind::work_size) {
      query.arguments[i] = -1;
      asked.push_back(i);
    }
  }
  if (asked.empty() || call.routine->name == "sgejsv" || call.routine->name == "dgejsv") {  // they have no query
    return;
  }
  kernel::Invocation(find(call.routine->name), query).run();
  for (const std::size_t i : asked) {
    call.arguments[i] = std::max<std::int64_t>(1, answer(query, i - 1, query.address(i - 1)));
  }
}

}  // namespace

Trace driver_trace(std::vector<Call> calls) {
  std::map<std::string, std::size_t> places;
  for (Call& call : calls) {
    for (const Operand& operand : operands(call)) {
      const std::size_t place = places.try_emplace(call.routine->arguments[operand.argument].name, places.size()).first->second;
      call.arguments[operand.argument] = static_cast<std::int64_t>(virtual_base(place));
    }
  }
  Trace trace;
  trace.allocations = measure::memory_of(calls, {});
  trace.calls = std::move(calls);
  return trace;
}

Trace as_asked_for(Trace trace, std::int64_t values, const algorithm::FunctionLookup& find) {
  for (Call& call : trace.calls) {
    ask_for_work_sizes(call, find);
  }
  trace.allocations = measure::memory_of(trace.calls, {});
  for (const Call& call : trace.calls) {
    make_room_for_vectors(trace.allocations, call, values);
  }
  return trace;
}

std::vector<std::string> driver_jobs() {
  std::vector<std::string> names;
  for (const DriverJob& job : kernel::driver_jobs()) {
    names.push_back(job.name);
  }
  return names;
}

bool is_driver_job(const std::string& name) {
  const std::vector<DriverJob>& jobs = kernel::driver_jobs();
  return std::any_of(jobs.begin(), jobs.end(), [&](const DriverJob& job) { return job.name == name; });
}

PlaceRanking rank_drivers_in(const TuningServices& services, const RankRequest& request, std::size_t places, const RunContext& context) {
  return DriverRanker(services, request, context).rank(static_cast<double>(places));
}

Ranking empty_driver_ranking(const RankRequest& request) {
  refuse_options_of_algorithms(request);
  const DriverJob& job = job_named(request.family);
  const kernel::DriverWish wish = wishes_of(job, request).front();
  Ranking ranking;
  ranking.family = request.family;
  ranking.options = with_members_of<TuningSettings>(request);
  if (job.depends_on_spectrum) {
    ranking.spectrum = request.spectrum;
  }
  for (const DriverRow* row : rows_of(request.family)) {
    const Call call = driver_calls(*row, request.precision, wish).front();
    if (ranking.routine.empty()) {
      ranking.routine = call.routine->name;
      ranking.flags = flags(call);
    }
    ranking.variants.push_back({driver_name(*row, request.precision), std::string(row->worth), true, std::string(row->needs),
                                driver_call_text(*row, request.precision, wish)});
  }
  return ranking;
}

Ranking rank_drivers(const Workbench& bench, const RankRequest& request, const RunContext& context,
                     const TuningObserver<Ranking>& observer) {
  Ranking ranking = empty_driver_ranking(request);
  const std::vector<machine::LibraryChoice> all = places(request.blas, request.threads, bench.choice(), context);
  for (const machine::LibraryChoice& choice : all) {
    try {
      const Workbench own(choice, context);
      const TuningServices services = tuning_services(own, own.store(), request.seed, context);
      ranking.places.push_back(rank_drivers_in(services, request, all.size(), context));
      ranking.places.back().blas = choice.blas;
    } catch (const Cancelled&) {
      if (ranking.places.empty()) {
        throw;
      }
      break;
    }
  }
  ranking.joint = joint_decisions(ranking.places);
  if (observer.decided) {
    observer.decided(ranking);
  }
  return ranking;
}

}  // namespace flopcast
