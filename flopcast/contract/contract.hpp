#pragma once

/// Tensor contractions, C := alpha A B + beta C: notation, the planner, and the BLAS-based algorithms with their predicted times. This is
/// the public header of the component contract; the tasks that measure with a Workbench are in flopcast/tasks/contraction/contraction.hpp.
#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/algorithms/emit.hpp"
#include "flopcast/contract/algorithms/generate.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/contract/planner/plan.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
#include "flopcast/contract/prediction/stage.hpp"
