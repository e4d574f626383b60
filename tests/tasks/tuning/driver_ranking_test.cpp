#include "flopcast/tasks/tuning/driver_ranking.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "flopcast/kernel/drivers.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/tuning/ranking.hpp"
#include "flopcast/tasks/tuning/tuning_schemas.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/tuning/synthetic_place.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::SyntheticMachine;

/// A library whose routines do nothing, also if they are asked for the size of their work space.
struct FakeLibrary {
  static void query() {}
  std::set<std::string> missing;
  [[nodiscard]] algorithm::FunctionLookup lookup() const {
    return [missing = missing](std::string_view routine) -> kernel::Function {
      return missing.count(std::string(routine)) > 0 ? nullptr : &query;
    };
  }
};

TuningServices place_of(SyntheticMachine& machine, const FakeLibrary& library = {}) {
  TuningServices services = machine.place();
  services.find_function = library.lookup();
  services.models = [](const std::set<std::string>&) {
    model::OnDemandModels models(SyntheticMachine::environment());
    models.fit();
    return models;
  };
  services.samples = [&machine](const std::string& state) {
    std::vector<Sample> some;
    std::copy_if(machine.kept.begin(), machine.kept.end(), std::back_inserter(some),
                 [&](const Sample& sample) { return sample.key.cache == state; });
    return some;
  };
  return services;
}

RankRequest request(const std::string& job, SizeList n = {300}) {
  RankRequest request;
  request.family = job;
  request.n = std::move(n);
  return request;
}

PlaceRanking ranked(SyntheticMachine& machine, const RankRequest& request, const FakeLibrary& library = {}) {
  const TuningServices services = place_of(machine, library);
  return rank_drivers_in(services, request, 1, machine.context());
}

Seconds truth(const SyntheticMachine& machine, const std::string& driver, const RankRequest& request) {
  for (const kernel::DriverRow& row : kernel::driver_rows()) {
    if (row.job == request.family && driver_name(row, request.precision) == driver) {
      const std::int64_t n = request.n.front();
      Seconds sum = 0;
      for (const Call& call : driver_calls(row, request.precision, {{{"n", n}, {"m", n}, {"nrhs", 1}}, request.vectors, request.values})) {
        sum += machine.truth(call);
      }
      return sum;
    }
  }
  return 0;
}

