#pragma once

/// Blocked algorithms, each written once: executed or recorded.
#include "flopcast/algorithm/algorithm.hpp"
#include "flopcast/algorithm/families.hpp"
#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/script.hpp"
#include "flopcast/algorithm/view.hpp"
#include "flopcast/core/trace.hpp"
