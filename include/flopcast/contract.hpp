#pragma once

/// Tensor contractions: notation, algorithms, predictions and the planner.
#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/plan.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/contract/prediction/forecast.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
