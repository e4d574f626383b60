#include "flopcast/contract/prediction/execution_times.hpp"

#include <limits>
#include <memory>
#include <optional>

#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/contract/prediction/segment_experiment.hpp"
#include "flopcast/core/statistics.hpp"

namespace flopcast::contract {
namespace {

constexpr Seconds longest = 10;  ///< algorithms with longer predicted times aren't executed
/// Algorithms with shorter predicted times are executed once before they are timed. As in Peise et al. 2015 (section 3.2), a contraction
/// then finds the caches as its own previous execution has left them. Longer algorithms hardly depend on this.
constexpr Seconds repeated_below = 0.2;

/// Tensors that the experiments of one round share, and the buffers of one algorithm at a time.
struct Round {
  Workspace tensors;
  std::optional<Execution> execution;

  void run() { execution->run(tensors.tensor(Operand::a), tensors.tensor(Operand::b), tensors.tensor(Operand::c), 1.0, 1.0); }
};

measure::Experiment experiment_of(const Algorithm& algorithm, const Contraction& contraction, const FindRoutine& find, bool is_repeated,
                                  int threads, const std::shared_ptr<Round>& round) {
  using What = measure::Action::What;
  const Call call = carrier_call(contraction.precision, threads);
  measure::Experiment experiment;
  for (std::size_t t = 0; t < all_operands.size(); ++t) {
    experiment.memory.push_back({std::string(1, letter(all_operands[t])), virtual_base(t), element_bytes(contraction.precision)});
  }
  experiment.setup.push_back({What::prepare, {}, 0, {}, [=] { round->execution.emplace(algorithm, contraction, find); }});
  if (is_repeated) {
    experiment.setup.push_back({What::perform, {}, 0, call, {}});
  }
  experiment.timed = {call};
  experiment.perform = [round](const Call&) {
    round->run();
    return 0;
  };
  experiment.max_repetitions = 1;
  return experiment;
}

}  // namespace

std::vector<Seconds> execution_times(std::span<const Algorithm> algorithms, const Contraction& contraction, const FindRoutine& find,
                                     std::span<const Seconds> predicted, int threads, const Measure& measure) {
  constexpr int rounds = 3;
  std::vector<std::vector<Seconds>> times(algorithms.size());
  for (int i = 0; i < rounds; ++i) {
    const auto round =
        std::make_shared<Round>(Round{Workspace(contraction), {}});  // new, because caches hold more of some pages than of others
    std::vector<measure::Experiment> experiments;
    std::vector<std::size_t> positions;
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      if (!(predicted[a] > longest)) {
        positions.push_back(a);
        experiments.push_back(experiment_of(algorithms[a], contraction, find, predicted[a] < repeated_below, threads, round));
      }
    }
    const std::vector<measure::Timings> timings = measure(experiments);
    for (std::size_t e = 0; e < timings.size(); ++e) {
      for (const std::vector<Repetition>& call : timings[e].calls) {
        for (const Repetition& repetition : call) {
          times[positions[e]].push_back(repetition.seconds);
        }
      }
    }
  }
  std::vector<Seconds> medians;
  for (const std::vector<Seconds>& one : times) {
    medians.push_back(one.empty() ? std::numeric_limits<Seconds>::quiet_NaN() : median(one));
  }
  return medians;
}

}  // namespace flopcast::contract
