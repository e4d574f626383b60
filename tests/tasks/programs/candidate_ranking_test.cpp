#include "flopcast/tasks/programs/candidate_ranking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tune/sampling.hpp"
#include "tests/message_of.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast {
namespace {

using testing::HasSubstr;

/// A synthetic machine on which candidates are ranked.
class Ranked : public ::testing::Test {
 protected:
  Ranked() {
    services_.models = [this](std::vector<tuning::Subject>& traces, const auto& weigh) -> const model::OnDemandModels& {
      tuning::SamplingServices sources;
      sources.elapsed = [this] { return clock_; };
      sources.measure = [this](std::span<const measure::Experiment> experiments) {
        std::vector<measure::Timings> all;
        std::normal_distribution<double> normal;
        for (const measure::Experiment& experiment : experiments) {
          measure::Timings& timings = all.emplace_back();
          for (const Call& call : experiment.timed) {
            timings.calls.push_back(tests::noisy_repetitions(tests::synthetic_seconds(call), 0.01, normal, random_, clock_));
          }
        }
        return all;
      };
      tuning::OnDemandSampler(environment_, models_, sources).refine(traces, 0.01, clock_ + 20, weigh);
      for (const tuning::Subject& subject : traces) {
        weights_.push_back(subject.weight);
      }
      return models_;
    };
  }

  /// Returns QR factorisations of order 800 with block sizes from 16 on, whose own code takes `own` times the block size.
  static std::vector<Candidate> factorisations(Seconds own) {
    const Call call = kernel::parse_call(kernel::require("dgeqrf"), {{"m", "800"}, {"n", "800"}});
    std::vector<Candidate> all;
    for (std::int64_t nb = 16; nb <= 128; nb += 16) {
      all.push_back({std::to_string(nb), {{algorithm::record(call, {nb, 2, 128}, ""), own * static_cast<double>(nb)}}});
    }
    return all;
  }

  static Seconds truth(const Candidate& candidate) {
    return tests::synthetic_seconds(candidate.parts.front().trace) + candidate.parts.front().own_seconds;
  }

  Environment environment_ = tests::synthetic_environment();
  model::OnDemandModels models_{environment_};
  std::mt19937_64 random_{7};
  Seconds clock_ = 0;
  std::vector<double> weights_;
  CandidateServices services_{environment_, {}};
};

TEST_F(Ranked, TheBestOneIsWithinTheRegretThatIsStated) {
  for (const Seconds own : {0.0, 1e-4, 1e-3}) {
    const std::vector<Candidate> all = factorisations(own);
    const CandidateRanking ranking = CandidateRanker(all, services_).ranking();
    std::vector<Seconds> seconds;
    for (const Candidate& candidate : all) {
      seconds.push_back(truth(candidate));
    }
    const Seconds best = *std::min_element(seconds.begin(), seconds.end());
    EXPECT_LT(ranking.regret, 0.05) << own;
    EXPECT_LE(seconds[ranking.best], best * (1 + ranking.regret)) << own;
    EXPECT_EQ(ranking.candidates[ranking.best].behind, 0);
    for (std::size_t c = 0; c < all.size(); ++c) {
      const RankedCandidate& one = ranking.candidates[c];
      EXPECT_EQ(one.name, all[c].name);
      EXPECT_NEAR(one.seconds, seconds[c], 0.05 * seconds[c]) << one.name;
      EXPECT_DOUBLE_EQ(one.kernel_seconds + one.own_seconds, one.seconds);
      EXPECT_LT(one.interval.low, one.seconds);
      if (seconds[c] > 1.1 * seconds[ranking.best]) {
        EXPECT_FALSE(one.tied) << one.name;
      }
    }
  }
}

TEST_F(Ranked, SamplingCaresForThoseNearTheBest) {
  static_cast<void>(CandidateRanker(factorisations(1e-3), services_));
  EXPECT_GT(weights_.front(), 3 * weights_.back()) << "128 is far behind 16";
}

TEST_F(Ranked, TheLongestPartCounts) {
  std::vector<Candidate> all = factorisations(0);
  all.resize(2);
  all[0].parts.push_back({{}, 10});
  const CandidateRanking ranking = CandidateRanker(all, services_).ranking();
  EXPECT_DOUBLE_EQ(ranking.candidates[0].seconds, 10);
  EXPECT_EQ(ranking.best, 1U);
}

TEST_F(Ranked, OwnCodeCanBeTimedAgain) {
  CandidateRanker ranker(factorisations(1e-3), services_);
  const CandidateRanking before = ranker.ranking();
  ranker.set_own(before.best, 1, 0.25);
  const CandidateRanking after = ranker.ranking();
  EXPECT_NE(after.best, before.best);
  EXPECT_DOUBLE_EQ(after.candidates[before.best].own_seconds, before.candidates[before.best].own_seconds + 1);
  EXPECT_GT(after.candidates[before.best].interval.high - after.candidates[before.best].interval.low, 0.9) << "3.92 times the deviation";
}

TEST_F(Ranked, NothingToRankIsAnError) {
  EXPECT_THAT(tests::bad_input_of([&] { CandidateRanker({}, services_); }), HasSubstr("no candidates"));
  EXPECT_THAT(tests::bad_input_of([&] { CandidateRanker({{"empty", {}}}, services_); }), HasSubstr("candidate 'empty' has no parts"));
}

}  // namespace
}  // namespace flopcast