std::string message_of(const RankRequest& request) {
  try {
    empty_driver_ranking(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Drivers, OfEachJobAreOrderedByTheirTrueTimes) {
  for (const std::string& job : driver_jobs()) {
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
      SyntheticMachine machine;
      RankRequest asked = request(job);
      asked.precision = precision;
      const PlaceRanking place = ranked(machine, asked);
      ASSERT_THAT(place.decisions, SizeIs(1));
      const std::vector<tuning::VariantRank>& drivers = place.decisions[0].ranking;
      ASSERT_EQ(drivers.size(), empty_driver_ranking(asked).variants.size()) << job;
      for (const tuning::VariantRank& driver : drivers) {
        EXPECT_NEAR(driver.best.seconds / truth(machine, driver.best.variant, asked), 1, 0.1) << driver.best.variant;
        EXPECT_GE(driver.behind, 0);
      }
      EXPECT_TRUE(std::is_sorted(drivers.begin(), drivers.end(), [](const tuning::VariantRank& a, const tuning::VariantRank& b) {
        return a.best.seconds < b.best.seconds;
      }));
    }
  }
}

TEST(Drivers, NeedTheMemoryOfOperandsResultsAndWorkSpace) {
  SyntheticMachine machine;
  std::map<std::string, std::int64_t> bytes;
  for (const auto& [job, values] : std::map<std::string, std::int64_t>{{"eigh", 10}, {"inverse", 0}}) {
    RankRequest asked = request(job);
    asked.values = values;
    const PlaceRanking place = ranked(machine, asked);
    for (const tuning::VariantRank& driver : place.decisions.at(0).ranking) {
      bytes[driver.best.variant] = driver.resident_bytes;
    }
  }
  constexpr std::int64_t n = 300, matrix = 8 * n * n;
  EXPECT_EQ(bytes.at("dgetrf+dgetri"), matrix + 4 * n + 8) << "both calls have the same A and pivots; the library asks for one element";
  EXPECT_EQ(bytes.at("dpotrf+dpotri"), matrix);
  EXPECT_EQ(bytes.at("dgesv (identity)"), 2 * matrix + 4 * n);
  EXPECT_GE(bytes.at("dsyevr"), matrix + 8 * n * 10) << "ten vectors";
  EXPECT_LT(bytes.at("dsyevr"), matrix + 8 * n * 20);
}

TEST(Drivers, ATimeForEachSpectrumComesFromSamplesOfItsOwn) {
  SyntheticMachine machine;
  RankRequest asked = request("svd");
  asked.spectrum = kernel::Spectrum::geometric;
  const PlaceRanking place = ranked(machine, asked);
  for (const tuning::VariantRank& driver : place.decisions[0].ranking) {
    ASSERT_THAT(driver.spectra, SizeIs(4));
    EXPECT_EQ(driver.spectra.front().spectrum, "geometric");
    EXPECT_EQ(driver.spectra.front().seconds, driver.best.seconds);
  }
  std::set<std::string> states;
  for (const Sample& sample : machine.kept) {
    states.insert(sample.key.cache);
  }
  EXPECT_THAT(states, ElementsAre("clustered", "deficient", "geometric", "uniform"));
}

TEST(Drivers, SamplesOfEarlierRunsAreUsedUnlessItIsToBeFresh) {
  SyntheticMachine machine;
  ranked(machine, request("eigh"));
  RankRequest without_time = request("eigh");
  without_time.time_budget = 0;
  EXPECT_EQ(ranked(machine, without_time).decisions[0].chosen.extrapolated, 0);
  without_time.fresh = true;
  EXPECT_EQ(ranked(machine, without_time).decisions[0].chosen.extrapolated, 1);
}

TEST(Drivers, WorkThatDependsOnNoSpectrumIsSampledAsElsewhere) {
  SyntheticMachine machine;
  const PlaceRanking place = ranked(machine, request("inverse"));
  for (const Sample& sample : machine.kept) {
    EXPECT_EQ(sample.key.cache, "placed");
  }
  std::vector<std::string> names;
  for (const tuning::VariantRank& driver : place.decisions[0].ranking) {
    EXPECT_THAT(driver.spectra, IsEmpty());
    names.push_back(driver.best.variant);
  }
  EXPECT_THAT(names, AllOf(Contains("dgetrf+dgetri"), Contains("dgesv (identity)"), Contains("dgesv (no inverse)")));
}

TEST(Drivers, SomeValuesAreAskedOfThoseThatCanSelect) {
  const kernel::DriverWish wish{{{"n", 50}, {"m", 50}, {"nrhs", 1}}, true, 5};
  for (const kernel::DriverRow& row : kernel::driver_rows()) {
    if (row.job == "eigh") {
      EXPECT_EQ(flags(driver_calls(row, Precision::d, wish).front()), row.selects ? "VIL" : "VL");
    }
  }
  SyntheticMachine machine;
  RankRequest asked = request("eigh");
  asked.values = 5;
  const TuningServices services = place_of(machine);
  TuningServices watched = services;
  std::vector<measure::Experiment> seen;
  watched.sampling = [&](const SamplingLimits& limits) {
    tuning::SamplingServices sampling = services.sampling(limits);
    sampling.measure = [&seen, measure = sampling.measure](std::span<const measure::Experiment> experiments) {
      seen.insert(seen.end(), experiments.begin(), experiments.end());
      return measure(experiments);
    };
    return sampling;
  };
  rank_drivers_in(watched, asked, 1, machine.context());
  std::set<std::string> states;
  for (const Sample& sample : machine.kept) {
    states.insert(sample.key.cache);
  }
  EXPECT_THAT(states, Contains("uniform, 5 values"));
  for (const measure::Experiment& experiment : seen) {
    const Call& call = experiment.timed.front();
    const int z = call.routine->index("Z");
    for (const Allocation& memory : experiment.memory) {
      if (z >= 0 && memory.address == call.address(static_cast<std::size_t>(z))) {
        EXPECT_GE(memory.bytes, 5 * sizes(call)[0] * 8) << "room for five vectors";
      }
    }
  }
}

TEST(Drivers, WideMatricesAreTransposedForJacobi) {
  for (const kernel::DriverRow& row : kernel::driver_rows()) {
    if (driver_name(row, Precision::z) == "zgejsv") {
      const Call call = driver_calls(row, Precision::z, {{{"m", 20}, {"n", 50}, {"nrhs", 1}}}).front();
      EXPECT_EQ(sizes(call)[0], 50);
      EXPECT_EQ(sizes(call)[1], 20);
    }
  }
}

TEST(Drivers, ThatTheLibraryLacksAreSkippedWithAWord) {
  SyntheticMachine machine;
  FakeLibrary library;
  library.missing = {"dgejsv"};
  const PlaceRanking place = ranked(machine, request("svd"), library);
  EXPECT_THAT(place.decisions[0].ranking, SizeIs(2));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("dgejsv is skipped: this LAPACK has no such routine")));
}

