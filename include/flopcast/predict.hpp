#pragma once

/// Predicted times of traces from models of their kernels.
#include "flopcast/predict/kernel_models.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
