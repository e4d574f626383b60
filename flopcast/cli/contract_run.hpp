#pragma once

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/contract_options.hpp"
#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::cli {

/// Contracts two .npy files into a third, which is written as a whole or not at all.
void contract_files(const ContractOptions& options, const CommonOptions& common);

/// Plans, and executes on random numbers until a second has gone by, at least three times. Threads are the contraction's own; the BLAS is
/// serial.
void run_plan(const ContractOptions& options, const contract::Contraction& contraction, const CommonOptions& common);

}  // namespace flopcast::cli
