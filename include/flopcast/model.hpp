#pragma once

/// Models of kernels and the store that keeps them.
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/levels.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/refinement.hpp"
#include "flopcast/model/store.hpp"
