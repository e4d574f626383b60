#include "flopcast/contract/prediction/forecast.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// Returns made-up timings: every call takes `seconds`, `repetitions` times.
class Stopwatch {
 public:
  Measure measure(Seconds seconds, std::size_t repetitions) {
    return [this, seconds, repetitions](std::span<const measure::Experiment> experiments) {
      measured += experiments.size();
      std::vector<measure::Timings> all;
      for (const measure::Experiment& experiment : experiments) {
        measure::Timings timings;
        timings.state.reference = 1;
        timings.calls.assign(experiment.timed.size(), std::vector<Repetition>(repetitions, Repetition{seconds, 1, 0, false}));
        all.push_back(timings);
      }
      return all;
    };
  }
  std::size_t measured = 0;
};

class Forecasting : public ::testing::Test {
 protected:
  Forecasting() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_forecast_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    store_.emplace(model::Store::open(folder_ / "store.db"));
    CacheLevel level;
    level.capacity_bytes = 1 << 20;
    environment_.caches = {level};
  }
  ~Forecasting() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  Forecasts forecast_with(const Measure& measure, const TimingMemory& memory) {
    return forecast(algorithms_, contraction_, environment_, {.stage = stage_}, measure, memory);
  }

  Contraction contraction_ = make_contraction(parse_notation("abc=ai,ibc"), {{'a', 40}, {'b', 40}, {'c', 40}, {'i', 8}});
  std::vector<Algorithm> algorithms_ = generate(contraction_, std::array{BlasKernel::gemm, BlasKernel::ger});
  Environment environment_;
  Stage stage_ = Stage::segments;
  std::filesystem::path folder_;
  std::optional<model::Store> store_;
  Stopwatch watch_;
};

TEST_F(Forecasting, MeasuresEqualCallsOnceAndKnownOnesNever) {
  const TimingMemory memory = timings_in(*store_, "here", 3);
  const Forecasts first = forecast_with(watch_.measure(2.0, 3), memory);
  EXPECT_EQ(first.known, 0U);
  EXPECT_GE(watch_.measured, first.benchmarks);
  const Measure never = [](std::span<const measure::Experiment> /*experiments*/) -> std::vector<measure::Timings> {
    ADD_FAILURE() << "no measurement must be requested";
    return {};
  };
  const Forecasts second = forecast_with(never, memory);
  EXPECT_EQ(second.known, first.benchmarks);
  ASSERT_EQ(second.each.size(), first.each.size());
  for (std::size_t i = 0; i < first.each.size(); ++i) {
    EXPECT_EQ(second.each[i].seconds, first.each[i].seconds);
  }
  EXPECT_EQ(forecast_with(watch_.measure(2.0, 3), timings_in(*store_, "elsewhere", 3)).known, 0U);
}

TEST_F(Forecasting, RepeatsSegmentsOftenOnlyWhereRepetitionsDiffer) {
  algorithms_.erase(algorithms_.begin() + 1, algorithms_.end());  // a single algorithm has no leaders
  for (const double second : {2.02, 3.0}) {
    std::vector<std::int64_t> most;
    std::size_t runs = 0;
    const Forecasts forecasts = forecast_with(
        [&](std::span<const measure::Experiment> experiments) {
          ++runs;
          std::vector<measure::Timings> all;
          for (const measure::Experiment& experiment : experiments) {
            most.push_back(experiment.max_repetitions);
            const std::vector<Repetition> two = {{2.0, 1, 0, false}, {second, 1, 0, false}};
            all.push_back({std::vector<std::vector<Repetition>>(experiment.timed.size(), two), {.session = 1}, {}});
          }
          return all;
        },
        {});
    EXPECT_TRUE(std::all_of(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(forecasts.benchmarks),
                            [](std::int64_t one) { return one == 2; }));
    EXPECT_EQ(runs, second < 2.1 ? 1U : 2U) << second;
    EXPECT_EQ(most.size() > forecasts.benchmarks, second > 2.1);
  }
}

