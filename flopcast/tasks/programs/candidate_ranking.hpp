#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tune/design.hpp"

/// Ranking of candidates by models of their kernels. Tests have models of their own.
namespace flopcast {

struct CandidateServices {
  const Environment& environment;
  /// Returns models of the traces' kernels, after sampling what they lack. `weigh` sets the weights of `traces` by their expected times.
  std::function<const model::OnDemandModels&(std::vector<tuning::Subject>& traces,
                                             const std::function<void(std::span<const Seconds> totals)>& weigh)>
      models;
};

/// Candidates with the predicted times of their kernels. The part that is expected to take longest stands for its candidate.
class CandidateRanker {
 public:
  /// Samples and predicts. The models must outlive the ranker. Throws bad_input without candidates or parts.
  CandidateRanker(std::vector<Candidate> candidates, const CandidateServices& services);

  [[nodiscard]] CandidateRanking ranking() const;
  /// Changes the time of everything but kernels in a candidate, and its standard deviation.
  void set_own(std::size_t candidate, Seconds change, Seconds deviation);

 private:
  struct Row {
    std::string name;
    std::vector<Seconds> own;  ///< own time of each part, and of the longest one after predict()
    std::size_t first = 0;     ///< subject of the first part
    Seconds own_deviation = 0;
    model::Total total = {};
    std::int64_t calls = 0;
    double variance = 0;  ///< variance of the kernels' time
    [[nodiscard]] Seconds seconds() const { return total.seconds + own.front(); }
  };

  [[nodiscard]] static std::size_t longest(const Row& row, std::span<const Seconds> kernels);
  void weigh(std::span<const Seconds> kernels);
  void predict();
  [[nodiscard]] double difference_variance(const Row& a, const Row& b) const;

  std::vector<Row> rows_;
  std::vector<tuning::Subject> subjects_;  ///< the parts of all candidates, until they are predicted
  const model::OnDemandModels* models_ = nullptr;
};

/// Returns the names of the routines that the candidates call.
std::set<std::string> routines_of(const std::vector<Candidate>& candidates);

}  // namespace flopcast
