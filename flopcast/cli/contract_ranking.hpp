#pragma once

#include <cstddef>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/contract_options.hpp"
#include "flopcast/contract/algorithms/generate.hpp"
#include "flopcast/contract/prediction/forecast.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {

/// Predictions with everything that is shown beside them.
struct ContractRanking {
  std::vector<contract::Algorithm> algorithms;
  contract::Forecasts forecasts;
  std::vector<std::size_t> order;
  std::vector<Seconds> measured;  ///< empty without --validate
  Seconds cost = 0;
  double frequency = 0;
};

/// Predicts every algorithm, and executes them too with --validate. Throws Cancelled if the operation is cancelled.
ContractRanking make_ranking(const ContractOptions& options, const contract::Contraction& contraction,
                             std::vector<contract::Algorithm> algorithms, const Workbench& bench, const CommonOptions& common);

/// As a table with notes, or as a document.
void show_ranking(const ContractRanking& ranking, const contract::Contraction& contraction, const ContractOptions& options,
                  const Environment& environment, const CommonOptions& common);

}  // namespace flopcast::cli