TEST(Drivers, ExtrapolationIsSaidWhereTheBudgetEnds) {
  SyntheticMachine machine;
  RankRequest asked = request("eigh", {200, 20000});
  asked.time_budget = 1e-3;
  const PlaceRanking place = ranked(machine, asked);
  EXPECT_FALSE(place.complete);
  ASSERT_THAT(place.decisions, SizeIs(2));
  EXPECT_GT(place.decisions[1].ranking.front().best.extrapolated, 0.5);
}

TEST(Drivers, ACancellationKeepsTheSamples) {
  SyntheticMachine machine;
  machine.stop = true;
  EXPECT_THROW(ranked(machine, request("eigh")), Cancelled);
}

TEST(Drivers, RefusesWhatIsNoJob) {
  EXPECT_THAT(message_of(request("svd", {})), HasSubstr("no sizes of svd are given"));
  RankRequest wrong = request("eigh");
  wrong.sizes = {{"m", {10}}};
  EXPECT_THAT(message_of(wrong), HasSubstr("eigh has no size 'm', only n"));
  wrong = request("lstsq");
  wrong.vectors = false;
  EXPECT_THAT(message_of(wrong), HasSubstr("lstsq computes no vectors; leave --no-vectors out"));
  wrong = request("svd");
  wrong.values = 3;
  EXPECT_THAT(message_of(wrong), HasSubstr("--values is for eigh"));
  wrong = request("eigh", {4});
  wrong.values = 5;
  EXPECT_THAT(message_of(wrong), HasSubstr("5 eigenvalues of a matrix of order 4 are asked for; give --values 4 or less"));
}

TEST(Drivers, OptionsOfAlgorithmsAreRefusedAndTheReverse) {
  RankRequest wrong = request("eigh");
  wrong.nb = {32};
  EXPECT_THAT(message_of(wrong), HasSubstr("eigh ranks drivers, which have no variants, block sizes"));
  wrong = request("cholesky");
  wrong.values = 3;
  EXPECT_THROW(ranked_calls(wrong), Error);
}

TEST(Drivers, AValidationHasTheMeasuredRegret) {
  SyntheticMachine machine;
  TuningServices services = place_of(machine);
  services.measure = [&](std::span<const measure::Experiment> experiments, const measure::StopRule&, const Progress&) {
    std::vector<measure::Timings> all;
    for (const measure::Experiment& experiment : experiments) {
      measure::Timings timings;
      for (const Call& call : experiment.timed) {
        const Seconds seconds = call.routine->name == "dgetri" ? 3 : call.routine->name == "dpotri" ? 0.5 : 1;
        timings.calls.push_back({{.seconds = seconds}, {.seconds = seconds}, {.seconds = 2 * seconds}});
      }
      all.push_back(std::move(timings));
    }
    return all;
  };
  RankRequest asked = request("inverse");
  asked.validate = tuning::Extent::ranking;
  const tuning::Decision decision = rank_drivers_in(services, asked, 1, machine.context()).decisions.at(0);
  ASSERT_TRUE(decision.validation.has_value());
  std::map<std::string, Seconds> medians;
  for (const tuning::Measured& run : decision.validation->measured) {
    medians[run.variant] = run.median;
  }
  EXPECT_EQ(decision.validation->measured.front().times.size(), 3U);
  EXPECT_GT(decision.validation->order.pairs, 0U);
  EXPECT_EQ(decision.chosen.blocks.nb, 0) << "drivers have no block size";
  EXPECT_EQ(medians.at("dgetrf+dgetri"), 4);
  EXPECT_EQ(medians.at("dpotrf+dpotri"), 1.5);
  EXPECT_EQ(decision.validation->best_seconds, 1);
  EXPECT_DOUBLE_EQ(decision.validation->regret, medians.at(decision.chosen.variant) - 1);
}

TEST(Drivers, TheDocumentReadsBackEqual) {
  SyntheticMachine machine;
  const RankRequest asked = request("svd", {100, 200});
  Ranking ranking = empty_driver_ranking(asked);
  ranking.places.push_back(ranked(machine, asked));
  EXPECT_EQ(ranking.spectrum, kernel::Spectrum::uniform);
  EXPECT_EQ(ranking_from_json(to_json(ranking)), ranking);
  EXPECT_EQ(tests::schema_violation(to_json(ranking), tuning_schemas()), "");
}

}  // namespace
}  // namespace flopcast