TEST_F(Forecasting, MeasuresLeadersASecondTime) {
  constexpr Seconds far_behind = 1000;
  std::vector<std::size_t> runs;
  const TimingMemory memory = timings_in(*store_, "here", 2);
  const auto measure_with = [&](Seconds again) {
    return [&runs, again](std::span<const measure::Experiment> experiments) {
      std::vector<measure::Timings> all;
      for (const measure::Experiment& experiment : experiments) {
        const Seconds seconds = !runs.empty() ? again : 2 * all.size() < experiments.size() ? 2.0 : far_behind;
        const std::vector<Repetition> two(2, Repetition{seconds, 1, 0, false});
        all.push_back({std::vector<std::vector<Repetition>>(experiment.timed.size(), two), {.session = 1}, {}});
      }
      runs.push_back(experiments.size());
      return all;
    };
  };
  const Forecasts forecasts = forecast_with(measure_with(1.0), memory);
  ASSERT_EQ(runs.size(), 2U);
  const std::vector<std::size_t> order = ranking(forecasts.each);
  const AlgorithmForecast& first = forecasts.each[order.front()];
  EXPECT_LT(runs[1], runs[0]) << "algorithms far behind the leaders aren't measured again";
  EXPECT_TRUE(std::any_of(forecasts.each.begin(), forecasts.each.end(),
                          [](const AlgorithmForecast& forecast) { return forecast.parts.front().seconds == far_behind; }));
  EXPECT_EQ(first.parts.front().seconds, 1.5) << "median of both measurements";
  const Forecasts known = forecast_with(measure_with(1.0), memory);
  EXPECT_EQ(runs.size(), 2U) << "known timings aren't measured again";
  EXPECT_EQ(known.each[order.front()].seconds, first.seconds) << "both measurements are kept";
}

TEST_F(Forecasting, TimingsOfTooFewRepetitionsAreNotKnown) {
  algorithms_.erase(algorithms_.begin() + 1, algorithms_.end());  // a single algorithm has no leaders, which would be measured twice
  forecast_with(watch_.measure(2.0, 3), timings_in(*store_, "here", 5));
  EXPECT_EQ(forecast_with(watch_.measure(2.0, 3), timings_in(*store_, "here", 3)).known, 0U)
      << "timings with too few repetitions aren't kept";
  EXPECT_EQ(forecast_with(watch_.measure(2.0, 5), timings_in(*store_, "here", 5)).known, 0U);
}

TEST_F(Forecasting, TimingsOfAnotherStateOfTheMachineAreMeasuredAnew) {
  const Forecasts first = forecast_with(watch_.measure(2.0, 3), timings_in(*store_, "here", 3));
  const Forecasts alike = forecast_with(watch_.measure(1.0, 3), timings_in(*store_, "here", 3, 1.05));
  EXPECT_DOUBLE_EQ(alike.each[0].seconds, first.each[0].seconds);
  const Forecasts faster = forecast_with(watch_.measure(1.0, 3), timings_in(*store_, "here", 3, 0.5));
  EXPECT_EQ(faster.known, 0U) << "the reference kernel takes half its former time";
  EXPECT_DOUBLE_EQ(faster.each[0].seconds, first.each[0].seconds / 2);
}

TEST_F(Forecasting, TheCostOfStandingAloneIsSubtractedFromShortCalls) {
  const auto measure_with = [](Seconds alone) {
    return [alone](std::span<const measure::Experiment> experiments) {
      std::vector<measure::Timings> all;
      for (const measure::Experiment& experiment : experiments) {
        const Seconds seconds = experiment.batch > 1 ? 1.0 : experiment.setup.size() == 2 ? alone : 5.0;
        measure::Timings timings;
        timings.calls.assign(experiment.timed.size(), {Repetition{seconds, 1, 0, false}});
        all.push_back(timings);
      }
      return all;
    };
  };
  algorithms_ = generate(contraction_, std::array{BlasKernel::dot});
  stage_ = Stage::first_iterations;  // this stage times single calls
  const double calls = kernel_calls(algorithms_.front(), contraction_);
  EXPECT_DOUBLE_EQ(forecast_with(measure_with(1.0), {}).each[0].seconds, 5 * calls);
  EXPECT_DOUBLE_EQ(forecast_with(measure_with(4.0), {}).each[0].seconds, 2 * calls);
  EXPECT_DOUBLE_EQ(forecast_with(measure_with(9.0), {}).each[0].seconds, calls) << "no quicker than a warm call among many";
}

TEST_F(Forecasting, MeasurementsFromBeforeAnInterruptionAreKept) {
  const TimingMemory memory = timings_in(*store_, "here", 3);
  const Measure interrupted = [this](std::span<const measure::Experiment> experiments) {
    std::vector<measure::Timings> all = watch_.measure(2.0, 3)(experiments);
    all.back().calls.front().clear();
    return all;
  };
  EXPECT_THROW(forecast_with(interrupted, memory), Error);
  const Forecasts second = forecast_with(watch_.measure(2.0, 3), memory);
  EXPECT_EQ(second.known, second.benchmarks - 1);
}

}  // namespace
}  // namespace flopcast::contract
