#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flopcast/tasks/contraction/contraction_services.hpp"

namespace flopcast {

inline contract::Contraction ranked_contraction() {
  return contract::make_contraction(contract::parse_notation("abc=ai,ibc"), {{'a', 40}, {'b', 40}, {'c', 40}, {'i', 8}});
}

/// Ranks on a machine where a timed call takes as many seconds as its key's algorithm is told to.
class Ranking : public ::testing::Test {
 protected:
  Ranking() {
    request_.stage = contract::Stage::repeated;
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    CacheLevel level;
    level.capacity_bytes = 1 << 20;
    services_.environment.caches = {level};
    services_.measure = [this](std::span<const measure::Experiment> experiments) {
      std::vector<measure::Timings> all;
      for (const measure::Experiment& experiment : experiments) {
        measure::Timings timings;
        const Seconds seconds = call_seconds_ * flops(experiment.timed.front());
        timings.calls.assign(experiment.timed.size(), std::vector<Repetition>(10, Repetition{seconds, 1, 0, false}));
        all.push_back(timings);
      }
      return all;
    };
    services_.core_frequency = [] { return 1e9; };
    services_.execute = [this](std::span<const contract::Algorithm>, std::span<const Seconds> predicted) {
      std::vector<Seconds> measured(predicted.begin(), predicted.end());
      for (Seconds& seconds : measured) {
        seconds *= slowness_;
      }
      return measured;
    };
    services_.now = [this] { return now_ += 1; };
  }

  AlgorithmRanking rank() {
    return rank_algorithms(services_, ranked_contraction(), requested_algorithms(ranked_contraction(), request_, context_), request_,
                           context_);
  }

  RankingServices services_;
  RankAlgorithmsRequest request_;
  RunContext context_;
  std::vector<std::string> notes_;
  Seconds now_ = 0, call_seconds_ = 1e-9;
  double slowness_ = 2;
};

}  // namespace flopcast
