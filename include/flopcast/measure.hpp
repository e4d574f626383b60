#pragma once

/// Timing of calls in stated cache states, with a drift guard.
#include "flopcast/measure/experiment.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/measure/system_services.hpp"
