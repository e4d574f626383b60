#pragma once

#include <string>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/workbench.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/tune/design.hpp"

namespace flopcast::cli {

/// Measures what the models lack to predict these traces to 1 %, for at most `budget` seconds, and keeps it; `label` names the progress bar. Throws Interrupted after
/// Ctrl-C: the samples so far are kept.
void sample_missing(std::vector<tune::Subject>& traces, const Workbench& bench, model::Store& store, model::OnDemandModels& models,
                    Seconds budget, const std::string& label, const CommonOptions& common);

}  // namespace flopcast::cli
